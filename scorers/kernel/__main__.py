"""Scores a prefix-sum kernel: snapshot, measure, verdict.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: the order of things; see the files named there. Not covered: nothing of its own.
Trusts: the host's job file.
"""

import random
import time
from typing import TYPE_CHECKING

import score
import windows
from cpu import Cpu
from isolation import active
from job import Job
from outcome import Verdict
from scoring import run
from snapshot import Snapshot

if TYPE_CHECKING:
    from gpu import Cuda


def measure(job: Job, snapshot: Snapshot) -> Verdict:
    """Measure one snapshot on the scale's device."""
    start = time.perf_counter()
    device = _device(job, snapshot)
    parameters = {**job.parameters, "calls": device.slots}
    timing = windows.measure(device, score.plan(parameters, random.SystemRandom()))
    copy_s = device.copy_s(parameters["elements"])
    raw, error = score.raw_score(timing, device.floor_s(copy_s))
    measurements = {
        "per_call_ms": [1e3 * seconds for seconds in timing.per_call_s],
        "calibration_us": [1e6 * seconds for seconds in timing.calibration_s],
        "import_s": timing.import_s,
        "copy_ms": 1e3 * copy_s,
        "measure_s": time.perf_counter() - start,
        **device.measurements(),
    }
    return Verdict(
        outcome="scored",
        message=f"{1e3 * timing.median_s:.4f} ms a call",
        raw_score=raw,
        raw_se=error,
        measurements=measurements,
        flags=[*score.flags(timing), *device.flags()],
        fingerprint={**device.describe(), **active(job.protected)},
    )


def _device(job: Job, snapshot: Snapshot) -> "Cpu | Cuda":
    arguments = job, snapshot, job.parameters["elements"], job.parameters["calls"]
    if job.hardware == "cpu":
        return Cpu(*arguments)
    from gpu import Cuda  # late: the image of the CPU scales has no CUDA packages

    return Cuda(*arguments)


run(measure)
