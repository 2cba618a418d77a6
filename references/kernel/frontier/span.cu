// rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
//
// What one warp does with its part of a tile: load, summarise, turn into results, store.
//
// A stretch of x acts on the running state (parity of the positives so far, sum so far) only through its Summary: does
// it flip the parity, what does it add if entered at even parity, what if at odd.
struct Summary { u32 flips, even, odd, unused; };
struct State { u32 parity, sum; };
// VECS vectors of 4 elements per lane. Vector j of all lanes is contiguous in x, so every access is coalesced.
struct Span { int4 x[VECS]; u32 odd; };

constexpr u32 ALL = ~0u;
constexpr int SPAN4 = VECS * 32, TILE4 = WARPS * SPAN4, TILE = TILE4 * 4;

// Lane i holds the i-th of 32 consecutive summaries: returns what it adds, given the parity ahead of lane 0, and moves
// that parity past lane 31. "before" masks the lower lanes. From a KNOWN parity, one ballot thus resolves 32 summaries.
__device__ u32 enter(u32& parity, const Summary& s, u32 before) {
  const u32 flips = __ballot_sync(ALL, s.flips & 1), odd = parity ^ __popc(flips & before);
  parity ^= __popc(flips);
  return odd & 1 ? s.odd : s.even;
}

// Notes in bit 4j+i of span.odd the parity ahead of element i of vector j, as if it were even ahead of the span.
__device__ Summary summarise(Span& span, u32 before) {
  u32 parity = 0, even = 0, total = 0;
  span.odd = 0;
#pragma unroll
  for (int j = 0; j < VECS; j++) {
    const int4 v = span.x[j];
    const u32 b0 = v.x > 0, b1 = v.y > 0, b2 = v.z > 0, b3 = v.w > 0, flips = __ballot_sync(ALL, b0 ^ b1 ^ b2 ^ b3);
    const u32 p0 = (parity ^ __popc(flips & before)) & 1, p1 = p0 ^ b0, p2 = p1 ^ b1, p3 = p2 ^ b2;
    parity ^= __popc(flips);
    even += u32(p0 ? v.x : 0) + u32(p1 ? v.y : 0) + u32(p2 ? v.z : 0) + u32(p3 ? v.w : 0);
    total += u32(v.x) + u32(v.y) + u32(v.z) + u32(v.w);
    span.odd |= (p0 | p1 << 1 | p2 << 2 | p3 << 3) << 4 * j;
  }
  even = __reduce_add_sync(ALL, even), total = __reduce_add_sync(ALL, total);
  return {parity & 1, even, total - even, 0};  // each element counts at exactly one of the two entry parities
}

// Turns the span's elements into results, from the state ahead of it.
__device__ void finish(Span& span, State state, int lane) {
  const u32 odd = span.odd ^ (0 - (state.parity & 1));
  u32 own[VECS], scan[VECS];
#pragma unroll
  for (int j = 0; j < VECS; j++) {
    const int4 v = span.x[j];
    const u32 x = odd >> 4 * j & 1 ? v.x : 0, y = x + (odd >> 4 * j & 2 ? v.y : 0);
    const u32 z = y + (odd >> 4 * j & 4 ? v.z : 0), w = z + (odd >> 4 * j & 8 ? v.w : 0);
    span.x[j] = make_int4(x, y, z, w);
    own[j] = scan[j] = w;
  }
#pragma unroll
  for (int d = 1; d < 32; d *= 2)  // the vectors' scans side by side: they hide each other's latency
#pragma unroll
    for (int j = 0; j < VECS; j++) {
      const u32 left = __shfl_up_sync(ALL, scan[j], d);
      if (lane >= d) scan[j] += left;
    }
#pragma unroll
  for (int j = 0; j < VECS; j++) {
    const int4 v = span.x[j];
    const u32 start = state.sum + scan[j] - own[j];
    state.sum += __shfl_sync(ALL, scan[j], 31);
    span.x[j] = make_int4(start + v.x, start + v.y, start + v.z, start + v.w);
  }
}

// at4 counts vectors of 4. The ragged last tile goes element by element; zeros past the end change nothing.
__device__ void load_ragged(Span& span, const int* x, long long at4, long long n) {
#pragma unroll
  for (int j = 0; j < VECS; j++) {
    const long long at = (at4 + j * 32) * 4;
    span.x[j].x = at < n ? x[at] : 0, span.x[j].y = at + 1 < n ? x[at + 1] : 0;
    span.x[j].z = at + 2 < n ? x[at + 2] : 0, span.x[j].w = at + 3 < n ? x[at + 3] : 0;
  }
}
__device__ void store_ragged(const Span& span, int* out, long long at4, long long n) {
#pragma unroll
  for (int j = 0; j < VECS; j++) {
    const long long at = (at4 + j * 32) * 4;
    if (at < n) out[at] = span.x[j].x;
    if (at + 1 < n) out[at + 1] = span.x[j].y;
    if (at + 2 < n) out[at + 2] = span.x[j].z;
    if (at + 3 < n) out[at + 3] = span.x[j].w;
  }
}
