// The scorer's own arithmetic on GPU buffers: inputs, last-moment patches, expected outputs, poison, comparison.
//
// rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
//
// Simple rather than fast: it is the judge. Generator and kinds are those of prefix_sum.c. Buffers are multiples of 16
// bytes, so whole vectors may be touched where the last one is partly beyond n.

typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

enum { SMALL, FULL_RANGE, POSITIVE, NEGATIVE, ZEROS, RUNS, ALTERNATING };

// One call of a window. Slot s has its input at s * stride, its output at (slots + s) * stride.
struct Slot {
  i64 n;
  u64 patch_seed, sample_seed;
  i64 kind;
};

// A counter-based generator (splitmix64): every element depends on the secret seed and its index alone.
__device__ u64 mix(u64 z) {
  z *= 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

__device__ int element(u64 seed, int kind, i64 i) {
  u64 pair = mix(seed + (u64)(i & ~(i64)1));  // 64 random bits are two elements
  u32 r = (u32)(i & 1 ? pair >> 32 : pair);
  int small = (int)(((u64)r * 20) >> 32) - 10, size = (int)(r >> 8) + 1;
  switch (kind) {
    case SMALL: return small;
    case FULL_RANGE: return (int)r;
    case POSITIVE: return size;
    case NEGATIVE: return -size;
    case ZEROS: return r & 0xffff ? 0 : (int)(((r >> 16) * 20) >> 16) - 10;  // few values, of either sign
    case RUNS: return mix(seed ^ (u64)(i >> 12)) & 1 ? size : -size;
    default: return i & 1 ? size : -size;
  }
}

extern "C" __global__ void fill(int4* x, i64 n, u64 seed, int kind) {
  i64 step = (i64)gridDim.x * blockDim.x;
  for (i64 v = (i64)blockIdx.x * blockDim.x + threadIdx.x; 4 * v < n; v += step)
    x[v] = {element(seed, kind, 4 * v), element(seed, kind, 4 * v + 1), element(seed, kind, 4 * v + 2),
            element(seed, kind, 4 * v + 3)};
}

// Overwrites some hundred secret positions, a quarter of them near the front: nearly every output changes. A position's
// new value depends on the position, so it does not matter that two patches may hit the same one. A rehearsal only reads.
extern "C" __global__ void patch(volatile int* x, i64 stride, const Slot* slots, int first, int rehearsal) {
  Slot slot = slots[first + blockIdx.y];
  u64 number = blockIdx.x * blockDim.x + threadIdx.x, draw = mix(slot.patch_seed ^ mix(number + 1));
  i64 position = draw % (u64)(number < 64 && slot.n > 4096 ? 4096 : slot.n);
  i64 at = blockIdx.y * stride + position;
  int kind = slot.kind == ZEROS || slot.kind == NEGATIVE ? SMALL : (int)slot.kind;  // else outputs may stay zero
  int old = x[at], value = element(slot.patch_seed, kind, position);
  if (!rehearsal || old == value) x[at] = value;
}

// What a run of elements does: whether it flips the parity, and its sum if entered at even and at odd parity.
struct Step {
  u32 flip, even, odd;
};

__device__ Step then(Step a, Step b) {
  return {a.flip ^ b.flip, a.even + (a.flip ? b.odd : b.even), a.odd + (a.flip ? b.even : b.odd)};
}

__device__ Step step_of(int x, bool exists) { return {exists && x > 0, 0, exists ? (u32)x : 0}; }

constexpr int THREADS = 256, WARPS = THREADS / 32, TILE = 1 << 16;
constexpr u32 ALL = 0xffffffff;

// The steps of all threads before this one in the block; `total` becomes those of the whole block.
__device__ Step before_in_block(Step mine, Step& total) {
  __shared__ Step warps[WARPS];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Step upto = mine;
  for (int d = 1; d < 32; d *= 2) {
    Step other = {__shfl_up_sync(ALL, upto.flip, d), __shfl_up_sync(ALL, upto.even, d), __shfl_up_sync(ALL, upto.odd, d)};
    if (lane >= d) upto = then(other, upto);
  }
  if (lane == 31) warps[warp] = upto;
  Step before = {__shfl_up_sync(ALL, upto.flip, 1), __shfl_up_sync(ALL, upto.even, 1), __shfl_up_sync(ALL, upto.odd, 1)};
  if (lane == 0) before = {0, 0, 0};
  __syncthreads();
  Step earlier = {0, 0, 0};
  total = {0, 0, 0};
  for (int w = 0; w < WARPS; w++) {
    if (w == warp) earlier = total;
    total = then(total, warps[w]);
  }
  __syncthreads();
  return then(earlier, before);
}

// Walks this block's tile from `state` on; writes results where `out` is given; returns the state after the tile.
__device__ Step walk(const int4* x, int4* out, i64 n, Step state) {
  for (i64 v = (i64)blockIdx.x * (TILE / 4) + threadIdx.x; v < (i64)(blockIdx.x + 1) * (TILE / 4); v += THREADS) {
    int4 q = 4 * v < n ? x[v] : int4{0, 0, 0, 0};
    Step s0 = step_of(q.x, 4 * v < n), s1 = step_of(q.y, 4 * v + 1 < n), s2 = step_of(q.z, 4 * v + 2 < n),
         s3 = step_of(q.w, 4 * v + 3 < n), total;
    Step at = then(state, before_in_block(then(then(s0, s1), then(s2, s3)), total));
    if (out && 4 * v < n) {
      Step a0 = then(at, s0), a1 = then(a0, s1), a2 = then(a1, s2), a3 = then(a2, s3);
      out[v] = {(int)a0.even, (int)a1.even, (int)a2.even, (int)a3.even};
    }
    state = then(state, total);
  }
  return state;
}

extern "C" __global__ void summarise(const int4* x, i64 n, Step* tiles) {
  Step state = walk(x, nullptr, n, {0, 0, 0});
  if (threadIdx.x == 0) tiles[blockIdx.x] = state;
}

// One thread turns the tiles' steps into those of everything before each tile.
extern "C" __global__ void chain(Step* tiles, int count) {
  Step state = {0, 0, 0};
#pragma unroll 8
  for (int t = 0; t < count; t++) {
    Step tile = tiles[t];
    tiles[t] = state;
    state = then(state, tile);
  }
}

// The number of positives before the first element is even: the result is the sum when entered at even parity.
extern "C" __global__ void expect(const int4* x, int4* expected, i64 n, const Step* tiles) {
  walk(x, expected, n, tiles[blockIdx.x]);
}

// The fence: one secret position in each of some dozen parts, and the last, must hold its result by now. Few, because
// each costs a walk through cold page tables while the clock still runs.
extern "C" __global__ void sample(const int* out, const int* expected, i64 stride, const Slot* slots, u64* late) {
  Slot slot = slots[blockIdx.y];
  i64 strata = (i64)gridDim.x * blockDim.x, s = (i64)blockIdx.x * blockDim.x + threadIdx.x;
  i64 from = slot.n * s / strata, to = slot.n * (s + 1) / strata;
  if (from == to) return;
  i64 position = s == strata - 1 ? to - 1 : from + (i64)(mix(slot.sample_seed ^ mix(s + 1)) % (u64)(to - from));
  i64 at = blockIdx.y * stride + position;
  if (out[at] != expected[at]) atomicAdd(late, 1ull);
}

// found[0] += number of wrong elements; found[1] becomes n minus the first one's index (so that zeros mean none).
extern "C" __global__ void compare(const int4* out, const int4* expected, i64 n, u64* found) {
  i64 step = (i64)gridDim.x * blockDim.x;
  u64 count = 0, first = ~0ull;
  for (i64 v = (i64)blockIdx.x * blockDim.x + threadIdx.x; 4 * v < n; v += step) {
    int4 a = out[v], b = expected[v];
    int wrong = (a.x != b.x) | (4 * v + 1 < n && a.y != b.y) << 1 | (4 * v + 2 < n && a.z != b.z) << 2 |
                (4 * v + 3 < n && a.w != b.w) << 3;
    if (wrong && first == ~0ull) first = 4 * v + __ffs(wrong) - 1;
    count += __popc(wrong);
  }
  if (count) atomicAdd(found, count), atomicMax(found + 1, (u64)n - first);
}

extern "C" __global__ void untouched(const int* out, i64 n, u64 seed, u64* count) {
  i64 step = (i64)gridDim.x * blockDim.x;
  u64 mine = 0;
  for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
    mine += out[i] == element(seed, FULL_RANGE, i);
  if (mine) atomicAdd(count, mine);
}

extern "C" __global__ void nothing() {}
