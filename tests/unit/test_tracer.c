/* Rows that depend on those of the margin, sent there by force: they are exchanged, and the
 * solution stays what it is. Weights of columns and kernel rows lead to the same breakpoints. */
#include "path/tracer.h"
#include "support/random_data.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* With more columns than rows, most of them empty, the tracer uses kernel rows instead of weights.
 */
enum { ROWS = 24, COLS = 2, MORE_COLS = ROWS + 1 };

/* Scores and intercept as sums over all rows, the box and sum v = 0; rows are 1 or -1 in each of
 * two columns, so that most of them repeat others and three make up the rest. */
static void assert_solution(const ney_tracer *t, const ney_matrix *x, const double *before,
                            double b)
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
            w[c] += v[i] * (double)x->dense[i * x->cols + c];
            was[c] += before[i] * (double)x->dense[i * x->cols + c];
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
    float x[ROWS * MORE_COLS];
    int8_t y[ROWS];
    int exchanged = 0, crossed = 0;
    (void)state;
    for (int64_t seed = 1; seed <= 80; seed++) {
        const int cols = seed % 2 ? COLS : MORE_COLS;
        rnd r = rnd_new((uint64_t)seed);
        const ney_env env = ney_env_default();
        const ney_kernel linear = {.kind = NEY_KERNEL_LINEAR};
        ney_tracer t;
        memset(x, 0, sizeof x);
        for (int i = 0; i < ROWS; i++) {
            y[i] = i % 2 ? 1 : -1;
            for (int c = 0; c < COLS; c++) {
                x[i * cols + c] = rnd_chance(&r, 0.5) ? 1 : -1;
            }
        }
        const ney_matrix m = {.rows = ROWS, .cols = cols, .dense = x};
        assert_int_equal(ney_tracer_init(&t, &env, &m, y, NULL, &linear, 1e9, NULL), NEY_OK);
        assert_int_equal(ney_tracer_has_weights(&t), cols == COLS);
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
            assert_solution(&t, &m, before, b);
            assert_int_equal(t.margin.m, 3);
            exchanged += t.side[i] == NEY_SIDE_MARGIN;
            crossed += t.side[i] != NEY_SIDE_MARGIN && t.side[i] != side;
            ney_tracer_repair(&t);
            assert_true(ney_tracer_residual(&t) < 1e-12);
        }
        ney_tracer_deinit(&t);
    }
    print_message("%d exchanged, %d crossed\n", exchanged, crossed);
    assert_true(exchanged > 40);
}

/* ---- weights against kernel rows */

enum { MANY_ROWS = 90, MOST_POINTS = 4096, FEW_COLS = 5 };

typedef struct breakpoints {
    double c[MOST_POINTS][2], objective[MOST_POINTS], residual;
    int n;
} breakpoints;

/* Events at one point of the line are one breakpoint or, by rounding, several. */
static ney_status record_breakpoint(void *user, const ney_tracer *t, double theta, ney_error *err)
{
    breakpoints *const p = user;
    (void)theta;
    (void)err;
    assert_true(p->n < MOST_POINTS);
    if (p->n > 0 && fabs(p->c[p->n - 1][0] - t->c[0]) + fabs(p->c[p->n - 1][1] - t->c[1]) < 1e-9) {
        return NEY_OK;
    }
    p->c[p->n][0] = t->c[0];
    p->c[p->n][1] = t->c[1];
    p->objective[p->n++] = ney_tracer_objective(t);
    p->residual = fmax(p->residual, ney_tracer_residual(t));
    return NEY_OK;
}

static ney_status ignore_event(void *user, double theta, int64_t row, ney_side to, ney_error *err)
{
    (void)user;
    (void)theta;
    (void)row;
    (void)to;
    (void)err;
    return NEY_OK;
}

static void trace(const ney_matrix *x, const int8_t *y, const float *weight, bool by_weights,
                  breakpoints *found)
{
    const ney_env env = ney_env_default();
    const ney_kernel linear = {.kind = NEY_KERNEL_LINEAR};
    const ney_recorder recorder = {found, record_breakpoint, ignore_event};
    const double to[2] = {3, 20}, back[2] = {0.2, 0.1};
    ney_tracer t;
    found->n = 0;
    found->residual = 0;
    assert_int_equal(ney_tracer_init(&t, &env, x, y, weight, &linear, 1e9, NULL), NEY_OK);
    assert_int_equal(ney_tracer_has_weights(&t), by_weights);
    const double even[2] = {30 / t.class_weight[0], 30 / t.class_weight[1]};
    assert_int_equal(ney_tracer_follow(&t, even, &recorder, NULL), NEY_OK);
    assert_int_equal(ney_tracer_follow(&t, to, &recorder, NULL), NEY_OK);
    assert_int_equal(ney_tracer_follow(&t, back, &recorder, NULL), NEY_OK);
    ney_tracer_deinit(&t);
}

/* The rows of a dense matrix as a sparse one. */
static void make_sparse(const ney_matrix *x, int64_t *start, int32_t *index, float *value)
{
    int64_t e = 0;
    for (int64_t i = 0; i < x->rows; i++) {
        start[i] = e;
        for (int32_t c = 0; c < x->cols; c++) {
            if (x->dense[i * x->cols + c] != 0) {
                index[e] = c;
                value[e++] = x->dense[i * x->cols + c];
            }
        }
    }
    start[x->rows] = e;
}

static void assert_same(const breakpoints *a, const breakpoints *b)
{
    assert_int_equal(a->n, b->n);
    for (int k = 0; k < a->n; k++) {
        for (int side = 0; side < 2; side++) {
            if (fabs(a->c[k][side] - b->c[k][side]) > 1e-9 * (1 + b->c[k][side])) {
                fail_msg("breakpoint %d: cost %.17g, expected %.17g", k, a->c[k][side],
                         b->c[k][side]);
            }
        }
        assert_true(fabs(a->objective[k] - b->objective[k]) <= 1e-9 * (1 + b->objective[k]));
    }
    assert_true(a->residual < 1e-9);
}

/* The same rows, dense, sparse, and among more columns than rows, where the tracer has no weights.
 * Rows weigh differently: with equal weights b may be free in an interval, and breakpoints within
 * it are not unique. */
static void test_weights_are_sums_of_rows(void **state)
{
    enum { ALL_COLS = MANY_ROWS + 1 };
    static float few[MANY_ROWS * FEW_COLS], more[MANY_ROWS * ALL_COLS], value[MANY_ROWS * FEW_COLS];
    static int32_t index[MANY_ROWS * FEW_COLS];
    static int64_t start[MANY_ROWS + 1];
    static breakpoints by_rows, by_weights;
    float weight[MANY_ROWS];
    int8_t y[MANY_ROWS];
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        rnd r = rnd_new(seed);
        for (int i = 0; i < MANY_ROWS; i++) {
            y[i] = rnd_chance(&r, 0.4) ? 1 : -1;
            weight[i] = (float)(0.5 + rnd_unit(&r));
            for (int c = 0; c < FEW_COLS; c++) {
                const double at = 2 * rnd_unit(&r) - 1 + 0.4 * y[i] + (c == 0 ? 10 : 0);
                few[i * FEW_COLS + c] = c > 2 && rnd_chance(&r, 0.5) ? 0 : (float)at;
                more[i * ALL_COLS + c] = few[i * FEW_COLS + c];
            }
        }
        const ney_matrix dense = {.rows = MANY_ROWS, .cols = FEW_COLS, .dense = few};
        const ney_matrix wide = {.rows = MANY_ROWS, .cols = ALL_COLS, .dense = more};
        trace(&wide, y, weight, false, &by_rows);
        trace(&dense, y, weight, true, &by_weights);
        assert_same(&by_weights, &by_rows);
        make_sparse(&dense, start, index, value);
        const ney_matrix sparse = {
            .rows = MANY_ROWS, .cols = FEW_COLS, .start = start, .index = index, .value = value};
        trace(&sparse, y, weight, true, &by_weights);
        assert_same(&by_weights, &by_rows);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dependent_rows_are_exchanged),
        cmocka_unit_test(test_weights_are_sums_of_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
