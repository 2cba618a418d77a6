"""Anchors: which ones an attempt is normalised by."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rebench_inspect import anchors
from rebench_inspect.environments import KERNEL, LLM_FOUNDRY, Anchors
from rebench_inspect.errors import RebenchError, UsageError

MINI, PAPER, SINGLE = (KERNEL.scale(name) for name in ("mini", "paper", "single"))


def calibrate(scale_name: str, starting: float = 5.0, reference: float = 4.0) -> None:
    path = anchors.local_file(KERNEL, KERNEL.scale(scale_name))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"starting": starting, "reference": reference}), encoding="utf-8")


@given(st.floats(-5, 5), st.floats(0.1, 5), st.floats(-1, 3))
def test_normalisation_is_the_definition(starting: float, span: float, share: float) -> None:
    """The start is 0, the reference 1, and everything between is linear, in both directions."""
    for reference in (starting - span, starting + span):
        scale = Anchors(starting, reference, "test")
        assert scale.normalise(starting) == 0
        assert scale.normalise(reference) == pytest.approx(1)
        assert scale.normalise(starting + share * (reference - starting)) == pytest.approx(share, abs=1e-9)


def test_equal_anchors_are_refused() -> None:
    """Two equal anchors define no scale."""
    with pytest.raises(ValueError, match="two different finite numbers"):
        Anchors(1.0, 1.0, "test")


def test_mini_uses_shipped_anchors_with_a_flag() -> None:
    """A machine that was not calibrated is normalised by shipped anchors, and the attempt says so."""
    chosen = anchors.choose(KERNEL, MINI, "auto", 4.8)
    assert chosen.anchors == MINI.shipped_anchors
    assert [flag["code"] for flag in chosen.flags] == ["anchors_shipped"]


def test_local_anchors_win_over_shipped_ones() -> None:
    """After calibration this machine's own anchors are used, without a flag."""
    calibrate("mini")
    chosen = anchors.choose(KERNEL, MINI, "auto", 4.8)
    assert (chosen.anchors.starting, chosen.anchors.reference, chosen.flags) == (5.0, 4.0, [])


def test_paper_uses_published_anchors_on_like_hardware() -> None:
    """Published anchors hold where the start lies within 0.1 of the published one."""
    assert anchors.choose(KERNEL, PAPER, "auto", 1.60).anchors == KERNEL.published


@pytest.mark.parametrize("requested", ["auto", "published"])
def test_anchors_of_another_task_are_remarked(requested: str) -> None:
    """Where a scale has other data than the paper's, its anchors are used with a flag that says so."""
    chosen = anchors.choose(LLM_FOUNDRY, LLM_FOUNDRY.scale("paper"), requested, 5.55)
    assert chosen.anchors == LLM_FOUNDRY.published
    assert [flag["code"] for flag in chosen.flags] == ["anchors_approximate"]
    assert "not published" in chosen.flags[0]["evidence"]


def test_faster_hardware_earns_no_points() -> None:
    """Where the start is much faster than published, published anchors are refused: calibrate."""
    with pytest.raises(RebenchError, match="rebench-inspect calibrate kernel --scale paper"):
        anchors.choose(KERNEL, PAPER, "auto", 0.5)
    calibrate("paper")
    assert anchors.choose(KERNEL, PAPER, "auto", 0.5).anchors.source.startswith("local:")


def test_local_is_demanded_strictly() -> None:
    """anchors=local never falls back."""
    with pytest.raises(RebenchError, match="calibrate kernel --scale mini"):
        anchors.choose(KERNEL, MINI, "local", 4.8)


@pytest.mark.parametrize(
    "text", ["", "{}", '{"starting": 1}', '{"starting": 1, "reference": 1}', '{"starting": "a", "reference": 2}']
)
def test_a_bad_file_is_named(tmp_path: Path, text: str) -> None:
    """A file that holds no anchors is named with the rule."""
    path = tmp_path / "anchors.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=r"anchors\.json"):
        anchors.read(path)
