"""Best-of-k: what the best of k attempts is worth on average, and how many attempts a total budget buys."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from rebench_inspect.analysis.columns import GROUP, IDENTITY, require
from rebench_inspect.environments import environment
from rebench_inspect.errors import UsageError

Floats = npt.NDArray[np.float64]

BY = [*GROUP, "environment", "budget_hours"]
TOO_FEW = "{k} attempts are needed, {n} are there"
TOO_SHORT = "one attempt takes longer than this budget"


class Cell(NamedTuple):
    """Scores of one group in one environment with attempts of one length.

    Attributes:
        named: Values of the columns `BY`.
        scores: Clipped normalised scores, shape (n,).
        k: Number of attempts whose best is wanted.
        missing: Why that best does not exist; empty where it does.
    """

    named: dict[str, Any]
    scores: Floats
    k: int
    missing: str

    @property
    def aggregate(self) -> str:
        """`best`, or `last` where nobody can choose among attempts."""
        return environment(str(self.named["environment"])).aggregate


def order_weights(n: int, k: int, *, replacement: bool = False) -> Floats:
    """Return the weight of each ascending order statistic of `n` scores in the expected best of `k`.

    Args:
        n: Number of scores.
        k: Number of attempts whose best counts.
        replacement: Whether an attempt may be drawn more than once (the paper's variant).

    Returns:
        Array of shape (n,) that sums to 1. Weight i is the probability that the i-th smallest score is the best.

    Raises:
        UsageError: `k` is below 1, or above `n` without replacement.
    """
    if k < 1 or n < 1 or (k > n and not replacement):
        raise UsageError(f"best of k={k} from n={n} attempts does not exist; choose k from 1 to n")
    ranks = np.arange(n + 1, dtype=np.float64)
    if replacement:
        return np.diff((ranks / n) ** k)
    at_most = np.ones(n + 1)
    for drawn in range(k):
        at_most *= np.maximum(ranks - drawn, 0.0) / (n - drawn)
    return np.diff(at_most)


def expected_best(scores: npt.ArrayLike, k: int, *, replacement: bool = False, aggregate: str = "best") -> float:
    """Return the expected best score of `k` attempts, estimated from all of `scores`.

    Args:
        scores: Scores of n attempts, any order, shape (n,).
        k: Number of attempts.
        replacement: Whether attempts are drawn with replacement.
        aggregate: `best`, or `last`: then nobody could choose among attempts, and the mean is returned.

    Raises:
        UsageError: `k` is out of range.
    """
    ascending = np.sort(np.asarray(scores, dtype=np.float64))
    weights = order_weights(len(ascending), k, replacement=replacement)
    return float(ascending.mean()) if aggregate == "last" else float(ascending @ weights)


def best_at(scorings: pd.DataFrame, hours: float) -> pd.DataFrame:
    """Return the best score of every attempt after `hours` of working time.

    Args:
        scorings: As from `read_scorings`.
        hours: Working time; a scoring belongs to the time when it began.

    Returns:
        One row per attempt: the identity columns, `budget_hours` (at most `hours`), `best_raw` and `best`, so that it
        can take the place of an attempts frame. Without a valid scoring of its own by then, `best` is exactly 0.
    """
    require(scorings, *IDENTITY, "at_s", "best_so_far", "best_raw_so_far", "budget_hours")
    first = scorings.drop_duplicates("attempt_id")
    reached = scorings[scorings["at_s"] <= hours * 3600]
    last = reached.drop_duplicates("attempt_id", keep="last")[["attempt_id", "best_so_far", "best_raw_so_far"]]
    columns = [*IDENTITY, "budget_hours"]
    merged = first[columns].merge(last, on="attempt_id", how="left")
    return merged.rename(columns={"best_so_far": "best", "best_raw_so_far": "best_raw"}).assign(
        best=lambda frame: frame["best"].fillna(0.0), budget_hours=lambda frame: frame["budget_hours"].clip(upper=hours)
    )


def attempts_in(total_hours: float, attempt_hours: float) -> int:
    """Return how many attempts of `attempt_hours` a total budget buys: the whole part of the quotient."""
    return math.floor(total_hours / attempt_hours + 1e-9)


def best_of_k(attempts: pd.DataFrame, k: int, *, replacement: bool = False) -> pd.DataFrame:
    """Return the expected best of `k` attempts for every group and environment.

    Args:
        attempts: As from `read_attempts` (columns model, agent, scale, environment, budget_hours, best).
        k: Number of attempts.
        replacement: The paper's variant; the default is unbiased.

    Returns:
        One row per group, environment and budget: `n`, `k`, `score`, and `missing`, which says why a score is NaN.
        Scores below the start count as 0. An attempt whose score is unknown (no anchors) is left out of `n`.
    """
    return _frame(cells(attempts, k=k, replacement=replacement), replacement=replacement)


def at_total_budget(attempts: pd.DataFrame, hours: float, *, replacement: bool = False) -> pd.DataFrame:
    """Return what `hours` of total working time reach: the best of as many attempts as fit into them.

    Args:
        attempts: As for `best_of_k`.
        hours: Total budget; `k = floor(hours / budget_hours)`.
        replacement: The paper's variant.

    Returns:
        As `best_of_k`, with `total_hours`. A `k` above `n`, or of 0, is missing and never extrapolated.
    """
    found = cells(attempts, total_hours=hours, replacement=replacement)
    return _frame(found, replacement=replacement).assign(total_hours=float(hours))


def usable(attempts: pd.DataFrame) -> pd.DataFrame:
    """Return the attempts that have a normalised score, with `best` clipped at 0 (the variant that means use)."""
    require(attempts, *GROUP, "environment", "budget_hours", "best")
    return attempts[attempts["best"].notna()].assign(best=lambda frame: frame["best"].astype(float).clip(lower=0.0))


def cells(
    attempts: pd.DataFrame, *, k: int | None = None, total_hours: float | None = None, replacement: bool = False
) -> Iterator[Cell]:
    """Yield the scores of every group, environment and budget, with the k that is wanted or that a budget buys.

    Raises:
        UsageError: Not exactly one of `k` and `total_hours` is given.
    """
    if (k is None) == (total_hours is None):
        raise UsageError("give either k or total_hours")
    for key, group in usable(attempts).groupby(BY, sort=True, dropna=False):
        named = dict(zip(BY, cast("tuple[Any, ...]", key), strict=True))
        drawn = k if k is not None else attempts_in(total_hours or 0.0, float(named["budget_hours"]))
        missing = _missing_reason(drawn, len(group), replacement=replacement)
        yield Cell(named, group["best"].to_numpy(dtype=float), drawn, missing)


def _missing_reason(k: int, n: int, *, replacement: bool) -> str:
    if k < 1:
        return TOO_SHORT
    return TOO_FEW.format(k=k, n=n) if k > n and not replacement else ""


def _row(cell: Cell, *, replacement: bool) -> dict[str, Any]:
    score = math.nan
    if not cell.missing:
        score = expected_best(cell.scores, cell.k, replacement=replacement, aggregate=cell.aggregate)
    return {**cell.named, "n": len(cell.scores), "k": cell.k, "score": score, "missing": cell.missing}


def _frame(found: Iterable[Cell], *, replacement: bool) -> pd.DataFrame:
    rows = [_row(cell, replacement=replacement) for cell in found]
    return pd.DataFrame(rows) if rows else empty([*BY, "missing"], ["budget_hours", "n", "k", "score"])


def empty(texts: Sequence[str], numbers: Sequence[str]) -> pd.DataFrame:
    """Return a frame without rows whose columns have the types that rows would give them."""
    kinds = {**dict.fromkeys(texts, "str"), **dict.fromkeys(numbers, "float64")}
    return pd.DataFrame({name: pd.Series([], dtype=kind) for name, kind in kinds.items()})
