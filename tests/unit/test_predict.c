/* Raw rows from memory and text in pieces have the scores of the same rows in a file, bit for bit:
 * every family, scaling and storage. */
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/same.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 120, COLS = 4 };

typedef struct problem {
    double raw[ROWS * COLS];
    text csv; /* of the same numbers; the labels in the first column */
    ney_data *train;
    ney_model *model;
    ney_data *file; /* the rows as the model's features */
    double score[ROWS];
    int8_t decision[ROWS];
} problem;

static const char *const families[] = {"linear", "rbf", "features", "network"};
enum { FAMILIES = sizeof families / sizeof *families };

static ney_train_opts options_of(int family)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *rows = ney_train_params(&n);
    ney_params_init(rows, n, &o);
    o.max_fpr = 0.2;
    o.confidence = (double)NAN;
    o.kernel = family == 1 ? NEY_KERNEL_RBF : NEY_KERNEL_LINEAR;
    o.features = family == 2 ? 64 : 0;
    o.network[0] = family == 3 ? 3 : 0;
    o.epochs = family >= 2 ? 2 : 0;
    return o;
}

static void problem_init(problem *p, int family, ney_scaling scaling, bool gaps)
{
    rnd r = rnd_new((uint64_t)(10 * family + (int)scaling));
    ney_read_opts read = read_defaults();
    ney_error err = {0};
    int64_t known;
    *p = (problem){0};
    text_put(&p->csv, "label,a,b,c,d\n");
    for (int i = 0; i < ROWS; i++) {
        const int sign = i % 3 == 0 ? 1 : -1;
        text_printf(&p->csv, "%d", sign);
        for (int c = 0; c < COLS; c++) {
            double *const x = &p->raw[i * COLS + c];
            *x = rnd_chance(&r, 0.3) ? 0 : 10 * rnd_unit(&r) + (c == 1 ? 2 * sign : 0);
            *x = gaps && c == 2 && i % 7 == 3 ? (double)NAN : *x;
            text_printf(&p->csv, isnan(*x) ? ",NA" : ",%.17g", *x);
        }
        text_put(&p->csv, "\n");
    }
    read.missing = gaps ? NEY_MISSING_MEAN : NEY_MISSING_ERROR;
    p->train = parse(p->csv.bytes, &read);
    const ney_train_opts o = options_of(family);
    if (ney_data_prepare(p->train, scaling, NULL, 0, &err) != NEY_OK ||
        ney_train(&p->model, NULL, p->train, &o, NULL, &err) != NEY_OK) {
        fail_msg("%s: %s", families[family], err.message);
    }
    p->file = parse_with(p->csv.bytes, NULL, ney_model_preprocessing(p->model));
    assert_int_equal(ney_model_score_data(p->model, NULL, p->file, p->score, &known, &err), NEY_OK);
    double low, high;
    ney_model_thresholds(p->model, &low, &high);
    for (int i = 0; i < ROWS; i++) {
        p->decision[i] = (int8_t)(p->score[i] >= high ? 1 : p->score[i] < low ? -1 : 0);
    }
}

static void problem_deinit(problem *p)
{
    ney_data_free(p->train);
    ney_data_free(p->file);
    ney_model_free(p->model);
    text_free(&p->csv);
}

static ney_array rows_of(const problem *p, int64_t first, int64_t n)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    return (ney_array){.rows = n,
                       .cols = COLS,
                       .value = p->raw + first * COLS,
                       .value_type = NEY_FLOAT64,
                       .name = names};
}

/* The cells that are not zero. */
static ney_array sparse_of(const problem *p)
{
    static double value[ROWS * COLS];
    static int64_t start[ROWS + 1], index[ROWS * COLS];
    int64_t k = 0;
    for (int i = 0; i < ROWS * COLS; i++) {
        if (p->raw[i] != 0) {
            value[k] = p->raw[i];
            index[k++] = i % COLS;
        }
        start[i / COLS + 1] = k;
    }
    return (ney_array){.rows = ROWS,
                       .cols = COLS,
                       .value = value,
                       .value_type = NEY_FLOAT64,
                       .start = start,
                       .start_type = NEY_INT64,
                       .index = index,
                       .index_type = NEY_INT64};
}

static void check_array(const problem *p, const ney_array *x)
{
    double score[ROWS];
    int8_t decision[ROWS];
    ney_error err = {0};
    if (ney_predict(p->model, NULL, x, score, decision, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    assert_memory_equal(score, p->score, sizeof score);
    assert_memory_equal(decision, p->decision, sizeof decision);
    memset(decision, 9, sizeof decision);
    assert_int_equal(ney_predict(p->model, NULL, x, NULL, decision, &err), NEY_OK);
    assert_memory_equal(decision, p->decision, sizeof decision);
    memset(score, 9, sizeof score);
    assert_int_equal(ney_predict(p->model, NULL, x, score, NULL, &err), NEY_OK);
    assert_memory_equal(score, p->score, sizeof score);
}

/* The text in pieces of `step` bytes. */
static void check_text(const problem *p, size_t step)
{
    ney_predictor *predictor;
    const double *score;
    const int8_t *decision;
    int64_t rows = 0;
    assert_int_equal(ney_predictor_new(&predictor, NULL, p->model, NULL, NULL), NEY_OK);
    for (size_t at = 0; at <= p->csv.length; at += step) {
        const size_t left = p->csv.length - at, n = left < step ? left : step;
        ney_error err = {0};
        const ney_status st = left > 0 ? ney_predictor_feed(predictor, p->csv.bytes + at, n, &err)
                                       : ney_predictor_end(predictor, &err);
        if (st != NEY_OK) {
            fail_msg("%s", err.message);
        }
        const int64_t m = ney_predictor_result(predictor, &score, &decision);
        assert_true(rows + m <= ROWS);
        assert_memory_equal(score, p->score + rows, (size_t)m * sizeof *score);
        assert_memory_equal(decision, p->decision + rows, (size_t)m);
        rows += m;
        if (left > 0 && left < step) {
            assert_int_equal(ney_predictor_end(predictor, &err), NEY_OK);
            rows += ney_predictor_result(predictor, NULL, NULL);
        }
    }
    assert_int_equal(rows, ROWS);
    ney_predictor_free(predictor);
}

static void check_rows_one_by_one(const problem *p)
{
    ney_predictor *predictor;
    const double *score;
    assert_int_equal(ney_predictor_new(&predictor, NULL, p->model, NULL, NULL), NEY_OK);
    for (int i = 0; i < ROWS; i++) {
        const ney_array x = rows_of(p, i, 1);
        assert_int_equal(ney_predictor_feed_rows(predictor, &x, NULL), NEY_OK);
        assert_int_equal(ney_predictor_result(predictor, &score, NULL), 1);
        assert_memory_equal(score, &p->score[i], sizeof *score);
    }
    ney_predictor_free(predictor);
}

static void scores_are_those_of_the_file(void **state)
{
    (void)state;
    for (int family = 0; family < FAMILIES; family++) {
        for (int scaling = NEY_SCALING_NONE; scaling <= NEY_SCALING_UNIT; scaling++) {
            problem p;
            problem_init(&p, family, (ney_scaling)scaling, scaling == NEY_SCALING_MINMAX);
            const ney_array dense = rows_of(&p, 0, ROWS), sparse = sparse_of(&p);
            check_array(&p, &dense);
            check_array(&p, &sparse);
            check_text(&p, 1 + (size_t)(family * 97));
            check_text(&p, p.csv.length);
            check_rows_one_by_one(&p);
            problem_deinit(&p);
        }
    }
}

/* Categories are words in text, and columns of 0 and 1 named COLUMN=VALUE in an array. */
static void categories_have_columns(void **state)
{
    static const char words[] = "label,colour,x\n1,red,1\n-1,blue,2\n1,red,3\n-1,green,4\n1,red,5\n"
                                "-1,blue,6\n";
    static const char *const names[] = {"x", "colour=red", "colour=green", "colour=blue"};
    static const double rows[] = {1, 1, 0, 0, 2, 0, 0, 1, 3, 1, 0, 0,
                                  4, 0, 1, 0, 5, 1, 0, 0, 6, 0, 0, 1};
    const ney_array x = {
        .rows = 6, .cols = 4, .value = rows, .value_type = NEY_FLOAT64, .name = names};
    ney_data *train = parse(words, NULL), *file;
    ney_model *model;
    double score[6], expected[6];
    int64_t known;
    (void)state;
    assert_int_equal(ney_data_prepare(train, NEY_SCALING_STANDARD, NULL, 0, NULL), NEY_OK);
    assert_int_equal(ney_train(&model, NULL, train, NULL, NULL, NULL), NEY_OK);
    file = parse_with(words, NULL, ney_model_preprocessing(model));
    assert_int_equal(ney_model_score_data(model, NULL, file, expected, &known, NULL), NEY_OK);
    assert_int_equal(ney_predict(model, NULL, &x, score, NULL, NULL), NEY_OK);
    assert_memory_equal(score, expected, sizeof score);
    ney_data_free(train);
    ney_data_free(file);
    ney_model_free(model);
}

static void mistakes_are_refused(void **state)
{
    problem p;
    double score[ROWS];
    int64_t known;
    ney_error err;
    (void)state;
    problem_init(&p, 0, NEY_SCALING_STANDARD, false);
    ney_array x = rows_of(&p, 0, ROWS);
    ney_data *raw;
    assert_int_equal(ney_data_from_array(&raw, NULL, &x, NULL, NULL), NEY_OK);
    assert_int_equal(ney_model_score_data(p.model, NULL, raw, score, &known, &err), NEY_EINVAL);
    assert_non_null(strstr(err.message, "raw"));
    ney_data_free(raw);
    p.raw[5 * COLS + 2] = (double)NAN;
    assert_int_equal(ney_predict(p.model, NULL, &x, score, NULL, &err), NEY_EINVAL);
    assert_non_null(strstr(err.message, "row 5, column 2 ('c')"));
    x.cols = 3;
    x.name = NULL;
    assert_int_equal(ney_predict(p.model, NULL, &x, score, NULL, &err), NEY_EINVAL);
    x.rows = 0;
    x.cols = COLS;
    assert_int_equal(ney_predict(p.model, NULL, &x, NULL, NULL, &err), NEY_OK);
    assert_int_equal(ney_predict(NULL, NULL, &x, NULL, NULL, &err), NEY_EINVAL);
    assert_int_equal(ney_predict(p.model, NULL, NULL, score, NULL, &err), NEY_EINVAL);
    ney_predictor *predictor;
    assert_int_equal(ney_predictor_new(&predictor, NULL, NULL, NULL, &err), NEY_EINVAL);
    assert_null(predictor);
    assert_int_equal(ney_predictor_new(&predictor, NULL, p.model, NULL, &err), NEY_OK);
    assert_int_equal(ney_predictor_feed_rows(predictor, NULL, &err), NEY_EINVAL);
    ney_predictor_free(predictor);
    problem_deinit(&p);
}

/* Errors in text name the line of the whole, and end the handle. */
static void errors_name_their_line(void **state)
{
    static const char *const parts[] = {"label,a,b,c,d\n1,1,2,", "3,4\n1,5,6,7,8\n", "-1,1,1,1,1\n",
                                        "1,2,oops,3,4\n"};
    problem p;
    ney_predictor *predictor;
    ney_options *options;
    ney_error err = {0};
    (void)state;
    problem_init(&p, 0, NEY_SCALING_STANDARD, false);
    assert_int_equal(ney_predictor_new(&predictor, NULL, p.model, NULL, NULL), NEY_OK);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(ney_predictor_feed(predictor, parts[k], strlen(parts[k]), &err), NEY_OK);
        assert_int_equal(ney_predictor_result(predictor, NULL, NULL), k == 0 ? 0 : 3 - k);
    }
    assert_int_equal(ney_predictor_feed(predictor, parts[3], strlen(parts[3]), &err), NEY_EPARSE);
    assert_int_equal(err.line, 5);
    assert_int_equal(ney_predictor_result(predictor, NULL, NULL), 0);
    assert_int_equal(ney_predictor_feed(predictor, "1,1,1,1,1\n", 10, &err), NEY_EINVAL);
    ney_predictor_free(predictor);
    assert_int_equal(ney_options_new(&options, NULL, NULL), NEY_OK);
    assert_int_equal(ney_options_set(options, "no-header", "true", NULL), NEY_OK);
    assert_int_equal(ney_options_set(options, "C", "3", NULL), NEY_OK);
    assert_int_equal(ney_predictor_new(&predictor, NULL, p.model, options, &err), NEY_EINVAL);
    assert_null(predictor);
    assert_non_null(strstr(err.message, "C does not apply"));
    ney_options_free(options);
    ney_predictor_free(NULL);
    problem_deinit(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_those_of_the_file),
        cmocka_unit_test(categories_have_columns),
        cmocka_unit_test(mistakes_are_refused),
        cmocka_unit_test(errors_name_their_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
