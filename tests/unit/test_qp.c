/* The pieces of the quadratic program: values, slopes, repair and certificate. */
#include "qp/qp.h"

#include "support/cmocka_all.h"
#include "support/random_qp.h"

#include <math.h>
#include <string.h>

/* Slopes 2 up to the middle, then -1; one middle on each side of 0 and one at it. */
static const double low[] = {-1, -3, 0}, middle[] = {1, -2, 0}, high[] = {4, 1, 5};
static const double slope_low[] = {2, 2, 2}, slope_high[] = {-1, -1, -1};
static const ney_qp three = {.n = 3,
                             .low = low,
                             .middle = middle,
                             .high = high,
                             .slope_low = slope_low,
                             .slope_high = slope_high};

static void test_values_and_slopes(void **state)
{
    (void)state;
    for (int64_t i = 0; i < 3; i++) {
        assert_true(ney_qp_value(&three, i, 0) == 0);
    }
    assert_true(ney_qp_value(&three, 0, -1) == -2 && ney_qp_value(&three, 0, 1) == 2);
    assert_true(ney_qp_value(&three, 0, 4) == -1);
    assert_true(ney_qp_value(&three, 1, -2) == 2 && ney_qp_value(&three, 1, -3) == 0);
    assert_true(ney_qp_value(&three, 1, 1) == -1 && ney_qp_value(&three, 2, 5) == -5);

    assert_true(ney_qp_up(&three, 0, 0) == 2 && ney_qp_down(&three, 0, 0) == 2);
    assert_true(ney_qp_up(&three, 0, 1) == -1 && ney_qp_down(&three, 0, 1) == 2);
    assert_true(ney_qp_up(&three, 0, 4) == -HUGE_VAL && ney_qp_down(&three, 0, 4) == -1);
    assert_true(ney_qp_up(&three, 0, -1) == 2 && ney_qp_down(&three, 0, -1) == HUGE_VAL);
    assert_true(ney_qp_up(&three, 2, 0) == -1 && ney_qp_down(&three, 2, 0) == HUGE_VAL);

    assert_true(ney_qp_distance_up(&three, 0, 0) == 1 && ney_qp_distance_up(&three, 0, 1) == 3);
    assert_true(ney_qp_distance_down(&three, 0, 0) == 1 && ney_qp_distance_down(&three, 0, 4) == 3);
    assert_true(ney_qp_distance_down(&three, 0, 1) == 2 && ney_qp_distance_up(&three, 0, 4) == 0);
}

static void test_repair(void **state)
{
    static random_qp q;
    (void)state;
    for (int64_t t = 1; t <= 2000; t++) {
        ney_rng r = {(uint64_t)t};
        random_qp_make(&q, &r, -6, 6);
        const ney_qp p = random_qp_problem(&q);
        double v[QP_ROWS], again[QP_ROWS];
        memcpy(v, q.first, sizeof v);
        assert_true(ney_qp_repair(&p, v));
        assert_feasible(&p, v, "repair", t);
        memcpy(again, v, sizeof v);
        assert_true(ney_qp_repair(&p, again)); /* nothing to do the second time, but for rounding */
        for (int64_t i = 0; i < p.n; i++) {
            assert_true(fabs(v[i] - again[i]) <= 1e-14 * q.size * (double)p.n * 4);
        }
    }
}

/* The nearest point: what is off by the same amount everywhere is moved by the same amount. */
static void test_repair_changes_little(void **state)
{
    const double box_low[] = {-10, -10, -10}, box_high[] = {10, 10, 1}, slope[] = {0, 0, 0};
    const ney_qp p = {.n = 3,
                      .low = box_low,
                      .middle = box_high,
                      .high = box_high,
                      .slope_low = slope,
                      .slope_high = slope};
    double v[] = {1, 2, 5}, rest[] = {3, -3, 0};
    (void)state;
    assert_true(ney_qp_repair(&p, v)); /* first to 1, 2, 1, then down by 4/3 */
    assert_true(fabs(v[0] + 1.0 / 3) < 1e-12 && fabs(v[1] - 2.0 / 3) < 1e-12);
    assert_true(fabs(v[2] + 1.0 / 3) < 1e-12);
    assert_true(ney_qp_repair(&p, rest));
    assert_true(rest[0] == 3 && rest[1] == -3 && rest[2] == 0);
}

static void test_box_without_a_point(void **state)
{
    const double above[] = {1, 1, -1.5}, top[] = {2, 2, -1};
    const ney_qp p = {.n = 3,
                      .low = above,
                      .middle = top,
                      .high = top,
                      .slope_low = slope_low,
                      .slope_high = slope_low};
    double v[] = {0, 0, 0};
    (void)state;
    assert_false(ney_qp_repair(&p, v));
}

/* Any point has a certificate that says what the judge says. */
static void test_certificate(void **state)
{
    static random_qp q;
    (void)state;
    for (int64_t t = 1; t <= 600; t++) {
        ney_rng r = {(uint64_t)t};
        const ney_kernel linear = {.kind = NEY_KERNEL_LINEAR};
        random_qp_make(&q, &r, -3, 3);
        const ref_qp judged = random_qp_judged(&q, &linear);
        const ney_qp p = random_qp_problem(&q);
        double v[QP_ROWS] = {0}, f[QP_ROWS];
        long double exact[QP_ROWS], unit = 0;
        ney_qp_info info = {0};
        memcpy(v, q.first, sizeof v);
        assert_true(ney_qp_repair(&p, v));
        for (int64_t i = 0; i < p.n; i++) {
            long double sum = 0;
            for (int64_t j = 0; j < p.n; j++) {
                sum += q.k[i * p.n + j] * (long double)v[j];
            }
            f[i] = (double)sum;
            exact[i] = v[i];
            unit += fabsl(sum * (long double)v[i]) + 10 * fabsl((long double)v[i]);
        }
        ney_qp_certify(&p, v, f, &info);
        const long double best = ref_qp_primal(&judged, exact, ref_qp_best_b(&judged, exact));
        unit += fabsl(best) + (long double)q.size;
        if (fabsl(ref_qp_dual(&judged, exact) - info.dual) > 1e-12L * unit ||
            fabsl(best - info.primal) > 1e-12L * unit ||
            fabsl(ref_qp_primal(&judged, exact, info.intercept) - best) > 1e-12L * unit ||
            fabsl(fmaxl(0, ref_qp_violation(&judged, exact)) - info.violation) > 1e-12L * unit) {
            fail_msg("seed %lld: dual %.15g primal %.15g (%.15Lg) violation %g (%Lg)", (long long)t,
                     info.dual, info.primal, best, info.violation,
                     ref_qp_violation(&judged, exact));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_and_slopes),     cmocka_unit_test(test_repair),
        cmocka_unit_test(test_repair_changes_little), cmocka_unit_test(test_box_without_a_point),
        cmocka_unit_test(test_certificate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
