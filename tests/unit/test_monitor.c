/* The alarm of decide/monitor.c: a fair game at the bound itself, few false alarms in long watches,
 * early alarms where the rate has left its bound. */
#include "support/cmocka_all.h"

#include <neyman/neyman.h>

#include <math.h>

/* Over all outcomes of n rows, each as likely as the bound says, the bettor's wealth is 1 on
 * average; below the bound it is less. */
static double mean_wealth(double bound, double rate, int n)
{
    double mean = 0;
    for (unsigned all = 0; all < 1u << n; all++) {
        ney_monitor m;
        double probability = 1;
        assert_int_equal(ney_monitor_init(&m, bound, 0.05, NULL), NEY_OK);
        for (int i = 0; i < n; i++) {
            const bool mistaken = (all >> i & 1) != 0;
            probability *= mistaken ? rate : 1 - rate;
            (void)ney_monitor_see(&m, mistaken);
        }
        mean += probability * exp(m.evidence);
    }
    return mean;
}

static void test_the_game_is_fair(void **state)
{
    static const double bounds[] = {0.001, 0.05, 0.3, 0.5, 0.9};
    (void)state;
    for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++) {
        assert_true(fabs(mean_wealth(bounds[k], bounds[k], 10) - 1) < 1e-9);
        assert_true(mean_wealth(bounds[k], 0.5 * bounds[k], 10) < 1);
        assert_true(mean_wealth(bounds[k], fmin(1, 1.5 * bounds[k]), 10) > 1);
    }
}

/* Not the library's: a plain linear congruence. */
static double uniform(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(*state >> 11) * 0x1p-53;
}

static int alarms(double bound, double delta, double before, double after, int64_t change,
                  int64_t rows, int runs, double *delay)
{
    int raised = 0;
    *delay = 0;
    for (int k = 0; k < runs; k++) {
        uint64_t random = (uint64_t)k + 1;
        ney_monitor m;
        assert_int_equal(ney_monitor_init(&m, bound, delta, NULL), NEY_OK);
        for (int64_t t = 0; t < rows && !m.alarm; t++) {
            (void)ney_monitor_see(&m, uniform(&random) < (t < change ? before : after));
        }
        raised += m.alarm;
        *delay += m.alarm ? (double)(m.alarm_at - change) / runs : 0;
    }
    return raised;
}

static void test_long_watches_raise_few_false_alarms(void **state)
{
    double delay;
    (void)state;
    /* 100 watches at the bound itself: 20 may be wrong at delta 0.2; four deviations more are 36 */
    const int raised = alarms(0.1, 0.2, 0.1, 0.1, 0, 2000, 100, &delay);
    assert_true(raised <= 36);
    assert_true(raised > 0); /* and the bound is made use of */
}

static void test_a_rate_that_leaves_its_bound_is_noticed(void **state)
{
    double delay;
    (void)state;
    assert_int_equal(alarms(0.05, 0.05, 0.1, 0.1, 0, 5000, 10, &delay), 10);
    assert_true(delay < 400);
    assert_int_equal(alarms(0.05, 0.05, 0.03, 0.1, 3000, 8000, 10, &delay), 10);
    assert_true(delay > 0);
    assert_true(delay < 1200);
}

static void test_what_is_no_rate_is_refused(void **state)
{
    ney_monitor m;
    ney_error err;
    (void)state;
    assert_int_equal(ney_monitor_init(&m, 0, 0.05, &err), NEY_EINVAL);
    assert_int_equal(ney_monitor_init(&m, 1, 0.05, &err), NEY_EINVAL);
    assert_int_equal(ney_monitor_init(&m, (double)NAN, 0.05, &err), NEY_EINVAL);
    assert_int_equal(ney_monitor_init(&m, 0.1, 0, &err), NEY_EINVAL);
    assert_int_equal(ney_monitor_init(&m, 0.1, 1, &err), NEY_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_game_is_fair),
        cmocka_unit_test(test_long_watches_raise_few_false_alarms),
        cmocka_unit_test(test_a_rate_that_leaves_its_bound_is_noticed),
        cmocka_unit_test(test_what_is_no_rate_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
