"""Parities for the solution above.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
"""

import torch


def odd_before(x):
    positive = (x > 0).to(torch.int32)
    return (torch.cumsum(positive, 0, dtype=torch.int32) - positive) & 1
