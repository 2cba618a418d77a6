"""The real scorer on a machine with root and a GPU but neither Docker nor Inspect: `python3 -m rebench_inspect.bare`.

Proves GPU scorers where containers cannot be had. Imports the standard library and this package's pure modules alone.
"""

import argparse
import json
import math
import os
import shutil
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rebench_inspect import cases, environments, paths
from rebench_inspect.bare_machine import Machine, Scored
from rebench_inspect.cases import Case, Measured

UNSUPPORTED_STATUS = 3
PARTS = ("cases", "repeats", "agreement")
_GAINS_SHOWN = ("K04", "K12", "K24")


class Run:
    """One run of chosen parts: prints as it goes and gathers the figures."""

    def __init__(self, machine: Machine, only: str, deadline_s: float) -> None:
        self.machine, self.only = machine, only
        self.cases = cases.load(machine.environment, machine.scale.hardware)
        self.figures: dict[str, Any] = {}
        self.records: list[dict[str, Any]] = []
        self._deadline = time.monotonic() + deadline_s

    def score(self, case: Case) -> Scored:
        """Score a case and keep the record."""
        scored = self.machine.score(case)
        self.records.append({"case": case.name, "kind": case.kind, **scored._asdict()})
        return scored

    def in_time(self) -> bool:
        """Say whether another scoring may begin."""
        return time.monotonic() < self._deadline

    def run_cases(self) -> bool:
        """Run every case once (a gain three times); return whether nothing surprised."""
        known: dict[str, Measured] = {}
        results: list[tuple[Case, Measured, str | None]] = []
        for case in self.cases:
            if case.kind != "solution" and (self.only not in case.name or not self.in_time()):
                continue
            scored = self.score(case)
            measured, wrong = self._judge(case, scored, known)
            if case.kind == "solution":
                known[case.name] = measured
            if case.name == "frontier":
                wrong = wrong or cases.reference_surprise(self.machine.environment, known)
            results.append((case, measured, wrong))
            became = f"{measured.outcome} {measured.reason or self.machine.environment.readable(measured.raw)}"
            _say(f"{case.kind:9}{case.name:40}{became:28}{scored.seconds:6.1f} s  {wrong or 'as expected'}")
            if wrong or measured.outcome.endswith("fault"):
                _say(f"    {scored.message[:600]}")
        self._summarise(results, known)
        _say(cases.summary(self.machine.environment, self.machine.scale.name, results))
        return not any(wrong for *_, wrong in results)

    def _judge(self, case: Case, scored: Scored, known: dict[str, Measured]) -> tuple[Measured, str | None]:
        tolerance = self.machine.scale.gain_tolerance
        wrong = cases.surprise(case, scored.measured, known, tolerance)
        if not (wrong and wrong.startswith("it gained")):
            return scored.measured, wrong
        again = [scored.measured, self.score(case).measured, self.score(case).measured]
        return cases.median(again), cases.surprise(case, cases.median(again), known, tolerance)

    def _summarise(self, results: list[tuple[Case, Measured, str | None]], known: dict[str, Measured]) -> None:
        cheats = [(case, measured) for case, measured, _ in results if case.kind == "cheat"]
        gains = {case.name: cases.gain_over(case, measured, known) for case, measured in cheats}
        percents = {name: 100 * gain for name, gain in gains.items() if gain is not None}
        self.figures["max_cheat_gain_pct"] = max(percents.values(), default=0.0)
        self.figures["cheats_invalid"] = sum(measured.outcome == "invalid" for _, measured in cheats)
        self.figures |= {
            f"gain_{name}_pct": percent for name, percent in percents.items() if name.startswith(_GAINS_SHOWN)
        }
        for kind, count, bad in (
            ("cheat", "cheats_run", "cheats_won"),
            ("control", "controls_run", "controls_rejected"),
        ):
            rows = [wrong for case, _, wrong in results if case.kind == kind]
            self.figures[count], self.figures[bad] = len(rows), sum(map(bool, rows))

    def run_repeats(self, repeats: int) -> bool:
        """Score reference and frontier `repeats` times and each control five; return whether all were accepted."""
        accepted = True
        chosen = [(case, repeats) for case in self.cases if case.name in ("reference", "frontier")]
        chosen += [(case, 5) for case in self.cases if case.kind == "control" and self.only in case.name]
        for case, times in chosen:
            scored = [self.score(case) for _ in range(times) if self.in_time()]
            raws = [one.measured.raw for one in scored if one.measured.raw is not None]
            spread = 100 * statistics.stdev(raws) if len(raws) > 1 else 0.0
            if case.kind == "solution" and raws:
                self.figures[f"{case.name}_scorings"] = len(scored)
                self.figures[f"cv_{case.name}_pct"] = spread  # the raw score is a logarithm
            accepted = accepted and len(raws) == len(scored)
            median = self.machine.environment.readable(statistics.median(raws)) if raws else "-"
            _say(f"repeats  {case.name:40}{len(raws)}/{len(scored)} accepted  median {median}  cv {spread:.2f} %")
        return accepted

    def run_agreement(self) -> bool:
        """Compare the scorer's times with CUDA events of an honest loop; return whether the comparison ran."""
        checkout = paths.CHECKOUT or Path()
        names = ("reference", "frontier")
        extra: dict[str, bytes] = {}
        for case in (case for case in self.cases if case.kind == "solution" and case.name in names):
            extra |= {f"{case.name}/{name}": content for name, content in case.files.items()}
        ended = self.machine.start((checkout / "benchmarks" / "kernel_agreement.py").read_bytes(), extra)
        shutil.rmtree(ended.folder, ignore_errors=True)
        _say(f"agreement: {ended.output[-3000:]} {ended.error[-1500:]}")
        if ended.status:
            return False
        self.figures |= json.loads(ended.output.splitlines()[-1])
        return True

    def finish(self) -> dict[str, Any]:
        """Return the figures with the times of known solutions, the costs and the fingerprint."""
        for name in ("starting", "reference", "frontier"):
            raws = [row["measured"].raw for row in self.records if row["case"] == name and row["kind"] == "solution"]
            values = [raw for raw in raws if raw is not None]
            if values:
                self.figures[f"{name}_ms"] = math.exp(statistics.median(values))
        known = [row for row in self.records if row["kind"] == "solution" and row["measurements"]]
        if known:
            for key in ("copy_ms", "scorer_gpu_memory_gib", "import_s"):
                values = [row["measurements"][key] for row in known if key in row["measurements"]]
                self.figures |= {key: statistics.median(values)} if values else {}
            costs = [row["seconds"] - row["measurements"]["import_s"] for row in known]
            self.figures["scoring_s"] = max(costs)
            self.figures |= {f"fingerprint_{key}": value for key, value in known[-1]["fingerprint"].items()}
        return self.figures


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - a command's output


def main(argv: list[str]) -> int:
    """Run the chosen parts and return the exit status: 0 nothing surprised, 1 a surprise, 3 unsupported here."""
    parser = argparse.ArgumentParser(prog="python3 -m rebench_inspect.bare", description=__doc__)
    parser.add_argument("environment")
    parser.add_argument("--scale", default="single")
    parser.add_argument("--only", default="", help="only cases whose name holds this text; known solutions always run")
    parser.add_argument("--parts", default="cases", help=f"comma-separated: {', '.join(PARTS)}")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no scoring after this time")
    parser.add_argument("--json", type=Path, help="write the figures there; figures of other parts are kept")
    options = parser.parse_args(argv)
    environment = environments.environment(options.environment)
    if os.geteuid() != 0:
        _say("unsupported: needs root, to run submitted code as another user")
        return UNSUPPORTED_STATUS
    machine = Machine(environment, environment.scale(options.scale))
    if machine.scale.hardware == "cuda" and not _is_supported(machine):
        return UNSUPPORTED_STATUS
    run = Run(machine, options.only, options.seconds)
    parts: dict[str, Callable[[], bool]] = {
        "cases": run.run_cases,
        "repeats": lambda: run.run_repeats(options.repeats),
        "agreement": run.run_agreement,
    }
    try:
        outcomes = [parts[name]() for name in options.parts.split(",")]
    finally:
        machine.end_users()
        if options.json:
            _write(options.json, run)
    return 0 if all(outcomes) else 1


def _is_supported(machine: Machine) -> bool:
    """Try whether memory of the GPU can be shared with another user here, and say so."""
    probe = machine.start((paths.scorer_folder(machine.environment.slug) / "probe.py").read_bytes())
    shutil.rmtree(probe.folder, ignore_errors=True)
    _say(f"unsupported: {probe.error[-1500:]}" if probe.status else f"supported: {probe.output}")
    return not probe.status


def _write(target: Path, run: Run) -> None:
    before: dict[str, Any] = json.loads(target.read_text(encoding="utf-8")) if target.exists() else {}
    target.write_text(json.dumps({**before, **run.finish()}, indent=1), encoding="utf-8")
    records = json.dumps([{**row, "measured": list(row["measured"])} for row in run.records])
    target.with_suffix(".records.json").write_text(records, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
