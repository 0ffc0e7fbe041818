/* Newton steps on the problem with a bounded rate: gradient, multiplier and variables against their
 * definitions, dense against sparse rows, and the work of a whole fit. */
#include "base/rng.h"
#include "learn/batch/smooth.h"

#include <neyman/experimental.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 2400, COLS = 4 };

static const double RATE = 0.05;

/* Two overlapping classes, every third cell 0. */
typedef struct cloud {
    float dense[ROWS * COLS], value[ROWS * COLS];
    int32_t index[ROWS * COLS];
    int64_t start[ROWS + 1];
    int8_t label[ROWS];
} cloud;

static cloud *cloud_new(void)
{
    cloud *c = calloc(1, sizeof *c);
    ney_rng rng = {7};
    assert_non_null(c);
    for (int64_t i = 0; i < ROWS; i++) {
        int64_t at = c->start[i];
        c->label[i] = i % 3 == 0 ? 1 : -1;
        for (int j = 0; j < COLS; j++) {
            double x = c->label[i] > 0 ? 0.4 * j : 0;
            for (int k = 0; k < 12; k++) {
                x += ney_rng_unit(&rng) - 0.5;
            }
            if ((i + j) % 3 != 0) {
                c->dense[i * COLS + j] = c->value[at] = (float)x;
                c->index[at++] = j;
            }
        }
        c->start[i + 1] = at;
    }
    return c;
}

static ney_train_opts options(void)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    ney_params_init(p, n, &o);
    o.confidence = (double)NAN;
    o.max_fpr = RATE;
    return o;
}

/* A problem with the point of its SVM. */
typedef struct problem {
    ney_data *data;
    ney_task task;
    ney_ramp ramp;
    ney_smooth s;
} problem;

static void problem_init(problem *p, const cloud *c, bool is_dense, int64_t most)
{
    const ney_matrix m = {.rows = ROWS,
                          .cols = COLS,
                          .dense = is_dense ? c->dense : NULL,
                          .start = is_dense ? NULL : c->start,
                          .index = is_dense ? NULL : c->index,
                          .value = is_dense ? NULL : c->value};
    const ney_train_opts o = options();
    const ney_env env = ney_env_default();
    ney_ramp_rates found;
    assert_int_equal(ney_data_new(&p->data, NULL, &m, c->label, NULL, NULL), NEY_OK);
    assert_int_equal(ney_task_init(&p->task, &env, p->data, &o, NULL), NEY_OK);
    assert_int_equal(ney_ramp_init(&p->ramp, &p->task, 1, RATE, 0, NULL), NEY_OK);
    assert_int_equal(ney_ramp_solve_svm(&p->ramp, 0.1, &found, NULL), NEY_OK);
    assert_true(ney_smooth_applies(&p->ramp));
    assert_int_equal(ney_smooth_init(&p->s, &p->ramp, RATE, most, NULL), NEY_OK);
    p->s.width = 0.3;
}

static void problem_deinit(problem *p)
{
    ney_smooth_deinit(&p->s);
    ney_ramp_deinit(&p->ramp);
    ney_task_deinit(&p->task);
    ney_data_free(p->data);
}

static double objective_at(problem *p, const double *w)
{
    assert_true(ney_smooth_begin(&p->s, w, p->ramp.intercept));
    return p->s.at.objective;
}

/* The first step computes the gradient at its beginning. */
static void test_gradient(void **state)
{
    cloud *c = cloud_new();
    problem p = {0};
    double w[COLS], gradient[COLS];
    const double step = 1e-4;
    (void)state;
    problem_init(&p, c, true, ROWS);
    memcpy(w, p.ramp.w, sizeof w);
    const double before = objective_at(&p, w);
    ney_smooth_descend(&p.s, 1, 0);
    assert_true(p.s.at.objective < before);
    memcpy(gradient, p.s.gradient, sizeof gradient);
    for (int j = 0; j < COLS; j++) {
        double up[COLS], down[COLS];
        memcpy(up, w, sizeof w);
        memcpy(down, w, sizeof w);
        up[j] += step;
        down[j] -= step;
        const double slope = (objective_at(&p, up) - objective_at(&p, down)) / (2 * step);
        assert_true(fabs(slope - gradient[j]) <= 0.02 * (1 + fabs(gradient[j])));
    }
    problem_deinit(&p);
    free(c);
}

static void test_given_point(void **state)
{
    cloud *c = cloud_new();
    problem p = {0};
    double sum = 0, rest = 0;
    (void)state;
    problem_init(&p, c, true, ROWS);
    assert_true(ney_smooth_begin(&p.s, p.ramp.w, p.ramp.intercept));
    ney_smooth_descend(&p.s, 60, 1e-12);
    assert_int_equal(ney_smooth_give(&p.s, NULL), NEY_OK);
    assert_true(p.ramp.lambda > 0);
    for (int64_t i = 0; i < ROWS; i++) {
        sum += p.ramp.v[i];
        assert_true(p.ramp.v[i] >= p.ramp.low[i] && p.ramp.v[i] <= p.ramp.high[i]);
    }
    assert_true(fabs(sum) <= 1e-6);
    for (int j = 0; j < COLS; j++) { /* w = X'v where J is least */
        double product = 0;
        for (int64_t i = 0; i < ROWS; i++) {
            product += p.ramp.v[i] * (double)c->dense[i * COLS + j];
        }
        rest = fmax(rest, fabs(product - p.ramp.w[j]));
    }
    assert_true(rest < 0.05 * ROWS / 100);
    problem_deinit(&p);
    free(c);
}

static void test_sparse_rows(void **state)
{
    cloud *c = cloud_new();
    double found[2];
    int64_t steps[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        problem p = {0};
        problem_init(&p, c, k == 0, ROWS);
        assert_true(ney_smooth_begin(&p.s, p.ramp.w, p.ramp.intercept));
        ney_smooth_fix(&p.s, 0.5);
        ney_smooth_descend(&p.s, 3, 0);
        assert_true(ney_smooth_release(&p.s));
        ney_smooth_descend(&p.s, 60, 1e-10);
        found[k] = p.s.at.objective;
        steps[k] = p.s.steps;
        problem_deinit(&p);
    }
    assert_true(fabs(found[0] - found[1]) <= 1e-3 * found[0]);
    assert_true(steps[1] <= 2 * steps[0]); /* a wrong system still goes down, but slowly */
    free(c);
}

static void test_sample(void **state)
{
    cloud *c = cloud_new();
    problem p = {0};
    double weight[2] = {0};
    (void)state;
    problem_init(&p, c, true, 400);
    assert_true(p.s.n > 600 && p.s.n < 1000);
    for (int64_t k = 0; k < p.s.n; k++) {
        assert_int_equal(p.s.side[k], c->label[p.s.row[k]]);
        weight[p.s.side[k] > 0] += 2 * p.s.unit[k];
    }
    assert_true(fabs(weight[0] - weight[1]) <= 1e-6 * weight[1]); /* C W either way */
    assert_true(fabs(weight[1] - p.ramp.free_weight) <= 1e-6 * weight[1]);
    problem_deinit(&p);
    free(c);
}

/* Descents by convex problems alone took more than 20 times the steps of one fit. */
static void test_work_of_a_fit(void **state)
{
    cloud *c = cloud_new();
    const ney_matrix m = {.rows = ROWS, .cols = COLS, .dense = c->dense};
    ney_train_opts o = options();
    ney_data *d = NULL;
    int64_t steps[2];
    (void)state;
    assert_int_equal(ney_data_new(&d, NULL, &m, c->label, NULL, NULL), NEY_OK);
    for (int k = 0; k < 2; k++) {
        ney_model *model = NULL;
        ney_train_info info;
        if (k == 1) {
            o.max_fpr = (double)NAN;
        }
        assert_int_equal(ney_train(&model, NULL, d, &o, &info, NULL), NEY_OK);
        assert_int_equal(info.stop, NEY_STOP_CONVERGED);
        steps[k] = info.iterations;
        ney_model_free(model);
    }
    assert_true(steps[0] < 6 * steps[1]);
    ney_data_free(d);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient),      cmocka_unit_test(test_given_point),
        cmocka_unit_test(test_sparse_rows),   cmocka_unit_test(test_sample),
        cmocka_unit_test(test_work_of_a_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
