"""From unpacked packages to one clean, deduplicated text; paragraphs end with an empty line, documents with two."""

import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from recipes import paragraphs

_LANGUAGE = re.compile(
    r"/(de|fr|es|it|ja|ru|pt|pt[-_]BR|zh[-_]\w+|zh|ko|nl|pl|cs|da|sv|fi|hu|ro|ca|uk|vi|id|el|tr|nb|nn|no|"
    r"ar|fa|hr|sl|lt|sk|bg|sr|gl|eu|he|hi|te|it_IT|sp_SP|ko_KR|ja_JP)(/|\.html)"
)

Document = list[str]
"""Paragraphs in reading order."""


def digest(paragraph: str) -> bytes:
    """Return the hash by which paragraphs are compared and split, 8 bytes."""
    return hashlib.blake2b(paragraph.encode("utf-8", "replace"), digest_size=8).digest()


def package_documents(folder: Path) -> Iterator[Document]:
    """Yield the documents of an unpacked package that have prose, without paragraphs that it repeats."""
    seen: set[bytes] = set()
    for document in _described(folder) if _is_api(folder) else _files(folder):
        kept: Document = []
        for text in filter(paragraphs.is_prose, document):
            key = digest(text)
            if key not in seen:
                seen.add(key)
                kept.append(text)
        if kept:
            yield kept


def without_repeats(documents: Iterable[Document], seen: set[bytes]) -> Iterator[Document]:
    """Yield documents without the paragraphs in `seen`, which grows by what is yielded."""
    for document in documents:
        kept: Document = []
        for text in document:
            key = digest(text)
            if key not in seen:
                seen.add(key)
                kept.append(text)
        if kept:
            yield kept


def rendered(document: Document) -> bytes:
    """Return a document as it stands in the text file."""
    return ("\n\n".join(document) + "\n\n\n").encode("utf-8", "replace")


def parsed(text: str) -> Iterator[Document]:
    """Yield the documents of a text file; the inverse of `rendered`."""
    for document in text.split("\n\n\n"):
        kept = [part.strip("\n") for part in document.split("\n\n") if part.strip()]
        if kept:
            yield kept


def _is_api(folder: Path) -> bool:
    return folder.name in ("botocore", "google_api_python_client")


def _walk(folder: Path) -> Iterator[Path]:
    """Yield the regular files below a folder, sorted within each folder, a folder's own files first."""
    entries = sorted(folder.iterdir(), key=lambda path: path.name)
    yield from (path for path in entries if path.is_file() and not path.is_symlink())
    for path in entries:
        if path.is_dir() and not path.is_symlink():
            yield from _walk(path)


def _files(folder: Path) -> Iterator[Document]:
    modules: set[Path] = set()
    for path in _walk(folder):
        if _LANGUAGE.search(f"/{path.relative_to(folder)}".replace("/usr/share/", "/")):
            continue
        if re.search(r"\.[bc]zs$", path.name):
            if path.parent not in modules:
                modules.add(path.parent)
                yield paragraphs.from_sword(path.parent)
            continue
        try:
            yield paragraphs.from_file(path)
        except (OSError, EOFError, zlib.error):
            continue


def _described(folder: Path) -> Iterator[Document]:
    """Yield the descriptions in API models: botocore's services, Google's discovery documents."""
    for path in _walk(folder):
        if path.name == "service-2.json.gz":
            texts = _strings(json.loads(gzip.decompress(path.read_bytes())), "documentation")
            yield [part for text in texts for part in paragraphs.from_markup(text)]
        elif "/discovery_cache/documents/" in str(path) and path.suffix == ".json":
            texts = _strings(json.loads(path.read_text(encoding="utf-8")), "description")
            yield [part for text in texts for part in paragraphs.from_text(text)]


def _strings(tree: Any, key: str) -> Iterator[str]:  # noqa: ANN401 - any JSON
    """Yield the strings under `key` anywhere in a JSON tree."""
    stack = [tree]
    while stack:
        item = stack.pop()
        if isinstance(item, list):
            stack.extend(reversed(item))
        elif isinstance(item, dict):
            for name in sorted(item, reverse=True):
                value = item[name]
                if name == key and isinstance(value, str):
                    yield value
                elif isinstance(value, dict | list):
                    stack.append(value)
