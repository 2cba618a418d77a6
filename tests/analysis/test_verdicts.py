"""People's verdicts: stored beside the logs, used by every analysis, never inside a log."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import list_eval_logs

from rebench_inspect.analysis import read_attempts, read_logs
from rebench_inspect.analysis.verdicts import FILE, add_verdict
from rebench_inspect.errors import UsageError
from tests.analysis.logs import SUBMITTED, changed


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return Path(shutil.copy(SUBMITTED, tmp_path / "2026-01-01T00-00-00_a.eval"))


def _flagged_by_scorer(sample: dict[str, Any]) -> None:
    sample["store"]["Ledger:scorings"][3]["flags"] = [{"code": "below_floor", "evidence": "faster than memory"}]


def test_a_verdict_flags_one_attempt(log: Path):
    """A flag counts for the named sample alone, with its reason, and the log itself stays as it was."""
    before = log.read_bytes()
    add_verdict(str(log), "kernel-1", "flagged", "reads the scorer's memory")
    attempts = read_attempts(log).set_index("sample_id")
    assert attempts["flagged"].to_dict() == {"kernel-1": True, "kernel-2": False}
    assert attempts.loc["kernel-1", "verdict"].endswith(": reads the scorer's memory")
    assert log.read_bytes() == before


def test_the_last_verdict_counts(log: Path):
    """Verdicts are appended; the youngest one decides."""
    for decision in ("flagged", "cleared", "flagged"):
        add_verdict(str(log), "kernel-2", decision, "looked again")
    assert read_attempts(log)["flagged"].tolist() == [False, True]
    assert len((log.parent / FILE).read_text().splitlines()) == 3


def test_a_person_wins_over_the_scorer(tmp_path: Path):
    """The scorer's flag makes an attempt a flagged one; a person can clear it. Mere remarks flag nothing."""
    log = changed(SUBMITTED, tmp_path / "a.eval", _flagged_by_scorer)
    assert read_attempts(log)["flagged"].tolist() == [True, True]
    assert not read_attempts(SUBMITTED)["flagged"].any()
    add_verdict(str(log), "kernel-1", "cleared", "the timer was at fault")
    assert read_attempts(log)["flagged"].tolist() == [False, True]


def test_inspect_takes_the_file_for_no_log(log: Path):
    """Inspect lists the log alone."""
    add_verdict(str(log), "kernel-1", "flagged", "x")
    assert len(list_eval_logs(str(log.parent))) == 1


def test_wrong_names_are_refused(log: Path):
    """An unknown sample, or a file that is no log, is refused with the names that are there."""
    with pytest.raises(UsageError, match=r"0 samples match 'kernel-9'; it holds kernel-1 \(epoch 1\), kernel-2"):
        add_verdict(str(log), "kernel-9", "flagged", "x")
    with pytest.raises(UsageError, match="no readable Inspect log"):
        add_verdict(str(log.parent / "none.eval"), "kernel-1", "flagged", "x")


def test_broken_lines_are_named(log: Path):
    """A line that is no verdict is ignored and named; the others count."""
    add_verdict(str(log), "kernel-1", "flagged", "x")
    with (log.parent / FILE).open("a") as file:
        file.write("not json\n" + json.dumps({"attempt_id": "a"}) + "\n")
    reading = read_logs(log)
    assert reading.attempts["flagged"].tolist() == [True, False]
    assert [problem.sample for problem in reading.problems] == ["line 2", "line 3"]
