"""Stops, continues and ends all processes of one user, threads included.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: processes that hide from owner scans of /proc (not dumpable), leaders that exited before their threads, chains
of processes that fork and exit faster than a scan (one kill of all is atomic to forks), processes that wake each other
or themselves (seen by the time that they ran). Not covered: processes of other users. Trusts: the kernel.
"""

import contextlib
import ctypes
import math
import os
import platform
import queue
import signal
import threading
import time
from pathlib import Path

_RELEASE_S = 0.2
_STOPPED, _ENDED = frozenset("TtZXx"), frozenset("ZXx")
_SETRESUID = {"x86_64": 117, "aarch64": 147}
_NOBODY_ELSE = 59_999
"""A user id that no process has: real and saved id of the thread that signals, so that nobody can signal it back."""


class _Signaller:
    """A thread whose effective user is the target: its `kill(-1)` reaches that user's processes and no others."""

    def __init__(self, uid: int) -> None:
        self._uid = uid
        self._orders: queue.SimpleQueue[int] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[bool] = queue.SimpleQueue()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        # The bare system call changes this thread alone; the C library's would change all of the scorer.
        number = _SETRESUID[platform.machine()]
        failed = ctypes.CDLL(None).syscall(number, _NOBODY_ELSE, self._uid, _NOBODY_ELSE)
        while True:
            order = self._orders.get()
            own = failed == 0 and os.geteuid() == self._uid and os.getuid() == _NOBODY_ELSE
            if own:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(-1, order)
            self._answers.put(own)

    def send(self, number: int) -> None:
        self._orders.put(number)
        if not self._answers.get():
            raise OSError(f"the scorer cannot take on user {self._uid} to signal its processes")


class Processes:
    """The processes of one user, or, where there is only one user, of one session."""

    def __init__(self, uid: int | None, session: int | None = None) -> None:
        """Name them by real user id, or, where `uid` is None, by session."""
        self.uid, self.session = uid, session
        self._signaller = None if uid is None else _Signaller(uid)

    def pids(self) -> list[int]:
        """Return the ids of the members, zombies included."""
        return [int(name) for name in os.listdir("/proc") if name.isdigit() and self._has(name)]

    def _has(self, pid: str) -> bool:
        try:
            if self.uid is None:
                return int(_stat_fields(f"/proc/{pid}/stat")[3]) == self.session
            # The owner of /proc/PID is root's for a process that made itself undumpable; the Uid line is not.
            status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
            return int(status.partition("\nUid:")[2].split(maxsplit=1)[0]) == self.uid
        except (OSError, IndexError, ValueError):
            return False

    def send(self, number: int) -> None:
        """Send a signal to every member; where users are apart, in one step that no fork escapes."""
        if self._signaller is not None:
            self._signaller.send(number)
            return
        for pid in self.pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def stop(self, timeout_s: float = 5.0) -> bool:
        """Stop every thread of every member; return whether all stand still.

        Two looks in a row must find the same members and nobody running: an exit in between can wake a stopped process.
        """
        deadline = time.monotonic() + timeout_s
        release = time.monotonic() + _RELEASE_S
        seen: list[int] | None = None
        self.send(signal.SIGSTOP)
        while time.monotonic() < deadline:
            pids = self.pids()
            if not all(_stands_still(pid) for pid in pids):
                if time.monotonic() > release:
                    self._let_go()
                    release = time.monotonic() + _RELEASE_S
                self.send(signal.SIGSTOP)
                seen = None
            elif pids == seen:
                return True
            else:
                seen = pids
        return False

    def _let_go(self) -> None:
        """Let everybody run for a moment: who called vfork waits, unstoppable, for a child that stopped too early."""
        self.send(signal.SIGCONT)
        time.sleep(_RELEASE_S / 20)

    def end(self, timeout_s: float = 10.0) -> bool:
        """Kill every member; return whether none is left (zombies that await their parent do not count)."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            self.send(signal.SIGKILL)
            if all(_is_zombie(pid) for pid in self.pids()):
                return True
            time.sleep(0.002)
        return False

    def ran_ns(self) -> dict[str, int]:
        """Return the time that each living thread has run, in nanoseconds: of a stopped one it does not grow."""
        ran: dict[str, int] = {}
        for pid in self.pids():
            for thread in _threads(pid):
                with contextlib.suppress(OSError, IndexError, ValueError):
                    if _stat_fields(f"/proc/{pid}/task/{thread}/stat")[0] in _ENDED:
                        continue
                    text = Path(f"/proc/{pid}/task/{thread}/schedstat").read_text(encoding="utf-8")
                    ran[thread] = int(text.split()[0])
        return ran

    def go_first(self, when_memory_runs_out: bool) -> None:
        """Let the kernel end these processes rather than the scorer when memory runs out, or no longer."""
        for pid in self.pids():
            with contextlib.suppress(OSError):
                Path(f"/proc/{pid}/oom_score_adj").write_text("1000" if when_memory_runs_out else "0", encoding="utf-8")


def growth_ns(before: dict[str, int], after: dict[str, int]) -> float:
    """Return how long the threads of `after` ran since `before`; endless if one has ended: it ran."""
    if before.keys() - after.keys():
        return math.inf
    return sum(max(0, ran - before.get(thread, 0)) for thread, ran in after.items())


def _stat_fields(path: str) -> list[str]:
    """Fields of a stat file after the name, which may itself hold spaces and parentheses."""
    return Path(path).read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()


def _threads(pid: int) -> list[str]:
    try:
        return os.listdir(f"/proc/{pid}/task")
    except OSError:
        return []  # it ended between the two looks


def _states(pid: int) -> list[str]:
    states: list[str] = []
    for thread in _threads(pid):
        with contextlib.suppress(OSError, IndexError):
            states.append(_stat_fields(f"/proc/{pid}/task/{thread}/stat")[0])
    return states


def _stands_still(pid: int) -> bool:
    return all(state in _STOPPED for state in _states(pid))


def _is_zombie(pid: int) -> bool:
    return all(state in _ENDED for state in _states(pid))
