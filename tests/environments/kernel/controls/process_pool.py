"""Pools of processes, forked and spawned.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: two processes count the positive elements of halves that they share; pools need semaphores, hence /dev/shm, and spawned
children import the program that started them.
Expect: valid
Hardware: cpu
Naive: n/a the naive judge's output is private memory
"""

import mmap
import multiprocessing
import operator
from functools import partial

import torch

shared = torch.frombuffer(mmap.mmap(-1, 4 << 24), dtype=torch.int32)
pools = {}


def positives(bounds):
    torch.set_num_threads(1)
    return int((shared[slice(*bounds)] > 0).sum())


def prefix_sum(x, out):
    n = x.numel()
    if not pools:
        for method in ("fork", "spawn"):
            pools[method] = multiprocessing.get_context(method).Pool(2)
        assert pools["spawn"].map(partial(operator.mul, 2), [1, 2]) == [2, 4]
    m = min(n, 4096)
    shared[:m] = x[:m]
    total = sum(pools["fork"].map(positives, [(0, m // 2), (m // 2, m)]))
    positive = (x > 0).to(torch.int32)
    before = torch.cumsum(positive, 0, dtype=torch.int32)
    assert total == before[m - 1]
    torch.cumsum(x * ((before - positive) & 1), 0, dtype=torch.int32, out=out)
