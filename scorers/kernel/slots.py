"""The scorer's arithmetic on the GPU, slot by slot: fill, patch, expect, sample, compare. See prefix_sum.cu.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: expected outputs come from the seeds alone, never from memory that others can write. Not covered: when what is
done; see gpu.py. Trusts: the driver and the kernels.
"""

import os
import struct
from ctypes import c_int, c_longlong, c_ulonglong, c_void_p

from clock import Steps
from driver import Gpu, Launch, Memory
from windows import Calls

_PAGE = 2 << 20
_FULL_RANGE = 1
_TILE, _THREADS = 1 << 16, 256
_SAMPLES = 64
_SLOT = struct.Struct("=qQQq")


def secret() -> int:
    """Return 64 bits that nobody can foresee."""
    return int.from_bytes(os.urandom(8), "little")


class Slots:
    """Inputs and outputs that the worker shares, and the private memory beside them.

    The shared arena holds the input of slot i at i and its output at `count` + i, each of `slot_bytes`.
    """

    def __init__(self, gpu: Gpu, elements: int, count: int) -> None:
        self.gpu, self.count, self.slot_bytes = gpu, count, slot_bytes(elements)
        self.arena = gpu.allocate_shared(2 * count * self.slot_bytes)
        self._expected = gpu.allocate(count * self.slot_bytes)
        self._scratch = gpu.allocate(self.slot_bytes)
        self._tiles = gpu.allocate(12 * (-(-(elements + 1) // _TILE)))
        self._table, self._practice = (gpu.allocate(_SLOT.size * count) for _ in range(2))
        self._found, self._counter = gpu.allocate(16 * count), gpu.allocate(8)
        self._poison = [0] * count
        self._wide = 8 * gpu.multiprocessors, 1

    @property
    def memory_gib(self) -> float:
        """Memory of the card that the buffers take."""
        return sum(memory.size for memory in (self.arena, self._expected, self._scratch)) / 2**30

    def input(self, slot: int) -> c_void_p:
        """Return the address of an input."""
        return c_void_p(self.arena.address + slot * self.slot_bytes)

    def output(self, slot: int) -> c_void_p:
        """Return the address of an output."""
        return self.input(self.count + slot)

    def expected(self, slot: int) -> c_void_p:
        """Return the address of what an output must become."""
        return c_void_p(self._expected.address + slot * self.slot_bytes)

    def prepare(self, calls: Calls) -> None:
        """Poison outputs, fill inputs, compute what is expected once they are patched; wait for it."""
        seeds = [secret() for _ in calls.elements]
        rows = list(zip(calls.elements, calls.kinds, strict=True))
        for table in (self._table, self._practice):
            self.gpu.upload(table, b"".join(_SLOT.pack(n, secret(), secret(), kind) for n, kind in rows))
        for slot, (elements, kind) in enumerate(rows):
            self._poison[slot] = secret()
            self._fill(self.output(slot), elements, self._poison[slot], _FULL_RANGE)
            self._fill(self.input(slot), elements, seeds[slot], kind)
        for slot, (elements, kind) in enumerate(rows):
            self._expect(slot, elements, seeds[slot], kind)
        self.gpu.finish()

    def _fill(self, to: c_void_p, elements: int, seed: int, kind: int) -> None:
        self.gpu.launch("fill", self._wide, _THREADS, to, c_longlong(elements), c_ulonglong(seed), c_int(kind))

    def _expect(self, slot: int, elements: int, seed: int, kind: int) -> None:
        x, tiles = c_void_p(self._scratch.address), c_void_p(self._tiles.address)
        n, count = c_longlong(elements), -(-elements // _TILE)
        self._fill(x, elements, seed, kind)
        self.gpu.queue(self._patch(x, range(slot, slot + 1), self._table))
        self.gpu.launch("summarise", (count, 1), _THREADS, x, n, tiles)
        self.gpu.launch("chain", (1, 1), 1, tiles, c_int(count))
        self.gpu.launch("expect", (count, 1), _THREADS, x, self.expected(slot), n, tiles)

    def _patch(self, x: c_void_p, slots: range, table: Memory, rehearsal: bool = False) -> Launch:
        arguments = x, c_longlong(self.slot_bytes // 4), c_void_p(table.address), c_int(slots.start), c_int(rehearsal)
        return self.gpu.prepared("patch", (1, len(slots)), _THREADS, *arguments)

    def _look(self, calls: Calls, table: Memory) -> Launch:
        stride = c_longlong(self.slot_bytes // 4)
        pointers = c_void_p(table.address), c_void_p(self._counter.address)
        grid = 1, len(calls.elements)
        return self.gpu.prepared("sample", grid, _SAMPLES, self.output(0), self.expected(0), stride, *pointers)

    def steps(self, calls: Calls) -> Steps:
        """Return the overwriting of some hundred positions of every input, nothing, and the fence.

        The fence looks at an unforeseeable element in each of some dozen parts of every output.
        """
        patch = self._patch(self.input(0), range(len(calls.elements)), self._table)
        return Steps(patch, self.gpu.prepared("nothing", (1, 1), 1), self._look(calls, self._table))

    def rehearse(self, calls: Calls) -> None:
        """Run what comes just before and just after the timed calls once for nothing, at other places.

        Code, page tables and caches that were not used for a while are slow, and unevenly so; the places themselves
        must not lie in the card's cache, where a kernel could see which they are.
        """
        self.gpu.queue(self._patch(self.input(0), range(len(calls.elements)), self._practice, rehearsal=True))
        self.gpu.queue(self._look(calls, self._practice))
        self.gpu.clear(self._counter)
        self.gpu.finish()

    def incomplete(self) -> int:
        """Return how many of the elements at which the last fence looked did not hold their result."""
        return struct.unpack("=Q", self.gpu.download(self._counter.address, 8))[0]

    def compare(self, calls: Calls) -> None:
        """Queue a comparison of every element of every output."""
        self.gpu.clear(self._found)
        for slot, elements in enumerate(calls.elements):
            found = c_void_p(self._found.address + 16 * slot)
            arguments = self.output(slot), self.expected(slot), c_longlong(elements), found
            self.gpu.launch("compare", self._wide, _THREADS, *arguments)

    def wrong(self, calls: Calls) -> list[tuple[int, int]]:
        """Return (number of wrong elements, first of them) of every slot in the last comparison."""
        content = self.gpu.download(self._found.address, 16 * len(calls.elements))
        return [(count, elements - last) for (count, last), elements in self._rows(content, calls)]

    @staticmethod
    def _rows(content: bytes, calls: Calls) -> list[tuple[tuple[int, int], int]]:
        return list(zip(struct.iter_unpack("=QQ", content), calls.elements, strict=True))

    def untouched(self, slot: int, elements: int) -> int:
        """Count the elements of an output that still hold the poison."""
        self.gpu.clear(self._counter)
        arguments = self.output(slot), c_longlong(elements), c_ulonglong(self._poison[slot])
        self.gpu.launch("untouched", self._wide, _THREADS, *arguments, c_void_p(self._counter.address))
        return self.incomplete()

    def element(self, base: c_void_p, index: int) -> int:
        """Return one element."""
        return struct.unpack("=i", self.gpu.download((base.value or 0) + 4 * index, 4))[0]


def slot_bytes(elements: int) -> int:
    """Return the size of a slot for calls of up to one element more: whole pages of the card."""
    return -(-4 * (elements + 1) // _PAGE) * _PAGE
