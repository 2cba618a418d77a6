"""Statistics of the experts' table: writes docs/measurements/experts.json, and the page beside it from that."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pandas as pd

from rebench_inspect.analysis import FULL_DAY_MINUTES, best_of_k, experts, experts_as_attempts, suite_score
from rebench_inspect.analysis.experts import source_table
from rebench_inspect.environments import ENVIRONMENTS

PAGE = Path(__file__).resolve().parent.parent / "docs" / "measurements" / "experts"
KS = (1, 2, 4, 8, 16)
ROUNDING = 6e-5
"""The source's normalised scores have four digits after the point."""


def figures() -> dict[str, object]:
    """Return the statistics, flat: counts, means, best-of-k, and where the source's normalised column differs."""
    every, full_day = experts(), experts(minutes=FULL_DAY_MINUTES)
    clipped = full_day.assign(score=full_day["normalised"].clip(lower=0)).groupby("environment")["score"]
    found: dict[str, object] = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "source": "METR's public attempts, facts/human_attempts.csv; no machine is involved",
        "attempts_all": len(every),
        "attempts_marked": int(every["marked"].sum()),
        "shortest_minutes": FULL_DAY_MINUTES[0],
        "longest_minutes": FULL_DAY_MINUTES[1],
        "attempts": len(full_day),
        "suite_mean": round(float(clipped.mean().mean()), 4),
    }
    attempts = experts_as_attempts(full_day)
    by_k = {k: best_of_k(attempts, k) for k in KS}
    for row in ENVIRONMENTS:
        found[f"{row.slug}_attempts"] = int(clipped.size()[row.slug])
        found[f"{row.slug}_mean"] = round(float(clipped.mean()[row.slug]), 4)
        for k, frame in by_k.items():
            score = frame.set_index("environment")["score"][row.slug]
            if pd.notna(score):
                found[f"{row.slug}_best_of_{k}"] = round(float(score), 4)
    for k, frame in by_k.items():
        suite = suite_score(frame).iloc[0]
        if suite["complete"]:
            found[f"suite_best_of_{k}"] = round(float(suite["score"]), 4)
    return found | _differences()


def _differences() -> dict[str, object]:
    table = source_table()
    apart = (table["normalised"].clip(lower=0) - table["normalised_in_source"]).abs()
    differs = table[apart > ROUNDING]
    return {
        "rows_where_source_differs": len(differs),
        "environments_where_source_differs": ", ".join(sorted(differs["environment"].unique())),
        "largest_difference": round(float(apart.max()), 4),
    }


def page(found: dict[str, object]) -> str:
    """Return the page of the statistics."""
    environments = "\n".join(_line(found, row.slug, f"{row.slug}_") for row in ENVIRONMENTS)
    heads = " | ".join(f"best of {k}" for k in KS)
    return f"""# Experts: statistics of the table

Written by `benchmarks/experts.py` from `experts.json`.

Source: METR's public human attempts, {found["attempts_all"]} after cleaning, which are not exactly the 71 attempts
by 61 people of the paper. {found["attempts_marked"]} of them lasted less than {found["shortest_minutes"]:g} or more
than {found["longest_minutes"]:g} minutes and are marked. The statistics are those of the other {found["attempts"]},
normalised by the published anchors, scores below the start counted as 0, best-of-k without replacement (in scaling_law
the mean). A dash: fewer attempts than k.

| environment | attempts | mean | {heads} |
|---|---|---|{"---|" * len(KS)}
{environments}
{_line(found | {"suite_attempts": found["attempts"]}, "suite", "suite_")}

The paper gives 0.64 as the mean of its 71 attempts (over attempts, not over environments).

## The normalised column of the source

Recomputed from the raw scores and the published anchors, {found["rows_where_source_differs"]} rows differ from the
source's column by more than its rounding, all in {found["environments_where_source_differs"]} and by at most
{found["largest_difference"]}: there the source's scores imply a start of 1.81417, and the published anchor is 1.81.
This package uses the published anchor. Five rows have no raw score, because the source clips at the start: they
count as 0.
"""


def _line(found: dict[str, object], name: str, prefix: str) -> str:
    keys = ["attempts", "mean", *(f"best_of_{k}" for k in KS)]
    return f"| {' | '.join([name, *(str(found.get(prefix + key, '-')) for key in keys)])} |"


def main() -> None:
    """Write the figures and their page."""
    found = figures()
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    PAGE.with_suffix(".json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    PAGE.with_suffix(".md").write_text(page(found), encoding="utf-8")


if __name__ == "__main__":
    main()
