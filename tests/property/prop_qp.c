/* Both solvers against the judge of support/ref_qp.c, on random programs: boxes that need not hold
 * 0, slopes of two pieces, any starting point, duplicates, contradictions, rows of zeros, more
 * columns than rows, boxes from 1e-6 to 1e6.
 *
 * Both reach the optimum to 1e-8 at a tight tolerance. At the usual one kernel rows are float: the
 * point found is then within their rounding of the optimum, 2^-24 |v|'|K||v| or so, which a large
 * box makes large. */
#include "qp/linear.h"
#include "qp/smo.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/random_qp.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const ney_kernel kernels[] = {
    {.kind = NEY_KERNEL_LINEAR},
    {.kind = NEY_KERNEL_RBF, .gamma = 0.5},
    {.kind = NEY_KERNEL_POLY, .gamma = 0.5, .coef0 = 1, .degree = 2},
    {.kind = NEY_KERNEL_SIGMOID, .gamma = 0.5, .coef0 = -1},
};

typedef struct outcome {
    ney_qp_info info;
    double v[QP_ROWS];
    long double optimum, width; /* of the judge */
    long double dual, primal;   /* of the point, by the judge */
    long double unit, rounding; /* the size of the objective's terms; of float rows */
    long double boxes;          /* all their widths together: the gap is below violation * boxes */
} outcome;

static void judge(outcome *o, random_qp *q, const ney_kernel *kernel)
{
    const ref_qp judged = random_qp_judged(q, kernel);
    ref_qp_answer best;
    long double v[QP_ROWS];
    ref_qp_solve(&judged, &best);
    assert_true(best.feasible);
    o->optimum = best.upper;
    o->width = best.upper - best.lower;
    o->unit = fabsl(best.upper);
    o->rounding = 0;
    for (int64_t i = 0; i < q->rows; i++) {
        v[i] = o->v[i];
        o->boxes += q->high[i] - q->low[i];
        o->unit += fabsl(v[i] * fmax(fabs(q->slope_low[i]), fabs(q->slope_high[i])));
    }
    for (int64_t i = 0; i < q->rows; i++) {
        for (int64_t j = 0; j < q->rows; j++) {
            o->rounding += 0x1p-22L * fabsl(v[i] * v[j] * q->k[i * q->rows + j]);
        }
    }
    o->dual = ref_qp_dual(&judged, v);
    o->primal = ref_qp_primal(&judged, v, o->info.intercept);
}

/* Solve program number `seed` from its random starting point; dense, sparse and wide by turns. */
static void solve(outcome *o, random_qp *q, const ney_kernel *kernel, bool by_smo,
                  const ney_qp_opts *opts, int64_t seed)
{
    ney_env env = ney_env_default();
    const ney_matrix x = seed % 3 == 0 ? random_qp_wide(q) : random_qp_matrix(q, seed % 2 == 0);
    const ney_qp p = random_qp_problem(q);
    const bool fine = opts->tol < NEY_SMO_FINE_TOL;
    double f[QP_ROWS], w[QP_WIDE];
    env.threads = 1;
    memset(o, 0, sizeof *o);
    memcpy(o->v, q->first, sizeof o->v);
    if (by_smo) { /* the linear kernel too */
        ney_gram gram;
        ney_rowcache cache;
        assert_int_equal(ney_gram_init(&gram, &env, &x, kernel, fine, NULL), NEY_OK);
        assert_int_equal(ney_rowcache_init(&cache, &gram, 1e6, NEY_SMO_ROWS, NULL), NEY_OK);
        assert_int_equal(ney_smo_solve(&cache, &p, opts, o->v, f, NULL, &o->info, NULL), NEY_OK);
        ney_rowcache_deinit(&cache);
        ney_gram_deinit(&gram);
    } else {
        ney_linear_qp problem = {
            .env = env, .x = &x, .p = &p, .o = opts, .v = o->v, .f = f, .w = w};
        assert_int_equal(ney_linear_solve(&problem, &o->info, NULL), NEY_OK);
    }
    assert_feasible(&p, o->v, by_smo ? "smo" : "linear", seed);
}

static void complain(const outcome *o, const char *what, int64_t seed)
{
    fail_msg(
        "%s, seed %lld: stop %d violation %g; dual %.12g (judged %.12Lg), primal %.12g (judged "
        "%.12Lg), optimum %.12Lg +- %Lg",
        what, (long long)seed, (int)o->info.stop, o->info.violation, o->info.dual, o->dual,
        o->info.primal, o->primal, o->optimum, o->width);
}

static void prop_linear_reaches_the_optimum(void **state)
{
    static random_qp q;
    outcome o;
    const ney_qp_opts opts = {.tol = 1e-9};
    const int64_t runs = test_times(120);
    (void)state;
    for (int64_t t = 1; t <= runs; t++) {
        rnd stream = rnd_new((uint64_t)t);
        ney_rng r = {rnd_next(&stream)};
        random_qp_make(&q, &r, -6, 1);
        solve(&o, &q, &kernels[0], false, &opts, t);
        judge(&o, &q, &kernels[0]);
        if (o.info.stop != NEY_STOP_CONVERGED || o.info.violation > opts.tol ||
            o.width > 1e-9L * o.unit || fabsl(o.optimum - o.dual) > 1e-8L * o.unit ||
            o.primal - o.dual > opts.tol * o.boxes + 1e-11L * o.unit ||
            fabsl(o.dual - o.info.dual) > 1e-11L * o.unit ||
            fabsl(o.primal - o.info.primal) > 1e-11L * o.unit) {
            complain(&o, "linear", t);
        }
    }
}

/* Tight: fine rows, and the optimum to 1e-8. */
static void prop_kernel_reaches_the_optimum(void **state)
{
    static random_qp q;
    outcome o;
    const ney_qp_opts opts = {.tol = 1e-11};
    const int64_t runs = test_times(60);
    int64_t unsure = 0;
    (void)state;
    for (int64_t t = 1; t <= 2 * runs; t++) {
        const ney_kernel *kernel = &kernels[1 + t % 2];
        rnd stream = rnd_new((uint64_t)t / 2);
        ney_rng r = {rnd_next(&stream)};
        random_qp_make(&q, &r, -6, 6);
        solve(&o, &q, kernel, true, &opts, t);
        judge(&o, &q, kernel);
        const bool ended = o.info.stop == NEY_STOP_PRECISION ||
                           (o.info.stop == NEY_STOP_CONVERGED && o.info.violation <= opts.tol);
        /* Where the judge's own search ends too early, he still knows a point that is as good. */
        const bool sure = o.width <= 1e-8L * o.unit;
        const long double error =
            sure ? fabsl(o.optimum - o.dual) - o.width : o.optimum - o.width - o.dual;
        unsure += !sure;
        if (!ended || error > 1e-8L * o.unit + 1e-6L * o.info.violation * o.boxes ||
            fabsl(o.dual - o.info.dual) > 5e-8L * o.unit + 1e-8L * o.rounding) {
            complain(&o, "kernel", t);
        }
    }
    assert_true(unsure <= runs / 20);
}

/* A sigmoid kernel matrix is not semidefinite: what is found need not be the best of all, but no
 * pair can better it. */
static void prop_sigmoid_is_stationary(void **state)
{
    static random_qp q;
    outcome o;
    const ney_qp_opts opts = {.tol = 1e-7};
    const int64_t runs = test_times(60);
    int64_t converged = 0;
    (void)state;
    for (int64_t t = 1; t <= runs; t++) {
        rnd stream = rnd_new((uint64_t)t);
        ney_rng r = {rnd_next(&stream)};
        random_qp_make(&q, &r, -6, 3);
        solve(&o, &q, &kernels[3], true, &opts, t);
        const ref_qp judged = random_qp_judged(&q, &kernels[3]);
        long double v[QP_ROWS], unit = 0;
        for (int64_t i = 0; i < q.rows; i++) {
            v[i] = o.v[i];
            unit += fabsl(v[i]);
        }
        converged += o.info.stop == NEY_STOP_CONVERGED;
        if (o.info.stop == NEY_STOP_CONVERGED &&
            ref_qp_violation(&judged, v) > opts.tol + 1e-13L * unit) {
            fail_msg("seed %lld: %g said, %Lg found", (long long)t, o.info.violation,
                     ref_qp_violation(&judged, v));
        }
    }
    assert_true(converged > runs * 9 / 10);
}

/* Large boxes: however it ends, the point is feasible and the certificate true. */
static void prop_large_boxes_end(void **state)
{
    static random_qp q;
    outcome o;
    const ney_qp_opts opts = {.tol = 1e-3, .max_iter = 3000};
    const int64_t runs = test_times(20);
    (void)state;
    for (int64_t t = 1; t <= 4 * runs; t++) {
        const bool by_smo = t % 4 != 0;
        const ney_kernel *kernel = &kernels[t % 4];
        rnd stream = rnd_new((uint64_t)t / 4);
        ney_rng r = {rnd_next(&stream)};
        random_qp_make(&q, &r, 1, 6);
        solve(&o, &q, kernel, by_smo, &opts, t);
        if (kernel->kind == NEY_KERNEL_SIGMOID) { /* not semidefinite: no bound, but an end */
            continue;
        }
        judge(&o, &q, kernel);
        const long double slack = 1e-9L * o.unit + (by_smo ? o.rounding : 1e-6L * o.rounding);
        if (o.info.dual > o.optimum + slack || o.info.primal < o.optimum - o.width - slack ||
            o.primal < o.optimum - o.width - slack || fabsl(o.dual - o.info.dual) > slack) {
            complain(&o, "large boxes", t);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_linear_reaches_the_optimum),
        cmocka_unit_test(prop_kernel_reaches_the_optimum),
        cmocka_unit_test(prop_sigmoid_is_stationary),
        cmocka_unit_test(prop_large_boxes_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
