/* Whatever the data, along whatever lines: at every breakpoint the optimality conditions hold, and
 * between them the solution is that of a fresh and independent solver. The judge computes kernels
 * and scores from the stored rows in long double, tests/support/ref_qp.c the optimum. */
#include "path/tracer.h"
#include "support/random_data.h"
#include "support/ref_qp.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_ROWS = 40, MOST_COLS = 5 };

typedef struct problem {
    int64_t n, cols;
    float x[MOST_ROWS * MOST_COLS], weight[MOST_ROWS];
    int8_t label[MOST_ROWS];
    bool weighted;
    ney_kernel kernel;
    ney_matrix matrix;
    long double k[MOST_ROWS * MOST_ROWS];
} problem;

/* Half of the sets have few different values, so that rows repeat, contradict each other and lie
 * on lines; some have fewer columns than rows on the margin; some rows have no weight. */
static void make_problem(problem *p, rnd *r)
{
    const bool coarse = rnd_chance(r, 0.5);
    p->n = 4 + rnd_below(r, MOST_ROWS - 3);
    p->cols = 1 + rnd_below(r, MOST_COLS);
    p->weighted = rnd_chance(r, 0.3);
    for (int64_t i = 0; i < p->n; i++) {
        p->label[i] = i < 2 ? (int8_t)(2 * i - 1) : rnd_chance(r, 0.4) ? 1 : -1;
        for (int64_t c = 0; c < p->cols; c++) {
            const double u = 4 * rnd_unit(r) - 2 + 0.7 * p->label[i];
            p->x[i * p->cols + c] = (float)(coarse ? round(u) : u);
        }
        p->weight[i] = i < 2 ? 1 : (float)rnd_below(r, 4) / 2;
        if (i > 0 && rnd_chance(r, 0.2)) { /* an earlier row again, with whatever label */
            const int64_t from = rnd_below(r, i);
            memcpy(p->x + i * p->cols, p->x + from * p->cols, (size_t)p->cols * sizeof *p->x);
        }
    }
    const int kinds[] = {NEY_KERNEL_LINEAR, NEY_KERNEL_RBF, NEY_KERNEL_POLY};
    p->kernel = (ney_kernel){.kind = (ney_kernel_kind)kinds[rnd_below(r, 3)],
                             .gamma = pow(10, rnd_unit(r) * 2 - 1.5),
                             .coef0 = 1,
                             .degree = 2};
    p->matrix = (ney_matrix){.rows = p->n, .cols = p->cols, .dense = p->x};
    ref_kernel_matrix(&p->matrix, &p->kernel, p->k);
}

static double box_of(const problem *p, int64_t i, const double c[2])
{
    return (p->weighted ? (double)p->weight[i] : 1) * c[p->label[i] > 0];
}

/* The largest violation of the optimality conditions, as ney_tracer_residual() defines it. */
static long double residual(const problem *p, const double *v, double b, const double c[2])
{
    long double worst = 0, sum = 0, outside = 0;
    for (int64_t i = 0; i < p->n; i++) {
        long double score = 0;
        const double box = box_of(p, i, c), a = p->label[i] * v[i];
        for (int64_t j = 0; j < p->n; j++) {
            score += p->k[i * p->n + j] * v[j];
        }
        sum += v[i];
        const long double z = p->label[i] * (score + b);
        outside = fmaxl(outside, fmaxl(-a, a - box));
        if (box > 0 && a > 1e-9 * box) {
            worst = fmaxl(worst, z - 1);
        }
        if (box > 0 && a < (1 - 1e-9) * box) {
            worst = fmaxl(worst, 1 - z);
        }
    }
    const double largest = fmax(c[0], c[1]);
    return largest > 0 ? fmaxl(worst, fmaxl(outside, fabsl(sum)) / largest) : worst;
}

/* The optimum of the problem at costs c lies between lower and upper. */
static void reference(const problem *p, const double c[2], ref_qp_answer *answer)
{
    static double low[MOST_ROWS], high[MOST_ROWS], slope[MOST_ROWS];
    for (int64_t i = 0; i < p->n; i++) {
        const double box = box_of(p, i, c);
        low[i] = p->label[i] > 0 ? 0 : -box;
        high[i] = p->label[i] > 0 ? box : 0;
        slope[i] = p->label[i];
    }
    const ref_qp q = {p->n, p->k, low, high, high, slope, slope};
    ref_qp_solve(&q, answer);
}

typedef struct watch {
    const problem *p;
    int64_t seed, points, turns;
    double theta[4096];
    struct {
        double theta;
        int64_t row;
        ney_side to;
    } turn[4096];
    long double worst;
} watch;

static ney_status watch_point(void *user, const ney_tracer *t, double theta, ney_error *err)
{
    watch *w = user;
    double v[MOST_ROWS];
    (void)err;
    ney_tracer_duals(t, v);
    const long double found = residual(w->p, v, t->b, t->c);
    if (found > 1e-9L || ney_tracer_residual(t) > 1e-9) {
        fail_msg("seed %lld: residual %Lg (%g said) at C+ %.17g, C- %.17g", (long long)w->seed,
                 found, ney_tracer_residual(t), t->c[1], t->c[0]);
    }
    w->worst = fmaxl(w->worst, found);
    assert_true(w->points < 4096);
    w->theta[w->points++] = theta;
    return NEY_OK;
}

static ney_status watch_turn(void *user, double theta, int64_t row, ney_side to, ney_error *err)
{
    watch *w = user;
    (void)err;
    assert_true(w->turns < 4096);
    w->turn[w->turns].theta = theta;
    w->turn[w->turns].row = row;
    w->turn[w->turns++].to = to;
    return NEY_OK;
}

/* At random points of the line just followed: the sets there, from the turns alone, give a solution
 * as good as the reference's. */
static void check_between(ney_tracer *again, const watch *w, const int8_t *start,
                          const double from[2], const double to[2], rnd *r)
{
    for (int k = 0; k < 3; k++) {
        const double theta = rnd_unit(r);
        const double c[2] = {from[0] + theta * (to[0] - from[0]),
                             from[1] + theta * (to[1] - from[1])};
        int8_t side[MOST_ROWS];
        double v[MOST_ROWS];
        ref_qp_answer best;
        ney_error err;
        memcpy(side, start, (size_t)w->p->n);
        for (int64_t e = 0; e < w->turns && w->turn[e].theta <= theta; e++) {
            side[w->turn[e].row] = (int8_t)w->turn[e].to;
        }
        if (ney_tracer_restore(again, side, c, &err) != NEY_OK) {
            fail_msg("seed %lld: %s", (long long)w->seed, err.message);
        }
        ney_tracer_duals(again, v);
        reference(w->p, c, &best);
        const long double size = fmaxl(fabsl(best.upper), 1e-6L * (long double)(c[0] + c[1]));
        const long double objective = ney_tracer_objective(again);
        const long double found = residual(w->p, v, again->b, c);
        if (found > 1e-9L || objective < best.lower - 1e-8L * size ||
            objective > best.upper + 1e-8L * size) {
            fail_msg(
                "seed %lld: objective %.12Lg of [%.12Lg, %.12Lg], residual %Lg at C+ %g, C- %g",
                (long long)w->seed, objective, best.lower, best.upper, found, c[1], c[0]);
        }
    }
}

static void follow(ney_tracer *t, ney_tracer *again, watch *w, const double to[2], rnd *r)
{
    const double from[2] = {t->c[0], t->c[1]};
    int8_t start[MOST_ROWS];
    ney_error err;
    w->points = w->turns = 0;
    memcpy(start, t->side, (size_t)t->n);
    const ney_recorder recorder = {w, watch_point, watch_turn};
    if (ney_tracer_follow(t, to, &recorder, &err) != NEY_OK) {
        fail_msg("seed %lld: %s", (long long)w->seed, err.message);
    }
    assert_true(w->points >= 2 || (from[0] == to[0] && from[1] == to[1]));
    for (int64_t k = 1; k < w->points; k++) {
        assert_true(w->theta[k] >= w->theta[k - 1]);
    }
    check_between(again, w, start, from, to, r);
}

static void prop_every_breakpoint_is_optimal(void **state)
{
    static problem p;
    static watch w;
    const int64_t runs = test_times(100);
    long double worst = 0;
    (void)state;
    for (int64_t seed = 1; seed <= runs; seed++) {
        rnd r = rnd_new((uint64_t)seed);
        const ney_env env = ney_env_default();
        ney_tracer t, again;
        make_problem(&p, &r);
        w.p = &p;
        w.seed = seed;
        w.worst = 0;
        const float *const weight = p.weighted ? p.weight : NULL;
        const double bytes = rnd_chance(&r, 0.5) ? 1e9 : 0;
        assert_int_equal(
            ney_tracer_init(&t, &env, &p.matrix, p.label, weight, &p.kernel, bytes, NULL), NEY_OK);
        assert_int_equal(
            ney_tracer_init(&again, &env, &p.matrix, p.label, weight, &p.kernel, bytes, NULL),
            NEY_OK);
        const double size = pow(10, rnd_unit(&r) * 5 - 3),
                     sum = t.class_weight[0] + t.class_weight[1];
        const double balanced[2] = {size * t.class_weight[1] / sum, size * t.class_weight[0] / sum};
        follow(&t, &again, &w, balanced, &r);
        for (int k = 0; k < 3; k++) {
            const double total = size * pow(10, rnd_unit(&r) - 0.5), share = rnd_unit(&r);
            const double to[2] = {total * share, total * (1 - share)};
            follow(&t, &again, &w, to, &r);
        }
        const double corner[2][2] = {{0, size}, {size, 0}};
        follow(&t, &again, &w, corner[rnd_below(&r, 2)], &r);
        worst = fmaxl(worst, w.worst);
        ney_tracer_deinit(&t);
        ney_tracer_deinit(&again);
    }
    print_message("worst residual %Lg\n", worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_every_breakpoint_is_optimal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
