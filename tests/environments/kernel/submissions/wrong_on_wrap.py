"""Wrong only where sums leave 32 bits.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: sums in 64 bits, clamped to the range of int32.
Expect: invalid
Reason: wrong_output
Naive: n/a the naive judge's input does not wrap
"""

import torch


def prefix_sum(x, out):
    positive = (x > 0).to(torch.int32)
    before = torch.cumsum(positive, 0, dtype=torch.int32) - positive
    sums = torch.cumsum((x * (before & 1)).to(torch.int64), 0)
    out.copy_(sums.clamp_(-(2**31), 2**31 - 1))
