"""Starting solution: a clear composition of PyTorch operations. Replace it with something faster.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
"""

import torch


def prefix_sum(x: torch.Tensor, out: torch.Tensor) -> None:
    """Write the conditional prefix sum of `x` into `out` (both 1-D, int32, same length and device)."""
    positive = (x > 0).to(torch.int32)
    positives_before = torch.cumsum(positive, 0, dtype=torch.int32) - positive
    kept = x * (positives_before & 1)
    torch.cumsum(kept, 0, dtype=torch.int32, out=out)
