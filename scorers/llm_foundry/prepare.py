"""Makes references and nothing else, in the scorer's place: for machines whose commands are short.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Covered: as `trial.prepare`. Not covered: a time limit; whoever starts it has one. Trusts: the host's job file.
The parameter `prepare_s` is the time after which no further reference is begun.
"""

import sys
import time

import trial
from job import load

job = load()
missing = trial.prepare(job, time.monotonic() + float(job.parameters["prepare_s"]))
print(*(f"{name} {about}" for name, about in trial.table(job).items()), sep="\n")
if missing:
    sys.exit(f"references are still missing, the same command makes them: {', '.join(missing)}")
