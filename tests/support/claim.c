#include "support/claim.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* A correct program fails a claim less often than this. */
static const long double FALSE_FAILURE = 1e-5L;

static long double log_choose(int64_t n, int64_t k)
{
    return lgammal((long double)n + 1) - lgammal((long double)k + 1) -
           lgammal((long double)(n - k) + 1);
}

long double claim_upper_tail(int64_t k, int64_t n, long double p)
{
    long double sum = 0;
    if (k <= 0 || p >= 1) {
        return 1;
    }
    if (p <= 0) {
        return 0;
    }
    for (int64_t j = k; j <= n; j++) {
        const long double term =
            expl(log_choose(n, j) + (long double)j * logl(p) + (long double)(n - j) * log1pl(-p));
        sum += term;
        if ((long double)j > p * (long double)n && term < sum * 1e-20L) {
            break;
        }
    }
    return fminl(sum, 1);
}

/* The p at which P(Binomial(n, p) >= k) is `tail`. */
static long double rate_of_tail(int64_t k, int64_t n, long double tail)
{
    long double low = 0, high = 1;
    for (int i = 0; i < 60; i++) {
        const long double p = (low + high) / 2;
        if (claim_upper_tail(k, n, p) < tail) {
            low = p;
        } else {
            high = p;
        }
    }
    return (low + high) / 2;
}

void claim_interval(int64_t hits, int64_t n, double *low, double *high)
{
    *low = hits > 0 ? (double)rate_of_tail(hits, n, 0.025L) : 0;
    *high = hits < n ? (double)rate_of_tail(hits + 1, n, 0.975L) : 1;
}

static void report(const char *claim, int64_t draws, double nominal, double errors, double low,
                   double high)
{
    const double rate = errors / (double)draws;
    const char *const path = getenv("NEY_CLAIMS");
    print_message("%s: %.4f [%.4f, %.4f] of %lld draws, nominal %.4g\n", claim, rate, low, high,
                  (long long)draws, nominal);
    FILE *const file = path ? fopen(path, "a") : NULL;
    if (file) {
        fprintf(file, "%s\t%lld\t%.4g\t%.6g\t%.4f\t%.4f\t%.4f\n", claim, (long long)draws, nominal,
                errors, rate, low, high);
        fclose(file);
    }
}

void claim_check(const char *claim, int64_t errors, int64_t draws, double nominal)
{
    double low, high;
    claim_interval(errors, draws, &low, &high);
    report(claim, draws, nominal, (double)errors, low, high);
    assert_true(claim_upper_tail(errors, draws, (long double)nominal) >= FALSE_FAILURE);
}

/* Report the mean with Hoeffding's 95 % interval, and return it. */
static double report_mean(const char *claim, const double *value, int64_t draws, double nominal)
{
    double sum = 0;
    for (int64_t i = 0; i < draws; i++) {
        assert_true(value[i] >= 0 && value[i] <= 1);
        sum += value[i];
    }
    const double mean = sum / (double)draws;
    const double half = sqrt(log(40) / (2 * (double)draws));
    report(claim, draws, nominal, sum, fmax(0, mean - half), fmin(1, mean + half));
    return mean;
}

void claim_report_mean(const char *claim, const double *value, int64_t draws, double nominal)
{
    (void)report_mean(claim, value, draws, nominal);
}

void claim_check_mean(const char *claim, const double *value, int64_t draws, double nominal)
{
    const double mean = report_mean(claim, value, draws, nominal);
    assert_true(mean <= nominal || 2 * (double)draws * (mean - nominal) * (mean - nominal) <=
                                       (double)-logl(FALSE_FAILURE));
}
