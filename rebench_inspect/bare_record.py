"""What runs on a bare machine have measured so far: kept in a file between commands, turned into figures (pure)."""

import json
import math
import statistics
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from rebench_inspect import bundle
from rebench_inspect.cases import Case, Measured

_GAINS_SHOWN = ("K04", "K12", "K24")
_SUFFIXES = {"ln(milliseconds)": "ms", "ln(seconds)": "s"}
_KNOWN = ("starting", "reference", "frontier")
_OF_A_SCORING = ("copy_ms", "scorer_gpu_memory_gib", "import_s")


@dataclass(slots=True)
class Result:
    """What became of one case.

    Attributes:
        kind: As of the case.
        files: Hash of the case's files: a changed case is run again.
        measured: Outcome, reason, raw score and its error.
        wrong: What was not as expected, or None.
        gain: Share by which a cheat beat its honest twin, measured side by side, or None.
        seconds: What the scoring took.
        measurements, fingerprint: The operator's details.
    """

    kind: str
    files: str
    measured: Measured
    wrong: str | None
    gain: float | None
    seconds: float
    measurements: dict[str, Any] = field(default_factory=dict[str, Any])
    fingerprint: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(slots=True)
class Record:
    """All that was measured of one environment with one version of its scorer.

    Attributes:
        scorer: Hash of the environment's own part of the scorer; results of another one are not used.
        cases: Result by case.
        repeats: Raw scores of repeated scorings by case, its first one among them; None is one that was not accepted.
        agreement: Figures of the comparison with the device's own events.
    """

    scorer: str
    cases: dict[str, Result] = field(default_factory=dict[str, Result])
    repeats: dict[str, list[float | None]] = field(default_factory=dict[str, list[float | None]])
    agreement: dict[str, float] = field(default_factory=dict[str, float])

    def known(self) -> dict[str, Measured]:
        """Return what became of the known solutions."""
        return {name: self.cases[name].measured for name in _KNOWN if name in self.cases}

    def has(self, case: Case) -> bool:
        """Say whether this very case was run."""
        return case.name in self.cases and self.cases[case.name].files == bundle.files_hash(case.files)

    def is_settled(self, case: Case) -> bool:
        """Say whether this very case was run to an end: what ended by a fault is to be run again."""
        return self.has(case) and not self.cases[case.name].measured.outcome.endswith("fault")

    def figures(self, cases: list[Case], raw_unit: str = "ln(milliseconds)") -> dict[str, Any]:
        """Return every figure that follows from what was measured of these cases; times have the raw score's unit."""
        chosen = {case.name: self.cases[case.name] for case in cases if self.has(case)}
        found = _counts(chosen) | _gains(chosen) | self._repeated() | self.agreement
        found["cheats_not_run"] = sum(case.kind == "cheat" for case in cases) - found["cheats_run"]
        return found | self._of_known_solutions(chosen, _SUFFIXES.get(raw_unit))

    def _repeated(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, raws in self.repeats.items():
            accepted = [raw for raw in raws if raw is not None]
            if name in _KNOWN and len(accepted) > 1:
                found[f"{name}_scorings"] = len(raws)
                found[f"cv_{name}_pct"] = 100 * statistics.stdev(accepted)  # the raw score is a logarithm
        found["repeats_run"] = sum(map(len, self.repeats.values()))
        found["repeats_rejected"] = sum(raw is None for raws in self.repeats.values() for raw in raws)
        return found

    def _of_known_solutions(self, chosen: dict[str, Result], suffix: str | None) -> dict[str, Any]:
        found: dict[str, Any] = {}
        results = {name: chosen[name] for name in _KNOWN if name in chosen}
        for name, result in results.items():
            raws = [raw for raw in self.repeats.get(name) or [result.measured.raw] if raw is not None]
            middle = statistics.median(raws) if raws else None
            if middle is not None:
                found[f"{name}_{suffix or 'raw'}"] = math.exp(middle) if suffix else middle
            for trial in result.measurements.get("trials", ()):
                found |= {f"{name}_{key}": value for key, value in trial.items() if value is not None}
        timed = [result for result in results.values() if "import_s" in result.measurements]
        for key in _OF_A_SCORING:
            values = [result.measurements[key] for result in timed if key in result.measurements]
            found |= {key: statistics.median(values)} if values else {}
        for result in (result for result in results.values() if result.measured.raw is not None):
            found |= {f"fingerprint_{key}": value for key, value in result.fingerprint.items()}
        if timed:
            found["scoring_s"] = max(result.seconds - result.measurements["import_s"] for result in timed)
        return found


def _counts(chosen: dict[str, Result]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for kind, count, bad in (("cheat", "cheats_run", "cheats_won"), ("control", "controls_run", "controls_rejected")):
        wrongs = [result.wrong for result in chosen.values() if result.kind == kind]
        found |= {count: len(wrongs), bad: sum(map(bool, wrongs))}
    cheats = [result for result in chosen.values() if result.kind == "cheat"]
    found["cheats_invalid"] = sum(result.measured.outcome == "invalid" for result in cheats)
    return found


def _gains(chosen: dict[str, Result]) -> dict[str, float]:
    percents = {name: 100 * result.gain for name, result in chosen.items() if result.gain is not None}
    shown = {f"gain_{name}_pct": percent for name, percent in percents.items() if name.startswith(_GAINS_SHOWN)}
    return {"max_cheat_gain_pct": max(percents.values(), default=0.0), **shown}


def read(path: Path | None, scorer: str) -> Record:
    """Return the record in a file; an empty one where there is none, or one of another scorer."""
    data: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path and path.exists() else {}
    if data.get("scorer") != scorer:
        return Record(scorer)
    cases = {name: Result(**fields) for name, fields in data.pop("cases").items()}
    for result in cases.values():
        result.measured = Measured(*result.measured)
    return Record(cases=cases, **data)


def write(path: Path | None, record: Record) -> None:
    """Keep a record where there is a place for it."""
    if path:
        path.write_text(json.dumps(asdict(record)), encoding="utf-8")
