"""The page of words that the scorer and its worker share: fixed-width integers, no strings, no objects.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

The scorer believes nothing that a worker writes here: a word only wakes it up, or words an error message.
"""

import ctypes
import mmap
import platform

PAGE_BYTES = 4096
COMMAND, DONE, STATUS, KNOWN_NS, CALLS, TABLE = 0, 16, 17, 18, 32, 33
"""Word indices. COMMAND and DONE lie on different cache lines; TABLE holds (slot, elements) per call; KNOWN_NS is the
trusted worker's own measure of its work, which the calibration subtracts from the window; 0 is none yet."""

OK, SYNTAX_ERROR, IMPORT_FAILED, NO_FUNCTION, WRONG_SIGNATURE, EXCEPTION, MEMORY, OUT_REPLACED = range(8)
"""Values of STATUS."""

IMPORT_CALLS = 0xFFFF
"""Value of CALLS that asks for the import instead of calls."""

ARM = 1 << 16
"""Bit of CALLS that asks the worker to get ready for these calls and then to spin on COMMAND."""

_LIBC = ctypes.CDLL(None, use_errno=True)
_FUTEX = {"x86_64": 202, "aarch64": 98}[platform.machine()]
_WAIT, _WAKE = 0, 1


class _Timespec(ctypes.Structure):
    _fields_ = (("seconds", ctypes.c_long), ("nanoseconds", ctypes.c_long))


class Words:
    """A shared page as an array of unsigned 32-bit words with futex wait and wake."""

    def __init__(self, descriptor: int) -> None:
        self._page = mmap.mmap(descriptor, PAGE_BYTES, mmap.MAP_SHARED)
        self._words = (ctypes.c_uint32 * (PAGE_BYTES // 4)).from_buffer(self._page)

    def __getitem__(self, index: int) -> int:
        return self._words[index]

    def __setitem__(self, index: int, value: int) -> None:
        self._words[index] = value

    def table(self) -> list[tuple[int, int]]:
        """Return (slot, elements) of the calls that are asked for."""
        count = self._words[CALLS] & (ARM - 1)
        return [(self._words[TABLE + 2 * at], self._words[TABLE + 2 * at + 1]) for at in range(count)]

    def wait(self, index: int, value: int, timeout_s: float) -> None:
        """Sleep while the word has this value, at most `timeout_s`; the caller looks again."""
        timeout = _Timespec(int(timeout_s), int(timeout_s % 1 * 1e9))
        _LIBC.syscall(_FUTEX, self.address(index), _WAIT, value, ctypes.byref(timeout), None, 0)

    def wake(self, index: int) -> None:
        """Wake whoever sleeps on the word."""
        _LIBC.syscall(_FUTEX, self.address(index), _WAKE, 1 << 30, None, None, 0)

    def address(self, index: int) -> ctypes.c_void_p:
        """Return where a word lies."""
        return ctypes.c_void_p(ctypes.addressof(self._words) + 4 * index)
