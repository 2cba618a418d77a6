"""Compares the GPU scorer's times with CUDA events in an honest loop, and its expected outputs with the C oracle.

`python3 -m rebench_inspect.bare kernel --parts agreement` runs it as root in place of a scoring, with the folders
`reference` and `frontier` beside `trusted`. Its last line is JSON. With an argument it is the honest loop itself.
"""

import json
import statistics
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent
CALLS, WINDOWS = 16, 15
COPY = "def prefix_sum(x, out):\n    out.copy_(x)\n"


def events(folder: str, elements: int) -> None:
    """Time the solution in this process: events around as many calls on as many inputs as a window has."""
    sys.path.insert(0, folder)
    import solution
    import torch

    xs = [torch.randint(-10, 10, (elements,), dtype=torch.int32, device="cuda") for _ in range(CALLS)]
    outs = [torch.empty_like(x) for x in xs]
    times_ms = []
    for _ in range(WINDOWS + 2):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        torch.cuda.synchronize()
        start.record()
        for x, out in zip(xs, outs, strict=True):
            solution.prefix_sum(x, out)
        end.record()
        torch.cuda.synchronize()
        times_ms.append(start.elapsed_time(end) / CALLS)
    print(statistics.median(times_ms[2:]))


def compare() -> None:
    """Measure every solution both ways, in turn."""
    import windows
    from gpu import Cuda
    from job import load
    from snapshot import Snapshot
    from windows import Calls
    from worker import Command

    job = load()
    elements = job.parameters["elements"]
    (FOLDER / "copy").mkdir()
    (FOLDER / "copy" / "solution.py").write_text(COPY, encoding="utf-8")
    device, figures = Cuda(job, None, elements, CALLS), {}
    for name in ("copy", "reference", "frontier"):
        argv = [job.work_python, __file__, str(FOLDER / name), str(elements)]
        loop = lambda argv=argv: float(subprocess.run(argv, check=True, capture_output=True, text=True).stdout)
        before_ms = loop()
        device.snapshot = Snapshot(FOLDER / name, "", {}, [])
        calls = Calls([elements] * CALLS, [0] * CALLS)
        constant_s = windows._calibrate(device, calls)
        worker, times_s = device.worker(submitted=True), []
        worker.run(Command(None, 120.0))
        for _ in range(WINDOWS + 2):
            device.prepare(calls)
            times_s.append(device.window_s(worker, calls, 120.0))
            if name != "copy" and device.first_error(calls):
                sys.exit(f"{name}: {device.first_error(calls)}")
        worker.close()
        scorer_ms, after_ms = 1e3 * (statistics.median(times_s[2:]) - constant_s) / CALLS, loop()
        event_ms = (before_ms + after_ms) / 2
        figures |= {
            f"event_{name}_ms": event_ms,
            f"scorer_{name}_ms": scorer_ms,
            f"event_agreement_{name}_pct": 100 * (scorer_ms / event_ms - 1),
        }
        print(
            f"{name}: events {before_ms:.4f}, {after_ms:.4f} ms; scorer {scorer_ms:.4f} ms, constant {constant_s:.6f} s"
        )
    print(json.dumps(figures))


if __name__ == "__main__":
    events(sys.argv[1], int(sys.argv[2])) if len(sys.argv) > 1 else compare()
