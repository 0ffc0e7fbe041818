/* The map of --scale asinh against its formula, at every value of a column. */
#include "support/cmocka_all.h"

#include "data/asinh_fit.h"

#include <math.h>
#include <stdlib.h>

/* Between knots the map is linear: and the curve is nearly straight there. */
static void check_map(const ney_value_run *run, int64_t n, double median, double s)
{
    const ney_env env = ney_env_default();
    ney_ranks *const r = ney_ranks_new(&env, 1);
    assert_non_null(r);
    assert_true(ney_asinh_knots(r, 0, run, n));
    const double low = asinh(((double)run[0].value - median) / s);
    const double high = asinh(((double)run[n - 1].value - median) / s);
    assert_true(r->n[0] <= 2 * 129);
    for (int64_t k = 0; k < n; k++) {
        const double y = ney_ranks_of(r, 0, (double)run[k].value);
        const double expected = (asinh(((double)run[k].value - median) / s) - low) / (high - low);
        assert_true(fabs(y - expected) < 1e-4);
        assert_true(k == 0 || y >= ney_ranks_of(r, 0, (double)run[k - 1].value));
    }
    assert_true(ney_ranks_of(r, 0, (double)run[0].value) == 0);
    assert_true(ney_ranks_of(r, 0, (double)run[n - 1].value) == 1);
    assert_true(ney_ranks_of(r, 0, 1e30) == 1);
    ney_ranks_free(r);
}

/* 1001 values from -500 to 500: the median is 0, the quartiles -250 and 250. */
static void test_quartiles(void **state)
{
    (void)state;
    static ney_value_run run[1001];
    for (int i = 0; i < 1001; i++) {
        run[i] = (ney_value_run){(float)(i - 500), 1, 0};
    }
    check_map(run, 1001, 0, 500 / 1.3489795003921634);
    for (int i = 0; i < 1001; i++) { /* a tail on one side */
        run[i].value = i > 900 ? (float)(1 << (i - 900) / 6) * 1000 + (float)i : run[i].value;
    }
    check_map(run, 1001, 0, 500 / 1.3489795003921634);
}

/* Most values are equal: the scale is the median distance of the others, 3 of 1, 2, 3, 4, 100. */
static void test_equal_quartiles(void **state)
{
    (void)state;
    const ney_value_run run[] = {{-2, 1, 0}, {0, 95, 0}, {1, 1, 0},
                                 {3, 1, 0},  {4, 1, 0},  {100, 1, 0}};
    check_map(run, 6, 0, 3);
}

static void test_few_values(void **state)
{
    (void)state;
    const ney_value_run two[] = {{0, 5, 0}, {1, 3, 0}}, one[] = {{7, 4, 0}};
    check_map(two, 2, 0, 1 / 1.3489795003921634);
    const ney_env env = ney_env_default();
    ney_ranks *const r = ney_ranks_new(&env, 1);
    assert_non_null(r);
    assert_true(ney_asinh_knots(r, 0, one, 1));
    assert_true(ney_ranks_of(r, 0, 7) == 0);
    ney_ranks_free(r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_quartiles),
                                       cmocka_unit_test(test_equal_quartiles),
                                       cmocka_unit_test(test_few_values)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
