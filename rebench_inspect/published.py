"""What the paper says of environments: anchors, and rows of those that are not built here yet (standard library alone).

Sources: the RE-Bench paper (arXiv 2411.15114) and the constants of its public code.
"""

from rebench_inspect.rows import Anchors, Environment


def anchors(starting: float, reference: float) -> Anchors:
    """Return a pair of published raw scores."""
    return Anchors(starting, reference, source="published")


UNBUILT: tuple[Environment, ...] = (
    Environment(
        "restricted_mlm",
        "Restricted Architecture MLM",
        "ln(masked loss - 1.5)",
        higher_is_better=False,
        published=anchors(1.81, 1.13),
        paper_hardware="2 H100",
    ),
    Environment(
        "scaling_law",
        "Scaling Law Experiment",
        "1 - (excess loss + prediction error)",
        higher_is_better=True,
        published=anchors(0.24, 0.84),
        paper_hardware="6 H100",
        aggregate="last",
        shows_score=False,
    ),
    Environment(
        "gpt2_qa",
        "Finetune GPT-2 for QA",
        "mean win rate",
        higher_is_better=True,
        published=anchors(0.54, 0.85),
        paper_hardware="2 H100",
    ),
    Environment(
        "rust_codecontests",
        "Scaffolding for Rust CodeContests",
        "fraction of problems solved",
        higher_is_better=True,
        published=anchors(0.0, 0.1272727),
        paper_hardware="20 CPU",
    ),
)
