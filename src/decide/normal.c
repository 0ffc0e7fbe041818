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

/* Far out Laplace's continued fraction 1/(z + 1/(z + 2/(z + 3/(z + ...)))), z = -x; nearer, the
 * quotient itself. */
double ney_normal_ratio(double x)
{
    enum { TERMS = 60 }; /* enough for full precision from z = 4 on */
    const double root_two_pi = 2.50662827463100050242, z = -x;

    if (z < 4) {
        return ney_normal_cdf(x) * root_two_pi * exp(0.5 * x * x);
    }
    double rest = z;
    for (int k = TERMS; k > 0; k--) {
        rest = z + k / rest;
    }
    return 1 / rest;
}

double ney_normal_log_cdf(double x)
{
    const double log_root_two_pi = 0.918938533204672741780;

    if (x > 0) {
        return log1p(-0.5 * erfc(x / sqrt(2.0)));
    }
    return x > -4 ? log(ney_normal_cdf(x))
                  : log(ney_normal_ratio(x)) - 0.5 * x * x - log_root_two_pi;
}
