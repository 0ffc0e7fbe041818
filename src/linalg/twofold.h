/* Numbers of twice the precision, as the unevaluated sum of two doubles: about 32 digits, the range
 * of a double. Sums and products after Dekker (1971) and Knuth; they need arithmetic that is
 * neither fused nor reordered, as the whole tree is compiled. */
#ifndef NEY_LINALG_TWOFOLD_H
#define NEY_LINALG_TWOFOLD_H

#include <math.h>
#include <stdint.h>

typedef struct ney_twofold {
    double hi, lo; /* |lo| is at most half a unit in the last place of hi */
} ney_twofold;

static inline ney_twofold ney_two(double x)
{
    return (ney_twofold){x, 0};
}

static inline double ney_two_value(ney_twofold a)
{
    return a.hi + a.lo;
}

/* a + b exactly, for |a| >= |b|. */
static inline ney_twofold ney_two_quick(double a, double b)
{
    const double sum = a + b;
    return (ney_twofold){sum, b - (sum - a)};
}

/* a + b exactly. */
static inline ney_twofold ney_two_sum(double a, double b)
{
    const double sum = a + b, part = sum - a;
    return (ney_twofold){sum, (a - (sum - part)) + (b - part)};
}

/* a * b exactly: either factor is split into halves of 26 bits. */
static inline ney_twofold ney_two_product(double a, double b)
{
    const double splitter = 134217729; /* 2^27 + 1 */
    const double p = a * b, ta = splitter * a, tb = splitter * b;
    const double ah = ta - (ta - a), al = a - ah, bh = tb - (tb - b), bl = b - bh;
    return (ney_twofold){p, ((ah * bh - p) + ah * bl + al * bh) + al * bl};
}

static inline ney_twofold ney_two_add(ney_twofold a, ney_twofold b)
{
    const ney_twofold high = ney_two_sum(a.hi, b.hi), low = ney_two_sum(a.lo, b.lo);
    const ney_twofold some = ney_two_quick(high.hi, high.lo + low.hi);
    return ney_two_quick(some.hi, some.lo + low.lo);
}

static inline ney_twofold ney_two_negative(ney_twofold a)
{
    return (ney_twofold){-a.hi, -a.lo};
}

static inline ney_twofold ney_two_subtract(ney_twofold a, ney_twofold b)
{
    return ney_two_add(a, ney_two_negative(b));
}

static inline ney_twofold ney_two_multiply(ney_twofold a, ney_twofold b)
{
    const ney_twofold p = ney_two_product(a.hi, b.hi);
    return ney_two_quick(p.hi, p.lo + (a.hi * b.lo + a.lo * b.hi));
}

static inline ney_twofold ney_two_scale(ney_twofold a, double b)
{
    const ney_twofold p = ney_two_product(a.hi, b);
    return ney_two_quick(p.hi, p.lo + a.lo * b);
}

static inline ney_twofold ney_two_divide(ney_twofold a, ney_twofold b)
{
    const double first = a.hi / b.hi;
    const ney_twofold rest = ney_two_subtract(a, ney_two_scale(b, first));
    const double second = rest.hi / b.hi;
    const ney_twofold last = ney_two_subtract(rest, ney_two_scale(b, second));
    return ney_two_add(ney_two_quick(first, second), ney_two(last.hi / b.hi));
}

/* sum_k a_k b_k */
static inline ney_twofold ney_two_dot(const ney_twofold *a, const ney_twofold *b, int64_t n)
{
    ney_twofold sum = {0, 0};
    for (int64_t k = 0; k < n; k++) {
        sum = ney_two_add(sum, ney_two_multiply(a[k], b[k]));
    }
    return sum;
}

/* The same with plain numbers on one side. */
static inline ney_twofold ney_two_dot_plain(const ney_twofold *a, const double *b, int64_t n)
{
    ney_twofold sum = {0, 0};
    for (int64_t k = 0; k < n; k++) {
        sum = ney_two_add(sum, ney_two_scale(a[k], b[k]));
    }
    return sum;
}

#endif
