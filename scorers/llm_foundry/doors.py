"""What a submitted program may do: as in `isolation`, but with sockets, which real training programs need.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: identity, limits, no new privileges, no look into other processes, writes confined to its own folders; process
groups, data loaders and fork servers work. Not covered: what sockets reach; the sandbox has no network and the agent's
processes are halted. Trusts: the kernel.
"""

import ctypes
import os
import platform
import resource
from collections.abc import Callable

import isolation
import seccomp

_SOCKETS = frozenset({"socket", "bind", "listen", "connect", "accept", "accept4"})
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2


class _Program(ctypes.Structure):
    _fields_ = (("lines", ctypes.c_ushort), ("filter", ctypes.c_void_p))


def entry(
    uid: int | None, limits: isolation.Limits, readable: list[str], writable: list[str], shared: list[str] | None = None
) -> Callable[[], None]:
    """Return the function that a child runs before exec; arguments as in `isolation.entry`."""
    kept = [rule for rule in seccomp.rules(unix_sockets=True) if rule.call not in _SOCKETS]
    text = seccomp.program(kept, platform.machine()) if seccomp.supported() else b""
    memory = ctypes.create_string_buffer(text)
    filtered = _Program(len(text) // 8, ctypes.addressof(memory))
    libc = ctypes.CDLL(None, use_errno=True)

    def enter(_memory: object = memory) -> None:  # the filter's memory lives as long as this function
        with open("/proc/self/oom_score_adj", "w", encoding="utf-8") as file:
            file.write("1000")
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_bytes, limits.file_bytes))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if uid is not None:
            resource.setrlimit(resource.RLIMIT_NPROC, (limits.processes, limits.processes))
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        isolation._confine_files(readable, writable, shared or [])  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
        if text and libc.prctl(_SECCOMP, _FILTER, ctypes.byref(filtered), 0, 0):
            raise OSError(ctypes.get_errno(), "seccomp")

    return enter
