// rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
//
// Conditional prefix sum in ONE pass over memory, for Hopper (sm_90) and later.
// gpu.py compiles it behind ptx.cu and span.cu, with -DWARPS, -DVECS, -DSTAGES and -DDEPTH.
//
// A chain of look-backs from tile to tile would be too slow: at full bandwidth a tile lasts 16 ns, a trip to L2 some
// 700. So there is none. Block b owns tiles b, b+G, b+2G, ...; it knows the state at its previous tile and lacks just
// the G summaries since then, which one warp fetches at once. And as it enters that window with a known state, ballots
// give every parity in it, and a plain integer sum does the rest: the two-valued scan operator is never composed.
//
// The warps have roles and meet only at barriers in shared memory:
//   producer   keeps STAGES bulk loads of x in flight
//   workers    take tile k into registers and summarise it, THEN finish tile k - DEPTH: so the exchange between the
//              blocks about a tile hides behind the work on the next ones
//   publisher  folds the workers' summaries of a tile into the block's and publishes it in global memory
//   lookback   gathers all blocks' summaries into the state at the start of this block's next tile
// Each block waits for all others, so all must be resident: the cooperative launch guarantees that.

// Slots for hand-overs inside the block. A worker at tile k shows that all workers are done with k - 3 - 2 * DEPTH: it
// finished k - 1 - DEPTH, whose state the lookback warp gave out only once every worker had summarised the tile ahead.
constexpr int RING = 2 * DEPTH + 3 <= 8 ? 8 : 16;
static_assert(2 * DEPTH + 3 <= RING && WARPS <= 32 && VECS <= 8);
constexpr int FETCH = 5;  // summaries per lane and trip: 5 * 32 covers the 132 blocks of an H100 or H200

extern "C" __global__ void __launch_bounds__((WARPS + 3) * 32, 1)
conditional_prefix_sum(const int* x, int* out, long long n, Cell* cells, u32* epochs) {
  extern __shared__ __align__(128) int4 stage[];  // [STAGES][TILE4]
  __shared__ u64 full[STAGES], empty[STAGES], summed[RING], known[RING];
  __shared__ Summary summaries[RING][WARPS];
  __shared__ State starts[RING];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const u32 before = (1u << lane) - 1;
  const long long first = blockIdx.x, stride = gridDim.x, tiles = (n + TILE - 1) / TILE, whole = n / TILE;
  const int mine = (int)((tiles - first + stride - 1) / stride);  // there are no more blocks than tiles
  // This call's number, which marks its cells. A cell of an earlier call is thereby just one not written yet, so
  // nothing needs clearing; and as each word carries the number, none needs a fence.
  const u64 epoch = (epochs[first] + 1) & 0x7fffffff;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; i++) init(&full[i], 1), init(&empty[i], WARPS);
    for (int i = 0; i < RING; i++) init(&summed[i], WARPS), init(&known[i], 1);
    fence_copies();
  }
  __syncthreads();

  if (warp < WARPS) {  // workers
    Span held[DEPTH + 1];
    const int at4 = warp * SPAN4 + lane;
    for (int k = 0; k < mine + DEPTH; k++) {
      const long long tile = first + k * stride, old = tile - DEPTH * stride;
      if (k < mine) {
        if (tile < whole) {
          const int s = k % STAGES;
          wait(&full[s], k / STAGES);
#pragma unroll
          for (int j = 0; j < VECS; j++) held[0].x[j] = stage[s * TILE4 + at4 + j * 32];
        } else {
          load_ragged(held[0], x, tile * TILE4 + at4, n);
        }
        const Summary sum = summarise(held[0], before);
        if (lane == 0) {
          summaries[k % RING][warp] = sum;
          arrive(&summed[k % RING]);
        }
        // Only now, with every loaded value used, is the stage free. Right after the loads are issued it is not: the
        // next bulk load could land before they are carried out (seen: one call in seven gave wrong results).
        if (tile < whole) {
          fence_copies();
          __syncwarp();
          if (lane == 0) arrive(&empty[k % STAGES]);
        }
      }
      if (k >= DEPTH) {
        const int r = (k - DEPTH) % RING, phase = (k - DEPTH) / RING;
        wait(&summed[r], phase);
        wait(&known[r], phase);
        State state = starts[r];
        const u32 add = enter(state.parity, lane < warp ? summaries[r][lane] : Summary{0, 0, 0, 0}, before);
        state.sum += __reduce_add_sync(ALL, add);
        finish(held[DEPTH], state, lane);
        if (old < whole) {
#pragma unroll
          for (int j = 0; j < VECS; j++) __stcs((int4*)out + old * TILE4 + at4 + j * 32, held[DEPTH].x[j]);
        } else {
          store_ragged(held[DEPTH], out, old * TILE4 + at4, n);
        }
      }
#pragma unroll
      for (int d = DEPTH; d > 0; d--) held[d] = held[d - 1];
    }
  } else if (warp == WARPS) {  // publisher
    for (int k = 0; k < mine; k++) {
      wait(&summed[k % RING], k / RING);
      const Summary s = lane < WARPS ? summaries[k % RING][lane] : Summary{0, 0, 0, 0};
      u32 parity = 0;
      const u32 even = __reduce_add_sync(ALL, enter(parity, s, before));
      const u32 odd = __reduce_add_sync(ALL, s.even + s.odd) - even;
      if (lane == 0) put(cells + first + k * stride, {epoch << 33 | u64(parity & 1) << 32 | even, epoch << 33 | odd});
    }
  } else if (warp == WARPS + 1) {  // lookback
    u32 parity = 0, sum = 0;  // the sum stays spread over the lanes
    long long from = 0;
    for (int k = 0; k < mine; k++) {
      const long long tile = first + k * stride;
      for (; from < tile; from += 32 * FETCH) {
        Cell c[FETCH];
        bool there;
        do {
          there = true;
#pragma unroll
          for (int i = 0; i < FETCH; i++) {
            const long long at = from + i * 32 + lane;
            c[i] = at < tile ? get(cells + at) : Cell{epoch << 33, epoch << 33};  // past the window: changes nothing
          }
#pragma unroll
          for (int i = 0; i < FETCH; i++) there = there && c[i].even >> 33 == epoch && c[i].odd >> 33 == epoch;
        } while (!__all_sync(ALL, there));
#pragma unroll
        for (int i = 0; i < FETCH; i++)
          sum += enter(parity, {u32(c[i].even >> 32), u32(c[i].even), u32(c[i].odd), 0}, before);
      }
      from = tile;
      if (k > 0) wait(&summed[(k - 1) % RING], (k - 1) / RING);  // so the slot's last readers are done: see RING
      const u32 total = __reduce_add_sync(ALL, sum);
      if (lane == 0) {
        starts[k % RING] = {parity & 1, total};
        arrive(&known[k % RING]);
      }
    }
  } else if (lane == 0) {  // producer
    epochs[first] = u32(epoch);  // every role has read the old one
    for (int k = 0; k < mine && first + k * stride < whole; k++) {
      const int s = k % STAGES;
      if (k >= STAGES) wait(&empty[s], k / STAGES - 1);
      bulk_load(stage + s * TILE4, (const int4*)x + (first + k * stride) * TILE4, TILE4 * 16, &full[s]);
    }
  }
}
