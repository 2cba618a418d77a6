"""What submitted code may do, set in the child between fork and exec; none of it needs an added capability.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: identity, resource limits, no new privileges, no sockets, no look into other processes, writes confined to its
own folder (Landlock, where the kernel has it). Not covered: reading what every user may read. Trusts: the kernel.
"""

import ctypes
import os
import resource
import struct
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import seccomp

_LIBC = ctypes.CDLL(None, use_errno=True)
_PR_SET_NO_NEW_PRIVS = 38
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_READ, _ALL_OF_ABI_1 = 0b1101, (1 << 13) - 1  # execute, read file, read folder
_WRITE_FILE, _MOVE = 1 << 1, 1 << 13
_PLAIN_FILES = 0b1_0010_1110  # in a folder: make, write, read, list, remove
_FILE = 0b111  # execute, write, read: what may be granted on a single file
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
"""Not the rest: what another user left in /dev/shm or /dev/mqueue, open to all, would be a way to talk to him."""


class Limits(NamedTuple):
    """Limits of a worker.

    Attributes:
        file_bytes, processes: Resource limits.
        sockets: Which it may use; without the `driver` kind CUDA does not start.
        cores: Cores that it has to stay on, where that matters.
        goes_first: Whether the kernel ends it before others when memory runs out.
    """

    file_bytes: int
    processes: int
    sockets: seccomp.Sockets = "none"
    cores: frozenset[int] = frozenset()
    goes_first: bool = True


def landlock_abi() -> int:
    """Version of the kernel's Landlock, 0 where there is none."""
    return max(_LIBC.syscall(_LANDLOCK_CREATE, None, 0, 1), 0)


def active(protected: bool) -> dict[str, str | bool]:
    """Say which defences hold on this machine, for the fingerprint."""
    return {
        "users": protected,
        "seccomp": seccomp.supported(),
        "landlock": landlock_abi() > 0,
        "protection": "uids" if protected else "none",
    }


def entry(
    uid: int | None, limits: Limits, readable: list[str], writable: list[str], shared: list[str] | None = None
) -> Callable[[], None]:
    """Return the function that a child runs before exec: it becomes the worker's user and closes the doors.

    Args:
        uid: The user; None keeps the scorer's own.
        limits: What else is limited.
        readable: Folders whose contents it may read and execute.
        writable: Folders where it may do anything.
        shared: Folders of everybody's, where it may have plain files but, for instance, no folders of its own.
    """

    def enter() -> None:
        if limits.goes_first:
            with open("/proc/self/oom_score_adj", "w", encoding="utf-8") as file:
                file.write("1000")
        if limits.cores:
            os.sched_setaffinity(0, limits.cores)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_bytes, limits.file_bytes))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if uid is not None:
            resource.setrlimit(resource.RLIMIT_NPROC, (limits.processes, limits.processes))
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
        _LIBC.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        _confine_files(readable, writable, shared or [])
        seccomp.install(limits.sockets, bool(limits.cores))

    return enter


def _confine_files(readable: list[str], writable: list[str], shared: list[str]) -> None:
    if not landlock_abi():
        return
    everything = _ALL_OF_ABI_1 | (_MOVE if landlock_abi() > 1 else 0)  # moves between folders, as Triton's cache does
    handled = ctypes.c_uint64(everything)
    ruleset = _LIBC.syscall(_LANDLOCK_CREATE, ctypes.byref(handled), 8, 0)
    rules = [(path, _READ) for path in readable] + [(path, everything) for path in writable]
    rules += [(path, _PLAIN_FILES) for path in shared]
    rules += [(path, _FILE) for path in _DEVICES] + [("/proc", _READ | _WRITE_FILE)]
    rules += [(str(path), _FILE) for path in Path("/dev").glob("nvidia*")]
    for path, access in rules:
        if os.path.exists(path):
            descriptor = os.open(path, os.O_PATH)
            rule = ctypes.create_string_buffer(struct.pack("=Qi", access, descriptor))
            _LIBC.syscall(_LANDLOCK_ADD, ruleset, 1, rule, 0)
            os.close(descriptor)
    if _LIBC.syscall(_LANDLOCK_RESTRICT, ruleset, 0):
        raise OSError(ctypes.get_errno(), "landlock_restrict_self")
    os.close(ruleset)
