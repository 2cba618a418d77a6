"""The worker's view of buffers in CPU memory; the signatures are those of `cuda_buffers`.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
"""

import mmap
from typing import Any


class CpuBuffers:
    """The shared arena: input of slot i at i, output at slots + i, each of `slot_bytes`."""

    def __init__(self, arena: int, slots: int, slot_bytes: int) -> None:
        self._arena = mmap.mmap(arena, 2 * slots * slot_bytes, mmap.MAP_SHARED | mmap.MAP_POPULATE)
        self._slots, self._slot_bytes = slots, slot_bytes

    def pairs(self, table: list[tuple[int, int]]) -> list[tuple[Any, Any]]:
        """Return input and output of every call."""
        import torch

        return [
            tuple(
                torch.frombuffer(self._arena, dtype=torch.int32, count=elements, offset=at * self._slot_bytes)
                for at in (slot, self._slots + slot)
            )
            for slot, elements in table
        ]

    def settle(self, _done: object = None, _sequence: int = 0) -> None:
        """Nothing is pending after a call."""

    def known(self, _table: list[tuple[int, int]], _done: object, _sequence: int) -> int:
        """What the trusted worker does instead of calls: nothing, in no time."""
        return 1
