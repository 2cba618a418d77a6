"""The scorer's arithmetic: what passes, and every hole that a distance of weights can have."""

import math

import numpy as np
import pytest
from parts import Invalid, model, score

LIMITS = {"whole_tolerance": 0.0003, "tensor_tolerance": 0.002, "length_tolerance": 0.0003, "loss_tolerance": 0.001}


def refused(found, initial, reference):
    """Return whether weights are refused."""
    try:
        score.check(score.distance(found, reference, initial), LIMITS, "weights_differ", "Here")
    except Invalid as error:
        return error.reason == "weights_differ"
    return False


def test_reference_and_rounding_pass(trained):
    """The reference itself, and what differs from it by a ten-thousandth of its movement, are accepted."""
    initial, reference = trained
    near = {name: tensor + 1e-4 * (tensor - initial[name]) for name, tensor in reference.items()}
    assert not refused(reference, initial, reference)
    assert not refused(near, initial, reference)


def test_initial_weights_are_at_distance_one(trained):
    """No training is at distance 1 by definition, far above any limit (F08)."""
    initial, reference = trained
    found = score.distance(initial, reference, initial)
    assert found.whole == pytest.approx(1.0)
    assert refused(initial, initial, reference)


def test_one_small_tensor_that_was_left_alone_is_seen(trained):
    """A frozen tensor is too small to change the whole distance and is refused all the same."""
    initial, reference = trained
    found = score.distance({**reference, "b": initial["b"]}, reference, initial)
    assert found.whole < 0.05
    assert found.tensor == "b"
    assert found.worst > LIMITS["tensor_tolerance"]


def test_a_tensor_that_did_not_move_divides_by_no_zero(trained):
    """A change of a tensor that the reference left alone is measured against the mean movement."""
    initial, reference = trained
    moved = {**reference, "still": reference["still"] + np.float32(1.0)}
    assert math.isfinite(score.distance(moved, reference, initial).worst)
    assert refused(moved, initial, reference)


def test_training_cut_short_is_seen_where_rounding_is_large(trained):
    """With limits for bfloat16 noise of 4 % passes; a movement half a percent too short or too long does not."""
    initial, reference = trained
    wide = {"whole_tolerance": 0.1, "tensor_tolerance": 0.75, "length_tolerance": 0.003}
    draw = np.random.default_rng(1)
    moves = {name: tensor - initial[name] for name, tensor in reference.items()}
    noise = {name: 0.04 * np.std(moves["a"]) * draw.standard_normal(move.shape) for name, move in moves.items()}
    found = {"noise": score.distance({name: reference[name] + noise[name] for name in reference}, reference, initial)}
    for share in (-0.005, 0.005):
        weights = {name: reference[name] + share * move for name, move in moves.items()}
        found[share] = score.distance(weights, reference, initial)
        assert found[share].length == pytest.approx(share, rel=1e-3)
        with pytest.raises(Invalid, match="length of the movement"):
            score.check(found[share], wide, "weights_differ", "Here")
    assert found["noise"].whole == pytest.approx(0.04, rel=0.1)
    score.check(found["noise"], wide, "weights_differ", "Here")


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_none_are_refused(trained, value):
    """NaN and infinities fail every comparison (F09)."""
    initial, reference = trained
    broken = {**reference, "a": np.full((40, 30), value, np.float32)}
    assert refused(broken, initial, reference)
    with pytest.raises(Invalid):
        score.check_loss(value, 1.0, LIMITS)
    with pytest.raises(Invalid):
        score.raw_score([value], 0.1)


def test_reference_that_did_not_move_is_no_scale(trained):
    """A reference that equals the initial weights is the scorer's fault, not a pass."""
    initial, _ = trained
    with pytest.raises(ValueError, match="equals"):
        score.distance(initial, initial, initial)


def test_times_below_the_floor_are_refused():
    """A time that no arithmetic can have is no score (F16)."""
    floor = score.operations(tokens=25_000, block_parameters=790_000) / 4e11
    assert 0.2 < floor < 1
    with pytest.raises(Invalid, match="arithmetic"):
        score.raw_score([0.9 * floor], floor)
    assert score.raw_score([2 * floor], floor) == (pytest.approx(math.log(2 * floor)), None)


def test_mean_of_two_times_has_an_error():
    """Two instances give the mean of the logarithms and its standard error."""
    raw, error = score.raw_score([10.0, 12.0], 1.0)
    assert raw == pytest.approx((math.log(10) + math.log(12)) / 2)
    assert error == pytest.approx(abs(math.log(12 / 10)) / 2)


def test_loss_of_certain_weights():
    """With logits of zero the loss is ln(vocabulary), and only responses count."""
    zeros = {
        "transformer.wte.weight": np.zeros((50, 8), np.float32),
        "transformer.wpe.weight": np.zeros((16, 8), np.float32),
        "transformer.norm_f.weight": np.ones(8, np.float32),
    }
    assert model.loss(zeros, [([1, 2, 3], 1), ([4, 5], 0)], 2) == pytest.approx(math.log(50))
