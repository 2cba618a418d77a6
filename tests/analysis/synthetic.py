"""Attempts that nobody made, in all seven environments: to test and to show the layout of the report.

`python -m tests.analysis.synthetic OUT.html` writes the page whose pictures are in docs/.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

from rebench_inspect.analysis.columns import ATTEMPT_TYPES, SCORING_TYPES, pack, to_frame
from rebench_inspect.analysis.html import render_html
from rebench_inspect.analysis.normalize import add_anchors
from rebench_inspect.analysis.read import Reading
from rebench_inspect.analysis.report import Choices, build_report
from rebench_inspect.environments import ENVIRONMENTS, Environment

MODELS = {"example/model-a": 0.25, "example/model-b": 0.6}
"""Mean best score of each."""

BUDGET_HOURS = 2.0
TITLE = "RE-Bench results (synthetic attempts, to show the layout)"


def reading(attempts: int = 16, seed: int = 0) -> Reading:
    """Return `attempts` attempts of two models in every environment, at the scale paper."""
    generator = np.random.default_rng(seed)
    rows: list[dict[str, Any]] = []
    scorings: list[dict[str, Any]] = []
    for model, skill in MODELS.items():
        for environment in ENVIRONMENTS:
            for number in range(attempts):
                attempt, own = _attempt(generator, model, skill, environment, number)
                rows.append(attempt)
                scorings += own
    frame = to_frame([pack(row, ATTEMPT_TYPES) for row in rows], ATTEMPT_TYPES)
    return Reading(add_anchors(frame), to_frame([pack(row, SCORING_TYPES) for row in scorings], SCORING_TYPES), [])


def _attempt(
    generator: np.random.Generator, model: str, skill: float, environment: Environment, number: int
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    identity = {
        "log": f"/logs/{environment.slug}.eval",
        "task": environment.slug,
        "environment": environment.slug,
        "scale": "paper",
        "model": model,
        "agent": "react",
        "sample_id": f"{environment.slug}-{number + 1}",
        "epoch": 1,
        "attempt_id": f"{model}-{environment.slug}-{number}",
        "budget_hours": BUDGET_HOURS,
    }
    count = int(generator.integers(3, 40))
    starts = np.sort(generator.uniform(0, BUDGET_HOURS * 3600, count))
    final = max(0.0, generator.normal(skill, 0.3))
    levels = final * (1 - np.exp(-starts / 2500)) * generator.uniform(0.6, 1, count)
    faulty = generator.random(count) < 0.002
    scorings = [
        identity
        | {"index": index + 1, "kind": "attempt", "at_s": at, "normalised": level, "best_so_far": best}
        | ({"outcome": "machine_fault", "fault": "the GPU was lost"} if faulty[index] else {"outcome": "scored"})
        for index, (at, level, best) in enumerate(zip(starts, levels, np.maximum.accumulate(levels), strict=True))
    ]
    return _row(generator, identity, environment, levels), scorings


def _row(
    generator: np.random.Generator, identity: dict[str, Any], environment: Environment, levels: np.ndarray
) -> dict[str, Any]:
    start, reference = environment.published.starting, environment.published.reference
    best, again = float(levels.max()), float(levels.max()) - abs(generator.normal(0, 0.01))
    flagged = bool(generator.random() < 0.03)
    return identity | {
        "starting_raw": start + generator.normal(0, 0.01) * (reference - start),
        "best_raw": start + best * (reference - start),
        "best": best,
        "verified_raw": start + again * (reference - start),
        "verified": again,
        "n_scorings": len(levels),
        "n_valid": len(levels),
        "flags": "below_floor" if flagged else "",
        "flagged": flagged,
        "version": "1-A",
        "ended": "working limit",
        "working_hours": BUDGET_HOURS,
        "gpu_hours": BUDGET_HOURS,
        "tokens_input": int(generator.integers(1e6, 2e7)),
        "tokens_output": int(generator.integers(1e4, 5e5)),
        "cost": float(generator.uniform(5, 40)),
        "hardware": "NVIDIA H100 80GB HBM3",
        "comparability": f"{environment.slug:.>12}",
        "anchors_source": "published",
        "anchors_starting": start,
        "anchors_reference": reference,
    }


if __name__ == "__main__":
    page = render_html(build_report(reading(), Choices(), title=TITLE).report)
    Path(sys.argv[1]).write_text(page, encoding="utf-8")
