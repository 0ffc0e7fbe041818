/* The standard normal distribution. */
#ifndef NEY_DECIDE_NORMAL_H
#define NEY_DECIDE_NORMAL_H

double ney_normal_cdf(double x);

/* The x with cdf(x) = p; -inf for 0, +inf for 1, NAN outside. */
double ney_normal_quantile(double p);

#endif
