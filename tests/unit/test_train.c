/* Training: problems solved on paper (doc/math/qp.md), options, and how a run may end. */
#include <neyman/experimental.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 6 };

static ney_train_opts defaults(void)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    memset(&o, 0xff, sizeof o);
    ney_params_init(p, n, &o);
    return o;
}

static ney_data *data_of(int64_t rows, int64_t cols, const float *x, const int8_t *y,
                         const float *weight)
{
    const ney_matrix m = {.rows = rows, .cols = cols, .dense = x};
    ney_data *d = NULL;
    assert_int_equal(ney_data_new(&d, NULL, &m, y, weight, NULL), NEY_OK);
    return d;
}

/* One feature; w, b and the objective are unique unless NAN stands for them. */
static const struct {
    const char *why;
    int64_t rows;
    float x[MOST];
    int8_t y[MOST];
    float weight[MOST];
    double C, cost_fn, cost_fp, w, b, objective;
} cases[] = {
    /* clang-format off */
    {"margin met",               2, {1, -1}, {1, -1}, {1, 1}, 10, 1, 1, 1, 0, 0.5},
    {"box binds, middle of b",   2, {1, -1}, {1, -1}, {1, 1}, 0.25, 1, 1, 0.5, 0, 0.375},
    {"margin met off centre",    2, {3, 1}, {1, -1}, {1, 1}, 10, 1, 1, 1, -2, 0.5},
    {"contradiction, equal",     2, {1, 1}, {1, -1}, {1, 1}, 3, 1, 1, 0, 0, 6},
    {"contradiction, fn dear",   2, {1, 1}, {1, -1}, {1, 1}, 3, 2, 1, 0, 1, 6},
    {"contradiction, fp dear",   2, {1, 1}, {1, -1}, {1, 1}, 3, 1, 5, 0, -1, 6},
    {"rows of zeros",            2, {0, 0}, {1, -1}, {1, 1}, 2, 1, 1, 0, 0, 4},
    {"duplicates add up",        4, {1, 1, -1, -1}, {1, 1, -1, -1}, {1, 1, 1, 1},
     0.125, 1, 1, 0.5, 0, 0.375},
    {"weight 0 is not there",    3, {1, -1, -5}, {1, -1, 1}, {1, 1, 0}, 10, 1, 1, 1, 0, 0.5},
    {"weight 2 is twice",        2, {1, 1}, {1, -1}, {2, 1}, 3, 1, 1, 0, 1, 6},
    {"no weight at all",         2, {1, -1}, {1, -1}, {0, 0}, 1, 1, 1, 0, 0, 0},
    {"one class without weight", 2, {1, -1}, {1, -1}, {1, 0}, 1, 1, 1, 0, 1, 0},
    {"constant column",          3, {7, 7, 7}, {1, -1, -1}, {1, 1, 1}, 1, 1, 1, 0, -1, 2},
    {"huge C",                   2, {1, -1}, {1, -1}, {1, 1}, 1e12, 1, 1, 1, 0, 0.5},
    {"tiny C",                   2, {1, -1}, {1, -1}, {1, 1}, 1e-12, 1, 1, 2e-12, 0, 2e-12},
    {"tiny feature",             2, {1e-30F, -1e-30F}, {1, -1}, {1, 1}, 1, 1, 1, NAN, 0, 2},
    {"huge feature",             2, {1e30F, -1e30F}, {1, -1}, {1, 1}, 1, 1, 1, NAN, 0, 5e-61},
    /* clang-format on */
};

static bool close_to(double found, double expected, double within)
{
    return isnan(expected) || fabs(found - expected) <= within * fmax(1e-12, fabs(expected));
}

/* A margin is known to the rounding of 1, and C times that is what the objective can be wrong by.
 */
static bool objective_is(double found, double expected, double C)
{
    return close_to(found, expected, 1e-6) || fabs(found - expected) <= 1e-15 * C;
}

static void test_problems_solved_on_paper(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ney_train_opts o = defaults();
        ney_train_info info;
        ney_model *m = NULL;
        ney_data *d = data_of(cases[i].rows, 1, cases[i].x, cases[i].y, cases[i].weight);
        double b;
        o.C = cases[i].C;
        o.cost_fn = cases[i].cost_fn;
        o.cost_fp = cases[i].cost_fp;
        o.tol = 1e-10;
        assert_int_equal(ney_train(&m, NULL, d, &o, &info, NULL), NEY_OK);
        const double w = ney_model_weights(m, &b)[0];
        if (info.stop != NEY_STOP_CONVERGED || !close_to(w, cases[i].w, 1e-9) ||
            fabs(b - cases[i].b) > 1e-9 ||
            !objective_is(info.objective, cases[i].objective, cases[i].C) || info.gap < 0 ||
            info.gap != fmax(0, info.objective - info.dual_objective)) {
            fail_msg("%s: w %g b %g objective %g gap %g stop %d", cases[i].why, w, b,
                     info.objective, info.gap, (int)info.stop);
        }
        ney_model_free(m);
        ney_data_free(d);
    }
}

static void test_what_cannot_be_trained(void **state)
{
    static const struct {
        const char *why;
        int64_t rows;
        int8_t y[2];
        double C, tol, cost_fn;
        const char *says;
    } bad[] = {
        {"no negative", 2, {1, 1}, 1, 1e-3, 1, "none of them negative"},
        {"no positive", 2, {-1, -1}, 1, 1e-3, 1, "none of them positive"},
        {"no rows", 0, {1, 1}, 1, 1e-3, 1, "0 rows"},
        {"C is zero", 2, {1, -1}, 0, 1e-3, 1, "C = auto applies to"},
        {"C is no number", 2, {1, -1}, NAN, 1e-3, 1, "C = "},
        {"tol is zero", 2, {1, -1}, 1, 0, 1, "tol = 0"},
        {"cost below zero", 2, {1, -1}, 1, 1e-3, -1, "cost-fn = -1"},
    };
    static const float x[] = {1, 2};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        ney_train_opts o = defaults();
        ney_error err = {0};
        ney_data *d = data_of(bad[i].rows, 1, x, bad[i].y, NULL);
        ney_model *m = NULL;
        o.C = bad[i].C;
        o.tol = bad[i].tol;
        o.cost_fn = bad[i].cost_fn;
        assert_int_equal(ney_train(&m, NULL, d, &o, NULL, &err), NEY_EINVAL);
        assert_null(m);
        if (!strstr(err.message, bad[i].says)) {
            fail_msg("%s: %s", bad[i].why, err.message);
        }
        ney_data_free(d);
    }
}

/* Filled from two patterns, equal in every byte that a row covers; what is left is padding, less
 * than the smallest field that could lack a row, but for flags, of which each struct ends in some,
 * members that are reserved, and numbers of goals that have no option of their own. */
static void test_every_option_has_a_row(void **state)
{
    ney_train_opts a, b;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    (void)state;
    memset(&a, 0x00, sizeof a);
    memset(&b, 0xff, sizeof b);
    ney_params_init(p, n, &a);
    ney_params_init(p, n, &b);
    size_t differ = 0, covered = 0, spare = sizeof a.goal_option;
    for (size_t i = 0; i < sizeof a; i++) {
        differ += ((const char *)&a)[i] != ((const char *)&b)[i];
    }
    for (int64_t k = 0; k < n; k++) {
        covered += p[k].kind == NEY_KIND_FLAG     ? sizeof(bool)
                   : p[k].kind == NEY_KIND_CHOICE ? sizeof(int)
                   : p[k].kind == NEY_KIND_TEXT   ? sizeof(char *)
                   : p[k].kind == NEY_KIND_SIZES  ? sizeof a.network
                                                  : sizeof(double);
        spare -= p[k].offset >= offsetof(ney_train_opts, goal_option) ? sizeof(double) : 0;
    }
    assert_int_equal(differ, sizeof a - covered);
    assert_true(differ - sizeof a.qvalue.reserved - spare < sizeof(double));
    assert_true(a.kernel == NEY_KERNEL_LINEAR && a.gamma == 0 && a.degree == 3 && a.coef0 == 0);
    assert_true(a.cache == 0 && a.method == NEY_METHOD_AUTO && a.eta == 1 && a.seed == 1);
    assert_true(a.start == 0 && a.loss == NEY_LOSS_RAMP && !a.resume && a.epochs == 0);
    assert_true(isnan(a.max_fpr) && isnan(a.max_fnr) && a.confidence == 0.95 && isnan(a.holdout));
    assert_true(isnan(a.reject_cost) && isnan(a.reject_cost_fn) && isnan(a.reject_cost_fp));
    assert_true(isnan(a.delta0) && a.rule == NEY_RULE_GRANDVALET && !a.conformal);
    assert_true(a.C == 1 && a.cost_fn == 1 && a.cost_fp == 1 && a.tol == 1e-3);
    assert_true(a.max_iter == 0 && a.max_time == 0);
    assert_int_equal(ney_params_check(p, n, &a, NULL), NEY_OK);
}

static void test_stop_text(void **state)
{
    (void)state;
    assert_string_equal(ney_stop_text(NEY_STOP_CONVERGED), "converged");
    assert_string_equal(ney_stop_text(NEY_STOP_ITERATIONS), "iterations");
    assert_string_equal(ney_stop_text(NEY_STOP_TIME), "time");
    assert_string_equal(ney_stop_text(NEY_STOP_CANCELLED), "cancelled");
    assert_string_equal(ney_stop_text(NEY_STOP_PRECISION), "precision");
    assert_string_equal(ney_stop_text((ney_stop)77), "unknown");
}

/* ---------------------------------------------------------------- a problem that takes a while */

enum { ROWS = 600, COLS = 7 };

static ney_data *noisy_data(void)
{
    static float x[ROWS * COLS];
    static int8_t y[ROWS];
    for (int i = 0; i < ROWS; i++) {
        double sum = 0;
        for (int j = 0; j < COLS; j++) {
            x[i * COLS + j] = (float)sin(1 + i * (j + 1.7) + 0.3 * j);
            sum += (double)x[i * COLS + j];
        }
        y[i] = sum + 2 * sin(i * 12.9898) > 0.4 ? 1 : -1;
    }
    return data_of(ROWS, COLS, x, y, NULL);
}

static const char *metadata_text(const ney_model *m, const char *key, double *value)
{
    const char *name, *text;
    for (int64_t k = 0; ney_model_metadata(m, NEY_METADATA_SUMMARY, k, &name, value, &text); k++) {
        if (strcmp(name, key) == 0) {
            return text;
        }
    }
    fail_msg("no metadata %s", key);
    return NULL;
}

static double metadata_number(const ney_model *m, const char *key)
{
    double value = NAN;
    assert_null(metadata_text(m, key, &value));
    return value;
}

static void test_summary_tells_how_it_was_made(void **state)
{
    ney_train_opts o = defaults();
    ney_train_info info;
    ney_model *m = NULL;
    ney_data *d = noisy_data();
    double unused;
    (void)state;
    o.C = 2;
    o.cost_fn = 3;
    o.cost_fp = 0.5;
    assert_int_equal(ney_train(&m, NULL, d, &o, &info, NULL), NEY_OK);
    assert_int_equal(info.stop, NEY_STOP_CONVERGED);
    assert_string_equal(metadata_text(m, "goal", &unused), "cost");
    assert_string_equal(metadata_text(m, "method", &unused), "auto");
    assert_string_equal(metadata_text(m, "stop", &unused), "converged");
    assert_true(metadata_number(m, "n") == ROWS);
    assert_true(metadata_number(m, "n_pos") + metadata_number(m, "n_neg") == ROWS);
    assert_true(metadata_number(m, "c") == 2 && metadata_number(m, "cost_fn") == 3);
    assert_true(metadata_number(m, "cost_fp") == 0.5 && metadata_number(m, "tol") == 1e-3);
    assert_true(metadata_number(m, "objective") == info.objective);
    assert_true(metadata_number(m, "dual_objective") == info.dual_objective);
    assert_true(metadata_number(m, "gap") == info.gap && metadata_number(m, "converged") == 1);
    assert_true(metadata_number(m, "iterations") == (double)info.iterations && info.iterations > 0);
    assert_true(metadata_number(m, "support_vectors") == (double)info.support_vectors);
    assert_true(info.support_vectors > 0 && info.support_vectors < ROWS);
    ney_model_free(m);
    ney_data_free(d);
}

static void test_tight_tolerance_is_reached(void **state)
{
    ney_train_opts o = defaults();
    ney_train_info loose, tight;
    ney_model *m = NULL;
    ney_data *d = noisy_data();
    (void)state;
    assert_int_equal(ney_train(&m, NULL, d, NULL, &loose, NULL), NEY_OK);
    ney_model_free(m);
    o.tol = 1e-8;
    assert_int_equal(ney_train(&m, NULL, d, &o, &tight, NULL), NEY_OK);
    assert_int_equal(tight.stop, NEY_STOP_CONVERGED);
    assert_true(loose.gap < 1e-3 * loose.objective && tight.gap < 1e-8 * tight.objective);
    assert_true(fabs(loose.objective - tight.objective) <= loose.gap + tight.gap);
    ney_model_free(m);
    ney_data_free(d);
}

/* A tolerance near what double can reach ends all the same, at a small gap: w'x alone is
 * rounded by more than the tolerance. */
static void test_impossible_tolerance_ends(void **state)
{
    enum { FAR_ROWS = 60, FAR_COLS = 4 };
    float x[FAR_ROWS * FAR_COLS];
    int8_t y[FAR_ROWS];
    (void)state;
    for (int i = 0; i < FAR_ROWS; i++) {
        for (int j = 0; j < FAR_COLS; j++) {
            x[i * FAR_COLS + j] = 3000 * (float)sin(i * (j + 1.1));
        }
        y[i] = sin(i * 1.1) + sin(7.0 * i) > 0 ? 1 : -1;
    }
    for (int kernel = 0; kernel < 2; kernel++) {
        ney_train_opts o = defaults();
        ney_train_info info;
        ney_model *m = NULL;
        ney_data *d = data_of(FAR_ROWS, FAR_COLS, x, y, NULL);
        o.kernel = (ney_kernel_kind)kernel;
        o.C = kernel == NEY_KERNEL_RBF ? 1e5 : 1e-3;
        o.tol = 1e-12;
        assert_int_equal(ney_train(&m, NULL, d, &o, &info, NULL), NEY_OK);
        if ((info.stop != NEY_STOP_PRECISION && info.stop != NEY_STOP_CONVERGED) ||
            info.gap > 1e-6 * info.objective) {
            fail_msg("kernel %d: stop %d gap %g of %g", kernel, (int)info.stop, info.gap,
                     info.objective);
        }
        ney_model_free(m);
        ney_data_free(d);
    }
}

/* Four kernels, from the options to the scores of the model. */
static void test_kernels(void **state)
{
    ney_data *d = noisy_data();
    static double score[ROWS];
    (void)state;
    for (int kernel = 0; kernel < 4; kernel++) {
        ney_train_opts o = defaults();
        ney_train_info info;
        ney_model *m = NULL;
        double loss = 0;
        o.kernel = (ney_kernel_kind)kernel;
        o.coef0 = kernel == NEY_KERNEL_SIGMOID ? -1 : kernel == NEY_KERNEL_POLY ? 1 : 0;
        o.gamma = kernel == NEY_KERNEL_SIGMOID ? 0.01 : 0; /* 0: from the data */
        o.cost_fp = 2;
        assert_int_equal(ney_train(&m, NULL, d, &o, &info, NULL), NEY_OK);
        assert_int_equal(info.stop, NEY_STOP_CONVERGED);
        assert_true(info.support_vectors > 0 && info.gap < 2e-3 * info.objective);
        assert_int_equal(ney_model_score(m, NULL, ney_data_matrix(d), score, NULL), NEY_OK);
        for (int i = 0; i < ROWS; i++) {
            const double y = (double)ney_data_label(d)[i];
            loss += (y > 0 ? 1 : 2) * fmax(0, 1 - y * score[i]);
        }
        /* The objective is 1/2 |w|^2 + loss and the dual at the optimum is sum a - 1/2 |w|^2. */
        assert_true(loss <= info.objective * (1 + 1e-4));
        ney_model_free(m);
    }
    ney_data_free(d);
}

/* The memory for kernel rows cannot show in the model. */
static void test_cache_leaves_no_trace(void **state)
{
    ney_data *d = noisy_data();
    char *text[2];
    ney_model *m[2];
    size_t n[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        ney_train_opts o = defaults();
        o.kernel = NEY_KERNEL_RBF;
        o.cache = k == 0 ? 0 : 1e-3;
        assert_int_equal(ney_train(&m[k], NULL, d, &o, NULL, NULL), NEY_OK);
        assert_int_equal(ney_model_format(m[k], &text[k], &n[k], NULL), NEY_OK);
    }
    assert_int_equal(n[0], n[1]);
    assert_memory_equal(text[0], text[1], n[0]);
    for (int k = 0; k < 2; k++) {
        ney_model_text_free(m[k], text[k]);
        ney_model_free(m[k]);
    }
    ney_data_free(d);
}

static bool stop_at_third(void *user, const ney_progress *progress)
{
    assert_string_equal(progress->stage, "training");
    assert_true(progress->value > 0);
    return ++*(int *)user < 3;
}

static void test_stopped_runs_give_a_model(void **state)
{
    ney_train_opts o = defaults();
    ney_train_info info, one;
    ney_model *m = NULL;
    ney_data *d = noisy_data();
    ney_env env = ney_env_default();
    int polls = 0;
    double unused;
    (void)state;

    env.user = &polls;
    env.poll = stop_at_third;
    assert_int_equal(ney_train(&m, &env, d, &o, &info, NULL), NEY_OK);
    assert_int_equal(info.stop, NEY_STOP_CANCELLED);
    assert_int_equal(polls, 3);
    assert_string_equal(metadata_text(m, "stop", &unused), "cancelled");
    assert_true(metadata_number(m, "converged") == 0);
    ney_model_free(m);

    o.max_iter = 1;
    assert_int_equal(ney_train(&m, NULL, d, &o, &one, NULL), NEY_OK);
    assert_int_equal(one.stop, NEY_STOP_ITERATIONS);
    assert_int_equal(one.iterations, 1);
    assert_true(isfinite(one.gap));
    ney_model_free(m);

    o.max_iter = 0;
    o.max_time = 1e-9;
    assert_int_equal(ney_train(&m, NULL, d, &o, &info, NULL), NEY_OK);
    assert_int_equal(info.stop, NEY_STOP_TIME);
    assert_true(isfinite(info.gap));
    ney_model_free(m);
    ney_data_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_problems_solved_on_paper),
        cmocka_unit_test(test_what_cannot_be_trained),
        cmocka_unit_test(test_every_option_has_a_row),
        cmocka_unit_test(test_stop_text),
        cmocka_unit_test(test_summary_tells_how_it_was_made),
        cmocka_unit_test(test_tight_tolerance_is_reached),
        cmocka_unit_test(test_impossible_tolerance_ends),
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_cache_leaves_no_trace),
        cmocka_unit_test(test_stopped_runs_give_a_model),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
