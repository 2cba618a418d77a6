"""Measures fix_embedding at `mini` and writes docs/measurements/fix_embedding.{json,md,svg} with fix_embedding_page.

Usage: python benchmarks/fix_embedding.py [PART ...]   (default: all but `check`)

`starting`, `reference`, `frontier`, `exact_rows` (the exact repair): made once, scored on the in-run part and on that
of the re-measurement; how long making and scoring take; the loss curve that the program prints. `repeats`: ten scorings
of one file. `page`: shares, picture. `check`: every broken file, control and cheat. Parts that are not run keep their
figures.
"""

import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import fix_embedding_page as pages
from inspect_ai import eval as inspect_eval
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import store, store_as

from rebench_inspect import asset_store, cases, sandbox
from rebench_inspect.environments import FIX_EMBEDDING
from rebench_inspect.ledger import Ledger
from rebench_inspect.measuring import is_protected, measure
from rebench_inspect.tasks import fix_embedding

ROOT = Path(__file__).resolve().parents[1]
PAGE = pages.PAGES / "fix_embedding.json"
SCALE = FIX_EMBEDDING.scale("mini")
KNOWN = ("starting", "reference", "frontier", "exact_rows")


@solver
def score(names: list[str], repeats: int, part: str) -> Solver:
    """Make each named case, score it `repeats` times on a part, and leave what was found in the store.

    Args:
        names: Cases.
        repeats: Scorings of each.
        part: `agent` (as during an attempt) or `kept` (as after it).
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001 - Inspect's signature
        where = await sandbox.locate(FIX_EMBEDDING, is_protected(store_as(Ledger)))
        rows: list[dict[str, Any]] = []
        for case in (case for case in cases.load(FIX_EMBEDDING, FIX_EMBEDDING.scale("mini")) if case.name in names):
            private = asset_store.scale_folder(SCALE.name) / "private"
            given = {Path(name).name: (private / name).read_bytes() for name in case.given}
            await sandbox.reset(where)
            await sandbox.install(where, {**case.files, **given}, FIX_EMBEDDING.given)
            start, printed = time.monotonic(), ""
            if case.prepares:
                printed = (await sandbox.run_as_agent(where, [where.work_python, "solve.py"], 600)).stdout
            made_s = time.monotonic() - start
            store_as(Ledger).scorings = store_as(Ledger).scorings[:1]  # each is kept as the best
            for turn in range(repeats):
                scoring = await measure("attempt", "agent")
                rows.append({"name": case.name, "made_s": made_s, "printed": printed, **scoring.model_dump()})
                print(case.name, turn, scoring.message, f"{scoring.scoring_s:.1f} s", flush=True)
            if part == "kept":
                scoring = await measure("verified", "kept")
                rows.append({"name": case.name, "made_s": made_s, "printed": printed, **scoring.model_dump()})
        store().set("rows", rows)
        return state

    return solve


def run(names: list[str], repeats: int, part: str) -> list[dict[str, Any]]:
    """Return the scorings of cases in one sandbox."""
    task = fix_embedding(scale="mini", budget_hours=24.0, anchors="published")
    task.solver = score(names, repeats, part)
    with tempfile.TemporaryDirectory() as folder:
        log = inspect_eval(task, model="none/none", log_dir=folder, display="none", score=False)[0]
        assert log.samples, log.error  # samples are read when first asked for: while the folder is there
        return log.samples[0].store["rows"]


def known(name: str) -> dict[str, Any]:
    """Return losses on both parts, times and the loss curve of a known solution."""
    during, after = run([name], 1, "kept")
    return {
        f"{name}_loss": during["measurements"]["loss"],
        f"{name}_loss_verified": after["measurements"]["loss"],
        f"{name}_raw": during["raw"],
        f"{name}_raw_se": during["raw_se"],
        f"{name}_made_s": during["made_s"],
        f"{name}_scoring_s": during["scoring_s"],
        f"{name}_curve": pages.curve(during["printed"]),
        "fingerprint": during["fingerprint"],
        "original_loss": during["measurements"]["original_loss"],
    }


def repeats() -> dict[str, Any]:
    """Return the spread of ten scorings of one file."""
    rows = run(["exact_rows"], 10, "agent")
    raws, seconds = [row["raw"] for row in rows], [row["scoring_s"] for row in rows]
    return {"scorings": len(rows), "raw_spread": max(raws) - min(raws), "scoring_s": statistics.median(seconds)}


def check() -> dict[str, Any]:
    """Return the counts of the check's last line."""
    command = [str(Path(sys.executable).with_name("rebench-inspect")), "check", "fix_embedding", "--scale", "mini"]
    start = time.monotonic()
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    last = done.stdout.strip().splitlines()[-1]
    found = re.search(r"(\d+) cheats (\d+) won, (\d+) controls (\d+) rejected", last)
    assert found, last
    names = ("cheats_run", "cheats_won", "controls_run", "controls_rejected")
    return {**dict(zip(names, map(int, found.groups()), strict=True)), "check_s": time.monotonic() - start}


def main() -> None:
    """Run the parts that were asked for."""
    figures: dict[str, Any] = json.loads(PAGE.read_text(encoding="utf-8")) if PAGE.is_file() else {}
    parts: dict[str, Callable[[], dict[str, Any]]] = {"repeats": repeats, "check": check}
    for name in sys.argv[1:] or [*KNOWN, "repeats", "page"]:
        if name == "page":
            figures.update(pages.derived(figures, SCALE.name))
            pages.draw(figures, PAGE, SCALE.name)
        else:
            figures.update(known(name) if name in KNOWN else parts[name]())
            figures["date"] = datetime.now(UTC).date().isoformat()
        pages.write(figures, PAGE, SCALE.name)


if __name__ == "__main__":
    main()
