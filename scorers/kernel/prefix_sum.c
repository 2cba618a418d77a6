/* The scorer's own arithmetic on CPU buffers: inputs, expected outputs, poison, comparison, a copy.
 *
 * rebench-inspect canary 6f1f3c52-9d0e-4a57-8b7e-2c1d5ab0e7f4: benchmark data, keep out of training corpora. */
#include <stdint.h>
#include <string.h>

/* A counter-based generator (splitmix64): every element depends on the secret seed alone, and loops vectorise. */
static inline uint64_t mix(uint64_t z) {
    z *= 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

enum { SMALL, FULL_RANGE, POSITIVE, NEGATIVE, ZEROS, RUNS, ALTERNATING };

/* One kind of value from 32 random bits; `kind` is a constant where this is inlined, so that each loop vectorises. */
static inline int32_t value(uint32_t r, int64_t i, uint64_t seed, int kind) {
    int32_t small = (int32_t)(((uint64_t)r * 20) >> 32) - 10, size = (int32_t)(r >> 8) + 1;
    switch (kind) {
        case SMALL: return small;
        case FULL_RANGE: return (int32_t)r;
        case POSITIVE: return size;
        case NEGATIVE: return -size;
        case ZEROS: return r & 0xffff ? 0 : (int32_t)(((r >> 16) * 20) >> 16) - 10; /* few values, of either sign */
        case RUNS: return mix(seed ^ (uint64_t)(i >> 12)) & 1 ? size : -size;
        default: return i & 1 ? size : -size;
    }
}

static inline void fill_kind(int32_t *x, int64_t n, uint64_t seed, int kind) {
    int64_t i = 0;
    for (; i + 1 < n; i += 2) { /* 64 random bits are two elements */
        uint64_t z = mix(seed + (uint64_t)i);
        x[i] = value((uint32_t)z, i, seed, kind);
        x[i + 1] = value((uint32_t)(z >> 32), i + 1, seed, kind);
    }
    if (i < n) x[i] = value((uint32_t)mix(seed + (uint64_t)i), i, seed, kind);
}

void fill(int32_t *x, int64_t n, uint64_t seed, int kind) {
    switch (kind) {
        case SMALL: fill_kind(x, n, seed, SMALL); break;
        case FULL_RANGE: fill_kind(x, n, seed, FULL_RANGE); break;
        case POSITIVE: fill_kind(x, n, seed, POSITIVE); break;
        case NEGATIVE: fill_kind(x, n, seed, NEGATIVE); break;
        case ZEROS: fill_kind(x, n, seed, ZEROS); break;
        case RUNS: fill_kind(x, n, seed, RUNS); break;
        default: fill_kind(x, n, seed, ALTERNATING);
    }
}

void poison(int32_t *out, int64_t n, uint64_t seed) { fill(out, n, seed, FULL_RANGE); }

void expect(const int32_t *x, int32_t *expected, int64_t n) {
    uint32_t sum = 0, odd = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += (uint32_t)x[i] & -odd;
        expected[i] = (int32_t)sum;
        odd ^= x[i] > 0;
    }
}

/* Number of wrong elements; the first one's index goes to *first. */
int64_t wrong(const int32_t *out, const int32_t *expected, int64_t n, int64_t *first) {
    int64_t count = 0;
    if (!memcmp(out, expected, (size_t)n * sizeof *out)) return 0;
    for (int64_t i = n - 1; i >= 0; i--)
        if (out[i] != expected[i]) count++, *first = i;
    return count;
}

/* Number of elements that still hold the poison: a solution that never wrote is told so. */
int64_t untouched(const int32_t *out, int64_t n, uint64_t seed) {
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t z = mix(seed + (uint64_t)(i & ~1));
        count += out[i] == (int32_t)(uint32_t)(i & 1 ? z >> 32 : z);
    }
    return count;
}

void copy(int32_t *to, const int32_t *from, int64_t n) { memcpy(to, from, (size_t)n * sizeof *to); }
