/* Learning to reject on random data and costs, judged from definitions: the loss as the larger of 0
 * and two tangents of the logistic loss, the optimum by support/ref_qp.c, thresholds and bands by
 * trying all decisions. */
#include "qp/activeset.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/random_qp.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- the loss, by its definition */

static long double logistic(long double yf)
{
    return yf > 0 ? log1pl(expl(-yf)) : -yf + log1pl(expl(yf));
}

/* The probabilities between which rejecting is cheapest, by halving: where its cost crosses that of
 * saying positive (negative). */
static long double crossing(const ney_costs *c, bool upper)
{
    long double low = 0, high = 1;
    for (int k = 0; k < 200; k++) {
        const long double p = (low + high) / 2;
        const long double reject = c->reject_fn * p + c->reject_fp * (1 - p);
        const bool below = upper ? reject < c->fp * (1 - p) : reject > c->fn * p;
        *(below ? &low : &high) = p;
    }
    return (low + high) / 2;
}

/* The two tangents as functions of z = y f: value at `at`, slope. */
typedef struct tangents {
    long double at[2], value[2], slope[2];
} tangents;

static tangents tangents_of(const ney_costs *c, int y)
{
    tangents t;
    for (int k = 0; k < 2; k++) {
        const long double p = crossing(c, k == 1), delta = logl(p / (1 - p));
        t.at[k] = y * delta;
        t.value[k] = logistic(y * delta);
        t.slope[k] = -1 / (1 + expl(y * delta));
    }
    return t;
}

static long double loss(const tangents *t, long double z)
{
    long double most = 0;
    for (int k = 0; k < 2; k++) {
        most = fmaxl(most, t->value[k] + t->slope[k] * (z - t->at[k]));
    }
    return most;
}

/* ---------------------------------------------------------------- problems */

enum { ROWS = 40, COLS = 3 };

typedef struct problem {
    int64_t rows;
    float x[ROWS * COLS];
    int8_t y[ROWS];
    float weight[ROWS];
    bool weighted;
    ney_train_opts o;
    ney_costs costs;
    ney_data *data;
} problem;

static ney_costs random_costs(rnd *r)
{
    ney_costs c;
    do {
        c.fn = pow(10, 2 * rnd_unit(r) - 1);
        c.fp = pow(10, 2 * rnd_unit(r) - 1);
        c.reject_fn = c.fn * rnd_unit(r);
        c.reject_fp = rnd_chance(r, 0.3) ? c.reject_fn : c.fp * rnd_unit(r);
    } while (!(c.reject_fn / c.fn + c.reject_fp / c.fp < 0.999));
    return c;
}

static void problem_init(problem *p, rnd *r)
{
    int64_t n;
    const ney_param *params = ney_train_params(&n);
    p->rows = 6 + rnd_below(r, ROWS - 6);
    p->weighted = rnd_chance(r, 0.3);
    for (int64_t i = 0; i < p->rows; i++) {
        p->y[i] = i == 0 ? 1 : i == 1 ? -1 : rnd_chance(r, 0.5) ? 1 : -1;
        p->weight[i] = (float)(0.25 * (double)rnd_below(r, 9));
        const bool again = i > 0 && rnd_chance(r, 0.15);
        for (int c = 0; c < COLS; c++) {
            p->x[i * COLS + c] = again ? p->x[(i - 1) * COLS + c]
                                       : (float)(rnd_unit(r) * 4 - 2 + (c == 0 ? p->y[i] : 0));
        }
    }
    ney_params_init(params, n, &p->o);
    p->costs = random_costs(r);
    p->o.cost_fn = p->costs.fn;
    p->o.cost_fp = p->costs.fp;
    p->o.reject_cost_fn = p->costs.reject_fn;
    p->o.reject_cost_fp = p->costs.reject_fp;
    p->o.C = pow(10, 3 * rnd_unit(r) - 1.5);
    p->o.kernel = rnd_chance(r, 0.5) ? NEY_KERNEL_LINEAR : NEY_KERNEL_RBF;
    p->o.gamma = p->o.kernel == NEY_KERNEL_RBF ? 0.5 : 0;
    p->o.tol = 1e-10;
    p->o.method = rnd_chance(r, 0.5) ? NEY_METHOD_AUTO : NEY_METHOD_ACTIVESET;
    const ney_matrix m = {.rows = p->rows, .cols = COLS, .dense = p->x};
    assert_int_equal(ney_data_new(&p->data, NULL, &m, p->y, p->weighted ? p->weight : NULL, NULL),
                     NEY_OK);
}

static double weight_of(const problem *p, int64_t i)
{
    return p->weighted ? p->weight[i] : 1;
}

/* The least objective, from the tangents: positives have v = a >= 0, its slope being where each
 * tangent meets the one below, and a piece ending where the loss gets steeper. */
static ref_qp_answer optimum_of(const problem *p, const long double *kernel, long double *scale)
{
    double low[ROWS], middle[ROWS], high[ROWS], slope_low[ROWS], slope_high[ROWS];
    *scale = 0;
    for (int64_t i = 0; i < p->rows; i++) {
        const int y = p->y[i] > 0 ? 1 : -1;
        const tangents t = tangents_of(&p->costs, y);
        const int flat = t.slope[0] > t.slope[1] ? 0 : 1, steep = 1 - flat;
        const long double c = p->o.C * weight_of(p, i);
        const long double tau = t.at[flat] - t.value[flat] / t.slope[flat];
        const long double gap = t.value[steep] - t.slope[steep] * t.at[steep] - t.value[flat] +
                                t.slope[flat] * t.at[flat];
        const long double rho = gap / (t.slope[flat] - t.slope[steep]);
        const double first = (double)(-c * t.slope[flat]), all = (double)(-c * t.slope[steep]);
        low[i] = y > 0 ? 0 : -all;
        middle[i] = y > 0 ? first : -first;
        high[i] = y > 0 ? all : 0;
        slope_low[i] = (double)(y > 0 ? tau : -rho);
        slope_high[i] = (double)(y > 0 ? rho : -tau);
        *scale += c;
    }
    const ref_qp q = {.n = p->rows,
                      .k = kernel,
                      .low = low,
                      .middle = middle,
                      .high = high,
                      .slope_low = slope_low,
                      .slope_high = slope_high};
    ref_qp_answer best;
    ref_qp_solve(&q, &best);
    return best;
}

/* 1/2 |w|^2 + C sum W of a model, from its parts. */
static long double objective_of(const problem *p, const ney_model *m)
{
    const tangents t[2] = {tangents_of(&p->costs, -1), tangents_of(&p->costs, 1)};
    const ney_matrix *x = ney_data_matrix(p->data);
    long double sum = 0;
    double score[ROWS], b;
    const double *w = ney_model_weights(m, &b);
    assert_int_equal(ney_model_score(m, NULL, x, score, NULL), NEY_OK);
    for (int64_t i = 0; i < p->rows; i++) {
        sum += p->o.C * weight_of(p, i) * loss(&t[p->y[i] > 0], p->y[i] * (long double)score[i]);
    }
    if (w) {
        for (int c = 0; c < COLS; c++) {
            sum += (long double)w[c] * w[c] / 2;
        }
        return sum;
    }
    ney_kernel kernel;
    ney_matrix support;
    const double *v;
    assert_true(ney_model_kernel(m, &kernel, &support, &v, &b));
    for (int64_t i = 0; i < support.rows; i++) {
        for (int64_t j = 0; j < support.rows; j++) {
            sum += v[i] * v[j] * ref_kernel(&support, i, j, &kernel) / 2;
        }
    }
    return sum;
}

static void prop_objective_is_the_optimum(void **state)
{
    const int64_t runs = test_times(150);
    int64_t tight = 0;
    (void)state;
    for (int64_t t = 1; t <= runs; t++) {
        static long double kernel[ROWS * ROWS];
        rnd r = rnd_new((uint64_t)t);
        problem p;
        ney_train_info info;
        ney_model *m;
        long double scale;
        problem_init(&p, &r);
        const ney_kernel k = {.kind = p.o.kernel, .gamma = p.o.gamma};
        ref_kernel_matrix(ney_data_matrix(p.data), &k, kernel);
        const ref_qp_answer best = optimum_of(&p, kernel, &scale);
        assert_int_equal(ney_train(&m, NULL, p.data, &p.o, &info, NULL), NEY_OK);
        const long double found = objective_of(&p, m), unit = 1 + best.upper;
        tight += best.upper - best.lower < 1e-9L * unit;
        /* scores of a kernel model are floats inside: what they are off, C times */
        const long double rounding = p.o.kernel == NEY_KERNEL_RBF ? 2e-5L * (1 + scale) : 0;
        if (fabsl(info.objective - best.upper) > 1e-8L * unit || info.gap > 1e-8 * (double)unit ||
            info.gap < 0 || fabsl(found - info.objective) > 1e-8L * unit + rounding) {
            fail_msg("seed %lld: objective %.12g gap %g, judged %.12Lg, best %.12Lg (method %d)",
                     (long long)t, info.objective, info.gap, found, best.upper, p.o.method);
        }
        ney_model_free(m);
        ney_data_free(p.data);
    }
    assert_true(tight >= runs * 9 / 10);
}

/* At every probability the thresholds, as log-odds, give the cheapest decision. */
static void prop_thresholds_are_cheapest(void **state)
{
    (void)state;
    for (int64_t t = 1; t <= test_times(60); t++) {
        rnd r = rnd_new((uint64_t)t);
        problem p;
        ney_model *m;
        double low, high;
        problem_init(&p, &r);
        p.o.tol = 1e-3;
        assert_int_equal(ney_train(&m, NULL, p.data, &p.o, NULL, NULL), NEY_OK);
        ney_model_thresholds(m, &low, &high);
        for (int k = 1; k < 1000; k++) {
            const double q = k / 1000.0, f = log(q / (1 - q));
            const double cost[] = {p.costs.fn * q, p.costs.fp * (1 - q),
                                   p.costs.reject_fn * q + p.costs.reject_fp * (1 - q)};
            const double least = fmin(fmin(cost[0], cost[1]), cost[2]);
            const double chosen = cost[f >= high ? 1 : f < low ? 0 : 2];
            if (chosen > least * (1 + 1e-9)) {
                fail_msg("seed %lld: at %g a decision of cost %g, least %g", (long long)t, q,
                         chosen, least);
            }
        }
        ney_model_free(m);
        ney_data_free(p.data);
    }
}

/* ---------------------------------------------------------------- the exact solver */

static void prop_activeset_reaches_the_optimum(void **state)
{
    static const ney_kernel kernels[] = {
        {.kind = NEY_KERNEL_LINEAR},
        {.kind = NEY_KERNEL_RBF, .gamma = 0.5},
        {.kind = NEY_KERNEL_POLY, .gamma = 0.5, .coef0 = 1, .degree = 2},
    };
    static random_qp q;
    const int64_t runs = test_times(240);
    int64_t converged = 0, sure = 0;
    ney_env env = ney_env_default();
    env.threads = 1;
    (void)state;
    for (int64_t t = 1; t <= runs; t++) {
        const ney_kernel *kernel = &kernels[t % 3];
        const ney_qp_opts opts = {.tol = 1e-9, .exact = true};
        rnd stream = rnd_new((uint64_t)t);
        ney_rng r = {rnd_next(&stream)};
        ney_gram gram;
        ney_rowcache cache;
        ney_qp_info info;
        double v[QP_ROWS], f[QP_ROWS];
        long double point[QP_ROWS], unit = 0;
        random_qp_make(&q, &r, -4, 3);
        const ney_matrix x = random_qp_matrix(&q, t % 2 == 0);
        const ney_qp p = random_qp_problem(&q);
        memcpy(v, q.first, sizeof v);
        assert_int_equal(ney_gram_init(&gram, &env, &x, kernel, true, NULL), NEY_OK);
        assert_int_equal(ney_rowcache_init(&cache, &gram, 1e6, NEY_ACTIVESET_ROWS, NULL), NEY_OK);
        assert_int_equal(ney_activeset_solve(&cache, &p, &opts, v, f, &info, NULL), NEY_OK);
        assert_feasible(&p, v, "activeset", t);
        const ref_qp judged = random_qp_judged(&q, kernel);
        ref_qp_answer best;
        ref_qp_solve(&judged, &best);
        for (int64_t i = 0; i < q.rows; i++) {
            point[i] = v[i];
            unit += fabsl(point[i] * fmax(fabs(q.slope_low[i]), fabs(q.slope_high[i])));
        }
        unit += fabsl(best.upper);
        const long double dual = ref_qp_dual(&judged, point);
        const bool is_sure = best.upper - best.lower <= 1e-9L * unit;
        converged += info.stop == NEY_STOP_CONVERGED;
        sure += is_sure;
        if ((is_sure && fabsl(dual - best.upper) > 1e-8L * unit) ||
            fabsl(dual - info.dual) > 1e-8L * unit ||
            info.primal < info.dual - 1e-8 * (double)unit) {
            fail_msg(
                "seed %lld: dual %.12Lg (said %.12g), primal %.12g, best %.12Lg, stop %d after "
                "%lld",
                (long long)t, dual, info.dual, info.primal, best.upper, (int)info.stop,
                (long long)info.iterations);
        }
        ney_rowcache_deinit(&cache);
        ney_gram_deinit(&gram);
    }
    print_message("%lld of %lld converged, the judge is sure of %lld\n", (long long)converged,
                  (long long)runs, (long long)sure);
    assert_true(converged >= runs * 95 / 100 && sure >= runs * 9 / 10);
}

/* ---------------------------------------------------------------- costs of decisions */

/* The best of all pairs of thresholds, by trying them. */
static double best_cost(const double *score, const int8_t *y, int64_t n, const ney_costs *c)
{
    double cut[ROWS + 1], best = DBL_MAX;
    for (int64_t i = 0; i < n; i++) {
        cut[i] = score[i];
    }
    cut[n] = 1e9;
    for (int64_t i = 0; i <= n; i++) {
        for (int64_t j = 0; j <= n; j++) {
            if (cut[i] <= cut[j]) {
                const ney_counts k = ney_count(score, y, n, cut[i], cut[j]);
                const double total = c->fn * (double)k.fn + c->fp * (double)k.fp +
                                     c->reject_fn * (double)k.rejected_pos +
                                     c->reject_fp * (double)k.rejected_neg;
                best = fmin(best, total / (double)n);
            }
        }
    }
    return best;
}

static void prop_best_band_is_best(void **state)
{
    (void)state;
    for (int64_t t = 1; t <= test_times(300); t++) {
        rnd r = rnd_new((uint64_t)t);
        ney_costs c = random_costs(&r);
        double score[ROWS], low, high, cost;
        int8_t y[ROWS];
        const int64_t n = 1 + rnd_below(&r, ROWS - 1);
        if (rnd_chance(&r, 0.2)) { /* rejecting does not pay: one threshold */
            c.reject_fn = c.fn;
        }
        for (int64_t i = 0; i < n; i++) {
            y[i] = rnd_chance(&r, 0.5) ? 1 : -1;
            score[i] = rnd_chance(&r, 0.5) ? (double)rnd_below(&r, 6) : rnd_unit(&r) * 4 + y[i];
        }
        const ney_labelled_scores rows = {.score = score, .label = y, .n = n};
        assert_int_equal(ney_best_band(NULL, &rows, &c, &low, &high, &cost, NULL), NEY_OK);
        const ney_counts k = ney_count(score, y, n, low, high);
        const bool pays = c.reject_fn / c.fn + c.reject_fp / c.fp < 1;
        if (fabs(cost - best_cost(score, y, n, &c)) > 1e-9 * (1 + cost) || !(low <= high) ||
            fabs(cost - ney_cost(&k, &c)) > 0 || (!pays && low != high)) {
            fail_msg("seed %lld: band [%g, %g) costs %g, best %g", (long long)t, low, high, cost,
                     best_cost(score, y, n, &c));
        }
    }
}

/* The interval of the mean cost holds it in 95 of 100 samples, or more. */
static void prop_cost_interval_covers(void **state)
{
    const int64_t runs = test_times(400);
    int64_t missed = 0;
    double width = 0;
    rnd r = rnd_new(1);
    (void)state;
    for (int64_t t = 0; t < runs; t++) {
        const ney_costs c = {.fn = 3, .fp = 1, .reject_fn = 0.5, .reject_fp = 0.5};
        const double share[] = {0.02, 0.05, 0.03, 0.1}; /* fn, fp, rejected of either class */
        const double mean = 3 * 0.02 + 0.05 + 0.5 * 0.13;
        ney_counts k = {0};
        for (int i = 0; i < 400; i++) {
            double u = rnd_unit(&r);
            int64_t *const to[] = {&k.fn, &k.fp, &k.rejected_pos, &k.rejected_neg};
            int j = 0;
            while (j < 4 && u >= share[j]) {
                u -= share[j++];
            }
            ++*(j < 4 ? to[j] : &k.tn);
        }
        double low, high;
        ney_cost_interval(&k, &c, 0.95, &low, &high);
        missed += mean < low || mean > high;
        width += (high - low) / (double)runs;
        assert_true(low <= ney_cost(&k, &c) && ney_cost(&k, &c) <= high);
    }
    print_message("%lld of %lld missed, mean width %g\n", (long long)missed, (long long)runs,
                  width);
    assert_true((double)missed <= 0.05 * (double)runs + 3 * sqrt(0.05 * (double)runs));
    assert_true(width < 0.2); /* the mean cost is 0.175 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_objective_is_the_optimum),
        cmocka_unit_test(prop_thresholds_are_cheapest),
        cmocka_unit_test(prop_activeset_reaches_the_optimum),
        cmocka_unit_test(prop_best_band_is_best),
        cmocka_unit_test(prop_cost_interval_covers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
