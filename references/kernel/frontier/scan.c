/* Conditional prefix sum of one stripe, in two forms: its aggregate, and its outputs.
 *
 * rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora.
 *
 * A block of 16 elements is one step: the sign mask of its positives becomes, by a carry-less prefix XOR, the mask of
 * the elements that count; those are kept under the mask and summed inside the vector in four shift-add steps. */
#include <immintrin.h>
#include <stdint.h>

/* Bit i of the result: is the number of set bits below i odd? */
static inline uint32_t odd_before(uint32_t m) {
    uint32_t p = m << 1;
    p ^= p << 1; p ^= p << 2; p ^= p << 4; p ^= p << 8;
    return p & 0xffff;
}

/* Sums of the stripe if it begins with even (sum[0]) or odd (sum[1]) parity; returns the parity of its positives. */
int stripe_aggregate(const int32_t *x, int64_t n, int32_t sum[2]) {
    __m512i zero = _mm512_setzero_si512(), kept = zero, all = zero;
    uint32_t flip = 0, parity = 0;
    int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __m512i v = _mm512_loadu_si512(x + i);
        uint32_t m = _mm512_cmpgt_epi32_mask(v, zero);
        kept = _mm512_mask_add_epi32(kept, (__mmask16)(odd_before(m) ^ flip), kept, v);
        all = _mm512_add_epi32(all, v);
        flip ^= -(__builtin_popcount(m) & 1) & 0xffff;
    }
    parity = flip & 1;
    uint32_t odd = (uint32_t)_mm512_reduce_add_epi32(kept), total = (uint32_t)_mm512_reduce_add_epi32(all);
    for (; i < n; i++) {
        odd += (uint32_t)x[i] & -parity;
        total += (uint32_t)x[i];
        parity ^= x[i] > 0;
    }
    sum[0] = (int32_t)odd;
    sum[1] = (int32_t)(total - odd);
    return (int)parity;
}

/* Writes the outputs of a stripe that begins with the given parity and running sum. */
void stripe_outputs(const int32_t *x, int32_t *out, int64_t n, int parity, int32_t sum) {
    const __m512i zero = _mm512_setzero_si512(), last = _mm512_set1_epi32(15);
    const __m512i by1 = _mm512_set_epi32(14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0);
    const __m512i by2 = _mm512_set_epi32(13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0);
    const __m512i by4 = _mm512_set_epi32(11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0);
    const __m512i by8 = _mm512_set_epi32(7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    __m512i carry = _mm512_set1_epi32(sum);
    uint32_t flip = -(uint32_t)parity & 0xffff;
    int64_t i = 0;
    for (; i + 16 <= n; i += 16) {
        __m512i v = _mm512_loadu_si512(x + i);
        uint32_t m = _mm512_cmpgt_epi32_mask(v, zero);
        v = _mm512_maskz_mov_epi32((__mmask16)(odd_before(m) ^ flip), v);
        v = _mm512_add_epi32(v, _mm512_maskz_permutexvar_epi32(0xfffe, by1, v));
        v = _mm512_add_epi32(v, _mm512_maskz_permutexvar_epi32(0xfffc, by2, v));
        v = _mm512_add_epi32(v, _mm512_maskz_permutexvar_epi32(0xfff0, by4, v));
        v = _mm512_add_epi32(v, _mm512_maskz_permutexvar_epi32(0xff00, by8, v));
        __m512i summed = _mm512_add_epi32(v, carry);
        _mm512_storeu_si512(out + i, summed);
        /* The chain from block to block is this one add: the block's own total is ready before the carry. */
        carry = _mm512_add_epi32(carry, _mm512_permutexvar_epi32(last, v));
        flip ^= -(__builtin_popcount(m) & 1) & 0xffff;
    }
    uint32_t running = (uint32_t)_mm512_cvtsi512_si32(carry), odd = flip & 1;
    for (; i < n; i++) {
        running += (uint32_t)x[i] & -odd;
        out[i] = (int32_t)running;
        odd ^= x[i] > 0;
    }
}
