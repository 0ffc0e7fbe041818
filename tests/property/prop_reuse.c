/* Rows that were used in training and come again, and fresh rows that repeat them by chance, with
 * known truth. Features are drawn here, so that which rows were used is known. */
#include "decide/reuse.h"
#include "support/claim.h"
#include "support/cmocka_all.h"
#include "support/population.h"
#include "support/random_data.h"
#include "support/share.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- rows */

typedef struct rows {
    int64_t n, cols;
    float *value;
    int8_t *label;
} rows;

static rows rows_new(int64_t n, int64_t cols)
{
    const rows r = {n, cols, calloc((size_t)(n * cols), sizeof(float)), calloc((size_t)n, 1)};
    assert_non_null(r.value);
    assert_non_null(r.label);
    return r;
}

static void rows_free(rows *r)
{
    free(r->value);
    free(r->label);
}

static ney_data *data_of(const rows *r)
{
    const ney_matrix x = {.rows = r->n, .cols = r->cols, .dense = r->value};
    ney_data *d = NULL;
    assert_int_equal(ney_data_new(&d, NULL, &x, r->label, NULL, NULL), NEY_OK);
    return d;
}

/* Labels at random, features that know nothing of them: every threshold flags as many negatives as
 * positives, and what a model finds in its rows is noise. */
static rows draw_noise(rnd *r, int64_t n, int64_t cols)
{
    const rows out = rows_new(n, cols);
    for (int64_t i = 0; i < n; i++) {
        out.label[i] = i % 2 ? 1 : -1;
        for (int64_t c = 0; c < cols; c++) {
            out.value[i * cols + c] = (float)(rnd_unit(r) + rnd_unit(r) + rnd_unit(r) - 1.5);
        }
    }
    return out;
}

/* Discrete features of which many rows agree: column c takes `levels` values, the first ones more
 * often, and one in `columns` depends on the label. */
static rows draw_discrete(rnd *r, int64_t n, int64_t cols, int levels, double skew)
{
    const rows out = rows_new(n, cols);
    for (int64_t i = 0; i < n; i++) {
        out.label[i] = i % 2 ? 1 : -1;
        for (int64_t c = 0; c < cols; c++) {
            const double u = pow(rnd_unit(r), skew + (c % 3 == 0 && i % 2));
            out.value[i * cols + c] = (float)floor(u * levels);
        }
    }
    return out;
}

/* `part` of the rows of `from`, then rows of `fresh`, n in all. */
static rows mix_rows(rnd *r, const rows *from, const rows *fresh, int64_t part)
{
    const rows out = rows_new(fresh->n, fresh->cols);
    int64_t left = from->n, need = part, to = 0;
    memcpy(out.value, fresh->value, (size_t)(fresh->n * fresh->cols) * sizeof *out.value);
    memcpy(out.label, fresh->label, (size_t)fresh->n);
    for (int64_t i = 0; i < from->n && need > 0; i++, left--) { /* each at most once */
        if (rnd_below(r, left) < need) {
            memcpy(out.value + to * out.cols, from->value + i * from->cols,
                   (size_t)out.cols * sizeof *out.value);
            out.label[to++] = from->label[i];
            need--;
        }
    }
    return out;
}

static ney_train_opts options(void)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *params = ney_train_params(&n);
    ney_params_init(params, n, &o);
    o.max_fpr = 0.2;
    o.method = NEY_METHOD_ONLINE;
    o.epochs = 15;
    o.C = 10;
    return o;
}

static bool is_reused(const ney_data *training, const ney_data *data)
{
    ney_reuse reuse;
    assert_int_equal(ney_data_find_reuse(training, data, &reuse, NULL), NEY_OK);
    assert_true(reuse.reused == (reuse.log_evidence >= reuse.log_needed));
    return reuse.reused;
}

/* ---------------------------------------------------------------- update on training rows */

static double true_fpr(const ney_model *m, const rows *fresh)
{
    const ney_matrix x = {.rows = fresh->n, .cols = fresh->cols, .dense = fresh->value};
    double *score = calloc((size_t)fresh->n, sizeof *score), low, high;
    int64_t flagged = 0;
    assert_non_null(score);
    assert_int_equal(ney_model_score(m, NULL, &x, score, NULL), NEY_OK);
    ney_model_thresholds(m, &low, &high);
    for (int64_t i = 0; i < fresh->n; i++) { /* the label knows nothing of the features */
        flagged += score[i] >= high;
    }
    free(score);
    return (double)flagged / (double)fresh->n;
}

/* Rows learned from once more certify what is false; the fingerprint refuses them. */
static void updates_on_training_rows(void **state)
{
    enum { COLS = 300 };
    const int64_t runs = test_share(60);
    rnd r = rnd_new(7100);
    ney_env env = ney_env_default();
    int64_t refused = 0, allowed = 0, broken = 0, again = 0;
    (void)state;
    env.threads = 1;
    for (int64_t k = 0; k < runs; k++) {
        rows train = draw_noise(&r, 240, COLS), fresh = draw_noise(&r, 400, COLS),
             new_rows = draw_noise(&r, 240, COLS);
        ney_data *d = data_of(&train), *more = data_of(&new_rows);
        ney_train_opts o = options();
        ney_model *m = NULL, *updated = NULL;
        ney_error err = {0};
        o.seed = 1 + k;
        assert_int_equal(ney_train(&m, &env, d, &o, NULL, NULL), NEY_OK);
        const ney_status st = ney_update(&updated, &env, m, d, &o, NULL, &err);
        refused += st == NEY_EGOAL && !updated && strstr(err.message, "240 of 240 rows");
        ney_model_free(updated);
        /* new rows are taken once, and not again */
        allowed += ney_update(&updated, &env, m, more, &o, NULL, NULL) == NEY_OK;
        ney_model_free(m);
        assert_int_equal(ney_update(&m, &env, updated, more, &o, NULL, &err), NEY_EGOAL);
        again += strstr(err.message, "240 of 240 rows") != NULL;
        ney_model_free(updated);
        /* without a fingerprint nothing is noticed */
        o.no_fingerprint = true;
        o.confidence = NAN;
        assert_int_equal(ney_train(&m, &env, d, &o, NULL, NULL), NEY_OK);
        o.confidence = 0.95;
        o.epochs = 1;
        assert_int_equal(ney_update(&updated, &env, m, d, &o, NULL, NULL), NEY_OK);
        broken += true_fpr(updated, &fresh) > o.max_fpr;
        ney_model_free(updated);
        ney_model_free(m);
        ney_data_free(d);
        ney_data_free(more);
        rows_free(&train);
        rows_free(&fresh);
        rows_free(&new_rows);
    }
    printf("update on training rows: refused %d of %d; without a fingerprint %d certificates are "
           "false\n",
           (int)refused, (int)runs, (int)broken);
    assert_int_equal(refused, runs);
    assert_int_equal(allowed, runs);
    assert_int_equal(again, runs);
    assert_true(broken >= runs * 9 / 10);
}

/* ---------------------------------------------------------------- chance repeats */

/* Distributions in which independent samples share many rows. */
static const struct repeats {
    const char *name;
    int64_t n, m, cols;
    int levels;
    double skew;
} repeats[] = {
    {"binary, 3 columns", 400, 400, 3, 2, 1},
    {"binary, 8 columns", 400, 400, 8, 2, 1},
    {"binary, 12 columns", 1000, 500, 12, 2, 1},
    {"skewed, 6 columns", 1000, 1000, 6, 8, 3},
    {"one value", 300, 300, 2, 1, 1},
    {"10,000 values", 2000, 2000, 4, 10, 1},
    {"beyond the sketch", 20000, 2000, 5, 10, 1},
    {"few new rows", 5000, 60, 5, 6, 2},
    {"few training rows", 60, 5000, 5, 6, 2},
    {"tiny", 5, 5, 2, 2, 1},
};

static void chance_repeats_are_not_refused(void **state)
{
    rnd r = rnd_new(7200);
    (void)state;
    for (size_t k = 0; k < sizeof repeats / sizeof *repeats; k++) {
        const int64_t runs = test_share(repeats[k].n > 5000 ? 15 : 100);
        int64_t refused = 0, drifted = 0, found = 0, part = 0;
        double equal = 0;
        for (int64_t i = 0; i < runs; i++) {
            rows a = draw_discrete(&r, repeats[k].n, repeats[k].cols, repeats[k].levels,
                                   repeats[k].skew),
                 b = draw_discrete(&r, repeats[k].m, repeats[k].cols, repeats[k].levels,
                                   repeats[k].skew),
                 c = draw_discrete(&r, repeats[k].m, repeats[k].cols, repeats[k].levels,
                                   repeats[k].skew + 1),
                 same = mix_rows(&r, &a, &b, repeats[k].m),
                 mixed = mix_rows(&r, &a, &b, repeats[k].m / 5);
            ney_data *training = data_of(&a), *fresh = data_of(&b), *other = data_of(&c),
                     *old = data_of(&same), *some = data_of(&mixed);
            ney_reuse reuse;
            assert_int_equal(ney_data_find_reuse(training, fresh, &reuse, NULL), NEY_OK);
            refused += reuse.reused;
            equal += reuse.estimate / (double)reuse.rows / (double)runs;
            drifted += is_reused(training, other);
            found += is_reused(training, old);
            part += is_reused(training, some);
            ney_data_free(training);
            ney_data_free(fresh);
            ney_data_free(other);
            ney_data_free(old);
            ney_data_free(some);
            rows_free(&a);
            rows_free(&b);
            rows_free(&c);
            rows_free(&same);
            rows_free(&mixed);
        }
        printf("%s: %.3f of fresh rows equal a training row; of %d runs fresh rows are refused in "
               "%d, those of another distribution in %d, reused rows in %d, 20 %% reused in %d\n",
               repeats[k].name, equal, (int)runs, (int)refused, (int)drifted, (int)found,
               (int)part);
        assert_int_equal(refused, 0);
        assert_int_equal(drifted, 0);
    }
}

/* Rows that do not repeat by chance: reuse is found from a stated number of rows on. */
static void reuse_is_found(void **state)
{
    static const struct {
        int64_t n, m, part;
    } cases[] = {{60, 60, 60},     {200, 100, 50},     {1000, 500, 100},  {1000, 1000, 200},
                 {4000, 500, 100}, {20000, 2000, 400}, {20000, 500, 500}, {50000, 1000, 1000}};
    rnd r = rnd_new(7300);
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const int64_t runs = test_times(cases[k].n > 5000 ? 3 : 20);
        int64_t found = 0, refused = 0;
        for (int64_t i = 0; i < runs; i++) {
            rows a = draw_noise(&r, cases[k].n, 2), b = draw_noise(&r, cases[k].m, 2),
                 mixed = mix_rows(&r, &a, &b, cases[k].part);
            ney_data *training = data_of(&a), *fresh = data_of(&b), *some = data_of(&mixed);
            ney_reuse reuse;
            assert_int_equal(ney_data_find_reuse(training, some, &reuse, NULL), NEY_OK);
            found += reuse.reused;
            const double share = (double)reuse.compared / (double)reuse.rows;
            const double deviation = sqrt((double)cases[k].part / share);
            assert_true(fabs(reuse.estimate - (double)cases[k].part) <= 6 * deviation);
            refused += is_reused(training, fresh);
            ney_data_free(training);
            ney_data_free(fresh);
            ney_data_free(some);
            rows_free(&a);
            rows_free(&b);
            rows_free(&mixed);
        }
        printf("%d of %d rows reused of %d training rows: found in %d of %d runs\n",
               (int)cases[k].part, (int)cases[k].m, (int)cases[k].n, (int)found, (int)runs);
        assert_int_equal(found, runs);
        assert_int_equal(refused, 0);
    }
}

/* What is compared, by counting the values of one column: with repeats on either side. */
static void values_are_counted(void **state)
{
    enum { VALUES = 300 };
    rnd r = rnd_new(7350);
    (void)state;
    for (int k = 0; k < 20; k++) {
        rows a = rows_new(1 + rnd_below(&r, 900), 1), b = rows_new(1 + rnd_below(&r, 900), 1);
        int64_t n[VALUES] = {0}, m[VALUES] = {0}, equal = 0;
        ney_reuse_table table = {0};
        for (int64_t i = 0; i < a.n; i++) {
            a.value[i] = (float)rnd_below(&r, VALUES);
            a.label[i] = i % 2 ? 1 : -1;
            n[(int)a.value[i]]++;
        }
        for (int64_t i = 0; i < b.n; i++) {
            b.value[i] = (float)rnd_below(&r, VALUES);
            b.label[i] = i % 2 ? 1 : -1;
            m[(int)b.value[i]]++;
        }
        for (int v = 0; v < VALUES; v++) {
            ney_reuse_add(&table, n[v], m[v]);
            equal += n[v] > 0 ? m[v] : 0;
        }
        ney_data *training = data_of(&a), *data = data_of(&b);
        ney_reuse reuse;
        assert_int_equal(ney_data_find_reuse(training, data, &reuse, NULL), NEY_OK);
        assert_int_equal(reuse.equal, equal);
        assert_true(reuse.compared == b.n && reuse.rows == b.n && reuse.training == a.n);
        assert_true(reuse.estimate == (double)equal);
        assert_true(fabs(reuse.log_evidence - ney_reuse_log_evidence(&table)) < 1e-9);
        ney_data_free(training);
        ney_data_free(data);
        rows_free(&a);
        rows_free(&b);
    }
}

/* Rows learned from several times, and twice in one file, are known too. */
static void rows_used_several_times(void **state)
{
    rnd r = rnd_new(7400);
    ney_env env = ney_env_default();
    (void)state;
    env.threads = 1;
    rows train = draw_noise(&r, 200, 3), other = draw_noise(&r, 200, 3);
    ney_data *d = data_of(&train), *fresh = data_of(&other);
    ney_train_opts o = options();
    ney_model *m = NULL;
    ney_reuse reuse;
    int64_t n, hashes;
    o.confidence = NAN;
    o.epochs = 1;
    assert_int_equal(ney_train(&m, &env, d, &o, NULL, NULL), NEY_OK);
    for (int k = 1; k <= 8; k++) {
        assert_true(ney_model_training_rows(m, &n, &hashes));
        assert_int_equal(n, 200 * k);
        assert_int_equal(hashes, 200);
        assert_int_equal(ney_model_find_reuse(m, d, NULL, &reuse, NULL), NEY_OK);
        assert_true(reuse.reused && reuse.equal == 200);
        assert_int_equal(ney_model_find_reuse(m, fresh, NULL, &reuse, NULL), NEY_OK);
        assert_true(!reuse.reused && reuse.equal == 0 && reuse.compared == 200);
        ney_model *next = NULL; /* nothing is certified, so that learning on is allowed */
        assert_int_equal(ney_update(&next, &env, m, d, &o, NULL, NULL), NEY_OK);
        ney_model_free(m);
        m = next;
    }
    ney_model_free(m);
    ney_data_free(d);
    ney_data_free(fresh);
    rows_free(&train);
    rows_free(&other);
}

/* ---------------------------------------------------------------- certificates */

/* Fresh rows of a small population repeat training rows all the time. They certify unfiltered. */
static void certificates_with_repeats(void **state)
{
    const int64_t runs = test_share(150);
    rnd r = rnd_new(7500);
    ney_env env = ney_env_default();
    const population p = population_new(&r, 60, 1);
    int64_t broken = 0, refused = 0;
    (void)state;
    env.threads = 1;
    for (int64_t k = 0; k < runs; k++) {
        ney_data *d = population_draw(&p, &r, 60, 40, false),
                 *more = population_draw(&p, &r, 60, 40, false);
        ney_train_opts o = options();
        ney_model *m = NULL, *updated = NULL;
        o.epochs = 2;
        o.seed = 1 + k;
        assert_int_equal(ney_train(&m, &env, d, &o, NULL, NULL), NEY_OK);
        const ney_status st = ney_update(&updated, &env, m, more, &o, NULL, NULL);
        refused += st != NEY_OK;
        broken += st == NEY_OK && population_rates(&p, updated).fpr > o.max_fpr;
        ney_model_free(m);
        ney_model_free(updated);
        ney_data_free(d);
        ney_data_free(more);
    }
    assert_int_equal(refused, 0);
    claim_check("update on fresh rows of which most repeat training rows", broken, runs, 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(updates_on_training_rows),
        cmocka_unit_test(chance_repeats_are_not_refused),
        cmocka_unit_test(reuse_is_found),
        cmocka_unit_test(values_are_counted),
        cmocka_unit_test(rows_used_several_times),
        cmocka_unit_test(certificates_with_repeats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
