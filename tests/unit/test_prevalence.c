/* Precision and cost at another share of positives, and their ranges over a rectangle of rates. */
#include "decide/prevalence.h"
#include "support/cmocka_all.h"

#include <math.h>

static void assert_near(double a, double b)
{
    assert_true(fabs(a - b) <= 1e-12);
}

/* 1 % of cases are positive, half of them are found, 2 % of negatives are flagged. */
static void values(void **state)
{
    const ney_rule_rates r = {.fpr = {0.02, 0.01, 0.03}, .fnr = {0.5, 0.4, 0.6}};
    const ney_costs costs = {.fn = 100, .fp = 1};
    (void)state;
    const ney_range p = ney_precision_at(&r, 0.01);
    assert_near(p.value, 0.005 / (0.005 + 0.0198));
    assert_near(p.low, 0.004 / (0.004 + 0.0297));
    assert_near(p.high, 0.006 / (0.006 + 0.0099));
    const ney_range c = ney_cost_at(&r, 0.01, &costs);
    assert_near(c.value, 0.5 + 0.0198);
    assert_near(c.low, 0.4 + 0.0099);
    assert_near(c.high, 0.6 + 0.0297);
}

static void rejected_rows(void **state)
{
    const ney_rule_rates r = {.fpr = {0.1, 0.1, 0.1},
                              .fnr = {0.2, 0.2, 0.2},
                              .reject_neg = {0.3, 0.2, 0.4},
                              .reject_pos = {0.1, 0, 0.2}};
    const ney_costs costs = {.fn = 1, .fp = 1, .reject_fn = 0.5, .reject_fp = 0.25};
    (void)state;
    assert_near(ney_cost_at(&r, 0.5, &costs).value, 0.5 * (0.2 + 0.05) + 0.5 * (0.1 + 0.075));
    assert_near(ney_precision_at(&r, 0.5).value, 0.35 / 0.4);
    assert_near(ney_precision_at(&r, 0.5).low, 0.3 / 0.35);
}

/* No row is called positive: no precision, and the range is all that is possible. */
static void no_call(void **state)
{
    const ney_rule_rates r = {.fpr = {0, 0, 0}, .fnr = {1, 1, 1}};
    (void)state;
    const ney_range p = ney_precision_at(&r, 0.5);
    assert_true(isnan(p.value) && p.low == 0 && p.high == 1);
}

/* The corners hold every point of the rectangle. */
static void corners(void **state)
{
    const ney_rule_rates r = {.fpr = {0.2, 0.1, 0.5}, .fnr = {0.3, 0.1, 0.6}};
    const ney_costs costs = {.fn = 3, .fp = 2};
    (void)state;
    const ney_range p = ney_precision_at(&r, 0.3), c = ney_cost_at(&r, 0.3, &costs);
    for (int i = 0; i <= 20; i++) {
        for (int j = 0; j <= 20; j++) {
            const double fpr = 0.1 + 0.4 * i / 20, fnr = 0.1 + 0.5 * j / 20;
            const ney_rule_rates at = {.fpr = {fpr, fpr, fpr}, .fnr = {fnr, fnr, fnr}};
            const double precision = ney_precision_at(&at, 0.3).value;
            const double cost = ney_cost_at(&at, 0.3, &costs).value;
            assert_true(precision >= p.low - 1e-15 && precision <= p.high + 1e-15);
            assert_true(cost >= c.low - 1e-15 && cost <= c.high + 1e-15);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(rejected_rows),
                                       cmocka_unit_test(no_call), cmocka_unit_test(corners)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
