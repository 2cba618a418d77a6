"""Multi-threaded C, compiled with gcc at import.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: two passes over stripes, a thread a core: summarise, then write.
Expect: valid
Hardware: cpu
Naive: accepts
"""

import ctypes
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor

SOURCE = r"""
#include <stdint.h>
void summarise(const int32_t *x, int64_t n, uint32_t *flips, uint32_t sums[2]) {
    uint32_t odd = 0, kept = 0, all = 0;
    for (int64_t i = 0; i < n; i++) kept += x[i] & -odd, all += x[i], odd ^= x[i] > 0;
    *flips = odd, sums[0] = kept, sums[1] = all - kept;
}
void scan(const int32_t *x, int32_t *out, int64_t n, uint32_t odd, uint32_t sum) {
    for (int64_t i = 0; i < n; i++) out[i] = sum += x[i] & -odd, odd ^= x[i] > 0;
}
"""
folder = tempfile.mkdtemp()
subprocess.run(["gcc", "-O3", "-shared", "-fPIC", "-o", f"{folder}/scan.so", "-xc", "-"], input=SOURCE.encode(), check=True)
library = ctypes.CDLL(f"{folder}/scan.so")
POINTER, LENGTH, WORD = ctypes.c_void_p, ctypes.c_int64, ctypes.c_uint32
library.summarise.argtypes = [POINTER, LENGTH, POINTER, POINTER]
library.scan.argtypes = [POINTER, POINTER, LENGTH, WORD, WORD]
THREADS = len(os.sched_getaffinity(0))
pool = ThreadPoolExecutor(THREADS)


def summary(part):
    flips, sums = WORD(), (WORD * 2)()
    library.summarise(*part, ctypes.byref(flips), sums)
    return flips.value, sums


def prefix_sum(x, out):
    n = x.numel()
    stripe = max(-(-n // THREADS), 4096)
    starts = range(0, n, stripe)
    states, odd, total = [], 0, 0
    for flips, sums in pool.map(summary, [(x.data_ptr() + 4 * start, min(stripe, n - start)) for start in starts]):
        states.append((odd, total))
        total = (total + sums[odd]) & 0xFFFFFFFF
        odd ^= flips
    parts = [(x.data_ptr() + 4 * at, out.data_ptr() + 4 * at, min(stripe, n - at), *state) for at, state in zip(starts, states)]
    list(pool.map(lambda part: library.scan(*part), parts))
