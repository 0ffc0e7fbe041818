/* Newton steps on the problem with a bounded rate or a bounded FDR: gradient, multiplier and
 * variables against their definitions, dense against sparse rows, and the work of a whole fit. */
#include "base/rng.h"
#include "learn/batch/descent.h"
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

/* A bounded rate, and a bounded FDR with twice as many negatives as positives. */
static const struct bound {
    double rate, per_bounded;
} BOUNDS[] = {{0.05, 0}, {0.2, 2}};
enum { N_BOUNDS = sizeof BOUNDS / sizeof *BOUNDS };

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

static void problem_init(problem *p, const cloud *c, const struct bound *bound, bool is_dense,
                         int64_t most)
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
    *p = (problem){0};
    assert_int_equal(ney_data_new(&p->data, NULL, &m, c->label, NULL, NULL), NEY_OK);
    assert_int_equal(ney_task_init(&p->task, &env, p->data, &o, NULL), NEY_OK);
    assert_int_equal(ney_ramp_init(&p->ramp, &p->task, 1, bound->rate, bound->per_bounded, NULL),
                     NEY_OK);
    assert_int_equal(ney_ramp_solve_svm(&p->ramp, 0.1, &found, NULL), NEY_OK);
    assert_true(ney_smooth_applies(&p->ramp));
    assert_int_equal(ney_smooth_init(&p->s, &p->ramp, bound->rate, most, NULL), NEY_OK);
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
static void check_gradient(const cloud *c, const struct bound *bound)
{
    problem p;
    double w[COLS], gradient[COLS];
    const double step = 1e-4;
    problem_init(&p, c, bound, true, ROWS);
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
}

static void test_gradient(void **state)
{
    cloud *c = cloud_new();
    (void)state;
    for (int k = 0; k < N_BOUNDS; k++) {
        check_gradient(c, &BOUNDS[k]);
    }
    free(c);
}

/* What is bounded, from the definition: P, or s P - q (1 - Q) + q. */
static double bounded_share(const problem *p, const struct bound *bound)
{
    const ney_ramp *r = &p->ramp;
    double loss[2] = {0};
    for (int64_t i = 0; i < r->n; i++) {
        const int side = ney_ramp_side(r, i);
        loss[side > 0] += ney_ramp_loss(side * (r->f[i] + r->intercept), r->eta);
    }
    const double bounded = loss[0] / r->bounded_weight, free = loss[1] / r->free_weight;
    return bound->per_bounded > 0 ? bound->per_bounded * bounded + bound->rate * free : bounded;
}

static void check_given_point(const cloud *c, const struct bound *bound)
{
    problem p;
    double sum = 0, rest = 0;
    problem_init(&p, c, bound, true, ROWS);
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
    assert_true(ney_smooth_begin(&p.s, p.ramp.w, p.ramp.intercept));
    p.s.width = 0.01; /* nearly the ramp */
    assert_true(ney_smooth_release(&p.s));
    assert_int_equal(ney_smooth_give(&p.s, NULL), NEY_OK);
    assert_true(fabs(bounded_share(&p, bound) - bound->rate) <= 1e-3 * bound->rate);
    problem_deinit(&p);
}

static void test_given_point(void **state)
{
    cloud *c = cloud_new();
    (void)state;
    for (int k = 0; k < N_BOUNDS; k++) {
        check_given_point(c, &BOUNDS[k]);
    }
    free(c);
}

static void check_sparse_rows(const cloud *c, const struct bound *bound)
{
    double found[2];
    int64_t steps[2];
    for (int k = 0; k < 2; k++) {
        problem p;
        problem_init(&p, c, bound, k == 0, ROWS);
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
}

static void test_sparse_rows(void **state)
{
    cloud *c = cloud_new();
    (void)state;
    for (int k = 0; k < N_BOUNDS; k++) {
        check_sparse_rows(c, &BOUNDS[k]);
    }
    free(c);
}

static void test_sample(void **state)
{
    cloud *c = cloud_new();
    problem p = {0};
    double weight[2] = {0};
    (void)state;
    problem_init(&p, c, &BOUNDS[0], true, 400);
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

/* The same under a bounded FDR, where descents by convex problems take 37 times the steps of the
 * SVM at the same C. */
static void test_work_under_an_fdr(void **state)
{
    cloud *c = cloud_new();
    problem p;
    ney_train_info info = {0};
    ney_answer a = {0};
    (void)state;
    problem_init(&p, c, &BOUNDS[1], true, ROWS);
    const int64_t of_svm = p.task.iterations;
    const ney_bound bound = {.sign = 1,
                             .rate = BOUNDS[1].rate,
                             .per_bounded = BOUNDS[1].per_bounded,
                             .lambda = 1,
                             .w = p.ramp.w,
                             .intercept = p.ramp.intercept};
    a.v = calloc(ROWS, sizeof *a.v);
    assert_int_equal(ney_descent(&p.task, &bound, &a, &info, NULL), NEY_OK);
    assert_int_equal(info.constraint, NEY_CONSTRAINT_ACTIVE);
    assert_true(info.iterations - of_svm < 10 * of_svm);
    ney_release(&p.task.env, a.w);
    free(a.v);
    problem_deinit(&p);
    free(c);
}

/* Steps end so near the least that the multiplier need not be searched for by convex problems: at
 * most a few of them, the bound met and the gap small, also where a whole Newton step leads to
 * where no intercept meets the bound. */
static void test_end_under_an_fdr(void **state)
{
    static const double RATES[] = {0.3, 0.1, 0.05, 0.03};
    cloud *c = cloud_new();
    (void)state;
    for (size_t k = 0; k < sizeof RATES / sizeof *RATES; k++) {
        const struct bound asked = {RATES[k], 2};
        problem p;
        ney_train_info info = {0};
        ney_answer a = {0};
        problem_init(&p, c, &asked, true, ROWS);
        const ney_bound bound = {.sign = 1,
                                 .rate = asked.rate,
                                 .per_bounded = asked.per_bounded,
                                 .lambda = 1,
                                 .w = p.ramp.w,
                                 .intercept = p.ramp.intercept};
        a.v = calloc(ROWS, sizeof *a.v);
        assert_int_equal(ney_descent(&p.task, &bound, &a, &info, NULL), NEY_OK);
        const double accepted = 1 - info.ramp_fnr, share = asked.per_bounded * info.ramp_fpr;
        print_message("rate %g: %lld convex problems, %lld iterations, gap %.3g of %.6g\n",
                      asked.rate, (long long)info.steps, (long long)info.iterations, info.gap,
                      info.convex_objective);
        assert_int_equal(info.constraint, NEY_CONSTRAINT_ACTIVE);
        assert_true(share <= asked.rate * accepted && share >= 0.995 * asked.rate * accepted);
        assert_true(info.gap <= 6e-4 * fabs(info.convex_objective));
        assert_true(info.steps <= 6);
        ney_release(&p.task.env, a.w);
        free(a.v);
        problem_deinit(&p);
    }
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gradient),         cmocka_unit_test(test_given_point),
        cmocka_unit_test(test_sparse_rows),      cmocka_unit_test(test_sample),
        cmocka_unit_test(test_work_of_a_fit),    cmocka_unit_test(test_work_under_an_fdr),
        cmocka_unit_test(test_end_under_an_fdr),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
