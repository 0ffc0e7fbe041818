/* Betting against "the mean is m or more" (Waudby-Smith and Ramdas 2024). Each number x in [0, 1]
 * multiplies the capital of stake f by
 *
 *     1 - f (x - m) / (1 - m)                                                          [GROUP.2]
 *
 * which is never negative and has mean at most 1 if the mean of x is m or more. Numbers that are
 * independent multiply means, so the final capital W, averaged over constant stakes, has mean at
 * most 1, and P(W >= 1 / delta) <= delta (Markov). A factor falls with x and rises with m, and so
 * does W: unlike with stakes that adapt to the numbers, what is rejected at one threshold is
 * rejected at every larger one, and the order of the numbers does not matter. */
#include "decide/mean_bound.h"

#include <math.h>

enum { STAKES = 5 };

/* q log(q/a) + (1 - q) log((1 - q)/(1 - a)), for q < a. */
static double divergence(double q, double a)
{
    return (q > 0 ? q * log(q / a) : 0) + (1 - q) * (log1p(-q) - log1p(-a));
}

/* The largest share of ones among n zeros and ones that still rejects with the best stake. */
static double largest_share(int64_t n, double a, double delta)
{
    double low = 0, high = a;
    for (int i = 0; i < 60; i++) {
        const double q = low + (high - low) / 2;
        if ((double)n * divergence(q, a) >= -log(delta)) {
            low = q;
        } else {
            high = q;
        }
    }
    return low;
}

/* From the best stake for zeros and ones, which vary most, up to the largest of all, which is best
 * where the numbers hardly vary. */
ney_stakes ney_stakes_for(int64_t n, double max_mean, double delta)
{
    const double least = 1 - largest_share(n, max_mean, delta) / max_mean;
    ney_stakes s = {.n = STAKES};
    for (int j = 0; j < STAKES; j++) {
        s.fraction[j] = pow(least, 1 - (double)j / (STAKES - 1));
    }
    return s;
}

ney_stakes ney_stakes_any(int64_t n)
{
    const double least = fmin(0.5, 0.25 / sqrt((double)n));
    ney_stakes s = {.n = NEY_MOST_STAKES};
    for (int j = 0; j < NEY_MOST_STAKES; j++) {
        s.fraction[j] = pow(least, 1 - (double)j / (NEY_MOST_STAKES - 1));
    }
    return s;
}

/* The logarithm of the capital of one stake. Most numbers are 0 where errors are rare. */
static double log_capital(const double *x, int64_t n, double m, double fraction)
{
    double sum = 0;
    int64_t zeros = 0;
    for (int64_t i = 0; i < n; i++) {
        if (x[i] == 0) {
            zeros++;
        } else {
            sum += log1p(-fmin(1, fraction * (x[i] - m) / (1 - m)));
        }
    }
    return sum + (double)zeros * log1p(fraction * m / (1 - m));
}

bool ney_mean_is_below(const double *x, int64_t n, double max_mean, double delta,
                       const ney_stakes *stakes)
{
    double log_of[NEY_MOST_STAKES], most = -(double)INFINITY, sum = 0;
    if (!(max_mean < 1)) {
        return true;
    }
    for (int j = 0; j < stakes->n; j++) {
        log_of[j] = log_capital(x, n, max_mean, stakes->fraction[j]);
        most = fmax(most, log_of[j]);
    }
    for (int j = 0; j < stakes->n && most > -(double)INFINITY; j++) {
        sum += exp(log_of[j] - most);
    }
    return most + log(sum / stakes->n) >= -log(delta);
}

double ney_mean_upper(const double *x, int64_t n, double delta, const ney_stakes *stakes)
{
    double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        const double m = low + (high - low) / 2;
        if (ney_mean_is_below(x, n, m, delta, stakes)) {
            high = m;
        } else {
            low = m;
        }
    }
    return high;
}
