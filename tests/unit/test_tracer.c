/* Rows that depend on those of the margin, sent there by force: they are exchanged, and the
 * solution stays what it is. */
#include "path/tracer.h"
#include "support/random_data.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 24, COLS = 2 };

/* Scores and intercept as sums over all rows, the box and sum v = 0; rows are 1 or -1 in each of
 * two columns, so that most of them repeat others and three make up the rest. */
static void assert_solution(const ney_tracer *t, const float *x, const double *before, double b)
{
    double v[ROWS], sum = 0, w[COLS] = {0}, was[COLS] = {0};
    ney_tracer_duals(t, v);
    for (int i = 0; i < ROWS; i++) {
        const double box = ney_box(t, i), a = t->label[i] * v[i];
        assert_true(a > -1e-12 && a < box + 1e-12);
        if (t->side[i] == NEY_SIDE_LEFT) {
            assert_true(fabs(a - box) < 1e-12);
        }
        if (t->side[i] == NEY_SIDE_RIGHT) {
            assert_true(a == 0);
        }
        sum += v[i];
        for (int c = 0; c < COLS; c++) {
            w[c] += v[i] * (double)x[i * COLS + c];
            was[c] += before[i] * (double)x[i * COLS + c];
        }
    }
    assert_true(fabs(sum) < 1e-12 && fabs(t->b - b) < 1e-12);
    for (int c = 0; c < COLS; c++) {
        if (fabs(w[c] - was[c]) > 1e-11) {
            fail_msg("w is %g, was %g", w[c], was[c]);
        }
    }
}

static void test_dependent_rows_are_exchanged(void **state)
{
    float x[ROWS * COLS];
    int8_t y[ROWS];
    int exchanged = 0, crossed = 0;
    (void)state;
    for (int64_t seed = 1; seed <= 40; seed++) {
        rnd r = rnd_new((uint64_t)seed);
        const ney_env env = ney_env_default();
        const ney_kernel linear = {.kind = NEY_KERNEL_LINEAR};
        ney_tracer t;
        for (int i = 0; i < ROWS; i++) {
            y[i] = i % 2 ? 1 : -1;
            for (int c = 0; c < COLS; c++) {
                x[i * COLS + c] = rnd_chance(&r, 0.5) ? 1 : -1;
            }
        }
        const ney_matrix m = {.rows = ROWS, .cols = COLS, .dense = x};
        assert_int_equal(ney_tracer_init(&t, &env, &m, y, NULL, &linear, 1e9, NULL), NEY_OK);
        const double to[2] = {0.05 + rnd_unit(&r), 0.05 + rnd_unit(&r)};
        const double even[2] = {to[0], to[0]};
        assert_int_equal(ney_tracer_follow(&t, even, NULL, NULL), NEY_OK);
        assert_int_equal(ney_tracer_follow(&t, to, NULL, NULL), NEY_OK);
        for (int i = 0; i < ROWS; i++) {
            const double b = t.b;
            double before[ROWS];
            (void)ney_tracer_evaluate(&t, i);
            const bool there = fabs(y[i] * (t.score[i] + b) - 1) < 1e-12;
            const int8_t side = t.side[i];
            if (side == NEY_SIDE_MARGIN || !there || t.margin.m < 3) {
                continue; /* with three rows of M every other row depends on them */
            }
            ney_tracer_duals(&t, before);
            const ney_event event = {.row = i, .to = NEY_SIDE_MARGIN};
            assert_int_equal(ney_tracer_apply(&t, &event, NULL, 0, NULL), NEY_OK);
            assert_solution(&t, x, before, b);
            assert_int_equal(t.margin.m, 3);
            exchanged += t.side[i] == NEY_SIDE_MARGIN;
            crossed += t.side[i] != NEY_SIDE_MARGIN && t.side[i] != side;
            ney_tracer_repair(&t);
            assert_true(ney_tracer_residual(&t) < 1e-12);
        }
        ney_tracer_deinit(&t);
    }
    print_message("%d exchanged, %d crossed\n", exchanged, crossed);
    assert_true(exchanged > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dependent_rows_are_exchanged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
