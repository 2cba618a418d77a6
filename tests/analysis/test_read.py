"""From logs to frames: what is counted, what is not, and what a reader is told about it."""

import json
import math
import shutil
import zipfile
from pathlib import Path
from typing import Any

import fsspec
import numpy as np
import pandas as pd
import pytest
from inspect_ai.log import read_eval_log, write_eval_log

from rebench_inspect.analysis import LogWarning, read_attempts, read_logs, read_scorings
from rebench_inspect.analysis.columns import ATTEMPT_TYPES, SCORING_TYPES
from rebench_inspect.analysis.files import records
from rebench_inspect.errors import UsageError
from tests.analysis.logs import DATA, LIMITED, SUBMITTED, WITHOUT_VALID, changed, evals, renamed


def test_golden_frames():
    """Real logs give the frames that were checked once: every column but the paths."""
    reading = read_logs([SUBMITTED, WITHOUT_VALID, LIMITED])
    assert reading.problems == []
    expected = json.loads((DATA / "expected.json").read_text())
    for name in ("attempts", "scorings"):
        frame = getattr(reading, name).drop(columns="log")
        assert records(frame) == expected[name]


def test_golden_attempts_agree_with_the_score():
    """The best and the verified score of the frame are those that Inspect shows as the attempt's score."""
    attempts = read_attempts([SUBMITTED, WITHOUT_VALID, LIMITED]).set_index("attempt_id")
    for path in (SUBMITTED, WITHOUT_VALID, LIMITED):
        for sample in read_eval_log(str(path)).samples or []:
            assert sample.scores
            value: Any = sample.scores["rebench"].value
            row = attempts.loc[sample.uuid]
            assert (row["best"], row["best_raw"], row["verified"]) == (value["score"], value["raw"], value["verified"])


def test_columns_and_types_do_not_depend_on_rows(tmp_path: Path):
    """An empty folder gives empty frames with the same columns and types, and no error."""
    empty, full = read_logs(tmp_path), read_logs(SUBMITTED)
    assert list(empty.scorings.columns) == list(SCORING_TYPES)
    assert list(empty.attempts.columns)[: len(ATTEMPT_TYPES)] == list(ATTEMPT_TYPES)
    assert empty.attempts.dtypes.to_dict() == full.attempts.dtypes.to_dict()
    assert empty.scorings.dtypes.to_dict() == full.scorings.dtypes.to_dict()


def test_both_formats(tmp_path: Path):
    """The same log as `.eval` and as `.json` gives the same frames."""
    path = tmp_path / "2026-01-01T00-00-00_kernel_x.json"
    write_eval_log(read_eval_log(str(SUBMITTED)), str(path), format="json")
    for read in (read_attempts, read_scorings):
        pd.testing.assert_frame_equal(read(path).drop(columns="log"), read(SUBMITTED).drop(columns="log"))


def test_folders(tmp_path: Path):
    """Nested folders are searched, `examples` is not, unless it is named; other JSON files are no logs."""
    nested, examples = tmp_path / "a" / "b", tmp_path / "examples"
    for folder, log in ((nested, SUBMITTED), (examples, WITHOUT_VALID)):
        folder.mkdir(parents=True)
        shutil.copy(log, folder / f"{folder.name}.eval")
    (tmp_path / "settings.json").write_text("{}")
    assert len(read_attempts(tmp_path)) == 2
    assert len(read_attempts(examples)) == 1
    assert len(read_attempts([tmp_path, examples])) == 3
    assert len(read_attempts(str(nested / "b.eval"))) == 2


def test_urls():
    """An fsspec URL of a folder or a file is read like a local one."""
    memory = fsspec.filesystem("memory")
    memory.pipe_file("/logs/one.eval", SUBMITTED.read_bytes())
    assert read_attempts("memory://logs")["log"].unique().tolist() == ["memory:///logs/one.eval"]
    assert len(read_scorings("memory://logs/one.eval")) == 10


def test_what_does_not_exist():
    """A path that is not there is an error that says what to name."""
    with pytest.raises(UsageError, match="no such file or folder"):
        read_logs("/nowhere/at/all")


def test_processes_change_nothing(tmp_path: Path):
    """Several processes give the same frames as one."""
    for number in range(3):
        header = evals(eval_id=f"e{number}", task_id=f"t{number}")
        changed(SUBMITTED, tmp_path / f"{number}.eval", renamed(str(number)), header)
    one, two = read_logs(tmp_path), read_logs(tmp_path, processes=2)
    pd.testing.assert_frame_equal(one.attempts, two.attempts)
    pd.testing.assert_frame_equal(one.scorings, two.scorings)


def test_copies_are_counted_once(tmp_path: Path):
    """The same log twice is one log, with a warning that names both files."""
    for name in ("a.eval", "b.eval"):
        shutil.copy(SUBMITTED, tmp_path / name)
    with pytest.warns(
        LogWarning, match=r"b\.eval: 2 attempts are copies of attempts in .*a\.eval; they are counted once"
    ):
        assert len(read_attempts(tmp_path)) == 2


def test_retries_are_counted_once(tmp_path: Path):
    """A retried attempt counts once, from the youngest log of the same task; its scorings too."""
    changed(SUBMITTED, tmp_path / "a.eval")
    changed(SUBMITTED, tmp_path / "b.eval", renamed("r"), evals(eval_id="again", created="2099-01-01T00:00:00+00:00"))
    reading = read_logs(tmp_path)
    assert reading.attempts["eval_id"].unique().tolist() == ["again"]
    assert len(reading.scorings) == 10
    assert ["retried in" in problem.what for problem in reading.problems] == [True]
    assert not any(problem.left_out for problem in reading.problems)


def test_running_logs_count(tmp_path: Path):
    """A log without a final header, as a running or killed eval leaves it, counts with the attempts that it holds."""
    path = changed(SUBMITTED, tmp_path / "running.eval", running=True)
    assert len(read_attempts(path)) == 2


def test_ends(tmp_path: Path):
    """An attempt says how it ended: submitted, by which limit, by an error."""

    def crash(sample: dict[str, Any]) -> None:
        sample["error"] = {"message": "the model's API is gone", "traceback": "", "traceback_ansi": ""}

    ended = read_attempts([SUBMITTED, LIMITED])["ended"].tolist()
    assert ended == ["submit", "submit", "working limit"]
    crashed = read_attempts(changed(SUBMITTED, tmp_path / "a.eval", crash)).iloc[0]
    assert (crashed["ended"], crashed["error"]) == ("error", "the model's API is gone")
    assert crashed["best"] > 0


def _ledger(**fields: Any):
    def change(sample: dict[str, Any]) -> None:
        sample["store"].update({f"Ledger:{name}": value for name, value in fields.items()})

    return change


def _without_kind(sample: dict[str, Any]) -> None:
    del sample["store"]["Ledger:scorings"][1]["kind"]


def _not_a_number(sample: dict[str, Any]) -> None:
    best = min(sample["store"]["Ledger:scorings"][1:], key=lambda scoring: scoring.get("raw") or math.inf)
    best["raw"] = math.nan


def _no_ledger(sample: dict[str, Any]) -> None:
    sample["store"] = {"other": 1}


def _no_fingerprint(sample: dict[str, Any]) -> None:
    for scoring in sample["store"]["Ledger:scorings"]:
        scoring["fingerprint"] = {}


BAD = {
    "another task": (_no_ledger, "no sample holds a ledger of rebench-inspect", 0, True),
    "old schema": (_without_kind, "scoring 1 has no kind", 0, True),
    "unknown environment": (_ledger(environment="chess"), "'chess' is not an environment", 0, True),
    "never began": (_ledger(scorings=[]), "the attempt never began", 0, True),
    "no number": (_not_a_number, "raw score nan is no number", 2, True),
    "unknown anchors": (_ledger(anchors={}), "its anchors are unknown", 2, True),
    "equal anchors": (
        _ledger(anchors={"starting": 1, "reference": 1, "source": "x"}),
        "its anchors are unknown",
        2,
        True,
    ),
    "no fingerprint": (_no_fingerprint, "a scoring has no fingerprint", 2, False),
}


@pytest.mark.parametrize(("change", "line", "attempts", "left_out"), BAD.values(), ids=BAD.keys())
def test_bad_input_is_named(tmp_path: Path, change, line: str, attempts: int, left_out: bool):
    """Each irregularity is a line with file, matter and what was done; the rest of the logs is still read."""
    bad = changed(SUBMITTED, tmp_path / "bad.eval", change, evals(eval_id="bad", task_id="bad"))
    changed(WITHOUT_VALID, tmp_path / "good.eval")
    reading = read_logs(tmp_path)
    assert len(reading.attempts) == attempts + 1
    assert all(str(problem).startswith(str(bad)) for problem in reading.problems)
    assert any(line in str(problem) and problem.left_out == left_out for problem in reading.problems)


def test_a_number_that_is_none_is_a_fault(tmp_path: Path):
    """A valid scoring whose raw score is NaN counts as a fault of the scorer, and the next best counts."""
    path = changed(SUBMITTED, tmp_path / "bad.eval", _not_a_number)
    reading = read_logs(path)
    whole = read_attempts(SUBMITTED)
    assert reading.attempts["n_faults"].tolist() == [1, 1]
    assert (reading.attempts["best"] < whole["best"]).all()
    assert np.isfinite(reading.scorings.loc[reading.scorings["outcome"] == "scored", "raw"]).all()


def test_unknown_anchors_leave_raw_scores(tmp_path: Path):
    """Without anchors an attempt keeps its raw score and has no normalised one, except by the published anchors."""
    row = read_logs(changed(SUBMITTED, tmp_path / "a.eval", _ledger(anchors={}))).attempts.iloc[0]
    assert np.isnan(row["best"])
    assert np.isnan(row["best_local"])
    assert np.isfinite(row["best_raw"])
    assert np.isfinite(row["best_published"])


def test_an_unreadable_member_costs_one_attempt(tmp_path: Path):
    """A sample that cannot be read is named; the others of its log count."""
    path = tmp_path / "a.eval"
    with zipfile.ZipFile(SUBMITTED) as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            target.writestr(name, b'{"id": ' if name == "samples/kernel-1_epoch_1.json" else source.read(name))
    reading = read_logs(path)
    assert len(reading.attempts) == 1
    assert "samples/kernel-1_epoch_1.json: unreadable" in str(reading.problems[0])


def test_human_attempts_land_in_the_same_frames(tmp_path: Path):
    """An attempt through Inspect's human agent has the model `human`, and is told apart by its agent."""
    header = evals(solver="inspect_ai/human_cli")
    row = read_attempts(changed(SUBMITTED, tmp_path / "a.eval", _replayed(""), header)).iloc[0]
    assert (row["model"], row["agent"]) == ("human", "human_cli")


def test_replays_are_no_models(tmp_path: Path):
    """A replayed solution is its own agent, so it never shares a row with a model's attempts."""
    row = read_attempts(changed(SUBMITTED, tmp_path / "a.eval", _replayed("/some/where/reference"))).iloc[0]
    assert row["agent"] == "replay of reference"


def _replayed(solution: str):
    def change(sample: dict[str, Any]) -> None:
        sample["store"]["Ledger:attempt"]["solution"] = solution

    return change


def test_comparability(tmp_path: Path):
    """Attempts under the same rules share a key; another prompt, scorer or machine is another key."""

    def other_prompt(sample: dict[str, Any]) -> None:
        sample["store"]["Ledger:attempt"]["prompt_variant"] = "no_rules"

    same = read_attempts(SUBMITTED)["comparability"]
    assert same.nunique() == 1
    other = read_attempts(changed(SUBMITTED, tmp_path / "a.eval", other_prompt))["comparability"]
    assert set(other).isdisjoint(same)
