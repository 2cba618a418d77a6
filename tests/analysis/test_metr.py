"""Attempts in METR's columns, and for inspect_viz."""

import json

import numpy as np
import pandas as pd
import pytest

from rebench_inspect.analysis import experts, metr_runs, read_attempts, viz_frame
from rebench_inspect.analysis.files import json_lines
from rebench_inspect.analysis.metr import COLUMNS, FAMILIES
from rebench_inspect.environments import ENVIRONMENTS
from tests.analysis.logs import SUBMITTED, WITHOUT_VALID

METRS_MINUTES = {
    "fix_embedding": 556.6,
    "restricted_mlm": 652.7,
    "gpt2_qa": 477.6,
    "rust_codecontests": 552.0,
    "kernel": 483.6,
    "llm_foundry": 484.3,
    "scaling_law": 417.0,
}
"""METR's `human_minutes` of the environments: geometric means of the same attempts."""


@pytest.fixture
def attempts() -> pd.DataFrame:
    return read_attempts([SUBMITTED, WITHOUT_VALID]).assign(scale="paper")


def test_columns_and_units(attempts: pd.DataFrame):
    """One row per attempt with METR's columns in order; score 1 is the experts' mean, times are milliseconds."""
    runs = metr_runs(attempts)
    assert list(runs.columns) == COLUMNS
    mean = experts("kernel")["normalised"].clip(lower=0).mean()
    assert runs["score_cont"].tolist() == pytest.approx((attempts["best"].clip(lower=0) / mean).tolist())
    assert runs["task_id"].unique().tolist() == ["ai_rd_triton_cumsum/main"]
    assert runs["time_limit"].unique().tolist() == [180.0]
    assert 1.7e12 < runs["started_at"].min() < runs["completed_at"].max() < 2.5e12


def test_success_is_nine_tenths_of_the_experts_mean(attempts: pd.DataFrame):
    """The threshold counts itself."""
    mean = experts("kernel")["normalised"].clip(lower=0).mean()
    runs = metr_runs(attempts.iloc[:2].assign(best=[0.9 * mean, 0.899 * mean]))
    assert runs["score_binarized"].tolist() == [1, 0]


def test_weights(attempts: pd.DataFrame):
    """For every alias the weights sum to 1; every task weighs the same, and its attempts share its weight."""
    frame = pd.concat(
        [attempts, attempts.iloc[:1].assign(environment="gpt2_qa"), attempts.assign(model="other")], ignore_index=True
    )
    runs = metr_runs(frame)
    for column in ("equal_task_weight", "invsqrt_task_weight"):
        assert runs.groupby("alias")[column].sum().tolist() == pytest.approx([1.0, 1.0])
    first = runs[runs["model"] == "mockllm/model"]
    assert first.groupby("task_family")["equal_task_weight"].sum().tolist() == pytest.approx([0.5, 0.5])


def test_human_minutes_are_metrs():
    """The geometric means of our table's minutes are METR's `human_minutes`, to within its cleaning (1 %)."""
    logs = experts().assign(log_minutes=lambda frame: np.log(frame["minutes"]))
    ours = np.exp(logs.groupby("environment")["log_minutes"].mean())
    assert ours.to_dict() == pytest.approx(METRS_MINUTES, rel=0.01)
    assert set(FAMILIES) == {row.slug for row in ENVIRONMENTS}


def test_other_scales_are_left_out(attempts: pd.DataFrame):
    """Experts worked at the paper's scale: others are exported only when asked for."""
    mixed = attempts.assign(scale=["paper", "mini", "mini"])
    assert len(metr_runs(mixed)) == 1
    assert set(metr_runs(mixed, all_scales=True)["task_id"]) == {"ai_rd_triton_cumsum/main", "ai_rd_triton_cumsum/mini"}


def test_empty_and_json(attempts: pd.DataFrame):
    """No attempts give no lines; every line is strict JSON."""
    assert list(metr_runs(attempts.iloc[:0]).columns) == COLUMNS
    assert json_lines(metr_runs(attempts.iloc[:0])).strip() == ""
    lines = [json.loads(line) for line in json_lines(metr_runs(attempts)).splitlines()]
    assert [line["human_cost"] for line in lines] == [None] * 3
    assert viz_frame(attempts.iloc[:0]).empty


def test_viz_frame(attempts: pd.DataFrame):
    """One row per model and environment with the names that inspect_viz's score views take by default."""
    frame = viz_frame(attempts)
    names = {"model_display_name", "task_display_name", "score_headline_value", "score_headline_stderr"}
    assert names <= set(frame.columns)
    clipped = attempts["best"].clip(lower=0)
    assert frame["score_headline_value"].tolist() == pytest.approx([clipped.mean()])
    assert frame["score_headline_stderr"].tolist() == pytest.approx([clipped.std() / np.sqrt(3)])
