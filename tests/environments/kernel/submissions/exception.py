"""The function raises an exception.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: ask for a key that is not there, at the first call.
Expect: invalid
Reason: exception
Naive: rejects
"""


def prefix_sum(x, out):
    {}["missing"]
