"""The worker's view of buffers in CPU memory.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
"""

import mmap
from collections.abc import Iterator
from typing import Any


class CpuBuffers:
    """The shared arena: input of slot i at i, output at slots + i, each of `slot_bytes`."""

    def __init__(self, arena: int, slots: int, slot_bytes: int) -> None:
        self._arena = mmap.mmap(arena, 2 * slots * slot_bytes, mmap.MAP_SHARED | mmap.MAP_POPULATE)
        self._slots, self._slot_bytes = slots, slot_bytes

    def pairs(self, table: list[tuple[int, int]]) -> Iterator[tuple[Any, Any]]:
        """Return input and output of every call."""
        import torch

        for slot, elements in table:
            yield tuple(
                torch.frombuffer(self._arena, dtype=torch.int32, count=elements, offset=at * self._slot_bytes)
                for at in (slot, self._slots + slot)
            )

    def settle(self) -> None:
        """Nothing is pending after a call."""

    def idle(self, pause_s: float) -> None:
        """What the trusted worker does instead of calls."""
