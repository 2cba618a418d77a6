"""One worker process: started as its own user, told what to do by words, stopped at its acknowledgement.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: endless loops, crashes, memory, floods of processes and output, early exits; a worker that acknowledges early
is stopped before it can finish in the background. Not covered: whether its results are right. Trusts: nothing it
writes.
"""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import folders
from isolation import Limits
from job import FOLDER, Job
from launch import Place, spawn
from outcome import Invalid, MachineTrouble
from processes import Processes, growth_ns
from snapshot import Snapshot

sys.path.append(str(FOLDER / "shim"))

import words as w

_POLL_S, _KNOWN_S = 0.02, 10.0
_MAX_PROCESSES = 256
_MAX_OUTPUT_BYTES = 64 << 20
_MAX_FILE_BYTES = 1 << 30  # compilers write large ones: PyTorch's headers alone make more than 64 MiB
_RESERVE_S = 45.0
_BEGAN = time.monotonic()

_INHERITED = ("LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_HOME", "CUDA_MPS_PIPE_DIRECTORY")
"""Where the driver and the compiler are; the scorer's own environment is the host's."""

_STATUS_REASONS = {
    w.SYNTAX_ERROR: ("syntax_error", "The file has a syntax error."),
    w.IMPORT_FAILED: ("import_failed", "Importing the solution raised an exception."),
    w.NO_FUNCTION: ("no_function", "The solution does not define the required function."),
    w.WRONG_SIGNATURE: ("wrong_signature", "The function cannot be called with the required arguments."),
    w.EXCEPTION: ("exception", "The function raised an exception."),
    w.MEMORY: ("out_of_memory", "The solution ran out of memory."),
    w.OUT_REPLACED: ("out_replaced", "The output buffer was replaced, resized or retyped; write into the given one."),
}


_Step = Callable[[w.Words, int], bool]


class Command(NamedTuple):
    """What a worker is told to do.

    Attributes:
        calls: (slot, elements) of each call; None asks for the import.
        timeout_s: Wall-clock limit.
    """

    calls: list[tuple[int, int]] | None
    timeout_s: float


def sealed_memory(name: str, size: int) -> int:
    """Return a memory file whose size nobody can change: shrinking it would kill the scorer at its next access."""
    import fcntl

    descriptor = os.memfd_create(name, os.MFD_ALLOW_SEALING)
    os.ftruncate(descriptor, size)
    fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SEAL)
    return descriptor


class RanOn(Invalid):
    """A stopped process ran: by its own doing, or the machine took its core away while it was on its way off it."""


class Worker:
    """A process that runs submitted code (or, with `snapshot=None`, a trusted one that does nothing)."""

    def __init__(
        self,
        job: Job,
        snapshot: Snapshot | None,
        descriptors: list[int],
        arguments: list[str],
        cores: frozenset[int] = frozenset(),
    ) -> None:
        sockets = "driver" if job.hardware == "cuda" else "none"
        limits = Limits(_MAX_FILE_BYTES, 2 * _MAX_PROCESSES, sockets, cores, snapshot is not None)
        self._job, self._control = job, sealed_memory("control", w.PAGE_BYTES)
        self.words = w.Words(self._control)
        self._sequence, self.submitted = 0, snapshot is not None
        self._ran_ns: dict[str, int] = {}
        self.waited_s = 0.0
        self._run = FOLDER / f"run-{time.monotonic_ns()}"
        self._log = folders.prepare(self._run, job.solver_uid, snapshot)
        self._process = self._spawn(snapshot, [self._control, *descriptors], arguments, limits)
        self.processes = Processes(job.solver_uid, self._process.pid)

    def _spawn(
        self, snapshot: Snapshot | None, descriptors: list[int], arguments: list[str], limits: Limits
    ) -> "subprocess.Popen[bytes]":
        submission = str(self._run / "submission") if snapshot else "-"
        argv = [self._job.work_python, "-I", "-B", str(FOLDER / "shim" / "main.py"), submission]
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        command = [*argv, *map(str, descriptors), *arguments]
        return spawn(self._job, Place(self._run, self._log), command, limits, inherited, descriptors)

    def run(self, command: Command) -> float:
        """Let the worker run one command; return the seconds until every one of its threads stands still.

        Raises:
            Invalid: It failed, died, or exceeded a limit.
        """
        self._write(command)
        start = time.perf_counter()
        self._continue()
        self._await(time.monotonic() + command.timeout_s, command.timeout_s)
        stopped = self.processes.stop()
        elapsed = time.perf_counter() - start
        self.waited_s += elapsed
        self._settle(stopped)
        return elapsed

    def arm(self, command: Command) -> None:
        """Let the worker get ready for calls; from its answer on it spins on the command word.

        Raises:
            Invalid: As for `run`.
        """
        self._write(command)
        self.words[w.CALLS] |= w.ARM
        start = time.monotonic()
        self._continue()
        self._await(start + command.timeout_s, command.timeout_s)
        self.waited_s += time.monotonic() - start
        self._check_status()
        self.words[w.CALLS] &= w.ARM - 1
        self._sequence += 1

    def run_armed(self, start: _Step, has_ended: _Step, limit_s: float) -> bool:
        """Let the armed calls run; return False where `start` says that they were not started.

        Args:
            start: Starts them by the command word; given words and sequence number.
            has_ended: Waits for a while; where it says no, the worker's limits are looked at and it is asked again.
            limit_s: Wall-clock limit.

        Raises:
            Invalid: The worker died or exceeded a limit.
        """
        began = time.monotonic()
        if not start(self.words, self._sequence):
            return False
        while not has_ended(self.words, self._sequence):
            self._look(began + limit_s, limit_s)
        self.waited_s += time.monotonic() - began
        return True

    def halt(self) -> None:
        """Stop every thread of the worker after an answer to `arm` or `go`.

        Raises:
            Invalid: As for `run`.
        """
        if self.submitted:
            self._settle(self.processes.stop())
        else:
            self._check_status()  # the trusted worker waits by itself, and looking at all processes takes a while

    def known_s(self) -> float:
        """Return the trusted worker's own measure of its work in the last window.

        Raises:
            Invalid: It died.
        """
        deadline = time.monotonic() + _KNOWN_S
        while not (known_ns := self.words[w.KNOWN_NS]):
            self._check_status()
            self._look(deadline, _KNOWN_S)
        self.words[w.KNOWN_NS] = 0
        return known_ns / 1e9

    def check_still(self) -> None:
        """Make sure that nothing of the worker has run since it was stopped.

        Raises:
            RanOn: Something has: it had itself woken up.
        """
        self._check_alive()
        if growth_ns(self._ran_ns, self.processes.ran_ns()):
            raise RanOn("would_not_stop", "The solution's processes ran on after they had been stopped.")

    def _settle(self, stopped: bool) -> None:
        if not stopped:
            raise Invalid("would_not_stop", "The solution's processes could not be stopped after its answer.")
        self._ran_ns = self.processes.ran_ns()
        self._check()

    def _write(self, command: Command) -> None:
        self._sequence += 1
        table = command.calls if command.calls is not None else []
        self.words[w.CALLS] = w.IMPORT_CALLS if command.calls is None else len(table)
        for at, (slot, elements) in enumerate(table):
            self.words[w.TABLE + 2 * at], self.words[w.TABLE + 2 * at + 1] = slot, elements

    def _continue(self) -> None:
        self.words[w.COMMAND] = self._sequence
        self.processes.send(signal.SIGCONT)
        self.words.wake(w.COMMAND)

    def _check(self) -> None:
        self._check_limits()
        self._check_alive()
        self._check_status()

    def _check_status(self) -> None:
        status = self.words[w.STATUS]
        if status != w.OK:
            raise self._invalid(*_STATUS_REASONS.get(status, ("exception", "The solution failed.")))

    def _await(self, deadline: float, limit_s: float) -> None:
        while self.words[w.DONE] != self._sequence:
            self.words.wait(w.DONE, self.words[w.DONE], _POLL_S)
            if self.words[w.DONE] == self._sequence:
                return
            self._look(deadline, limit_s)

    def _look(self, deadline: float, limit_s: float) -> None:
        self._check_limits()
        self._check_alive()
        if time.monotonic() > deadline:
            raise self._invalid("timeout", f"The solution did not finish within {limit_s:.0f} s.")
        if self.submitted and time.monotonic() > _BEGAN + self._job.timeout_s - _RESERVE_S:
            raise self._invalid("timeout", "All calls together took longer than a scoring may.")

    def _check_alive(self) -> None:
        if self._process.poll() is None:
            return
        status = self._process.returncode
        if status >= 0:
            raise self._invalid("exited", "The solution ended its process instead of returning.")
        name = signal.Signals(-status).name
        if -status == signal.SIGKILL:
            raise self._invalid("out_of_memory", "The solution's process was killed, most likely for memory.")
        raise self._invalid("crashed", f"The solution's process crashed ({name}).")

    def _check_limits(self) -> None:
        if self._log.stat().st_size >= _MAX_OUTPUT_BYTES:
            raise Invalid("output_too_large", f"The solution printed more than {_MAX_OUTPUT_BYTES >> 20} MiB.")
        pids = self.processes.pids()
        if len(pids) > _MAX_PROCESSES:
            raise Invalid("too_many_processes", f"The solution started more than {_MAX_PROCESSES} processes.")
        # The largest, not the sum: forked children share their pages; the container limits the sum.
        if max(map(_anonymous_bytes, pids), default=0) > self._job.memory_gib * 2**30:
            raise Invalid("out_of_memory", f"The solution used more than {self._job.memory_gib:g} GiB of memory.")

    def _invalid(self, reason: str, message: str) -> Invalid:
        self.processes.stop()
        printed = folders.tail(self._log).replace(str(self._run / "submission"), self._job.solution)
        return Invalid(reason, f"{message}\n{printed}".strip())

    def close(self) -> None:
        """Kill every process of the worker and remove what it wrote."""
        if not self.processes.end():
            if self.submitted:
                raise Invalid("would_not_stop", "The solution's processes took too long to end after they were killed.")
            raise MachineTrouble("processes of the worker cannot be killed")
        self._process.wait()
        os.close(self._control)
        folders.remove(self._run)
        if self._job.solver_uid is not None:
            folders.remove_leftovers(self._job.solver_uid)


def _anonymous_bytes(pid: int) -> int:
    """Memory of a process beyond shared mappings (the buffers are the scorer's)."""
    try:
        fields = Path(f"/proc/{pid}/statm").read_text(encoding="utf-8").split()
        return (int(fields[1]) - int(fields[2])) * 4096
    except (OSError, IndexError):
        return 0
