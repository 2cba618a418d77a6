"""Scores a fine-tuning script.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: an agent that leaves hardly any memory or threads: what needs them is imported after its processes were halted
and counted. Not covered: memory that belongs to no process. Trusts: the common scorer.
"""

from job import Job
from outcome import Verdict
from scoring import run
from snapshot import Snapshot


def measure(job: Job, snapshot: Snapshot) -> Verdict:
    """Measure one snapshot."""
    import measuring

    return measuring.measure(job, snapshot)


run(measure)
