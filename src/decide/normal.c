#include "decide/normal.h"

#include <math.h>

double ney_normal_cdf(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

/* Below the median: the approximation 26.2.23 of Abramowitz and Stegun, good to 4.5e-4, brought to
 * full precision by Halley's method. Both use p itself, which keeps its digits in this tail. */
static double lower_quantile(double p)
{
    const double root_two_pi = 2.50662827463100050242;
    const double t = sqrt(-2 * log(p));
    double x = (2.515517 + t * (0.802853 + t * 0.010328)) /
                   (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) -
               t;
    for (int step = 0; step < 4; step++) {
        const double u = (ney_normal_cdf(x) - p) * root_two_pi * exp(0.5 * x * x);
        if (!isfinite(u)) { /* the density underflows beyond 38 deviations */
            break;
        }
        x -= u / (1 + 0.5 * x * u);
    }
    return x;
}

double ney_normal_quantile(double p)
{
    if (!(p >= 0 && p <= 1)) {
        return (double)NAN;
    }
    if (p == 0 || p == 1) {
        return p == 0 ? -(double)INFINITY : (double)INFINITY;
    }
    return p <= 0.5 ? lower_quantile(p) : -lower_quantile(1 - p);
}
