"""Whole attempts: real `eval()`, real containers, a scripted model; every way in which an attempt can end."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai import score as inspect_score
from inspect_ai.event import ScoreEvent
from inspect_ai.log import EvalLog, EvalSample
from script import FASTER, SCORE, SLOWER, SUBMIT, WRONG, Call, model, write

from rebench_inspect import local_sandbox
from rebench_inspect.environments import KERNEL
from rebench_inspect.scoring import rebench
from rebench_inspect.tasks import kernel

ON_REQUEST = """
for _ in $(seq 600); do
    for c in $(docker ps -q --filter name=inspect-kernel); do
        docker exec $c test -e /tmp/now 2>/dev/null && {} && exit
    done
    sleep 0.1
done
"""
REQUEST: list[Call] = [("bash", {"command": "touch /tmp/now"}), ("bash", {"command": "sleep 3"})]

pytestmark = [pytest.mark.docker, pytest.mark.usefixtures("kernel_image")]


def attempt(turns: list[Call], tmp_path: Path, limits: dict[str, Any] | None = None, **options: Any) -> EvalLog:
    """Run one attempt at the private test scale and return its log."""
    task = kernel(scale="test", **options)
    return inspect_eval(task, model=model(turns), log_dir=str(tmp_path), display="none", **(limits or {}))[0]


def sample_of(log: EvalLog) -> EvalSample:
    assert log.samples
    return log.samples[0]


def scorings_of(sample: EvalSample) -> list[dict[str, Any]]:
    return sample.store["Ledger:scorings"]


def score_of(sample: EvalSample) -> dict[str, Any]:
    assert sample.scores
    value = sample.scores["rebench"].value
    assert isinstance(value, dict)
    return value


def raw_of(sample: EvalSample, index: int) -> float:
    """Return the raw score of a scoring, which must have one."""
    scoring = scorings_of(sample)[index]
    assert scoring["outcome"] == "scored", str(scoring)
    return scoring["raw"]


def messages_of(sample: EvalSample, tool: str) -> list[str]:
    return [message.text for message in sample.messages if message.role == "tool" and message.function == tool]


@contextmanager
def on_request(command: str) -> Iterator[None]:
    """Run a command, as the machine's root, on the container `$c` whose agent asks for it (`REQUEST`)."""
    waiting = subprocess.Popen(["/bin/sh", "-c", ON_REQUEST.format(command)], stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        waiting.kill()
        waiting.wait()


def test_an_attempt_that_submits(tmp_path: Path) -> None:
    """Four scorings: the best valid one counts, is re-measured once, and every record agrees with every other."""
    turns = [SCORE, write(WRONG), SCORE, write(FASTER), SCORE, write(SLOWER), SCORE, ("score_log", {}), SUBMIT]
    log = attempt(turns, tmp_path, archive=str(tmp_path / "archive"))
    sample = sample_of(log)
    assert log.status == "success", log.error
    scorings = scorings_of(sample)
    assert [scoring["outcome"] for scoring in scorings] == ["scored", "scored", "invalid", "scored", "scored"]
    assert [scoring["kind"] for scoring in scorings] == ["starting", *["attempt"] * 4]
    assert scorings[0]["at_s"] == 0
    assert scorings[1]["at_s"] < scorings[2]["at_s"] < scorings[3]["at_s"]
    best = min((scoring for scoring in scorings[1:] if scoring["outcome"] == "scored"), key=lambda one: one["raw"])
    assert best["index"] == 3
    value = score_of(sample)
    assert (value["score"], value["raw"]) == (best["score"], best["raw"])
    assert value["verified"] == sample.store["Ledger:verified"]["score"]
    assert sample.store["Ledger:verified"]["sha256"] == best["sha256"]
    events = [event for event in sample.events if isinstance(event, ScoreEvent) and event.intermediate]
    assert [event.score.metadata["index"] for event in events if event.score.metadata] == [1, 2, 3, 4]
    assert events[1].score.value == "invalid"
    assert isinstance(events[2].score.value, dict)
    assert events[2].score.value["raw"] == best["raw"]
    texts = messages_of(sample, "score")
    assert "valid" in texts[0]
    assert "Time used" in texts[0]
    assert "invalid (not_written)" in texts[1] or "invalid (wrong_output)" in texts[1]
    assert "Best so far: scoring 3" in texts[3]
    assert len(messages_of(sample, "score_log")[0].splitlines()) == 6
    archived = list((tmp_path / "archive").rglob("*.tar.gz"))
    assert len(archived) == 4  # the agent's first scoring of the starting files, and three files of its own


def test_hidden_numbers(tmp_path: Path) -> None:
    """With show_score=false neither messages nor intermediate events hold a number, yet the final score does."""
    log = attempt([write(FASTER), SCORE, ("score_log", {}), SUBMIT], tmp_path, show_score=False)
    sample = sample_of(log)
    assert messages_of(sample, "score")[0].splitlines()[0] == "Scoring 1: valid."
    events = [event for event in sample.events if isinstance(event, ScoreEvent) and event.intermediate]
    assert [event.score.value for event in events] == ["valid"]
    assert score_of(sample)["raw"] == raw_of(sample, 1)


def test_no_valid_scoring_counts_as_zero(tmp_path: Path) -> None:
    """An attempt that never scores validly counts as exactly 0, with the start as its raw score."""
    sample = sample_of(attempt([write(WRONG), SCORE, SUBMIT], tmp_path))
    assert score_of(sample) == {"score": 0.0, "raw": raw_of(sample, 0), "verified": 0.0}


def test_working_limit(tmp_path: Path) -> None:
    """An attempt that runs out of its budget ends by the working limit; its best scoring counts and is verified."""
    turns = [write(FASTER), SCORE, ("bash", {"command": "sleep 100"})]
    sample = sample_of(attempt(turns, tmp_path, budget_hours=15 / 3600))
    assert sample.limit is not None
    assert sample.limit.type == "working"
    assert score_of(sample)["raw"] == raw_of(sample, 1)
    assert score_of(sample)["verified"] is not None


def test_a_scoring_cut_off_by_the_limit_is_completed(tmp_path: Path) -> None:
    """A scoring that began within the budget counts even if the budget ends while it runs."""
    slow_import = "import time\ntime.sleep(8)\n" + FASTER
    sample = sample_of(attempt([write(slow_import), SCORE], tmp_path, budget_hours=6 / 3600))
    scorings = scorings_of(sample)
    assert sample.limit is not None
    assert [scoring["outcome"] for scoring in scorings] == ["scored", "scored"]
    assert scorings[1]["at_s"] < 6
    assert score_of(sample)["raw"] == scorings[1]["raw"]


def test_message_limit(tmp_path: Path) -> None:
    """An attempt that runs out of messages keeps what it had."""
    turns = [write(FASTER), SCORE, ("bash", {"command": "true"})]
    sample = sample_of(attempt(turns, tmp_path, limits={"message_limit": 12}))
    assert sample.limit is not None
    assert sample.limit.type == "message"
    assert score_of(sample)["raw"] == raw_of(sample, 1)


def test_container_crash_is_a_machine_fault(tmp_path: Path) -> None:
    """A container that dies is the machine's fault: recorded as such, and what was scored before still counts."""
    with on_request("docker kill $c"):
        sample = sample_of(attempt([write(FASTER), SCORE, *REQUEST, SCORE, SUBMIT], tmp_path))
    scorings = scorings_of(sample)
    assert [scoring["outcome"] for scoring in scorings] == ["scored", "scored", "machine_fault"]
    assert "does not count" in messages_of(sample, "score")[1]
    value = score_of(sample)
    assert value["raw"] == scorings[1]["raw"]
    assert value["verified"] is None


def test_a_best_that_fails_its_re_measurement_is_remarked(tmp_path: Path) -> None:
    """What was valid in the attempt and is invalid when measured again counts, with a flag that a reviewer sees."""
    spoil = "docker exec $c sh -c 'echo \"def prefix_sum(x, out): out.copy_(x)\" >/opt/rebench/kept/best/solution.py'"
    with on_request(spoil):
        sample = sample_of(attempt([write(FASTER), SCORE, *REQUEST, SUBMIT], tmp_path))
    assert sample.store["Ledger:verified"]["outcome"] == "invalid"
    value = score_of(sample)
    assert (value["raw"], value["verified"]) == (raw_of(sample, 1), None)
    assert sample.scores
    assert "not_verified" in (sample.scores["rebench"].metadata or {})["flags"].split(",")


def test_local_sandbox(tmp_path: Path) -> None:
    """Without Docker an attempt runs in Inspect's local sandbox: same scorer, marked as unprotected."""
    local_sandbox.build(KERNEL, KERNEL.scale("test"), print)
    turns: list[Call] = [("bash", {"command": f"cat > solution/solution.py <<'EOF'\n{FASTER}\nEOF"}), SCORE, SUBMIT]
    sample = sample_of(attempt(turns, tmp_path, sandbox="local"))
    assert [scoring["outcome"] for scoring in scorings_of(sample)] == ["scored", "scored"]
    assert scorings_of(sample)[1]["sha256"] != scorings_of(sample)[0]["sha256"]
    assert sample.scores
    assert (sample.scores["rebench"].metadata or {})["protection"] == "none"


def test_scoring_again_without_a_sandbox(tmp_path: Path) -> None:
    """`inspect score` on a log reads the ledger and the stored re-measurement; it measures nothing."""
    log = attempt([write(FASTER), SCORE, SUBMIT], tmp_path)
    again = inspect_score(log, rebench(), action="overwrite", display="none")
    assert score_of(sample_of(again)) == score_of(sample_of(log))


def test_attempts_are_samples(tmp_path: Path) -> None:
    """`attempts=2` makes two samples, each with its own ledger, start and score."""
    log = attempt([write(FASTER), SCORE, SUBMIT], tmp_path, attempts=2, scoring_counts=False)
    assert log.samples
    assert [sample.id for sample in log.samples] == ["kernel-1", "kernel-2"]
    assert all(len(scorings_of(sample)) == 2 for sample in log.samples)
    assert log.samples[0].store["Ledger:attempt"]["id"] != log.samples[1].store["Ledger:attempt"]["id"]
