/* What certification costs before any data are there. */
#include "decide/normal.h"

#include <neyman/experimental.h>

#include <math.h>

/* E[ROC(U)] for U ~ Beta(a, b), on the binormal curve of equal variances that detects `power` at a
 * false-positive rate of max_rate:  ROC(u) = Phi(Phi^-1(u) + d).
 *
 * The certified threshold's own rate has exactly this distribution when scores have no ties: it is
 * the (r + 1)-th smallest of n uniform numbers, a = r + 1, b = n - r. The mean is a sum over ten
 * deviations to either side, weighted by the density, whose constant cancels. */
static double expected_power(double a, double b, double d)
{
    enum { STEPS = 2000 };
    const double mean = a / (a + b), deviation = sqrt(mean * (1 - mean) / (a + b + 1));
    const double low = fmax(0, mean - 10 * deviation), high = fmin(1, mean + 10 * deviation);
    double sum = 0, weights = 0;
    for (int i = 0; i < STEPS; i++) {
        const double u = low + (high - low) * (i + 0.5) / STEPS;
        const double weight = exp((a - 1) * log(u / mean) + (b - 1) * (log1p(-u) - log1p(-mean)));
        sum += weight * ney_normal_cdf(ney_normal_quantile(u) + d);
        weights += weight;
    }
    return sum / weights;
}

ney_plan_point ney_plan_at(int64_t n, double max_rate, double delta, double power)
{
    const int64_t r = ney_mistakes_allowed(n, max_rate, delta);
    const double d = ney_normal_quantile(power) - ney_normal_quantile(max_rate);
    ney_plan_point p = {.n = n, .expected_rate = (double)NAN, .expected_power = (double)NAN};

    if (r >= 0) {
        const double a = (double)r + 1, b = (double)(n - r);
        p.rank = n - r;
        p.expected_rate = a / (a + b);
        p.expected_power = expected_power(a, b, d);
    }
    return p;
}
