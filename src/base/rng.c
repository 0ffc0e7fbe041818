#include "base/rng.h"

uint64_t ney_rng_next(ney_rng *r)
{
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int64_t ney_rng_below(ney_rng *r, int64_t n)
{
    const uint64_t range = (uint64_t)n;
    const uint64_t excess = (UINT64_MAX % range + 1) % range; /* 2^64 mod n */
    uint64_t x;
    do {
        x = ney_rng_next(r);
    } while (x > UINT64_MAX - excess); /* the last, incomplete run of n values would be a bias */
    return (int64_t)(x % range);
}

double ney_rng_unit(ney_rng *r)
{
    return (double)(ney_rng_next(r) >> 11) * 0x1p-53;
}

void ney_rng_shuffle(ney_rng *r, int64_t *items, int64_t n)
{
    for (int64_t i = n - 1; i > 0; i--) {
        const int64_t j = ney_rng_below(r, i + 1), kept = items[i];
        items[i] = items[j];
        items[j] = kept;
    }
}
