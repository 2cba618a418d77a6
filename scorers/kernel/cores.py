"""Keeps the clock's thread and the worker on different cores.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: a clock that is stopped late because its thread was moved, or shared a core with the worker: that is most of
the noise. Not covered: other programs on the machine. Trusts: the kernel.
"""

import os
from pathlib import Path
from random import Random

_FEWEST = 4


def keep_one(draw: Random) -> frozenset[int]:
    """Move the calling thread to a core of its own; return those for the worker, none where there are too few."""
    allowed = os.sched_getaffinity(0)
    core = draw.choice(sorted(allowed))
    others = frozenset(allowed - _siblings(core))
    if len(others) < _FEWEST:
        return frozenset()
    os.sched_setaffinity(0, {core})
    return others


def _siblings(core: int) -> set[int]:
    """The hardware threads of a core, itself included."""
    try:
        path = Path(f"/sys/devices/system/cpu/cpu{core}/topology/thread_siblings_list")
        parts = [part.partition("-") for part in path.read_text(encoding="utf-8").strip().split(",")]
        return {core}.union(*(range(int(first), int(last or first) + 1) for first, _, last in parts))
    except (OSError, ValueError):
        return {core}
