"""What the GPU scorer makes of a bad card: kept busy by another user, or full of another user's data, or small.

Usage, as root on a GPU machine: PYTHONPATH=. python3 benchmarks/kernel_conditions.py [FIGURES.json]
Prints a line per condition; the exit status is 0 where each ended as it must.
"""

import contextlib
import dataclasses
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from rebench_inspect import cases
from rebench_inspect.bare_machine import Machine, Scored
from rebench_inspect.environments import KERNEL

SMALL_CARD_CALLS = 7
"""What a card of 16 GiB has room for."""

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
    scale = KERNEL.scale("single")
    machine = Machine(KERNEL, scale)
    reference = next(case for case in cases.load(KERNEL, KERNEL.scale("single")) if case.name == "reference")
    found: dict[str, Scored] = {}
    with running(BUSY):
        found["busy_by_others"] = machine.score(reference)
    with running(FULL, "10"):
        found["full_by_others"] = machine.score(reference)
    machine.scale = dataclasses.replace(scale, parameters={**scale.parameters, "calls": SMALL_CARD_CALLS})
    found["small_card"] = machine.score(reference)
    machine.end_users()
    figures: dict[str, object] = {}
    for name, scored in found.items():
        figures |= {name: scored.measured.outcome, f"{name}_calls": scored.measurements.get("calls")}
        print(name, scored.measured.outcome, KERNEL.readable(scored.measured.raw), scored.message[:200])
    if target:
        target.write_text(json.dumps(figures), encoding="utf-8")
    wanted = {"busy_by_others": "machine_fault", "full_by_others": "machine_fault", "small_card": "scored"}
    return 0 if wanted == {name: scored.measured.outcome for name, scored in found.items()} else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else None))
