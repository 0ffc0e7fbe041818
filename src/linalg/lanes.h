/* Vectors of eight floats or four doubles for loops that are compiled once for every machine and
 * once for AVX2 with FMA: GCC's and clang's generic ones, which the compiler maps to what there is.
 */
#ifndef NEY_LINALG_LANES_H
#define NEY_LINALG_LANES_H

#include <stdint.h>
#include <string.h>

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

/* Four floats as doubles. */
static inline lanes4 widen4(const float *p)
{
    few4 v;
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, lanes4);
}

static inline lanes4 choose4(whole4 mask, lanes4 yes, lanes4 no)
{
    return (lanes4)(((whole4)yes & mask) | ((whole4)no & ~mask));
}

/* exp(x) = 2^k exp(r), k the whole number nearest to x / log 2, |r| <= log(2) / 2; exp(r) by its
 * series up to r^7 / 7!, whose rest is below 1e-8. k is found by adding and taking away 1.5 * 2^23.
 */
static inline lanes8 exp8(lanes8 x)
{
    const lanes8 least = all8(-87.0f), most = all8(88.0f), round = all8(12582912.0f);
    const whole8 vanishes = x < least;
    x = (lanes8)(((whole8)least & vanishes) | ((whole8)x & ~vanishes));
    const whole8 bursts = x > most;
    x = (lanes8)(((whole8)most & bursts) | ((whole8)x & ~bursts));
    const lanes8 k = (x * all8(1.44269504f) + round) - round;
    const lanes8 r =
        (x - k * all8(0.693359375f)) - k * all8(-2.12194440e-4f); /* log 2 in two parts */
    lanes8 p = all8(1.0f / 5040);
    p = p * r + all8(1.0f / 720);
    p = p * r + all8(1.0f / 120);
    p = p * r + all8(1.0f / 24);
    p = p * r + all8(1.0f / 6);
    p = p * r + all8(0.5f);
    p = p * r + all8(1.0f);
    p = p * r + all8(1.0f);
    const whole8 exponent = (__builtin_convertvector(k, whole8) + 127) << 23;
    return (lanes8)((whole8)(p * (lanes8)exponent) & ~vanishes);
}

/* As exp8(); the series up to r^13 / 13!, whose rest is below 1e-17. The sum with 1.5 * 2^52 holds
 * the whole number k in its last bits. */
static inline lanes4 fine_exp4(lanes4 x)
{
    const lanes4 least = all4(-87), most = all4(88), round = all4(6755399441055744.0);
    const whole4 vanishes = x < least;
    x = choose4(vanishes, least, x);
    x = choose4(x > most, most, x);
    const lanes4 shifted = x * all4(1.4426950408889634) + round, k = shifted - round;
    const lanes4 r = (x - k * all4(0x1.62e42feep-1)) - k * all4(0x1.a39ef35793c76p-33);
    lanes4 p = all4(1.0 / 6227020800);
    p = p * r + all4(1.0 / 479001600);
    p = p * r + all4(1.0 / 39916800);
    p = p * r + all4(1.0 / 3628800);
    p = p * r + all4(1.0 / 362880);
    p = p * r + all4(1.0 / 40320);
    p = p * r + all4(1.0 / 5040);
    p = p * r + all4(1.0 / 720);
    p = p * r + all4(1.0 / 120);
    p = p * r + all4(1.0 / 24);
    p = p * r + all4(1.0 / 6);
    p = p * r + all4(0.5);
    p = p * r + all4(1);
    p = p * r + all4(1);
    const whole4 exponent = ((whole4)shifted + 1023) << 52;
    return (lanes4)((whole4)(p * (lanes4)exponent) & ~vanishes);
}

#endif
