"""The GPU as a device of the window protocol: memory shared with the worker, the scorer's own fence as the clock.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: answers before the work is done (the fence samples every output as the clock stops, and all are compared twice
behind it); work before the clock starts (inputs are patched last, at a random moment, on a card that is seen to be
idle). Not covered: a driver that lies. Trusts: the driver, the kernels beside this file, the host's clock.
"""

import os
import statistics
import time
from pathlib import Path
from random import SystemRandom
from typing import Any

import card
import cores
from clock import Clock
from driver import Gpu
from job import FOLDER, Job
from outcome import Invalid, MachineTrouble
from slots import Slots, slot_bytes
from snapshot import Snapshot
from windows import Calls
from worker import Command, Worker

_FEWEST_SLOTS, _KEPT_SHARE, _KEPT_BYTES, _LEAST_BYTES = 2, 0.25, 6 << 30, 3 << 30
_TRIES, _PROBES, _UNKNOWN_CARD = 8, 15, 1.15
_QUIET_S = 120e-6
"""An empty kernel, or the patches, take some 20 us on an idle card; a switch from another process's work, over 100."""
_REHEARSED_S, _PATCHED_S = (0.1e-3, 0.5e-3), (0.1e-3, 0.3e-3)
"""How long the card must stay idle after the rehearsal, and after the patches: drawn anew for every window."""


class Cuda:
    """The visible GPU."""

    calibrations = 11

    def __init__(self, job: Job, snapshot: Snapshot | None, elements: int, slots: int) -> None:
        # A control daemon of the agent's, at its usual place, would put all processes into one of its own.
        os.environ |= {"CUDA_MPS_PIPE_DIRECTORY": str(FOLDER / "trusted"), "CUDA_MODULE_LOADING": "EAGER"}
        self._job, self.snapshot, self._elements, self._random = job, snapshot, elements, SystemRandom()
        self.gpu = Gpu(Path(__file__).with_name("prefix_sum.cu"))
        self._monitor = card.Monitor(self.gpu.uuid())
        self.slots = _affordable(self.gpu.memory()[1], slot_bytes(elements), slots)
        self._check_memory((3 * self.slots + 1) * slot_bytes(elements))
        self.buffers = Slots(self.gpu, elements, self.slots)
        self._clock = Clock(self.gpu.stream, _QUIET_S)
        self._others = cores.keep_one(self._random)
        self._worker: Worker | None = None
        self.retries = 0
        self.prepare_s: list[float] = []
        self.patch_s: list[float] = []

    def worker(self, submitted: bool) -> Worker:
        """Start a worker on the arena."""
        arguments = ["cuda", str(self.slots), str(self.buffers.slot_bytes)]
        snapshot = self.snapshot if submitted else None
        self._worker = Worker(self._job, snapshot, [self.buffers.arena.descriptor], arguments, self._others)
        return self._worker

    def rehearse(self, calls: Calls) -> None:
        """Bring the card into the state in which a window finds it."""
        self.prepare(calls)

    def prepare(self, calls: Calls) -> None:
        """Write fresh inputs, compute the expected outputs privately, poison the outputs, on a card that is idle."""
        if not self._is_quiet():
            raise self._busy()
        start = time.perf_counter()
        self.gpu.reset_persisting_cache()
        self.buffers.prepare(calls)
        self.prepare_s.append(time.perf_counter() - start)

    def window_s(self, worker: Worker, calls: Calls, timeout_s: float) -> float:
        """Arm the worker, patch its inputs at a moment that it cannot foresee, let it make the calls.

        Returns:
            The seconds from the end of the last look at an idle card to the fence after its answer.
        """
        for _ in range(_TRIES):
            worker.arm(Command(list(enumerate(calls.elements)), timeout_s))
            self.buffers.rehearse(calls)
            self._clock.ready(self.buffers.steps(calls), self._random.uniform(*_PATCHED_S))
            quiet = self._stays_quiet(self._random.uniform(*_REHEARSED_S))
            if quiet and worker.run_armed(self._clock.start, self._clock.has_ended, timeout_s):
                self.patch_s.append(self._clock.patch_s)
                self.buffers.compare(calls)
                worker.halt()
                return self._clock.elapsed_s
            self.retries += 1
            worker.halt()
            self.prepare(calls)
        raise self._busy()

    def _stays_quiet(self, seconds: float) -> bool:
        """Launch empty kernels for so long; say whether each found the card idle."""
        until, slowest = time.perf_counter() + seconds, 0.0
        while (start := time.perf_counter()) < until:
            self.gpu.launch("nothing", (1, 1), 1)
            self.gpu.finish()
            slowest = max(slowest, time.perf_counter() - start)
        return slowest < _QUIET_S

    def idle_answer_s(self, probes: int = _PROBES) -> float:
        """Time an empty kernel, several times: any other work on the card makes each of them wait."""
        times: list[float] = []
        for _ in range(probes):
            start = time.perf_counter()
            self.gpu.launch("nothing", (1, 1), 1)
            self.gpu.finish()
            times.append(time.perf_counter() - start)
        return statistics.median(times)

    def _is_quiet(self) -> bool:
        for _ in range(_TRIES):
            if self.idle_answer_s() < _QUIET_S:
                return True
            time.sleep(0.1)
        return False

    def _busy(self) -> Exception:
        """Find out whose fault it is that the card does not become idle: end the worker and look again."""
        worker = self._worker
        if worker is not None and worker.submitted and worker.processes.end() and self._is_quiet():
            return Invalid("gpu_busy", "Your solution keeps the GPU busy between its calls; it must not.")
        if card.is_held_by(self._job.agent_uid, self._job.work_python):
            return Invalid("gpu_busy", "Your own processes keep the GPU busy even while halted. End them, score again.")
        return MachineTrouble("the GPU is kept busy by others")

    def _check_memory(self, needed: int) -> None:
        """Find out whose fault it is that memory is missing; a window of fewer calls would not be the same measure."""
        free, _ = self.gpu.memory()
        if free >= needed + _LEAST_BYTES:
            return
        if card.is_held_by(self._job.agent_uid, self._job.work_python):
            raise Invalid("gpu_busy", "Your own processes hold the GPU's memory. End them, score again.")
        raise MachineTrouble(f"the GPU's memory is held by others: {free / 2**30:.1f} GiB are free")

    def first_error(self, calls: Calls) -> str | None:
        """Describe what is wrong: at the fence, in the comparison behind it, or in a second one later."""
        incomplete, behind = self.buffers.incomplete(), self.buffers.wrong(calls)
        self.buffers.compare(calls)
        for slot, (count, first) in enumerate(self.buffers.wrong(calls)):
            if count and behind[slot][0]:
                return self._describe(slot, calls.elements[slot], count, first)
            if count or behind[slot][0]:
                return "late_output: an output was still being written after your last call had returned."
        if incomplete:
            return "late_output: an output was not complete when your last call had returned."
        return None

    def _describe(self, slot: int, elements: int, count: int, first: int) -> str:
        places = self.buffers.output(slot), self.buffers.expected(slot)
        got, wanted = (self.buffers.element(place, first) for place in places)
        where = f"{count} of {elements} elements are wrong, the first at index {first}: {got} instead of {wanted}"
        if self.buffers.untouched(slot, elements) > 0.99 * elements:
            return f"not_written: {where}. Nothing was written into `out`; a returned value is ignored."
        return f"wrong_output: {where}."

    def copy_s(self, elements: int, repeats: int = 20) -> float:
        """Time of a copy of one input on the card."""
        times: list[float] = []
        for _ in range(3):
            start = time.perf_counter()
            for at in range(repeats):
                slot = at % self.slots
                self.gpu.copy(self.buffers.output(slot), self.buffers.input(slot), 4 * elements)
            self.gpu.finish()
            times.append((time.perf_counter() - start) / repeats)
        return min(times)

    def floor_s(self, copy_s: float) -> float:
        """Return the time below which no call can be: every input read and every output written once, at peak."""
        peak = card.peak_gb_s(self.gpu.name())
        return copy_s / _UNKNOWN_CARD if peak is None else 8 * self._elements / (peak * 1e9)

    def flags(self) -> list[dict[str, str]]:
        """Remark on a card whose peak bandwidth is not in the table."""
        if card.peak_gb_s(self.gpu.name()) is not None:
            return []
        return [{"code": "unknown_card", "evidence": f"{self.gpu.name()}: floor from a measured copy"}]

    def measurements(self) -> dict[str, Any]:
        """What an operator may want to know of the card and of the scorer's own work."""
        return {
            "prepare_ms": [1e3 * seconds for seconds in self.prepare_s],
            "patch_us": [1e6 * seconds for seconds in self.patch_s],
            "calls": self.slots,
            "retries": self.retries,
            "scorer_gpu_memory_gib": self.buffers.memory_gib,
            **self._monitor.state(),
        }

    def describe(self) -> dict[str, Any]:
        """GPU of the fingerprint."""
        return {"gpu": self.gpu.name(), **self._monitor.identity()}


def _affordable(whole: int, size: int, slots: int) -> int:
    """Lower the number of slots until submitted code keeps a fair part of the card's memory."""
    room = whole - max(_KEPT_BYTES, int(_KEPT_SHARE * whole))
    affordable = min(slots, (room // size - 1) // 3)
    if affordable < _FEWEST_SLOTS:
        raise MachineTrouble(f"too little GPU memory: {whole / 2**30:.1f} GiB")
    return affordable
