/* Data sets from arrays in memory: every type and order gives the same rows, the preprocessing of a
 * model makes the features that it makes of a file, and what cannot be stored is named. */
#include "data/data.h"
#include "support/cmocka_all.h"
#include "support/same.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 4, COLS = 3 };

static const double table[ROWS][COLS] = {{1.5, 0, -2}, {0, 0, 3}, {0.1, 7, 0}, {4, -1e-3, 1e6}};
static const char *const names[] = {"a", "b", "c"};
static const int8_t label[ROWS] = {1, -1, 1, -1};

/* The table in one of the layouts; the buffers live until the next call. */
typedef enum layout { C32, C64, F64, PADDED64, REVERSED64, CSR_I32_32, CSR_I64_64, LAYOUTS } layout;

static ney_array array_of(layout which)
{
    static float single[ROWS * COLS], entry32[ROWS * COLS];
    static double wide[ROWS * COLS * 2], entry64[ROWS * COLS];
    static int32_t start32[ROWS + 1], index32[ROWS * COLS];
    static int64_t start64[ROWS + 1], index64[ROWS * COLS];
    ney_array x = {.rows = ROWS, .cols = COLS};
    int k = 0;
    for (int i = 0; i < ROWS * COLS; i++) {
        const double v = table[i / COLS][i % COLS];
        single[i] = (float)v;
        wide[which == F64          ? i % COLS * ROWS + i / COLS
             : which == PADDED64   ? i / COLS * 2 * COLS + i % COLS * 2
             : which == REVERSED64 ? ROWS * COLS - 1 - i
                                   : i] = v;
        if (v != 0) {
            entry32[k] = (float)v;
            entry64[k] = v;
            index32[k] = i % COLS;
            index64[k++] = i % COLS;
        }
        start32[i / COLS + 1] = k;
        start64[i / COLS + 1] = k;
    }
    x.value = wide;
    x.value_type = NEY_FLOAT64;
    if (which == C32) {
        x.value = single;
        x.value_type = NEY_FLOAT32;
    } else if (which == F64) {
        x.row_stride = 1;
        x.col_stride = ROWS;
    } else if (which == PADDED64) {
        x.row_stride = 2 * COLS;
        x.col_stride = 2;
    } else if (which == REVERSED64) {
        x.value = wide + ROWS * COLS - 1;
        x.row_stride = -COLS;
        x.col_stride = -1;
    } else if (which == CSR_I32_32) {
        x = (ney_array){.rows = ROWS,
                        .cols = COLS,
                        .value = entry32,
                        .start = start32,
                        .start_type = NEY_INT32,
                        .index = index32,
                        .index_type = NEY_INT32};
    } else if (which == CSR_I64_64) {
        x = (ney_array){.rows = ROWS,
                        .cols = COLS,
                        .value = entry64,
                        .value_type = NEY_FLOAT64,
                        .start = start64,
                        .start_type = NEY_INT64,
                        .index = index64,
                        .index_type = NEY_INT64};
    }
    return x;
}

static ney_data *make(const ney_array *x, const ney_preprocessing *preprocessing)
{
    ney_data *d;
    ney_error err = {0};
    const ney_status st = ney_data_from_array(&d, NULL, x, preprocessing, &err);
    if (st != NEY_OK) {
        fail_msg("%s", err.message);
    }
    return d;
}

static void every_layout_gives_the_same_rows(void **state)
{
    (void)state;
    for (int which = 0; which < LAYOUTS; which++) {
        const ney_array x = array_of((layout)which);
        ney_data *d = make(&x, NULL);
        assert_int_equal(ney_data_matrix(d)->rows, ROWS);
        assert_int_equal(ney_data_matrix(d)->cols, COLS);
        assert_true((ney_data_matrix(d)->dense == NULL) == (x.start != NULL));
        for (int i = 0; i < ROWS * COLS; i++) {
            assert_true(cell(d, i / COLS, i % COLS) == (float)table[i / COLS][i % COLS]);
        }
        ney_error why;
        assert_null(ney_data_label(d));
        assert_int_equal(ney_data_unlabelled(d, &why), NEY_EINVAL);
        assert_int_equal(ney_data_set_labels(d, label, "ham", "spam", NULL), NEY_OK);
        assert_string_equal(ney_preprocessing_label(ney_data_preprocessing(d), 1), "spam");
        assert_int_equal(ney_data_unlabelled(d, NULL), NEY_OK);
        ney_data_free(d);
    }
}

/* The same rows as text, for all scalings: the file is the reference. */
static void a_model_makes_the_features_of_a_file(void **state)
{
    static const char text[] = "b,label,a,c\n0,1,1.5,-2\n0,-1,0,3\n7,1,0.1,0\n-1e-3,-1,4,1e6\n";
    (void)state;
    for (int scaling = NEY_SCALING_NONE; scaling <= NEY_SCALING_UNIT; scaling++) {
        ney_data *train = parse(text, NULL), *file;
        assert_int_equal(ney_data_prepare(train, (ney_scaling)scaling, NULL, 0, NULL), NEY_OK);
        file = parse_with(text, NULL, ney_data_preprocessing(train));
        for (int which = 0; which < LAYOUTS; which++) {
            ney_array x = array_of((layout)which);
            x.name = names; /* in another order than the file's */
            ney_data *d = make(&x, ney_data_preprocessing(train));
            for (int i = 0; i < ROWS * COLS; i++) {
                assert_true(cell(d, i / COLS, i % COLS) == cell(file, i / COLS, i % COLS));
            }
            assert_int_equal(ney_data_set_labels(d, label, NULL, NULL, NULL), NEY_OK);
            assert_int_equal(ney_data_set_labels(d, label, "no", "yes", NULL), NEY_EINVAL);
            ney_data_free(d);
        }
        ney_data_free(train);
        ney_data_free(file);
    }
}

/* Whole numbers beyond single precision keep their distances, as of a table. */
static void doubles_keep_their_digits(void **state)
{
    static const double big[] = {1700000001, 1700000002, 1700000003, 1700000005};
    static const char text[] =
        "label,t\n1,1700000001\n-1,1700000002\n1,1700000003\n-1,1700000005\n";
    const ney_array x = {.rows = 4, .cols = 1, .value = big, .value_type = NEY_FLOAT64};
    ney_data *d = make(&x, NULL), *file = parse(text, NULL);
    (void)state;
    for (int64_t i = 0; i < 4; i++) {
        assert_true(ney_data_number(d, 0, cell(d, i, 0)) == big[i]);
    }
    assert_int_equal(ney_data_prepare(d, NEY_SCALING_STANDARD, NULL, 0, NULL), NEY_OK);
    assert_int_equal(ney_data_prepare(file, NEY_SCALING_STANDARD, NULL, 0, NULL), NEY_OK);
    const int64_t start[] = {0, 1, 2, 3, 4}, index[] = {0, 0, 0, 0};
    const ney_array csr = {.rows = 4,
                           .cols = 1,
                           .value = big,
                           .value_type = NEY_FLOAT64,
                           .start = start,
                           .start_type = NEY_INT64,
                           .index = index,
                           .index_type = NEY_INT64};
    ney_data *e = make(&x, ney_data_preprocessing(file)),
             *f = make(&csr, ney_data_preprocessing(file));
    for (int64_t i = 0; i < 4; i++) {
        assert_true(cell(d, i, 0) == cell(file, i, 0));
        assert_true(cell(e, i, 0) == cell(file, i, 0) && cell(f, i, 0) == cell(file, i, 0));
    }
    ney_data_free(d);
    ney_data_free(e);
    ney_data_free(f);
    ney_data_free(file);
}

/* Sparse rows stay sparse: a name must not make them centred. */
static void sparse_rows_are_not_centred(void **state)
{
    ney_array x = array_of(CSR_I32_32);
    (void)state;
    x.name = names;
    ney_data *d = make(&x, NULL);
    assert_int_equal(ney_data_prepare(d, NEY_SCALING_STANDARD, NULL, 0, NULL), NEY_OK);
    assert_null(ney_data_matrix(d)->dense);
    assert_true(cell(d, 1, 0) == 0);
    ney_data_free(d);
}

static void refuse_array(const ney_array *x, const ney_preprocessing *preprocessing,
                         const char *part)
{
    ney_data *d;
    ney_error err = {0};
    assert_int_equal(ney_data_from_array(&d, NULL, x, preprocessing, &err), NEY_EINVAL);
    assert_null(d);
    if (!strstr(err.message, part)) {
        fail_msg("'%s' lacks '%s'", err.message, part);
    }
}

static void hostile_arrays_are_refused(void **state)
{
    const double bad[] = {1, 2, 3, 4, 1e300, 6}, inf[] = {1, 2, (double)INFINITY, 4, 5, 6};
    const double gap[] = {1, 2, 3, 4, 5, (double)NAN};
    const char *const twice[] = {"a", "b", "a"}, *const hole[] = {"a", NULL, "c"};
    const int32_t start[] = {0, 2, 4}, back[] = {0, 3, 2}, below[] = {-1, 1, 2};
    const int32_t index[] = {0, 2, 0, 1}, same[] = {0, 0, 0, 1}, beyond[] = {0, 3, 0, 1};
    const float value[] = {1, 2, 3, 4};
    ney_array x = {.rows = 2, .cols = 3, .value = bad, .value_type = NEY_FLOAT64};
    ney_data *d;
    (void)state;
    refuse_array(NULL, NULL, "no array");
    refuse_array(&x, NULL, "row 1, column 1");
    x.name = names;
    refuse_array(&x, NULL, "('b')");
    x.value = inf;
    refuse_array(&x, NULL, "row 0, column 2 ('c')");
    x.value = gap; /* missing values wait for the option */
    d = make(&x, NULL);
    assert_true(isnan(cell(d, 1, 2)));
    ney_error err;
    assert_int_equal(ney_data_prepare(d, NEY_SCALING_NONE, NULL, 0, &err), NEY_EPARSE);
    assert_non_null(strstr(err.message, "'c'"));
    ney_data_free(d);
    x.name = twice;
    refuse_array(&x, NULL, "two columns are named 'a'");
    x.name = hole;
    refuse_array(&x, NULL, "column 1 has no name");
    x.name = NULL;
    x.value = NULL;
    refuse_array(&x, NULL, "no values");
    x.value = bad;
    x.rows = -1;
    refuse_array(&x, NULL, "-1 rows");
    x.rows = 2;
    x.row_stride = INT64_MAX;
    refuse_array(&x, NULL, "strides");
    x.row_stride = INT64_MIN;
    refuse_array(&x, NULL, "strides");
    x.row_stride = 0;
    x.value_type = NEY_INT32;
    refuse_array(&x, NULL, "NEY_FLOAT32 or NEY_FLOAT64");
    x.value_type = NEY_FLOAT64;
    x.reserved[2] = bad;
    refuse_array(&x, NULL, "reserved");
    ney_array s = {.rows = 2,
                   .cols = 3,
                   .value = value,
                   .start = back,
                   .start_type = NEY_INT32,
                   .index = index,
                   .index_type = NEY_INT32};
    refuse_array(&s, NULL, "ends before");
    s.start = below;
    refuse_array(&s, NULL, "begins at entry -1");
    s.start = start;
    s.index = same;
    refuse_array(&s, NULL, "row 0 has column 0");
    s.index = beyond;
    refuse_array(&s, NULL, "row 0 has column 3");
    s.index = NULL;
    refuse_array(&s, NULL, "no arrays");
    s.index = index;
    s.index_type = NEY_FLOAT64;
    refuse_array(&s, NULL, "NEY_INT32 or NEY_INT64");
    s.index_type = NEY_INT32;
    s.row_stride = 3;
    refuse_array(&s, NULL, "no strides");
}

static void columns_must_be_the_models(void **state)
{
    static const char *const others[] = {"a", "b", "d"};
    ney_data *train = parse("label,a,b,c\n1,1,2,3\n-1,2,3,5\n", NULL);
    ney_array x = array_of(C64);
    (void)state;
    assert_int_equal(ney_data_prepare(train, NEY_SCALING_STANDARD, NULL, 0, NULL), NEY_OK);
    x.name = others;
    refuse_array(&x, ney_data_preprocessing(train), "no column 'c'");
    x.name = NULL;
    x.cols = 2;
    refuse_array(&x, ney_data_preprocessing(train), "2 columns, expected 3 as in training");
    const double gap[] = {1, (double)NAN, 3};
    x = (ney_array){.rows = 1, .cols = 3, .value = gap, .value_type = NEY_FLOAT64};
    refuse_array(&x, ney_data_preprocessing(train), "row 0, column 1");
    ney_data_free(train);
}

static void labels_and_weights_are_checked(void **state)
{
    const int8_t zero[ROWS] = {1, -1, 0, 1};
    const float weight[ROWS] = {1, 2, 3, 4}, negative[ROWS] = {1, -2, 3, 4};
    const ney_array x = array_of(C64);
    ney_data *d = make(&x, NULL);
    ney_error err;
    (void)state;
    assert_int_equal(ney_data_set_labels(d, zero, NULL, NULL, &err), NEY_EINVAL);
    assert_non_null(strstr(err.message, "row 2"));
    assert_int_equal(ney_data_set_labels(d, NULL, NULL, NULL, &err), NEY_EINVAL);
    assert_int_equal(ney_data_set_labels(d, label, "same", "same", &err), NEY_EINVAL);
    assert_int_equal(ney_data_set_labels(d, label, "one", NULL, &err), NEY_EINVAL);
    assert_null(ney_data_label(d));
    assert_int_equal(ney_data_set_labels(d, label, NULL, NULL, &err), NEY_OK);
    assert_string_equal(ney_preprocessing_label(ney_data_preprocessing(d), -1), "-1");
    assert_int_equal(ney_data_set_weights(d, negative, &err), NEY_EINVAL);
    assert_non_null(strstr(err.message, "row 1"));
    assert_int_equal(ney_data_set_weights(d, weight, &err), NEY_OK);
    assert_true(ney_data_weight(d)[3] == 4);
    assert_int_equal(ney_data_set_weights(d, NULL, &err), NEY_OK);
    assert_null(ney_data_weight(d));
    ney_data_free(d);
}

static void empty_arrays_are_data(void **state)
{
    const int32_t none[] = {0};
    const ney_array shapes[] = {
        {.rows = 0, .cols = 3},
        {.rows = 3, .cols = 0},
        {.rows = 0, .cols = 3, .start = none, .start_type = NEY_INT32, .index_type = NEY_INT32}};
    (void)state;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        ney_data *d = make(&shapes[k], NULL);
        assert_int_equal(ney_data_matrix(d)->rows, shapes[k].rows);
        assert_int_equal(ney_data_matrix(d)->cols, shapes[k].cols);
        ney_data_free(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_layout_gives_the_same_rows),
        cmocka_unit_test(a_model_makes_the_features_of_a_file),
        cmocka_unit_test(doubles_keep_their_digits),
        cmocka_unit_test(sparse_rows_are_not_centred),
        cmocka_unit_test(hostile_arrays_are_refused),
        cmocka_unit_test(columns_must_be_the_models),
        cmocka_unit_test(labels_and_weights_are_checked),
        cmocka_unit_test(empty_arrays_are_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
