/* exp, tanh, log, sin and cos of the vectors of lanes.h: eight floats (8) or four doubles (4). The
 * only place where these functions are written out; every loop that uses one includes this file and
 * is compiled once for every machine and once for AVX2 with FMA. A value does not depend on its
 * neighbours in the vector. tests/unit/test_block.c, test_layer.c, test_tiles.c and test_fourier.c
 * compare them with the C library. */
#ifndef NEY_LINALG_SIMD_MATH_H
#define NEY_LINALG_SIMD_MATH_H

#include "linalg/lanes.h"

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

/* The polynomial of n coefficients, that of the highest power first, by Horner's rule. */
static inline __attribute__((always_inline)) lanes4 polynomial4(lanes4 x, const double *coefficient,
                                                                size_t n)
{
    lanes4 p = all4(coefficient[0]);
#pragma GCC unroll 16
    for (size_t k = 1; k < n; k++) {
        p = p * x + all4(coefficient[k]);
    }
    return p;
}

/* As exp8(); the series up to r^13 / 13!, whose rest is below 1e-17. The sum with 1.5 * 2^52 holds
 * the whole number k in its last bits. */
static inline lanes4 exp4(lanes4 x)
{
    const lanes4 least = all4(-87), most = all4(88), round = all4(6755399441055744.0);
    const whole4 vanishes = x < least;
    x = choose4(vanishes, least, x);
    x = choose4(x > most, most, x);
    const lanes4 shifted = x * all4(1.4426950408889634) + round, k = shifted - round;
    const lanes4 r = (x - k * all4(0x1.62e42feep-1)) - k * all4(0x1.a39ef35793c76p-33);
    static const double series[] = {1.0 / 6227020800,
                                    1.0 / 479001600,
                                    1.0 / 39916800,
                                    1.0 / 3628800,
                                    1.0 / 362880,
                                    1.0 / 40320,
                                    1.0 / 5040,
                                    1.0 / 720,
                                    1.0 / 120,
                                    1.0 / 24,
                                    1.0 / 6,
                                    0.5,
                                    1,
                                    1};
    const lanes4 p = polynomial4(r, series, sizeof series / sizeof *series);
    const whole4 exponent = ((whole4)shifted + 1023) << 52;
    return (lanes4)((whole4)(p * (lanes4)exponent) & ~vanishes);
}

/* 1 - 2 / (1 + exp(2 z)); beyond 20 that is 1 as a float. NaN stays NaN. */
static inline lanes8 tanh8(lanes8 z)
{
    const lanes8 most = all8(20);
    z = (lanes8)(((whole8)most & (z > most)) | ((whole8)z & ~(z > most)));
    return all8(1) - all8(2) / (all8(1) + exp8(all8(2) * z));
}

/* sign(a) (1 - e) / (1 + e) with e = exp(-2 |a|), or the first terms of the series where 1 - e
 * would lose digits. */
static inline lanes4 tanh4(lanes4 a)
{
    const whole4 sign = (whole4)a & INT64_MIN;
    const lanes4 size = (lanes4)((whole4)a & INT64_MAX), e = exp4(size * -2), s = a * a;
    const lanes4 far = (lanes4)((whole4)((1 - e) / (1 + e)) | sign);
    const lanes4 near = a * (1 + s * (-1.0 / 3 + s * (2.0 / 15 + s * (-17.0 / 315))));
    return choose4(size < all4(0.02), near, far);
}

/* log(x) for x from 1 on: 2^k m with m near 1, and log(m) = 2 artanh((m - 1) / (m + 1)), whose
 * series up to the 15th power leaves less than 1e-14. */
static inline lanes4 log4(lanes4 x)
{
    const whole4 bits = (whole4)x;
    const whole4 k = ((bits + INT64_C(0x95f619980c433)) >> 52) - 1023; /* m from sqrt(1/2) on */
    const lanes4 m = (lanes4)(bits - (k << 52)), s = (m - all4(1)) / (m + all4(1)), q = s * s;
    static const double series[] = {1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9,
                                    1.0 / 7,  1.0 / 5,  1.0 / 3,  1};
    const lanes4 p = polynomial4(q, series, sizeof series / sizeof *series);
    return __builtin_convertvector(k, lanes4) * all4(0.6931471805599453) + all4(2) * s * p;
}

enum { SINCOSPI_TERMS = 5 };

/* sin(pi r) / r and cos(pi r) as polynomials of r^2, |r| <= 1/2, through the zeros of Chebyshev's
 * of the next degree: within 7e-9 and 5e-8. */
typedef struct sincospi_series {
    lanes8 sine[SINCOSPI_TERMS], cosine[SINCOSPI_TERMS];
} sincospi_series;

/* The coefficients of scale * sin and scale * cos. */
static inline sincospi_series sincospi_scaled(double scale)
{
    static const double sine[SINCOSPI_TERMS] = {3.141592640077203, -5.167710076668316,
                                                2.5500773865289372, -0.5982904112836939,
                                                0.07765591227685842};
    static const double cosine[SINCOSPI_TERMS] = {0.9999999530275124, -4.934792802489462,
                                                  4.058410790762683, -1.3318729727880956,
                                                  0.21968242357666407};
    sincospi_series p;
    for (int k = 0; k < SINCOSPI_TERMS; k++) {
        p.sine[k] = all8((float)(scale * sine[k]));
        p.cosine[k] = all8((float)(scale * cosine[k]));
    }
    return p;
}

/* The whole number k nearest to x is found by adding 1.5 * 2^23, which leaves its last bit in the
 * last bit of the sum; with r = x - k both functions of pi x are those of pi r, times -1 where k is
 * odd. Beyond 2^22 nothing is left of a fraction: r is what it may be at most, or zero. */
static inline void sincospi8(lanes8 x, const sincospi_series *p, float *cosine, float *sine)
{
    const lanes8 shift = all8(12582912.0f), shifted = x + shift;
    lanes8 r = x - (shifted - shift), q = r * r;
    const whole8 near = q <= all8(0.2500001f), odd = (whole8)((bits8)shifted << 31);
    r = (lanes8)((whole8)r & near);
    q = (lanes8)((whole8)q & near);
    lanes8 s = p->sine[SINCOSPI_TERMS - 1], c = p->cosine[SINCOSPI_TERMS - 1];
    for (int k = SINCOSPI_TERMS - 2; k >= 0; k--) {
        s = s * q + p->sine[k];
        c = c * q + p->cosine[k];
    }
    store8(cosine, (lanes8)((whole8)c ^ odd));
    store8(sine, (lanes8)((whole8)(s * r) ^ odd));
}

#endif
