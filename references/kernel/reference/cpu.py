"""Reference for CPU tensors: the starting composition, a chunk at a time, so that temporaries stay in the cache.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
"""

import torch

CHUNK = 1 << 17  # 512 KiB of int32: input, output and the parities fit a core's second-level cache


def prefix_sum(x: torch.Tensor, out: torch.Tensor) -> None:
    """Carry the parity and the running sum from chunk to chunk, each in the chunk's first element."""
    odd, total = 0, 0
    parity = torch.empty(CHUNK, dtype=torch.int8)
    for start in range(0, x.numel(), CHUNK):
        source, target = x[start : start + CHUNK], out[start : start + CHUNK]
        # An int8 counter wraps, and wrapping keeps the parity: a quarter of the bytes of an int32 one.
        after = torch.gt(source, 0, out=parity[: source.numel()].view(torch.bool)).view(torch.int8)
        after[0] += odd
        torch.cumsum(after, 0, dtype=torch.int8, out=after)
        after &= 1
        target[0] = source[0] * odd + total
        torch.mul(source[1:], after[:-1], out=target[1:])
        torch.cumsum(target, 0, dtype=torch.int32, out=target)
        odd, total = int(after[-1]), target[-1].clone()
