"""From a snapshot to a verdict: the seconds that a script takes on an instance that it has never seen.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: the order of the measurement; see the files named there. Not covered: nothing of its own. Trusts: the host's
job file.
"""

import random
import time

import score
import trial
import variants
from cpu import describe
from gpu import Meter
from isolation import active
from job import Job
from outcome import Verdict
from snapshot import Snapshot


def measure(job: Job, snapshot: Snapshot) -> Verdict:
    """Time one snapshot on a secret instance, after that try whether it heeds other options."""
    start = time.perf_counter()
    trial.prepare(job)
    prepared_s = time.perf_counter() - start
    count = int(job.parameters["variants"])
    # The last instance is kept for the re-measurement, which takes the mean of two.
    again = [str(random.SystemRandom().randrange(count - 1)), str(count - 1)]
    chosen = again if job.source == "kept" else [variants.unseen(job)]
    for name in chosen:
        trial.ensure(job, variants.variant(job, name))
    trials = [trial.timed(job, snapshot, variants.variant(job, name)) for name in chosen]
    raw, error = score.raw_score([each.seconds for each in trials], trial.floor_s(job))
    options = trial.check_options(job, snapshot)
    return Verdict(
        outcome="scored",
        message=f"{sum(each.seconds for each in trials) / len(trials):.2f} s",
        raw_score=raw,
        raw_se=error,
        measurements={
            "trials": [each._asdict() for each in trials],
            "instances": chosen,
            "options": options,
            "references": trial.table(job),
            "prepared_s": prepared_s,
            "measure_s": time.perf_counter() - start,
        },
        flags=[flag for each in trials for flag in trial.flags(job, each)],
        fingerprint={**describe(), **Meter(job.hardware).describe(), **active(job.protected)},
    )
