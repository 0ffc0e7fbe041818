/* L-BFGS on functions with known minima, and every reason to stop. */
#include "linalg/lbfgs.h"

#include "support/cmocka_all.h"

#include <math.h>

static ney_lbfgs_info minimise(ney_lbfgs p, double *x)
{
    const ney_env env = ney_env_default();
    ney_lbfgs_info info;
    assert_int_equal(ney_lbfgs_run(&p, &env, x, &info, NULL), NEY_OK);
    return info;
}

enum { N = 40 };

/* sum_k k (x_k - k)^2 / 2: minimum 0 at x_k = k, condition number N */
static double quadratic(void *context, const double *x, double *g)
{
    double value = 0;
    (void)context;
    for (int k = 0; k < N; k++) {
        g[k] = (k + 1) * (x[k] - (k + 1));
        value += 0.5 * g[k] * (x[k] - (k + 1));
    }
    return value;
}

static void test_quadratic_converges(void **state)
{
    double x[N] = {0};
    (void)state;
    const ney_lbfgs_info info =
        minimise((ney_lbfgs){.n = N, .value = quadratic, .max_steps = 200, .tol = 1e-10}, x);
    assert_int_equal(info.stop, NEY_LBFGS_CONVERGED);
    assert_true(info.steps > 1 && info.steps < 100);
    assert_true(info.gradient <= 1e-10 * 150 * N);
    for (int k = 0; k < N; k++) {
        assert_float_equal(x[k], k + 1, 1e-6);
    }
}

static double rosenbrock(void *context, const double *x, double *g)
{
    const double a = 1 - x[0], b = x[1] - x[0] * x[0];
    (void)context;
    g[0] = -2 * a - 400 * x[0] * b;
    g[1] = 200 * b;
    return a * a + 100 * b * b;
}

static const ney_lbfgs VALLEY = {.n = 2, .value = rosenbrock, .max_steps = 200, .tol = 1e-12};

static void test_rosenbrock_converges(void **state)
{
    double x[2] = {-1.2, 1};
    (void)state;
    const ney_lbfgs_info info = minimise(VALLEY, x);
    assert_int_equal(info.stop, NEY_LBFGS_CONVERGED);
    assert_float_equal(x[0], 1, 1e-8);
    assert_float_equal(x[1], 1, 1e-8);
    assert_float_equal(info.value, 0, 1e-16);
    assert_true(info.steps < 100);
}

static void test_iterations_are_the_reason(void **state)
{
    double x[2] = {-1.2, 1}, g[2];
    ney_lbfgs p = VALLEY;
    (void)state;
    p.max_steps = 5;
    const ney_lbfgs_info info = minimise(p, x);
    assert_int_equal(info.stop, NEY_LBFGS_ITERATIONS);
    assert_int_equal(info.steps, 5);
    assert_float_equal(info.value, rosenbrock(NULL, x, g), 0);
    assert_float_equal(info.gradient, hypot(g[0], g[1]), 1e-12);
}

static double far_quadratic(void *context, const double *x, double *g)
{
    return 1e12 + quadratic(context, x, g);
}

/* A fall that the value cannot show is none: steps do not go on because the value stays the same.
 */
static void test_ends_at_the_precision_of_the_value(void **state)
{
    double x[N] = {0};
    (void)state;
    const ney_lbfgs_info info =
        minimise((ney_lbfgs){.n = N, .value = far_quadratic, .max_steps = 100000}, x);
    assert_int_equal(info.stop, NEY_LBFGS_LINE_SEARCH);
    assert_true(info.steps < 100 && info.gradient < 1);
}

static bool three_times(void *context)
{
    int *const count = context;
    return ++*count <= 3;
}

static void test_cancelled_is_the_reason(void **state)
{
    double x[2] = {-1.2, 1};
    ney_lbfgs p = VALLEY;
    int count = 0;
    (void)state;
    p.may_continue = three_times;
    p.context = &count;
    const ney_lbfgs_info info = minimise(p, x);
    assert_int_equal(info.stop, NEY_LBFGS_CANCELLED);
    assert_int_equal(info.steps, 3);
}

/* The gradient points the wrong way: along -g the value only rises. */
static double uphill(void *context, const double *x, double *g)
{
    (void)context;
    g[0] = -2 * x[0];
    return x[0] * x[0];
}

static void test_line_search_is_the_reason(void **state)
{
    double x[1] = {1};
    (void)state;
    const ney_lbfgs_info info =
        minimise((ney_lbfgs){.n = 1, .value = uphill, .max_steps = 50, .tol = 1e-8}, x);
    assert_int_equal(info.stop, NEY_LBFGS_LINE_SEARCH);
    assert_int_equal(info.steps, 0);
    assert_float_equal(x[0], 1, 0); /* nothing better was found */
}

/* x log x - x: minimum -1 at 1, NaN below 0, where full steps from a large x lead */
static double entropy(void *context, const double *x, double *g)
{
    (void)context;
    g[0] = log(x[0]);
    return x[0] * log(x[0]) - x[0];
}

static void test_nan_beyond_a_border_is_stepped_back_from(void **state)
{
    double x[1] = {0.5};
    (void)state;
    const ney_lbfgs_info info =
        minimise((ney_lbfgs){.n = 1, .value = entropy, .max_steps = 100, .tol = 1e-10}, x);
    assert_int_equal(info.stop, NEY_LBFGS_CONVERGED);
    assert_float_equal(x[0], 1, 1e-8);
}

/* Finite at 1, NaN everywhere else: in the value, or in the gradient alone. */
static double isolated(void *context, const double *x, double *g)
{
    const bool in_gradient = *(const bool *)context, is_start = x[0] == 1;
    g[0] = is_start || !in_gradient ? 1 : (double)NAN;
    return is_start || in_gradient ? x[0] : (double)NAN;
}

static void test_nan_around_the_start_fails_the_line_search(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        bool in_gradient = k == 1;
        double x[1] = {1};
        const ney_lbfgs_info info = minimise(
            (ney_lbfgs){
                .n = 1, .value = isolated, .context = &in_gradient, .max_steps = 50, .tol = 1e-8},
            x);
        assert_int_equal(info.stop, NEY_LBFGS_LINE_SEARCH);
        assert_float_equal(x[0], 1, 0);
        assert_true(isfinite(info.value) && isfinite(info.gradient));
    }
}

static void test_nan_at_the_start_is_not_converged(void **state)
{
    double x[1] = {-1};
    (void)state;
    const ney_lbfgs_info info =
        minimise((ney_lbfgs){.n = 1, .value = entropy, .max_steps = 50, .tol = 1e-8}, x);
    assert_int_equal(info.stop, NEY_LBFGS_NOT_FINITE);
    assert_int_equal(info.steps, 0);
}

static void test_minimum_at_the_start(void **state)
{
    double x[2] = {1, 1};
    (void)state;
    const ney_lbfgs_info info = minimise(VALLEY, x);
    assert_int_equal(info.stop, NEY_LBFGS_CONVERGED);
    assert_int_equal(info.steps, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_quadratic_converges),
        cmocka_unit_test(test_rosenbrock_converges),
        cmocka_unit_test(test_ends_at_the_precision_of_the_value),
        cmocka_unit_test(test_iterations_are_the_reason),
        cmocka_unit_test(test_cancelled_is_the_reason),
        cmocka_unit_test(test_line_search_is_the_reason),
        cmocka_unit_test(test_nan_beyond_a_border_is_stepped_back_from),
        cmocka_unit_test(test_nan_around_the_start_fails_the_line_search),
        cmocka_unit_test(test_nan_at_the_start_is_not_converged),
        cmocka_unit_test(test_minimum_at_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
