"""A solution that imports modules of its own, from its folder and from a package in it.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: the starting composition, spread over files.
Expect: valid
Hardware: cpu
Naive: accepts
"""

import parts.parity
from tail import finish


def prefix_sum(x, out):
    finish(x * parts.parity.odd_before(x), out)
