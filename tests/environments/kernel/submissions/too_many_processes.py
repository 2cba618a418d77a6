"""A fork bomb.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: every process forks, until it may not; all end after a minute.
Expect: invalid
Reason: too_many_processes
Hardware: cpu
Naive: n/a it would hurt the other submissions of the batch
"""

import os
import time

assert os.getuid() == 10001 or os.environ.get("USER") == "solver", "only in the sandbox image"


def prefix_sum(x, out):
    end = time.time() + 60
    while time.time() < end:
        try:
            os.fork()
        except OSError:
            time.sleep(0.1)
    os._exit(1)
