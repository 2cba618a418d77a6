"""What `check` runs: known solutions, broken submissions, honest controls and cheats, and what must become of each.

Standard library alone, so that `bare` can use it on a machine without Inspect.
"""

import ast
import math
import statistics
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple

from rebench_inspect import bundle, paths
from rebench_inspect.environments import Environment, Scale

Kind = Literal["solution", "broken", "control", "cheat"]

_FOLDERS: dict[Kind, str] = {"broken": "submissions", "control": "controls", "cheat": "cheats"}


@dataclass(frozen=True, slots=True)
class Case:
    """One submission and what is expected of it.

    Attributes:
        name: File or folder name.
        kind: `solution`, `broken`, `control` or `cheat`.
        files: Its files by relative name.
        expect: `valid`, `invalid`, `no_gain` or `either`.
        reason: Reason code that a broken submission must get.
        honest: Known solution whose score a cheat must not beat.
        prepares: Whether the file is run once by the agent before it is scored.
        hardware: `any`, or the one kind that the case is written for.
        given: Assets of the scorer's that are laid beside the files: paths below the folder `private` of a scale.
        base: Known solution that it is laid over; a known solution's own name.
    """

    name: str
    kind: Kind
    files: dict[str, bytes]
    expect: str = "valid"
    reason: str | None = None
    honest: str | None = None
    prepares: bool = False
    hardware: str = "any"
    given: tuple[str, ...] = ()
    base: str = ""


class Measured(NamedTuple):
    """What became of one case: outcome as in the ledger, reason, raw score with its error."""

    outcome: str
    reason: str | None
    raw: float | None
    raw_se: float | None


def load(environment: Environment, scale: Scale) -> list[Case]:
    """Return all cases of an environment for a scale's hardware, known solutions first.

    Cases that are laid over a known solution which the scale lacks, or are compared with it, are left out.

    Raises:
        UsageError: Not in a checkout: cheats and references are in no wheel.
    """
    if paths.CHECKOUT is None:
        from rebench_inspect.errors import UsageError  # late: it needs click, which `bare` does without

        raise UsageError("check needs a checkout of the project: references and cheats are not in the wheel")
    references = paths.CHECKOUT / "references" / environment.slug
    cases = [Case("starting", "solution", bundle.workspace_files(environment.slug, scale), base="starting")]
    for name in ("reference", "frontier"):
        files = bundle.known_files(environment, scale, bundle.solution_files(references / name))
        cases.append(Case(name, "solution", files, prepares=bool(environment.program), base=name))
    known = {case.name: case.files for case in cases}
    root = paths.CHECKOUT / "tests" / "environments" / environment.slug
    for kind, folder in _FOLDERS.items():
        entries = sorted(path for path in (root / folder).iterdir() if path.suffix == ".py" or path.is_dir())
        found = [_case(kind, path, known) for path in entries if path.name != "__pycache__"]
        cases += [replace(case, files=bundle.known_files(environment, scale, case.files)) for case in found]
    served = [case for case in cases if not {case.base, case.honest}.intersection(scale.lacks)]
    return [case for case in served if case.hardware in ("any", scale.hardware)]


def _case(kind: Kind, path: Path, known: dict[str, dict[str, bytes]]) -> Case:
    """Read a case; `Base: NAME` in its header puts its files over that known solution, which lies over the start."""
    main = (
        path
        if path.is_file()
        else next((path / name for name in ("solution.py", "case.py") if (path / name).exists()), path)
    )
    source = main.read_text(encoding="utf-8") if main.is_file() else ""
    header = _header(source, main)
    base = {**known["starting"], **known[header["base"]]} if "base" in header else {}
    return Case(
        name=path.stem,
        kind=kind,
        files={**base, **bundle.solution_files(path)},
        expect=header.get("expect", "invalid" if kind == "broken" else "valid"),
        reason=header.get("reason"),
        honest=None if header.get("honest", "none") == "none" else header["honest"],
        hardware=header.get("hardware", "any"),
        given=(header["given"],) if "given" in header else (),
        base=header.get("base", ""),
        prepares='if __name__ == "__main__":' in source,
    )


def _header(source: str, path: Path) -> dict[str, str]:
    """Read `Name: value` lines; a file with a deliberate syntax error has its header in comments."""
    try:
        text = ast.get_docstring(ast.parse(source, str(path))) or ""
    except SyntaxError:
        text = source
    lines = [line.lstrip("# ").partition(":") for line in text.splitlines()]
    return {name.strip().lower(): value.split()[0] for name, colon, value in lines if colon and value.split()}


def surprise(case: Case, measured: Measured, known: dict[str, Measured], tolerance: float) -> str | None:
    """Return what is wrong with what became of a case, or None.

    Args:
        case: The case.
        measured: What became of it.
        known: What became of the known solutions, by name.
        tolerance: Share by which a cheat may seem to beat its honest twin.
    """
    if measured.outcome not in ("scored", "invalid"):
        return f"the scoring ended as {measured.outcome}"
    if case.expect == "valid":
        return None if measured.outcome == "scored" else f"an honest submission was rejected: {measured.reason}"
    if case.expect == "invalid" and measured.outcome != "invalid":
        return "it was accepted"
    if case.reason and measured.reason != case.reason:
        return f"its reason is {measured.reason}, expected {case.reason}"
    if case.expect == "no_gain" and measured.outcome == "invalid":
        return f"it was rejected ({measured.reason}) where no gain was expected"
    gain = gain_over(case, measured, known)
    return f"it gained {gain:.0%}" if gain is not None and gain > tolerance else None


def gain_over(case: Case, measured: Measured, known: dict[str, Measured]) -> float | None:
    """Return by which share a scored cheat beats its honest twin (raw scores are logarithms), or None."""
    twin = known.get(case.honest or "")
    if measured.raw is None or twin is None or twin.raw is None:
        return None
    return 1 - math.exp(measured.raw - twin.raw)


def median(measurements: list[Measured]) -> Measured:
    """Return the measurement with the median raw score; an invalid one wins over all."""
    invalid = [measured for measured in measurements if measured.raw is None]
    if invalid:
        return invalid[0]
    middle = statistics.median_low(measured.raw for measured in measurements if measured.raw is not None)
    return next(measured for measured in measurements if measured.raw == middle)


def reference_surprise(environment: Environment, known: dict[str, Measured]) -> str | None:
    """Say what is wrong where the reference does not beat the start by five standard errors, or None."""
    start, reference = known["starting"], known["reference"]
    if start.raw is None or reference.raw is None:
        return "the start or the reference has no score"
    error = math.hypot(start.raw_se or 0.0, reference.raw_se or 0.0)
    better = environment.is_better(reference.raw, start.raw) and abs(reference.raw - start.raw) >= 5 * error
    return None if better else f"the reference ({reference.raw:.3f}) does not beat the start ({start.raw:.3f}) clearly"


def leads(environment: Environment, raws: list[float | None], others: list[float | None]) -> bool:
    """Say whether all but the worst of `raws` beat the best of `others`; a scoring without a score is no lead.

    Other load only ever takes time, so that the best of a few moves least. Of two equal solutions one leads so in five
    scorings each once in 42 times.
    """
    if None in (*raws, *others):
        return False
    ordered = sorted((raw for raw in raws if raw is not None), reverse=environment.higher_is_better)
    return all(environment.is_better(ordered[-2], raw) for raw in others if raw is not None)


def summary(environment: Environment, scale: str, results: list[tuple[Case, Measured, str | None]]) -> str:
    """Return the last line of a check."""
    known = {case.name: measured for case, measured, _ in results if case.kind == "solution"}
    start, reference = known["starting"].raw, known["reference"].raw
    ratio = "-" if start is None or reference is None else f"{math.exp(abs(start - reference)):.2f} x"
    cheats = [wrong for case, _, wrong in results if case.kind == "cheat"]
    controls = [wrong for case, _, wrong in results if case.kind == "control"]
    return (
        f"{environment.slug} {scale}: start {environment.readable(start)} reference {environment.readable(reference)} "
        f"({ratio}), {len(cheats)} cheats {sum(map(bool, cheats))} won, "
        f"{len(controls)} controls {sum(map(bool, controls))} rejected"
    )
