"""`rebench-inspect demo`: the main job at `mini`, without a model: the start and the reference, scored for real."""

import math
from typing import Any

from inspect_ai import eval  # noqa: A004 - Inspect's own name  # pyright: ignore[reportUnknownVariableType]
from inspect_ai.log import EvalLog
from rich.console import Console
from rich.table import Table

from rebench_inspect import images, local_sandbox
from rebench_inspect.environments import KERNEL
from rebench_inspect.tasks import kernel

LOG_DIR = "logs/demo"


def demo(console: Console) -> bool:
    """Build what is missing, replay two solutions, print a table and the next commands; return success."""
    scale = KERNEL.scale("mini")
    docker = images.docker_running()
    if docker:
        images.build(KERNEL, scale, report=lambda line: console.print(line, highlight=False, markup=False))
    else:
        console.print("No Docker Engine answers: using the `local` sandbox, which does NOT protect the measurement.")
        local_sandbox.build(KERNEL, scale, console.print)
    logs: list[EvalLog] = []
    for number, solution in enumerate(("starting", "reference"), start=1):
        console.print(f"[{number}/2] evaluating kernel (mini) with the {solution} solution ...", markup=False)
        task = kernel(scale="mini", solution=solution, sandbox="docker" if docker else "local")
        logs += eval(task, model="none/none", log_dir=LOG_DIR, display="plain")
    console.print(_table(logs))
    console.print(f"Next:  inspect view --log-dir {LOG_DIR}\n       rebench-inspect report {LOG_DIR}", highlight=False)
    return all(log.status == "success" for log in logs)


def _table(logs: list[EvalLog]) -> Table:
    columns = ("solution", "raw", "ms", "score", "best", "verified", "time", "protection")
    table = Table(*columns, title="kernel at mini")
    for log in logs:
        if log.samples and log.samples[0].scores:
            table.add_row(*_row(log))
        else:
            table.add_row(str(log.eval.task_args.get("solution")), f"{log.status}: see {log.location}")
    return table


def _row(log: EvalLog) -> list[str]:
    sample = (log.samples or [])[0]
    score = (sample.scores or {})["rebench"]
    scoring: dict[str, Any] = sample.store["Ledger:scorings"][-1]
    value: dict[str, Any] = score.value  # pyright: ignore[reportAssignmentType] - ours is always an object
    numbers = [scoring["raw"], math.exp(scoring["raw"]), scoring["score"], value["score"], value["verified"]]
    shown = ["-" if number is None else f"{number:.3f}" for number in numbers]
    protection = str((score.metadata or {}).get("protection"))
    return [str(sample.store["Ledger:attempt"]["solution"]), *shown, f"{sample.total_time or 0:.0f} s", protection]
