/* The verdict over a simulation with known truth: how often a statement of the program was false,
 * against how often it may be. No code shared with src/. */
#ifndef TEST_CLAIM_H
#define TEST_CLAIM_H

#include <stdint.h>

/* P(Binomial(n, p) >= k), in long double, for any n. */
long double claim_upper_tail(int64_t k, int64_t n, long double p);

/* The exact (Clopper-Pearson) 95 % interval of a rate, by bisection. */
void claim_interval(int64_t hits, int64_t n, double *low, double *high);

/* Prints the realised error rate with its exact interval, appends the same line to the file that
 * NEY_CLAIMS names (tab-separated: claim, draws, nominal, errors, rate, low, high), and fails the
 * running cmocka test when `errors` of `draws` are too many for an error rate of `nominal`: when
 * P(Binomial(draws, nominal) >= errors) < 1e-5. */
void claim_check(const char *claim, int64_t errors, int64_t draws, double nominal);

/* As above for a mean of numbers in [0, 1] (a realised FDR): fails when Hoeffding's bound puts a
 * true mean of at most `nominal` below probability 1e-5. */
void claim_check_mean(const char *claim, const double *value, int64_t draws, double nominal);

/* As above without a verdict, for what the program itself calls an estimate. */
void claim_report_mean(const char *claim, const double *value, int64_t draws, double nominal);

#endif
