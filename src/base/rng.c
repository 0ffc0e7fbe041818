#include "base/rng.h"

#include "base/wide.h"

static const uint64_t STEP = 0x9e3779b97f4a7c15u;

uint64_t ney_rng_next(ney_rng *r)
{
    uint64_t z = r->state += STEP;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void ney_rng_skip(ney_rng *r, int64_t n)
{
    r->state += (uint64_t)n * STEP;
}

/* Lemire (2019): the upper half of x * n is uniform once the few x are refused whose lower half
 * falls below 2^64 mod n. That remainder, a slow division, is needed only where the lower half is
 * below n. */
int64_t ney_rng_below(ney_rng *r, int64_t n)
{
    const uint64_t range = (uint64_t)n;
    ney_wide product = ney_wide_product(ney_rng_next(r), range);
    if (product.low < range) {
        const uint64_t excess = (0 - range) % range; /* 2^64 mod n */
        while (product.low < excess) {
            product = ney_wide_product(ney_rng_next(r), range);
        }
    }
    return (int64_t)product.high;
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
