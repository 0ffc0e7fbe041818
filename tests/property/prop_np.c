/* Neyman-Pearson training on random data: what is reported is what the model does, the saddle point
 * is one, the bound is kept, and convex steps lower the Lagrangian. Judged by
 * tests/support/ref_np.c.
 */
#include "support/random_data.h"
#include "support/ref_np.h"
#include "support/share.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_ROWS = 160, COLS = 3, MOST_STEPS = 600 };

static double normal(rnd *r)
{
    return sqrt(-2 * log(1 - rnd_unit(r))) * cos(6.283185307179586 * rnd_unit(r));
}

/* Two clouds, near to each other or far; any share of positives. */
static ney_data *clouds(rnd *r, int64_t *rows, int sign)
{
    float x[MOST_ROWS * COLS];
    int8_t y[MOST_ROWS];
    ney_data *d = NULL;
    const double apart = 3 * rnd_unit(r), share = 0.1 + 0.8 * rnd_unit(r);
    *rows = 20 + rnd_below(r, MOST_ROWS - 20);
    for (int64_t i = 0; i < *rows; i++) {
        const bool positive = i == 0 || (i > 1 && rnd_chance(r, share));
        y[i] = (int8_t)(positive ? sign : -sign);
        for (int c = 0; c < COLS; c++) {
            x[i * COLS + c] = (float)(normal(r) + (positive && c < 2 ? apart : 0));
        }
    }
    const ney_matrix m = {.rows = *rows, .cols = COLS, .dense = x};
    assert_int_equal(ney_data_new(&d, NULL, &m, y, NULL, NULL), NEY_OK);
    return d;
}

static ney_train_opts options(rnd *r)
{
    static const double rates[] = {0, 0.01, 0.05, 0.1, 0.3, 0.7, 0.95};
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    ney_params_init(p, n, &o);
    o.confidence = (double)NAN; /* the bound holds on the training rows */
    o.C = pow(10, 2 * rnd_unit(r) - 1);
    o.eta = rnd_chance(r, 0.5) ? 1 : 0.25 + rnd_unit(r);
    o.kernel = rnd_chance(r, 0.5) ? NEY_KERNEL_LINEAR : NEY_KERNEL_RBF;
    o.gamma = o.kernel == NEY_KERNEL_RBF ? pow(10, 2 * rnd_unit(r) - 1) : 0;
    o.method = (ney_method)rnd_below(r, 3);
    o.tol = 1e-4;
    *(rnd_chance(r, 0.5) ? &o.max_fpr : &o.max_fnr) = rates[rnd_below(r, 7)];
    return o;
}

typedef struct trace {
    ney_step step[MOST_STEPS];
    int64_t n;
} trace;

static void on_step(void *user, const ney_step *step)
{
    trace *t = user;
    assert_true(t->n < MOST_STEPS);
    assert_int_equal(step->index, t->n + 1);
    t->step[t->n++] = *step;
}

static double rate_of(const ney_train_opts *o)
{
    return isnan(o->max_fnr) ? o->max_fpr : o->max_fnr;
}

static bool close_to(double found, long double expected, double within)
{
    return fabsl((long double)found - expected) <= (long double)within;
}

static void check_saddle(const ney_train_opts *o, const ney_train_info *info, const ref_np *j,
                         int64_t n_bounded, uint64_t seed)
{
    const double A = rate_of(o), row = 1 / (double)n_bounded, P = (double)j->P, slop = 1e-5;
    const double most = A >= row ? A : 0.5 * row;
    const bool active = P <= most + slop && P >= (A >= row ? A - 0.5 * row - 0.01 * A : 0) - slop;
    const bool right = (info->constraint == NEY_CONSTRAINT_ACTIVE && active) ||
                       (info->constraint == NEY_CONSTRAINT_DISCONTINUOUS && P <= most + slop) ||
                       (info->constraint == NEY_CONSTRAINT_SLACK && info->lambda == 0 && P <= A);
    if (!right) {
        fail_msg("seed %llu: %s, P = %g, A = %g, n = %lld, lambda = %g", (unsigned long long)seed,
                 ney_constraint_status_text(info->constraint), P, A, (long long)n_bounded,
                 info->lambda);
    }
}

static void check_figures(const ney_train_opts *o, const ney_train_info *info, const ref_np *j,
                          uint64_t seed)
{
    const bool fpr = isnan(o->max_fnr);
    const double size = 1 + fabs(info->objective) + fabs(info->convex_objective);
    if (!close_to(fpr ? info->ramp_fpr : info->ramp_fnr, j->P, 1e-5) ||
        !close_to(fpr ? info->ramp_fnr : info->ramp_fpr, j->Q, 1e-5) ||
        !close_to(info->objective, j->lagrangian, 1e-4 * size) ||
        !close_to(info->convex_objective, j->primal, 1e-4 * size + (double)j->kink) ||
        !(info->gap >= 0 && info->gap <= 0.02 * size)) {
        fail_msg("seed %llu: L %g (%Lg), primal %g (%Lg), P %Lg Q %Lg, gap %g",
                 (unsigned long long)seed, info->objective, j->lagrangian, info->convex_objective,
                 j->primal, j->P, j->Q, info->gap);
    }
    if (!isnan((double)j->dual) &&
        (!close_to(info->dual_objective, j->dual, 1e-4 * size + (double)j->kink) ||
         j->outside > 1e-6L * o->C || fabsl(j->sum) > 1e-9L ||
         !close_to(info->gap, j->primal - j->dual, 1e-4 * size))) {
        fail_msg("seed %llu: dual %g (%Lg), outside %Lg, sum %Lg, gap %g (%Lg)",
                 (unsigned long long)seed, info->dual_objective, j->dual, j->outside, j->sum,
                 info->gap, j->primal - j->dual);
    }
}

/* The bound is kept on the training rows, and no other threshold could have used more of it. */
static void check_bound(const ney_train_opts *o, const ney_model *m, const ney_data *d,
                        const ney_train_info *info, uint64_t seed)
{
    const bool fpr = isnan(o->max_fnr);
    const int64_t rows = ney_data_matrix(d)->rows;
    const int8_t *y = ney_data_label(d);
    double score[MOST_ROWS], low, high;
    int64_t n = 0, wrong = 0, next = 0;
    assert_int_equal(ney_model_score(m, NULL, ney_data_matrix(d), score, NULL), NEY_OK);
    ney_model_thresholds(m, &low, &high);
    assert_true(low == high && isfinite(low));
    double nearest = fpr ? -INFINITY : INFINITY; /* of those still right */
    for (int64_t i = 0; i < rows; i++) {
        if ((y[i] > 0) != fpr) {
            const bool is_wrong = fpr ? score[i] >= low : score[i] < low;
            n++;
            wrong += is_wrong;
            nearest = is_wrong ? nearest : fpr ? fmax(nearest, score[i]) : fmin(nearest, score[i]);
        }
    }
    for (int64_t i = 0; i < rows; i++) {
        next += (y[i] > 0) != fpr && score[i] == nearest;
    }
    if ((double)wrong / (double)n > rate_of(o) ||
        (wrong < n && (double)(wrong + next) / (double)n <= rate_of(o))) {
        fail_msg("seed %llu: %lld of %lld are wrong, %lld more could be, at a rate of %g",
                 (unsigned long long)seed, (long long)wrong, (long long)n, (long long)next,
                 rate_of(o));
    }
    assert_int_equal(fpr ? info->counts.fp : info->counts.fn, wrong);
    assert_int_equal(info->counts.fp + info->counts.tn + info->counts.fn + info->counts.tp, rows);
}

/* L(f') <= L(f) + gap for two steps of Uzawa's method at one lambda: the tangent was that of f. */
static int64_t check_descent(const ney_train_opts *o, const trace *t, uint64_t seed)
{
    int64_t pairs = 0;
    for (int64_t k = 1; k < t->n && o->method == NEY_METHOD_UZAWA; k++) {
        const ney_step *a = &t->step[k - 1], *b = &t->step[k];
        if (a->lambda != b->lambda) {
            continue;
        }
        pairs++;
        if (b->objective > a->objective + b->gap + 1e-5 * (1 + fabs(a->objective))) {
            fail_msg("seed %llu: step %lld, L rises from %.9g to %.9g, gap %g",
                     (unsigned long long)seed, (long long)b->index, a->objective, b->objective,
                     b->gap);
        }
    }
    return pairs;
}

static void prop_saddle_points(void **state)
{
    const int64_t runs = test_times(150);
    int64_t converged = 0, pairs = 0;
    static trace t;
    (void)state;
    for (int64_t k = 0; k < runs; k++) {
        rnd r = rnd_new((uint64_t)(7000 + k));
        int64_t rows;
        ney_data *d = clouds(&r, &rows, 1);
        const ney_train_opts o = options(&r);
        ney_env env = ney_env_default();
        ney_train_info info;
        ney_model *m = NULL;
        t.n = 0;
        env.user = &t;
        env.step = on_step;
        assert_int_equal(ney_train(&m, &env, d, &o, &info, NULL), NEY_OK);
        const ref_np j = ref_np_judge(m, d, &o, info.lambda);
        const int64_t n_pos = info.counts.tp + info.counts.fn;
        assert_int_equal(info.steps, t.n);
        check_bound(&o, m, d, &info, (uint64_t)k);
        check_figures(&o, &info, &j, (uint64_t)k);
        pairs += check_descent(&o, &t, (uint64_t)k);
        if (info.stop == NEY_STOP_CONVERGED) {
            converged++;
            check_saddle(&o, &info, &j, isnan(o.max_fnr) ? rows - n_pos : n_pos, (uint64_t)k);
        }
        ney_model_free(m);
        ney_data_free(d);
    }
    print_message("%lld of %lld converged, %lld pairs of steps\n", (long long)converged,
                  (long long)runs, (long long)pairs);
    assert_true(converged >= runs - runs / 50 && pairs > runs);
}

/* max_fnr is max_fpr with the classes exchanged: scores change their sign, nothing else. */
static void prop_classes_exchanged(void **state)
{
    (void)state;
    for (int64_t k = 0; k < test_times(20); k++) {
        double score[2][MOST_ROWS], objective[2], rate = 0;
        int64_t rows = 0;
        for (int way = 0; way < 2; way++) {
            rnd r = rnd_new((uint64_t)(8000 + k));
            ney_data *d = clouds(&r, &rows, way == 0 ? 1 : -1);
            ney_train_opts o = options(&r);
            ney_train_info info;
            ney_model *m = NULL;
            rate = rate_of(&o);
            o.max_fpr = way == 0 ? rate : (double)NAN;
            o.max_fnr = way == 0 ? (double)NAN : rate;
            assert_int_equal(ney_train(&m, NULL, d, &o, &info, NULL), NEY_OK);
            assert_int_equal(ney_model_score(m, NULL, ney_data_matrix(d), score[way], NULL),
                             NEY_OK);
            objective[way] = info.objective;
            ney_model_free(m);
            ney_data_free(d);
        }
        assert_true(fabs(objective[0] - objective[1]) <= 1e-9 * (1 + fabs(objective[0])));
        for (int64_t i = 0; i < rows; i++) {
            if (fabs(score[0][i] + score[1][i]) > 1e-9 * (1 + fabs(score[0][i]))) {
                fail_msg("seed %lld, row %lld: %g and %g", (long long)k, (long long)i, score[0][i],
                         score[1][i]);
            }
        }
    }
}

/* ---------------------------------------------------------------- quality */

/* Two clouds with row weights: whole numbers from 0 on, or any. */
static ney_data *weighted_clouds(rnd *r, int64_t cols, bool whole, float *x, int8_t *y, float *w,
                                 int64_t *rows)
{
    ney_data *d = NULL;
    const double apart = 2.5 * rnd_unit(r), share = 0.3 + 0.4 * rnd_unit(r);
    *rows = 24 + rnd_below(r, 30);
    for (int64_t i = 0; i < *rows; i++) {
        const bool positive = i == 0 || (i > 1 && rnd_chance(r, share));
        y[i] = (int8_t)(positive ? 1 : -1);
        w[i] = whole ? (float)(i < 2 ? 1 : rnd_below(r, 4)) : (float)(0.2 + 2 * rnd_unit(r));
        for (int64_t c = 0; c < cols; c++) {
            x[i * cols + c] = (float)(normal(r) + (positive && c == 0 ? apart : 0));
        }
    }
    const ney_matrix m = {.rows = *rows, .cols = cols, .dense = x};
    assert_int_equal(ney_data_new(&d, NULL, &m, y, w, NULL), NEY_OK);
    return d;
}

static ney_train_opts quality_options(rnd *r)
{
    static const double rates[] = {0.05, 0.1, 0.2, 0.4};
    ney_train_opts o = options(r);
    const double rate = rates[rnd_below(r, 4)];
    o.method = NEY_METHOD_ANNEALED;
    o.tol = 1e-3;
    o.max_fpr = isnan(o.max_fnr) ? rate : (double)NAN;
    o.max_fnr = isnan(o.max_fnr) ? (double)NAN : rate;
    return o;
}

/* Trained by one set of options, measured by the eta of another. */
static long double trained_by(const ney_data *d, const ney_train_opts *o,
                              const ney_train_opts *measure, ney_train_info *info)
{
    ney_model *m = NULL;
    assert_int_equal(ney_train(&m, NULL, d, o, info, NULL), NEY_OK);
    const long double found = ref_np_objective(m, d, measure);
    ney_model_free(m);
    return found;
}

static long double trained(const ney_data *d, const ney_train_opts *o, ney_train_info *info)
{
    return trained_by(d, o, o, info);
}

/* Against the least value of all, found by exhaustive search in long double, with row weights. */
static void prop_weighted_against_global(void **state)
{
    const int64_t runs = test_share(20);
    int64_t near = 0;
    (void)state;
    for (int64_t k = 0; k < runs; k++) {
        rnd r = rnd_new((uint64_t)(9000 + k));
        float x[2 * MOST_ROWS], w[MOST_ROWS];
        int8_t y[MOST_ROWS];
        int64_t rows;
        ney_data *d =
            weighted_clouds(&r, 1 + rnd_below(&r, 2), rnd_chance(&r, 0.5), x, y, w, &rows);
        ney_train_opts o = quality_options(&r);
        o.kernel = NEY_KERNEL_LINEAR;
        o.gamma = 0;
        ney_train_info info;
        const long double found = trained(d, &o, &info), least = ref_np_global(d, &o);
        const double P = isnan(o.max_fnr) ? info.ramp_fpr : info.ramp_fnr;
        assert_true(info.starts >= 1);
        if (info.stop == NEY_STOP_CONVERGED && P > fmax(rate_of(&o), 0.5) + 1e-9) {
            fail_msg("seed %lld: P = %g", (long long)k, P);
        }
        near += found <= 1.02L * least;
        if (found > 1.25L * least || found < 0.995L * least) {
            fail_msg("seed %lld: J %Lg, the least %Lg", (long long)k, found, least);
        }
        ney_data_free(d);
    }
    print_message("%lld of %lld within 2 %% of the global optimum\n", (long long)near,
                  (long long)runs);
    assert_true(10 * near >= 8 * runs);
}

/* A row of weight k is k rows: the same objective for one score function, and nearly the same
 * optimum. */
static void prop_weights_are_copies(void **state)
{
    (void)state;
    for (int64_t k = 0; k < test_times(20); k++) {
        rnd r = rnd_new((uint64_t)(9500 + k));
        float x[2 * MOST_ROWS], w[MOST_ROWS], copies[2 * 3 * MOST_ROWS];
        int8_t y[MOST_ROWS], label[3 * MOST_ROWS];
        int64_t rows, n = 0;
        ney_data *d = weighted_clouds(&r, 2, true, x, y, w, &rows), *c = NULL;
        ney_train_opts o = quality_options(&r);
        ney_train_info info[2];
        for (int64_t i = 0; i < rows; i++) {
            for (int j = 0; j < (int)w[i]; j++, n++) {
                memcpy(copies + 2 * n, x + 2 * i, 2 * sizeof *x);
                label[n] = y[i];
            }
        }
        const ney_matrix m = {.rows = n, .cols = 2, .dense = copies};
        assert_int_equal(ney_data_new(&c, NULL, &m, label, NULL, NULL), NEY_OK);
        o.max_fpr = isnan(o.max_fpr) ? (double)NAN : 0.4; /* more than a row of either */
        o.max_fnr = isnan(o.max_fnr) ? (double)NAN : 0.4;
        ney_model *model = NULL;
        assert_int_equal(ney_train(&model, NULL, d, &o, &info[0], NULL), NEY_OK);
        const long double weighted = ref_np_objective(model, d, &o),
                          same = ref_np_objective(model, c, &o), copied = trained(c, &o, &info[1]);
        if (fabsl(weighted - same) > 1e-9L * (1 + same) ||
            fmaxl(weighted, copied) > 1.1L * fminl(weighted, copied)) {
            fail_msg("seed %lld: weighted %Lg, the same model on copies %Lg, trained on copies %Lg",
                     (long long)k, weighted, same, copied);
        }
        ney_model_free(model);
        ney_data_free(c);
        ney_data_free(d);
    }
}

/* Never above the SVM at the same C with its threshold moved, never above w = 0; near Uzawa's. */
static void prop_never_worse(void **state)
{
    const int64_t runs = test_times(50);
    int64_t near = 0;
    (void)state;
    for (int64_t k = 0; k < runs; k++) {
        rnd r = rnd_new((uint64_t)(9700 + k));
        int64_t rows;
        ney_data *d = clouds(&r, &rows, 1);
        ney_train_opts o = quality_options(&r);
        o.C = pow(10, 8 * rnd_unit(&r) - 4);
        ney_train_info info;
        const long double found = trained(d, &o, &info);
        ney_train_opts other = o;
        other.method = NEY_METHOD_CONVEX;
        other.eta = 1; /* of the ramp alone */
        const long double svm = trained_by(d, &other, &o, NULL);
        other = o;
        other.method = NEY_METHOD_UZAWA;
        const long double uzawa = trained(d, &other, NULL);
        int64_t n_free = 0;
        for (int64_t i = 0; i < rows; i++) {
            n_free += (ney_data_label(d)[i] > 0) == isnan(o.max_fnr);
        }
        near += found <= 1.01L * uzawa;
        if (found > 1.002L * svm || found > 1.002L * (long double)o.C * n_free ||
            found > 1.25L * uzawa) {
            fail_msg("seed %lld: J %Lg, SVM %Lg, Uzawa %Lg, w = 0 %g", (long long)k, found, svm,
                     uzawa, o.C * (double)n_free);
        }
        ney_data_free(d);
    }
    print_message("%lld of %lld within 1 %% of Uzawa's method or below\n", (long long)near,
                  (long long)runs);
    assert_true(10 * near >= 9 * runs);
}

/* A run that is cut short returns the best solution it met, where the rate is the one allowed, its
 * objective, and says that it did not converge. Cut just before its end that is near the end's. */
static void prop_stopped_is_best(void **state)
{
    (void)state;
    for (int64_t k = 0; k < test_times(20); k++) {
        rnd r = rnd_new((uint64_t)(9900 + k));
        int64_t rows;
        ney_data *d = clouds(&r, &rows, 1);
        ney_train_opts o = quality_options(&r);
        ney_train_info info, cut;
        const long double whole = trained(d, &o, &info);
        const int64_t limits[] = {1, info.iterations / 4, info.iterations - 1};
        for (int j = 0; j < 3; j++) {
            o.max_iter = limits[j] > 0 ? limits[j] : 1;
            const long double found = trained(d, &o, &cut);
            const double P = isnan(o.max_fnr) ? cut.ramp_fpr : cut.ramp_fnr;
            const bool is_cut =
                cut.stop == NEY_STOP_ITERATIONS && cut.constraint == NEY_CONSTRAINT_NONE;
            if (!(is_cut || j == 2) ||
                (is_cut && !close_to(cut.objective, found, 1e-6 * (double)(whole + found))) ||
                !(cut.gap >= 0) || P > fmax(rate_of(&o), 0.5) + 1e-6 ||
                (j == 2 && found > 1.05L * whole)) {
                fail_msg("seed %lld: J %Lg (%g) of %Lg, P %g, gap %g, stop %d", (long long)k, found,
                         cut.objective, whole, P, cut.gap, (int)cut.stop);
            }
        }
        ney_data_free(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_saddle_points),
        cmocka_unit_test(prop_classes_exchanged),
        cmocka_unit_test(prop_weighted_against_global),
        cmocka_unit_test(prop_weights_are_copies),
        cmocka_unit_test(prop_never_worse),
        cmocka_unit_test(prop_stopped_is_best),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
