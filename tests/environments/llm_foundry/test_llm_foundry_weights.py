"""The scorer's reader of weights: what is read, and every hole that a file of weights can have."""

import json
import os
from pathlib import Path

import numpy as np
import pytest
from parts import Invalid, weights


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
