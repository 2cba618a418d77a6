"""The real scorer on a machine with root and a GPU but neither Docker nor Inspect: `python3 -m rebench_inspect.bare`.

Proves GPU scorers where containers cannot be had. Needs no user database: users are numbers. Imports nothing beyond the
standard library and this package's pure modules.
"""

import argparse
import contextlib
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from rebench_inspect import bundle, cases, environments, paths, verdict
from rebench_inspect.cases import Case, Measured
from rebench_inspect.environments import Environment, Scale

UNSUPPORTED_STATUS = 3
_ROOT, _HOME = Path("/opt/rebench-bare"), Path("/home/agent")
_MACHINE_FAULT_STATUS, _PREPARE_TIMEOUT_S = 75, 60
_INHERITED = ("LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "CUDA_HOME")
PARTS = ("cases", "repeats", "agreement")


class Scored(NamedTuple):
    """One scoring: what became of it, what it cost, and the operator's details."""

    measured: Measured
    seconds: float
    measurements: dict[str, Any]
    fingerprint: dict[str, Any]
    message: str


class Ended(NamedTuple):
    """A scorer program that ended."""

    folder: Path
    status: int
    output: str
    error: str
    seconds: float


class Machine:
    """This machine laid out like a sandbox: two users by number, root's folder, the agent's home."""

    def __init__(self, environment: Environment, scale: Scale) -> None:
        self.environment, self.scale = environment, scale
        self.layout = paths.IMAGE_PATHS._replace(
            root=str(_ROOT),
            solution=str(_HOME / "solution"),
            trusted_python=sys.executable,
            work_python=sys.executable,
        )
        for folder, mode in ((_ROOT, 0o711), (_ROOT / "scorings", 0o711), (_ROOT / "kept", 0o700), (_HOME, 0o700)):
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(mode)
        self._own(_HOME)

    def _own(self, path: Path) -> None:
        uid = self.layout.agent_uid or 0
        os.chown(path, uid, uid)

    def job(self) -> dict[str, Any]:
        """Return the job of one scoring."""
        names = ("solution", "root", "work_python", "agent_uid", "solver_uid")
        return {
            **{name: getattr(self.layout, name) for name in names},
            "index": 1,
            "source": "agent",
            "hardware": self.scale.hardware,
            "deliverable": self.environment.deliverable,
            "lower_is_better": not self.environment.higher_is_better,
            "best_raw": None,
            "keep_last": False,
            "archive_bytes": 0,
            "timeout_s": self.scale.scoring_timeout_s,
            "memory_gib": 0.6 * self.scale.memory_gib,
            "parameters": dict(self.scale.parameters),
        }

    def end_users(self) -> None:
        """Kill the processes of both users and remove what they left in folders that everyone can write to."""
        users = {self.layout.agent_uid, self.layout.solver_uid}
        for process in (path for path in Path("/proc").iterdir() if path.name.isdigit()):
            with contextlib.suppress(OSError, IndexError):
                status = (process / "status").read_text(encoding="utf-8", errors="replace")
                if int(status.partition("\nUid:")[2].split()[0]) in users:
                    os.kill(int(process.name), signal.SIGKILL)
        for entry in (entry for place in ("/tmp", "/var/tmp", "/dev/shm") for entry in os.scandir(place)):  # noqa: S108
            if entry.stat(follow_symlinks=False).st_uid in users:
                _remove(Path(entry.path))

    def install(self, files: dict[str, bytes]) -> None:
        """Empty the agent's home and put a solution there."""
        for path in _HOME.iterdir():
            _remove(path)
        solution = Path(self.layout.solution)
        for name, content in files.items():
            (solution / name).parent.mkdir(parents=True, exist_ok=True)
            (solution / name).write_bytes(content)
        solution.mkdir(exist_ok=True)
        for path in (solution, *solution.rglob("*")):
            self._own(path)

    def prepare(self) -> None:
        """Run the solution once as the agent, as a cheat that sets a trap does."""
        uid = self.layout.agent_uid
        with contextlib.suppress(subprocess.TimeoutExpired):
            subprocess.run(
                [self.layout.work_python, "solution.py"],
                cwd=self.layout.solution,
                env={"HOME": str(_HOME), "PATH": "/usr/bin:/bin"},
                user=uid,
                group=uid,
                extra_groups=[],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_PREPARE_TIMEOUT_S,
                check=False,
            )

    def start(self, main: bytes | None = None, extra: dict[str, bytes] | None = None) -> "Ended":
        """Run the scorer, or another main program in its place, from a fresh folder of root's, as the sandbox does."""
        folder = _ROOT / "scorings" / uuid.uuid4().hex
        changed = {**(extra or {}), **({} if main is None else {"trusted/__main__.py": main})}
        archive = bundle.scoring_archive(self.environment.slug, self.job(), changed)
        bootstrap = (paths.scorer_folder("common") / "bootstrap.py").read_text(encoding="utf-8")
        environment = {"PATH": "/usr/bin:/bin"} | {name: os.environ[name] for name in _INHERITED if name in os.environ}
        argv = [self.layout.trusted_python, "-I", "-B", "-c", bootstrap, str(folder)]
        limit_s, start = self.scale.scoring_timeout_s + 20, time.monotonic()
        done = subprocess.run(
            argv, cwd="/", env=environment, input=archive, capture_output=True, timeout=limit_s, check=False
        )
        output, error = (stream.decode(errors="replace").strip() for stream in (done.stdout, done.stderr))
        return Ended(folder, done.returncode, output, error, time.monotonic() - start)

    def score(self, case: Case) -> Scored:
        """Score one case from a clean state."""
        self.end_users()
        self.install(case.files)
        if case.prepares:
            self.prepare()
        ended = self.start()
        try:
            if ended.status:
                fault = "machine_fault" if ended.status == _MACHINE_FAULT_STATUS else "scorer_fault"
                return Scored(Measured(fault, None, None, None), ended.seconds, {}, {}, ended.error[-800:])
            found = verdict.parse((ended.folder / "trusted" / "verdict.json").read_text(encoding="utf-8"))
            measured = Measured(found.outcome, found.reason, found.raw_score, found.raw_se)
            return Scored(measured, ended.seconds, found.measurements, found.fingerprint, found.message)
        except (OSError, verdict.VerdictError) as error:
            return Scored(Measured("scorer_fault", None, None, None), ended.seconds, {}, {}, str(error))
        finally:
            shutil.rmtree(ended.folder, ignore_errors=True)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


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
        gains = [cases.gain_over(case, measured, known) for case, measured, _ in results if case.kind == "cheat"]
        self.figures["max_cheat_gain_pct"] = 100 * max((gain for gain in gains if gain is not None), default=0.0)
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
                self.figures[f"{name}_ms"] = 2.718281828459045 ** statistics.median(values)
        known = [row for row in self.records if row["kind"] == "solution" and row["measurements"]]
        if known:
            typical: Callable[[str], float] = lambda key: statistics.median(row["measurements"][key] for row in known)  # noqa: E731
            self.figures["copy_ms"] = typical("copy_ms")
            self.figures["scorer_gpu_memory_gib"] = typical("scorer_gpu_memory_gib")
            self.figures["submission_s"] = typical("import_s")
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
    probe = machine.start((paths.scorer_folder(environment.slug) / "probe.py").read_bytes())
    shutil.rmtree(probe.folder, ignore_errors=True)
    if probe.status:
        _say(f"unsupported: {probe.error[-1500:]}")
        return UNSUPPORTED_STATUS
    _say(f"supported: {probe.output} ({probe.seconds:.1f} s)")
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


def _write(target: Path, run: Run) -> None:
    before: dict[str, Any] = json.loads(target.read_text(encoding="utf-8")) if target.exists() else {}
    target.write_text(json.dumps({**before, **run.finish()}, indent=1), encoding="utf-8")
    records = json.dumps([{**row, "measured": list(row["measured"])} for row in run.records])
    target.with_suffix(".records.json").write_text(records, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
