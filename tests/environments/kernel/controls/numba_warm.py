"""Numba, compiled by a warm-up call at import.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: one compiled loop over NumPy views of the tensors.
Expect: valid
Hardware: cpu
Naive: accepts
"""

import numba
import numpy


@numba.njit
def scan(x, out):
    odd, total = False, numpy.int32(0)
    for i in range(x.size):
        if odd:
            total = numpy.int32(total + x[i])
        out[i] = total
        if x[i] > 0:
            odd = not odd


scan(numpy.ones(3, numpy.int32), numpy.empty(3, numpy.int32))


def prefix_sum(x, out):
    scan(x.numpy(), out.numpy())
