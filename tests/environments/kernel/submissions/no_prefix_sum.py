"""The function has another name.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: define `prefix_sums`.
Expect: invalid
Reason: no_function
Naive: rejects
"""


def prefix_sums(x, out):
    pass
