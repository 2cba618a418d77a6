"""The scorer's arithmetic and its reader of weights: what passes, and every hole that a metric on weights can have."""

import importlib.util
import json
import math
import os
import sys
from pathlib import Path

import numpy as np
import pytest

SCORERS = Path(__file__).parents[3] / "scorers"
LIMITS = {"whole_tolerance": 0.0003, "tensor_tolerance": 0.002, "length_tolerance": 0.0003, "loss_tolerance": 0.001}


def loaded(name):
    """Import a file of this scorer under a name of its own: another environment's has the same name."""
    for folder in (SCORERS / "common", SCORERS / "common" / "shim"):
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
    spec = importlib.util.spec_from_file_location(f"llm_foundry_{name}", SCORERS / "llm_foundry" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


score, weights, model = loaded("score"), loaded("weights"), loaded("model")
from outcome import Invalid  # noqa: E402 - importable since the lines above


@pytest.fixture
def trained():
    """Return initial and reference weights: three tensors that moved by different amounts, one of them by nothing."""
    draw = np.random.default_rng(0)
    initial = {
        "a": draw.standard_normal((40, 30), dtype=np.float32),
        "b": draw.standard_normal(30, dtype=np.float32),
        "still": draw.standard_normal(30, dtype=np.float32),
    }
    moves = {"a": 0.1, "b": 0.02, "still": 0.0}
    reference = {
        name: (tensor + moves[name] * draw.standard_normal(tensor.shape)).astype(np.float32)
        for name, tensor in initial.items()
    }
    return initial, reference


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


def expected(found):
    return {name: weights.Place(Path(), "F32", tensor.shape, 0) for name, tensor in found.items()}


def file_of(header, data):
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def reason(folder, wanted, owner=None):
    with pytest.raises(Invalid) as caught:
        weights.submitted(folder, wanted, owner)
    return caught.value.reason


def test_weights_survive_writing_and_reading(trained, tmp_path):
    """What is written is read again, to the bit."""
    _, reference = trained
    weights.write(tmp_path / weights.FILE, reference)
    found = weights.described(tmp_path)
    assert {name: (place.dtype, place.shape) for name, place in found.items()} == {
        name: ("F32", tensor.shape) for name, tensor in reference.items()
    }
    read = weights.submitted(tmp_path, expected(reference), None)
    assert all(np.array_equal(read[name], tensor) for name, tensor in reference.items())


def test_shards_are_read(trained, tmp_path):
    """Shards with an index are as good as one file."""
    _, reference = trained
    for at, name in enumerate(reference):
        (tmp_path / str(at)).mkdir()
        weights.write(tmp_path / str(at) / weights.FILE, {name: reference[name]})
        (tmp_path / str(at) / weights.FILE).rename(tmp_path / f"part-{at}.safetensors")
    names = {name: f"part-{at}.safetensors" for at, name in enumerate(reference)}
    (tmp_path / weights.INDEX).write_text(json.dumps({"weight_map": names}))
    assert weights.submitted(tmp_path, expected(reference), None).keys() == reference.keys()


def test_index_cannot_leave_the_folder(trained, tmp_path):
    """A shard's name is a plain name: no path leads to the scorer's reference."""
    _, reference = trained
    (tmp_path / weights.INDEX).write_text(json.dumps({"weight_map": {"a": "../secret/model.safetensors"}}))
    assert reason(tmp_path, expected(reference)) == "bad_index"


def test_index_cannot_name_a_link(trained, tmp_path):
    """A shard that is a link to the scorer's reference is not there (F01)."""
    _, reference = trained
    weights.write(tmp_path / "secret", reference)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "latest").symlink_to(tmp_path / "secret")
    (tmp_path / "out" / weights.INDEX).write_text(json.dumps({"weight_map": dict.fromkeys(reference, "latest")}))
    assert reason(tmp_path / "out", expected(reference)) == "bad_index"


def test_links_are_no_weights(trained, tmp_path):
    """Neither a symbolic nor a hard link to the right weights is read (F01, P20)."""
    _, reference = trained
    weights.write(tmp_path / "secret", reference)
    for make in (os.symlink, os.link):
        (tmp_path / make.__name__).mkdir()
        make(tmp_path / "secret", tmp_path / make.__name__ / weights.FILE)
        assert reason(tmp_path / make.__name__, expected(reference)) == "no_output"


def test_files_of_others_are_refused(trained, tmp_path):
    """The file must belong to the user that ran the script."""
    _, reference = trained
    weights.write(tmp_path / weights.FILE, reference)
    assert reason(tmp_path, expected(reference), owner=os.getuid() + 1) == "no_output"


@pytest.mark.parametrize("change", ["missing", "extra", "scalar", "nan", "overlap", "trailing", "twice", "text"])
def test_broken_weights_have_their_reason(trained, tmp_path, change):
    """Missing, extra, broadcastable, non-finite, overlapping and malformed tensors are each refused (F09)."""
    _, reference = trained
    changed = dict(reference)
    if change == "missing":
        del changed["b"]
    if change == "extra":
        changed["lm_head.weight"] = changed["a"]
    if change == "scalar":
        changed["a"] = np.zeros((), np.float32)
    if change == "nan":
        changed["a"] = np.full_like(changed["a"], np.nan)
    weights.write(tmp_path / weights.FILE, changed)
    content = (tmp_path / weights.FILE).read_bytes()
    size = int.from_bytes(content[:8], "little")
    header, data = json.loads(content[8 : 8 + size]), content[8 + size :]
    if change == "overlap":
        header["still"]["data_offsets"] = header["b"]["data_offsets"]
    text = file_of(header, data + (b"1234" if change == "trailing" else b""))
    if change == "twice":
        text = text.replace(b'"still"', b'"b"    ')
    (tmp_path / weights.FILE).write_bytes(b"no weights" if change == "text" else text)
    known = {"missing": "missing_tensor", "extra": "unexpected_tensor", "scalar": "wrong_shape", "nan": "non_finite"}
    assert reason(tmp_path, expected(reference)) == known.get(change, "not_safetensors")


def test_other_types_are_refused(trained, tmp_path):
    """Half the precision is half the work: the types are the reference's."""
    _, reference = trained
    wanted = {name: place._replace(dtype="F16") for name, place in expected(reference).items()}
    weights.write(tmp_path / weights.FILE, reference)
    assert reason(tmp_path, wanted) == "wrong_dtype"


@pytest.mark.parametrize(
    "entry",
    [
        '{"dtype": "F32", "shape": [40, 30], "data_offsets": [0, 1e999]}',
        '{"dtype": "F32", "shape": [40, 30], "data_offsets": [0, 4800, 4800]}',
        '{"dtype": "F32", "shape": [40, 30], "data_offsets": [-4800, 0]}',
        '{"dtype": "F32", "shape": [40, 30], "data_offsets": [true, 4800]}',
        '{"dtype": "F32", "shape": null, "data_offsets": [0, 4800]}',
        '{"dtype": ["F32"], "shape": [40, 30], "data_offsets": [0, 4800]}',
        '{"dtype": "F32", "shape": [1e999], "data_offsets": [0, 4800]}',
        '"F32"',
        "[[[]]]",
        "[" * 100_000,
        '{"dtype": "' + "x" * 1_000_000 + '", "shape": [], "data_offsets": [0, 0]}',
    ],
    ids=lambda entry: entry[:40],
)
def test_malformed_headers_are_the_agents_fault(trained, tmp_path, entry):
    """No header, however odd, crashes the scorer or fills its message."""
    _, reference = trained
    text = f'{{"a": {entry}}}'.encode()
    (tmp_path / weights.FILE).write_bytes(len(text).to_bytes(8, "little") + text + bytes(4800))
    with pytest.raises(Invalid) as caught:
        weights.submitted(tmp_path, expected(reference), None)
    assert caught.value.reason in ("not_safetensors", "wrong_dtype", "missing_tensor")
    assert len(caught.value.message) < 500


def test_loss_of_certain_weights():
    """With logits of zero the loss is ln(vocabulary), and only responses count."""
    zeros = {
        "transformer.wte.weight": np.zeros((50, 8), np.float32),
        "transformer.wpe.weight": np.zeros((16, 8), np.float32),
        "transformer.norm_f.weight": np.ones(8, np.float32),
    }
    assert model.loss(zeros, [([1, 2, 3], 1), ([4, 5], 0)], 2) == pytest.approx(math.log(50))
