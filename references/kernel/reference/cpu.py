"""Reference for CPU tensors: the starting composition, a chunk at a time, so that temporaries stay in the cache.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
"""

import torch

torch.set_num_threads(1)  # chunks are too small to share: waiting for a second thread costs more than it helps
CHUNK = 1 << 17  # 512 KiB of int32: input, output and the parities fit a core's second-level cache


def prefix_sum(x: torch.Tensor, out: torch.Tensor) -> None:
    """Carry the parity and the running sum from chunk to chunk."""
    odd = False
    total = torch.zeros((), dtype=torch.int32)
    parity = torch.empty(CHUNK, dtype=torch.int8)
    for start in range(0, x.numel(), CHUNK):
        source, target = x[start : start + CHUNK], out[start : start + CHUNK]
        # An int8 counter wraps, and wrapping keeps the parity: a quarter of the bytes of an int32 one.
        after = torch.cumsum(source > 0, 0, dtype=torch.int8, out=parity[: source.numel()])
        after.add_(int(odd)).bitwise_and_(1)
        target[0] = source[0] * int(odd)
        torch.mul(source[1:], after[:-1], out=target[1:])
        torch.cumsum(target, 0, dtype=torch.int32, out=target)
        target.add_(total)
        odd, total = bool(after[-1]), target[-1]
