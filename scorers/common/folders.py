"""The folder of one worker, and what it leaves elsewhere.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: nothing that one worker wrote is there for the next; what the agent left in shared memory is closed to workers.
Not covered: what a worker writes while it runs. Trusts: the halted agent stands still.
"""

import contextlib
import os
import shutil
import subprocess
import time
from pathlib import Path

from outcome import Invalid
from snapshot import Snapshot

SHARED_MEMORY = "/dev/shm"
_TAIL_BYTES = 1500
_REMOVE_S = 10.0


def prepare(run: Path, uid: int | None, snapshot: Snapshot | None) -> Path:
    """Make a worker's folder: home and tmp are its own, the submission is root's; return the path of its log.

    Raises:
        Invalid: An earlier worker left so much elsewhere that it could not be removed yet.
    """
    run.mkdir(mode=0o711)
    if uid is not None:
        os.chown(run, 0, uid)
        run.chmod(0o710)  # what is in it may outlive the scoring for a while; the agent may know its name
        remove_leftovers(uid)
    for name in ("home", "tmp"):
        (run / name).mkdir(mode=0o700)
        if uid is not None:
            os.chown(run / name, uid, uid)
    if snapshot:
        shutil.copytree(snapshot.folder, run / "submission")
        for path in (run / "submission", *(run / "submission").rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
    return run / "output.log"


def close_to_others(folder: str) -> None:
    """Take away what the halted agent lets everybody do with its entries: they would be a way to talk to it."""
    for entry in os.scandir(folder):
        with contextlib.suppress(OSError):  # a link, a socket: nothing that a worker could open either
            descriptor = os.open(entry.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
            os.fchmod(descriptor, os.fstat(descriptor).st_mode & 0o700)
            os.close(descriptor)


def remove(path: str | Path) -> None:
    """Remove what submitted code wrote, however deep (Python's own function recurses) and, in a limited time, much."""
    with contextlib.suppress(subprocess.TimeoutExpired):  # the host removes the rest with the scoring's folder
        subprocess.run(["/bin/rm", "-rf", "--", str(path)], check=False, timeout=_REMOVE_S)


def tail(log: Path) -> str:
    """The end of what the worker printed, for the agent alone; printable characters only, never parsed."""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _TAIL_BYTES))
        text = file.read(_TAIL_BYTES).decode("utf-8", errors="replace")
    text = "".join(character for character in text if character.isprintable() or character == "\n").strip()
    return f"The end of its output:\n{text}" if text else ""


def remove_leftovers(uid: int) -> None:
    """Remove what the user left in folders that everyone may write to, in a limited time.

    Raises:
        Invalid: The time was not enough; the next worker's folder begins with the rest.
    """
    until = time.monotonic() + _REMOVE_S
    for folder in ("/tmp", "/var/tmp", SHARED_MEMORY):
        with os.scandir(folder) as entries:
            for entry in (entry for entry in entries if entry.stat(follow_symlinks=False).st_uid == uid):
                if time.monotonic() > until:
                    raise Invalid("too_many_files", f"The solution leaves more files in {folder} than can be removed.")
                if entry.is_dir(follow_symlinks=False):
                    remove(entry.path)
                else:
                    os.unlink(entry.path)
