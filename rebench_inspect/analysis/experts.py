"""Human experts as data: METR's public attempts (not exactly the paper's 71 by 61 people), compared with ours."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from rebench_inspect.analysis.best_of_k import at_total_budget
from rebench_inspect.analysis.columns import require
from rebench_inspect.analysis.extract import HUMAN_AGENT
from rebench_inspect.analysis.suite import suite_score
from rebench_inspect.environments import environment as environment_row
from rebench_inspect.errors import UsageError

COLUMNS = ["environment", "raw", "normalised", "minutes", "source", "marked"]
FULL_DAY_MINUTES = (400.0, 600.0)
"""Attempts outside these limits are far from the nominal 480 minutes: kept, and marked."""

EXPERT_HOURS = 8.0
_DATA = Path(__file__).parent / "data" / "experts.csv"


def experts(
    environment: str | None = None, minutes: tuple[float, float] | None = None, table: Path | str | None = None
) -> pd.DataFrame:
    """Return attempts of human experts.

    Args:
        environment: Slug; None for all.
        minutes: Keep attempts that lasted from the first to the second number; None keeps all.
        table: CSV of your own with the columns environment, raw, minutes, source; None for METR's public attempts.
            A missing raw score means no improvement: it is worth 0.

    Returns:
        Columns environment, raw (environment's own unit, NaN where the source clips at the start), normalised (by the
        published anchors, not clipped), minutes, source, marked (lasted far from 480 minutes).

    Raises:
        UsageError: The table cannot be read, lacks a column, or names an unknown environment.
    """
    frame = _normalised(_read(Path(table) if table else _DATA))
    if environment is not None:
        frame = frame[frame["environment"] == _known(environment)]
    if minutes is not None:
        frame = frame[frame["minutes"].between(*minutes)]
    return frame.reset_index(drop=True)


def source_table() -> pd.DataFrame:
    """Return METR's attempts with `normalised_in_source`, the source's own normalised score, clipped at 0."""
    return _normalised(_read(_DATA), keep=["normalised_in_source"])


def experts_from_attempts(attempts: pd.DataFrame) -> pd.DataFrame:
    """Return the attempts that people made through Inspect's human agent, with the columns of `experts`."""
    require(attempts, "environment", "agent", "best_raw", "best", "working_hours", "log")
    human = attempts[attempts["agent"] == HUMAN_AGENT]
    frame = human[["environment", "best_raw", "best", "working_hours", "log"]].set_axis(COLUMNS[:5], axis="columns")
    return _marked(frame.assign(minutes=frame["minutes"].astype(float) * 60)).reset_index(drop=True)


def experts_as_attempts(table: pd.DataFrame) -> pd.DataFrame:
    """Return experts as attempts of one group with a budget of 8 hours, for the same estimators."""
    require(table, "environment", "normalised")
    return table.assign(
        model="human experts", agent="human", scale="paper", budget_hours=EXPERT_HOURS, best=table["normalised"]
    )


def expert_curve(table: pd.DataFrame, hours: Sequence[float]) -> pd.DataFrame:
    """Return the experts' suite score at each total budget: `total_hours` and the columns of `suite_score`.

    Budgets that some environment has too few experts for have `complete` false and name the environment.
    """
    attempts = experts_as_attempts(table)
    budgets = [float(budget) for budget in hours] or [EXPERT_HOURS]
    parts = [suite_score(at_total_budget(attempts, budget)).assign(total_hours=budget) for budget in budgets]
    return pd.concat(parts, ignore_index=True).iloc[: len(hours) or 0]


def share_of_experts_beaten(scores: pd.DataFrame, table: pd.DataFrame, column: str = "best") -> pd.DataFrame:
    """Add `experts_beaten`: the share of the experts of the same environment whose score is strictly lower.

    Args:
        scores: Any frame with `environment` and a column of normalised scores.
        table: Experts at the time to compare with: `experts(minutes=FULL_DAY_MINUTES)` for attempts of eight hours.
        column: The column of `scores` that is compared; scores and experts are clipped at 0.

    Returns:
        A copy of `scores` with the new column (0 to 1, NaN where there is no expert or no score).
    """
    require(scores, "environment", column)
    require(table, "environment", "normalised")
    levels = {slug: np.sort(rows["normalised"].clip(lower=0.0)) for slug, rows in table.groupby("environment")}
    shares = [
        _share(levels.get(slug), score) for slug, score in zip(scores["environment"], scores[column], strict=True)
    ]
    return scores.assign(experts_beaten=np.asarray(shares, dtype=float))


def _share(ascending: "np.ndarray | None", score: float) -> float:
    if ascending is None or pd.isna(score):
        return float("nan")
    return float(np.searchsorted(ascending, max(score, 0.0), side="left")) / len(ascending)


def _read(path: Path) -> pd.DataFrame:
    try:
        frame = pd.read_csv(path)
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} is no table of experts: {error}") from error
    require(frame, "environment", "raw", "minutes", "source")
    for slug in frame["environment"].unique():
        _known(str(slug))
    return frame


def _known(slug: str) -> str:
    try:
        return environment_row(slug).slug
    except KeyError as error:
        raise UsageError(str(error.args[0])) from None


def _normalised(frame: pd.DataFrame, keep: Sequence[str] = ()) -> pd.DataFrame:
    anchors = {slug: environment_row(slug).published for slug in frame["environment"].unique()}
    pairs = zip(frame["environment"], frame["raw"].astype(float), strict=True)
    scores = [0.0 if np.isnan(raw) else anchors[slug].normalise(raw) for slug, raw in pairs]
    return _marked(frame.assign(normalised=scores), keep)


def _marked(frame: pd.DataFrame, keep: Sequence[str] = ()) -> pd.DataFrame:
    return frame.assign(marked=~frame["minutes"].between(*FULL_DAY_MINUTES))[[*COLUMNS, *keep]]
