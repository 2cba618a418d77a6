"""The definitions that a report prints, so that its numbers can be read without the source."""

from pathlib import Path

from jinja2 import StrictUndefined, Template

from rebench_inspect.analysis.attempt_row import REMARKS
from rebench_inspect.analysis.experts import FULL_DAY_MINUTES

TEMPLATES = Path(__file__).parent / "templates"


def definitions(anchors: str, flagged: str, *, replacement: bool, experts: int) -> list[tuple[str, str]]:
    """Return terms and meanings for the choices that were made.

    Args:
        anchors: Which anchors the scores are by.
        flagged: What happened to flagged attempts.
        replacement: Variant of best-of-k.
        experts: Number of experts' attempts.
    """
    template = Template((TEMPLATES / "definitions.txt.j2").read_text(encoding="utf-8"), undefined=StrictUndefined)
    shortest, longest = (f"{minutes:g}" for minutes in FULL_DAY_MINUTES)
    text = template.render(
        anchors=anchors,
        flagged=flagged,
        replacement=replacement,
        experts=experts,
        shortest=shortest,
        longest=longest,
        remarks=", ".join(sorted(REMARKS)),
    )
    pairs = (line.partition(": ") for line in text.splitlines() if line)
    return [(term, meaning) for term, _, meaning in pairs]
