/* The verdict of the simulations, on tails worked out by hand and from published tables. */
#include "support/claim.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void assert_near(double a, double b)
{
    assert_true(fabs(a - b) <= 1e-9);
}

static void test_tails(void **state)
{
    (void)state;
    assert_near((double)claim_upper_tail(0, 10, 0.3L), 1);
    assert_near((double)claim_upper_tail(1, 10, 0), 0);
    assert_near((double)claim_upper_tail(1, 2, 0.5L), 0.75);
    assert_near((double)claim_upper_tail(3, 3, 0.5L), 0.125);
    assert_near((double)claim_upper_tail(1, 1000000, 1e-6L), 1 - exp(1e6 * log1p(-1e-6)));
}

static void test_intervals(void **state)
{
    double low, high;
    (void)state;
    claim_interval(0, 10, &low, &high); /* 1 - 0.025^(1/10) */
    assert_near(low, 0);
    assert_near(high, 1 - pow(0.025, 0.1));
    claim_interval(10, 10, &low, &high);
    assert_near(low, pow(0.025, 0.1));
    assert_near(high, 1);
    claim_interval(5, 10, &low, &high);
    assert_true(fabs(low - 0.187086) < 1e-6 && fabs(high - 0.812914) < 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_tails),
                                       cmocka_unit_test(test_intervals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
