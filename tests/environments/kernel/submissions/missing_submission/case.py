"""There is no `solution.py`, but a file of another name.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: save the solution under another name.
Expect: invalid
Reason: missing_submission
Naive: rejects
"""


def prefix_sum(x, out):
    pass
