"""Reads submitted weights: a safetensors file, or several with an index, parsed here with NumPy and by nothing else.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: pickles and other formats, headers of any size and depth, tensors that overlap, leave holes, reach beyond the
file, are missing, added, renamed, reshaped or of another type; non-finite numbers; shards that are not beside their
index. Not covered: links, where the caller lets them count; what the numbers do. Trusts: the files stand still.
"""

import json
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from outcome import Invalid

_MAX_HEADER_BYTES, _MAX_SHARDS = 1 << 20, 256
_DTYPES = {"F32": np.dtype("<f4"), "F16": np.dtype("<f2"), "BF16": np.dtype("<u2")}

Shapes = Mapping[str, tuple[int, ...]]


class Place(NamedTuple):
    """Where a tensor lies: file, type, shape, first byte."""

    file: Path
    dtype: str
    shape: tuple[int, ...]
    start: int


def found(file: Path, is_there: Callable[[Path], bool] = Path.is_file) -> dict[str, Place]:
    """Return where every tensor lies that is in `file`, or in the files that `<file>.index.json` names.

    Args:
        file: The file that is wanted.
        is_there: Says which files count; others are not opened.

    Raises:
        Invalid: Both are there or neither, or one of the files is not what it should be.
    """
    index = file.with_name(f"{file.name}.index.json")
    if is_there(file) == is_there(index):
        reason = "two_models" if is_there(file) else "missing_submission"
        raise Invalid(reason, f"Exactly one of {file.name} and {index.name} must be there, as a plain file.")
    return header(file) if is_there(file) else _sharded(index, is_there)


def _sharded(index: Path, is_there: Callable[[Path], bool]) -> dict[str, Place]:
    text = index.read_bytes() if index.stat().st_size <= _MAX_HEADER_BYTES else b""
    named = _json(text, index.name).get("weight_map")
    if not isinstance(named, dict) or not named or not all(isinstance(shard, str) for shard in named.values()):
        raise Invalid("bad_index", f"{index.name} has no weight_map from names of tensors to names of files.")
    shards, beside = set(named.values()), {path.name for path in index.parent.iterdir() if is_there(path)}
    if len(shards) > _MAX_SHARDS or not shards <= beside:  # a name is compared, never opened: it may be any text
        raise Invalid("bad_index", f"{index.name} names files that are not beside it.")
    differ = Invalid("bad_index", f"{index.name} and the files that it names hold different tensors.")
    places: dict[str, Place] = {}
    for shard in sorted(shards):
        places |= (held := header(index.parent / shard))
        if any(named.get(name) != shard for name in held):  # at once: reading many long headers takes minutes
            raise differ
    if places.keys() != named.keys():
        raise differ
    return places


def header(file: Path) -> dict[str, Place]:
    """Return where the tensors of one file lie, having checked that they fill it exactly, without an overlap.

    Raises:
        Invalid: They do not, or it is no safetensors file of floating-point numbers.
    """
    size = file.stat().st_size
    with file.open("rb") as source:
        first = source.read(8)
        length = int.from_bytes(first, "little")
        if len(first) < 8 or length > min(size - 8, _MAX_HEADER_BYTES):
            advice = "Weights in PyTorch's own format are not read: convert them."
            raise Invalid("not_safetensors", f"{file.name} is no safetensors file: its header is too long. {advice}")
        entries = _json(source.read(length), file.name)
    entries.pop("__metadata__", None)
    places = {name: _place(file, name, entry, 8 + length) for name, entry in entries.items()}
    end = 8 + length
    for name, place in sorted(places.items(), key=lambda item: (item[1].start, _bytes(item[1]))):
        if place.start != end:
            raise Invalid("not_safetensors", f"{_shown(name)} in {file.name} overlaps another tensor or leaves a hole.")
        end += _bytes(place)
    if end != size:
        raise Invalid("not_safetensors", f"The tensors of {file.name} end at byte {end}, the file at {size}.")
    return places


def _json(text: bytes, name: str) -> dict[str, Any]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            raise ValueError("a name stands twice")
        return dict(pairs)

    try:
        parsed = json.loads(text.decode("utf-8"), object_pairs_hook=once)
    except (ValueError, RecursionError) as error:
        raise Invalid("not_safetensors", f"{name} is not what it should be: no JSON of plain objects.") from error
    if not isinstance(parsed, dict):
        raise Invalid("not_safetensors", f"{name} is not what it should be: its JSON is no object.")
    return parsed


def _place(file: Path, name: str, entry: object, data: int) -> Place:
    fields: dict[str, Any] = entry if isinstance(entry, dict) else {}
    shape, offsets, dtype = (fields.get(key) for key in ("shape", "data_offsets", "dtype"))
    if shape is None or offsets is None or not (_whole(shape) and _whole(offsets) and len(offsets) == 2):
        raise Invalid("not_safetensors", f"The header of {file.name} describes {_shown(name)} wrongly.")
    if dtype not in tuple(_DTYPES):
        raise Invalid("wrong_dtype", f"{_shown(name)} is {_shown(dtype)}; allowed are F32, F16 and BF16.")
    place = Place(file, str(dtype), tuple(shape), data + offsets[0])
    if offsets[1] - offsets[0] != _bytes(place):
        raise Invalid("not_safetensors", f"{_shown(name)} in {file.name} has another size than its shape says.")
    return place


def _shown(text: object) -> str:
    """Return how something out of a header is shown: its printable beginning, as it may be a megabyte of anything."""
    return ascii(text)[:80]


def _whole(values: Any) -> bool:  # noqa: ANN401 - whatever stood in the JSON
    whole = isinstance(values, list) and len(values) <= 8
    return whole and all(type(value) is int and 0 <= value < 1 << 48 for value in values)  # no booleans


def _bytes(place: Place) -> int:
    return math.prod(place.shape) * _DTYPES[place.dtype].itemsize


def check(places: Mapping[str, Place], expected: Shapes) -> None:
    """Make sure that exactly these tensors are there.

    Raises:
        Invalid: One is missing, added, or of another shape.
    """
    missing, extra = sorted(expected.keys() - places.keys()), sorted(places.keys() - expected.keys())
    if missing:
        raise Invalid("missing_tensor", f"{len(missing)} tensors are missing, {missing[0]} among them.")
    if extra:
        raise Invalid("unexpected_tensor", f"{len(extra)} tensors do not belong there, {_shown(extra[0])} among them.")
    for name, place in places.items():
        if place.shape != expected[name]:
            raise Invalid("wrong_shape", f"{name} has the shape {list(place.shape)}, expected {list(expected[name])}.")


def load(name: str, place: Place) -> NDArray[np.float32]:
    """Return a tensor as float32.

    Raises:
        Invalid: Not all of its numbers are finite.
    """
    count = math.prod(place.shape)
    numbers = np.fromfile(place.file, _DTYPES[place.dtype], count, offset=place.start)
    if len(numbers) != count:
        raise Invalid("not_safetensors", f"{place.file.name} became shorter while it was read.")
    if place.dtype == "BF16":  # NumPy has none: it is the upper half of a float
        numbers = (numbers.astype(np.uint32) << 16).view(np.float32)
    value = numbers.astype(np.float32, copy=False).reshape(place.shape)
    if not np.isfinite(value).all():
        raise Invalid("non_finite", f"{name} holds numbers that are not finite.")
    return value
