"""Reads and writes weights as safetensors with NumPy alone; what a worker wrote is trusted in nothing.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: links to secrets, files of others, sizes, overlaps, missing and extra keys, other shapes and types, NaN.
Not covered: whether the numbers were trained; see `score`. Trusts: its own arithmetic.
"""

import json
import os
import re
import stat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from outcome import Invalid

Weights = dict[str, NDArray[np.float32]]

FILE, INDEX = "model.safetensors", "model.safetensors.index.json"
_HEADER_BYTES, _SHARDS = 8 << 20, 64
_SIZES = {"F32": 4, "F16": 2, "BF16": 2}


class Tensor(NamedTuple):
    """What a header says of one tensor: its type and shape."""

    dtype: str
    shape: tuple[int, ...]


def described(folder: Path) -> dict[str, Tensor]:
    """Return type and shape of every tensor of a trusted file."""
    header = json.loads(_split((folder / FILE).read_bytes())[0])
    return {name: Tensor(entry["dtype"], tuple(entry["shape"])) for name, entry in header.items() if name[0] != "_"}


def trusted(folder: Path) -> Weights:
    """Read a file that the scorer or the image made."""
    return _tensors((folder / FILE).read_bytes(), described(folder))


def submitted(folder: Path, expected: dict[str, Tensor], owner: int | None) -> Weights:
    """Read what a worker wrote: one file, or shards with an index.

    Args:
        folder: Where it wrote; no process of it is left.
        expected: Every tensor that must be there, and no other.
        owner: The worker's user; files of others are refused. None where there is one user.

    Raises:
        Invalid: Anything else was written.
    """
    budget = sum(_SIZES[tensor.dtype] * count(tensor.shape) for tensor in expected.values()) + _HEADER_BYTES
    found: Weights = {}
    for name in _names(folder, owner):
        content = _read(folder / name, owner, budget)
        budget -= len(content)
        part = _tensors(content, expected)
        if part.keys() & found.keys():
            raise Invalid("wrong_keys", "The weights have a tensor twice.")
        found |= part
    if missing := expected.keys() - found.keys():
        raise Invalid("wrong_keys", f"The weights lack {len(missing)} tensors, {min(missing)!r} among them.")
    for name, tensor in found.items():
        if not np.isfinite(tensor).all():
            raise Invalid("not_finite", f"The tensor {name!r} has values that are not finite.")
    return found


def _names(folder: Path, owner: int | None) -> list[str]:
    if os.path.lexists(folder / FILE) or not os.path.lexists(folder / INDEX):
        return [FILE]
    try:
        named = set(json.loads(_read(folder / INDEX, owner, _HEADER_BYTES))["weight_map"].values())
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Invalid("bad_weights", f"{INDEX} is no index of shards.") from error
    plain = all(isinstance(name, str) and re.fullmatch(r"[\w-]+\.safetensors", name) for name in named)
    if not plain or not 0 < len(named) <= _SHARDS:
        raise Invalid("bad_weights", f"{INDEX} must name 1 to {_SHARDS} files *.safetensors beside it.")
    return sorted(named)


def _read(path: Path, owner: int | None, most: int) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        raise Invalid("no_output", f"There is no plain file {path.name} in the output folder.") from error
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        foreign = owner is not None and status.st_uid != owner
        if not stat.S_ISREG(status.st_mode) or foreign or status.st_nlink != 1:
            raise Invalid("no_output", f"{path.name} in the output folder must be a plain file that the script wrote.")
        if status.st_size > most:
            raise Invalid("bad_weights", f"{path.name} is larger than the model.")
        return file.read(most + 1)


def _split(content: bytes) -> tuple[bytes, bytes]:
    length = int.from_bytes(content[:8], "little")
    if length > min(_HEADER_BYTES, len(content) - 8):
        raise Invalid("bad_weights", "The weights are no safetensors file.")
    return content[8 : 8 + length], content[8 + length :]


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(found := dict(pairs)) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _entry(entry: Any) -> tuple[Tensor, int, int]:  # noqa: ANN401 - whatever JSON holds
    begin, end = entry["data_offsets"]
    if type(begin) is not int or type(end) is not int:
        raise TypeError("offsets are whole numbers")
    return Tensor(entry["dtype"], tuple(entry["shape"])), begin, end


def _tensors(content: bytes, expected: dict[str, Tensor]) -> Weights:
    text, data = _split(content)
    try:
        header = json.loads(text, object_pairs_hook=_once)
        entries = {name: _entry(entry) for name, entry in header.items() if name != "__metadata__"}
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise Invalid("bad_weights", "The weights are no safetensors file.") from error
    at = 0
    found: Weights = {}
    for name, (tensor, begin, end) in sorted(entries.items(), key=lambda item: item[1][1:]):
        if name not in expected:
            raise Invalid("wrong_keys", f"The weights have a tensor {name[:80]!r} that the reference lacks.")
        if tensor != expected[name]:
            raise Invalid("wrong_shape", f"{name!r} is {ascii(tensor)[:120]}, not {expected[name]}.")
        if begin != at or end - begin != _SIZES[tensor.dtype] * count(tensor.shape):
            raise Invalid("bad_weights", f"The bytes of {name!r} are not where they should be.")
        found[name] = _array(data[begin:end], tensor)
        at = end
    if at != len(data):
        raise Invalid("bad_weights", "The weights have bytes that belong to no tensor.")
    return found


def count(shape: tuple[int, ...]) -> int:
    """Return the number of elements of a shape."""
    return int(np.prod(shape, dtype=np.int64))


def _array(raw: bytes, tensor: Tensor) -> NDArray[np.float32]:
    if tensor.dtype == "BF16":  # NumPy has none: it is the upper half of a float
        return (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32).reshape(tensor.shape)
    kind = "<f4" if tensor.dtype == "F32" else "<f2"
    return np.frombuffer(raw, kind).astype(np.float32).reshape(tensor.shape)


def write(path: Path, weights: Weights) -> None:
    """Write weights as F32."""
    at, header = 0, {"__metadata__": {"format": "pt"}}
    for name, tensor in weights.items():
        header[name] = {"dtype": "F32", "shape": list(tensor.shape), "data_offsets": [at, at + 4 * tensor.size]}  # pyright: ignore[reportArgumentType]
        at += 4 * tensor.size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with path.open("wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for tensor in weights.values():
            file.write(np.ascontiguousarray(tensor, "<f4").tobytes())
