"""From times to a raw score: worked by hand."""

import math
import random

import outcome
import pytest
import score
from windows import Timing

PARAMETERS = {"elements": 1 << 20, "calls": 4, "windows": 5, "import_timeout_s": 60, "call_timeout_s": 20}


def timing(*per_call_ms: float) -> Timing:
    return Timing([ms / 1e3 for ms in per_call_ms], (0.0003, 0.0003), 1.0)


def test_the_raw_score_is_the_log_of_the_median_in_milliseconds() -> None:
    """Median of 9, 10, 11 ms is 10 ms: ln 10."""
    raw, error = score.raw_score(timing(9, 10, 11), floor_s=0.001)
    assert raw == pytest.approx(math.log(10))
    assert error == pytest.approx(1.2533 * 1 / math.sqrt(3) / 10)


@pytest.mark.parametrize("per_call_ms", [0.9, 0.0, -5.0, float("nan"), float("inf")])
def test_impossible_times_are_invalid(per_call_ms: float) -> None:
    """Below the floor, zero, negative, not finite: invalid, never a number."""
    with pytest.raises(outcome.Invalid) as caught:
        score.raw_score(timing(*[per_call_ms] * 3), floor_s=0.001)
    assert caught.value.reason == "impossible_time"


def test_noise_is_flagged() -> None:
    """Windows that spread by more than 15 % leave a remark and change no score."""
    assert score.flags(timing(10, 10.1, 10.2)) == []
    assert score.flags(timing(10, 15, 20))[0]["code"] == "noisy"


def test_the_plan_mixes_kinds_and_sizes() -> None:
    """Every timed window has one input of another kind than small values; odd sizes are checked untimed."""
    plan = score.plan(PARAMETERS, random.Random(0))  # noqa: S311
    assert len(plan.timed) == 5
    for calls in plan.timed:
        assert calls.elements == [1 << 20] * 4
        assert sorted(kind == score.SMALL for kind in calls.kinds) == [False, True, True, True]
    sizes = {size for calls in plan.untimed for size in calls.elements}
    assert {1, 2, 4097, (1 << 20) - 1, (1 << 20) + 1} <= sizes


def test_two_plans_differ() -> None:
    """A submission cannot know which call has which kind."""
    assert score.plan(PARAMETERS, random.Random(1)) != score.plan(PARAMETERS, random.Random(2))  # noqa: S311
