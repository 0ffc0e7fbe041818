/* An option of training acts or is refused: for every row of the table and every goal, method and
 * family. What is expected stands here, written by hand from the documentation. */
#include "learn/method.h"
#include "learn/request.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Options as "name=value name=value". */
static void set_all(ney_train_opts *o, const char *options)
{
    static char kept[64][64]; /* texts are borrowed */
    static int used;
    int64_t n;
    const ney_param *const p = ney_train_params(&n);
    char name[64], value[64];
    int length;
    ney_params_init(p, n, o);
    o->confidence = (double)NAN;
    for (; sscanf(options, " %63[^= ]=%63s%n", name, value, &length) == 2; options += length) {
        char *const copy = kept[used++ % 64];
        ney_error err;
        memcpy(copy, value, sizeof value);
        if (ney_params_set(p, n, o, name, strcmp(value, "nan") ? copy : "none", &err) != NEY_OK) {
            fail_msg("%s=%s: %s", name, value, err.message);
        }
    }
}

/* A letter for each combination of goal, method and family; confidence none unless given. */
static const struct context {
    char letter;
    const char *options;
} contexts[] = {
    {'c', ""},
    {'k', "kernel=rbf"},
    {'p', "kernel=poly"},
    {'s', "kernel=sigmoid"},
    {'x', "method=activeset"},
    {'q', "method=ramp kernel=rbf"},
    {'l', "conformal=true"},
    {'m', "conformal-folds=3"},
    {'a', "max-fpr=0.1"},
    {'A', "max-fpr=0.1 confidence=0.9"},
    {'u', "max-fnr=0.1 method=uzawa kernel=rbf"},
    {'v', "max-fpr=0.1 method=convex"},
    {'g', "max-fpr=0.1 method=generative"},
    {'h', "max-fpr=0.1 method=chebyshev kernel=rbf"},
    {'f', "max-fpr=0.1 method=perf"},
    {'o', "max-fpr=0.1 method=online"},
    {'n', "max-fpr=0.1 network=3"},
    {'w', "max-fpr=0.1 features=20"},
    {'i', "max-fpr=0.1 method=online checkpoint=request.point"},
    {'y', "max-fpr=0.1 trees=3"},
    {'z', "max-fpr=0.1 trees=3 method=lagrangian"},
    {'j', "trees=3"},
    {'Y', "reject-cost=0.2 trees=3"},
    {'B', "max-fpr=0.1 max-fnr=0.1 confidence=0.9"},
    {'D', "max-fdr=0.1"},
    {'K', "max-fdr=0.1 kernel=rbf"},
    {'N', "max-fdr=0.1 network=3"},
    {'O', "max-fdr=0.1 method=online"},
    {'F', "max-fdr=0.1 trees=3"},
    {'r', "reject-cost=0.2"},
    {'b', "reject-cost=0.2 rule=bartlett-wegkamp"},
    {'R', "reject-cost=0.2 method=online"},
    {'t', "reject-cost-fn=0.2 reject-cost-fp=0.2"},
    {'C', "method=online"},
    {'E', "features=20"},
    {'T', "max-fpr=0.1 max-fnr=0.1 confidence=0.9 method=online"},
};

enum { N_CONTEXTS = sizeof contexts / sizeof *contexts };

#define EVERYWHERE "ckpsxqlmaAuvghfonwiyzjYBDKNOFrbRtCET"

/* For every row of ney_train_params(): a value, the contexts that read it, and a context in which
 * the model shows it; NULL where a model must not (a resource), or need not. */
static const struct expected {
    const char *name, *value, *read, *shows;
} expected[] = {
    {"C", "0.001", EVERYWHERE, "a"},
    {"cost-fn", "3", "ckpsxqlmvBrRtCETyzjY", "c"},
    {"cost-fp", "3", "ckpsxqlmvBrRtCETyzjY", "v"},
    {"reject-cost", "0.1", "ckpsxlmBrbRCETjY", NULL}, /* turns costs into rejection */
    {"reject-cost-fn", "0.1", "BrRtTY", "r"},
    {"reject-cost-fp", "0.1", "BrRtTY", "R"},
    {"rule", "bartlett-wegkamp", "rbRtY", "r"},
    {"delta0", "0.3", "b", "b"},
    {"conformal", "true", "ckpsxqlmaAuvghfBrbtyzjY", "c"},
    {"conformal-folds", "4", "ckpsxqlmaAuvghfBrbtyzjY", "c"},
    {"calibrate", "0.3", "ckpsxqlmaAuvghfonwiBrbRtCETyzjY", "c"},
    {"calibrate-folds", "4", "ckpsxqlmaAuvghfBrbtyzjY", "c"},
    {"fdr-convention", "all", "DKNOF", "D"},
    {"compete", "true", "DKNOF", "D"},
    {"no-compete", "true", "DKNOF", NULL}, /* states the default for these rows, as the next two */
    {"size-correct", "true", "DKNOF", NULL},
    {"plus-one", "true", "DKNOF", NULL},
    {"no-plus-one", "true", "DKNOF", "D"},
    {"spectrum", "c", "DKNOF", "D"},
    {"peptide", "c", "DKNOF", NULL},                    /* tests/cli/fdr/table_columns.sh */
    {"init-weights", "request.weights", "DKNOF", NULL}, /* tests/cli/fdr/init_weights.sh */
    {"training-rows", "60", "DKNOF", "D"},
    {"confidence", "0.8", "auvghfonwiABTyz", "A"},
    {"holdout", "0.6", "lABT", "A"},
    {"at-k", "5", "f", "f"},
    {"eta", "0.2", "aAuonwiDKNOzq", "a"},
    {"kernel", "poly", "ckpsxqlmaAuvghBDKNrbt", "c"},
    {"gamma", "0.3", "kpsuhwKEq", "k"},
    {"degree", "2", "p", "p"},
    {"coef0", "0.5", "ps", "p"},
    {"tol", "0.5", "ckpsxqlmaAuvfBDKNOrbt", "k"},
    {"max-iter", "3", "ckpsxqlmaAuvfonwiBDKNOrbRtCET", "k"},
    {"max-time", "1000", EVERYWHERE, NULL},
    {"cache", "5", EVERYWHERE, NULL},
    {"seed", "7", "lmAhonwiBDKNOFRCETyzjY", "o"},
    {"start", "7", "aAu", "u"},
    {"loss", "sigmoid", "onwi", "o"},
    {"epochs", "2", "onwiORCET", "o"},
    {"network", "4", "aAonDKNOrbRticBCT", NULL},
    {"activation", "relu", "n", "n"},
    {"batch", "8", "n", "n"},
    {"features", "30", "aAowrbRticBCET", NULL},
    {"trees", "4", "clmaAByzjYrbtDF", NULL},
    {"depth", "2", "yzjYF", "y"},
    {"learning-rate", "0.3", "yzjYF", "j"},
    {"subsample", "0.5", "yzjYF", "z"},
    {"min-child", "9", "yzjYF", "Y"},
    {"validation", "0.3", "onwiRCET", "o"},
    {"memory", "100", EVERYWHERE, NULL},
    {"no-fingerprint", "true", EVERYWHERE, "c"},
    {"checkpoint", "request.point", "onwiRCET", NULL},
    {"checkpoint-every", "5", "i", NULL},
    {"resume", "true", "i", NULL},
    /* the goals and the method, which are what contexts are made of */
    {"max-fpr", "0.2", NULL, "a"},
    {"max-fnr", "0.2", NULL, NULL},
    {"max-fdr", "0.2", NULL, NULL},
    {"method", "annealed", NULL, NULL},
};

enum { N_EXPECTED = sizeof expected / sizeof *expected };

static const struct expected *expected_of(const char *name)
{
    for (int k = 0; k < N_EXPECTED; k++) {
        if (strcmp(expected[k].name, name) == 0) {
            return &expected[k];
        }
    }
    return NULL;
}

static void test_every_option_has_an_entry(void **state)
{
    int64_t n;
    const ney_param *const p = ney_train_params(&n);
    (void)state;
    assert_int_equal(ney_request_entries(), n);
    for (int64_t i = 0; i < n; i++) {
        int entries = 0;
        for (int64_t k = 0; k < ney_request_entries(); k++) {
            entries += strcmp(ney_request_entry(k), p[i].name) == 0;
        }
        if (entries != 1 || !expected_of(p[i].name)) {
            fail_msg("--%s: expected an entry in learn/option_uses.c and one in this test",
                     p[i].name);
        }
    }
}

/* A method is served by a context that names it; auto by any. */
static void test_every_method_has_a_context(void **state)
{
    ney_method_info info;
    (void)state;
    for (int64_t k = 1; ney_method_get(k, &info, sizeof info); k++) {
        ney_train_opts o;
        bool found = false;
        for (int c = 0; c < N_CONTEXTS && !found; c++) {
            set_all(&o, contexts[c].options);
            found = ney_request_of(&o).method == ney_method_at(k);
        }
        if (!found) {
            fail_msg("no context has method=%s", info.name);
        }
    }
}

static void test_contexts_are_taken(void **state)
{
    (void)state;
    for (int c = 0; c < N_CONTEXTS; c++) {
        ney_train_opts o;
        ney_error err;
        set_all(&o, contexts[c].options);
        if (ney_train_check(&o, &err) != NEY_OK) {
            fail_msg("%s: %s", contexts[c].options, err.message);
        }
    }
}

/* Two options that exclude each other, and options of which another one is to blame. */
static bool is_other_reason(const char *message)
{
    static const char *const reasons[] = {
        "the cost of rejecting a",
        "the rule bartlett-wegkamp needs equal costs",
        "--network and --features exclude each other",
        "--network applies to", /* and trees make it boosting */
        "--features applies to",
        "--kernel applies to", /* a network or features make the method online */
        "--conformal applies to",
        "--conformal-folds applies to",
        "--calibrate-folds applies to",
        "--tol applies to",
        "--method ramp applies to", /* and a cost of rejecting is another goal */
    };
    for (size_t k = 0; k < sizeof reasons / sizeof *reasons; k++) {
        if (strstr(message, reasons[k])) {
            return true;
        }
    }
    return false;
}

static int failures_of(const struct expected *e, const struct context *c)
{
    char line[256], says[64];
    ney_train_opts o;
    ney_error err = {0};
    snprintf(line, sizeof line, "%s %s=%s", c->options, e->name, e->value);
    snprintf(says, sizeof says, "--%s applies to", e->name);
    set_all(&o, line);
    const bool taken = ney_train_check(&o, &err) == NEY_OK;
    const bool reads = strchr(e->read, c->letter) != NULL;
    if (taken != reads) {
        print_error("%s: %s\n", line, taken ? "taken" : err.message);
        return 1;
    }
    if (!taken && err.code != NEY_EINVAL) {
        print_error("%s: %s\n", line, ney_status_text(err.code));
        return 1;
    }
    if (!taken && !strstr(err.message, says) && !is_other_reason(err.message)) {
        print_error("%s: '%s' does not say what the option applies to\n", line, err.message);
        return 1;
    }
    return 0;
}

static void test_options_act_or_are_refused(void **state)
{
    int failures = 0;
    (void)state;
    for (int k = 0; k < N_EXPECTED; k++) {
        for (int c = 0; c < N_CONTEXTS && expected[k].read; c++) {
            failures += failures_of(&expected[k], &contexts[c]);
        }
    }
    assert_int_equal(failures, 0);
}

/* ---------------------------------------------------------------- an option that acts shows */

enum { ROWS = 400 };

/* Two classes that overlap, of different size; the values of the last column repeat. Scaled by the
 * rows that the options leave to learn from. */
static ney_data *rows(const ney_train_opts *o)
{
    rnd r = rnd_new(5);
    text t = {0};
    ney_data *d = NULL;
    int64_t learned[ROWS], n;
    text_put(&t, "a,b,c,label\n");
    for (int i = 0; i < ROWS; i++) {
        const bool positive = i % 5 < 2, shifted = positive && i % 7 != 0;
        for (int j = 0; j < 2; j++) {
            double sum = shifted ? 0.9 : 0;
            for (int k = 0; k < 6; k++) {
                sum += rnd_unit(&r) - 0.5;
            }
            text_printf(&t, "%.6f,", sum);
        }
        text_printf(&t, "%d,%d\n", i / 2 % 50, positive);
    }
    assert_int_equal(ney_data_parse_with(&d, NULL, "rows", t.bytes, t.length, NULL, NULL, NULL),
                     NEY_OK);
    assert_int_equal(ney_train_rows(d, o, learned, &n, NULL), NEY_OK);
    assert_int_equal(ney_data_prepare(d, NEY_SCALING_STANDARD, learned, n, NULL), NEY_OK);
    text_free(&t);
    return d;
}

/* What a model does: its scores, thresholds, p-values and probabilities, and the rows that it
 * knows. */
typedef struct deeds {
    double score[ROWS], low, high;
    double p_pos[ROWS], probability[ROWS];
    int64_t known;
} deeds;

/* False: the options ask for trees, which this library was built without. */
static bool train(deeds *out, const char *options)
{
    ney_train_opts o;
    ney_error err;
    ney_model *m = NULL;
    int64_t pos, neg, hashes;
    set_all(&o, options);
    ney_data *const d = rows(&o);
    memset(out, 0, sizeof *out);
    if (ney_train(&m, NULL, d, &o, NULL, &err) != NEY_OK) {
        ney_data_free(d);
        if (strstr(err.message, "built without it")) {
            return false;
        }
        fail_msg("%s: %s", options, err.message);
    }
    assert_int_equal(ney_model_score(m, NULL, ney_data_matrix(d), out->score, NULL), NEY_OK);
    ney_model_thresholds(m, &out->low, &out->high);
    (void)ney_model_training_rows(m, &out->known, &hashes);
    if (ney_model_calibrated(m, &pos, &neg)) {
        double p_neg[ROWS];
        assert_int_equal(ney_model_p_values(m, out->score, ROWS, out->p_pos, p_neg, NULL), NEY_OK);
    }
    for (int i = 0; i < ROWS && ney_model_calibrator(m); i++) {
        out->probability[i] = ney_calibrator_probability(ney_model_calibrator(m),
                                                         NEY_PROBABILITY_VENN_ABERS, out->score[i]);
    }
    ney_model_free(m);
    ney_data_free(d);
    return true;
}

static void test_options_that_act_show(void **state)
{
    static deeds with, without;
    (void)state;
    for (int k = 0; k < N_EXPECTED; k++) {
        const struct expected *const e = &expected[k];
        char line[256];
        int c = 0;
        if (!e->shows) {
            continue;
        }
        while (contexts[c].letter != e->shows[0]) {
            c++;
        }
        snprintf(line, sizeof line, "%s %s=%s", contexts[c].options, e->name, e->value);
        if (train(&without, contexts[c].options) && train(&with, line) &&
            memcmp(&with, &without, sizeof with) == 0) {
            fail_msg("%s: --%s makes no difference", line, e->name);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_option_has_an_entry),
        cmocka_unit_test(test_every_method_has_a_context),
        cmocka_unit_test(test_contexts_are_taken),
        cmocka_unit_test(test_options_act_or_are_refused),
        cmocka_unit_test(test_options_that_act_show),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
