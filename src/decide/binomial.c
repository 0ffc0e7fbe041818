/* Tails of the binomial distribution, through the regularised incomplete beta function I_x(a, b):
 * with a = k, b = n - k + 1 it is the probability of k hits or more of n when the rate is x.
 *
 *   I_x(a, b) = p(x) / (a + b) * b * f(x),   p(x) = the binomial probability of a hits of a + b
 *
 * f is a continued fraction that converges fast below the mean, where x always is here up to a few
 * standard deviations: about sqrt(n) terms at worst. p is computed in Loader's saddle-point form
 * (2000), because factorials of 1e9 cancel away all digits.
 */
#include "decide/binomial.h"

#include <float.h>
#include <math.h>

static const double half_log_two_pi = 0.91893853320467274178;

/* log n! minus Stirling's (n + 1/2) log n - n + 1/2 log 2 pi, for whole n >= 1. */
static double stirling_error(double n)
{
    if (n < 16) {
        double factorial = 1;
        for (double k = 2; k <= n; k++) {
            factorial *= k;
        }
        return log(factorial) - (n + 0.5) * log(n) + n - half_log_two_pi;
    }
    const double nn = n * n; /* the asymptotic series: the next term is below 1e-15 at 16 */
    return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - 1.0 / 1188 / nn) / nn) / nn) / nn) /
           n;
}

/* k log(k / mean) + mean - k, without cancellation where the two are close. */
static double deviance(double k, double mean)
{
    const double v = (k - mean) / (k + mean);
    if (fabs(v) >= 0.1) {
        return k * log(k / mean) + mean - k;
    }
    /* log(k / mean) = 2 (v + v^3/3 + v^5/5 + ...), and 2 k v + mean - k = (k - mean) v */
    double sum = (k - mean) * v, power = 2 * k * v;
    for (int i = 3;; i += 2) {
        power *= v * v;
        const double next = sum + power / i;
        if (next == sum) {
            return sum;
        }
        sum = next;
    }
}

/* log p(x), for whole a, b >= 1 and 0 < x < 1. */
static double log_binomial(double a, double b, double x)
{
    const double n = a + b;
    return stirling_error(n) - stirling_error(a) - stirling_error(b) - deviance(a, n * x) -
           deviance(b, n * (1 - x)) + 0.5 * log(n / a / b) - half_log_two_pi;
}

/* The continued fraction of I_x(a, b), evaluated forwards (Lentz's method):
 *
 *   f = 1 / (1 + d_1 / (1 + d_2 / (1 + ...))),   d_2m   =  m (b - m) x / ((a + 2m - 1)(a + 2m))
 *                                                d_2m+1 = -(a + m)(a + b + m) x / ((a + 2m)(a + 2m
 * + 1))
 */
static double fraction(double a, double b, double x)
{
    const double tiny = DBL_MIN * 1e10;
    double c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < tiny ? tiny : d);
    double f = d;
    for (double m = 1; m < 1e7; m++) { /* a hundred times the terms that n = 1e9 needs */
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 + even * d;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = 1 + even / c;
        c = fabs(c) < tiny ? tiny : c;
        f *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 + odd * d;
        d = 1 / (fabs(d) < tiny ? tiny : d);
        c = 1 + odd / c;
        c = fabs(c) < tiny ? tiny : c;
        f *= d * c;
        if (fabs(d * c - 1) < 2 * DBL_EPSILON) {
            break;
        }
    }
    return f;
}

/* log I_x(a, b), and its derivative by log x. */
static double log_tail(double a, double b, double x, double *slope)
{
    /* x^a (1 - x)^b / B(a, b) */
    const double log_front = log_binomial(a, b, x) + log(a / (a + b) * b);
    double log_tail;
    if (x <= (a + 1) / (a + b + 2)) {
        log_tail = log_front + log(fraction(a, b, x) / a);
    } else {
        log_tail = log1p(-exp(log_front) * fraction(b, a, 1 - x) / b);
    }
    *slope = exp(log_front - log_tail) / (1 - x);
    return log_tail;
}

/* The x with I_x(a, b) = p, 0 < p <= 1/2, for a = k, b = n - k + 1, 1 <= k <= n.
 *
 * Newton's method on log I as a function of u = log x, which is concave; a step that leaves the
 * bracket is replaced by halving it. The root is at most k / n: there I is 1/2 or more, because k
 * is then the binomial's median. */
double ney_binomial_rate(double k, double n, double p)
{
    const double a = k, b = n - k + 1, log_p = log(p);
    if (k == n) {
        return exp(log_p / n); /* I_x(n, 1) = x^n */
    }
    double high = log(k / n), low = high - 1;
    double slope, u = high;
    while (log_tail(a, b, exp(low), &slope) > log_p) {
        low -= 2 * (high - low);
    }
    for (int step = 0; step < 200; step++) {
        const double excess = log_tail(a, b, exp(u), &slope) - log_p;
        if (excess > 0) {
            high = u;
        } else {
            low = u;
        }
        double next = u - excess / slope;
        if (!(next > low && next < high)) {
            next = low + (high - low) / 2;
        }
        const double moved = fabs(next - u);
        u = next;
        if (moved <= 4 * DBL_EPSILON || high - low <= 4 * DBL_EPSILON) {
            break;
        }
    }
    return exp(u);
}

double ney_binomial_tail(double k, double n, double p)
{
    double slope;
    if (k <= 0 || p >= 1) {
        return k <= n ? 1 : 0;
    }
    if (k > n || p <= 0) {
        return 0;
    }
    if (k == n) {
        return pow(p, n);
    }
    return exp(log_tail(k, n - k + 1, p, &slope));
}
