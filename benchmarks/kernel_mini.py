"""Measures the kernel environment at `mini` and writes docs/measurements/kernel-mini.{json,md}.

Usage: python benchmarks/kernel_mini.py [scorings] [check] [demo]   (default: scorings)

`scorings`: 20 scorings of the reference, 5 of start and frontier. `check`: every cheat and control. `demo`: `make demo`
in an empty clone, with image and caches removed first, then once more. Parts that are not run keep their figures.
"""

import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from inspect_ai import eval as inspect_eval
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import store_as

from rebench_inspect import agents, sandbox
from rebench_inspect.environments import KERNEL
from rebench_inspect.ledger import Ledger
from rebench_inspect.measuring import is_protected, measure
from rebench_inspect.tasks import kernel

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "measurements" / "kernel-mini.json"
REPEATS = {"reference": 20, "starting": 5, "frontier": 5}


@solver
def score_repeatedly() -> Solver:
    """Score each known solution several times in one sandbox."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - Inspect's signature
        where = await sandbox.locate(KERNEL, is_protected(store_as(Ledger)))
        for solution, repeats in REPEATS.items():
            await sandbox.install(where, agents.known_solution(KERNEL.slug, KERNEL.scale("mini"), solution))
            for _ in range(repeats):
                scoring = await measure("attempt", "agent")
                print(solution, KERNEL.readable(scoring.raw), f"{scoring.scoring_s:.2f} s", flush=True)
        return state

    return solve


def scorings() -> dict[str, Any]:
    """Return times, spread, and seconds a scoring takes."""
    task = kernel(scale="mini", budget_hours=24.0, anchors="published")
    task.solver = score_repeatedly()
    with tempfile.TemporaryDirectory() as folder:
        log = inspect_eval(task, model="none/none", log_dir=folder, display="none", score=False)[0]
        assert log.samples, log.error  # samples are read when first asked for: while the folder is there
        rows = [row for row in log.samples[0].store["Ledger:scorings"] if row["kind"] == "attempt"]
    groups: dict[str, list[dict[str, Any]]] = {}
    for solution, repeats in REPEATS.items():
        groups[solution], rows = rows[:repeats], rows[repeats:]
    ms = {solution: [math.exp(row["raw"]) for row in group] for solution, group in groups.items()}
    reference = groups["reference"]
    timed_s = [4 * 5 * time_ms / 1e3 for time_ms in ms["reference"]]
    spent_s = [row["scoring_s"] for row in reference]
    harness = [1 - timed / spent for timed, spent in zip(timed_s, spent_s, strict=True)]
    return {
        **{f"{solution}_ms": statistics.median(values) for solution, values in ms.items()},
        "cv_reference_pct": 100 * statistics.stdev(ms["reference"]) / statistics.mean(ms["reference"]),
        "scoring_s": statistics.median(spent_s),
        "scoring_starting_s": statistics.median(row["scoring_s"] for row in groups["starting"]),
        "harness_share_pct": 100 * statistics.median(harness),
        "fingerprint": reference[-1]["fingerprint"],
    }


def check() -> dict[str, Any]:
    """Return the counts of the check's last line."""
    command = [str(Path(sys.executable).with_name("rebench-inspect")), "check", "kernel", "--scale", "mini"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    last = done.stdout.strip().splitlines()[-1]
    print(last)
    found = re.search(r"(\d+) cheats (\d+) won, (\d+) controls (\d+) rejected", last)
    assert found, last
    names = ("cheats_run", "cheats_won", "controls_run", "controls_rejected")
    return dict(zip(names, map(int, found.groups()), strict=True))


def demo() -> dict[str, Any]:
    """Return the seconds of `make demo` in an empty clone: the first time with nothing there, and the second."""
    subprocess.run(
        ["docker", "image", "rm", "-f", "rebench-inspect-kernel:cpu", "rebench-inspect-base:bookworm"], check=False
    )
    subprocess.run(["docker", "buildx", "prune", "-af"], check=False, stdout=subprocess.DEVNULL)
    seconds: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder, "clone")
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        environment = {**os.environ, "XDG_CACHE_HOME": str(Path(folder, "cache"))}  # pip's too: nothing is there
        for _ in range(2):
            start = time.monotonic()
            subprocess.run(["make", "demo"], cwd=clone, env=environment, check=True)
            seconds.append(time.monotonic() - start)
    return {"demo_first_s": seconds[0], "demo_second_s": seconds[1]}


def write(figures: dict[str, Any]) -> None:
    """Write the figures, and a page made from them."""
    PAGE.parent.mkdir(parents=True, exist_ok=True)
    rounded = {name: round(value, 3) if isinstance(value, float) else value for name, value in figures.items()}
    PAGE.write_text(json.dumps(rounded, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    rows = [f"| `{name}` | {value} |" for name, value in sorted(rounded.items()) if not isinstance(value, dict)]
    text = [
        "# kernel at mini",
        "",
        f"Written by `benchmarks/kernel_mini.py` from `{PAGE.name}`. Machine: {rounded.get('fingerprint')}.",
        "",
        "| figure | value |",
        "|---|---|",
        *rows,
        "",
        "`cv_reference_pct`: coefficient of variation of 20 scorings. `harness_share_pct`: what a reference scoring",
        "takes beyond its 20 timed calls (Python and torch in the worker, untimed checks, inputs, comparison, Docker).",
        "`demo_first_s` includes the virtual environment, the base image and the image; Docker itself was running.",
    ]
    PAGE.with_suffix(".md").write_text("\n".join(text) + "\n", encoding="utf-8")


def main() -> None:
    """Run the parts that were asked for."""
    figures: dict[str, Any] = json.loads(PAGE.read_text(encoding="utf-8")) if PAGE.is_file() else {}
    for name in sys.argv[1:] or ["scorings"]:
        figures.update({"scorings": scorings, "check": check, "demo": demo}[name]())
        figures["date"] = datetime.now(UTC).date().isoformat()
        write(figures)


if __name__ == "__main__":
    main()
