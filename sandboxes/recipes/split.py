"""The split into train, dev and held-out text, by paragraph hash and a secret draw (pure).

A block is a run of consecutive paragraphs of one document; the hash of its first paragraph decides its side by a rule
without a secret, so that train and dev are the same wherever the same packages are. What the rule sets aside as the
pool is given to nobody whole: a secret seed, fresh on every machine that makes assets, draws the held-out parts of it.
"""

import hashlib
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from recipes.collect import Document, digest

BLOCK_CHARACTERS = 2000
_DEV, _POOL = 0.01, 0.06


class Split(NamedTuple):
    """Documents of each side; `train` keeps the order of the text, the other sides are blocks."""

    train: list[Document]
    dev: list[Document]
    pool: list[Document]


class HeldOut(NamedTuple):
    """Two disjoint draws from the pool: `scoring` measures during an attempt, `verified` after it."""

    scoring: list[Document]
    verified: list[Document]


def blocks(document: Document, characters: int = BLOCK_CHARACTERS) -> Iterator[Document]:
    """Yield a document's blocks: consecutive paragraphs of at least `characters` together, the last one shorter."""
    block: Document = []
    for paragraph in document:
        block.append(paragraph)
        if sum(map(len, block)) >= characters:
            yield block
            block = []
    if block:
        yield block


def share(paragraph: str) -> float:
    """Return where a block that begins with `paragraph` lies in [0, 1), by its hash alone."""
    return int.from_bytes(digest(f"side of {paragraph}"), "big") / 2**64


def split(documents: Iterable[Document]) -> Split:
    """Return the sides of a text; a document is cut wherever a block of it goes elsewhere."""
    sides = Split([], [], [])
    for document in documents:
        kept: Document = []
        for block in blocks(document):
            place = share(block[0])
            if place >= _DEV + _POOL:
                kept += block
                continue
            sides.train.extend([kept] if kept else [])
            (sides.dev if place < _DEV else sides.pool).append(block)
            kept = []
        sides.train.extend([kept] if kept else [])
    return sides


def draw(pool: Iterable[Document], seed: bytes, *, characters: int) -> HeldOut:
    """Return the held-out parts of the pool that `seed` draws, each in an order that the seed decides.

    Args:
        pool: Blocks set aside by `split`.
        seed: The secret, 32 bytes.
        characters: Size of each part; a third of the pool at most, so that a third stays unused.
    """
    keyed = sorted(pool, key=lambda block: hashlib.blake2b(block[0].encode("utf-8", "replace"), key=seed).digest())
    size = min(characters, sum(len(text) for block in keyed for text in block) // 3)
    scoring, rest = _taken(keyed, size)
    return HeldOut(scoring, _taken(rest, size)[0])


def _taken(ordered: list[Document], characters: int) -> tuple[list[Document], list[Document]]:
    total = 0
    for count, block in enumerate(ordered):
        if total >= characters:
            return ordered[:count], ordered[count:]
        total += sum(map(len, block))
    return ordered, []
