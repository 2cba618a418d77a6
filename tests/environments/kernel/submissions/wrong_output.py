"""Off by one: positives up to and including the element are counted.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: the inclusive parity instead of the exclusive one.
Expect: invalid
Reason: wrong_output
Naive: rejects
"""

import torch


def prefix_sum(x, out):
    odd = torch.cumsum((x > 0).to(torch.int32), 0, dtype=torch.int32) & 1
    torch.cumsum(x * odd, 0, dtype=torch.int32, out=out)
