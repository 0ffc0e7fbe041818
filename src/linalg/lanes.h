/* Vectors of eight floats or four doubles for loops that are compiled once for every machine and
 * once for AVX2 with FMA: GCC's and clang's generic ones, which the compiler maps to what there is.
 */
#ifndef NEY_LINALG_LANES_H
#define NEY_LINALG_LANES_H

#include <stdint.h>
#include <string.h>

#ifdef __AVX__
#include <immintrin.h>
#endif

typedef float lanes8 __attribute__((vector_size(32)));
typedef int32_t whole8 __attribute__((vector_size(32)));
typedef uint32_t bits8 __attribute__((vector_size(32)));
typedef double lanes4 __attribute__((vector_size(32)));
typedef int64_t whole4 __attribute__((vector_size(32)));
typedef float few4 __attribute__((vector_size(16)));

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

static inline lanes4 load4(const double *p)
{
    lanes4 v;
    memcpy(&v, p, sizeof v);
    return v;
}

static inline void store4(double *p, lanes4 v)
{
    memcpy(p, &v, sizeof v);
}

static inline lanes4 all4(double x)
{
    return (lanes4){x, x, x, x};
}

/* Four floats as doubles. GCC 12 takes the generic conversion through memory, two at a time. */
static inline lanes4 widen4(const float *p)
{
#ifdef __AVX__
    return _mm256_cvtps_pd(_mm_loadu_ps(p));
#else
    few4 v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, lanes4);
#endif
}

static inline lanes4 choose4(whole4 mask, lanes4 yes, lanes4 no)
{
    return (lanes4)(((whole4)yes & mask) | ((whole4)no & ~mask));
}

static inline lanes8 choose8(whole8 mask, lanes8 yes, lanes8 no)
{
    return (lanes8)(((whole8)yes & mask) | ((whole8)no & ~mask));
}

/* The sum of the four. */
static inline double total4(lanes4 v)
{
    return (v[0] + v[1]) + (v[2] + v[3]);
}

#endif
