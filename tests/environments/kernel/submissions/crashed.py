"""A segmentation fault.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: read address 0.
Expect: invalid
Reason: crashed
Naive: rejects
"""

import ctypes


def prefix_sum(x, out):
    ctypes.string_at(0)
