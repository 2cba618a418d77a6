"""CUDA C++, compiled at the first call.

rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.

Strategy: one kernel, launched twice: it summarises stripes of 8192 elements, one warp each; PyTorch scans the summaries; it writes. PyTorch's
own NVRTC compiles, which needs no toolkit.
Expect: valid
Hardware: cuda
Naive: n/a the naive judge has no GPU
"""

import torch

SOURCE = r"""extern "C" __global__ void stripes(const int* x, int* out, int* flips, int* sums, const int* parity, const int* start, int n,
                                          int stripes, int writes) {
    const unsigned all = 0xffffffffu;
    int lane = threadIdx.x % 32, s = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (s >= stripes) return;
    unsigned odd = writes ? parity[s] : 0, even_sum = writes ? start[s] : 0, odd_sum = 0;
    for (int i = 0; i < 8192; i += 32) {
        long long at = (long long)s * 8192 + i + lane;
        unsigned value = at < n ? x[at] : 0, positives = __ballot_sync(all, (int)value > 0);
        unsigned mine = (odd + __popc(positives & ((1u << lane) - 1))) & 1, sum = mine ? value : 0, other = mine ? 0 : value;
        for (int d = 1; d < 32; d *= 2) {
            unsigned below = __shfl_up_sync(all, sum, d), below_other = __shfl_up_sync(all, other, d);
            if (lane >= d) sum += below, other += below_other;
        }
        if (writes && at < n) out[at] = even_sum + sum;
        even_sum += __shfl_sync(all, sum, 31), odd_sum += __shfl_sync(all, other, 31);
        odd ^= __popc(positives) & 1;
    }
    if (!writes && lane == 0) flips[s] = odd, sums[2 * s] = even_sum, sums[2 * s + 1] = odd_sum;
}"""
kernel = None


def prefix_sum(x, out):
    global kernel
    kernel = kernel or torch.cuda._compile_kernel(SOURCE, "stripes")
    n = x.numel()
    count = -(-n // 8192)
    flips, parity, start = torch.empty((3, count), dtype=torch.int32, device=x.device)
    sums = torch.empty((count, 2), dtype=torch.int32, device=x.device)
    grid, block = (-(-count // 8), 1, 1), (256, 1, 1)
    stream = torch.cuda.current_stream()
    kernel(grid, block, (x, out, flips, sums, parity, start, n, count, 0), stream=stream)
    parity = ((torch.cumsum(flips, 0, dtype=torch.int32) - flips) & 1).contiguous()
    kept = sums.gather(1, parity.long()[:, None])[:, 0].contiguous()
    start = (torch.cumsum(kept, 0, dtype=torch.int32) - kept).contiguous()
    kernel(grid, block, (x, out, flips, sums, parity, start, n, count, 1), stream=stream)
