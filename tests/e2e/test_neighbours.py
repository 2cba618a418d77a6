"""Attempts beside other containers on the same machine."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval
from script import FASTER, SCORE, SUBMIT, model, write

from rebench_inspect.paths import image_paths
from rebench_inspect.tasks import kernel

THREADS = """
import threading, time
try:
    for _ in range(2000):
        threading.Thread(target=time.sleep, args=(200,)).start()
except RuntimeError:
    print("no more", flush=True)
"""
MOST = "--nproc=512:512"


@pytest.fixture
def flood(kernel_image: str) -> Iterator[None]:
    """Another attempt's container, whose submission has as many threads as the kernel lets its user have."""
    command = ["docker", "run", "-d", "--rm", "--network", "none", kernel_image, "sleep", "200"]
    name = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    solver = str(image_paths(name[:12]).solver_uid)
    user = ["setpriv", "--reuid", solver, "--regid", solver, "--clear-groups"]
    flooding = ["docker", "exec", name, "prlimit", MOST, *user, "/usr/bin/python3", "-c", THREADS]
    try:
        with subprocess.Popen(flooding, stdout=subprocess.PIPE, text=True) as running:
            assert running.stdout
            assert running.stdout.readline() == "no more\n"
            yield
            subprocess.run(["docker", "rm", "-f", name], check=True, capture_output=True)
    finally:
        subprocess.run(["docker", "rm", "-f", name], check=False, capture_output=True)


@pytest.mark.docker
@pytest.mark.usefixtures("flood")
def test_a_flood_in_another_container_takes_nothing(tmp_path: Path) -> None:
    """Threads are counted by user over all containers: each has a user of its own for submitted code."""
    turns = [write(FASTER), SCORE, SUBMIT]
    log = inspect_eval(kernel(scale="test"), model=model(turns), log_dir=str(tmp_path), display="none")[0]
    assert log.samples
    scorings = log.samples[0].store["Ledger:scorings"]
    assert [scoring["outcome"] for scoring in scorings] == ["scored", "scored"], str(scorings)
