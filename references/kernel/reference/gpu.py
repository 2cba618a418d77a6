"""Conditional prefix sum in three Triton passes: summarise blocks, scan the summaries, rescan and write.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

An element counts if an odd number of positive elements precedes it. Whether that number is odd at the start of a
block is not known until all earlier blocks are counted, but it has only two possible values. So each block can be
summed once for either case, independently of all others, and a tiny scan then picks the case that holds.
This moves x twice and out once, where a composition of PyTorch operators moves some ten arrays.
"""

import torch
import triton
import triton.language as tl

BLOCK = 4096  # elements per program: enough bytes in flight per program, few enough summaries for one program to scan
CHUNK = 4096  # summaries the scan takes at a time
WARPS = 8


@triton.jit
def load_with_parity(x_ptr, n, width: tl.constexpr):
    """This program's block of x, whether each element is positive, and the parity of the positives before it."""
    at = tl.program_id(0).to(tl.int64) * width + tl.arange(0, width)
    x = tl.load(x_ptr + at, mask=at < n, other=0)  # zeros past the end are neither positive nor add anything
    positive = (x > 0).to(tl.int32)
    return at, x, positive, (tl.cumsum(positive, 0) - positive) & 1


@triton.jit
def summarise(x_ptr, flips_ptr, even_ptr, odd_ptr, n, width: tl.constexpr):
    """Per block: does it flip the parity, and its sum if entered at even and at odd parity."""
    block = tl.program_id(0)
    _, x, positive, parity = load_with_parity(x_ptr, n, width)
    even = tl.sum(x * parity, 0)
    tl.store(flips_ptr + block, tl.sum(positive, 0) & 1)
    tl.store(even_ptr + block, even)
    tl.store(odd_ptr + block, tl.sum(x, 0) - even)  # each element counts in exactly one of the two cases


@triton.jit
def scan_summaries(flips_ptr, even_ptr, odd_ptr, parity_ptr, start_ptr, blocks, width: tl.constexpr):
    """The parity and the result at the start of each block, by one program: there are few blocks.

    The parities come first; knowing them, the sums are an ordinary scan, so no two-valued operator is needed.
    """
    parity = 0
    start = 0
    for first in range(0, blocks, width):
        at = first + tl.arange(0, width)
        flips = tl.load(flips_ptr + at, mask=at < blocks, other=0)
        before = (parity + tl.cumsum(flips, 0) - flips) & 1
        even = tl.load(even_ptr + at, mask=at < blocks, other=0)
        odd = tl.load(odd_ptr + at, mask=at < blocks, other=0)
        add = tl.where(before == 1, odd, even)
        tl.store(parity_ptr + at, before, mask=at < blocks)
        tl.store(start_ptr + at, start + tl.cumsum(add, 0) - add, mask=at < blocks)
        parity = (parity + tl.sum(flips, 0)) & 1
        start += tl.sum(add, 0)


@triton.jit
def rescan(x_ptr, out_ptr, parity_ptr, start_ptr, n, width: tl.constexpr):
    """Each block again, now from its known start: this time every element's result is written."""
    block = tl.program_id(0)
    at, x, _, parity = load_with_parity(x_ptr, n, width)
    counts = parity ^ tl.load(parity_ptr + block)
    tl.store(out_ptr + at, tl.load(start_ptr + block) + tl.cumsum(x * counts, 0), mask=at < n)


def prefix_sum(x: torch.Tensor, out: torch.Tensor) -> None:
    """Write into out[i] the sum of those x[j], j <= i, that an odd number of positive elements precedes."""
    n = x.numel()
    if n == 0:
        return
    blocks = triton.cdiv(n, BLOCK)
    flips, even, odd, parity, start = torch.empty((5, blocks), dtype=torch.int32, device=x.device)
    summarise[(blocks,)](x, flips, even, odd, n, width=BLOCK, num_warps=WARPS)
    scan_summaries[(1,)](flips, even, odd, parity, start, blocks, width=CHUNK, num_warps=WARPS)
    rescan[(blocks,)](x, out, parity, start, n, width=BLOCK, num_warps=WARPS)
