"""The course of a scoring: what is kept is what the host was told of."""

import os
import signal
import subprocess
import time
from pathlib import Path

import job
import outcome
import pytest
import scoring
import snapshot
from test_snapshot import job_for

AGENT = 59_996
BUSY = "import time\nwhile True: time.sleep(0)"

pytestmark = pytest.mark.skipif(os.getuid() != 0, reason="needs root to run another user's process")


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> job.Job:
    """A solution of the agent's, and a job about it."""
    (tmp_path / "trusted").mkdir()
    (tmp_path / "solution").mkdir()
    (tmp_path / "solution" / "solution.py").write_text("x = 1\n", encoding="utf-8")
    os.chown(tmp_path / "solution" / "solution.py", AGENT, AGENT)
    monkeypatch.setattr(snapshot, "FOLDER", tmp_path)
    return job_for(tmp_path, agent_uid=AGENT)


def settled(work: job.Job, *, wakes: bool) -> outcome.Verdict:
    """Run the course with a process of the agent's that sleeps through the measurement, or is woken in it."""
    agent = subprocess.Popen(["/usr/bin/python3", "-c", BUSY], user=AGENT, group=AGENT, extra_groups=[], cwd="/")

    def measure(_: job.Job, __: snapshot.Snapshot) -> outcome.Verdict:
        if wakes:
            agent.send_signal(signal.SIGCONT)
            time.sleep(0.3)
        return outcome.Verdict("scored", "1 ms", raw_score=0.0)

    try:
        return scoring._settled(work, measure)
    finally:
        agent.kill()
        agent.wait()


def test_a_valid_snapshot_is_kept(work: job.Job) -> None:
    """What scored is there for the re-measurement."""
    assert settled(work, wakes=False).outcome == "scored"
    assert (work.kept / "best" / "solution.py").is_file()


def test_a_disturbed_snapshot_is_not_kept(work: job.Job) -> None:
    """Whoever runs while he is halted gets no score, and no re-measurement of it either."""
    verdict = settled(work, wakes=True)
    assert (verdict.outcome, verdict.reason) == ("invalid", "background_processes")
    assert not list(work.kept.iterdir())


def test_submissions_decide_no_lengths(work: job.Job) -> None:
    """A complaint that repeats a megabyte of the submission's is cut."""

    def measure(_: job.Job, __: snapshot.Snapshot) -> outcome.Verdict:
        raise outcome.Invalid("wrong", "x" * (1 << 20))

    assert len(scoring._settled(work, measure).message) < 10_000
