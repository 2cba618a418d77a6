"""Frontier solution: the fastest that the project knows; shows the head-room above the reference.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
"""

import torch


def prefix_sum(x: torch.Tensor, out: torch.Tensor) -> None:
    """Write the conditional prefix sum of `x` into `out` on the device where they are."""
    if x.is_cuda:
        import gpu as device
    else:
        import cpu as device
    device.prefix_sum(x, out)
