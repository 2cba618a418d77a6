"""The same attempts by other anchors."""

import json
from pathlib import Path

import numpy as np
import pytest

from rebench_inspect.analysis import read_attempts, with_anchors
from rebench_inspect.analysis.normalize import read_anchors
from rebench_inspect.environments import KERNEL
from rebench_inspect.errors import UsageError
from tests.analysis.logs import SUBMITTED, WITHOUT_VALID


@pytest.fixture
def anchors(tmp_path: Path) -> Path:
    path = tmp_path / "kernel-test.json"
    path.write_text(json.dumps({"starting": 4.0, "reference": 1.0}))
    return path


def test_both_columns(anchors: Path):
    """Published and local scores stand side by side, each by the one formula."""
    row = read_attempts(SUBMITTED, anchors=anchors).iloc[0]
    assert row["best_local"] == pytest.approx((row["best_raw"] - 4) / -3)
    assert row["verified_local"] == pytest.approx((row["verified_raw"] - 4) / -3)
    assert row["best_published"] == pytest.approx(KERNEL.published.normalise(row["best_raw"]))


def test_choosing_anchors(anchors: Path):
    """The chosen anchors become the scores, in a copy that says so."""
    attempts = read_attempts(SUBMITTED, anchors=anchors)
    for source in ("published", "local"):
        chosen = with_anchors(attempts, source)
        assert chosen["best"].tolist() == attempts[f"best_{source}"].tolist()
        assert chosen["anchors_source"].unique().tolist() == [source]
    assert with_anchors(attempts, "own") is attempts


def test_folder_of_anchors(anchors: Path):
    """A folder gives the anchors of every environment and scale in it."""
    (anchors.parent / "restricted_mlm-mini.json").write_text(json.dumps({"starting": 2, "reference": 1}))
    assert set(read_anchors(anchors.parent)) == {("kernel", "test"), ("restricted_mlm", "mini")}


def test_other_scales_anchors_do_not_apply(anchors: Path):
    """Anchors of another scale leave an attempt with its own."""
    other = anchors.rename(anchors.parent / "kernel-mini.json")
    row = read_attempts(SUBMITTED, anchors=other).iloc[0]
    assert row["best_local"] == row["best"]


def test_bad_files(tmp_path: Path):
    """A missing file, or a name without environment and scale, is refused."""
    with pytest.raises(UsageError, match="holds no anchors"):
        read_anchors(tmp_path / "kernel-mini.json")
    (tmp_path / "mine.json").write_text("{}")
    with pytest.raises(UsageError, match=r"as in kernel-mini\.json"):
        read_anchors(tmp_path / "mine.json")


def test_without_a_valid_scoring(anchors: Path):
    """By all anchors an attempt without a valid scoring of its own is worth exactly 0."""
    row = read_attempts(WITHOUT_VALID, anchors=anchors).iloc[0]
    names = [f"{score}{source}" for score in ("best", "verified") for source in ("", "_published", "_local")]
    assert row[names].tolist() == [0.0] * 6
    assert np.isfinite(row["best_raw"])
