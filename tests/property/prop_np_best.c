/* The annealed method under a bounded rate returns no solution that is worse than a step that keeps
 * the bound. The objective of the result is recomputed from model and data by
 * tests/support/ref_np.c. */
#include "support/random_data.h"
#include "support/ref_np.h"
#include "support/share.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST_ROWS = 100, MOST_COLS = 4 };

static double normal(rnd *r)
{
    return sqrt(-2 * log(1 - rnd_unit(r))) * cos(6.283185307179586 * rnd_unit(r));
}

static ney_data *clouds(rnd *r)
{
    float x[MOST_ROWS * MOST_COLS];
    int8_t y[MOST_ROWS];
    ney_data *d = NULL;
    const int64_t rows = 10 + rnd_below(r, MOST_ROWS - 10), cols = 1 + rnd_below(r, MOST_COLS);
    const double apart = 1.5 * rnd_unit(r);
    for (int64_t i = 0; i < rows; i++) {
        const bool positive = i == 0 || (i > 1 && rnd_chance(r, 0.5));
        y[i] = (int8_t)(positive ? 1 : -1);
        for (int64_t c = 0; c < cols; c++) {
            x[i * cols + c] = (float)(normal(r) + (positive ? apart : 0));
        }
    }
    const ney_matrix m = {.rows = rows, .cols = cols, .dense = x};
    assert_int_equal(ney_data_new(&d, NULL, &m, y, NULL, NULL), NEY_OK);
    return d;
}

static ney_train_opts options(rnd *r)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    ney_params_init(p, n, &o);
    o.confidence = (double)NAN; /* the bound holds on the training rows */
    o.method = NEY_METHOD_ANNEALED;
    o.max_fpr = rnd_chance(r, 0.5) ? 0.05 : 0.01 + 0.3 * rnd_unit(r);
    o.C = pow(10, 4 * rnd_unit(r) - 2);
    o.eta = rnd_chance(r, 0.7) ? 1 : pow(10, 3 * rnd_unit(r) - 2);
    o.kernel = rnd_chance(r, 0.5) ? NEY_KERNEL_LINEAR : NEY_KERNEL_RBF;
    return o;
}

/* The least J of a step that keeps the bound. */
typedef struct met {
    double C, bound, most, least; /* C: times the number of positives; most: what is kept */
    int64_t n, n_kept;
} met;

static met met_new(const ney_data *d, const ney_train_opts *o)
{
    met t = {.least = (double)INFINITY};
    double n_neg = 0;
    for (int64_t i = 0; i < ney_data_matrix(d)->rows; i++) {
        t.C += ney_data_label(d)[i] > 0 ? o->C : 0;
        n_neg += ney_data_label(d)[i] < 0;
    }
    t.bound = o->max_fpr;
    t.most = t.bound * n_neg >= 1 ? t.bound : 0.5 / n_neg; /* half a row, if less than one */
    return t;
}

static void on_step(void *user, const ney_step *step)
{
    met *t = user;
    t->n++;
    if (step->ramp_fpr <= t->most) {
        const double constraint = t->C * step->lambda * (step->ramp_fpr - t->bound);
        t->n_kept++;
        t->least = fmin(t->least, step->objective - constraint);
    }
}

static long double trained(const ney_data *d, const ney_train_opts *o, met *t, ney_train_info *info)
{
    ney_model *m = NULL;
    const ney_env env = {.user = t, .step = on_step};
    assert_int_equal(ney_train(&m, &env, d, o, info, NULL), NEY_OK);
    const long double found = ref_np_objective(m, d, o);
    ney_model_free(m);
    return found;
}

/* What an active constraint may leave unused (P >= 0.995 A) costs at most its multiplier times that
 * (doc/claims.md). */
static double window(const met *t, const ney_train_info *info)
{
    return info->constraint == NEY_CONSTRAINT_ACTIVE ? t->C * info->lambda * 0.005 * t->most : 0;
}

static void prop_not_worse_than_a_step(void **state)
{
    const int64_t runs = test_share(1000);
    int64_t n_kept = 0;
    (void)state;
    for (int64_t k = 0; k < runs; k++) {
        rnd r = rnd_new((uint64_t)(11000 + k));
        ney_data *const d = clouds(&r);
        const ney_train_opts o = options(&r);
        ney_train_info info;
        met t = met_new(d, &o);
        const long double found = trained(d, &o, &t, &info);
        assert_int_equal(info.steps, t.n);
        n_kept += t.n_kept;
        if (found > 1.002L * t.least + window(&t, &info)) {
            fail_msg("seed %lld: J %Lg, best step %g", (long long)k, found, t.least);
        }
        ney_data_free(d);
    }
    assert_true(n_kept > runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_not_worse_than_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
