"""Reference for CPU tensors: the starting composition, a chunk at a time, so that temporaries stay in the cache.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
"""

import torch

CHUNK = 1 << 17  # 512 KiB of int32: input, output and parities fit a core's second-level cache

# Chunks are too small to share: a second thread saves little, and waiting for it costs much on a busy machine.
torch.set_num_threads(1)


def prefix_sum(x: torch.Tensor, out: torch.Tensor) -> None:
    """Carry the parity and the running sum from chunk to chunk, each in the chunk's first element."""
    odd, total = 0, 0
    parities = torch.empty(CHUNK, dtype=torch.int32)
    for start in range(0, x.numel(), CHUNK):
        source, target = x[start : start + CHUNK], out[start : start + CHUNK]
        after = torch.gt(source, 0, out=parities[: source.numel()])
        after[0] += odd
        torch.cumsum(after, 0, dtype=torch.int32, out=after)
        after &= 1
        target[0] = source[0] * odd + total
        torch.mul(source[1:], after[:-1], out=target[1:])
        torch.cumsum(target, 0, dtype=torch.int32, out=target)
        odd, total = int(after[-1]), int(target[-1])
