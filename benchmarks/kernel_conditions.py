"""What the GPU scorer makes of a bad card: kept busy by another user, or with little free memory.

Usage, as root on a GPU machine: python3 benchmarks/kernel_conditions.py [FIGURES.json]
Prints a line per condition; the exit status is 0 where each ended as it must.
"""

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from rebench_inspect import cases
from rebench_inspect.bare_machine import Machine, Scored
from rebench_inspect.environments import KERNEL

BUSY = """
import torch
print(torch.cuda.get_device_name(), flush=True)
while True:
    torch.cuda._sleep(20_000_000)
    torch.cuda.synchronize()
"""
FULL = """
import sys, torch
held = torch.empty(torch.cuda.mem_get_info()[0] - int(float(sys.argv[1]) * 2**30), dtype=torch.uint8, device="cuda")
print(held.numel(), flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def running(program: str, *arguments: str) -> Iterator[None]:
    """Keep another user's process on the card meanwhile."""
    argv = [sys.executable, "-c", program, *arguments]
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        if not process.stdout.readline():
            raise RuntimeError("the other user's process did not start")
        yield
    finally:
        process.kill()
        process.wait()


def main(target: Path | None) -> int:
    """Score the reference under each condition."""
    machine = Machine(KERNEL, KERNEL.scale("single"))
    reference = next(case for case in cases.load(KERNEL, "cuda") if case.name == "reference")
    with running(BUSY):
        busy = machine.score(reference)
    small: dict[float, Scored] = {}
    for free_gib in (15.0, 10.0):
        with running(FULL, str(free_gib)):
            small[free_gib] = machine.score(reference)
    for name, scored in {"busy by others": busy, **{f"{free} GiB free": one for free, one in small.items()}}.items():
        calls = scored.measurements.get("calls", "-")
        print(name, scored.measured.outcome, KERNEL.readable(scored.measured.raw), calls, scored.message[:200])
    machine.end_users()
    if target:
        figures = {
            "busy_by_others": busy.measured.outcome,
            **{f"calls_at_{free:g}_gib": one.measurements.get("calls", 0) for free, one in small.items()},
        }
        target.write_text(json.dumps(figures), encoding="utf-8")
    expected = busy.measured.outcome == "machine_fault" and small[15.0].measured.outcome == "scored"
    return 0 if expected and small[10.0].measured.outcome in ("scored", "machine_fault") else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
