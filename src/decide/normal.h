/* The standard normal distribution. */
#ifndef NEY_DECIDE_NORMAL_H
#define NEY_DECIDE_NORMAL_H

double ney_normal_cdf(double x);

/* The x with cdf(x) = p; -inf for 0, +inf for 1, NAN outside. */
double ney_normal_quantile(double p);

/* log of cdf(x), to full relative precision in either tail. */
double ney_normal_log_cdf(double x);

/* cdf(x) / density(x), which neither under- nor overflows for x <= 0 (Mills' ratio of -x). */
double ney_normal_ratio(double x);

#endif
