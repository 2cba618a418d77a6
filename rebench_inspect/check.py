"""`rebench-inspect check` and `calibrate`: known submissions, the real scorer, the real image, no model."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from inspect_ai import eval  # noqa: A004 - Inspect's own name  # pyright: ignore[reportUnknownVariableType]
from inspect_ai.log import EvalLog
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import store, store_as
from rich.console import Console
from rich.table import Table

from rebench_inspect import asset_store, bundle, cases, environments, machine_made, sandbox
from rebench_inspect.anchors import local_file
from rebench_inspect.anchors import read as read_anchors
from rebench_inspect.cases import Case, Measured
from rebench_inspect.environments import Anchors, Environment, Scale
from rebench_inspect.errors import RebenchError
from rebench_inspect.ledger import Ledger
from rebench_inspect.measuring import is_protected, measure
from rebench_inspect.tasks import TASKS

_CHECK_HOURS = 24.0
_DRIFT = 0.05
"""Drift of an anchor (raw units) that is worth a warning: five times the spread of a quiet machine."""
console = Console(stderr=True)


Result = tuple[Case, Measured, str | None]
"""A case, what became of it, and what is surprising about that."""


def check(environment: Environment, scale: Scale, only: str, log_dir: str) -> bool:
    """Run every case, print a table and a last line that sums it up; return whether nothing surprised."""
    results = run(environment, scale, only, log_dir)
    Console().print(_table(environment, results))
    Console().print(cases.summary(environment, scale.name, results), soft_wrap=True, highlight=False)
    return not any(wrong for *_, wrong in results)


def run(environment: Environment, scale: Scale, only: str, log_dir: str) -> list[Result]:
    """Run every case in one real sandbox and return what became of each.

    Always in Docker: cheats overwrite whatever their user may write, and in the `local` sandbox that is the evaluator.

    Args:
        environment: The environment.
        scale: Its scale.
        only: Part of the names of cheats, controls and broken submissions that are run; empty for all.
        log_dir: Folder of the Inspect log.
    """
    log = _run(environment, scale, run_cases(environment.slug, only), log_dir)
    loaded = {(case.kind, case.name): case for case in cases.load(environment, scale)}
    rows: list[dict[str, Any]] = log.samples[0].store["check"] if log.samples else []
    return [(loaded[row["kind"], row["name"]], Measured(*row["measured"]), row["surprise"]) for row in rows]


def calibrate(environment: Environment, scale: Scale, repeats: int, log_dir: str) -> Path:
    """Measure start and reference `repeats` times each, in turn, and write this machine's anchors.

    Returns:
        The anchors file: medians, all measurements, and the machine's fingerprint.
    """
    log = _run(environment, scale, repeat_anchors(environment.slug, repeats), log_dir)
    data: dict[str, Any] = log.samples[0].store["calibration"] if log.samples else {}
    target = local_file(environment, scale)
    if target.is_file():
        _warn_of_drift(read_anchors(target), data)
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(data, indent=1), encoding="utf-8")
    return target


def _warn_of_drift(stored: Anchors, measured: dict[str, Any]) -> None:
    """Say by how much this machine has changed since its anchors were measured."""
    for name in ("starting", "reference"):
        drift = measured[name] - getattr(stored, name)
        if abs(drift) > _DRIFT:
            console.print(f"warning: {name} drifted by {drift:+.3f} (raw) since the stored anchors of this machine")


def _run(environment: Environment, scale: Scale, work: Solver, log_dir: str) -> EvalLog:
    machine_made.make(environment, scale, console.print)
    task = TASKS[environment.slug](scale=scale.name, budget_hours=_CHECK_HOURS, anchors="published")
    task.solver = work
    log = eval(task, model="none/none", log_dir=log_dir, display="none", score=False)[0]
    if log.status != "success":
        sample_error = next((sample.error for sample in log.samples or [] if sample.error), log.error)
        raise RebenchError(
            f"the run failed: {sample_error.message if sample_error else log.status} (log: {log.location})"
        )
    return log


@solver
def run_cases(slug: str, only: str) -> Solver:
    """Install and score every case in one sandbox, one after another."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - Inspect's signature
        environment = environments.environment(slug)
        scale = environment.scale(store_as(Ledger).scale)
        known: dict[str, Measured] = {}
        rows: list[dict[str, Any]] = []
        loaded = cases.load(environment, scale)
        last = [case.name for case in loaded if case.kind == "solution"][-1]
        for case in loaded:
            if case.kind != "solution" and only not in case.name:
                continue
            measured, wrong = await _judge(case, known, loaded, scale.gain_tolerance)
            if case.kind == "solution":
                known[case.name] = measured
            if case.name == last and scale.name in environments.SCALE_NAMES:  # at `test` noise is larger than the lead
                wrong = wrong or await _reference_wrong(environment, known, loaded)
            flags = [flag["code"] for flag in store_as(Ledger).scorings[-1].flags]
            row = {"kind": case.kind, "name": case.name, "measured": list(measured), "surprise": wrong}
            rows.append({**row, "flags": flags})
            became = f"{measured.outcome} {measured.reason or environment.readable(measured.raw)}"
            console.print(f"{case.kind:9}{case.name:42}{became:34}{wrong or 'as expected'}", soft_wrap=True)
        store().set("check", rows)
        return state

    return solve


async def _judge(
    case: Case, known: dict[str, Measured], loaded: list[Case], tolerance: float
) -> tuple[Measured, str | None]:
    """Score a case; where a cheat seems to gain, score it and its honest twin in turn, twice more, and compare those.

    The machine may be another one than an hour ago: a gain is a ratio that was measured side by side.
    """
    measurements = [await _score(case)]
    wrong = cases.surprise(case, measurements[0], known, tolerance)
    if wrong and wrong.startswith("it gained"):
        twin = next(other for other in loaded if other.kind == "solution" and other.name == case.honest)
        twins: list[Measured] = []
        for _ in range(2):
            twins.append(await _score(twin))
            measurements.append(await _score(case))
        beside = {**known, twin.name: cases.median([*twins, await _score(twin)])}
        wrong = cases.surprise(case, cases.median(measurements), beside, tolerance)
    return cases.median(measurements), wrong


async def _reference_wrong(environment: Environment, known: dict[str, Measured], loaded: list[Case]) -> str | None:
    """Say what is wrong with the reference; where noise hides its lead, five scorings of each are compared."""
    wrong = cases.reference_surprise(environment, known)
    if wrong is None:
        return None
    raws = {name: [known[name].raw] for name in ("starting", "reference")}
    for _ in range(4):
        for case in (case for case in loaded if case.kind == "solution" and case.name in raws):
            raws[case.name].append((await _score(case)).raw)
    return None if cases.leads(environment, raws["reference"], raws["starting"]) else wrong


async def _score(case: Case) -> Measured:
    ledger = store_as(Ledger)
    environment = environments.environment(ledger.environment)
    scale = environment.scale(ledger.scale)
    where = await sandbox.locate(environment, is_protected(ledger))
    await sandbox.reset(where)
    private = asset_store.scale_folder(scale.name) / "private"
    given = {Path(name).name: (private / name).read_bytes() for name in case.given}
    await sandbox.install(where, {**case.files, **given}, environment.given)
    if case.prepares:
        command = [where.work_python, environment.program or bundle.CASE_FILE]
        ran = await sandbox.run_as_agent(where, command, scale.making_timeout_s)
        if environment.program and not ran.success:  # else a case that does nothing would pass for the start
            raise RebenchError(f"{environment.program} of {case.name} failed: {ran.stderr.strip()[-800:]}")
    scoring = await measure("attempt", "agent")
    return Measured(scoring.outcome, scoring.reason, scoring.raw, scoring.raw_se)


@solver
def repeat_anchors(slug: str, repeats: int) -> Solver:
    """Score start and reference in turn and leave the anchors in the store."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - Inspect's signature
        environment = environments.environment(slug)
        scale = environment.scale(store_as(Ledger).scale)
        loaded = cases.load(environment, scale)
        chosen = {case.name: case for case in loaded if case.name in ("starting", "reference")}
        raws: dict[str, list[float]] = {name: [] for name in chosen}
        for turn in range(repeats):
            for name, case in chosen.items():
                measured = await _score(case)
                if measured.raw is None:
                    raise RebenchError(f"{name} could not be scored: {measured.outcome} {measured.reason}")
                raws[name].append(measured.raw)
                console.print(f"{turn + 1}/{repeats} {name:10} {environment.readable(measured.raw)}")
        store().set("calibration", _anchors(raws))
        return state

    return solve


def _anchors(raws: dict[str, list[float]]) -> dict[str, Any]:
    medians = {name: sorted(values)[len(values) // 2] for name, values in raws.items()}
    fingerprint = store_as(Ledger).scorings[-1].fingerprint
    return {**medians, "measured": raws, "fingerprint": fingerprint, "date": datetime.now(UTC).date().isoformat()}


def _table(environment: Environment, results: list[Result]) -> Table:
    table = Table("kind", "case", "outcome", "raw score", "expected", "surprise", title=f"check {environment.slug}")
    for case, measured, wrong in results:
        expected = case.reason or case.expect
        raw = environment.readable(measured.raw) if measured.raw is not None else ""
        outcome = measured.reason or measured.outcome
        table.add_row(case.kind, case.name, outcome, raw, expected, wrong or "", style="red" if wrong else None)
    return table
