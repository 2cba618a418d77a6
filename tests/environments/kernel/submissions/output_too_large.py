"""Ten gigabytes of output.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: print a mebibyte, ten thousand times.
Expect: invalid
Reason: output_too_large
Naive: n/a the naive judge keeps all output in memory
"""

import os

LINE = b"x" * ((1 << 20) - 1) + b"\n"


def prefix_sum(x, out):
    for _ in range(10_000):
        os.write(1, LINE)
