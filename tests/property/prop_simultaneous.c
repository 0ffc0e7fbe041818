/* The intervals of ney_interval_simultaneous() hold at all thresholds at once, whatever the
 * distribution of the scores, and are narrower than what a union bound over all counts gives. */
#include "support/claim.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/share.h"

#include <neyman/neyman.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 3000 };

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

typedef struct limits {
    double low[MOST + 1], high[MOST + 1];
} limits;

static void fill_limits(limits *l, int64_t n, double confidence)
{
    for (int64_t k = 0; k <= n; k++) {
        ney_interval_simultaneous(k, n, confidence, &l->low[k], &l->high[k]);
    }
}

/* Scores that are uniform on [0, 1], or on `values` equally likely numbers 1/values, ..., 1. Just
 * above a score x the rate of scores at or above is that of scores above x; at x it is that of x.
 * Between two scores it is one of these or in between. */
static bool is_missed(const limits *l, double *score, int64_t n, int64_t values)
{
    const double step = values > 0 ? 1.0 / (double)values : 0;
    qsort(score, (size_t)n, sizeof *score, descending);
    for (int64_t k = 0; k <= n; k++) {
        if (k > 0 && k < n && score[k] >= score[k - 1]) {
            continue; /* no threshold has k rows at or above it */
        }
        const double highest = k > 0 ? 1 - score[k - 1] + step : 0; /* at score k */
        const double lowest = k < n ? 1 - score[k] : 1;             /* just above score k + 1 */
        if (highest < l->low[k] - 1e-12 || lowest > l->high[k] + 1e-12) {
            return true;
        }
    }
    return false;
}

static void all_thresholds_are_covered(void **state)
{
    static const struct {
        int64_t n, values;
        double confidence;
    } scene[] = {{3, 0, 0.95},  {12, 0, 0.95},   {40, 0, 0.8},    {200, 0, 0.95},
                 {200, 0, 0.5}, {200, 10, 0.95}, {MOST, 0, 0.95}, {1000, 40, 0.5}};
    static limits l;
    static double score[MOST];
    (void)state;
    for (size_t s = 0; s < sizeof scene / sizeof *scene; s++) {
        const int64_t n = scene[s].n, values = scene[s].values;
        const int64_t draws = test_share(n > 500 ? 400 : 1500);
        rnd r = rnd_new(900 + s);
        int64_t missed = 0;
        char claim[128];
        fill_limits(&l, n, scene[s].confidence);
        for (int64_t d = 0; d < draws; d++) {
            for (int64_t i = 0; i < n; i++) {
                score[i] = values > 0 ? (double)(1 + rnd_below(&r, values)) / (double)values
                                      : rnd_unit(&r);
            }
            missed += is_missed(&l, score, n, values);
        }
        snprintf(claim, sizeof claim, "simultaneous intervals, %d rows%s, confidence %g", (int)n,
                 values > 0 ? " with ties" : "", scene[s].confidence);
        claim_check(claim, missed, draws, 1 - scene[s].confidence);
    }
}

/* Near a rate of 0 they are narrower than the inequality of Dvoretzky, Kiefer and Wolfowitz alone,
 * everywhere at most a fifth wider, and never narrower than the interval of one threshold. */
static void widths(void **state)
{
    static const int64_t n[] = {50, 300, MOST};
    (void)state;
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        const double dkw = sqrt(log(2 / 0.05) / (2 * (double)n[i]));
        double low, high, one_low, one_high;
        for (int64_t k = 0; k <= n[i]; k++) {
            ney_interval_simultaneous(k, n[i], 0.95, &low, &high);
            ney_interval(k, n[i], 0.95, &one_low, &one_high);
            const double share = (double)k / (double)n[i];
            assert_true(low <= one_low && high >= one_high);
            assert_true(share - low <= 1.2 * dkw && high - share <= 1.2 * dkw);
        }
        ney_interval_simultaneous(n[i] / 100, n[i], 0.95, &low, &high);
        if (n[i] == MOST) {
            assert_true(high - 0.01 < 0.5 * dkw);
        }
    }
}

/* More hits, higher limits; hits and misses mirror each other; more rows, narrower. */
static void order_and_symmetry(void **state)
{
    static const int64_t n[] = {1, 2, 4, 5, 9, 10, 77, 500};
    double low, high, other_low, other_high;
    (void)state;
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        double last_low = -1, last_high = -1;
        for (int64_t k = 0; k <= n[i]; k++) {
            ney_interval_simultaneous(k, n[i], 0.9, &low, &high);
            ney_interval_simultaneous(n[i] - k, n[i], 0.9, &other_low, &other_high);
            assert_true(low >= last_low && high >= last_high && low >= 0 && high <= 1);
            assert_true(high == 1 - other_low && other_high == 1 - low);
            last_low = low;
            last_high = high;
        }
    }
    ney_interval_simultaneous(0, 0, 0.95, &low, &high);
    assert_true(low == 0 && high == 1);
    ney_interval_simultaneous(5, 10, 1, &low, &high);
    assert_true(low == 0 && high == 1);
}

/* A rate at its bound is refuted, and one just beyond it confirmed, with at most half of 5 %:
 * summed over all counts. */
static void verdicts(void **state)
{
    static const double bound[] = {0.01, 0.1, 0.5};
    static const int64_t n[] = {20, 300, 1000};
    (void)state;
    for (size_t b = 0; b < 3; b++) {
        for (size_t i = 0; i < 3; i++) {
            long double refuted = 0, confirmed = 0;
            for (int64_t k = 0; k <= n[i]; k++) {
                const long double p = claim_upper_tail(k, n[i], (long double)bound[b]) -
                                      claim_upper_tail(k + 1, n[i], (long double)bound[b]);
                const ney_verdict v = ney_check_bound(k, n[i], bound[b], 0.95);
                refuted += v == NEY_VERDICT_REFUTED ? p : 0;
                confirmed += v == NEY_VERDICT_CONFIRMED ? p : 0;
            }
            assert_true(refuted <= 0.025L + 1e-9L && confirmed <= 0.025L + 1e-9L);
        }
    }
    assert_int_equal(ney_check_bound(0, 1000, 0.01, 0.95), NEY_VERDICT_CONFIRMED);
    assert_int_equal(ney_check_bound(8, 1000, 0.01, 0.95), NEY_VERDICT_OPEN);
    assert_int_equal(ney_check_bound(40, 1000, 0.01, 0.95), NEY_VERDICT_REFUTED);
    assert_int_equal(ney_check_bound(0, 0, 0.01, 0.95), NEY_VERDICT_OPEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_thresholds_are_covered), cmocka_unit_test(widths),
        cmocka_unit_test(order_and_symmetry), cmocka_unit_test(verdicts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
