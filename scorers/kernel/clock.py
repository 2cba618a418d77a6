"""The clock of a window on the GPU: from the last look at an idle card to the scorer's own fence. See window.c.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: what the interpreter would add to a window; work that starts between the patches and the clock. Not covered:
whether the worker's work is done; the fence's samples say. Trusts: the driver.
"""

import ctypes
from ctypes import POINTER, c_longlong, c_uint, c_void_p
from typing import Any, NamedTuple

from compiled import library
from driver import Launch
from outcome import MachineTrouble
from worker import w

_DONE, _UNANSWERED, _BUSY, _PATIENCE_NS = 0, -1, -2, 250_000_000


class _Driver(ctypes.Structure):
    _fields_ = (("launch", c_void_p), ("synchronise", c_void_p), ("stream", c_void_p))


class _Step(ctypes.Structure):
    _fields_ = (
        ("kernel", c_void_p),
        ("arguments", POINTER(c_void_p)),
        ("width", c_uint),
        ("height", c_uint),
        ("threads", c_uint),
    )


class Steps(NamedTuple):
    """What the scorer launches around a window: last changes of the inputs, nothing at all, the fence."""

    patch: Launch
    look: Launch
    fence: Launch


class Clock:
    """Times windows, one after the other.

    Args:
        stream: The driver's handle of the scorer's stream.
        quiet_limit_s: A patch or look that takes longer found the card busy.
    """

    def __init__(self, stream: int, quiet_limit_s: float) -> None:
        self._library, cuda = library("window", "shim"), ctypes.CDLL("libcuda.so.1")
        functions = (ctypes.cast(getattr(cuda, name), c_void_p) for name in ("cuLaunchKernel", "cuStreamSynchronize"))
        self._driver = _Driver(*functions, stream)
        self._limit = c_longlong(int(quiet_limit_s * 1e9))

    def ready(self, steps: Steps, quiet_s: float) -> None:
        """Get ready for a window; the card must be idle for `quiet_s` between the patches and the clock."""
        self._times, self._quiet = (c_longlong * 3)(), c_longlong(int(quiet_s * 1e9))
        self._kept: Any = steps
        self._patch, self._look, self._fence = map(_step, steps)

    def start(self, words: w.Words, sequence: int) -> bool:
        """Patch, look, start the clock and the worker; return False where the card was not idle.

        Raises:
            MachineTrouble: The driver failed.
        """
        steps = ctypes.byref(self._driver), ctypes.byref(self._patch), ctypes.byref(self._look)
        command = words.address(w.COMMAND)
        limits = self._quiet, self._limit
        status = self._library.start(command, c_uint(sequence), *steps, *limits, self._times)
        return self._is_done(status, _BUSY)

    def has_ended(self, words: w.Words, sequence: int) -> bool:
        """Wait a while for the answer, then for the fence; return whether both came.

        Raises:
            MachineTrouble: The driver failed.
        """
        steps = ctypes.byref(self._driver), ctypes.byref(self._fence)
        patience = c_longlong(_PATIENCE_NS)
        status = self._library.finish(words.address(w.DONE), c_uint(sequence), *steps, patience, self._times)
        return self._is_done(status, _UNANSWERED)

    @staticmethod
    def _is_done(status: int, expected: int) -> bool:
        if status not in (_DONE, expected):
            raise MachineTrouble(f"the GPU driver answered {status} around a window")
        return status == _DONE

    @property
    def elapsed_s(self) -> float:
        """Length of the window that has ended."""
        return (self._times[1] - self._times[0]) / 1e9

    @property
    def patch_s(self) -> float:
        """What the patches took."""
        return self._times[2] / 1e9


def _step(launch: Launch) -> _Step:
    arguments = (c_void_p * max(1, len(launch.arguments)))(*map(ctypes.addressof, launch.arguments))
    return _Step(launch.kernel, ctypes.cast(arguments, POINTER(c_void_p)), *launch.grid, launch.threads)
