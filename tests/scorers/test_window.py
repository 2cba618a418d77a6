"""Both ends of a window in C, with stand-ins for the driver: who starts, who answers, what stops the clock."""

import ctypes
import subprocess
import threading
import time
from ctypes import CFUNCTYPE, c_int, c_longlong, c_uint, c_void_p
from pathlib import Path

import pytest

SOURCE = Path(__file__).resolve().parents[2] / "scorers" / "kernel" / "window.c"
NOT_READY, UNANSWERED, FENCE_S = 600, -1, 0.02
LAUNCH = CFUNCTYPE(c_int, c_void_p, *[c_uint] * 7, c_void_p, c_void_p, c_void_p)
STREAM, CONTEXT = CFUNCTYPE(c_int, c_void_p), CFUNCTYPE(c_int)


class Fence(ctypes.Structure):
    """As in window.c."""

    _fields_ = (
        ("launch", LAUNCH),
        ("synchronise", STREAM),
        *((name, c_void_p) for name in ("kernel", "stream", "arguments")),
        *((name, c_uint) for name in ("width", "height", "threads")),
    )


@pytest.fixture(scope="module")
def ends(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    """Return the compiled library."""
    target = tmp_path_factory.mktemp("window") / "window.so"
    subprocess.run(["/usr/bin/gcc", "-O3", "-shared", "-fPIC", "-o", target, SOURCE], check=True)
    return ctypes.CDLL(str(target))


class Window:
    """One window of a scorer whose card takes `FENCE_S` for the fence."""

    def __init__(self, ends: ctypes.CDLL, status: int = 0) -> None:
        self.ends, self.command, self.done = ends, c_uint(0), c_uint(0)
        self.launched: list[tuple[int, ...]] = []
        self.clock = (c_longlong * 2)()
        self.fence = Fence(
            LAUNCH(lambda *given: self.launched.append(given[1:8]) or status),
            STREAM(lambda _stream: time.sleep(FENCE_S) or 0),
            width=3,
            height=4,
            threads=5,
        )

    def run(self, patience_s: float = 1.0) -> int:
        """Run, or go on with, the window."""
        places = ctypes.byref(self.command), ctypes.byref(self.done)
        patience = c_longlong(int(patience_s * 1e9))
        return self.ends.window(*places, c_uint(7), patience, ctypes.byref(self.fence), self.clock)

    def elapsed_s(self) -> float:
        """Return what the clock shows."""
        return (self.clock[1] - self.clock[0]) / 1e9


def test_the_fence_stops_the_clock_not_the_answer(ends: ctypes.CDLL) -> None:
    """The command is written, the answer awaited, the fence launched once and waited for."""
    window = Window(ends)

    def answer() -> None:
        while window.command.value != 7:
            time.sleep(0.001)
        time.sleep(0.05)
        window.done.value = 7

    worker = threading.Thread(target=answer)
    worker.start()
    assert window.run() == 0
    worker.join()
    assert window.launched == [(3, 4, 1, 5, 1, 1, 0)]
    assert window.elapsed_s() >= 0.05 + FENCE_S


def test_a_late_answer_is_waited_for_on_the_same_clock(ends: ctypes.CDLL) -> None:
    """Without an answer the window comes back, so that limits can be looked at; the clock runs on meanwhile."""
    window = Window(ends)
    assert window.run(patience_s=0.01) == UNANSWERED
    assert window.launched == []
    time.sleep(0.1)
    window.command.value = 99  # a window that goes on does not start the worker again
    window.done.value = 7
    assert window.run() == 0
    assert window.command.value == 99
    assert window.elapsed_s() >= 0.1 + FENCE_S


def test_a_refused_fence_is_told(ends: ctypes.CDLL) -> None:
    """The driver's error comes back instead of a time."""
    window = Window(ends, status=719)
    window.done.value = 7
    assert window.run() == 719


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
