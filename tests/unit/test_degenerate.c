/* No column, one row, one class, a class without weight: every method of every goal gives a model
 * of finite numbers that can be written, read, used and updated, or an error with a reason. Without
 * columns a model is its intercept. */
#include "data/data.h"
#include "data/preprocessing.h"
#include "support/cmocka_all.h"

#include <neyman/experimental.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { ROWS = 40 };

typedef struct goal {
    const char *name, *options; /* pairs of name and value */
} goal;

static const goal goals[] = {
    {"costs", ""},
    {"costs exactly", "method activeset"},
    {"annealed", "max-fpr 0.2 confidence none"},
    {"uzawa", "max-fpr 0.2 confidence none method uzawa"},
    {"convex", "max-fnr 0.2 confidence none method convex"},
    {"generative", "max-fpr 0.2 confidence none method generative"},
    {"chebyshev", "max-fpr 0.2 confidence none method chebyshev"},
    {"perf", "max-fpr 0.2 confidence none method perf"},
    {"online", "max-fpr 0.2 confidence none method online epochs 2"},
    {"network", "max-fpr 0.2 confidence none network 3 epochs 2"},
    {"layers", "max-fpr 0.2 confidence none network 3,2 epochs 2"},
    {"relu", "max-fpr 0.2 confidence none network 3,2 activation relu epochs 2"},
    {"features", "max-fpr 0.2 confidence none features 5 epochs 2"},
    {"certified", "max-fpr 0.5 confidence 0.9"},
    {"both rates", "max-fpr 0.5 max-fnr 0.5 confidence 0.5"},
    {"rejection", "reject-cost 0.2"},
    {"rejection exactly", "reject-cost 0.2 method activeset"},
    {"rejection online", "reject-cost 0.2 method online epochs 2"},
    {"fdr", "max-fdr 0.2"},
    {"fdr online", "max-fdr 0.2 method online epochs 2"},
    {"fdr network", "max-fdr 0.2 network 3"},
    {"fdr trees", "trees 2"},
    {"ramp", "method ramp"},
    {"trees", "trees 2"},
    {"lagrangian", "max-fpr 0.2 confidence none trees 2 method lagrangian"},
};

static const char *const kernels[] = {"", "kernel rbf", "kernel poly", "kernel poly coef0 1",
                                      "kernel sigmoid"};

static void set_options(ney_train_opts *o, const char *words, char *room)
{
    int64_t n;
    const ney_param *const params = ney_train_params(&n);
    char *rest = NULL;
    strcpy(room, words);
    for (char *name = strtok_r(room, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        const char *const value = strtok_r(NULL, " ", &rest);
        assert_int_equal(ney_params_set(params, n, o, name, value, NULL), NEY_OK);
    }
}

typedef struct shape {
    int64_t rows, cols;
    bool is_sparse, one_class, no_array, no_weight, no_weights; /* of the positives, of any row */
} shape;

static ney_data *make_data(const shape *s)
{
    float x[ROWS * 2], weight[ROWS];
    int8_t label[ROWS];
    int64_t start[ROWS + 1];
    int32_t index[ROWS * 2];
    ney_data *d = NULL;
    for (int64_t i = 0; i < s->rows; i++) {
        label[i] = s->one_class || i % 2 ? -1 : 1;
        weight[i] = s->no_weights || (s->no_weight && label[i] > 0) ? 0 : 1;
        start[i] = i * s->cols;
        for (int64_t j = 0; j < s->cols; j++) {
            x[i * s->cols + j] = (float)sin(1 + (double)(i * (j + 2))) + (float)label[i];
            index[i * s->cols + j] = (int32_t)j;
        }
    }
    start[s->rows] = s->rows * s->cols;
    const ney_matrix dense = {.rows = s->rows, .cols = s->cols, .dense = s->no_array ? NULL : x};
    const ney_matrix sparse = {
        .rows = s->rows, .cols = s->cols, .start = start, .index = index, .value = x};
    assert_int_equal(ney_data_new(&d, NULL, s->is_sparse ? &sparse : &dense, label,
                                  s->no_weight || s->no_weights ? weight : NULL, NULL),
                     NEY_OK);
    return d;
}

/* Write, read and update a model; its scores are finite, and one number without columns. */
static void use_model(const ney_model *m, const ney_data *d, const char *name)
{
    const ney_matrix *const x = ney_data_matrix(d);
    double score[ROWS];
    char *file = NULL;
    size_t n_file;
    ney_model *again = NULL, *updated = NULL;
    ney_error err = {0};
    assert_int_equal(ney_model_format(m, &file, &n_file, NULL), NEY_OK);
    assert_int_equal(ney_model_parse(&again, NULL, "model", file, n_file, NULL), NEY_OK);
    assert_int_equal(ney_model_score(again, NULL, x, score, NULL), NEY_OK);
    for (int64_t i = 0; i < x->rows; i++) {
        if (!isfinite(score[i]) || (x->cols == 0 && score[i] != score[0])) {
            fail_msg("%s: score %g of row %lld", name, score[i], (long long)i);
        }
    }
    if (ney_update(&updated, NULL, again, d, NULL, NULL, &err) != NEY_OK) {
        assert_true(err.message[0] != '\0');
    }
    ney_model_free(updated);
    ney_model_free(again);
    ney_model_text_free(m, file);
}

/* Returns whether it gave a model. */
static bool train_one(const shape *s, const goal *g, const char *kernel)
{
    int64_t n;
    const ney_param *const params = ney_train_params(&n);
    ney_data *d = make_data(s);
    ney_train_opts o;
    ney_model *m = NULL;
    ney_error err = {0};
    char room[2][128];
    ney_params_init(params, n, &o);
    set_options(&o, g->options, room[0]);
    set_options(&o, kernel, room[1]);
    o.max_fdr = strncmp(g->name, "fdr", 3) == 0 ? "0.2" : NULL;
    const ney_status st = ney_train(&m, NULL, d, &o, NULL, &err);
    if (st == NEY_OK) {
        use_model(m, d, g->name);
    } else {
        assert_null(m);
        assert_true(err.message[0] != '\0');
        assert_null(strstr(err.message, "nan")); /* a cause, not what came of it */
        assert_true(st == NEY_EINVAL || st == NEY_EGOAL || st == NEY_ENUMERIC);
    }
    ney_model_free(m);
    ney_data_free(d);
    return st == NEY_OK;
}

static void test_every_method(void **state)
{
    static const shape shapes[] = {
        {.rows = ROWS},
        {.rows = ROWS, .is_sparse = true},
        {.rows = ROWS, .no_array = true},
        {.rows = 1},
        {.rows = 1, .cols = 2},
        {.rows = 2, .cols = 2},
        {.rows = ROWS, .cols = 2, .one_class = true},
        {.rows = ROWS, .cols = 2, .no_weight = true},
        {.rows = ROWS, .no_weight = true},
        {.rows = ROWS, .cols = 2, .no_weights = true},
        {.rows = ROWS, .no_weights = true},
    };
    (void)state;
    for (size_t a = 0; a < sizeof shapes / sizeof *shapes; a++) {
        for (size_t b = 0; b < sizeof goals / sizeof *goals; b++) {
            for (size_t c = 0; c < sizeof kernels / sizeof *kernels; c++) {
                (void)train_one(&shapes[a], &goals[b], kernels[c]);
            }
        }
    }
}

/* An intercept is a model: costs and a bounded rate need no column. */
static void test_no_columns_give_an_intercept(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof kernels / sizeof *kernels; c++) {
        assert_true(train_one(&(shape){.rows = ROWS}, &goals[0], kernels[c]));
        assert_true(train_one(&(shape){.rows = ROWS}, &goals[2], kernels[c]));
    }
    assert_true(train_one(&(shape){.rows = ROWS}, &goals[8], ""));
}

/* LIBLINEAR writes such a file for data without features. */
static void test_imported_model_without_columns(void **state)
{
    static const char file[] = "solver_type L2R_LR\nnr_class 2\nlabel 1 -1\nnr_feature 0\n"
                               "bias 1\nw\n0.5 \n";
    ney_model *m = NULL;
    ney_error err = {0};
    (void)state;
    ney_model *updated = NULL;
    int64_t n;
    const ney_param *const params = ney_train_params(&n);
    ney_train_opts o;
    ney_data *d = make_data(&(shape){.rows = ROWS});
    assert_int_equal(ney_model_parse(&m, NULL, "model", file, strlen(file), &err), NEY_OK);
    use_model(m, d, "imported");
    ney_params_init(params, n, &o);
    o.max_fpr = 0.3;
    o.confidence = (double)NAN;
    assert_int_equal(ney_update(&updated, NULL, m, d, &o, NULL, &err), NEY_OK);
    use_model(updated, d, "updated");
    ney_model_free(updated);
    ney_data_free(d);
    ney_model_free(m);
}

/* Whatever put it there: an unreadable file never takes the place of a good one. */
static void test_number_that_is_not_finite_is_not_written(void **state)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    const shape s = {.rows = ROWS, .cols = 2};
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        ney_data *d = make_data(&s);
        ney_model *m = NULL;
        ney_error err = {0};
        double intercept;
        char *file = NULL;
        size_t n_file = 0;
        assert_int_equal(ney_train(&m, NULL, d, NULL, NULL, &err), NEY_OK);
        assert_int_equal(ney_model_format(m, &file, &n_file, &err), NEY_OK);
        ney_model_text_free(m, file);
        double *const weight = (double *)(uintptr_t)ney_model_weights(m, &intercept);
        weight[1] = bad[k];
        assert_int_equal(ney_model_format(m, &file, &n_file, &err), NEY_ENUMERIC);
        assert_null(file);
        assert_non_null(strstr(err.message, "not finite"));
        ney_model_free(m);
        ney_data_free(d);
    }
}

/* Missing cells are not kept for a family that cannot score them, not even where no column has one:
 * the model could not be read. */
static void test_missing_values_are_kept_for_trees_alone(void **state)
{
    static const char *const names[] = {"costs", "rejection online", "fdr", "fdr trees", "trees"};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        int64_t n;
        const ney_param *const params = ney_train_params(&n);
        ney_data *d = make_data(&(shape){.rows = ROWS});
        ney_train_opts o;
        ney_model *m = NULL;
        ney_error err = {0};
        char room[128];
        const goal *g = goals;
        while (strcmp(g->name, names[k]) != 0) {
            g++;
        }
        ney_params_init(params, n, &o);
        set_options(&o, g->options, room);
        o.max_fdr = strncmp(g->name, "fdr", 3) == 0 ? "0.2" : NULL;
        assert_true(ney_preprocessing_set_missing(d->preprocessing, NEY_MISSING_KEEP));
        const ney_status st = ney_train(&m, NULL, d, &o, NULL, &err);
        const bool names_option = strstr(err.message, "--missing keep") != NULL;
        assert_true(strcmp(g->name, "trees") == 0 ? !names_option
                                                  : st == NEY_EINVAL && names_option);
        ney_model_free(m);
        ney_data_free(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_method),
        cmocka_unit_test(test_no_columns_give_an_intercept),
        cmocka_unit_test(test_imported_model_without_columns),
        cmocka_unit_test(test_number_that_is_not_finite_is_not_written),
        cmocka_unit_test(test_missing_values_are_kept_for_trees_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
