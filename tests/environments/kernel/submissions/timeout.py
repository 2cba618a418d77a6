"""An endless loop.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: loop, in the first call.
Expect: invalid
Reason: timeout
Hardware: cpu
Naive: n/a the naive judge has no time limit
"""


def prefix_sum(x, out):
    while True:
        pass
