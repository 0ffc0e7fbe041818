/* Neyman-Pearson training: the parts by hand, options that contradict, degenerate requests. */
#include "learn/batch/multiplier.h"
#include "learn/threshold.h"

#include <neyman/experimental.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static ney_train_opts defaults(void)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    ney_params_init(p, n, &o);
    o.confidence = (double)NAN; /* the bound holds on the training rows */
    return o;
}

static ney_data *line(int64_t rows, const float *x, const int8_t *y, const float *weight)
{
    const ney_matrix m = {.rows = rows, .cols = 1, .dense = x};
    ney_data *d = NULL;
    assert_int_equal(ney_data_new(&d, NULL, &m, y, weight, NULL), NEY_OK);
    return d;
}

/* ---------------------------------------------------------------- the search */

static double power_law(double lambda)
{
    return fmin(1, 0.2 * pow(lambda, -0.8));
}

static double step_down(double lambda) /* jumps over the aim */
{
    return lambda < 3 ? 0.3 : 0.01;
}

static void test_multiplier_finds_the_rate(void **state)
{
    ney_multiplier m = {.aim = 0.01, .small = 1e-4};
    double lambda = 1;
    int tries = 0;
    (void)state;
    for (; fabs(power_law(lambda) - 0.01) > 1e-4; tries++) {
        assert_true(tries < 8);
        ney_multiplier_see(&m, lambda, power_law(lambda));
        lambda = ney_multiplier_next(&m);
    }
    assert_true(tries > 0);
}

static void test_multiplier_closes_in_on_a_jump(void **state)
{
    ney_multiplier m = {.aim = 0.1, .small = 1e-4};
    double lambda = 1;
    (void)state;
    for (int tries = 0; !ney_multiplier_is_tight(&m, 1.01); tries++) {
        assert_true(tries < 30);
        ney_multiplier_see(&m, lambda, step_down(lambda));
        lambda = ney_multiplier_next(&m);
    }
    assert_true(exp(m.low) < 3 && exp(m.high) >= 3);
}

/* What is seen last counts: an end that it contradicts is dropped. */
static void test_multiplier_drops_what_is_contradicted(void **state)
{
    ney_multiplier m = {.aim = 0.1, .small = 1e-4};
    (void)state;
    ney_multiplier_see(&m, 1, 0.5);
    ney_multiplier_see(&m, 4, 0.05);
    assert_true(m.has_low && m.has_high);
    ney_multiplier_see(&m, 5, 0.2);
    assert_true(m.has_low && !m.has_high && exp(m.low) > 4.9);
    assert_true(ney_multiplier_next(&m) > 5);
    ney_multiplier_see(&m, 4.5, 0.01);
    assert_true(!m.has_low && m.has_high);
    assert_true(ney_multiplier_next(&m) < 4.5);
}

/* ---------------------------------------------------------------- the threshold */

static void test_rows_allowed(void **state)
{
    (void)state;
    assert_int_equal(ney_threshold_allowed(100, 0.29), 29); /* 0.29 * 100 is below 29 in double */
    assert_int_equal(ney_threshold_allowed(100, 0), 0);
    assert_int_equal(ney_threshold_allowed(100, 1), 100);
    assert_int_equal(ney_threshold_allowed(99, 0.01), 0);
    assert_int_equal(ney_threshold_allowed(3, 1.0 / 3), 1);
    for (int64_t n = 1; n < 400; n++) {
        for (int64_t k = 0; k <= n; k++) {
            assert_int_equal(ney_threshold_allowed(n, (double)k / (double)n), k);
        }
    }
}

/* Rows on a line whose scores are the rows themselves: w = 1, b = 0. */
static double threshold_of(const float *x, const int8_t *y, int64_t n, ney_error_kind kind,
                           double rate, ney_counts *counts)
{
    const double weight = 1;
    double low, high;
    ney_data *d = line(n, x, y, NULL);
    ney_task t = {
        .env = ney_env_default(), .data = d, .x = ney_data_matrix(d), .label = ney_data_label(d)};
    ney_model *m = NULL;
    for (int64_t i = 0; i < n; i++) {
        *(y[i] > 0 ? &t.n_pos : &t.n_neg) += 1;
    }
    assert_int_equal(ney_model_new_linear(&m, NULL, ney_data_preprocessing(d), &weight, 0, NULL),
                     NEY_OK);
    assert_int_equal(ney_threshold_set(m, &t, kind, rate, counts, NULL), NEY_OK);
    ney_model_thresholds(m, &low, &high);
    assert_true(low == high);
    ney_model_free(m);
    ney_data_free(d);
    return low;
}

static void test_thresholds_by_hand(void **state)
{
    static const float x[] = {-4, -2, -1, 2, 4, -3, 1, 3, 6, 8};
    static const int8_t y[] = {-1, -1, -1, -1, -1, 1, 1, 1, 1, 1};
    static const struct {
        ney_error_kind kind;
        double rate, threshold;
        int64_t fp, fn;
    } cases[] = {
        {NEY_FALSE_POSITIVES, 0, 5, 0, 3},      /* between 4 and 6 */
        {NEY_FALSE_POSITIVES, 0.2, 2.5, 1, 2},  /* between 2 and 3 */
        {NEY_FALSE_POSITIVES, 0.39, 2.5, 1, 2}, /* one and a half rows: one */
        {NEY_FALSE_POSITIVES, 0.4, 0, 2, 1},    /* 0 lies between -1 and 1 */
        {NEY_FALSE_POSITIVES, 0.8, -3.5, 4, 0}, /* between -4 and -3 */
        {NEY_FALSE_POSITIVES, 1, -4, 5, 0},     /* everything */
        {NEY_FALSE_NEGATIVES, 0, -3.5, 4, 0},   /* between -4 and -3 */
        {NEY_FALSE_NEGATIVES, 0.2, 0, 2, 1},    /* 0 lies between -1 and 1 */
        {NEY_FALSE_NEGATIVES, 0.6, 5, 0, 3},    /* between 4 and 6 */
        {NEY_FALSE_NEGATIVES, 0.8, 7, 0, 4},    /* between 6 and 8 */
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ney_counts c;
        const double t = threshold_of(x, y, 10, cases[k].kind, cases[k].rate, &c);
        if (t != cases[k].threshold || c.fp != cases[k].fp || c.fn != cases[k].fn) {
            fail_msg("case %zu: threshold %g, %lld and %lld wrong", k, t, (long long)c.fp,
                     (long long)c.fn);
        }
    }
}

/* Rows that tie are misclassified together or not at all; nobody above: the next number. */
static void test_thresholds_with_ties(void **state)
{
    static const float x[] = {1, 1, 1, 0, 1}, all[] = {2, 2, 2, 2, 2};
    static const int8_t y[] = {-1, -1, -1, -1, 1};
    ney_counts c;
    (void)state;
    assert_true(threshold_of(x, y, 5, NEY_FALSE_POSITIVES, 0.5, &c) == nextafter(1, 2));
    assert_true(c.fp == 0 && c.fn == 1);
    assert_true(threshold_of(x, y, 5, NEY_FALSE_POSITIVES, 0.75, &c) == 0.5);
    assert_true(c.fp == 3 && c.fn == 0);
    assert_true(threshold_of(all, y, 5, NEY_FALSE_POSITIVES, 0.75, &c) == nextafter(2, 3));
    assert_true(threshold_of(all, y, 5, NEY_FALSE_NEGATIVES, 0.75, &c) == 0 && c.fn == 0);
}

/* ---------------------------------------------------------------- options */

/* What a caller must not do: fit scaling on rows that will be held out. */
static void test_scaling_fitted_on_held_out_rows(void **state)
{
    enum { N = 120 };
    static float x[N];
    static int8_t y[N];
    static const struct {
        ney_scaling scaling;
        int method;
        bool conformal, all, refused;
    } cases[] = {
        {NEY_SCALING_STANDARD, NEY_METHOD_AUTO, false, true, true},
        {NEY_SCALING_MINMAX, NEY_METHOD_CONVEX, false, true, true},
        {NEY_SCALING_STANDARD, NEY_METHOD_ONLINE, false, true, true},
        {NEY_SCALING_STANDARD, NEY_METHOD_AUTO, true, true, true},
        {NEY_SCALING_UNIT, NEY_METHOD_AUTO, false, true, false}, /* nothing is fitted */
        {NEY_SCALING_STANDARD, NEY_METHOD_AUTO, false, false, false},
        {NEY_SCALING_STANDARD, NEY_METHOD_AUTO, true, false, false},
        {NEY_SCALING_STANDARD, NEY_METHOD_ONLINE, false, false, false},
    };
    (void)state;
    for (int i = 0; i < N; i++) {
        y[i] = i % 2 ? 1 : -1;
        x[i] = (float)(i * 37 % 101) + 30.0F * y[i];
    }
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ney_train_opts o = defaults();
        ney_data *d = line(N, x, y, NULL), *part = NULL;
        ney_model *m = NULL;
        ney_error err = {0};
        int64_t rows[N], n;
        o.max_fpr = cases[k].conformal ? (double)NAN : 0.2;
        o.confidence = cases[k].conformal ? (double)NAN : 0.9;
        o.conformal = cases[k].conformal;
        o.method = (ney_method)cases[k].method;
        assert_int_equal(ney_train_rows(d, &o, rows, &n, NULL), NEY_OK);
        assert_true(n > 0 && n < N);
        assert_int_equal(ney_data_prepare(d, cases[k].scaling, cases[k].all ? NULL : rows, n, NULL),
                         NEY_OK);
        assert_int_equal(ney_train(&m, NULL, d, &o, NULL, &err),
                         cases[k].refused ? NEY_EINVAL : NEY_OK);
        ney_model_free(m);
        assert_true(!cases[k].refused || (strstr(err.message, "ney_train_rows()") &&
                                          strstr(err.message, "ney_data_prepare()")));
        if (o.method != NEY_METHOD_ONLINE) {
            assert_int_equal(ney_tune(&m, NULL, d, NULL, &o, NULL, NULL, &err),
                             cases[k].refused ? NEY_EINVAL : NEY_OK);
            ney_model_free(m);
        }
        for (int i = 0; i < N; i++) { /* a copy knows as much */
            rows[i] = N - 1 - i;
        }
        assert_int_equal(ney_data_take(&part, d, rows, N, NULL), NEY_OK);
        if (cases[k].refused) {
            assert_int_equal(ney_train(&m, NULL, part, &o, NULL, &err), NEY_EINVAL);
        }
        o.confidence = (double)NAN; /* nothing is held out, nothing is refused */
        o.conformal = false;
        assert_int_equal(ney_train(&m, NULL, d, &o, NULL, NULL), NEY_OK);
        ney_model_free(m);
        ney_data_free(part);
        ney_data_free(d);
    }
}

static void test_options_that_contradict(void **state)
{
    static const struct {
        const char *why;
        double max_fpr, max_fnr, confidence, holdout, cost_fp;
        int method;
        const char *says;
    } bad[] = {
        {"two rates", 0.1, 0.1, NAN, NAN, 1, 0, "max-fpr and max-fnr at once"},
        {"costs", 0.1, NAN, NAN, NAN, 5, 0, "--cost-fp applies to goals with costs"},
        {"holdout alone", 0.1, NAN, NAN, 0.5, 1, 0, "--holdout applies to --confidence"},
        {"certainty", 0.1, NAN, 1, NAN, 1, 0, "cannot be certified by any number of rows"},
        {"one of two rates 1", 1, 0.1, 0.9, NAN, 1, 0, "allows every error"},
        {"nothing to be sure of", NAN, NAN, 0.9, NAN, 1, 0, "--confidence applies to --max-fpr"},
        {"a method for nothing", NAN, NAN, NAN, NAN, 1, NEY_METHOD_UZAWA,
         "--method uzawa applies to --max-fpr"},
        {"above 1", 1.5, NAN, NAN, NAN, 1, 0, "max-fpr = 1.5"},
        {"below 0", NAN, -0.1, NAN, NAN, 1, 0, "max-fnr = -0.1"},
    };
    static const float x[] = {1, 2};
    static const int8_t y[] = {1, -1};
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        ney_train_opts o = defaults();
        ney_data *d = line(2, x, y, NULL);
        ney_error err = {0};
        ney_model *m = NULL;
        int64_t rows[2], n;
        o.max_fpr = bad[k].max_fpr;
        o.max_fnr = bad[k].max_fnr;
        o.confidence = bad[k].confidence;
        o.holdout = bad[k].holdout;
        o.cost_fp = bad[k].cost_fp;
        o.method = (ney_method)bad[k].method;
        assert_int_equal(ney_train(&m, NULL, d, &o, NULL, &err), NEY_EINVAL);
        assert_null(m);
        if (!strstr(err.message, bad[k].says)) {
            fail_msg("%s: %s", bad[k].why, err.message);
        }
        assert_int_equal(ney_train_rows(d, &o, rows, &n, NULL), NEY_EINVAL);
        ney_data_free(d);
    }
}

/* ---------------------------------------------------------------- small requests */

/* One row of each class, on either side. */
static void test_two_rows(void **state)
{
    static const float x[] = {1, -1};
    static const int8_t y[] = {1, -1};
    (void)state;
    for (int way = 0; way < 2; way++) {
        ney_train_opts o = defaults();
        ney_train_info info;
        ney_model *m = NULL;
        ney_data *d = line(2, x, y, NULL);
        *(way == 0 ? &o.max_fpr : &o.max_fnr) = 0;
        o.C = 100;
        assert_int_equal(ney_train(&m, NULL, d, &o, &info, NULL), NEY_OK);
        assert_int_equal(info.stop, NEY_STOP_CONVERGED);
        assert_true(info.counts.tp == 1 && info.counts.tn == 1);
        assert_true(info.lambda > 0 && info.constraint != NEY_CONSTRAINT_NONE);
        ney_model_free(m);
        ney_data_free(d);
    }
}

static void test_a_rate_of_one_allows_all(void **state)
{
    static const float x[] = {1, -1, 3};
    static const int8_t y[] = {1, -1, -1};
    (void)state;
    for (int way = 0; way < 2; way++) {
        ney_train_opts o = defaults();
        ney_train_info info;
        ney_model *m = NULL;
        ney_data *d = line(3, x, y, NULL);
        double low, high, b;
        *(way == 0 ? &o.max_fpr : &o.max_fnr) = 1;
        o.eta = 0.5;
        assert_int_equal(ney_train(&m, NULL, d, &o, &info, NULL), NEY_OK);
        assert_true(info.constraint == NEY_CONSTRAINT_SLACK && info.lambda == 0 &&
                    info.objective == 0);
        assert_true(info.counts.fn == (way == 0 ? 0 : 1) && info.counts.fp == (way == 0 ? 2 : 0));
        assert_true(ney_model_weights(m, &b)[0] == 0 && b == (way == 0 ? 0.5 : -0.5));
        ney_model_thresholds(m, &low, &high);
        assert_true(low == 0 && high == 0);
        ney_model_free(m);
        ney_data_free(d);
    }
}

/* Weights multiply losses: twice the weight is the row twice. A class without weight is refused. */
static void test_weights(void **state)
{
    enum { ROWS = 40 };
    float x[2 * ROWS], weight[ROWS];
    int8_t y[2 * ROWS];
    ney_train_opts o = defaults();
    ney_train_info once, twice;
    ney_model *m = NULL;
    ney_error err;
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        y[i] = y[ROWS + i] = i % 3 ? 1 : -1;
        x[i] = x[ROWS + i] = (float)(sin(7.3 * i) + 0.8 * y[i]);
        weight[i] = 2;
    }
    o.max_fpr = 0.2;
    o.tol = 1e-6;
    ney_data *a = line(ROWS, x, y, weight), *b = line((int64_t)2 * ROWS, x, y, NULL);
    assert_int_equal(ney_train(&m, NULL, a, &o, &once, NULL), NEY_OK);
    ney_model_free(m);
    assert_int_equal(ney_train(&m, NULL, b, &o, &twice, NULL), NEY_OK);
    ney_model_free(m);
    assert_true(fabs(once.objective - twice.objective) < 0.05 * twice.objective);
    assert_true(fabs(once.lambda - twice.lambda) < 0.2 * twice.lambda);
    ney_data_free(a);
    ney_data_free(b);
    for (int i = 0; i < ROWS; i++) {
        weight[i] = y[i] > 0 ? 1 : 0;
    }
    a = line(ROWS, x, y, weight);
    assert_int_equal(ney_train(&m, NULL, a, &o, NULL, &err), NEY_EINVAL);
    assert_non_null(strstr(err.message, "all negative rows have weight 0"));
    ney_data_free(a);
}

/* The model's own lines about the run are those of the info. */
static void test_summary(void **state)
{
    static const float x[] = {1, -1, 3, 0.5F, 0.7F, -2};
    static const int8_t y[] = {1, -1, 1, -1, 1, -1};
    ney_train_opts o = defaults();
    ney_train_info info;
    ney_model *m = NULL;
    ney_data *d = line(6, x, y, NULL);
    const char *key, *text;
    double value;
    int found = 0;
    (void)state;
    o.max_fnr = 0.4;
    o.method = NEY_METHOD_UZAWA;
    o.eta = 0.5;
    assert_int_equal(ney_train(&m, NULL, d, &o, &info, NULL), NEY_OK);
    for (int64_t k = 0; ney_model_metadata(m, NEY_METADATA_SUMMARY, k, &key, &value, &text); k++) {
        const struct {
            const char *key, *text;
            double value;
        } want[] = {{"goal", "np", 0},
                    {"method", "uzawa", 0},
                    {"constraint", ney_constraint_status_text(info.constraint), 0},
                    {"max_fnr", NULL, 0.4},
                    {"eta", NULL, 0.5},
                    {"lambda", NULL, info.lambda},
                    {"ramp_fpr", NULL, info.ramp_fpr},
                    {"ramp_fnr", NULL, info.ramp_fnr},
                    {"steps", NULL, (double)info.steps},
                    {"objective", NULL, info.objective},
                    {"gap", NULL, info.gap}};
        for (size_t j = 0; j < sizeof want / sizeof *want; j++) {
            if (strcmp(key, want[j].key) == 0) {
                found++;
                assert_true(want[j].text ? strcmp(text, want[j].text) == 0
                                         : value == want[j].value);
            }
        }
    }
    assert_int_equal(found, 11);
    ney_model_free(m);
    ney_data_free(d);
}

/* ---------------------------------------------------------------- holding out */

static ney_data *many(int64_t n_neg, int64_t n_pos)
{
    float *x = calloc((size_t)(n_neg + n_pos), sizeof *x);
    int8_t *y = calloc((size_t)(n_neg + n_pos), 1);
    for (int64_t i = 0; i < n_neg + n_pos; i++) {
        y[i] = i < n_neg ? -1 : 1;
        x[i] = (float)(sin(12.9 * (double)i) + (i < n_neg ? 0 : 1.5));
    }
    ney_data *d = line(n_neg + n_pos, x, y, NULL);
    free(x);
    free(y);
    return d;
}

static void test_rows_held_out(void **state)
{
    static const struct {
        int64_t n_neg;
        double rate, confidence, holdout;
        int64_t held; /* -1: cannot be */
    } cases[] = {
        {59, 0.05, 0.95, NAN, -1}, /* 59 are needed, and one to learn from */
        {60, 0.05, 0.95, NAN, 59},    {200, 0.05, 0.95, NAN, 100}, {100, 0.05, 0.95, 0.6, 60},
        {100, 0.05, 0.95, 0.5, -1},   {100, 0.05, 0.95, 1, -1},    {50, 0, 0.95, NAN, -1},
        {2000, 0.05, 0.95, NAN, 832}, /* the rate to expect is 0.0384 there, 0.0373 with one less */
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ney_train_opts o = defaults();
        ney_data *d = many(cases[k].n_neg, 20);
        int64_t *rows = calloc((size_t)cases[k].n_neg + 20, sizeof *rows), n = -1, pos = 0;
        ney_error err = {0};
        o.max_fpr = cases[k].rate;
        o.confidence = cases[k].confidence;
        o.holdout = cases[k].holdout;
        const ney_status st = ney_train_rows(d, &o, rows, &n, &err);
        const int64_t held = st == NEY_OK ? cases[k].n_neg + 20 - n : -1;
        if (held != cases[k].held) {
            fail_msg("case %zu: %lld held out, %s", k, (long long)held, err.message);
        }
        assert_int_equal(st, cases[k].held < 0 ? NEY_EGOAL : NEY_OK);
        for (int64_t i = 0; i < n; i++) { /* every positive, ascending */
            pos += rows[i] >= cases[k].n_neg;
            assert_true(i == 0 || rows[i] > rows[i - 1]);
        }
        assert_true(st != NEY_OK || pos == 20);
        free(rows);
        ney_data_free(d);
    }
}

/* Of many rows a share, not a number. */
static void test_share_held_out(void **state)
{
    static const double rates[] = {0.1, 0.05, 0.01};
    (void)state;
    for (int64_t n_neg = 2000; n_neg <= 32000; n_neg *= 4) {
        ney_data *d = many(n_neg, 20);
        int64_t *rows = calloc((size_t)n_neg + 20, sizeof *rows), n;
        for (size_t k = 0; k < sizeof rates / sizeof *rates; k++) {
            ney_train_opts o = defaults();
            o.max_fpr = rates[k];
            o.confidence = 0.95;
            assert_int_equal(ney_train_rows(d, &o, rows, &n, NULL), NEY_OK);
            const double share = (double)(n_neg + 20 - n) / (double)n_neg;
            if (!(share > 0.3 && share <= 0.5)) {
                fail_msg("%lld rows, rate %g: a share of %g", (long long)n_neg, rates[k], share);
            }
        }
        free(rows);
        ney_data_free(d);
    }
}

static void test_certified_run(void **state)
{
    ney_train_opts o = defaults();
    ney_train_info info;
    ney_model *m = NULL;
    ney_data *d = many(400, 100);
    int64_t rows[500], n, k = 0, misclassified = 0;
    double score[500], low, high, held[500];
    bool learned[500] = {false};
    ney_certificate c;
    (void)state;
    o.max_fpr = 0.1;
    o.confidence = 0.9;
    o.seed = 5;
    assert_int_equal(ney_train_rows(d, &o, rows, &n, NULL), NEY_OK);
    assert_int_equal(ney_train(&m, NULL, d, &o, &info, NULL), NEY_OK);
    assert_true(info.certified && info.held_out == 500 - n && info.certificate.n == 500 - n);
    assert_int_equal(info.counts.fp + info.counts.tn, 400 - info.held_out);
    assert_int_equal(ney_model_score(m, NULL, ney_data_matrix(d), score, NULL), NEY_OK);
    for (int64_t i = 0; i < n; i++) {
        learned[rows[i]] = true;
    }
    ney_model_thresholds(m, &low, &high);
    for (int64_t i = 0; i < 500; i++) {
        if (!learned[i]) {
            held[k++] = score[i];
            misclassified += score[i] >= high;
        }
    }
    assert_int_equal(ney_certify(&c, NULL, NEY_FALSE_POSITIVES, held, k, 0.1, 0.1, NULL), NEY_OK);
    assert_true(c.threshold == high && low == high && c.hash == info.certificate.hash);
    assert_int_equal(misclassified, info.certificate.misclassified);
    ney_model_free(m);
    ney_data_free(d);
}

/* Rows held out cannot show in the score function: change them all, and w and b stay. */
static void test_held_out_rows_are_not_seen(void **state)
{
    enum { N_NEG = 120, N_POS = 60, ROWS = N_NEG + N_POS };
    ney_train_opts o = defaults();
    float x[ROWS];
    int8_t y[ROWS];
    double w[2], b[2];
    int64_t rows[ROWS], n;
    bool learned[ROWS] = {false};
    (void)state;
    o.max_fpr = 0.1;
    o.confidence = 0.9;
    for (int i = 0; i < ROWS; i++) {
        y[i] = i < N_NEG ? -1 : 1;
        x[i] = (float)(sin(12.9 * i) + (i < N_NEG ? 0 : 1.5));
    }
    for (int way = 0; way < 2; way++) {
        ney_model *m = NULL;
        ney_data *d = line(ROWS, x, y, NULL);
        assert_int_equal(ney_train_rows(d, &o, rows, &n, NULL), NEY_OK);
        assert_int_equal(ney_train(&m, NULL, d, &o, NULL, NULL), NEY_OK);
        w[way] = ney_model_weights(m, &b[way])[0];
        ney_model_free(m);
        ney_data_free(d);
        for (int64_t i = 0; i < n; i++) {
            learned[rows[i]] = true;
        }
        for (int i = 0; i < ROWS; i++) {
            x[i] += learned[i] ? 0 : 50;
        }
    }
    assert_true(n < ROWS && w[0] == w[1] && b[0] == b[1] && w[0] != 0);
}

/* ---------------------------------------------------------------- stopping */

static bool stop_at_second(void *user, const ney_progress *progress)
{
    (void)progress;
    return ++*(int *)user < 2;
}

static void test_stopped_runs_keep_the_bound(void **state)
{
    for (int way = 0; way < 3; way++) {
        ney_train_opts o = defaults();
        ney_env env = ney_env_default();
        ney_data *d = many(300, 200);
        ney_model *m = NULL;
        ney_train_info info;
        int polls = 0;
        (void)state;
        env.user = &polls;
        env.poll = way == 0 ? stop_at_second : NULL;
        o.max_fpr = 0.05;
        o.kernel = way == 1 ? NEY_KERNEL_LINEAR : NEY_KERNEL_RBF;
        o.max_iter = way == 1 ? 5 : 0;
        o.max_time = way == 2 ? 1e-9 : 0;
        assert_int_equal(ney_train(&m, &env, d, &o, &info, NULL), NEY_OK);
        assert_int_equal(info.stop, way == 0   ? NEY_STOP_CANCELLED
                                    : way == 1 ? NEY_STOP_ITERATIONS
                                               : NEY_STOP_TIME);
        assert_true(info.constraint == NEY_CONSTRAINT_NONE && info.counts.fp <= 15);
        assert_true(way != 1 || info.iterations == 5);
        assert_true(way != 0 || polls == 2);
        ney_model_free(m);
        ney_data_free(d);
    }
}

static void test_end_text(void **state)
{
    (void)state;
    assert_string_equal(ney_constraint_status_text(NEY_CONSTRAINT_NONE), "none");
    assert_string_equal(ney_constraint_status_text(NEY_CONSTRAINT_ACTIVE), "active");
    assert_string_equal(ney_constraint_status_text(NEY_CONSTRAINT_SLACK), "slack");
    assert_string_equal(ney_constraint_status_text(NEY_CONSTRAINT_DISCONTINUOUS), "discontinuous");
    assert_string_equal(ney_constraint_status_text((ney_constraint_status)9), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_multiplier_finds_the_rate),
        cmocka_unit_test(test_multiplier_closes_in_on_a_jump),
        cmocka_unit_test(test_multiplier_drops_what_is_contradicted),
        cmocka_unit_test(test_rows_allowed),
        cmocka_unit_test(test_thresholds_by_hand),
        cmocka_unit_test(test_thresholds_with_ties),
        cmocka_unit_test(test_options_that_contradict),
        cmocka_unit_test(test_scaling_fitted_on_held_out_rows),
        cmocka_unit_test(test_two_rows),
        cmocka_unit_test(test_a_rate_of_one_allows_all),
        cmocka_unit_test(test_weights),
        cmocka_unit_test(test_summary),
        cmocka_unit_test(test_rows_held_out),
        cmocka_unit_test(test_share_held_out),
        cmocka_unit_test(test_certified_run),
        cmocka_unit_test(test_held_out_rows_are_not_seen),
        cmocka_unit_test(test_stopped_runs_keep_the_bound),
        cmocka_unit_test(test_end_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
