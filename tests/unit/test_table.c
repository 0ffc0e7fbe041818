/* Tables: columns, roles, quotes, gaps, categories, and what is refused. */
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/same.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void errors_name_their_line(void **state)
{
    static const struct {
        const char *words, *part;
        int64_t line;
    } cases[] = {
        {"label,a\n1,2\n-1\n",
         "found 1 field, expected 2 (is the file cut at another delimiter? --delimiter states it)",
         3},
        {"label\n1,2\n",
         "found 2 fields, expected 1 as in the first line, 'label' (take out lines above the "
         "header, or state --delimiter)",
         2},
        {"label,a\n1,2\n\n-1,2,3\n", "found 3 fields, expected 2", 4},
        {"label,a\n1,\n", "missing", 2},
        {"label,a\n1,2\n1,NA\n", "missing", 3},
        {"label,a\n1,1e300\n", "single precision", 2},
        {"label,a\n1,inf\n", "finite", 2},
        {"label,a\n1,2\n-1,nan\n", "a number", 3},
        {"label,a\n1,\"2\n-1,3\n", "never closed", 2},
        {"label,a\n1,\"2\"x\n", "after a closing quote", 2},
        {"label,a\n\"1\",\"two\nlines\"\n-1,\"x\ny\nz\"\n2,w\n", "found label '2'", 7},
        {"label,a\n1,1\n,2\n", "found no label", 3},
        {"label,a\n", "has a header but no rows", 0},
        {"label,a\n1,1\n\n0,2\n3,2\n", "found label '3' after '1' in line 2 and '0' in line 4", 5},
        {"SpecId\tLabel\tScanNr\tf\tPeptide\tProteins\nDefaultDirection\t-\t-"
         "\t1\na\t1\t1\t2\tP\tQ\n"
         "b\t-1\t2\t1\tP\tQ\tR\nc\t3\t3\t1\tP\tQ\n",
         "found label '3'", 5},
        {"SpecId\tLabel\tf\tPeptide\tProteins\na\t1\t1\tP\tQ\nb\t-1\tinf\tP\tQ\n", "finite", 3},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        refuse(cases[i].words, NULL, NEY_EPARSE, cases[i].line, cases[i].part);
    }
}

/* Wherever it stands, and no row whose name only begins so. */
static void default_directions_are_no_rows(void **state)
{
    (void)state;
    ney_data *d = parse("SpecId\tLabel\tf\tPeptide\tProteins\n"
                        "DefaultDirection\t-\t1\n"
                        "DefaultDirections\t1\t2\tP\tQ\n"
                        "defaultdirection\n"
                        "b\t-1\t3\tP\tQ\n"
                        "DefaultDirection",
                        NULL);
    assert_int_equal(ney_data_matrix(d)->rows, 2);
    assert_true(cell(d, 0, 0) == 2 && cell(d, 1, 0) == 3);
    ney_data_free(d);
}

/* The first line is the header, also one that begins as a DefaultDirection row does. */
static void header_may_begin_with_default_direction(void **state)
{
    ney_read_opts o = read_defaults();
    (void)state;
    o.format = NEY_FORMAT_PIN;
    ney_data *d = parse("DefaultDirection\tLabel\tf\n"
                        "DefaultDirection\t-\t1\n"
                        "a\t1\t2\n"
                        "b\t-1\t3\n",
                        &o);
    assert_int_equal(ney_data_matrix(d)->rows, 2);
    assert_true(cell(d, 0, ney_data_matrix(d)->cols - 1) == 2);
    ney_data_free(d);
}

static void roles_come_from_options(void **state)
{
    ney_read_opts o = read_defaults();
    const char *words = "a,y,w,b,z\n1,0,2,5,yes\n2,1,3,6,no\n";
    (void)state;
    ney_data *d = parse(words, NULL); /* y names itself the label; z has two categories */
    assert_int_equal(ney_data_matrix(d)->cols, 5);
    assert_true(ney_data_label(d)[0] == -1 && ney_data_label(d)[1] == 1);
    assert_null(ney_data_weight(d));
    ney_data_free(d);
    o.label = "z";
    o.weight = "w";
    o.ignore = "b,1";
    d = parse(words, &o);
    assert_int_equal(ney_data_matrix(d)->cols, 1);
    assert_true(cell(d, 1, 0) == 1);
    assert_true(ney_data_label(d)[0] == 1 && ney_data_label(d)[1] == -1); /* yes > no */
    assert_true(ney_data_weight(d)[0] == 2 && ney_data_weight(d)[1] == 3);
    ney_data_free(d);
    o.positive = "no";
    d = parse(words, &o);
    assert_int_equal(ney_data_label(d)[0], -1);
    ney_data_free(d);
    o.positive = "maybe";
    refuse(words, &o, NEY_EPARSE, 0, "expected 'maybe'");
    o = read_defaults();
    o.label = "none";
    refuse(words, &o, NEY_EPARSE, 1, "there is no column 'none'; the columns are: a, y, w, b, z");
    o.label = "5"; /* by number */
    d = parse(words, &o);
    assert_string_equal(ney_preprocessing_label(ney_data_preprocessing(d), 1), "yes");
    ney_data_free(d);
    o = read_defaults();
    o.weight = "z";
    refuse(words, &o, NEY_EPARSE, 2, "a weight from 0 to 3.4e38");
}

static void tables_without_header(void **state)
{
    ney_read_opts o = read_defaults();
    char name[20];
    (void)state;
    o.no_header = true;
    o.label = "3";
    ney_data *d = parse("1,2,a\n3,4,b\n", &o);
    assert_int_equal(ney_data_matrix(d)->rows, 2);
    assert_true(cell(d, 0, 0) == 1 && cell(d, 1, 1) == 4);
    ney_preprocessing_feature(ney_data_preprocessing(d), 1, name, sizeof name);
    assert_string_equal(name, "c2");
    ney_preprocessing_feature(ney_data_preprocessing(d), 99, name, 3);
    assert_string_equal(name, "c1"); /* cut to fit */
    ney_data_free(d);
}

static void pin_labels_can_be_chosen(void **state)
{
    ney_read_opts o = read_defaults();
    const char *words = "SpecId\tLabel\tScanNr\tf\tgood\tPeptide\tProteins\n"
                        "a\t1\t1\t5\t0\tP\tQ\nb\t-1\t2\t6\t0\tP\tQ\tR\nc\t-1\t2\t6\t1\tP\tQ\n";
    (void)state;
    ney_data *d = parse(words, NULL);
    assert_int_equal(ney_data_format(d), NEY_FORMAT_PIN);
    assert_int_equal(ney_data_matrix(d)->cols, 2);
    assert_true(ney_data_label(d)[0] == 1 && ney_data_label(d)[2] == -1);
    ney_data_free(d);
    o.label = "good";
    d = parse(words, &o);
    assert_int_equal(ney_data_matrix(d)->cols, 1);
    assert_true(ney_data_label(d)[0] == -1 && ney_data_label(d)[2] == 1);
    ney_data_free(d);
    o = read_defaults();
    o.positive = "-1";
    d = parse(words, &o);
    assert_true(ney_data_label(d)[0] == -1 && ney_data_label(d)[2] == 1);
    ney_data_free(d);
}

static void gaps_by_policy(void **state)
{
    ney_read_opts o = read_defaults();
    const char *words = "label,a,k\n1, ?,red\n-1,2,\n1,nan,blue\n-1, NA ,red\n";
    (void)state;
    o.missing = NEY_MISSING_MEAN;
    ney_data *d = parse(words, &o);
    assert_int_equal(ney_data_matrix(d)->cols, 3);
    assert_true(isnan(cell(d, 0, 0)) && cell(d, 1, 0) == 2 && isnan(cell(d, 2, 0)) &&
                isnan(cell(d, 3, 0)));
    assert_true(cell(d, 1, 1) == 0 && cell(d, 1, 2) == 0); /* no category at all */
    assert_true(cell(d, 0, 2) == 1 && cell(d, 2, 1) == 1);
    ney_data_free(d);
    refuse("label,a\n1,inf\n", &o, NEY_EPARSE, 2, "finite");
    o.missing = NEY_MISSING_KEEP;
    d = parse("label,a\n1,inf\n-1,?\n", &o);
    assert_true(isinf(cell(d, 0, 0)) && isnan(cell(d, 1, 0)));
    ney_error err;
    assert_int_equal(ney_data_prepare(d, NEY_SCALING_STANDARD, NULL, 0, &err), NEY_EPARSE);
    assert_int_equal(ney_preprocessing_scaling(ney_data_preprocessing(d)), NEY_SCALING_NONE);
    ney_data_free(d);
    d = parse("label,a\n1,inf\n-1,3\n", &o);
    assert_int_equal(ney_data_prepare(d, NEY_SCALING_NONE, NULL, 0, &err), NEY_EPARSE);
    ney_data_free(d);
}

/* Whether a model's data may have gaps was settled when it was trained. */
static void gaps_are_no_matter_of_options_with_a_model(void **state)
{
    static const char *const bad[] = {"label,a,k\n1,2,x\n-1,,y\n", "label,a,k\n1,2,x\n-1,3,?\n",
                                      "label,a,k\n1,2,x\n-1,nan,x\n", "1 1:2 2:1\n-1 1:nan 3:1\n"};
    (void)state;
    for (int filled = 0; filled < 2; filled++) {
        ney_read_opts o = read_defaults();
        o.missing = filled ? NEY_MISSING_MEAN : NEY_MISSING_ERROR;
        ney_data *model = parse("label,a,k\n1,2,x\n-1,3,y\n", &o), *d;
        const ney_preprocessing *preprocessing = ney_data_preprocessing(model);
        ney_error err;
        assert_int_equal(ney_data_prepare(model, NEY_SCALING_STANDARD, NULL, 0, NULL), NEY_OK);
        for (o.missing = NEY_MISSING_MEAN; o.missing <= NEY_MISSING_KEEP; o.missing++) {
            assert_int_equal(
                ney_data_parse_with(&d, NULL, "t", bad[0], strlen(bad[0]), &o, preprocessing, &err),
                NEY_EINVAL);
            assert_non_null(strstr(err.message, "--missing applies to data read without a model"));
        }
        o.missing = NEY_MISSING_ERROR;
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
            const ney_status st =
                ney_data_parse_with(&d, NULL, "t", bad[i], strlen(bad[i]), &o, preprocessing, &err);
            assert_int_equal(st, filled ? NEY_OK : NEY_EPARSE);
            if (filled) {
                assert_true(isfinite(cell(d, 1, 0)));
                ney_data_free(d);
            } else {
                assert_non_null(
                    strstr(err.message, "train with --missing mean to allow missing values"));
                assert_int_equal(err.line, i < 3 ? 3 : 2);
            }
        }
        const char *far = "label,a,k\n1,inf,x\n";
        assert_int_equal(
            ney_data_parse_with(&d, NULL, "t", far, strlen(far), &o, preprocessing, &err),
            NEY_EPARSE);
        assert_int_equal(err.line, 2);
        ney_data_free(model);
    }
}

/* Rows outside those that the statistics are taken from are scored too. */
static void gaps_in_other_rows_are_refused(void **state)
{
    const int64_t rows[] = {0, 1};
    ney_read_opts o = read_defaults();
    ney_error err;
    (void)state;
    o.missing = NEY_MISSING_KEEP;
    ney_data *d = parse("label,a\n1,2\n-1,3\n1,?\n", &o);
    assert_int_equal(ney_data_prepare(d, NEY_SCALING_NONE, rows, 2, &err), NEY_EPARSE);
    assert_non_null(strstr(err.message, "row 3: column 'a'"));
    ney_data_free(d);
}

static void features_stay_finite(void **state)
{
    ney_data *model = parse("label,a\n1,1e-30\n-1,2e-30\n", NULL);
    (void)state;
    assert_int_equal(ney_data_prepare(model, NEY_SCALING_STANDARD, NULL, 0, NULL), NEY_OK);
    ney_data *d = parse_with("label,a\n1,1e30\n-1,-1e30\n", NULL, ney_data_preprocessing(model));
    assert_true(cell(d, 0, 0) == FLT_MAX && cell(d, 1, 0) == -FLT_MAX);
    ney_data_free(d);
    ney_data_free(model);
}

/* A slip in a column of numbers is no reason to make categories of them. */
static void words_among_numbers_are_refused(void **state)
{
    const char *words = "label,a\n1,2.5\n-1,2.5x\n1,7\n-1,zz\n";
    ney_read_opts o = read_defaults();
    char name[40];
    (void)state;
    refuse(words, NULL, NEY_EPARSE, 3,
           "column 'a' holds '2.5x' (also 'zz'), which is not a number, among 2 numbers: correct "
           "it, name the "
           "word under --na if it means missing, or name the column under --words a to treat it as "
           "categories");
    o.words = " a ";
    ney_data *d = parse(words, &o);
    assert_int_equal(ney_data_matrix(d)->cols, 4); /* 2.5, 2.5x, 7, zz */
    ney_preprocessing_feature(ney_data_preprocessing(d), 1, name, sizeof name);
    assert_string_equal(name, "a=2.5x");
    ney_data *again =
        parse_with(words, NULL, ney_data_preprocessing(d)); /* the preprocessing knows */
    assert_int_equal(ney_data_matrix(again)->cols, 4);
    assert_true(cell(again, 1, 1) == 1);
    ney_data_free(again);
    ney_data_free(d);
    d = parse("label,a\n1,red\n-1,blue\n1,7\n", NULL); /* mostly words */
    assert_int_equal(ney_data_matrix(d)->cols, 3);
    ney_data_free(d);
    o.words = "zip,2";
    o.max_categories = 3;
    d = parse("label,a,zip\n1,5,90210\n-1,6,10001\n1,5,90210\n", &o);
    assert_int_equal(ney_data_matrix(d)->cols, 4);
    ney_data_free(d);
    o.max_categories = 1;
    refuse("label,a,zip\n1,5,90210\n-1,6,10001\n", &o, NEY_EPARSE, 2, "more than 1 different");
    o.words = "none";
    refuse("label,a\n1,5\n", &o, NEY_EPARSE, 1, "there is no column 'none'");
    o.words = "label";
    refuse("label,a\n1,5\n", &o, NEY_EINVAL, 0, "'label' is not a feature");
}

static void a_column_has_one_role(void **state)
{
    static const struct {
        const char *label, *weight, *ignore, *words, *part;
    } cases[] = {
        {"y", "y", NULL, NULL, "column 'y' is named under both --weight and --label"},
        {"y", "1", NULL, NULL, "column 'y' is named under both"},
        {"y", NULL, "w, y", NULL, "column 'y' is named under both --ignore and --label"},
        {NULL, "w", "a,w", NULL, "column 'w' is named under both --ignore and --weight"},
        {NULL, NULL, "a", "a", "column 'a' is named under both --ignore and --words"},
    };
    const char *words = "y,w,a\n1,2,3\n0,1,2\n";
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ney_read_opts o = read_defaults();
        o.label = cases[i].label;
        o.weight = cases[i].weight;
        o.ignore = cases[i].ignore;
        o.words = cases[i].words;
        refuse(words, &o, NEY_EINVAL, 0, cases[i].part);
    }
    ney_read_opts o = read_defaults();
    o.ignore = " w , a";
    ney_data *d = parse(words, &o);
    assert_int_equal(ney_data_matrix(d)->cols, 0);
    ney_data_free(d);
}

/* A model's label column is a name: "1" is not the first column. */
static void a_models_label_column_is_a_name(void **state)
{
    ney_read_opts o = read_defaults();
    (void)state;
    o.label = "1";
    ney_data *d = parse("a,1\n2,yes\n3,no\n", &o);
    ney_data *e = parse_with("a\n2\n3\n", NULL, ney_data_preprocessing(d));
    assert_null(ney_data_label(e));
    ney_data_free(e);
    ney_data_free(d);
}

static int by_number;

static void count_by_number(void *user, ney_log_level level, const char *message)
{
    (void)user;
    by_number += level == NEY_LOG_WARNING && strstr(message, "by number, not by name") != NULL;
}

static void matching_by_number_is_told(void **state)
{
    static const char *const words[] = {"label,a\n1,2\n-1,3\n", "1 1:2\n-1 1:3\n"};
    ney_env env = ney_env_default();
    (void)state;
    env.log = count_by_number;
    for (int model = 0; model < 2; model++) {
        for (int data = 0; data < 2; data++) {
            ney_data *d = parse(words[model], NULL), *e;
            by_number = 0;
            assert_int_equal(ney_data_parse_with(&e, &env, "t", words[data], strlen(words[data]),
                                                 NULL, ney_data_preprocessing(d), NULL),
                             NEY_OK);
            assert_int_equal(by_number, model != data);
            ney_data_free(e);
            ney_data_free(d);
        }
    }
}

static int warnings;

static void count_warning(void *user, ney_log_level level, const char *message)
{
    (void)user;
    warnings += level == NEY_LOG_WARNING && strstr(message, "1 cells hold a category") != NULL;
}

static void unknown_categories_count_as_none(void **state)
{
    const char *words = "k,label\nred,1\ngreen,-1\n\"a b\",1\n",
               *other = "label,k\n1,blue\n-1,a b\n";
    ney_env env = ney_env_default();
    ney_data *d = parse(words, NULL), *e = NULL;
    (void)state;
    env.log = count_warning;
    assert_int_equal(ney_data_parse_with(&e, &env, "t", other, strlen(other), NULL,
                                         ney_data_preprocessing(d), NULL),
                     NEY_OK);
    assert_int_equal(warnings, 1);
    assert_int_equal(ney_data_matrix(e)->cols, 3);
    assert_true(cell(e, 0, 0) == 0 && cell(e, 0, 1) == 0 && cell(e, 0, 2) == 0);
    assert_true(cell(e, 1, 0) == 1); /* categories are sorted by bytes: "a b" first */
    ney_data_free(e);
    const char *lacking = "label,j\n1,blue\n";
    ney_error err;
    assert_int_equal(ney_data_parse_with(&e, &env, "t", lacking, strlen(lacking), NULL,
                                         ney_data_preprocessing(d), &err),
                     NEY_EPARSE);
    assert_non_null(strstr(err.message, "there is no column 'k'"));
    ney_data_free(d);
}

static void too_many_categories_are_refused(void **state)
{
    text t = {0};
    ney_read_opts o = read_defaults();
    (void)state;
    text_put(&t, "label,id\n");
    for (int i = 0; i < 30; i++) {
        text_printf(&t, "%d,name%d\n", i % 2, i);
    }
    o.max_categories = 30;
    ney_data *d = parse(t.bytes, &o);
    assert_int_equal(ney_data_matrix(d)->cols, 30);
    ney_data_free(d);
    o.max_categories = 29;
    refuse(t.bytes, &o, NEY_EPARSE, 2, "more than 29 different values");
    refuse(t.bytes, &o, NEY_EPARSE, 2, "--id if it identifies rows");
    text_free(&t);
}

/* Two columns of one name are two columns. */
static void columns_of_one_name_stay_apart(void **state)
{
    const char *words = "a,a,label,a\n1,2,1,3\n4,5,-1,6\n";
    (void)state;
    ney_data *d = parse(words, NULL);
    assert_true(cell(d, 0, 0) == 1 && cell(d, 0, 1) == 2 && cell(d, 0, 2) == 3 &&
                cell(d, 1, 1) == 5);
    ney_data *again = parse_with(words, NULL, ney_data_preprocessing(d));
    assert_same_data(d, again);
    ney_data_free(again);
    ney_data_free(d);
}

/* A model of numbered features reads tables of more columns, and of fewer. */
static void numbered_features_from_tables(void **state)
{
    ney_data *d = parse("1 1:1 2:5\n-1 1:3 2:7\n", NULL);
    (void)state;
    assert_int_equal(ney_data_prepare(d, NEY_SCALING_STANDARD, NULL, 0, NULL), NEY_OK);
    ney_data *wide =
        parse_with("label,a,b,c,d\n1,1,5,9,9\n-1,3,7,9,9\n", NULL, ney_data_preprocessing(d));
    assert_same_data(d, wide);
    ney_data *narrow = parse_with("label,a\n1,1\n-1,3\n", NULL, ney_data_preprocessing(d));
    assert_int_equal(ney_data_matrix(narrow)->cols, 2);
    assert_true(cell(narrow, 0, 0) == cell(d, 0, 0));
    ney_data_free(narrow);
    ney_data_free(wide);
    ney_data_free(d);
}

/* NUL bytes far into a file would cut names and notes short. */
static void nul_bytes_are_refused(void **state)
{
    text t = {0};
    ney_data *d;
    ney_error err;
    (void)state;
    text_put(&t, "label,k\n");
    while (t.length < 100000) {
        text_put(&t, "1,red\n0,a\n");
    }
    const int64_t lines = (int64_t)(t.length - 8) / 10 * 2 + 1;
    text_bytes(&t, "1,a\0bcdefghijklmn\n", 18);
    assert_int_equal(ney_data_parse_with(&d, NULL, "t", t.bytes, t.length, NULL, NULL, &err),
                     NEY_EPARSE);
    assert_int_equal(err.line, lines + 1);
    assert_int_equal(err.column, 4);
    text_free(&t);
}

static void quoted_headers_may_hold_anything(void **state)
{
    char name[40];
    (void)state;
    ney_data *d = parse("\"la,bel\",\"x\n\"\"y\"\"\"\n1,2\n-1,3\n5,\"4\"\n", NULL);
    ney_preprocessing_feature(ney_data_preprocessing(d), 1, name, sizeof name);
    assert_string_equal(name, "x\n\"y\"");
    assert_null(ney_data_label(d));
    assert_int_equal(ney_data_matrix(d)->rows, 3);
    ney_data_free(d);
    refuse("label,\"x\ny\"\n1,2\n-1,?\n", NULL, NEY_EPARSE, 4, "missing");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_name_their_line),
        cmocka_unit_test(default_directions_are_no_rows),
        cmocka_unit_test(header_may_begin_with_default_direction),
        cmocka_unit_test(roles_come_from_options),
        cmocka_unit_test(tables_without_header),
        cmocka_unit_test(pin_labels_can_be_chosen),
        cmocka_unit_test(gaps_by_policy),
        cmocka_unit_test(gaps_are_no_matter_of_options_with_a_model),
        cmocka_unit_test(gaps_in_other_rows_are_refused),
        cmocka_unit_test(features_stay_finite),
        cmocka_unit_test(words_among_numbers_are_refused),
        cmocka_unit_test(a_column_has_one_role),
        cmocka_unit_test(a_models_label_column_is_a_name),
        cmocka_unit_test(matching_by_number_is_told),
        cmocka_unit_test(unknown_categories_count_as_none),
        cmocka_unit_test(too_many_categories_are_refused),
        cmocka_unit_test(columns_of_one_name_stay_apart),
        cmocka_unit_test(numbered_features_from_tables),
        cmocka_unit_test(nul_bytes_are_refused),
        cmocka_unit_test(quoted_headers_may_hold_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
