"""Verdicts: one schema, and everything else is the scorer's fault."""

import json
from pathlib import Path
from typing import Any

import pytest

from rebench_inspect.verdict import VerdictError, parse

GOOD: dict[str, Any] = {
    "schema": 1,
    "outcome": "scored",
    "raw_score": 3.5,
    "raw_se": 0.01,
    "reason": None,
    "message": "33 ms a call",
    "measurements": {"copy_ms": 4.0},
    "flags": [{"code": "noisy", "evidence": "20 %"}],
    "fingerprint": {"cpu": "x"},
}


def test_a_good_verdict_parses() -> None:
    """All fields arrive as written."""
    verdict = parse(json.dumps(GOOD))
    assert (verdict.outcome, verdict.raw_score, verdict.flags[0].code) == ("scored", 3.5, "noisy")


def test_an_invalid_verdict_parses() -> None:
    """Invalid means: a reason and no score."""
    verdict = parse(json.dumps({**GOOD, "outcome": "invalid", "raw_score": None, "raw_se": None, "reason": "crashed"}))
    assert (verdict.outcome, verdict.reason, verdict.raw_score) == ("invalid", "crashed", None)


@pytest.mark.parametrize(
    "change",
    [
        {"schema": 2},
        {"outcome": "passed"},
        {"raw_score": None},
        {"raw_score": "3.5"},
        {"raw_score": True},
        {"reason": "crashed"},
        {"outcome": "invalid", "reason": None, "raw_score": None},
        {"outcome": "invalid", "reason": "crashed"},
        {"measurements": []},
        {"flags": {}},
        {"flags": [{"code": "x"}]},
        {"message": 3},
        {"extra": 1},
    ],
    ids=str,
)
def test_a_contradictory_verdict_is_refused(change: dict[str, Any]) -> None:
    """A verdict that contradicts itself or the schema never becomes a score."""
    with pytest.raises(VerdictError):
        parse(json.dumps({**GOOD, **change}))


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "null", '{"schema": 1}', json.dumps({**GOOD, "raw_score": float("nan")})]
)
def test_what_is_no_verdict_is_refused(text: str) -> None:
    """Nothing, half a file, another type, NaN: refused, never a zero."""
    with pytest.raises(VerdictError):
        parse(text)


def test_the_scorer_writes_what_the_host_reads(tmp_path: Path) -> None:
    """The trusted zone's writer and the host's parser agree on the schema (they share no code)."""
    import subprocess
    import sys

    common = Path(__file__).resolve().parents[2] / "scorers" / "common"
    (tmp_path / "trusted").mkdir()
    for name in ("job.py", "outcome.py"):
        (tmp_path / "trusted" / name).write_bytes((common / name).read_bytes())
    program = (
        "import outcome; outcome.write(outcome.Verdict('scored', 'm', 1.5, 0.1, measurements={'a': 1},"
        " flags=[{'code': 'c', 'evidence': 'e'}]))"
    )
    subprocess.run([sys.executable, "-c", program], cwd=tmp_path / "trusted", check=True)
    assert parse((tmp_path / "trusted" / "verdict.json").read_text(encoding="utf-8")).raw_score == 1.5
