"""Builds and installs the filter of system calls that submitted code may make.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: calls to the outside, into other processes, into the kernel's rarely used parts; every way to wake a stopped
process (SIGCONT sent, timed, or raised by an exit). Not covered: architectures that are not listed. Trusts: the kernel.
"""

import ctypes
import platform
import struct
from typing import Literal, NamedTuple

_LIBC = ctypes.CDLL(None, use_errno=True)
_PR_SET_SECCOMP, _MODE_FILTER = 22, 2
_EPERM, _ENOSYS = 1, 38
_SIGCONT, _UNIX, _SET_DEATH_SIGNAL, _SET_SIGNAL = 18, 1, 1, 10

# x86-64, aarch64
_NUMBERS: dict[str, tuple[int, int]] = {
    "socket": (41, 198), "connect": (42, 203), "bind": (49, 200), "listen": (50, 201), "accept": (43, 202),
    "accept4": (288, 242), "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271),
    "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427), "io_setup": (206, 0),
    "io_submit": (209, 2), "userfaultfd": (323, 282), "bpf": (321, 280), "perf_event_open": (298, 241),
    "pidfd_getfd": (438, 438), "kcmp": (312, 272), "keyctl": (250, 219), "add_key": (248, 217),
    "request_key": (249, 218), "mount": (165, 40), "unshare": (272, 97), "setns": (308, 268), "vmsplice": (278, 75),
    "shmget": (29, 194),
    "shmat": (30, 196), "semget": (64, 190), "msgget": (68, 186), "mq_open": (240, 180), "timer_create": (222, 107),
    "clone": (56, 220), "clone3": (435, 435), "kill": (62, 129), "tkill": (200, 130), "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240), "pidfd_send_signal": (424, 424), "fcntl": (72, 25),
    "prctl": (157, 167), "sched_setaffinity": (203, 122),
}  # fmt: skip
_ARCHITECTURES = {"x86_64": (0xC000003E, 0), "aarch64": (0xC00000B7, 1)}

Sockets = Literal["none", "driver", "all"]
"""None; Unix sockets that are made and named but never connected, as the CUDA driver's; or any, as process groups' and
data loaders', in a sandbox whose network is off and whose agent is halted."""

_CONNECTIONS = ["connect", "accept", "accept4"]
_REFUSED = [
    "ptrace", "process_vm_readv", "process_vm_writev", "io_uring_setup",
    "io_uring_enter", "io_uring_register", "io_setup", "io_submit", "userfaultfd", "bpf", "perf_event_open",
    "pidfd_getfd", "kcmp", "keyctl", "add_key", "request_key", "mount", "unshare", "setns", "vmsplice", "shmget",
    "shmat", "semget", "msgget", "mq_open", "timer_create",
]  # fmt: skip


class Rule(NamedTuple):
    """A refused call.

    Attributes:
        call: Its name.
        only_if: (argument, mask, value) that must all hold for the refusal; empty refuses always.
        error: What the caller gets.
    """

    call: str
    only_if: tuple[tuple[int, int, int], ...] = ()
    error: int = _EPERM


def rules(sockets: Sockets, fixed_cores: bool = False) -> list[Rule]:
    """Return the refusals.

    Args:
        sockets: Which may be used.
        fixed_cores: Cores cannot be chosen: the scorer's own is not for submitted code.
    """
    signals = {"kill": 1, "tkill": 1, "tgkill": 2, "pidfd_send_signal": 1, "rt_sigqueueinfo": 1, "rt_tgsigqueueinfo": 2}
    found = [Rule(call) for call in [*_REFUSED, *(["sched_setaffinity"] if fixed_cores else [])]]
    found += [Rule(call, ((argument, 0xFFFFFFFF, _SIGCONT),)) for call, argument in signals.items()]
    found += [
        Rule("prctl", ((0, 0xFFFFFFFF, _SET_DEATH_SIGNAL), (1, 0xFFFFFFFF, _SIGCONT))),
        Rule("fcntl", ((1, 0xFFFFFFFF, _SET_SIGNAL),)),
        Rule("clone", ((0, 0xFF, _SIGCONT),)),  # the low byte is the signal that the parent gets at the child's exit
        Rule("clone3", error=_ENOSYS),  # hides the same in a structure; the C library falls back to clone
    ]
    if sockets == "all":
        return found
    found += [Rule(call) for call in _CONNECTIONS]
    if sockets == "none":
        return [*found, Rule("socket"), Rule("bind"), Rule("listen")]
    other_families = [Rule("socket", ((0, 1 << bit, 1 << bit),)) for bit in range(1, 8)]
    return [*found, *other_families, Rule("socket", ((0, 1, 0),))]


def supported() -> bool:
    """Say whether the filter knows this architecture's calls."""
    return platform.machine() in _ARCHITECTURES


def program(chosen: list[Rule], machine: str) -> bytes:
    """Return the filter as classic BPF: each rule is a short branch that falls through to the next."""
    load, mask, equal, above, give = 0x20, 0x54, 0x15, 0x25, 0x06
    architecture, column = _ARCHITECTURES[machine]
    refuse, allow, kill = 0x00050000, 0x7FFF0000, 0x80000000
    lines = [(load, 0, 0, 4), (equal, 1, 0, architecture), (give, 0, 0, kill), (load, 0, 0, 0)]
    lines += [(above, 0, 1, 0x3FFFFFFF), (give, 0, 0, refuse | _EPERM)]  # the x32 twins of the same calls
    for rule in chosen:
        tests = len(rule.only_if)
        lines.append((equal, 0, 3 * tests + 1 + bool(tests), _NUMBERS[rule.call][column]))
        for at, (argument, bits, value) in enumerate(rule.only_if):
            lines += [(load, 0, 0, 16 + 8 * argument), (mask, 0, 0, bits), (equal, 0, 3 * (tests - at - 1) + 1, value)]
        lines.append((give, 0, 0, refuse | rule.error))
        if tests:
            lines.append((load, 0, 0, 0))  # the accumulator held an argument
    return b"".join(struct.pack("=HBBI", *line) for line in [*lines, (give, 0, 0, allow)])


def install(sockets: Sockets, fixed_cores: bool) -> None:
    """Install the filter for this process and all that it starts, arguments as in `rules`; there is no way back.

    Raises:
        OSError: The kernel refuses the filter.
    """
    if not supported():
        return
    text = program(rules(sockets, fixed_cores), platform.machine())
    buffer = ctypes.create_string_buffer(text)
    header = struct.pack("@HxxxxxxQ", len(text) // 8, ctypes.addressof(buffer))
    if _LIBC.prctl(_PR_SET_SECCOMP, _MODE_FILTER, ctypes.create_string_buffer(header), 0, 0):
        raise OSError(ctypes.get_errno(), "seccomp")
