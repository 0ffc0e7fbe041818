/* Columns of categories in arrays: the same features as words in a table, whatever the order of the
 * values and columns; unknown and missing values as in a table; what makes no sense is refused. */
#include "data/data.h"
#include "support/cmocka_all.h"
#include "support/same.h"

#include <math.h>
#include <string.h>

enum { ROWS = 5, COLS = 3 };

static const char text[] =
    "label,size,colour,shape\n1,1.5,red,round\n-1,0,green,flat\n1,4,red,flat\n"
    "-1,1700000001.5,blue,round\n1,2,green,round\n";
/* the columns in another order, values in any order, one that does not occur */
static const char *const names[] = {"shape", "size", "colour"};
static const char *const shapes[] = {"round", "flat"};
static const char *const colours[] = {"red", "white", "blue", "green"};
static const ney_categories categories[] = {{2, shapes}, {0, NULL}, {4, colours}};
static const double cells[ROWS * COLS] = {0, 1.5, 0, 1, 0, 3, 1, 4, 0, 0, 1700000001.5, 2, 0, 2, 3};

static ney_array array_of(const double *value, int64_t rows)
{
    return (ney_array){.rows = rows,
                       .cols = COLS,
                       .value = value,
                       .value_type = NEY_FLOAT64,
                       .name = names,
                       .category = categories};
}

static ney_data *make(const ney_array *x, const ney_preprocessing *preprocessing)
{
    ney_data *d;
    ney_error err = {0};
    if (ney_data_from_array(&d, NULL, x, preprocessing, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    return d;
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

/* Feature by feature name, since the order of the columns differs. */
static void assert_same_features(const ney_data *a, const ney_data *b)
{
    const ney_preprocessing *p = ney_data_preprocessing(a), *q = ney_data_preprocessing(b);
    const int64_t cols = ney_preprocessing_cols(p);
    assert_int_equal(cols, ney_preprocessing_cols(q));
    for (int64_t c = 0; c < cols; c++) {
        char name[100], other[100];
        int64_t k = 0;
        ney_preprocessing_feature(p, c, name, sizeof name);
        do {
            assert_true(k < cols);
            ney_preprocessing_feature(q, k++, other, sizeof other);
        } while (strcmp(name, other) != 0);
        for (int64_t i = 0; i < ney_data_matrix(a)->rows; i++) {
            assert_true(cell(a, i, c) == cell(b, i, k - 1));
        }
    }
}

static void categories_are_the_features_of_a_table(void **state)
{
    const ney_array x = array_of(cells, ROWS);
    (void)state;
    for (int scaling = NEY_SCALING_NONE; scaling <= NEY_SCALING_UNIT; scaling++) {
        ney_data *file = parse(text, NULL), *d = make(&x, NULL);
        assert_same_features(d, file);
        assert_int_equal(ney_data_prepare(file, (ney_scaling)scaling, NULL, 0, NULL), NEY_OK);
        assert_int_equal(ney_data_prepare(d, (ney_scaling)scaling, NULL, 0, NULL), NEY_OK);
        assert_same_features(d, file);
        /* with the preprocessing of the file, and the file with that of the array */
        ney_data *followed = make(&x, ney_data_preprocessing(file));
        assert_same_features(followed, file);
        ney_data *read = parse_with(text, NULL, ney_data_preprocessing(d));
        assert_same_features(read, d);
        ney_data_free(read);
        ney_data_free(followed);
        ney_data_free(file);
        ney_data_free(d);
    }
}

static void inputs_are_listed(void **state)
{
    const ney_array x = array_of(cells, ROWS);
    ney_data *d = make(&x, NULL);
    const ney_preprocessing *p = ney_data_preprocessing(d);
    const char *const *category;
    int64_t n;
    (void)state;
    assert_int_equal(ney_preprocessing_inputs(p), COLS);
    assert_string_equal(ney_preprocessing_input(p, 2, &category, &n), "colour");
    assert_int_equal(n, 3); /* "white" does not occur */
    assert_string_equal(category[0], "blue");
    assert_string_equal(category[2], "red");
    assert_string_equal(ney_preprocessing_input(p, 1, &category, &n), "size");
    assert_null(category);
    assert_null(ney_preprocessing_input(p, 3, NULL, NULL));
    ney_data_free(d);
}

static void unknown_values_have_no_feature(void **state)
{
    static const double other[COLS] = {0, 1, 1}; /* "white" */
    const ney_array x = array_of(other, 1);
    ney_data *file = parse(text, NULL);
    (void)state;
    assert_int_equal(ney_data_prepare(file, NEY_SCALING_NONE, NULL, 0, NULL), NEY_OK);
    ney_data *d = make(&x, ney_data_preprocessing(file));
    ney_data *row = parse_with("label,size,colour,shape\n1,1,white,round\n", NULL,
                               ney_data_preprocessing(file));
    assert_same_features(d, row);
    ney_data_free(row);
    ney_data_free(file);
    ney_data_free(d);
}

/* NaN and the words that a table takes as missing. */
static void missing_values_are_as_in_a_table(void **state)
{
    static const char *const marked[] = {"red", "?", "blue", "green"};
    const ney_categories with_mark[] = {{2, shapes}, {0, NULL}, {4, marked}};
    double gap[ROWS * COLS];
    (void)state;
    assert_true(ney_text_is_missing("") && ney_text_is_missing("NA") && ney_text_is_missing("?"));
    assert_false(ney_text_is_missing("red") || ney_text_is_missing("0"));
    for (int which = 0; which < 2; which++) {
        ney_array x = array_of(gap, ROWS);
        ney_error err;
        memcpy(gap, cells, sizeof gap);
        gap[COLS + 2] = which ? 1 : (double)NAN;
        x.category = which ? with_mark : categories;
        ney_data *d = make(&x, NULL);
        assert_int_equal(ney_data_prepare(d, NEY_SCALING_NONE, NULL, 0, &err), NEY_EPARSE);
        assert_non_null(strstr(err.message, "row 1, column 2 ('colour')"));
        ney_data_free(d);
        ney_data *file = parse(text, NULL);
        assert_int_equal(ney_data_prepare(file, NEY_SCALING_NONE, NULL, 0, NULL), NEY_OK);
        refuse_array(&x, ney_data_preprocessing(file), "row 1, column 2 ('colour')");
        ney_data_free(file);
        ney_read_opts mean = read_defaults();
        mean.missing = NEY_MISSING_MEAN;
        file = parse_with(text, &mean, NULL);
        assert_int_equal(ney_data_prepare(file, NEY_SCALING_STANDARD, NULL, 0, NULL), NEY_OK);
        d = make(&x, ney_data_preprocessing(file));
        ney_data *row = parse_with("label,size,colour,shape\n1,1.5,red,round\n-1,0,,flat\n", NULL,
                                   ney_data_preprocessing(file));
        for (int64_t c = 0; c < ney_data_matrix(row)->cols; c++) {
            assert_true(cell(d, 1, c) == cell(row, 1, c));
        }
        ney_data_free(row);
        ney_data_free(file);
        ney_data_free(d);
    }
}

/* A column of 0 and 1 for each category stands for the column, as it always did. */
static void indicator_columns_stand_for_categories(void **state)
{
    static const char *const indicators[] = {"size", "colour=red", "colour=blue", "colour=green",
                                             "shape"};
    static const double value[] = {1.5, 1, 0, 0, 0, 0, 0, 0, 1, 1};
    const ney_categories of[] = {{0, NULL}, {0, NULL}, {0, NULL}, {0, NULL}, {2, shapes}};
    const ney_array x = {.rows = 2,
                         .cols = 5,
                         .value = value,
                         .value_type = NEY_FLOAT64,
                         .name = indicators,
                         .category = of};
    ney_data *file = parse(text, NULL);
    (void)state;
    assert_int_equal(ney_data_prepare(file, NEY_SCALING_STANDARD, NULL, 0, NULL), NEY_OK);
    ney_data *d = make(&x, ney_data_preprocessing(file));
    for (int64_t i = 0; i < 2; i++) {
        for (int64_t c = 0; c < ney_data_matrix(d)->cols; c++) {
            assert_true(cell(d, i, c) == cell(file, i, c));
        }
    }
    ney_data_free(d);
    ney_data_free(file);
}

static void nonsense_is_refused(void **state)
{
    static const char *const twice[] = {"red", "white", "red", "green"}, *const hole[] = {NULL};
    const ney_categories repeated[] = {{2, shapes}, {0, NULL}, {4, twice}};
    const ney_categories holed[] = {{2, shapes}, {0, NULL}, {1, hole}};
    const ney_categories negative[] = {{2, shapes}, {0, NULL}, {-1, colours}};
    const ney_categories numbers[] = {{2, shapes}, {0, NULL}, {0, NULL}};
    const ney_categories words[] = {{2, shapes}, {2, shapes}, {4, colours}};
    const double places[] = {-1, 0.5, 4, 1e300, (double)INFINITY};
    double bad[ROWS * COLS];
    ney_array x = array_of(cells, ROWS);
    ney_data *file = parse(text, NULL), *numbered = parse("1 1:2 2:3 3:4\n-1 1:1 3:1\n", NULL);
    (void)state;
    x.category = repeated;
    refuse_array(&x, NULL, "two categories 'red'");
    x.category = holed;
    refuse_array(&x, NULL, "no text");
    x.category = negative;
    refuse_array(&x, NULL, "-1 categories");
    assert_int_equal(ney_data_prepare(file, NEY_SCALING_NONE, NULL, 0, NULL), NEY_OK);
    x.category = numbers;
    refuse_array(&x, ney_data_preprocessing(file), "holds numbers, expected categories");
    double two[] = {0, 1, 0};
    ney_array small = array_of(two, 1);
    small.category = words;
    refuse_array(&small, ney_data_preprocessing(file), "holds categories, expected numbers");
    x.category = categories;
    assert_int_equal(ney_data_prepare(numbered, NEY_SCALING_NONE, NULL, 0, NULL), NEY_OK);
    refuse_array(&x, ney_data_preprocessing(numbered), "numbered features");
    x.name = NULL;
    refuse_array(&x, NULL, "with names");
    x.name = (const char *const[]){"form", "size", "colour"};
    refuse_array(&x, ney_data_preprocessing(file), "no column 'shape'");
    x.name = names;
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        memcpy(bad, cells, sizeof bad);
        bad[COLS + 2] = places[k];
        x.value = bad;
        refuse_array(&x, NULL, "row 1, column 2 ('colour')");
        refuse_array(&x, ney_data_preprocessing(file), "position of one of 4 categories");
    }
    const int32_t start[] = {0, 0};
    const ney_array sparse = {.rows = 1,
                              .cols = COLS,
                              .start = start,
                              .start_type = NEY_INT32,
                              .index_type = NEY_INT32,
                              .name = names,
                              .category = categories};
    refuse_array(&sparse, NULL, "dense array");
    ney_data_free(file);
    ney_data_free(numbered);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(categories_are_the_features_of_a_table),
        cmocka_unit_test(inputs_are_listed),
        cmocka_unit_test(unknown_values_have_no_feature),
        cmocka_unit_test(missing_values_are_as_in_a_table),
        cmocka_unit_test(indicator_columns_stand_for_categories),
        cmocka_unit_test(nonsense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
