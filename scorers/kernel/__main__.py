"""Scores a prefix-sum kernel: snapshot, measure, verdict.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: the order of things; see the files named there. Not covered: nothing of its own.
Trusts: the host's job file.
"""

import random
import time

import cpu
import score
import windows
from isolation import active
from job import Job
from outcome import Verdict
from scoring import run
from snapshot import Snapshot


def measure(job: Job, snapshot: Snapshot) -> Verdict:
    """Measure one snapshot on the scale's device."""
    start = time.perf_counter()
    device = cpu.Cpu(job, snapshot, job.parameters["elements"], job.parameters["calls"])
    timing = windows.measure(device, score.plan(job.parameters, random.SystemRandom()))
    copy_s = device.copy_s(job.parameters["elements"])
    raw, error = score.raw_score(timing, copy_s)
    measurements = {
        "per_call_ms": [1e3 * seconds for seconds in timing.per_call_s],
        "calibration_us": [1e6 * seconds for seconds in timing.calibration_s],
        "import_s": timing.import_s,
        "copy_ms": 1e3 * copy_s,
        "measure_s": time.perf_counter() - start,
    }
    return Verdict(
        outcome="scored",
        message=f"{1e3 * timing.median_s:.4f} ms a call",
        raw_score=raw,
        raw_se=error,
        measurements=measurements,
        flags=score.flags(timing),
        fingerprint={**cpu.describe(), **active(job.protected)},
    )


run(measure)
