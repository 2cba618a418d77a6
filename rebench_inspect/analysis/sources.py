"""Which log files lie behind what the user named: files, folders, nested folders, fsspec URLs."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, cast

import fsspec  # pyright: ignore[reportMissingTypeStubs]

from rebench_inspect.errors import UsageError

Logs = str | Path | Sequence[str | Path]
"""One file, folder or URL, or several."""

SKIPPED_FOLDER = "examples"
_JSON_LOG = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}[-:]\d{2}[-:]\d{2}.*\.json$")


def find_logs(logs: Logs) -> list[str]:
    """Return the log files behind `logs`, each once, in the order of their names.

    Folders are searched whole. A folder named `examples` inside them is skipped; named itself, it is read. In folders,
    `.json` files count when their names begin with a time as Inspect writes it; a file that is named is always taken.

    Args:
        logs: Files, folders or fsspec URLs.

    Returns:
        Paths of local files, URLs of others.

    Raises:
        UsageError: Something that was named does not exist.
    """
    named = [logs] if isinstance(logs, str | Path) else list(logs)
    return list(dict.fromkeys(path for root in named for path in _expand(str(root))))


def file_system(path: str) -> tuple[Any, str]:
    """Return the fsspec file system of `path` and the path inside it."""
    return cast("tuple[Any, str]", fsspec.url_to_fs(path))  # pyright: ignore[reportUnknownMemberType]


def is_local(path: str) -> bool:
    """Say whether `path` is a file of this machine rather than a URL."""
    return "://" not in path or path.startswith("file://")


def _expand(root: str) -> Iterable[str]:
    try:
        system, inner = file_system(root)
        if system.isfile(inner):
            return [inner if is_local(root) else root]
        found = [str(path) for path in system.find(inner)] if system.isdir(inner) else None
    except (OSError, ImportError, ValueError) as error:
        raise UsageError(f"{root}: {error}") from error
    if found is None:
        raise UsageError(f"{root}: no such file or folder; name a folder of Inspect logs, a log, or an fsspec URL")
    kept = sorted(path for path in found if _is_log(PurePosixPath(path).relative_to(PurePosixPath(inner))))
    return kept if is_local(root) else [str(system.unstrip_protocol(path)) for path in kept]


def _is_log(path: PurePosixPath) -> bool:
    if SKIPPED_FOLDER in path.parts[:-1]:
        return False
    return path.suffix == ".eval" or _JSON_LOG.match(path.name) is not None
