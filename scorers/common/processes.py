"""Stops, continues and ends all processes of one user, threads included.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: processes that hide from owner scans of /proc (not dumpable), leaders that exited before their threads,
children that are forked during the sweep. Not covered: processes of other users. Trusts: the kernel's /proc.
"""

import contextlib
import os
import signal
import time
from pathlib import Path
from typing import NamedTuple

_STOPPED = frozenset("TtZXx")


class Processes(NamedTuple):
    """The processes of one user, or, where there is only one user, of one session.

    Attributes:
        uid: Real user id that they all have.
        session: Session that they all have; used when `uid` is None.
    """

    uid: int | None
    session: int | None = None

    def pids(self) -> list[int]:
        """Return the ids of the living members."""
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

    def send(self, number: int) -> int:
        """Send a signal to every member; return how many got it."""
        pids = self.pids()
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        return len(pids)

    def stop(self, timeout_s: float = 5.0) -> bool:
        """Stop every thread of every member; return whether all stand still.

        A pass that finds nobody running after one that signalled everybody proves it: a stopped process does not fork.
        """
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            running = [pid for pid in self.pids() if not _stands_still(pid)]
            if not running:
                return True
            for pid in running:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
        return False

    def end(self, timeout_s: float = 10.0) -> bool:
        """Kill every member; return whether none is left (zombies that await their parent do not count)."""
        deadline = time.monotonic() + timeout_s
        while time.monotonic() < deadline:
            self.send(signal.SIGKILL)
            if all(_is_zombie(pid) for pid in self.pids()):
                return True
            time.sleep(0.002)
        return False


def _stat_fields(path: str) -> list[str]:
    """Fields of a stat file after the name, which may itself hold spaces and parentheses."""
    return Path(path).read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()


def _states(pid: int) -> list[str]:
    states: list[str] = []
    try:
        for thread in os.listdir(f"/proc/{pid}/task"):
            try:
                states.append(_stat_fields(f"/proc/{pid}/task/{thread}/stat")[0])
            except (OSError, IndexError):
                continue  # the thread ended between the two looks
    except OSError:
        pass
    return states


def _stands_still(pid: int) -> bool:
    return all(state in _STOPPED for state in _states(pid))


def _is_zombie(pid: int) -> bool:
    return all(state in "ZXx" for state in _states(pid))
