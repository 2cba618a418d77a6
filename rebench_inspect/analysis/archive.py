"""Inspect logs as plain data, without what an analysis never looks at: the events of a sample.

A sample is one JSON text of many megabytes, most of it events. It is cut around them, and each half is accepted only
if it is well-formed JSON by itself: a key inside a nested value leaves an open or a surplus bracket, so nothing that an
agent wrote into messages or files can pose as the store. A text that cannot be cut so is parsed whole.
"""

import json
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import zipfile_zstd  # noqa: F401  # pyright: ignore[reportMissingTypeStubs, reportUnusedImport]  # teaches zipfile Inspect's compression

from rebench_inspect.analysis.sources import file_system, is_local

Json = dict[str, Any]

_EVENTS = ',"events":['
_AFTER_EVENTS = ',"model_usage":{'
_TRIES = 8
"""So many times the key is looked for from the end before the whole text is parsed."""

_DROPPED = ("messages", "events", "events_data", "attachments", "timelines")


def part(fields: Json, name: str) -> Json:
    """Return the object called `name`, empty where it is absent or null."""
    return cast("Json", fields.get(name) or {})


def parts(fields: Json, name: str) -> list[Json]:
    """Return the list of objects called `name`, empty where it is absent or null."""
    return cast("list[Json]", fields.get(name) or [])


class LogError(ValueError):
    """A file cannot be read as an Inspect log; the message says why."""


class Member(NamedTuple):
    """One sample of a log: its name in the file, and its content or the reason why it cannot be read."""

    name: str
    sample: Json
    error: str = ""


class Log(NamedTuple):
    """A log: its header (status, eval, plan, stats) and its samples, read one at a time."""

    header: Json
    members: Iterator[Member]


def open_log(path: str) -> Log:
    """Open an Inspect log, `.eval` or `.json`, local or by URL; running and cancelled ones too.

    Raises:
        LogError: The file is no log, or is cut off.
    """
    try:
        return _open_zip(path) if path.endswith(".eval") else _open_json(path)
    except (OSError, ValueError, zipfile.BadZipFile, EOFError) as error:
        raise LogError(f"no readable Inspect log ({error})") from error


def parse_sample(text: str) -> Json:
    """Return a sample's fields without its events and messages.

    Args:
        text: JSON of one sample.

    Raises:
        ValueError: The text is no JSON object.
    """
    fields = _cut(text)
    if fields is None:
        fields = cast("Json", json.loads(text))
    return {name: value for name, value in fields.items() if name not in _DROPPED}


def _cut(text: str) -> Json | None:
    head_end = text.find(_EVENTS)
    if head_end < 0:
        return None
    head = _object(text[:head_end] + "}")
    if head is None:
        return None
    start = len(text)
    for _ in range(_TRIES):
        start = text.rfind(_AFTER_EVENTS, head_end, start)
        tail = _object("{" + text[start + 1 :]) if start >= 0 else None
        if tail is not None:
            fields = head | tail
            return fields if "uuid" in fields else None
    return None


def _object(text: str) -> Json | None:
    try:
        return cast("Json", json.loads(text))
    except ValueError:
        return None


def _open_zip(path: str) -> Log:
    if is_local(path):
        archive = zipfile.ZipFile(path)
    else:
        system, inner = file_system(path)
        archive = zipfile.ZipFile(system.open(inner, "rb"))
    names = dict.fromkeys(archive.namelist())
    if "header.json" in names:
        header = _load(archive, "header.json")
    elif "_journal/start.json" in names:
        header = {"status": "started", **_load(archive, "_journal/start.json")}
    else:
        archive.close()
        raise LogError("the archive holds no header of an Inspect log")
    samples = sorted((name for name in names if name.startswith("samples/")), key=_natural)
    return Log(header, _members(archive, samples))


def _natural(name: str) -> list[tuple[int, str]]:
    """Order names with numbers in them by the numbers: kernel-2 comes before kernel-10."""
    return [(int(piece), "") if piece.isdigit() else (-1, piece) for piece in re.split(r"(\d+)", name)]


def _load(archive: zipfile.ZipFile, name: str) -> Json:
    return cast("Json", json.loads(archive.read(name)))


def _members(archive: zipfile.ZipFile, names: list[str]) -> Iterator[Member]:
    with archive:
        for name in names:
            try:
                yield Member(name, parse_sample(archive.read(name).decode("utf-8")))
            except (ValueError, OSError, zipfile.BadZipFile, EOFError, zlib.error) as error:
                yield Member(name, {}, error=str(error))


def _open_json(path: str) -> Log:
    system, inner = file_system(path)
    content: Json = json.loads(system.cat_file(inner))
    if not isinstance(content.get("eval"), dict):
        raise LogError("the JSON holds no header of an Inspect log")
    samples = parts(content, "samples")
    header = {name: value for name, value in content.items() if name != "samples"}
    return Log(header, (Member(f"samples/{sample.get('id')}", sample) for sample in samples))
