"""English-like text from a small grammar: what the private `test` scale learns. The same on every machine."""

import random
from collections.abc import Iterator

from recipes.collect import Document

_SUBJECTS = ["the farmer", "a young teacher", "the old sailor", "our neighbour", "the quiet doctor", "every student"]
_VERBS = ["carries", "finds", "remembers", "repairs", "describes", "returns", "paints", "studies"]
_OBJECTS = ["a wooden boat", "the broken clock", "an early letter", "the long report", "a silver coin", "the map"]
_PLACES = ["near the river", "in the village", "at the harbour", "under the bridge", "behind the school", "on the hill"]
_TIMES = ["before the winter", "after the storm", "in the morning", "when the market is open", "for a whole year"]


def _sentence(source: random.Random) -> str:
    subject = source.choice(_SUBJECTS)
    # The verb follows from the subject most of the time, so that there is something to learn beyond frequencies.
    verb = _VERBS[_SUBJECTS.index(subject)] if source.random() < 0.7 else source.choice(_VERBS)
    tail = f"{source.choice(_OBJECTS)} {source.choice(_PLACES)} {source.choice(_TIMES)}"
    return f"{subject} {verb} {tail}.".capitalize()


def documents(count: int, seed: int = 5) -> Iterator[Document]:
    """Yield documents of a dozen paragraphs, `count` sentences altogether."""
    source = random.Random(seed)  # noqa: S311 - text, not a secret
    for _ in range(max(1, count // 48)):
        yield [" ".join(_sentence(source) for _ in range(4)) for _ in range(12)]
