"""The numbers of the report: suite and environments at every total budget, with intervals and experts beside them."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from rebench_inspect.analysis.best_of_k import at_total_budget
from rebench_inspect.analysis.columns import GROUP
from rebench_inspect.analysis.experts import EXPERT_HOURS, expert_curve, share_of_experts_beaten
from rebench_inspect.analysis.suite import bootstrap, interval, suite_score

MOST_BUDGETS = 10


class Estimates(NamedTuple):
    """Estimates of one scale.

    Attributes:
        scale: Its name.
        budgets: Total budgets in hours, ascending.
        suite: Group, total_hours, score, low, high, n_environments, missing, complete, experts.
        environments: Group, environment, budget_hours, total_hours, n, k, score, missing, low, high, experts_beaten.
        experts: The experts' curve over the environments that are there: total_hours, score, complete.
    """

    scale: str
    budgets: list[float]
    suite: pd.DataFrame
    environments: pd.DataFrame
    experts: pd.DataFrame


def estimate(attempts: pd.DataFrame, table: pd.DataFrame, seed: int, *, replacement: bool, resamples: int) -> Estimates:
    """Estimate everything that the report shows of one scale.

    Args:
        attempts: Attempts of one scale.
        table: Experts to compare with.
        seed: Seed of the resampling.
        replacement: The paper's variant of best-of-k.
        resamples: Number of resamples.
    """
    budgets = total_budgets(attempts)
    here = table[table["environment"].isin(attempts["environment"].unique())]
    experts = expert_curve(here, [budget for budget in budgets if budget >= EXPERT_HOURS])
    by_budget = [_at(attempts, budget, seed, replacement=replacement, resamples=resamples) for budget in budgets]
    environments = pd.concat([pair[1] for pair in by_budget], ignore_index=True)
    suite = pd.concat([pair[0] for pair in by_budget], ignore_index=True)
    return Estimates(
        str(attempts["scale"].iloc[0]),
        budgets,
        suite.assign(experts=_experts_beside(suite, environments, table)),
        share_of_experts_beaten(environments, table, column="score"),
        experts,
    )


def _experts_beside(suite: pd.DataFrame, environments: pd.DataFrame, table: pd.DataFrame) -> pd.Series:
    """Return the experts' score beside each suite score: same total budget, same environments, or NaN."""
    by = [*GROUP, "total_hours"]
    scored = environments[environments["score"].notna()]
    names = (
        scored.groupby(by)["environment"].agg(lambda slugs: ",".join(sorted(set(slugs)))).rename("names").reset_index()
    )
    rows = suite[by].merge(names, on=by, how="left")
    distinct = rows[["names", "total_hours"]].dropna().drop_duplicates()
    pairs = zip(distinct["names"], distinct["total_hours"], strict=True)
    scores = [_experts_score(table, str(slugs).split(","), float(hours)) for slugs, hours in pairs]
    found = rows.merge(distinct.assign(experts=scores), on=["names", "total_hours"], how="left")
    return pd.Series(found["experts"].to_numpy(dtype=float), suite.index)


def _experts_score(table: pd.DataFrame, slugs: list[str], hours: float) -> float:
    here = table[table["environment"].isin(slugs)]
    if here.empty:
        return float("nan")
    curve = expert_curve(here, [hours]).iloc[0]
    return float(curve["score"]) if curve["n_environments"] == len(slugs) else float("nan")


def total_budgets(attempts: pd.DataFrame) -> list[float]:
    """Return the total budgets that some environment can fill: lengths of attempts, doubled, and 8 hours."""
    sizes = attempts.groupby([*GROUP, "environment", "budget_hours"]).size().reset_index(name="n")
    doubled = {
        float(length * 2**power)
        for length, n in zip(sizes["budget_hours"], sizes["n"], strict=True)
        for power in range(int(n).bit_length())
    }
    longest = max((n * length for length, n in zip(sizes["budget_hours"], sizes["n"], strict=True)), default=0.0)
    found = sorted(doubled | ({EXPERT_HOURS} if longest >= EXPERT_HOURS else set()))
    return found[-MOST_BUDGETS:]


def _at(
    attempts: pd.DataFrame, budget: float, seed: int, *, replacement: bool, resamples: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    scores = at_total_budget(attempts, budget, replacement=replacement)
    draws = bootstrap(
        attempts, np.random.default_rng(seed), total_hours=budget, replacement=replacement, resamples=resamples
    )
    keys = [*GROUP, "environment", "budget_hours"]
    environments = scores.merge(interval(draws), on=keys, how="left")
    suite = suite_score(scores).merge(interval(suite_score(draws)), on=list(GROUP), how="left")
    return suite.assign(total_hours=budget), environments
