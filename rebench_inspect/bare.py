"""The real scorer on a machine with root and a GPU but neither Docker nor Inspect: `python3 -m rebench_inspect.bare`.

Proves GPU scorers where containers cannot be had. Imports the standard library and this package's pure modules alone.
Can be interrupted: with `--json` the same command goes on where the last one ended.
"""

import argparse
import json
import os
import shutil
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from rebench_inspect import bare_record, bundle, cases, environments, paths
from rebench_inspect.bare_machine import Machine, Scored
from rebench_inspect.bare_record import Record, Result
from rebench_inspect.cases import Case, Measured

UNSUPPORTED_STATUS = 3
PARTS = ("references", "cases", "repeats", "agreement")
_TURNS = 3


class Run:
    """One run of chosen parts: prints as it goes and adds to the record what is not in it yet."""

    def __init__(
        self, machine: Machine, record: Record, only: str, deadline_s: float, keep: Callable[[Record], None]
    ) -> None:
        self.machine, self.record, self.only, self._keep = machine, record, only.split(","), keep
        self.cases = cases.load(machine.environment, machine.scale)
        self._deadline = time.monotonic() + deadline_s

    def in_time(self) -> bool:
        """Say whether another scoring may begin."""
        return time.monotonic() < self._deadline

    def _is_chosen(self, case: Case) -> bool:
        return case.kind == "solution" or any(part in case.name for part in self.only)

    def run_cases(self) -> bool:
        """Run every chosen case once (seeming gains in turn with the honest twin); return whether nothing surprised."""
        for case in self.cases:
            if self._is_chosen(case) and not self.record.is_settled(case) and self.in_time():
                self._run_case(case)
        environment, known = self.machine.environment, self.record.known()
        done = [case for case in self.cases if self.record.has(case)]
        results = [(case, self.record.cases[case.name].measured) for case in done]
        wrongs = [self.record.cases[case.name].wrong for case in done]
        if len(known) == len([case for case in self.cases if case.kind == "solution"]):
            wrongs.append(cases.reference_surprise(environment, known))
            rows = [(*row, wrong) for row, wrong in zip(results, wrongs, strict=False)]
            _say(cases.summary(environment, self.machine.scale.name, rows))
        return not any(wrongs)

    def _run_case(self, case: Case) -> None:
        scored = self.machine.score(case)
        measured, beside = self._in_turn(case, scored.measured)
        wrong = cases.surprise(case, measured, beside, self.machine.scale.gain_tolerance)
        gain = cases.gain_over(case, measured, beside)
        details = scored.seconds, scored.measurements, scored.fingerprint
        files = bundle.files_hash(case.files)
        self.record.cases[case.name] = Result(case.kind, files, measured, wrong, gain, *details)
        self.record.repeats.pop(case.name, None)
        self._keep(self.record)
        self._tell(case, measured, scored, wrong)

    def _in_turn(self, case: Case, first: Measured) -> tuple[Measured, dict[str, Measured]]:
        """Score a cheat that seems to gain, and its honest twin, in turn: machines differ, and change."""
        known = self.record.known()
        gain = cases.gain_over(case, first, known)
        if gain is None or gain <= self.machine.scale.gain_tolerance:
            return first, known
        twin = next(other for other in self.cases if other.name == case.honest)
        turns = [(self.machine.score(twin).measured, self.machine.score(case).measured) for _ in range(_TURNS)]
        _say(f"    in turn: {[[self.machine.environment.readable(one.raw) for one in turn] for turn in turns]}")
        return cases.median([cheat for _, cheat in turns]), {twin.name: cases.median([honest for honest, _ in turns])}

    def _tell(self, case: Case, measured: Measured, scored: Scored, wrong: str | None) -> None:
        became = f"{measured.outcome} {measured.reason or self.machine.environment.readable(measured.raw)}"
        imported = f"({scored.measurements.get('import_s', 0.0):4.1f} s its import)"
        _say(f"{case.kind:9}{case.name:40}{became:28}{scored.seconds:6.1f} s {imported}  {wrong or 'as expected'}")
        if wrong or measured.outcome.endswith("fault") or measured.reason == "import_failed":
            _say(f"    {scored.message[:600]}")

    def run_repeats(self, repeats: int) -> bool:
        """Score reference and frontier `repeats` times and each control five, the case itself counted in.

        Returns:
            Whether all were accepted.
        """
        chosen = [(case, repeats) for case in self.cases if case.name in ("reference", "frontier")]
        chosen += [(case, 5) for case in self.cases if case.kind == "control" and self._is_chosen(case)]
        for case, times in chosen:
            first = [self.record.cases[case.name].measured.raw] if self.record.has(case) else []
            raws = self.record.repeats.setdefault(case.name, first)
            while len(raws) < times and self.in_time():
                scored = self.machine.score(case)
                raws.append(scored.measured.raw)
                self._keep(self.record)
                if scored.measured.raw is None:
                    _say(f"    {case.name}: {scored.measured.outcome} {scored.measured.reason} {scored.message[:300]}")
            accepted = [raw for raw in raws if raw is not None]
            middle = self.machine.environment.readable(statistics.median(accepted)) if accepted else "-"
            spread = 100 * statistics.stdev(accepted) if len(accepted) > 1 else 0.0
            _say(f"repeats  {case.name:40}{len(accepted)}/{len(raws)} accepted  median {middle}  cv {spread:.2f} %")
        return not any(raw is None for raws in self.record.repeats.values() for raw in raws)

    def run_references(self) -> bool:
        """Let the scorer make what it compares with, where it has a program for that; return whether all is there."""
        program = paths.scorer_folder(self.machine.environment.slug) / "prepare.py"
        if not program.is_file():
            return True
        self.machine.end_users()  # what a command that was killed left running takes part of every later time
        left_s = self._deadline - time.monotonic()
        ended = self.machine.start(program.read_bytes(), parameters={"prepare_s": left_s})
        shutil.rmtree(ended.folder, ignore_errors=True)
        _say(f"references, {ended.seconds:.0f} s:\n{ended.output[-3000:]}\n{ended.error[-2500:]}")
        return not ended.status

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
        self.record.agreement = json.loads(ended.output.splitlines()[-1])
        return True


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - a command's output


def _options(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python3 -m rebench_inspect.bare", description=__doc__)
    parser.add_argument("environment")
    parser.add_argument("--scale", default="single")
    parser.add_argument(
        "--only", default="", help="only cases whose name holds one of these texts (commas between them)"
    )
    parser.add_argument("--parts", default="cases", help=f"comma-separated: {', '.join(PARTS)}")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--assets", type=Path, help="folder that `python3 -m recipes.bare SCALE FOLDER` made")
    parser.add_argument("--wheels", type=Path, help="folder of wheels that submitted code needs and this Python lacks")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=NUMBER", help="another value of a parameter of the scale"
    )
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no scoring after this time")
    parser.add_argument(
        "--json",
        type=Path,
        help="write figures there and what was measured beside it; a later command goes on from that",
    )
    options = parser.parse_args(argv)
    known = environments.environment(options.environment).scale(options.scale).parameters
    if strange := [text for text in options.set if text.partition("=")[0] not in known]:
        parser.error(f"--set {strange[0]}: the scale's parameters are {', '.join(known)}")
    if bool(environments.environment(options.environment).image_assets) != bool(options.assets):
        parser.error("--assets FOLDER is needed by environments whose images hold assets, and by no other")
    return options


def main(argv: list[str]) -> int:
    """Run the chosen parts and return the exit status: 0 nothing surprised, 1 a surprise, 3 unsupported here."""
    options = _options(argv)
    environment = environments.environment(options.environment)
    if os.geteuid() != 0:
        _say("unsupported: needs root, to run submitted code as another user")
        return UNSUPPORTED_STATUS
    scale = environment.scale(options.scale)
    changed = {name: float(value) for name, _, value in (text.partition("=") for text in options.set)}
    scale = replace(scale, parameters={**scale.parameters, **changed})
    given = (folder and folder.resolve() for folder in (options.assets, options.wheels))
    machine = Machine(environment, scale, *given)
    if machine.scale.hardware == "cuda" and not _is_supported(machine):
        return UNSUPPORTED_STATUS
    kept = options.json.with_suffix(".record.json") if options.json else None
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
    version = _scorer_version(environment.slug, scale.hardware)
    keep = partial(bare_record.write, kept)
    run = Run(machine, bare_record.read(kept, version), options.only, options.seconds, keep)
    parts: dict[str, Callable[[], bool]] = {
        "references": run.run_references,
        "cases": run.run_cases,
        "repeats": lambda: run.run_repeats(options.repeats),
        "agreement": run.run_agreement,
    }
    outcomes: list[bool] = []
    try:
        for name in options.parts.split(","):
            outcomes.append(parts[name]())
            if name == "references" and not outcomes[-1]:
                break  # a case would make them, however long that takes
    finally:
        machine.end_users()
        keep(run.record)
        if options.json:
            options.json.write_text(
                json.dumps(run.record.figures(run.cases, environment.raw_unit), indent=1), encoding="utf-8"
            )
    return 0 if all(outcomes) else 1


def _scorer_version(slug: str, hardware: str) -> str:
    """Hash an environment's own part of the scorer, without what is for the CPU alone where a GPU is measured on."""
    files = bundle.solution_files(paths.scorer_folder(slug))
    return bundle.files_hash({name: data for name, data in files.items() if hardware == "cpu" or name != "cpu.py"})


def _is_supported(machine: Machine) -> bool:
    """Run the scorer's own probe of this machine, where it has one, and say what it says."""
    program = paths.scorer_folder(machine.environment.slug) / "probe.py"
    if not program.is_file():
        return True
    probe = machine.start(program.read_bytes())
    shutil.rmtree(probe.folder, ignore_errors=True)
    _say(f"unsupported: {probe.error[-1500:]}" if probe.status else f"supported: {probe.output}")
    return not probe.status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
