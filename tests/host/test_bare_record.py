"""What bare machines measured: goes on from a file, never mixes scorers or changed cases, and counts honestly."""

import math
from pathlib import Path

import pytest

from rebench_inspect import bare_record, bundle
from rebench_inspect.bare_record import Record, Result
from rebench_inspect.cases import Case, Measured

CASES = [
    Case("reference", "solution", {"solution.py": b"1"}),
    Case("K12_early", "cheat", {"solution.py": b"2"}, honest="reference"),
    Case("K04_forge", "cheat", {"solution.py": b"3"}),
    Case("plain", "control", {"solution.py": b"4"}),
]


def record() -> Record:
    """Return a record of two of the four cases."""
    made = Record("abc")
    details = {"import_s": 1.5, "copy_ms": 0.2}, {"gpu": "X"}
    for case, raw, gain, wrong in ((CASES[0], math.log(2.0), None, None), (CASES[1], 0.6, 0.05, "it gained 5%")):
        measured = Measured("scored", None, raw, 0.01)
        made.cases[case.name] = Result(case.kind, bundle.files_hash(case.files), measured, wrong, gain, 5.0, *details)
    made.repeats = {"reference": [math.log(2.0), math.log(2.2)], "plain": [0.1, None]}
    return made


def test_a_record_survives_the_file(tmp_path: Path) -> None:
    """What was measured is the same after it was written and read."""
    path = tmp_path / "x.record.json"
    bare_record.write(path, record())
    assert bare_record.read(path, "abc") == record()
    assert bare_record.read(path, "another") == Record("another")
    assert bare_record.read(tmp_path / "none", "abc") == Record("abc")


def test_a_changed_case_is_run_again() -> None:
    """Its earlier result says nothing about it, and is not counted."""
    changed = Case("K12_early", "cheat", {"solution.py": b"22"})
    assert record().has(CASES[1])
    assert not record().has(changed)
    assert record().figures([CASES[0], changed])["cheats_run"] == 0


def test_a_case_that_ended_by_a_fault_is_run_again() -> None:
    """A machine that was mended in between is not held to what it did before; the summary still has the case."""
    found = record()
    found.cases["K12_early"].measured = Measured("machine_fault", None, None, None)
    assert found.has(CASES[1])
    assert [found.is_settled(case) for case in CASES] == [True, False, False, False]


def test_figures_count_what_was_run_and_what_was_not() -> None:
    """Runs, wins, rejections and spread come from the record alone; what did not run is named."""
    figures = record().figures(CASES)
    assert (figures["cheats_run"], figures["cheats_won"], figures["cheats_not_run"]) == (1, 1, 1)
    assert (figures["controls_run"], figures["repeats_run"], figures["repeats_rejected"]) == (0, 4, 1)
    assert figures["max_cheat_gain_pct"] == figures["gain_K12_early_pct"] == pytest.approx(5.0)
    assert figures["cv_reference_pct"] == pytest.approx(100 * math.log(1.1) / math.sqrt(2))
    assert figures["reference_ms"] == pytest.approx(math.sqrt(2.0 * 2.2))
    assert (figures["scoring_s"], figures["copy_ms"], figures["fingerprint_gpu"]) == (3.5, 0.2, "X")
    assert "cv_plain_pct" not in figures
