/* ney_fit() and its relatives: rows from memory and from text give the same model and result,
 * preprocessing is fitted on learned rows only, and what would void a statement is refused. */
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/same.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 400, COLS = 3 };

static const char *const names[] = {"a", "b", "c"};

typedef struct rows {
    double x[ROWS * COLS];
    int8_t label[ROWS];
    text csv;
} rows;

static void rows_init(rows *r, uint64_t stream)
{
    rnd random = rnd_new(stream);
    *r = (rows){0};
    text_put(&r->csv, "label,a,b,c\n");
    for (int i = 0; i < ROWS; i++) {
        r->label[i] = (int8_t)(rnd_chance(&random, 0.4) ? 1 : -1);
        text_put(&r->csv, r->label[i] > 0 ? "spam" : "ham");
        for (int c = 0; c < COLS; c++) {
            r->x[i * COLS + c] = (c + 1) * (rnd_unit(&random) + (c == 0 ? 0.4 * r->label[i] : 0));
            text_printf(&r->csv, ",%.17g", r->x[i * COLS + c]);
        }
        text_put(&r->csv, "\n");
    }
}

static ney_array array_of(const rows *r)
{
    return (ney_array){
        .rows = ROWS, .cols = COLS, .value = r->x, .value_type = NEY_FLOAT64, .name = names};
}

static ney_data *data_of(const rows *r)
{
    const ney_array x = array_of(r);
    ney_data *d;
    assert_int_equal(ney_data_from_array(&d, NULL, &x, NULL, NULL), NEY_OK);
    assert_int_equal(ney_data_set_labels(d, r->label, "ham", "spam", NULL), NEY_OK);
    return d;
}

/* Options from "name value" pairs, ended by NULL. */
static ney_options *options_of(const char *const *pairs)
{
    ney_options *o;
    assert_int_equal(ney_options_new(&o, NULL, NULL), NEY_OK);
    for (; *pairs; pairs += 2) {
        ney_error err;
        if (ney_options_set(o, pairs[0], pairs[1], &err) != NEY_OK) {
            fail_msg("%s", err.message);
        }
    }
    return o;
}

/* As JSON without times. */
static char *json_of(ney_result *result)
{
    char *text_of;
    size_t n;
    ney_result_set_null(result, "seconds");
    ney_result_set_null(result, "steps");
    assert_int_equal(ney_result_format(result, &text_of, &n, NULL), NEY_OK);
    return text_of;
}

static const char *const goals[][9] = {
    {NULL},
    {"max-fpr", "0.1", NULL},
    {"max-fnr", "0.1", "confidence", "none", "kernel", "rbf", NULL},
    {"max-fpr", "0.2", "max-fnr", "0.2", NULL},
    {"reject-cost", "0.2", "scale", "minmax", NULL},
    {"max-fpr", "0.1", "network", "3", "epochs", "2", NULL},
    {"conformal", "true", "scale", "unit", NULL},
};
enum { GOALS = sizeof goals / sizeof *goals };

static void memory_and_text_give_the_same(void **state)
{
    rows r;
    (void)state;
    rows_init(&r, 1);
    for (int g = 0; g < GOALS; g++) {
        ney_options *o = options_of(goals[g]);
        ney_data *data[2] = {data_of(&r), parse(r.csv.bytes, NULL)};
        ney_model *model[2];
        ney_result *result[2];
        char *json[2];
        double score[2][ROWS];
        const ney_array x = array_of(&r);
        for (int k = 0; k < 2; k++) {
            ney_error err = {0};
            if (ney_fit(&model[k], &result[k], NULL, data[k], o, &err) != NEY_OK) {
                fail_msg("goal %d: %s", g, err.message);
            }
            assert_int_equal(ney_predict(model[k], NULL, &x, score[k], NULL, NULL), NEY_OK);
            json[k] = json_of(result[k]);
        }
        assert_string_equal(json[0], json[1]);
        assert_memory_equal(score[0], score[1], sizeof score[0]);
        assert_non_null(ney_result_get_text(result[0], "goal"));
        assert_non_null(ney_result_get_text(result[0], "method"));
        assert_non_null(ney_result_get_text(result[0], "family"));
        for (int k = 0; k < 2; k++) {
            ney_free(NULL, json[k]);
            ney_result_free(result[k]);
            ney_model_free(model[k]);
            ney_data_free(data[k]);
        }
        ney_options_free(o);
    }
    text_free(&r.csv);
}

/* The mean that is subtracted is that of the rows that were learned from, not of all. */
static void held_out_rows_do_not_scale(void **state)
{
    static const char *const pairs[] = {"max-fpr", "0.1", NULL};
    rows r;
    ney_options *o = options_of(pairs);
    ney_model *model;
    ney_result *result;
    double offset, factor, mean = 0, learned = 0;
    int64_t n = 0, held_out = 0, learned_from = 0, *used = malloc(ROWS * sizeof *used);
    ney_train_opts opts;
    bool certified = false;
    (void)state;
    rows_init(&r, 2);
    int64_t n_params;
    const ney_param *params = ney_train_params(&n_params);
    ney_params_init(params, n_params, &opts);
    opts.max_fpr = 0.1;
    ney_data *data = data_of(&r);
    assert_int_equal(ney_train_rows(data, &opts, used, &n, NULL), NEY_OK);
    assert_int_equal(ney_fit(&model, &result, NULL, data, o, NULL), NEY_OK);
    assert_true(ney_result_get_bool(result, "certified", &certified) && certified);
    assert_true(ney_result_get_int(result, "held_out", &held_out) && held_out > 0);
    assert_true(ney_result_get_int(result, "learned_from", &learned_from));
    assert_int_equal(learned_from, n);
    assert_int_equal(held_out + learned_from, ROWS);
    assert_non_null(ney_result_get_text(result, "guarantee"));
    for (int64_t i = 0; i < ROWS; i++) {
        mean += (double)(float)r.x[i * COLS] / ROWS;
    }
    for (int64_t i = 0; i < n; i++) {
        learned += (double)(float)r.x[used[i] * COLS] / (double)n;
    }
    ney_preprocessing_scale(ney_model_preprocessing(model), 0, &offset, &factor);
    assert_true(fabs(offset - learned) < 1e-9 && fabs(offset - mean) > 1e-6);
    /* once is all */
    ney_model *again;
    ney_error err;
    ney_result_free(result);
    assert_int_equal(ney_fit(&again, &result, NULL, data, o, &err), NEY_EINVAL);
    assert_non_null(strstr(err.message, "make a new data set"));
    assert_null(again);
    assert_null(result);
    free(used);
    ney_model_free(model);
    ney_data_free(data);
    ney_options_free(o);
    text_free(&r.csv);
}

static void refuse_fit(ney_data *data, const char *const *pairs, ney_status status,
                       const char *part)
{
    ney_options *o = options_of(pairs);
    ney_model *model;
    ney_result *result;
    ney_error err = {0};
    assert_int_equal(ney_fit(&model, &result, NULL, data, o, &err), status);
    assert_null(model);
    assert_null(result);
    if (!strstr(err.message, part)) {
        fail_msg("'%s' lacks '%s'", err.message, part);
    }
    ney_options_free(o);
    ney_data_free(data);
}

static void what_cannot_be_fitted_is_refused(void **state)
{
    static const char *const none[] = {NULL}, *const mean[] = {"missing", "mean", NULL};
    static const char *const keep[] = {"missing", "keep", NULL};
    static const char *const tuning[] = {"folds", "3", NULL};
    static const char *const reading[] = {"label", "y", NULL};
    static const char *const idle[] = {"epochs", "3", NULL};
    static const char *const strict[] = {"max-fpr", "0.001", NULL};
    rows r;
    ney_data *d;
    ney_array x;
    (void)state;
    rows_init(&r, 3);
    x = array_of(&r);
    refuse_fit(NULL, none, NEY_EINVAL, "no data");
    assert_int_equal(ney_data_from_array(&d, NULL, &x, NULL, NULL), NEY_OK);
    refuse_fit(d, none, NEY_EINVAL, "ney_data_set_labels");
    refuse_fit(data_of(&r), tuning, NEY_EINVAL, "folds");
    refuse_fit(data_of(&r), reading, NEY_EINVAL, "label applies to files");
    refuse_fit(data_of(&r), idle, NEY_EINVAL, "epochs");
    refuse_fit(data_of(&r), keep, NEY_EINVAL, "keep");
    refuse_fit(data_of(&r), strict, NEY_EGOAL, "cannot certify");
    r.x[7 * COLS + 1] = (double)NAN;
    refuse_fit(data_of(&r), none, NEY_EPARSE, "row 7, column 1 ('b')");
    ney_options *o = options_of(mean);
    ney_model *model;
    d = data_of(&r);
    assert_int_equal(ney_fit(&model, NULL, NULL, d, o, NULL), NEY_OK);
    double score;
    x.rows = 1;
    x.value = r.x + 7 * COLS;
    assert_int_equal(ney_predict(model, NULL, &x, &score, NULL, NULL), NEY_OK);
    ney_model_free(model);
    ney_data_free(d);
    ney_options_free(o);
    memset(r.label, 1, sizeof r.label);
    refuse_fit(data_of(&r), mean, NEY_EINVAL, "one class, 'spam'");
    x = (ney_array){.rows = ROWS, .cols = 0};
    assert_int_equal(ney_data_from_array(&d, NULL, &x, NULL, NULL), NEY_OK);
    assert_int_equal(ney_data_set_labels(d, r.label, NULL, NULL, NULL), NEY_OK);
    refuse_fit(d, none, NEY_EINVAL, "0 columns");
    x = (ney_array){.rows = 0, .cols = 3};
    assert_int_equal(ney_data_from_array(&d, NULL, &x, NULL, NULL), NEY_OK);
    assert_int_equal(ney_data_set_labels(d, NULL, NULL, NULL, NULL), NEY_OK);
    refuse_fit(d, none, NEY_EINVAL, "0 rows");
    text_free(&r.csv);
}

/* At whichever poll training stops: it may be that of the search for C. */
typedef struct poll_count {
    int left, blocks; /* blocks: allocated and not released */
} poll_count;

static bool stop_after(void *user, const ney_progress *progress)
{
    poll_count *const count = user;
    (void)progress;
    return count->left-- != 0; /* asks once */
}

static void *count_blocks(void *user, void *block, size_t bytes)
{
    poll_count *const count = user;
    void *const moved = bytes > 0 ? realloc(block, bytes) : NULL;
    count->blocks += (!block && moved) - (block && bytes == 0);
    if (bytes == 0) {
        free(block);
    }
    return moved;
}

/* A search whose threshold comes from its folds may be stopped after the model is there. */
static void a_stop_leaves_no_memory(void **state)
{
    static const char *const pairs[] = {"max-fpr", "0.1", "confidence", "none", "C", "auto", NULL};
    int polls = 0, stopped = 0;
    rows r;
    (void)state;
    rows_init(&r, 4);
    for (int k = 0; k < 12; k++) { /* at first never, then at one of the last polls */
        poll_count count = {.left = k == 0 ? -1 : polls - 1 - (k - 1) * 3};
        ney_env env = ney_env_default();
        ney_options *o = options_of(pairs);
        ney_model *model;
        ney_result *result;
        env.poll = stop_after;
        env.resize = count_blocks;
        env.user = &count;
        env.threads = 1;
        ney_data *d = data_of(&r);
        assert_int_equal(ney_fit(&model, &result, &env, d, o, NULL), NEY_OK);
        polls = k == 0 ? -1 - count.left : polls;
        stopped += strcmp(ney_result_get_text(result, "stop"), "cancelled") == 0;
        ney_result_free(result);
        ney_model_free(model);
        assert_int_equal(count.blocks, 0);
        ney_data_free(d);
        ney_options_free(o);
    }
    assert_true(stopped >= 5);
    text_free(&r.csv);
}

static void a_stop_leaves_a_marked_model(void **state)
{
    static const char *const pairs[] = {"max-fpr", "0.1", "kernel", "rbf", NULL};
    rows r;
    (void)state;
    rows_init(&r, 4);
    for (int turn = 0; turn < 4; turn++) {
        poll_count count = {.left = turn % 2 ? 20 : 0};
        ney_env env = ney_env_default();
        ney_options *o = options_of(pairs);
        ney_model *model;
        ney_result *result;
        env.poll = stop_after;
        env.user = &count;
        if (turn > 1) {
            assert_int_equal(ney_options_set(o, "C", "auto", NULL), NEY_OK);
        }
        ney_data *d = data_of(&r);
        assert_int_equal(ney_fit(&model, &result, &env, d, o, NULL), NEY_OK);
        if (count.left < 0) {
            assert_string_equal(ney_result_get_text(result, "stop"), "cancelled");
        }
        ney_result_free(result);
        ney_model_free(model);
        ney_data_free(d);
        ney_options_free(o);
    }
    text_free(&r.csv);
}

static void tuning_chooses_and_says_so(void **state)
{
    static const char *const pairs[] = {"grid", "C=0.01,1", "folds", "2", "max-fpr", "0.1", NULL};
    rows r, other;
    ney_options *o = options_of(pairs);
    (void)state;
    rows_init(&r, 5);
    rows_init(&other, 6);
    for (int with_valid = 0; with_valid < 2; with_valid++) {
        if (with_valid) {
            assert_int_equal(ney_options_set(o, "folds", NULL, NULL), NEY_OK);
        }
        ney_data *d = data_of(&r), *valid = with_valid ? data_of(&other) : NULL;
        ney_model *model;
        ney_result *result;
        ney_error err = {0};
        double C = 0;
        if (ney_fit_tuned(&model, &result, NULL, d, valid, o, &err) != NEY_OK) {
            fail_msg("%s", err.message);
        }
        assert_true(ney_result_get_real(result, "C", &C) && C > 0);
        assert_string_equal(ney_result_get_text(result, "search_stop"), "converged");
        assert_string_equal(ney_result_get_text(result, "criterion"), "expected");
        bool certified = false;
        assert_true(ney_result_get_bool(result, "certified", &certified) && certified);
        ney_result_free(result);
        ney_model_free(model);
        ney_data_free(d);
        ney_data_free(valid);
    }
    ney_options_free(o);
    text_free(&r.csv);
    text_free(&other.csv);
}

static void learning_on_keeps_the_promise(void **state)
{
    static const char *const pairs[] = {"max-fpr", "0.1", "method", "online", "epochs", "2", NULL};
    rows r, other;
    ney_options *o = options_of(pairs);
    ney_model *from, *model;
    ney_result *result;
    ney_error err = {0};
    double bound = 0;
    bool certified = false;
    (void)state;
    rows_init(&r, 7);
    rows_init(&other, 8);
    ney_data *d = data_of(&r), *more;
    assert_int_equal(ney_fit(&from, NULL, NULL, d, o, NULL), NEY_OK);
    const ney_array x = array_of(&other);
    assert_int_equal(ney_data_from_array(&more, NULL, &x, ney_model_preprocessing(from), NULL),
                     NEY_OK);
    assert_int_equal(ney_data_set_labels(more, other.label, NULL, NULL, NULL), NEY_OK);
    if (ney_fit_update(&model, &result, NULL, from, more, NULL, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    assert_true(ney_result_get_real(result, "max_fpr", &bound) && bound == 0.1);
    assert_true(ney_result_get_bool(result, "certified", &certified) && certified);
    ney_result_free(result);
    ney_model_free(model);
    ney_model_free(from);
    ney_data_free(d);
    ney_data_free(more);
    ney_options_free(o);
    text_free(&r.csv);
    text_free(&other.csv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_and_text_give_the_same),
        cmocka_unit_test(held_out_rows_do_not_scale),
        cmocka_unit_test(what_cannot_be_fitted_is_refused),
        cmocka_unit_test(a_stop_leaves_a_marked_model),
        cmocka_unit_test(a_stop_leaves_no_memory),
        cmocka_unit_test(tuning_chooses_and_says_so),
        cmocka_unit_test(learning_on_keeps_the_promise),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
