"""The report before it has a form: which tables, pictures and notices, in which order."""

from dataclasses import dataclass
from datetime import UTC, datetime
from os.path import commonpath
from typing import NamedTuple

import pandas as pd

from rebench_inspect.analysis import appendix, plots, tables
from rebench_inspect.analysis.definitions import definitions
from rebench_inspect.analysis.estimates import Estimates, estimate
from rebench_inspect.analysis.experts import FULL_DAY_MINUTES, experts, experts_from_attempts
from rebench_inspect.analysis.normalize import Flagged, Source, with_anchors, with_flagged
from rebench_inspect.analysis.read import Reading
from rebench_inspect.analysis.table import Report, Section
from rebench_inspect.environments import SCALE_NAMES

VIEW_URL = "http://127.0.0.1:7575/"
"""Where `inspect view` serves by default."""


@dataclass(frozen=True, slots=True)
class Choices:
    """How results are computed and shown.

    Attributes:
        anchors: `own` (each attempt's), `published` or `local`.
        flagged: What happens to flagged attempts.
        replacement: The paper's variant of best-of-k.
        resamples: Number of resamples of an interval.
        seed: Seed of the resampling.
        experts_table: CSV of one's own experts.
        view_url: Address of Inspect View for links.
    """

    anchors: Source = "own"
    flagged: Flagged = "keep"
    replacement: bool = False
    resamples: int = 1000
    seed: int = 0
    experts_table: str | None = None
    view_url: str = VIEW_URL


class Results(NamedTuple):
    """A report with the numbers behind it: `estimates` by scale, `attempts` as they were compared."""

    report: Report
    estimates: dict[str, Estimates]
    attempts: pd.DataFrame


def build_report(
    reading: Reading, choices: Choices, *, pictures: bool = True, title: str = "RE-Bench results"
) -> Results:
    """Build the report of what was read.

    Args:
        reading: From `read_logs`.
        choices: How to compute and show it.
        pictures: Whether to draw the figures, which the HTML form alone shows.
        title: Heading.
    """
    attempts = with_flagged(with_anchors(reading.attempts, choices.anchors), choices.flagged)
    table = _experts(reading.attempts, choices)
    estimates = {
        scale: estimate(rows, table, choices.seed, replacement=choices.replacement, resamples=choices.resamples)
        for scale, rows in _scales(attempts)
    }
    drawn = reading.scorings if pictures else None
    sections = [_section(scale, rows, drawn, estimates[scale], table) for scale, rows in _scales(attempts)]
    root = _root(reading)
    report = Report(
        title=title,
        facts=_facts(reading, choices, root),
        notices=_notices(reading, attempts, choices),
        sections=sections,
        tables=appendix.appendix(reading, root, choices.view_url),
        definitions=definitions(choices.anchors, choices.flagged, replacement=choices.replacement, experts=len(table)),
    )
    return Results(report, estimates, attempts)


def _scales(attempts: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    order = {name: number for number, name in enumerate(SCALE_NAMES)}
    names = sorted(attempts["scale"].unique(), key=lambda name: (order.get(name, len(order)), name))
    return [(name, attempts[attempts["scale"] == name]) for name in names]


def _experts(attempts: pd.DataFrame, choices: Choices) -> pd.DataFrame:
    table = experts(minutes=FULL_DAY_MINUTES, table=choices.experts_table)
    own = experts_from_attempts(attempts[attempts["scale"] == "paper"])
    return pd.concat([table, own[~own["marked"]]], ignore_index=True) if len(own) else table


def _section(
    scale: str, attempts: pd.DataFrame, drawn: pd.DataFrame | None, found: Estimates, table: pd.DataFrame
) -> Section:
    notices = appendix.comparability_notices(attempts)
    if scale != "paper":
        notices.append(
            f"Experts worked at the scale paper: beside attempts at {scale}, their scores are orientation only."
        )
    parts = [tables.suite(found), tables.environments(attempts, found), tables.spent(attempts), tables.missing(found)]
    figures = [] if drawn is None else plots.figures(attempts, drawn, found, table)
    return Section(f"Scale {scale}", notices, parts, figures)


def _root(reading: Reading) -> str:
    folders = {log.rpartition("/")[0] for log in reading.attempts["log"]}
    return commonpath(folders) if folders and "://" not in "".join(folders) else next(iter(folders), "")


def _facts(reading: Reading, choices: Choices, root: str) -> list[tuple[str, str]]:
    attempts = reading.attempts
    return [
        ("Logs", f"{attempts['log'].nunique()} under {root or 'no folder'}"),
        ("Attempts", f"{len(attempts)}, of which {int(attempts['flagged'].sum())} flagged ({choices.flagged})"),
        ("Scorings", f"{len(reading.scorings)}"),
        ("Anchors", f"{choices.anchors}: {', '.join(sorted(attempts['anchors_source'].unique())) or 'none'}"),
        ("Best-of-k", "with replacement" if choices.replacement else "without replacement"),
        ("Intervals", f"95 %, {choices.resamples} resamples, seed {choices.seed}"),
        ("Made", datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")),
    ]


def _notices(reading: Reading, attempts: pd.DataFrame, choices: Choices) -> list[str]:
    notices: list[str] = []
    left_out = sum(problem.left_out for problem in reading.problems)
    if reading.attempts.empty:
        notices.append("No attempt was found.")
    if left_out:
        notices.append(f"{left_out} things were left out of these results; the table Problems names each.")
    unknown = int(attempts["best"].isna().sum())
    if unknown:
        notices.append(f"{unknown} attempts have no score by {choices.anchors} anchors and are in no mean.")
    if reading.attempts["flagged"].any() and choices.flagged == "keep":
        notices.append(
            "Flagged attempts are included; the table of flagged attempts shows what leaving them out changes."
        )
    return notices
