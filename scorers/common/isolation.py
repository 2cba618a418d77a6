"""What submitted code may do, set in the child between fork and exec; none of it needs an added capability.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: identity, resource limits, no new privileges, no sockets, no look into other processes, writes confined to its
own folder (Landlock, where the kernel has it). Not covered: reading what every user may read. Trusts: the kernel.
"""

import ctypes
import os
import platform
import resource
import struct
from collections.abc import Callable
from typing import NamedTuple

_LIBC = ctypes.CDLL(None, use_errno=True)
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 38, 22, 2
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_READ, _ALL_OF_ABI_1 = 0b1101, (1 << 13) - 1  # execute, read file, read folder
_WRITE_FILE = 1 << 1

# Audit architecture, then the calls that are refused: sockets (no word with anyone outside), ptrace and its kin (no
# look into other processes), asynchronous I/O (it could write after the process was stopped), System V and message
# queues (they outlive the process), kernel attack surface.
_REFUSED = {
    "x86_64": (
        0xC000003E,
        [41, 42, 49, 50, 43, 288, 101, 310, 311, 425, 426, 427, 206, 209, 323, 321, 298, 438, 312, 250, 248, 249, 165,
         272, 308, 278, 29, 30, 64, 68, 240],
    ),
    "aarch64": (
        0xC00000B7,
        [198, 203, 200, 201, 202, 242, 117, 270, 271, 425, 426, 427, 0, 2, 282, 280, 241, 438, 272, 219, 217, 218, 40,
         97, 268, 75, 194, 196, 190, 186, 180],
    ),
}  # fmt: skip


class Limits(NamedTuple):
    """Resource limits of a worker."""

    file_bytes: int
    processes: int


def landlock_abi() -> int:
    """Version of the kernel's Landlock, 0 where there is none."""
    return max(_LIBC.syscall(_LANDLOCK_CREATE, None, 0, 1), 0)


def active(protected: bool) -> dict[str, str | bool]:
    """Say which defences hold on this machine, for the fingerprint."""
    return {
        "users": protected,
        "seccomp": platform.machine() in _REFUSED,
        "landlock": landlock_abi() > 0,
        "protection": "uids" if protected else "none",
    }


def entry(uid: int | None, limits: Limits, readable: list[str], writable: list[str]) -> Callable[[], None]:
    """Return the function that a child runs before exec: it becomes the worker's user and closes the doors."""

    def enter() -> None:
        with open("/proc/self/oom_score_adj", "w", encoding="utf-8") as file:
            file.write("1000")  # when memory runs out, submitted code goes first
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_bytes, limits.file_bytes))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if uid is not None:
            resource.setrlimit(resource.RLIMIT_NPROC, (limits.processes, limits.processes))
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        _LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        _confine_files(readable, writable)
        _refuse_calls()

    return enter


def _confine_files(readable: list[str], writable: list[str]) -> None:
    if not landlock_abi():
        return
    handled = ctypes.c_uint64(_ALL_OF_ABI_1)
    ruleset = _LIBC.syscall(_LANDLOCK_CREATE, ctypes.byref(handled), 8, 0)
    rules = [(path, _READ) for path in readable] + [(path, _ALL_OF_ABI_1) for path in writable]
    for path, access in [*rules, ("/dev", _READ | _WRITE_FILE), ("/proc", _READ | _WRITE_FILE)]:
        if os.path.exists(path):
            descriptor = os.open(path, os.O_PATH)
            rule = ctypes.create_string_buffer(struct.pack("=Qi", access, descriptor))
            _LIBC.syscall(_LANDLOCK_ADD, ruleset, 1, rule, 0)
            os.close(descriptor)
    if _LIBC.syscall(_LANDLOCK_RESTRICT, ruleset, 0):
        raise OSError(ctypes.get_errno(), "landlock_restrict_self")
    os.close(ruleset)


def _refuse_calls() -> None:
    if platform.machine() not in _REFUSED:
        return
    architecture, refused = _REFUSED[platform.machine()]
    load, equal, above, give = 0x20, 0x15, 0x25, 0x06
    refuse, allow, kill = 0x00050000 | 1, 0x7FFF0000, 0x80000000  # errno EPERM; allow; kill the process
    lines = [(load, 0, 0, 4), (equal, 1, 0, architecture), (give, 0, 0, kill), (load, 0, 0, 0)]
    lines += [(above, len(refused) + 1, 0, 0x3FFFFFFF)]  # the x32 twins of the same calls
    lines += [(equal, len(refused) - at, 0, call) for at, call in enumerate(refused)]
    lines += [(give, 0, 0, allow), (give, 0, 0, refuse)]
    program = b"".join(struct.pack("=HBBI", *line) for line in lines)
    text = ctypes.create_string_buffer(program)
    header = struct.pack("@HxxxxxxQ", len(lines), ctypes.addressof(text))
    if _LIBC.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.create_string_buffer(header), 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")
