"""English-like text from a small grammar: what the private `test` scale learns. The same on every machine."""

import itertools
import random
from collections.abc import Iterator

from recipes.collect import Document

_SUBJECTS = ["the farmer", "a young teacher", "the old sailor", "our neighbour", "the quiet doctor", "every student"]
_VERBS = ["carries", "finds", "remembers", "repairs", "describes", "returns", "paints", "studies"]
_OBJECTS = ["a wooden boat", "the broken clock", "an early letter", "the long report", "a silver coin", "the map"]
_PLACES = ["near the river", "in the village", "at the harbour", "under the bridge", "behind the school", "on the hill"]
_TIMES = ["before the winter", "after the storm", "in the morning", "when the market is open", "for a whole year"]
_STARTS, _ENDS = ("bra", "cel", "dor", "fen", "gal", "hol", "jun", "kep", "lum", "mar"), ("a", "in", "os", "et", "ul")
_NAMES = ["".join(parts) for parts in itertools.product(_STARTS, _ENDS, _STARTS[:6])]
"""Made-up names, frequent and rare ones as words are: they keep the loss of a good model well above zero."""


def _name(source: random.Random) -> str:
    return _NAMES[min(int(len(_NAMES) ** source.random()) - 1, len(_NAMES) - 1)]


def _sentence(source: random.Random) -> str:
    subject = source.choice(_SUBJECTS)
    # The verb follows from the subject most of the time, so that there is something to learn beyond frequencies.
    verb = _VERBS[_SUBJECTS.index(subject)] if source.random() < 0.7 else source.choice(_VERBS)
    tail = f"{source.choice(_OBJECTS)} of {_name(source)} {source.choice(_PLACES)} {source.choice(_TIMES)}"
    others = " ".join([*source.choices(_NAMES, k=9), "and", _name(source)])
    return f"{subject} {_name(source)} {verb} {tail} with {others}.".capitalize()


def documents(count: int, seed: int = 5) -> Iterator[Document]:
    """Yield documents of a dozen paragraphs, `count` sentences altogether."""
    source = random.Random(seed)  # noqa: S311 - text, not a secret
    for _ in range(max(1, count // 48)):
        yield [" ".join(_sentence(source) for _ in range(4)) for _ in range(12)]
