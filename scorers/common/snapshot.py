"""Copies the submission once, safely; everything after works on the copy.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: links to secrets, files that are swapped while they are read, devices and pipes, huge files, files of others.
Not covered: what the files mean. Trusts: nothing in the agent's folder.
"""

import hashlib
import itertools
import os
import shutil
import stat
import tarfile
from pathlib import Path
from typing import BinaryIO, NamedTuple

from job import FOLDER, Job
from outcome import FULL, Invalid

MAX_FOLDERS, MAX_ENTRIES, MAX_DEPTH = 256, 20_000, 8
_CHUNK = 1 << 20


class Snapshot(NamedTuple):
    """A copy of the submission that only root can change.

    Attributes:
        folder: Where it lies; worker processes may read it.
        sha256: Hash over names and contents.
        files: Bytes by relative name.
        skipped: Links, hidden and special files that were left out.
        packed: Names that were packed for the host.
    """

    folder: Path
    sha256: str
    files: dict[str, int]
    skipped: list[str]
    packed: list[str]


class _Collector:
    """One walk over the agent's folder, by directory descriptors, so that no path is resolved twice."""

    def __init__(self, job: Job, target: Path) -> None:
        self.job, self.target, self.budget, self.folders, self.entries = job, target, job.max_bytes, 0, 0
        self.files: dict[str, int] = {}
        self.skipped: list[str] = []

    def folder(self, descriptor: int, prefix: str) -> None:
        with os.scandir(descriptor) as found:
            entries = list(itertools.islice(found, MAX_ENTRIES - self.entries + 1))
        self.entries += len(entries)
        if self.entries > MAX_ENTRIES:
            raise Invalid("too_large", f"The solution folder has more than {MAX_ENTRIES} entries, hidden or not.")
        for entry in sorted(entries, key=lambda entry: entry.name):
            name, mode = prefix + entry.name, entry.stat(follow_symlinks=False).st_mode
            if _is_left_out(entry.name, mode) or (stat.S_ISDIR(mode) and prefix.count("/") >= MAX_DEPTH):
                self.skipped.append(ascii(name)[1:-1])
            elif stat.S_ISDIR(mode):
                self.folders += 1
                if self.folders > MAX_FOLDERS:
                    raise Invalid("too_large", f"The solution folder has more than {MAX_FOLDERS} folders.")
                inner = os.open(entry.name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=descriptor)
                try:
                    (self.target / name).mkdir()
                    self.folder(inner, name + "/")
                finally:
                    os.close(inner)
            else:
                self.file(descriptor, entry.name, name)

    def file(self, directory: int, entry: str, name: str) -> None:
        # O_NONBLOCK: a pipe that takes the file's place must not hold the scorer.
        descriptor = os.open(entry, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=directory)
        with os.fdopen(descriptor, "rb") as source:
            status = os.fstat(descriptor)
            foreign = self.job.agent_uid is not None and status.st_uid != self.job.agent_uid
            if not stat.S_ISREG(status.st_mode) or status.st_nlink != 1 or foreign:
                self.skipped.append(name)
                return
            if status.st_size > self.budget or len(self.files) >= self.job.max_files:
                raise self.too_large(name)
            self.files[name] = self.copied(source, name)

    def copied(self, source: BinaryIO, name: str) -> int:
        """Copy a file in pieces, whatever size it claims: it may grow while it is read. Return its size."""
        size = 0
        with (self.target / name).open("wb") as target:
            while chunk := source.read(_CHUNK):
                size += len(chunk)
                self.budget -= len(chunk)
                if self.budget < 0:
                    raise self.too_large(name)
                target.write(chunk)
        return size

    def too_large(self, name: str) -> Invalid:
        most = f"at most {self.job.max_bytes >> 20} MiB in {self.job.max_files} files"
        advice = "Move what the solution does not need elsewhere."
        return Invalid("too_large", f"The solution folder is too large at {name!r}: {most}. {advice}")


def _is_left_out(name: str, mode: int) -> bool:
    """Say whether an entry is no part of a submission: hidden, a cache, not plain, or a name that is no plain text."""
    plain = stat.S_ISDIR(mode) or stat.S_ISREG(mode)
    return name.startswith(".") or name == "__pycache__" or not plain or not (name.isascii() and name.isprintable())


def take(job: Job) -> Snapshot:
    """Copy the job's source into `kept/pending` and return it.

    Raises:
        Invalid: The deliverable is missing, a link, no regular file, or the folder is too large.
    """
    pending = job.kept / "pending"
    if job.source == "kept":
        return _described(job.kept / "best", [])
    if job.source == "pending":
        return _described(pending, [])
    taking = job.kept / "taking"
    for stale in (taking, pending):
        shutil.rmtree(stale, ignore_errors=True)
    taking.mkdir(parents=True)
    skipped = _given(job, taking) if job.source == "starting" else _collected(job, taking)
    taking.rename(pending)  # whole or not there: a limit may cut this scoring off at any moment
    return _described(pending, skipped)


def _given(job: Job, target: Path) -> list[str]:
    shutil.copytree(FOLDER / "trusted" / "starting", target, dirs_exist_ok=True)
    for name, asset in job.given.items():
        shutil.copyfile(Path(job.assets, asset), target / name)
    return []


def _collected(job: Job, target: Path) -> list[str]:
    collector = _Collector(job, target)
    try:
        descriptor = _open_folder(job.solution)
        try:
            collector.folder(descriptor, "")
        finally:
            os.close(descriptor)
        _check_deliverable(job, collector)
    except OSError as error:
        if isinstance(error, TimeoutError) or error.errno in FULL:  # the scorer's own watchdog; the machine
            raise
        raise Invalid("unreadable", f"The solution folder cannot be read: {os.strerror(error.errno or 0)}.") from error
    return collector.skipped


def _open_folder(path: str) -> int:
    """Open a folder component by component, refusing links at every step."""
    descriptor = os.open("/", os.O_RDONLY | os.O_DIRECTORY)
    for part in Path(path).parts[1:]:
        try:
            inner = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=descriptor)
        except OSError as error:
            raise Invalid("missing_submission", f"{path} is not a plain folder (no links are followed).") from error
        finally:
            os.close(descriptor)
        descriptor = inner
    return descriptor


def _check_deliverable(job: Job, collector: _Collector) -> None:
    name = job.deliverable
    if name in collector.files or job.alternative in collector.files:
        return
    path = f"{job.solution}/{name}"
    if name in collector.skipped:
        mode = os.lstat(path).st_mode
        if stat.S_ISLNK(mode):
            raise Invalid("symlink", f"{path} is a symbolic link; it must be a regular file.")
        raise Invalid("not_a_file", f"{path} must be a regular file of your own with a single link.")
    if os.path.isdir(path):
        raise Invalid("not_a_file", f"{path} is a directory; it must be a regular file.")
    raise Invalid("missing_submission", f"There is no {path}.")


def _described(folder: Path, skipped: list[str]) -> Snapshot:
    files: dict[str, int] = {}
    digest = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = str(path.relative_to(folder))
        files[name] = path.stat().st_size
        digest.update(f"{name}\0{files[name]}\0".encode())
        with path.open("rb") as source:
            while chunk := source.read(_CHUNK):
                digest.update(chunk)
    return Snapshot(folder, digest.hexdigest(), files, skipped, [])


def pack(job: Job, snapshot: Snapshot) -> None:
    """Pack for the host what it wants of the snapshot: small files first, until its limit is reached."""
    left = job.archive_bytes
    for name, size in sorted(snapshot.files.items(), key=lambda item: item[1]):
        left -= size
        if left < 0:
            break
        snapshot.packed.append(name)
    with tarfile.open(FOLDER / "trusted" / "submission.tar.gz", "w:gz", compresslevel=1) as archive:
        for name in snapshot.packed:
            archive.add(snapshot.folder / name, arcname=name)


def settle(job: Job, raw: float | None) -> None:
    """Keep the pending snapshot as the best, or drop it; one that a limit cut off stays until it was kept."""
    pending, best = job.kept / "pending", job.kept / "best"
    shutil.rmtree(job.kept / "taking", ignore_errors=True)
    if job.source == "kept" or not pending.exists():
        return
    if raw is None or job.index == 0 or not job.improves(raw):
        if job.source != "pending":  # after a fault it is measured once more
            shutil.rmtree(pending)
        return
    shutil.rmtree(best, ignore_errors=True)
    pending.rename(best)
