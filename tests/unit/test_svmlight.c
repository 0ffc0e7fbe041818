/* svmlight: what is refused, and where. */
#include "support/cmocka_all.h"
#include "support/same.h"

#include <math.h>
#include <string.h>

static void errors_name_their_line(void **state)
{
    static const struct {
        const char *words, *part;
        int64_t line;
    } cases[] = {
        {"1 1:2\n-1 2:x\n", "found 'x', expected a number", 2},
        {"1 1:2\n\n# c\n-1 0:2\n", "column number from 1", 4},
        {"1 2:1 1:2\n", "column 1 after column 2", 1},
        {"1 2:1 2:2\n", "column 2 after column 2", 1},
        {"1 1:1\n-1 x:2\n", "index:value", 2},
        {"1 1:1\n-1 1\n", "index:value", 2},
        {"1 1:1\n-1 1:\n", "the line ends here", 2},
        {"1 1:1\n-1 1:2x\n", "a number", 2},
        {"1 1:1\n-1 1:1e300\n", "single precision", 2},
        {"1 1:1\n-1 1:-4e38\n", "single precision", 2},
        {"1 1:1\n-1 1:nan\n", "a finite number", 2},
        {"1 1:1\n-1 1:-inf\n", "a finite number", 2},
        {"1 1:1\n-1 2147483648:1\n", "below 2147483648", 2},
        {"1 1:1\n-1 99999999999999999999:1\n", "below 2147483648", 2},
        {"1 1:1\n-1 cost:-1 1:1\n", "a weight from 0 to 3.4e38", 2},
        {"1 1:1\n-1 cost:1e300 1:1\n", "a weight from 0 to 3.4e38", 2},
        {"1 1:1\n-1 cost:x 1:1\n", "a number", 2},
        {"1 1:1\n-1 1:1\n2 1:3\n", "found label '2' after '1' in line 1 and '-1' in line 2", 3},
        {"1 1:1\n1:1\n-1 1:1\n", "found no label, expected one as in line 1", 2},
        {"1:1\n\n1 1:1\n", "found a label, expected none as in line 1", 3},
        {"1 1:1\n-1 #\n# comment only\n3", "found label '3'", 4},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        refuse(cases[i].words, NULL, NEY_EPARSE, cases[i].line, cases[i].part);
    }
    refuse("", NULL, NEY_EPARSE, 0, "no rows");
    refuse("# nothing\n", NULL, NEY_EPARSE, 0, "no rows");
}

static void the_column_is_told(void **state)
{
    ney_data *d;
    ney_error err;
    const char *words = "1 1:2\n-1 2:3 4:x5\n";
    (void)state;
    assert_int_equal(ney_data_parse_with(&d, NULL, "t", words, strlen(words), NULL, NULL, &err),
                     NEY_EPARSE);
    assert_int_equal(err.column, 10);
}

static void non_finite_values_by_policy(void **state)
{
    ney_read_opts o = read_defaults();
    const char *words = "1 1:nan 2:1\n-1 1:3 2:2\n", *infinite = "1 1:inf 2:1\n-1 2:3\n";
    (void)state;
    o.missing = NEY_MISSING_MEAN;
    ney_data *d = parse(words, &o);
    assert_true(isnan(cell(d, 0, 0)) && cell(d, 1, 0) == 3);
    ney_data_free(d);
    refuse(infinite, &o, NEY_EPARSE, 1, "a finite number");
    o.missing = NEY_MISSING_KEEP;
    d = parse(infinite, &o);
    assert_true(isinf(cell(d, 0, 0)));
    ney_data_free(d);
    refuse(words, NULL, NEY_EPARSE, 1, "a finite number");
}

/* Numbers too small for a float are zeros, in every representation. */
static void underflow_is_zero(void **state)
{
    (void)state;
    ney_data *d = parse("1 1:1e-300 2:0 50:1\n-1 1:-1e-60\n", NULL);
    const ney_matrix *x = ney_data_matrix(d);
    assert_null(x->dense);
    assert_int_equal(x->start[2], 1);
    assert_int_equal(x->start[1], 1);
    ney_data_free(d);
    d = parse("1 3:0\n-1\n", NULL); /* columns, but no entry */
    assert_int_equal(ney_data_matrix(d)->cols, 3);
    ney_data_free(d);
    d = parse("1 300:0\n-1\n", NULL);
    assert_null(ney_data_matrix(d)->dense);
    assert_int_equal(ney_data_matrix(d)->start[2], 0);
    assert_int_equal(ney_data_prepare(d, NEY_SCALING_STANDARD, NULL, 0, NULL), NEY_OK);
    ney_data_free(d);
}

/* A weight of 1 among others is a weight; weights of 1 alone are weights too. */
static void weights_are_kept(void **state)
{
    (void)state;
    ney_data *d = parse("1 cost:2 1:1\n-1 1:1\n1 cost:1 1:1\n", NULL);
    const float *w = ney_data_weight(d);
    assert_non_null(w);
    assert_true(w[0] == 2 && w[1] == 1 && w[2] == 1);
    ney_data_free(d);
}

static void labels_of_one_class(void **state)
{
    (void)state;
    ney_data *d = parse("1 1:1\n+1 1:2\n", NULL);
    assert_int_equal(ney_data_label(d)[0], 1);
    assert_string_equal(ney_preprocessing_label(ney_data_preprocessing(d), 1), "1");
    assert_string_equal(ney_preprocessing_label(ney_data_preprocessing(d), -1), "");
    ney_data_free(d);
    d = parse("-1 1:1\n", NULL);
    assert_int_equal(ney_data_label(d)[0], -1);
    ney_data_free(d);
    ney_read_opts o = read_defaults();
    o.positive = "-1";
    d = parse("-1 1:1\n", &o);
    assert_int_equal(ney_data_label(d)[0], 1);
    ney_data_free(d);
    d = parse("1 1:1\n", &o);
    assert_int_equal(ney_data_label(d)[0], -1);
    ney_data_free(d);
}

static void unlabelled_files_say_why(void **state)
{
    ney_error err;
    (void)state;
    ney_data *d = parse("1:1 2:2\n2:3\n", NULL);
    assert_null(ney_data_label(d));
    assert_int_equal(ney_data_unlabelled(d, &err), NEY_EPARSE);
    assert_non_null(strstr(err.message, "no labels"));
    assert_string_equal(err.file, "text");
    ney_data_free(d);
    ney_data *model = parse("1 1:1\n-1 2:1\n", NULL);
    assert_int_equal(ney_data_unlabelled(model, &err), NEY_OK);
    const ney_preprocessing *preprocessing = ney_data_preprocessing(model);
    d = parse_with("1:1 2:2\n1 2:3\n", NULL,
                   preprocessing); /* some are missing: none can be used */
    assert_null(ney_data_label(d));
    assert_int_equal(ney_data_unlabelled(d, &err), NEY_EPARSE);
    assert_int_equal(err.line, 1);
    ney_data_free(d);
    d = parse_with("1 1:1\n5 2:3\n", NULL, preprocessing);
    assert_null(ney_data_label(d));
    assert_int_equal(ney_data_unlabelled(d, &err), NEY_EPARSE);
    assert_int_equal(err.line, 2);
    assert_non_null(strstr(err.message, "expected '-1' or '1' as in training"));
    ney_data_free(d);
    d = parse_with("+1.0 1:1 7:3\n-1e0 2:3\n", NULL,
                   preprocessing); /* columns beyond are dropped */
    assert_int_equal(ney_data_matrix(d)->cols, 2);
    assert_true(ney_data_label(d)[0] == 1 && ney_data_label(d)[1] == -1);
    ney_data_free(d);
    ney_data_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_name_their_line),
        cmocka_unit_test(the_column_is_told),
        cmocka_unit_test(non_finite_values_by_policy),
        cmocka_unit_test(underflow_is_zero),
        cmocka_unit_test(weights_are_kept),
        cmocka_unit_test(labels_of_one_class),
        cmocka_unit_test(unlabelled_files_say_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
