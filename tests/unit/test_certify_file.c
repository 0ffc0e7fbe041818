/* Certifying from a file gives what certifying from arrays gives, however the bytes arrive. */
#include "support/cmocka_all.h"
#include "support/ref_decide.h"
#include "support/temp.h"

#include <neyman/experimental.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 30000 };

/* A file of scores, and the same in arrays, class by class. */
typedef struct both {
    text file;
    double score[MOST], of[2][MOST];
    int8_t label[MOST];
    int64_t n, n_of[2];
} both;

static void make(both *b, rnd *r, int64_t n, const char *const name[2], bool positives_first)
{
    *b = (both){.n = n};
    random_scores(r, b->score, b->label, n);
    if (positives_first) {
        b->label[0] = 1;
    } else {
        b->label[0] = -1;
        b->label[1] = 1;
    }
    text_put(&b->file, "label\tscore\n");
    for (int64_t i = 0; i < n; i++) {
        b->score[i] = isinf(b->score[i]) ? 7 : b->score[i];
        const int c = b->label[i] > 0;
        b->of[c][b->n_of[c]++] = b->score[i];
        text_printf(&b->file, "%s\t%.17g\n", name[c], b->score[i]);
    }
}

static bool same(const ney_certificate *a, const ney_certificate *b)
{
    return a->kind == b->kind && a->max_rate == b->max_rate && a->delta == b->delta &&
           a->n == b->n && a->rank == b->rank && a->misclassified == b->misclassified &&
           a->threshold == b->threshold && a->bound == b->bound && a->hash == b->hash;
}

/* One certified file against ney_certify() and ney_count() on the arrays. */
static void check(const both *b, const ney_certified *c, double fpr, double fnr, double delta)
{
    /* (1 - share)^2 = 1 - delta when there are two */
    const double share = isnan(fpr) || isnan(fnr) ? delta : 1 - sqrt(1 - delta);
    ney_certificate one;
    assert_true(c->has_fpr == !isnan(fpr) && c->has_fnr == !isnan(fnr));
    if (c->has_fpr) {
        assert_true(fabs(c->fpr.delta - share) < 1e-15);
        assert_int_equal(ney_certify(&one, NULL, NEY_FALSE_POSITIVES, b->of[0], b->n_of[0], fpr,
                                     c->fpr.delta, NULL),
                         NEY_OK);
        assert_true(same(&one, &c->fpr));
    }
    if (c->has_fnr) {
        assert_true(fabs(c->fnr.delta - share) < 1e-15);
        assert_int_equal(ney_certify(&one, NULL, NEY_FALSE_NEGATIVES, b->of[1], b->n_of[1], fnr,
                                     c->fnr.delta, NULL),
                         NEY_OK);
        assert_true(same(&one, &c->fnr));
    }
    assert_true(c->low <= c->high);
    assert_true(c->high == (c->has_fpr ? c->fpr.threshold : c->fnr.threshold));
    assert_true(c->low == (c->has_fnr ? fmin(c->fnr.threshold, c->high) : c->high));
    const ney_counts n = ney_count(b->score, b->label, b->n, c->low, c->high);
    assert_memory_equal(&n, &c->counts, sizeof n);
}

static void test_file_against_arrays(void **state)
{
    static both b;
    static const struct {
        const char *name[2], *positive;
    } classes[] = {{{"0", "1"}, NULL}, {{"-1", "+1"}, NULL}, {{"spam", "ham"}, "ham"}};
    rnd r = rnd_new(341);
    (void)state;
    for (int64_t round = 0; round < test_times(30); round++) {
        const int k = (int)(round % 3);
        const int64_t n = round % 20 == 0 ? MOST : 300 + rnd_below(&r, 3000);
        make(&b, &r, n, classes[k].name, round % 2);
        const double fpr = round % 5 == 3 ? (double)NAN : 0.2, delta = 0.1;
        const double fnr = round % 5 < 2 ? (double)NAN : 0.3;
        ney_read_opts o;
        int64_t n_params;
        const ney_param *params = ney_read_params(&n_params);
        ney_params_init(params, n_params, &o);
        o.positive = classes[k].positive;
        ney_certified c, d;
        ney_error err = {0};
        if (b.n_of[0] < 40 || b.n_of[1] < 40) {
            text_free(&b.file);
            continue;
        }
        if (ney_certify_file_with(&c, NULL, temp_file("s", b.file.bytes, b.file.length), &o, fpr,
                                  fnr, delta, &err) != NEY_OK) {
            fail_msg("%s", err.message);
        }
        check(&b, &c, fpr, fnr, delta);
        assert_string_equal(c.name[1], k == 1 ? "1" : classes[k].name[1]);
        assert_string_equal(c.name[0], classes[k].name[0]);
        /* a pipe cannot be read twice */
        assert_int_equal(ney_certify_file_with(&d, NULL,
                                               temp_pipe(b.file.bytes, b.file.length, 1000), &o,
                                               fpr, fnr, delta, NULL),
                         NEY_OK);
        temp_pipe_end();
        check(&b, &d, fpr, fnr, delta);
        assert_string_equal(c.name[0], d.name[0]);
        assert_string_equal(c.name[1], d.name[1]);
        size_t n_gz;
        char *gz = gzip_of(b.file.bytes, b.file.length, &n_gz);
        assert_int_equal(
            ney_certify_file_with(&d, NULL, temp_file("s.gz", gz, n_gz), &o, fpr, fnr, delta, NULL),
            NEY_OK);
        check(&b, &d, fpr, fnr, delta);
        free(gz);
        text_free(&b.file);
    }
}

/* ---- two rates at once */

/* 60 negatives 1..60 and 60 positives s+1..s+60. */
static const char *ladder(int shift)
{
    static text t;
    t.length = 0;
    for (int i = 1; i <= 60; i++) {
        text_printf(&t, "0,%d\n1,%d\n", i, i + shift);
    }
    return temp_file("ladder", t.bytes, t.length);
}

static void test_rejecting_between(void **state)
{
    ney_certified c;
    (void)state;
    assert_int_equal(ney_certify_file_with(&c, NULL, ladder(10), NULL, 0.06, 0.06, 0.1, NULL),
                     NEY_OK);
    assert_true(c.high == nextafter(60, 61) && c.low == 11); /* no mistake is allowed at 60 rows */
    assert_int_equal(c.counts.tp, 10);
    assert_int_equal(c.counts.tn, 10);
    assert_int_equal(c.counts.fp + c.counts.fn, 0);
    assert_int_equal(c.counts.rejected_pos, 50);
    assert_int_equal(c.counts.rejected_neg, 50);
}

/* The classes lie apart: nothing need be rejected, and one threshold does for both. */
static void test_crossing(void **state)
{
    ney_certified c;
    (void)state;
    assert_int_equal(ney_certify_file_with(&c, NULL, ladder(100), NULL, 0.06, 0.06, 0.1, NULL),
                     NEY_OK);
    assert_true(c.fnr.threshold == 101 && c.fpr.threshold == nextafter(60, 61));
    assert_true(c.low == c.high && c.high == c.fpr.threshold);
    assert_int_equal(c.counts.tp, 60);
    assert_int_equal(c.counts.tn, 60);
}

/* ---- refusals */

static void refuse(const char *why, const char *path, double fpr, double fnr, double delta,
                   ney_status status, const char *part)
{
    ney_certified c;
    ney_error err = {0};
    const ney_status st = ney_certify_file_with(&c, NULL, path, NULL, fpr, fnr, delta, &err);
    if (st != status || !strstr(err.message, part)) {
        fail_msg("%s: status %d: %s", why, (int)st, err.message);
    }
}

static void test_refusals(void **state)
{
    const double none = (double)NAN;
    (void)state;
    refuse("no rate", ladder(0), none, none, 0.1, NEY_EINVAL, "no rate");
    refuse("rate", ladder(0), 1.5, none, 0.1, NEY_EINVAL, "a rate of 1.5");
    refuse("rate", ladder(0), none, 0, 0.1, NEY_EINVAL, "a rate of 0");
    refuse("delta", ladder(0), 0.1, none, 0.7, NEY_EINVAL, "a confidence of 0.3");
    refuse("both deltas", ladder(0), 0.1, 0.1, 0.7, NEY_EINVAL, "a confidence of 0.3");
    refuse("delta zero", ladder(0), 0.1, 0.1, 0, NEY_EINVAL, "a confidence of 1");
    refuse("absent", temp_path("absent"), 0.1, none, 0.1, NEY_EIO, "");
    refuse("few negatives", ladder(0), 0.03, none, 0.1, NEY_EGOAL, "60 negative rows");
    refuse("few positives", ladder(0), 0.06, 0.01, 0.1, NEY_EGOAL, "60 positive rows");
    refuse("no positives", temp_text("p", "0,1\n0,2\n"), none, 0.5, 0.5, NEY_EGOAL,
           "0 positive rows");
    refuse("no negatives", temp_text("p", "1,1\n1,2\n"), 0.5, none, 0.5, NEY_EGOAL,
           "0 negative rows");
    refuse("nan", temp_text("p", "1,1\n0,nan\n"), 0.5, none, 0.5, NEY_EPARSE, "found score 'nan'");
    refuse("infinite", temp_text("p", "0,inf\n1,2\n"), 0.5, none, 0.5, NEY_EGOAL, "infinite");
}

/* What the message says, as numbers. */
static void test_shortage(void **state)
{
    ney_certified c;
    const double none = (double)NAN;
    (void)state;
    assert_int_equal(ney_certify_file_with(&c, NULL, ladder(0), NULL, 0.03, none, 0.1, NULL),
                     NEY_EGOAL);
    assert_int_equal(c.shortage.kind, NEY_FALSE_POSITIVES);
    assert_int_equal(c.shortage.n, 60);
    assert_true(c.shortage.needed == 76); /* 0.97^76 = 0.0988, 0.97^75 = 0.1018 */
    assert_true(fabs(c.shortage.tightest_rate - (1 - pow(0.1, 1.0 / 60))) < 1e-12);
    /* both rates: each gets 1 - sqrt(0.9) */
    assert_int_equal(ney_certify_file_with(&c, NULL, ladder(0), NULL, 0.06, 0.01, 0.1, NULL),
                     NEY_EGOAL);
    assert_int_equal(c.shortage.kind, NEY_FALSE_NEGATIVES);
    assert_int_equal(c.shortage.n, 60);
    assert_true(c.shortage.needed == ceil(log(1 - sqrt(0.9)) / log(0.99)));
    assert_true(fabs(c.shortage.tightest_rate - (1 - pow(1 - sqrt(0.9), 1.0 / 60))) < 1e-12);
    /* rows enough, but no threshold */
    const char *const path = temp_text("p", "0,inf\n1,2\n");
    assert_int_equal(ney_certify_file_with(&c, NULL, path, NULL, 0.5, none, 0.5, NULL), NEY_EGOAL);
    assert_true(c.shortage.needed == 0);
}

/* One class is enough for a rate that is its own. */
static void test_one_class(void **state)
{
    ney_certified c;
    (void)state;
    assert_int_equal(ney_certify_file_with(&c, NULL, temp_text("one", "0,1\n0,2\n0,3\n"), NULL, 0.5,
                                           (double)NAN, 0.2, NULL),
                     NEY_OK);
    assert_true(c.high == nextafter(3, 4) && c.low == c.high);
    assert_int_equal(c.counts.tn, 3);
    assert_string_equal(c.name[0], "0");
    assert_string_equal(c.name[1], "");
}

/* ---- a file that grows or shrinks between two walks */

typedef struct meddler {
    const char *path, *more;
    int polls;
} meddler;

static bool meddle(void *user, const ney_progress *progress)
{
    meddler *m = user;
    (void)progress;
    if (m->polls++ == 0) { /* the first batch, which is all of the file, was read */
        FILE *f = fopen(m->path, m->more ? "ab" : "wb");
        assert_non_null(f);
        fputs(m->more ? m->more : "0,1\n1,2\n", f);
        fclose(f);
    }
    return true;
}

static void test_a_file_that_changes(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        const double none = (double)NAN;
        char path[256];
        snprintf(path, sizeof path, "%s", ladder(0));
        meddler m = {.path = path, .more = i % 2 ? NULL : "0,3\n"};
        const ney_env env = {.user = &m, .poll = meddle, .threads = 1};
        ney_certified c;
        ney_error err = {0};
        const ney_status st = ney_certify_file_with(&c, &env, path, NULL, i < 2 ? 0.1 : none,
                                                    i < 2 ? none : 0.1, 0.1, &err);
        if (m.polls < 2 || st != NEY_EIO || !strstr(err.message, "changed")) {
            fail_msg("status %d after %d polls: %s", (int)st, m.polls, err.message);
        }
    }
}

/* ---- into a model and out again */

static ney_model *small_model(void)
{
    const double weight = 1;
    const float x[] = {0, 1};
    const int8_t y[] = {-1, 1};
    const ney_matrix matrix = {.rows = 2, .cols = 1, .dense = x};
    ney_data *data;
    ney_model *m;
    assert_int_equal(ney_data_new(&data, NULL, &matrix, y, NULL, NULL), NEY_OK);
    assert_int_equal(ney_model_new_linear(&m, NULL, ney_data_preprocessing(data), &weight, 0, NULL),
                     NEY_OK);
    ney_data_free(data);
    return m;
}

/* A new certificate leaves nothing of the one before it. */
static void test_certified_again(void **state)
{
    const double none = (double)NAN;
    const char *key, *value;
    double number;
    ney_certified c;
    ney_model *m = small_model();
    (void)state;
    assert_int_equal(ney_certify_file_with(&c, NULL, ladder(10), NULL, 0.06, 0.08, 0.1, NULL),
                     NEY_OK);
    assert_int_equal(ney_model_certify(m, &c, NULL), NEY_OK);
    assert_int_equal(ney_certify_file_with(&c, NULL, ladder(10), NULL, none, 0.08, 0.1, NULL),
                     NEY_OK);
    assert_int_equal(ney_model_certify(m, &c, NULL), NEY_OK);
    assert_true(ney_model_metadata(m, NEY_METADATA_CERTIFICATE, 0, &key, &number, &value));
    assert_string_equal(key, "fnr_max_rate");
    assert_true(ney_model_metadata(m, NEY_METADATA_CERTIFICATE, 7, &key, &number, &value));
    assert_false(ney_model_metadata(m, NEY_METADATA_CERTIFICATE, 8, &key, &number, &value));
    c.low = c.high + 1; /* what cannot be set changes nothing */
    assert_int_equal(ney_model_certify(m, &c, NULL), NEY_EINVAL);
    assert_true(ney_model_metadata(m, NEY_METADATA_CERTIFICATE, 7, &key, &number, &value));
    double low, high;
    ney_model_thresholds(m, &low, &high);
    assert_true(low == c.high && high == c.high);
    ney_model_free(m);
}

static void test_certificate_in_a_model(void **state)
{
    static const char *const keys[] = {"max_rate",  "delta",        "n", "rank", "bound",
                                       "threshold", "misclassified"};
    ney_certified c;
    ney_model *m = small_model(), *back;
    char *words;
    size_t n_words;
    (void)state;
    assert_int_equal(ney_certify_file_with(&c, NULL, ladder(10), NULL, 0.06, 0.08, 0.1, NULL),
                     NEY_OK);
    assert_int_equal(ney_model_certify(m, &c, NULL), NEY_OK);
    assert_int_equal(ney_model_format(m, &words, &n_words, NULL), NEY_OK);
    assert_int_equal(ney_model_parse(&back, NULL, "model", words, n_words, NULL), NEY_OK);
    double low, high;
    ney_model_thresholds(back, &low, &high);
    assert_true(low == c.low && high == c.high);
    for (int side = 0; side < 2; side++) {
        const ney_certificate *one = side ? &c.fnr : &c.fpr;
        const double wanted[] = {one->max_rate,
                                 one->delta,
                                 (double)one->n,
                                 (double)one->rank,
                                 one->bound,
                                 one->threshold,
                                 (double)one->misclassified};
        char hash[32], name[64];
        const char *key, *value;
        double number;
        for (int k = 0; k < 7; k++) {
            assert_true(ney_model_metadata(back, NEY_METADATA_CERTIFICATE, 8 * side + k, &key,
                                           &number, &value));
            snprintf(name, sizeof name, "%s_%s", side ? "fnr" : "fpr", keys[k]);
            assert_string_equal(key, name);
            assert_true(value == NULL && number == wanted[k]); /* to the bit */
        }
        assert_true(ney_model_metadata(back, NEY_METADATA_CERTIFICATE, 8 * side + 7, &key, &number,
                                       &value));
        snprintf(hash, sizeof hash, "%016llx", (unsigned long long)one->hash);
        assert_string_equal(value, hash);
    }
    ney_model_text_free(m, words);
    ney_model_free(m);
    ney_model_free(back);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file_against_arrays),
        cmocka_unit_test(test_rejecting_between),
        cmocka_unit_test(test_crossing),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_shortage),
        cmocka_unit_test(test_one_class),
        cmocka_unit_test(test_a_file_that_changes),
        cmocka_unit_test(test_certificate_in_a_model),
        cmocka_unit_test(test_certified_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
