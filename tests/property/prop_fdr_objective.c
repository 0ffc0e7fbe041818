/* The SVM under a bounded FDR, on random targets and decoys: its training objective is not above
 * that of any step that keeps the bound, of the SVM at the same C with its threshold moved, or of a
 * score function that accepts nothing. The reference is tests/support/ref_np.c. */
#include "base/env.h"
#include "learn/fdr/fdr.h"

#include "support/random_data.h"
#include "support/ref_np.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_ROWS = 200, COLS = 3 };

static double normal(rnd *r)
{
    return sqrt(-2 * log(1 - rnd_unit(r))) * cos(6.283185307179586 * rnd_unit(r));
}

/* Decoys and false targets from one cloud, true targets from another; from all false to nearly
 * none; half of the sets weighted. `is_equal`: each target is equal to a decoy. */
static ney_data *matches(rnd *r, bool is_equal)
{
    float x[MOST_ROWS * COLS], w[MOST_ROWS];
    int8_t y[MOST_ROWS];
    ney_data *d = NULL;
    const double apart = 4 * rnd_unit(r), targets = 0.3 + 0.4 * rnd_unit(r),
                 real = rnd_chance(r, 0.2) ? 0 : rnd_unit(r);
    const int64_t rows = 30 + 2 * rnd_below(r, MOST_ROWS / 2 - 15);
    const bool weighted = rnd_chance(r, 0.3);
    for (int64_t i = 0; i < rows; i++) {
        const bool target = i == 0 || (i > 1 && rnd_chance(r, targets));
        const double up = target && rnd_chance(r, real) ? apart : 0;
        y[i] = (int8_t)(target ? 1 : -1);
        w[i] = (float)(0.2 + 2 * rnd_unit(r));
        for (int c = 0; c < COLS; c++) {
            x[i * COLS + c] = (float)(normal(r) + (c < 2 ? up : 0));
        }
        if (is_equal) {
            y[i] = (int8_t)(i % 2 == 0 ? 1 : -1);
            w[i] = 1;
            memcpy(x + i * COLS, x + (i - i % 2) * COLS, COLS * sizeof *x);
        }
    }
    const ney_matrix m = {.rows = rows, .cols = COLS, .dense = x};
    assert_int_equal(ney_data_new(&d, NULL, &m, y, weighted ? w : NULL, NULL), NEY_OK);
    return d;
}

static ney_train_opts options(rnd *r)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    ney_params_init(p, n, &o);
    o.C = pow(10, 6 * rnd_unit(r) - 3);
    o.eta = rnd_chance(r, 0.5) ? 1 : 0.25 + rnd_unit(r);
    o.kernel = rnd_chance(r, 0.7) ? NEY_KERNEL_LINEAR : NEY_KERNEL_RBF;
    o.gamma = o.kernel == NEY_KERNEL_RBF ? pow(10, 2 * rnd_unit(r) - 1) : 0;
    return o;
}

/* The least J of a step that keeps the bound, and its excess as it is defined. */
typedef struct met {
    const ney_train_opts *o;
    double W, q, s;
    double least;
    int64_t n, n_kept;
} met;

static void on_step(void *user, const ney_step *step)
{
    met *t = user;
    const double C = t->o->C * t->W;
    const double excess = t->s * step->ramp_fpr - t->q * (1 - step->ramp_fnr);
    t->n++;
    if (excess <= 0) {
        t->n_kept++;
        t->least = fmin(t->least, step->objective - C * step->lambda * excess);
    }
}

static double weight_of_targets(const ney_data *d)
{
    double sum = 0;
    for (int64_t i = 0; i < ney_data_matrix(d)->rows; i++) {
        const double w = ney_data_weight(d) ? (double)ney_data_weight(d)[i] : 1;
        sum += ney_data_label(d)[i] > 0 ? w : 0;
    }
    return sum;
}

static long double plain_svm(const ney_data *d, const ney_train_opts *o, double q, double s)
{
    ney_model *m = NULL;
    ney_train_opts plain = *o;
    plain.eta = 1; /* of the ramp alone */
    assert_int_equal(ney_train(&m, NULL, d, &plain, NULL, NULL), NEY_OK);
    const long double found = ref_fdr_objective(m, d, o, q, s);
    ney_model_free(m);
    return found;
}

/* A fit that accepts nothing: the score function is constant, and reported as what it is. */
static void check_constant(const ney_model *m, const ney_train_opts *o, double W,
                           const ney_train_info *info)
{
    double b;
    assert_int_equal(info->stop, NEY_STOP_CONVERGED);
    assert_true(fabs(info->ramp_fnr - 1) < 1e-9 && fabs(info->ramp_fpr) < 1e-9);
    assert_true(fabs(info->objective - o->C * W) < 1e-9 * o->C * W);
    const double *const w = o->kernel == NEY_KERNEL_LINEAR ? ney_model_weights(m, &b) : NULL;
    for (int c = 0; w && c < COLS; c++) {
        assert_true(w[c] == 0);
    }
}

/* One fit as tuning and folds make it. */
static long double fit(const ney_data *d, const ney_train_opts *o, const ney_fdr *f, met *t,
                       ney_train_info *info)
{
    ney_task task = {0};
    ney_model *feature = NULL, *m = NULL;
    double score[MOST_ROWS];
    const ney_env env = ney_env_of(&(ney_env){.user = t, .step = on_step});
    assert_int_equal(ney_task_init(&task, &env, d, o, NULL), NEY_OK);
    t->s = ney_fdr_ratio(f, task.n_pos, task.n_neg);
    t->q = fmin(ney_fdr_decoys_per_target(f, f->q[0]), t->s / 2);
    assert_int_equal(ney_fdr_feature(&feature, &task, f, f->q[0], score, NULL), NEY_OK);
    assert_int_equal(ney_fdr_svm(&m, &task, f, f->q[0], score, info, NULL), NEY_OK);
    const long double found = ref_fdr_objective(m, d, o, t->q, t->s);
    if (info->constraint == NEY_CONSTRAINT_UNATTAINABLE) {
        check_constant(m, o, t->W, info);
    }
    ney_model_free(feature);
    ney_model_free(m);
    ney_task_deinit(&task);
    return found;
}

/* What the objective would fall by, to first order, if the bound were used in full; where the bound
 * is active, at most 0.005 of it is not used. */
static double cost_of_unused(const met *t, const ney_train_info *info)
{
    const double unused = t->q * (1 - info->ramp_fnr) - t->s * info->ramp_fpr;
    assert_true(info->constraint != NEY_CONSTRAINT_ACTIVE || unused <= 0.0051 * t->q);
    return info->constraint == NEY_CONSTRAINT_ACTIVE ? t->o->C * t->W * info->lambda * unused : 0;
}

static void prop_never_worse(void **state)
{
    const int64_t runs = test_times(60);
    int64_t converged = 0, n_status[NEY_CONSTRAINT_UNATTAINABLE + 1] = {0}, better = 0;
    (void)state;
    for (int64_t k = 0; k < runs; k++) {
        rnd r = rnd_new((uint64_t)(12000 + k));
        ney_data *d = matches(&r, k % 10 == 9);
        const ney_train_opts o = options(&r);
        const double rates[] = {0.01, 0.05, 0.1, 0.3};
        ney_fdr f = {.n = 1, .q = {rates[rnd_below(&r, 4)]}};
        f.estimate.compete = rnd_chance(&r, 0.5);
        f.estimate.kind = rnd_chance(&r, 0.5) ? NEY_FDR_DECOYS_PER_ALL : f.estimate.kind;
        met t = {.o = &o, .W = weight_of_targets(d), .least = (double)INFINITY};
        ney_train_info info = {0};
        const long double found = fit(d, &o, &f, &t, &info), svm = plain_svm(d, &o, t.q, t.s),
                          nothing = (long double)(o.C * t.W);
        const bool is_converged = info.stop == NEY_STOP_CONVERGED;
        converged += is_converged;
        n_status[info.constraint]++;
        better += found < 0.9L * svm;
        const long double full = found - (long double)cost_of_unused(&t, &info);
        if (found > 1.002L * svm || full > 1.002L * (long double)t.least ||
            found > 1.002L * nothing || !t.n_kept || info.starts < 4 || info.steps != t.n ||
            (is_converged && info.constraint == NEY_CONSTRAINT_NONE)) {
            fail_msg("seed %lld: J %Lg, SVM %Lg, best step %g, nothing accepted %Lg, %lld steps, "
                     "%lld starts, %s",
                     (long long)k, found, svm, t.least, nothing, (long long)t.n,
                     (long long)info.starts, ney_constraint_status_text(info.constraint));
        }
        ney_data_free(d);
    }
    print_message("%lld of %lld converged (active %lld, discontinuous %lld, unattainable %lld); "
                  "%lld below 0.9 of the "
                  "SVM's objective\n",
                  (long long)converged, (long long)runs, (long long)n_status[NEY_CONSTRAINT_ACTIVE],
                  (long long)n_status[NEY_CONSTRAINT_DISCONTINUOUS],
                  (long long)n_status[NEY_CONSTRAINT_UNATTAINABLE], (long long)better);
    assert_true(10 * converged >= 8 * runs && 4 * better >= runs &&
                n_status[NEY_CONSTRAINT_UNATTAINABLE] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(prop_never_worse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
