"""Results: from Inspect logs to best scores, best-of-k at equal budgets, a comparison with experts, a report.

Every function takes frames and returns frames; none changes what it was given.
"""

from rebench_inspect.analysis.best_of_k import at_total_budget, best_at, best_of_k, expected_best
from rebench_inspect.analysis.experts import (
    FULL_DAY_MINUTES,
    expert_curve,
    experts,
    experts_as_attempts,
    experts_from_attempts,
    share_of_experts_beaten,
)
from rebench_inspect.analysis.metr import metr_runs, viz_frame
from rebench_inspect.analysis.normalize import with_anchors, with_flagged
from rebench_inspect.analysis.read import LogWarning, Reading, read_attempts, read_logs, read_scorings
from rebench_inspect.analysis.suite import bootstrap, interval, suite_score

__all__ = [
    "FULL_DAY_MINUTES",
    "LogWarning",
    "Reading",
    "at_total_budget",
    "best_at",
    "best_of_k",
    "bootstrap",
    "expected_best",
    "expert_curve",
    "experts",
    "experts_as_attempts",
    "experts_from_attempts",
    "interval",
    "metr_runs",
    "read_attempts",
    "read_logs",
    "read_scorings",
    "share_of_experts_beaten",
    "suite_score",
    "viz_frame",
    "with_anchors",
    "with_flagged",
]
