"""An endless wait at import.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: sleep, and ignore requests to end.
Expect: invalid
Reason: timeout
Hardware: cpu
Naive: n/a the naive judge has no time limit
"""

import signal
import time

signal.signal(signal.SIGTERM, signal.SIG_IGN)
time.sleep(3600)


def prefix_sum(x, out):
    pass
