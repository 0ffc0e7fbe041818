/* Tails of the binomial distribution. */
#ifndef NEY_DECIDE_BINOMIAL_H
#define NEY_DECIDE_BINOMIAL_H

/* P(Binomial(n, p) >= k), for whole k and n. */
double ney_binomial_tail(double k, double n, double p);

/* The rate x with P(Binomial(n, x) >= k) = p, for 1 <= k <= n and 0 < p <= 1/2. */
double ney_binomial_rate(double k, double n, double p);

#endif
