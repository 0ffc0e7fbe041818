/* Training on rows that come in groups: whole groups are held out, the certified rate is the mean
 * over groups and exceeds its bound as rarely as promised, and p-values hold for a random row of a
 * new group. Negatives and positives of a group share a random effect. */
#include "support/claim.h"
#include "support/cmocka_all.h"
#include "support/ref_groups.h"
#include "support/share.h"
#include "support/temp.h"

#include <neyman/experimental.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLS = 2, MOST = 8000 };

#define EFFECT 1.5

typedef struct design {
    int64_t groups, most; /* rows of a group: 1 to most */
    double slope;         /* above 0: more where the effect is larger */
} design;

static float cell[MOST * COLS];
static int8_t label[MOST];
static uint64_t group[MOST];

/* The effect moves the first column of all rows of a group; the classes differ in both columns. */
static void draw_row(rnd *r, double u, int y, float *x)
{
    x[0] = (float)(u + rnd_normal(r) + 1.5 * y);
    x[1] = (float)(rnd_normal(r) + 0.8 * y);
}

static int64_t draw_rows(rnd *r, const design *d)
{
    int64_t n = 0;
    for (int64_t g = 0; g < d->groups; g++) {
        const double u = EFFECT * rnd_normal(r);
        const uint64_t key = rnd_next(r);
        const int64_t size = 1 + (int64_t)((double)(d->most - 1) / (1 + exp(-d->slope * u)));
        for (int64_t i = 0; i < size && n < MOST; i++, n++) {
            label[n] = rnd_chance(r, 0.4) ? 1 : -1;
            draw_row(r, u, label[n] > 0 ? 1 : 0, cell + n * COLS);
            group[n] = key;
        }
    }
    return n;
}

static ney_data *make_data(int64_t n, bool grouped)
{
    const ney_matrix x = {.rows = n, .cols = COLS, .dense = cell};
    ney_data *d;
    assert_int_equal(ney_data_new(&d, NULL, &x, label, NULL, NULL), NEY_OK);
    if (grouped) {
        assert_int_equal(ney_data_set_groups(d, group, NULL), NEY_OK);
    }
    return d;
}

static ney_train_opts options(void)
{
    int64_t n;
    const ney_param *params = ney_train_params(&n);
    ney_train_opts o;
    ney_params_init(params, n, &o);
    return o;
}

static ney_model *train(const ney_data *d, const ney_train_opts *o, ney_train_info *info)
{
    ney_model *m;
    ney_error err = {0};
    ney_env env = ney_env_default();
    env.threads = 1; /* many small problems */
    if (ney_train(&m, &env, d, o, info, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    return m;
}

/* The truth: the error rate of a random row of class y in a random group. */
static double true_rate(const ney_model *m, int y)
{
    double b, low, high;
    const double *w = ney_model_weights(m, &b);
    ney_model_thresholds(m, &low, &high);
    const double mean = b + (y > 0 ? 1.5 * w[0] + 0.8 * w[1] : 0);
    const double deviation = sqrt(w[0] * w[0] * (1 + EFFECT * EFFECT) + w[1] * w[1]);
    const double above = 0.5 * erfc((high - mean) / deviation / sqrt(2));
    return y > 0 ? 1 - 0.5 * erfc((low - mean) / deviation / sqrt(2)) : above;
}

/* ---- what is held out */

static void check_whole_groups(const ney_train_opts *o, int64_t n)
{
    static int64_t rows[MOST];
    static bool learned[MOST];
    int64_t m;
    ney_data *d = make_data(n, true);
    assert_int_equal(ney_train_rows(d, o, rows, &m, NULL), NEY_OK);
    assert_true(m > 0 && m < n);
    memset(learned, 0, sizeof learned);
    for (int64_t i = 0; i < m; i++) {
        learned[rows[i]] = true;
    }
    for (int64_t i = 1; i < n; i++) { /* rows of a group lie together */
        assert_true(group[i] != group[i - 1] || learned[i] == learned[i - 1]);
    }
    ney_data_free(d);
}

static void prop_whole_groups_are_held_out(void **state)
{
    (void)state;
    for (int64_t k = 0; k < test_times(20); k++) {
        rnd r = rnd_new(10 + (uint64_t)k);
        const int64_t n = draw_rows(&r, &(design){150, 8, 1});
        ney_train_opts o = options();
        o.seed = 1 + k;
        o.max_fpr = 0.1;
        check_whole_groups(&o, n);
        o.max_fnr = 0.2;
        check_whole_groups(&o, n);
        o = options();
        o.conformal = true;
        check_whole_groups(&o, n);
    }
}

/* The certificate is that of the rows held out, as the array function gives it. */
static void prop_certificate_is_that_of_arrays(void **state)
{
    (void)state;
    for (int64_t k = 0; k < test_times(5); k++) {
        rnd r = rnd_new(50 + (uint64_t)k);
        const int64_t n = draw_rows(&r, &(design){120, 6, 0});
        ney_train_opts o = options();
        static int64_t rows[MOST];
        static double score[MOST], own[MOST];
        static uint64_t key[MOST];
        static bool learned[MOST];
        ney_train_info info = {0};
        ney_certificate c;
        int64_t m, held = 0;
        o.max_fpr = 0.1;
        ney_data *d = make_data(n, true);
        ney_model *model = train(d, &o, &info);
        assert_int_equal(ney_train_rows(d, &o, rows, &m, NULL), NEY_OK);
        assert_int_equal(ney_model_score(model, NULL, ney_data_matrix(d), score, NULL), NEY_OK);
        memset(learned, 0, sizeof learned);
        for (int64_t i = 0; i < m; i++) {
            learned[rows[i]] = true;
        }
        for (int64_t i = 0; i < n; i++) {
            if (!learned[i] && label[i] < 0) {
                own[held] = score[i];
                key[held++] = group[i];
            }
        }
        const ney_labelled_scores negatives = {.score = own, .group = key, .n = held};
        assert_int_equal(
            ney_certify_groups(&c, NULL, NEY_FALSE_POSITIVES, &negatives, 0.1, 0.05, NULL), NEY_OK);
        assert_int_equal(info.certificate.n, held);
        assert_int_equal(info.certificate.n_groups, ref_group_count(key, held));
        assert_true(fabs(info.certificate.group_rate - c.group_rate) < 1e-12);
        if ((double)c.n_groups >=
            4 * ney_rows_needed(0.1, 0.05) / 3) { /* the draw depends on keys */
            assert_true(info.certificate.threshold == c.threshold);
        }
        ney_model_free(model);
        ney_data_free(d);
    }
}

/* ---- simulations with known truth */

static int64_t violations(uint64_t stream, bool grouped, const ney_train_opts *o, const design *d,
                          int64_t draws)
{
    int64_t bad = 0;
    for (int64_t k = 0; k < draws; k++) {
        rnd r = rnd_new(stream + (uint64_t)k);
        const int64_t n = draw_rows(&r, d);
        ney_data *data = make_data(n, grouped);
        ney_train_info info = {0};
        ney_train_opts own = *o;
        own.seed = 1 + k;
        ney_model *m = train(data, &own, &info);
        assert_true(info.certified && (info.certificate.n_groups > 0) == grouped);
        bad += (!isnan(o->max_fpr) && true_rate(m, -1) > o->max_fpr) ||
               (!isnan(o->max_fnr) && true_rate(m, 1) > o->max_fnr);
        ney_model_free(m);
        ney_data_free(data);
    }
    return bad;
}

static void prop_certified_training_holds(void **state)
{
    const int64_t draws = test_share(200);
    ney_train_opts o = options();
    (void)state;
    o.method = NEY_METHOD_CONVEX;
    o.confidence = 0.9;
    o.max_fpr = 0.1;
    claim_check("groups: train --max-fpr, 100 groups of 1-20",
                violations(1000000, true, &o, &(design){100, 20, -1}, draws), draws, 0.1);
    o.method = NEY_METHOD_AUTO;
    o.max_fnr = 0.2;
    claim_check("groups: train, both rates, 150 groups of 1-10",
                violations(2000000, true, &o, &(design){150, 10, 1}, draws), draws, 0.1);
    o = options();
    o.confidence = 0.9;
    o.max_fnr = 0.1;
    o.method = NEY_METHOD_ONLINE;
    o.epochs = 2;
    claim_check("groups: train --method online --max-fnr, 120 groups of 1-10",
                violations(3000000, true, &o, &(design){120, 10, 1}, draws), draws, 0.1);
}

/* Rows as units certify the same data, and the rate of a new group exceeds the bound far more
 * often: this is what --group is for. */
static void prop_rows_as_units_fail(void **state)
{
    const int64_t draws = test_times(200);
    ney_train_opts o = options();
    (void)state;
    o.method = NEY_METHOD_CONVEX;
    o.confidence = 0.9;
    o.max_fpr = 0.1;
    o.holdout = 0.5;
    const int64_t bad = violations(4000000, false, &o, &(design){60, 40, -1}, draws);
    print_message("rows as units: %lld of %lld models exceed the bound, 0.1 allowed\n",
                  (long long)bad, (long long)draws);
    assert_true(claim_upper_tail(bad, draws, 0.1L) < 1e-5L);
}

/* One new row of a new group per draw, of either class. */
static void prop_p_values_hold(void **state)
{
    const int64_t draws = test_share(250);
    const double e = 0.2;
    int64_t missed[2] = {0, 0}, by_rows = 0;
    (void)state;
    for (int64_t k = 0; k < draws; k++) {
        rnd r = rnd_new(5000000 + (uint64_t)k);
        const int64_t n = draw_rows(&r, &(design){40, 12, -1});
        ney_train_opts o = options();
        o.conformal = true;
        o.holdout = 0.5;
        o.seed = 1 + k;
        for (int grouped = 1; grouped >= 0; grouped--) {
            ney_train_info info = {0};
            int64_t n_pos, n_neg;
            ney_data *d = make_data(n, grouped);
            ney_model *m = train(d, &o, &info);
            assert_true(ney_model_calibrated_groups(m, &n_pos, &n_neg) == (grouped == 1));
            for (int y = 0; y < 2; y++) {
                float x[COLS];
                double s, p[2];
                draw_row(&r, EFFECT * rnd_normal(&r), y, x);
                const ney_matrix row = {.rows = 1, .cols = COLS, .dense = x};
                assert_int_equal(ney_model_score(m, NULL, &row, &s, NULL), NEY_OK);
                assert_int_equal(ney_model_p_values(m, &s, 1, &p[1], &p[0], NULL), NEY_OK);
                assert_true(p[y] > 0 && p[y] <= 1);
                if (grouped) {
                    missed[y] += p[y] <= e;
                } else {
                    by_rows += p[y] <= e;
                }
            }
            ney_model_free(m);
            ney_data_free(d);
        }
    }
    claim_check("groups: conformal p-values of negatives", missed[0], draws, e);
    claim_check("groups: conformal p-values of positives", missed[1], draws, e);
    print_message("rows as units: %.3f of p-values are at most %g\n",
                  (double)by_rows / (2.0 * (double)draws), e);
}

/* ---- p-values as they are defined, kept by the file */

static void prop_p_values_are_counted(void **state)
{
    (void)state;
    for (int64_t t = 0; t < test_times(20); t++) {
        rnd r = rnd_new(700 + (uint64_t)t);
        enum { N = 60, AT = 20 };
        double score[N], at[AT], p[2][AT], back_p[2][AT];
        int8_t y[N];
        uint64_t key[N];
        char *bytes;
        size_t length;
        ney_model *m, *back;
        const ney_matrix x = {.rows = 2, .cols = 1, .dense = (const float[]){0, 1}};
        ney_data *d;
        const double weight = 1;
        for (int i = 0; i < N; i++) {
            score[i] = (double)rnd_below(&r, 12);
            y[i] = i < 2 ? (int8_t)(2 * i - 1) : rnd_chance(&r, 0.5) ? 1 : -1;
            key[i] = (uint64_t)rnd_below(&r, 15);
        }
        assert_int_equal(ney_data_new(&d, NULL, &x, (const int8_t[]){-1, 1}, NULL, NULL), NEY_OK);
        assert_int_equal(
            ney_model_new_linear(&m, NULL, ney_data_preprocessing(d), &weight, 0, NULL), NEY_OK);
        assert_int_equal(ney_model_calibrate_groups(m, score, y, key, N, NULL), NEY_OK);
        assert_int_equal(ney_model_format(m, &bytes, &length, NULL), NEY_OK);
        assert_int_equal(ney_model_parse(&back, NULL, "m", bytes, length, NULL), NEY_OK);
        for (int i = 0; i < AT; i++) {
            at[i] = (double)i - 4 + 0.5 * (double)rnd_below(&r, 2);
        }
        assert_int_equal(ney_model_p_values(m, at, AT, p[1], p[0], NULL), NEY_OK);
        assert_int_equal(ney_model_p_values(back, at, AT, back_p[1], back_p[0], NULL), NEY_OK);
        assert_memory_equal(p, back_p, sizeof p);
        for (int i = 0; i < AT; i++) {
            for (int c = 0; c < 2; c++) {
                long double sum = 1;
                int64_t groups = 0;
                for (uint64_t g = 0; g < 15; g++) {
                    int64_t size = 0, odd = 0;
                    for (int k = 0; k < N; k++) {
                        const bool own = key[k] == g && y[k] == (c ? 1 : -1);
                        size += own;
                        odd += own && (c ? score[k] <= at[i] : score[k] >= at[i]);
                    }
                    groups += size > 0;
                    sum += size > 0 ? (long double)odd / (long double)size : 0;
                }
                assert_true(fabsl(sum / (long double)(groups + 1) - (long double)p[c][i]) < 1e-12L);
            }
        }
        ney_model_text_free(m, bytes);
        ney_model_free(back);
        ney_model_free(m);
        ney_data_free(d);
    }
}

/* A bounded FDR has spectra, and says so. */
static void test_fdr_refuses_groups(void **state)
{
    rnd r = rnd_new(3);
    ney_train_opts o = options();
    ney_model *m;
    ney_error err = {0};
    (void)state;
    o.max_fdr = "0.1";
    ney_data *d = make_data(draw_rows(&r, &(design){50, 5, 0}), true);
    assert_int_equal(ney_train(&m, NULL, d, &o, NULL, &err), NEY_EINVAL);
    assert_non_null(strstr(err.message, "spectrum"));
    ney_data_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_whole_groups_are_held_out),
        cmocka_unit_test(prop_certificate_is_that_of_arrays),
        cmocka_unit_test(prop_certified_training_holds),
        cmocka_unit_test(prop_rows_as_units_fail),
        cmocka_unit_test(prop_p_values_hold),
        cmocka_unit_test(prop_p_values_are_counted),
        cmocka_unit_test(test_fdr_refuses_groups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
