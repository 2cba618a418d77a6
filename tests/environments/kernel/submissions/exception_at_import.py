"""Importing raises an exception.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: import a module that does not exist.
Expect: invalid
Reason: import_failed
Naive: rejects
"""

import prefix_sums_of_tomorrow


def prefix_sum(x, out):
    prefix_sums_of_tomorrow.scan(x, out)
