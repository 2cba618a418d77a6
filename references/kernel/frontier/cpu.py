"""Frontier for CPU tensors: vectorised C, compiled at import, one stripe a core.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Two threads cannot scan one array in turn, so the last stripes are only summed first (a read, no write), and then all
stripes are written in parallel with their starting parity and sum known.
"""

import ctypes
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torch

ELEMENT_BYTES = 4
MIN_STRIPE = 1 << 14  # below this, waking a thread costs more than it saves


def _compiled() -> ctypes.CDLL:
    library = Path(tempfile.mkdtemp()) / "scan.so"
    source = Path(__file__).with_name("scan.c")
    subprocess.run(
        ["gcc", "-O3", "-march=native", "-mavx512f", "-mpopcnt", "-shared", "-fPIC", "-o", str(library), str(source)],
        check=True,
    )
    return ctypes.CDLL(str(library))


_SCAN = _compiled()
_SCAN.stripe_aggregate.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p]
_SCAN.stripe_outputs.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int, ctypes.c_int32]
_CORES = len(os.sched_getaffinity(0))
_POOL = ThreadPoolExecutor(_CORES)


def _aggregate(pointer: int, length: int) -> tuple[int, tuple[int, int]]:
    sums = (ctypes.c_int32 * 2)()
    parity = _SCAN.stripe_aggregate(pointer, length, sums)
    return parity, (sums[0], sums[1])


def prefix_sum(x: torch.Tensor, out: torch.Tensor) -> None:
    """Sum the earlier stripes in parallel, then write all stripes in parallel."""
    n, source, target = x.numel(), x.data_ptr(), out.data_ptr()
    stripe = max(-(-n // _CORES), MIN_STRIPE)
    starts = range(0, n, stripe)
    aggregates = _POOL.map(lambda start: _aggregate(source + start * ELEMENT_BYTES, stripe), starts[:-1])
    parity, total, states = 0, 0, [(0, 0)]
    for flips, sums in aggregates:
        total = ctypes.c_int32(total + sums[parity]).value
        parity ^= flips
        states.append((parity, total))

    def write(start: int, state: tuple[int, int]) -> None:
        at = start * ELEMENT_BYTES
        _SCAN.stripe_outputs(source + at, target + at, min(stripe, n - start), *state)

    list(_POOL.map(write, starts, states))
