"""The clock of a window on the GPU: from the word that starts the worker to the scorer's own fence. See window.c.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: what the interpreter would add to a window. Not covered: whether the worker's work is done; the fence's samples
say. Trusts: the driver.
"""

import ctypes
from ctypes import POINTER, c_longlong, c_uint, c_void_p
from typing import Any

from compiled import library
from driver import Launch
from outcome import MachineTrouble
from worker import w

_UNANSWERED, _PATIENCE_NS = -1, 250_000_000


class _Fence(ctypes.Structure):
    _fields_ = (
        ("launch", c_void_p),
        ("synchronise", c_void_p),
        ("kernel", c_void_p),
        ("stream", c_void_p),
        ("arguments", POINTER(c_void_p)),
        ("width", c_uint),
        ("height", c_uint),
        ("threads", c_uint),
    )


class Clock:
    """Times windows, one after the other."""

    def __init__(self) -> None:
        self._window, cuda = library("window", "shim").window, ctypes.CDLL("libcuda.so.1")
        names = "cuLaunchKernel", "cuStreamSynchronize"
        self._functions = [ctypes.cast(getattr(cuda, name), c_void_p) for name in names]

    def ready(self, fence: Launch) -> None:
        """Get ready for a window that ends with this launch."""
        self._times = (c_longlong * 2)()
        parameters = (c_void_p * len(fence.arguments))(*(ctypes.addressof(value) for value in fence.arguments))
        self._kept: Any = fence, parameters
        place = ctypes.cast(parameters, POINTER(c_void_p))
        self._fence = _Fence(*self._functions, fence.kernel, fence.stream, place, *fence.grid, fence.threads)

    def run(self, words: w.Words, sequence: int) -> bool:
        """Start the window, or wait on; return whether it has ended.

        Raises:
            MachineTrouble: The driver refused the fence.
        """
        places = words.address(w.COMMAND), words.address(w.DONE)
        wait = c_longlong(_PATIENCE_NS)
        status = self._window(*places, c_uint(sequence), wait, ctypes.byref(self._fence), self._times)
        if status not in (0, _UNANSWERED):
            raise MachineTrouble(f"the GPU driver answered {status} at the fence")
        return status == 0

    @property
    def elapsed_s(self) -> float:
        """Length of the window that has ended."""
        return (self._times[1] - self._times[0]) / 1e9
