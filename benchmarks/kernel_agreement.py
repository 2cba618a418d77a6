"""Compares the GPU scorer's times with CUDA events in an honest loop, and its expected outputs with the C oracle.

`python3 -m rebench_inspect.bare kernel --parts agreement` runs it as root in place of a scoring, with the folders
`reference` and `frontier` beside `trusted`. Its last line is JSON. With an argument it is the honest loop itself.
"""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gpu import Cuda
    from windows import Calls

FOLDER = Path(__file__).resolve().parent.parent
WINDOWS = 15
_PAGE = 2 << 20
COPY = "def prefix_sum(x, out):\n    out.copy_(x)\n"


def events(folder: str, elements: int, calls: int) -> None:
    """Time the solution in this process: events around as many calls on as many inputs as a window has."""
    os.sched_setaffinity(0, range(os.cpu_count() or 1))  # the scorer's own thread, which started this, has one core
    sys.path.insert(0, folder)
    import solution
    import torch

    stride = -(-4 * (elements + 1) // _PAGE) * _PAGE // 4  # one block of memory, laid out as the scorer's
    rows = torch.randint(-10, 10, (2 * calls, stride), dtype=torch.int32, device="cuda")[:, :elements]
    xs, outs = rows[:calls], rows[calls:]
    times_ms = []
    for _ in range(WINDOWS + 2):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        start.record()
        for x, out in zip(xs, outs, strict=True):
            solution.prefix_sum(x, out)
        end.record()
        torch.cuda.synchronize()
        times_ms.append(start.elapsed_time(end) / calls)
    print(statistics.median(times_ms[2:]))


def compare() -> None:
    """Measure every solution both ways."""
    import windows
    from gpu import Cuda
    from job import load

    job = load()
    elements, calls = job.parameters["elements"], job.parameters["calls"]
    (FOLDER / "copy").mkdir()
    (FOLDER / "copy" / "solution.py").write_text(COPY, encoding="utf-8")
    device, figures = Cuda(job, None, elements, calls), {}
    window = windows.Calls([elements] * device.slots, [0] * device.slots)
    for name in ("copy", "reference", "frontier"):
        argv = [job.work_python, __file__, str(FOLDER / name), str(elements), str(device.slots)]
        event_ms = float(subprocess.run(argv, check=True, capture_output=True, text=True).stdout)
        scorer_ms, constant_us = scorer(device, name, window)
        figures |= {
            f"event_{name}_ms": event_ms,
            f"scorer_{name}_ms": scorer_ms,
            f"event_agreement_{name}_pct": 100 * (scorer_ms / event_ms - 1),
        }
        print(f"{name}: events {event_ms:.4f} ms, scorer {scorer_ms:.4f} ms, constant {constant_us:.0f} us")
    print(json.dumps(figures))


def scorer(device: "Cuda", name: str, window: "Calls") -> tuple[float, float]:
    """Return the scorer's time of a call in milliseconds, and the constant that it subtracted in microseconds."""
    import windows
    from snapshot import Snapshot
    from worker import Command

    device.snapshot = Snapshot(FOLDER / name, sha256="", files={}, skipped=[], packed=[])
    constant_s = windows.calibrate(device, window)
    worker, times_s = device.worker(submitted=True), []
    worker.run(Command(None, 120.0))
    for _ in range(WINDOWS + 2):
        device.prepare(window)
        times_s.append(device.window_s(worker, window, 120.0))
        if name != "copy" and device.first_error(window):  # a copy is fast and wrong
            sys.exit(f"{name}: {device.first_error(window)}")
    worker.close()
    return 1e3 * (statistics.median(times_s[2:]) - constant_s) / device.slots, 1e6 * constant_s


if __name__ == "__main__":
    events(sys.argv[1], *map(int, sys.argv[2:])) if len(sys.argv) > 1 else compare()
