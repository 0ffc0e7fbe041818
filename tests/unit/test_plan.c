/* What certification is said to cost, against a finer integral and against drawing. */
#include "support/cmocka_all.h"
#include "support/random_data.h"

#include <neyman/experimental.h>

#include <math.h>
#include <stdlib.h>

static double phi(double x)
{
    return 0.5 * erfc(-x / sqrt(2.0));
}

/* By halving: slow and certain. */
static double quantile(double p)
{
    double low = -40, high = 40;
    for (int i = 0; i < 200; i++) {
        const double middle = (low + high) / 2;
        if (phi(middle) < p) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (low + high) / 2;
}

/* E[phi(quantile(U) + d)] for U ~ Beta(a, b), by the substitution x = quantile(u): smooth, and no
 * step near the ends is lost. */
static double power_by_integral(double a, double b, double d)
{
    double sum = 0, weights = 0, top = -(double)INFINITY;
    for (int pass = 0; pass < 2; pass++) { /* the largest exponent first */
        for (double x = -12; x <= 12; x += 0.0005) {
            const double log_weight = (a - 1) * log(phi(x)) + (b - 1) * log(phi(-x)) - x * x / 2;
            if (pass == 0) {
                top = fmax(top, log_weight);
            } else {
                weights += exp(log_weight - top);
                sum += exp(log_weight - top) * phi(x + d);
            }
        }
    }
    return sum / weights;
}

static void test_power_against_integral(void **state)
{
    static const struct {
        int64_t n;
        double max_rate, delta, power;
    } cases[] = {
        {59, 0.05, 0.05, 0.8},    {93, 0.05, 0.05, 0.8},  {1000, 0.05, 0.05, 0.8},
        {1, 0.5, 0.5, 0.9},       {299, 0.01, 0.05, 0.6}, {100000, 0.01, 0.01, 0.95},
        {30000, 0.001, 0.1, 0.5}, {20, 0.9, 0.05, 0.99},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t n = cases[i].n;
        const ney_plan_point p = ney_plan_at(n, cases[i].max_rate, cases[i].delta, cases[i].power);
        const int64_t r = ney_mistakes_allowed(n, cases[i].max_rate, cases[i].delta);
        const double a = (double)r + 1, b = (double)(n - r);
        const double wanted =
            power_by_integral(a, b, quantile(cases[i].power) - quantile(cases[i].max_rate));
        assert_int_equal(p.n, n);
        assert_int_equal(p.rank, n - r);
        assert_true(fabs(p.expected_rate - a / (double)(n + 1)) < 1e-15);
        assert_true(p.expected_rate <= cases[i].max_rate);
        if (fabs(p.expected_power - wanted) > 2e-4) {
            fail_msg("case %d: power %.6f, expected %.6f", (int)i, p.expected_power, wanted);
        }
        assert_true(p.expected_power < cases[i].power);
    }
}

static void test_more_rows_cost_less(void **state)
{
    double before = 0;
    (void)state;
    for (int64_t n = 59; n < 4000000; n *= 4) {
        const ney_plan_point p = ney_plan_at(n, 0.05, 0.05, 0.8);
        assert_true(p.expected_power > before);
        before = p.expected_power;
    }
    assert_true(before > 0.798 && before < 0.8);
}

static void test_too_few_rows(void **state)
{
    (void)state;
    for (int64_t n = 0; n <= 58; n += 58) {
        const ney_plan_point p = ney_plan_at(n, 0.05, 0.05, 0.8);
        assert_int_equal(p.n, n);
        assert_int_equal(p.rank, 0);
        assert_true(isnan(p.expected_rate) && isnan(p.expected_power));
    }
    assert_int_equal(ney_plan_at(59, 0.05, 0.05, 0.8).rank, 59);
}

/* What is planned is what happens: scores N(0,1) against N(d,1), thresholds certified from draws.
 */
static void test_plan_against_drawing(void **state)
{
    enum { N = 100, DRAWS = 2000 };
    const double max_rate = 0.1, delta = 0.1, power = 0.7, d = quantile(power) - quantile(max_rate);
    const ney_plan_point p = ney_plan_at(N, max_rate, delta, power);
    rnd r = rnd_new(311);
    double rate = 0, found = 0, squares = 0;
    (void)state;
    for (int draw = 0; draw < DRAWS; draw++) {
        double score[N];
        ney_certificate c;
        for (int i = 0; i < N; i++) { /* uniform: the curve does not change with the scale */
            score[i] = rnd_unit(&r);
        }
        assert_int_equal(
            ney_certify(&c, NULL, NEY_FALSE_POSITIVES, score, N, max_rate, delta, NULL), NEY_OK);
        const double u = 1 - c.threshold, detected = phi(quantile(u) + d);
        rate += u / DRAWS;
        found += detected / DRAWS;
        squares += detected * detected / DRAWS;
    }
    /* five deviations of the mean of 2000 draws */
    const double within = 5 * sqrt((squares - found * found) / DRAWS);
    if (fabs(rate - p.expected_rate) > 5 * 0.025 / sqrt(DRAWS) ||
        fabs(found - p.expected_power) > within) {
        fail_msg("rate %g, planned %g; power %g, planned %g", rate, p.expected_rate, found,
                 p.expected_power);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_power_against_integral),
        cmocka_unit_test(test_more_rows_cost_less),
        cmocka_unit_test(test_too_few_rows),
        cmocka_unit_test(test_plan_against_drawing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
