"""Both ends of a window in C, with stand-ins for the driver: who starts, who answers, what stops the clock."""

import ctypes
import subprocess
import threading
import time
from ctypes import CFUNCTYPE, c_int, c_longlong, c_uint, c_void_p
from pathlib import Path
from typing import Any

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "scorers" / "kernel" / "window.c"
NOT_READY, UNANSWERED, BUSY = 600, -1, -2
PATCH, LOOK, FENCE = 1, 2, 3
LAUNCH = CFUNCTYPE(c_int, c_void_p, *[c_uint] * 7, c_void_p, c_void_p, c_void_p)
STREAM, CONTEXT = CFUNCTYPE(c_int, c_void_p), CFUNCTYPE(c_int)


class Driver(ctypes.Structure):
    """As in window.c."""

    _fields_ = (("launch", LAUNCH), ("synchronise", STREAM), ("stream", c_void_p))


class Step(ctypes.Structure):
    """As in window.c; `kernel` tells which."""

    _fields_ = (
        ("kernel", c_void_p),
        ("arguments", c_void_p),
        ("width", c_uint),
        ("height", c_uint),
        ("threads", c_uint),
    )


@pytest.fixture(scope="module")
def ends(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """Return the compiled library."""
    target = tmp_path_factory.mktemp("window") / "window.so"
    subprocess.run(["/usr/bin/gcc", "-O3", "-shared", "-fPIC", "-o", target, SOURCE], check=True)
    return ctypes.CDLL(str(target))


class Window:
    """One window of a scorer whose card takes the given seconds for each kernel."""

    def __init__(self, ends: ctypes.CDLL, seconds: dict[int, float] | None = None, status: int = 0) -> None:
        self.ends, self.command, self.done = ends, c_uint(0), c_uint(0)
        self.seconds, self.status = {FENCE: 0.02, **(seconds or {})}, status
        self.launched: list[tuple[int, ...]] = []
        self.clock = (c_longlong * 3)()
        self.driver = Driver(LAUNCH(self._launch), STREAM(self._synchronise))

    def _launch(self, *given: int) -> int:
        self.launched.append((given[0], *given[1:8]))
        return self.status

    def _synchronise(self, _stream: int) -> int:
        time.sleep(self.seconds.get(self.launched[-1][0], 0.0))
        return 0

    def _steps(self, *kernels: int) -> list[Any]:
        return [ctypes.byref(self.driver), *(ctypes.byref(Step(kernel, None, 3, 4, 5)) for kernel in kernels)]

    def start(self, quiet_s: float = 0.01, limit_s: float = 0.01) -> int:
        """Patch, look, start."""
        limits = c_longlong(int(quiet_s * 1e9)), c_longlong(int(limit_s * 1e9))
        return self.ends.start(ctypes.byref(self.command), c_uint(7), *self._steps(PATCH, LOOK), *limits, self.clock)

    def finish(self, patience_s: float = 1.0) -> int:
        """Wait for the answer and for the fence."""
        patience = c_longlong(int(patience_s * 1e9))
        return self.ends.finish(ctypes.byref(self.done), c_uint(7), *self._steps(FENCE), patience, self.clock)

    def elapsed_s(self) -> float:
        """Return what the clock shows."""
        return (self.clock[1] - self.clock[0]) / 1e9


def test_patches_come_first_and_looks_until_the_clock_starts(ends: ctypes.CDLL) -> None:
    """The worker is started after the patches and after looking for as long as was asked."""
    window, before = Window(ends), time.monotonic_ns()
    assert window.start(quiet_s=0.01) == 0
    kernels = [kernel for kernel, *_ in window.launched]
    assert kernels[0] == PATCH
    assert len(kernels) > 5
    assert set(kernels[1:]) == {LOOK}
    assert window.launched[0] == (PATCH, 3, 4, 1, 5, 1, 1, 0)
    assert window.command.value == 7
    assert window.clock[0] - before >= 0.01e9


@pytest.mark.parametrize("slow", [PATCH, LOOK])
def test_a_card_that_is_not_idle_does_not_start_the_clock(ends: ctypes.CDLL, slow: int) -> None:
    """Work that began on seeing the patches makes them, or a look after them, slow."""
    window = Window(ends, {slow: 0.05})
    assert window.start() == BUSY
    assert window.command.value == 0


def test_the_scorers_own_pause_is_seen(ends: ctypes.CDLL) -> None:
    """A look is timed from the end of the one before: time in which the scorer's thread did not run counts."""
    window = Window(ends)
    whole, paused = window.driver.launch, []

    def launch(*given: int) -> int:
        if given[0] == LOOK and not paused:
            paused.append(time.sleep(0.03))
        return whole(*given)

    window.driver = Driver(LAUNCH(launch), window.driver.synchronise)
    assert window.start() == BUSY


def test_the_fence_stops_the_clock_not_the_answer(ends: ctypes.CDLL) -> None:
    """The answer is awaited, then the fence launched once and waited for."""
    window = Window(ends)

    def answer() -> None:
        while window.command.value != 7:
            time.sleep(0.001)
        time.sleep(0.05)
        window.done.value = 7

    worker = threading.Thread(target=answer)
    worker.start()
    assert window.start() == 0
    looks = len(window.launched)
    assert window.finish() == 0
    worker.join()
    assert window.launched[looks:] == [(FENCE, 3, 4, 1, 5, 1, 1, 0)]
    assert window.elapsed_s() >= 0.05 + 0.02


def test_a_late_answer_is_waited_for_on_the_same_clock(ends: ctypes.CDLL) -> None:
    """Without an answer the wait ends, so that limits can be looked at; the clock runs on meanwhile."""
    window = Window(ends)
    assert window.start() == 0
    looks = len(window.launched)
    assert window.finish(patience_s=0.01) == UNANSWERED
    assert len(window.launched) == looks
    time.sleep(0.1)
    window.done.value = 7
    assert window.finish() == 0
    assert window.elapsed_s() >= 0.1 + 0.02


def test_a_refused_launch_is_told(ends: ctypes.CDLL) -> None:
    """The driver's error comes back instead of a time."""
    window = Window(ends, status=719)
    window.done.value = 7
    assert window.start() == 719
    assert window.command.value == 0
    assert window.finish() == 719


@pytest.mark.parametrize("status", [0, 700])
def test_the_worker_answers_after_the_last_stream(ends: ctypes.CDLL, status: int) -> None:
    """Not while the current stream works, not before the others are waited for, and not after an error."""
    done, seen, left = c_uint(0), [], [3]

    def query(_stream: int) -> int:
        left[0] -= 1
        return NOT_READY if left[0] else 0

    def synchronise() -> int:
        seen.append((left[0], done.value))
        return status

    assert ends.settle(STREAM(query), CONTEXT(synchronise), ctypes.byref(done), c_uint(9)) == status
    assert seen == [(0, 0)]
    assert done.value == (0 if status else 9)
    left[0] = 1
    assert ends.settle(STREAM(query), CONTEXT(synchronise), None, c_uint(9)) == status
