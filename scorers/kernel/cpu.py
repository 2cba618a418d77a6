"""CPU buffers of the kernel environment: memory files shared with the worker, which is stopped while they are touched.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: the worker cannot see an input before its window nor write after its answer: it stands still then.
Not covered: other users of the memory bus. Trusts: the compiled arithmetic beside it.
"""

import ctypes
import mmap
import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from compiled import library
from job import Job
from snapshot import Snapshot
from windows import Calls
from worker import Command, Worker, sealed_memory

_HUGE_PAGE = 2 << 20
_FEWEST_COPIES = 5
_FLOOR_SHARE_OF_COPY = 0.5
"""A call that takes less than half the fastest measured copy of the same bytes did not read its input."""


def _compiled() -> ctypes.CDLL:
    loaded = library("prefix_sum", "trusted")
    pointer, count = ctypes.c_void_p, ctypes.c_int64
    loaded.fill.argtypes = [pointer, count, ctypes.c_uint64, ctypes.c_int]
    loaded.poison.argtypes = [pointer, count, ctypes.c_uint64]
    loaded.expect.argtypes = [pointer, pointer, count]
    loaded.wrong.argtypes = [pointer, pointer, count, pointer]
    loaded.wrong.restype = count
    loaded.untouched.argtypes = [pointer, count, ctypes.c_uint64]
    loaded.untouched.restype = count
    loaded.copy.argtypes = [pointer, pointer, count]
    return loaded


def _secret() -> int:
    return int.from_bytes(os.urandom(8), "little")


class Cpu:
    """The CPU as a device of the window protocol."""

    calibrations = 5

    def __init__(self, job: Job, snapshot: Snapshot, elements: int, slots: int) -> None:
        self.slots, self._job, self._snapshot = slots, job, snapshot
        self._code = _compiled()
        self._slot_bytes = -(-4 * (elements + 1) // _HUGE_PAGE) * _HUGE_PAGE
        size = 2 * slots * self._slot_bytes
        self._arena = sealed_memory("arena", size)
        self._shared = mmap.mmap(self._arena, size, mmap.MAP_SHARED)
        self._shared.madvise(mmap.MADV_HUGEPAGE)
        self._private = mmap.mmap(-1, size // 2, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
        self._private.madvise(mmap.MADV_HUGEPAGE)
        self._bases = [ctypes.addressof(ctypes.c_char.from_buffer(memory)) for memory in (self._shared, self._private)]
        self._poison = [0] * slots
        self._pool = ThreadPoolExecutor(len(os.sched_getaffinity(0)))

    def _input(self, slot: int) -> int:
        return self._bases[0] + slot * self._slot_bytes

    def _output(self, slot: int) -> int:
        return self._input(self.slots + slot)

    def _expected(self, slot: int) -> int:
        return self._bases[1] + slot * self._slot_bytes

    def rehearse(self, calls: Calls) -> None:
        """The state of the CPU does not depend on what the scorer did before."""

    def prepare(self, calls: Calls) -> None:
        """Fill, compute and poison every slot, a core a slot; the seeds of inputs exist in this function alone."""

        def one(slot: int) -> None:
            elements = calls.elements[slot]
            self._code.fill(self._input(slot), elements, _secret(), calls.kinds[slot])
            self._code.expect(self._input(slot), self._expected(slot), elements)
            self._poison[slot] = _secret()
            self._code.poison(self._output(slot), elements, self._poison[slot])

        list(self._pool.map(one, range(len(calls.elements))))

    def window_s(self, worker: Worker, calls: Calls, timeout_s: float) -> float:
        """Let the worker make the calls; its whole process tree stands still when this returns."""
        return worker.run(Command(list(enumerate(calls.elements)), timeout_s))

    def first_error(self, calls: Calls) -> str | None:
        """Compare every element of every output with the private expectation."""
        for slot, elements in enumerate(calls.elements):
            first = ctypes.c_int64()
            count = self._code.wrong(self._output(slot), self._expected(slot), elements, ctypes.byref(first))
            if count:
                return self._describe(slot, elements, count, first.value)
        return None

    def _describe(self, slot: int, elements: int, count: int, first: int) -> str:
        at = 4 * first
        got, wanted = (
            ctypes.c_int32.from_address(base + at).value for base in (self._output(slot), self._expected(slot))
        )
        where = f"{count} of {elements} elements are wrong, the first at index {first}: {got} instead of {wanted}"
        if self._code.untouched(self._output(slot), elements, self._poison[slot]) > 0.99 * elements:
            return f"not_written: {where}. Nothing was written into `out`; a returned value is ignored."
        return f"wrong_output: {where}."

    def copy_s(self, elements: int, for_s: float = 0.25) -> float:
        """Fastest copy of one input by all cores: what moving the bytes costs at least, about.

        Repeated for a while: noise that slows all copies would raise the floor above honest times.
        """
        workers = len(os.sched_getaffinity(0))
        share = elements // workers

        def part(at: int) -> None:
            self._code.copy(self._output(0) + 4 * at * share, self._input(0) + 4 * at * share, share)

        times: list[float] = []
        while len(times) < _FEWEST_COPIES or sum(times) < for_s:
            start = time.perf_counter()
            list(self._pool.map(part, range(workers)))
            times.append(time.perf_counter() - start)
        return min(times)

    def floor_s(self, copy_s: float) -> float:
        """Return the time below which no call can be, given the time of a copy."""
        return _FLOOR_SHARE_OF_COPY * copy_s

    def measurements(self) -> dict[str, Any]:
        """Nothing of the CPU's own."""
        return {}

    def flags(self) -> list[dict[str, str]]:
        """Nothing to remark on the CPU."""
        return []

    def describe(self) -> dict[str, Any]:
        """CPU of the fingerprint."""
        return describe()

    def worker(self, submitted: bool) -> Worker:
        """Start a worker on the arena."""
        return Worker(
            self._job,
            self._snapshot if submitted else None,
            [self._arena],
            ["cpu", str(self.slots), str(self._slot_bytes)],
        )


def describe() -> dict[str, str | int]:
    """CPU of the fingerprint."""
    text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    model = next(
        (line.split(":", 1)[1].strip() for line in text.splitlines() if line.startswith("model name")), "unknown"
    )
    return {"cpu": model, "cores": len(os.sched_getaffinity(0))}
