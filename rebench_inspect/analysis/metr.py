"""Attempts in the columns of METR's public run files, for work on time horizons, and as a frame for inspect_viz."""

import math
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import numpy as np
import pandas as pd

from rebench_inspect.analysis.columns import IDENTITY, require
from rebench_inspect.analysis.experts import experts

COLUMNS = [
    "task_id",
    "task_family",
    "task_source",
    "task_version",
    "run_id",
    "alias",
    "model",
    "score_cont",
    "score_binarized",
    "fatal_error_from",
    "human_minutes",
    "human_score",
    "human_source",
    "human_cost",
    "generation_cost",
    "time_limit",
    "started_at",
    "completed_at",
    "equal_task_weight",
    "invsqrt_task_weight",
]

SUCCESS = 0.9
"""A run counts as a success at this share of the experts' mean (METR's observed cut lies at 0.8976 to 0.9014)."""

FAMILIES: Mapping[str, str] = {
    "kernel": "ai_rd_triton_cumsum",
    "llm_foundry": "ai_rd_optimize_llm_foundry",
    "fix_embedding": "ai_rd_fix_embedding",
    "restricted_mlm": "ai_rd_restricted_mlm",
    "scaling_law": "ai_rd_small_scaling_law",
    "gpt2_qa": "ai_rd_nanogpt_chat_rl",
    "rust_codecontests": "ai_rd_rust_codecontests_inference",
}
"""METR's names of the environments."""

HUMAN_SOURCE = "baseline"
TASK_SOURCE = "RE-Bench"


def metr_runs(attempts: pd.DataFrame, table: pd.DataFrame | None = None, *, all_scales: bool = False) -> pd.DataFrame:
    """Return attempts as METR's run files have them.

    Args:
        attempts: As from `read_attempts`. Attempts without a normalised score are left out.
        table: Experts; METR's public attempts by default.
        all_scales: Also attempts at other scales than the one that the experts worked at.

    Returns:
        The columns `COLUMNS`. `score_cont` has METR's unit: 0 is the start, 1 the experts' mean, not cut off above.
        `human_minutes` is the geometric mean of the experts' minutes, `human_score` their mean score in the paper's
        unit, `time_limit` is in seconds, times are milliseconds since 1970. Weights sum to 1 for every alias:
        attempts of a task share its weight equally. What is not known (`human_cost`) is null.
    """
    require(attempts, *IDENTITY, "best", "budget_hours", "cost", "ended", "version", "started_at", "completed_at")
    compared = attempts["best"].notna() & (all_scales | (attempts["scale"] == "paper"))
    scored = attempts[compared].reset_index(drop=True)
    humans = _human_levels(experts() if table is None else table)
    levels = humans.reindex(scored["environment"]).reset_index(drop=True)
    share = scored["best"].clip(lower=0.0) / levels["score"]
    families = scored["environment"].map(FAMILIES)
    columns: dict[str, Any] = {
        "task_id": families + "/" + np.where(scored["scale"] == "paper", "main", scored["scale"]),
        "task_family": families,
        "task_source": TASK_SOURCE,
        "task_version": scored["version"],
        "run_id": scored["attempt_id"],
        "alias": scored["model"] + " (" + scored["agent"] + ")",
        "model": scored["model"],
        "score_cont": share,
        "score_binarized": (share >= SUCCESS).astype(int),
        "fatal_error_from": scored["ended"].map({"error": "serverOrTask"}).astype(object),
        "human_minutes": levels["minutes"],
        "human_score": levels["score"],
        "human_source": HUMAN_SOURCE,
        "human_cost": np.nan,
        "generation_cost": scored["cost"],
        "time_limit": scored["budget_hours"] * 3600,
        "started_at": scored["started_at"].map(_milliseconds),
        "completed_at": scored["completed_at"].map(_milliseconds),
    }
    return _weighted(pd.DataFrame(columns))[COLUMNS]


def viz_frame(attempts: pd.DataFrame) -> pd.DataFrame:
    """Return one row per group and environment under the names that inspect_viz's score views expect.

    Columns: log, model, model_display_name, task_name, task_display_name, score_headline_name, score_headline_value
    (mean of the clipped scores), score_headline_stderr, samples. `Data.from_dataframe(viz_frame(attempts))` is enough.
    """
    require(attempts, *IDENTITY, "best")
    scored = attempts[attempts["best"].notna()].assign(best=lambda frame: frame["best"].clip(lower=0.0))
    grouped = scored.groupby(["model", "agent", "environment", "scale"], sort=True)
    table = grouped.agg(
        log=("log", "first"), score_headline_value=("best", "mean"), spread=("best", "std"), samples=("best", "size")
    ).reset_index()
    return table.assign(
        model_display_name=table["model"] + " (" + table["agent"] + ")",
        task_name=table["environment"],
        task_display_name=table["environment"] + " (" + table["scale"] + ")",
        score_headline_name="normalised best",
        score_headline_stderr=(table["spread"] / np.sqrt(table["samples"])).fillna(0.0),
    ).drop(columns=["spread", "agent", "environment", "scale"])


def _human_levels(table: pd.DataFrame) -> pd.DataFrame:
    require(table, "environment", "normalised", "minutes")
    prepared = table.assign(score=table["normalised"].clip(lower=0.0), minutes=np.log(table["minutes"].astype(float)))
    means = prepared.groupby("environment")[["score", "minutes"]].mean()
    return means.assign(minutes=np.exp(means["minutes"]))


def _weighted(frame: pd.DataFrame) -> pd.DataFrame:
    """Add the weights: a task's attempts share 1, or 1 over the root of its family's number of tasks; sums are 1."""
    attempts_in_task = frame.groupby(["alias", "task_id"])["run_id"].transform("size")
    tasks_in_family = frame.groupby(["alias", "task_family"])["task_id"].transform("nunique")
    equal = 1.0 / attempts_in_task
    diverse = equal / np.sqrt(tasks_in_family)
    return frame.assign(
        equal_task_weight=equal / equal.groupby(frame["alias"]).transform("sum"),
        invsqrt_task_weight=diverse / diverse.groupby(frame["alias"]).transform("sum"),
    )


def _milliseconds(text: str) -> float:
    return math.floor(datetime.fromisoformat(text).timestamp() * 1000) if text else math.nan
