/* Eight floats side by side, for the loops that are compiled once for every machine and once for
 * AVX2 with FMA. */
#ifndef NEY_LINALG_LANES_H
#define NEY_LINALG_LANES_H

#include <stdint.h>
#include <string.h>

typedef float lanes8 __attribute__((vector_size(32)));
typedef int32_t whole8 __attribute__((vector_size(32)));

static inline lanes8 load8(const float *p)
{
    lanes8 v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void store8(float *p, lanes8 v)
{
    memcpy(p, &v, sizeof v);
}

static inline lanes8 all8(float x)
{
    return (lanes8){x, x, x, x, x, x, x, x};
}

#endif
