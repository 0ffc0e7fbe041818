/* Random numbers that are the same everywhere: splitmix64 (Steele, Lea, Flood 2014). */
#ifndef NEY_BASE_RNG_H
#define NEY_BASE_RNG_H

#include <stdint.h>

typedef struct ney_rng {
    uint64_t state; /* any value is a seed */
} ney_rng;

uint64_t ney_rng_next(ney_rng *r);

/* As n calls of ney_rng_next() would leave it. */
void ney_rng_skip(ney_rng *r, int64_t n);

/* Uniform on 0 .. n - 1, without bias; n >= 1. */
int64_t ney_rng_below(ney_rng *r, int64_t n);

/* Uniform on [0, 1), 53 bits. */
double ney_rng_unit(ney_rng *r);

/* Shuffle n numbers. */
void ney_rng_shuffle(ney_rng *r, int64_t *items, int64_t n);

#endif
