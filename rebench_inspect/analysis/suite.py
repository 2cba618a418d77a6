"""The suite score, and intervals by resampling attempts within each environment."""

import numpy as np
import pandas as pd

from rebench_inspect.analysis.best_of_k import BY, cells, empty, order_weights
from rebench_inspect.analysis.columns import GROUP, require
from rebench_inspect.environments import ENVIRONMENTS

LOW, HIGH = 0.025, 0.975


def suite_score(scores: pd.DataFrame) -> pd.DataFrame:
    """Return the equal-weight mean over environments for every group.

    Args:
        scores: Columns model, agent, scale, environment, score: from `best_of_k`, `at_total_budget` or `bootstrap`
            (then one row per resample is returned). Where one environment has several rows (attempts of different
            lengths), the best of them stands for it.

    Returns:
        Columns of the group, `score`, `n_environments`, `missing` (names of environments without a score, in the order
        of the table) and `complete`. A mean of fewer than all environments is labelled by these two.
    """
    require(scores, *GROUP, "environment", "score")
    by = [*GROUP, *(["resample"] if "resample" in scores.columns else [])]
    present = scores[scores["score"].notna()]
    best = present.groupby([*by, "environment"], as_index=False)["score"].max()
    means = best.groupby(by).agg(score=("score", "mean"), n_environments=("environment", "nunique"))
    frame = scores[by].drop_duplicates().merge(means.reset_index(), on=by, how="left")
    if "resample" in by:
        return frame
    have = {key: set(rows["environment"]) for key, rows in best.groupby(by)}
    missing = [_missing(have.get(key, set())) for key in frame[by].itertuples(index=False, name=None)]
    return frame.assign(
        n_environments=frame["n_environments"].fillna(0).astype(int),
        missing=pd.Series(missing, index=frame.index, dtype=str),
        complete=[not names for names in missing],
    )


def _missing(have: set[str]) -> str:
    return ", ".join(row.slug for row in ENVIRONMENTS if row.slug not in have)


def bootstrap(
    attempts: pd.DataFrame,
    generator: np.random.Generator,
    *,
    k: int | None = None,
    total_hours: float | None = None,
    replacement: bool = False,
    resamples: int = 1000,
) -> pd.DataFrame:
    """Resample attempts within each environment and estimate the best of k in every resample.

    Args:
        attempts: As from `read_attempts`.
        generator: Source of randomness.
        k: Number of attempts; or
        total_hours: Total budget, from which k follows as in `at_total_budget`. Exactly one of the two is given.
        replacement: Variant of the estimator.
        resamples: Number of resamples.

    Returns:
        Long frame: group, environment, budget_hours, resample, score. Feed it to `interval`, or to `suite_score` and
        then to `interval`. Combinations that do not exist (k above n, k of 0) have no rows.

    Raises:
        UsageError: Not exactly one of `k` and `total_hours` is given.
    """
    parts: list[pd.DataFrame] = []
    for cell in cells(attempts, k=k, total_hours=total_hours, replacement=replacement):
        if cell.missing:
            continue
        ascending = np.sort(generator.choice(cell.scores, (resamples, len(cell.scores))), axis=1)
        drawn = 1 if cell.aggregate == "last" else cell.k
        scores = ascending @ order_weights(len(cell.scores), drawn, replacement=replacement)
        parts.append(pd.DataFrame({**cell.named, "resample": range(resamples), "score": scores}))
    return pd.concat(parts, ignore_index=True) if parts else empty([*BY, "resample"], ["budget_hours", "score"])


def interval(resampled: pd.DataFrame) -> pd.DataFrame:
    """Return the 2.5 and 97.5 percentiles over resamples.

    Args:
        resampled: From `bootstrap`, or from `suite_score` of it.

    Returns:
        The grouping columns that are there, `low`, `high`.
    """
    require(resampled, *GROUP, "resample", "score")
    by = [name for name in (*GROUP, "environment", "budget_hours") if name in resampled.columns]
    if resampled.empty:
        return resampled[by].assign(low=0.0, high=0.0)
    grouped = resampled.groupby(by, dropna=False)["score"]
    return pd.DataFrame({"low": grouped.quantile(LOW), "high": grouped.quantile(HIGH)}).reset_index()
