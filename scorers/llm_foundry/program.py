"""Runs a submitted script as another user, by the scorer's clock: from its start until none of its processes is left.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: patched clocks, daemons, late writers (they are part of the time, or end it as a timeout), warm caches (home,
caches and temporary folder are empty), floods of output and of files. Not covered: room that files take which are open
and have no name. Trusts: nothing that it writes.
"""

import itertools
import math
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import folders
from gpu import Meter
from isolation import Limits
from job import FOLDER, Job
from launch import Place, spawn
from outcome import Invalid
from processes import Processes

SCRIPT = "finetune.sh"
_POLL_S, _LOOK_EVERY = 0.005, 20
_MAX_PROCESSES, _MAX_OUTPUT_BYTES, _MAX_FILE_GIB, _MAX_RUN_GIB, _COUNT_S = 512, 64 << 20, 4, 32, 20.0
_STEADY = {"OMP_WAIT_POLICY": "PASSIVE"}
"""Threads that wait without spinning: on a busy machine times are steadier by far, on a quiet one the same."""

_NUMBERS = itertools.count()
_INHERITED = (
    "LD_LIBRARY_PATH",
    "CUDA_VISIBLE_DEVICES",
    "CUDA_HOME",
    "NCCL_NVLS_ENABLE",  # hosts whose GPUs others share switch multicast off
    "TORCH_SYMM_MEM_DISABLE_MULTICAST",
    "NVSHMEM_DISABLE_NVLS",
)


class Ran(NamedTuple):
    """How a run ended: wall-clock and processor seconds, the GPUs' energy and busy share, the folder that it wrote."""

    seconds: float
    cpu_s: float
    gpu_j: float | None
    gpu_busy_pct: float | None
    output: Path


class Program:
    """One run of a snapshot's script; its folder lives until `close`."""

    def __init__(self, job: Job, submission: Path, inputs: Path) -> None:
        """Lay out the folder of a run.

        Args:
            job: Names users and interpreter.
            submission: Folder with the script; a copy of it is the run's own.
            inputs: Folder with `finetune.yaml`, `data/` and `model/`; moved into the run's, where it may be read.
        """
        # A short name: Unix sockets in its temporary folder must not have paths longer than 107 bytes.
        self._job, self.run_folder = job, FOLDER / f"r{next(_NUMBERS)}"
        log = folders.prepare(self.run_folder, job.solver_uid, None)
        self.work, self.output = self.run_folder / "work", self.run_folder / "output"
        shutil.copytree(submission, self.work)
        self.output.mkdir()
        for path in (self.work, *self.work.rglob("*"), self.output):
            path.chmod(0o755 if path.is_dir() else 0o644)
            if job.solver_uid is not None:
                os.chown(path, job.solver_uid, job.solver_uid)
        inputs.rename(self.run_folder / "inputs")
        # Without an image the interpreter of submitted code borrows the packages of the scorer's own; in an image that
        # folder is closed to every other user.
        self._place = Place(self.run_folder, log, [str(self.work), str(self.output)], readable=[sys.prefix])
        self._processes = Processes(job.solver_uid)
        self._max_processes = self._most("processes", _MAX_PROCESSES)
        self._max_bytes, self._free_bytes = self._most("run_gib", _MAX_RUN_GIB) << 30, _free_bytes(self.run_folder)

    def _most(self, name: str, usual: int) -> int:
        """Return a limit: a large model's checkpoints and data loaders need more than is usual."""
        return int(self._job.parameters.get(name, usual))

    def run(self, timeout_s: float) -> Ran:
        """Run the script to the end of its last process.

        Raises:
            Invalid: It failed or exceeded a limit.
        """
        inputs = self.run_folder / "inputs"
        arguments = [inputs / "finetune.yaml", inputs / "data", inputs / "model", self.output]
        command = ["/bin/bash", str(self.work / SCRIPT), *map(str, arguments)]
        limits = Limits(self._most("file_gib", _MAX_FILE_GIB) << 30, 2 * self._max_processes, sockets="all")
        environment = {name: os.environ[name] for name in _INHERITED if name in os.environ} | _STEADY
        before, meter = _cpu_s(), Meter(self._job.hardware)
        start = time.monotonic()
        process = spawn(self._job, self._place, command, limits, environment)
        if self._job.solver_uid is None:
            self._processes = Processes(None, process.pid)
        looks = 0
        while process.poll() is None or self._is_alive():
            time.sleep(_POLL_S)
            looks += 1
            if time.monotonic() > start + timeout_s:
                raise self._invalid("timeout", f"The script did not end within {timeout_s:.0f} s.")
            if looks % _LOOK_EVERY == 0:
                self._check_limits()
                meter.look()
        seconds = time.monotonic() - start
        if process.returncode != 0:
            raise self._invalid("failed", f"{SCRIPT} ended with status {process.returncode}.")
        self._seal()
        return Ran(seconds, _cpu_s() - before, *meter.read(), self.output)

    def _is_alive(self) -> bool:
        """Say whether a process of the script lives: one that clones itself faster than a look is seen when halted."""
        if not self._processes.ran_ns():
            self._processes.stop()
            if not self._processes.ran_ns():
                return False
            self._processes.send(signal.SIGCONT)
        return True

    def _seal(self) -> None:
        """Make sure that nobody is left, and that nobody else can put another file into the output's place."""
        self._end()
        if self._job.solver_uid is not None:
            os.chown(self.output, 0, 0)
        self.output.chmod(0o700)

    def _end(self) -> None:
        if not self._processes.end():
            raise Invalid("would_not_stop", "The script's processes took too long to end after they were killed.")

    def _check_limits(self) -> None:
        if self._place.log.stat().st_size >= _MAX_OUTPUT_BYTES:
            raise Invalid("output_too_large", f"The script printed more than {_MAX_OUTPUT_BYTES >> 20} MiB.")
        if len(self._processes.pids()) > self._max_processes:
            raise Invalid("too_many_processes", f"The script started more than {self._max_processes} processes.")

        # Others write to the same disk: only what lies in the run's own folders accuses.
        taken = self._free_bytes - _free_bytes(self.run_folder)
        if taken > self._max_bytes and _written_bytes(self.run_folder) > self._max_bytes:
            raise Invalid("output_too_large", f"The script's files take more than {self._max_bytes >> 30} GiB.")

    def _invalid(self, reason: str, message: str) -> Invalid:
        self._processes.end()
        printed = folders.tail(self._place.log).replace(str(self.work), self._job.solution)
        return Invalid(reason, f"{message}\n{printed}".strip())

    def close(self) -> None:
        """End what is left of the run and remove what it wrote.

        Raises:
            Invalid: Its processes cannot be ended.
        """
        self._end()
        folders.remove(self.run_folder)
        if self._job.solver_uid is not None:
            folders.remove_leftovers(self._job.solver_uid)


def _free_bytes(folder: Path) -> int:
    return (room := os.statvfs(folder)).f_bavail * room.f_frsize


def _written_bytes(folder: Path) -> float:
    """Return the room that a run's files take on the disk; endless where it leaves the scorer no way to count."""
    command = ["/usr/bin/du", "--summarize", "--one-file-system", "--block-size=1", "--", str(folder)]
    try:
        counted = subprocess.run(command, check=False, capture_output=True, timeout=_COUNT_S)  # files may vanish
    except (subprocess.TimeoutExpired, BlockingIOError):  # too many files; no process can be started
        return math.inf
    return int(counted.stdout.split()[0])


def _cpu_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
