// rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
//
// The Hopper instructions that the kernel needs and CUDA C++ has no name for (NVRTC brings no headers).
typedef unsigned int u32;
typedef unsigned long long u64;

__device__ u32 address(const void* p) { return (u32)__cvta_generic_to_shared(p); }

// Barriers in shared memory: completed by so many arrivals (and, for a load, by its bytes), waited for by phase.
__device__ void init(u64* bar, u32 arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(address(bar)), "r"(arrivals) : "memory");
}
__device__ void arrive(u64* bar) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(address(bar)) : "memory");
}
__device__ void wait(u64* bar, u32 phase) {
  for (u32 done = 0; !done;)
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
                 : "=r"(done) : "r"(address(bar)), "r"(phase & 1) : "memory");
}

// Needed before the copy engine overwrites what this thread has read: plain accesses do not bind its order.
__device__ void fence_copies() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

// The copy engine fills shared memory and completes the barrier. x is read only once: it should leave L2 first.
__device__ void bulk_load(void* to, const void* from, u32 bytes, u64* bar) {
  u64 once;
  asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(once));
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(bar)), "r"(bytes) : "memory");
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint"
               " [%0], [%1], %2, [%3], %4;"
               ::"r"(address(to)), "l"(from), "r"(bytes), "r"(address(bar)), "l"(once) : "memory");
}

// Two words that other blocks read while the kernel runs; each word is whole, the pair need not be.
struct __align__(16) Cell { u64 even, odd; };
__device__ void put(Cell* cell, Cell c) {
  asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(cell), "l"(c.even), "l"(c.odd) : "memory");
}
__device__ Cell get(const Cell* cell) {
  Cell c;
  asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(c.even), "=l"(c.odd) : "l"(cell) : "memory");
  return c;
}
