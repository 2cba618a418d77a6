"""Starts a process as the user of submitted code, with its limits, its few folders and a log file.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: an environment and a home of its own, nothing on standard input, output to a file, the doors of `isolation`.
Not covered: when it ends, and what it leaves. Trusts: the interpreter and programs that root installed.
"""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import folders
from isolation import Limits, entry
from job import FOLDER, Job

_READABLE = ["/usr", "/lib", "/lib64", "/bin", "/etc", "/sys", "/opt/work"]
_CONSTANT = {"USER": "solver", "LANG": "C.UTF-8"}
"""Libraries ask who they are: where users are mere numbers, the variable is the only answer."""


class Place(NamedTuple):
    """Where a process runs.

    Attributes:
        run: Its folder, made by `folders.prepare`: `home/` and `tmp/` are its own, the rest it may read.
        log: File that receives what it prints.
        writable: Further folders where it may do anything.
        readable: Further folders that it may read.
    """

    run: Path
    log: Path
    writable: Sequence[str] = ()
    readable: Sequence[str] = ()


def spawn(
    job: Job,
    place: Place,
    command: list[str],
    limits: Limits,
    environment: dict[str, str],
    descriptors: Sequence[int] = (),
) -> "subprocess.Popen[bytes]":
    """Start a command, an absolute path first, as the job's `solver`, in a session of its own.

    Args:
        job: Names the user and the interpreter.
        place: Where it runs and writes.
        command: Argument list; no shell is involved.
        limits: What else is limited.
        environment: Variables beside PATH, HOME, USER, TMPDIR and LANG.
        descriptors: Open files that it keeps.
    """
    home, temporary = str(place.run / "home"), str(place.run / "tmp")
    tools = os.path.dirname(job.work_python)
    search = f"{tools}:/usr/bin:/bin"  # the agent's own tools, all root's
    readable = [*_READABLE, sys.base_prefix, os.path.dirname(tools), str(FOLDER / "shim"), *place.readable]
    shared = [] if job.solver_uid is None else [folders.SHARED_MEMORY]
    for folder in shared:
        folders.close_to_others(folder)
    folders_given = [*readable, str(place.run)], [home, temporary, *place.writable], shared
    enter = entry(job.solver_uid, limits, *folders_given)
    with open(place.log, "wb") as log:
        return subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=home,
            env={"PATH": search, "HOME": home, "TMPDIR": temporary, **_CONSTANT, **environment},
            pass_fds=descriptors,
            start_new_session=True,
            preexec_fn=enter,
        )
