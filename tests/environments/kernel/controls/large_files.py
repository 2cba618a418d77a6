"""Compilation that writes a large file.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: a compiler on PyTorch's own headers writes intermediate files of more than 64 MiB; here one is written at the import.
Expect: valid
Naive: accepts
"""

import tempfile

import torch

with tempfile.TemporaryFile() as file:
    for _ in range(200):
        file.write(b"x" * (1 << 20))


def prefix_sum(x, out):
    positive = (x > 0).to(torch.int32)
    before = torch.cumsum(positive, 0, dtype=torch.int32) - positive
    torch.cumsum(x * (before & 1), 0, dtype=torch.int32, out=out)
