/* Options from tables. */
#include "base/error.h"
#include "support/cmocka_all.h"
#include "support/same.h"

#include <math.h>
#include <string.h>

/* Fields get the same value whatever was there before; what differs afterwards is padding, or a
 * field without a row. */
static void every_field_has_a_row(void **state)
{
    ney_read_opts a, b;
    int64_t n;
    const ney_param *p = ney_read_params(&n);
    (void)state;
    memset(&a, 0x00, sizeof a);
    memset(&b, 0xff, sizeof b);
    ney_params_init(p, n, &a);
    ney_params_init(p, n, &b);
    assert_int_equal(a.format, b.format);
    assert_ptr_equal(a.label, b.label);
    assert_ptr_equal(a.positive, b.positive);
    assert_ptr_equal(a.weight, b.weight);
    assert_ptr_equal(a.ignore, b.ignore);
    assert_ptr_equal(a.words, b.words);
    assert_ptr_equal(a.id, b.id);
    assert_ptr_equal(a.group, b.group);
    assert_ptr_equal(a.keep, b.keep);
    assert_ptr_equal(a.score, b.score);
    assert_ptr_equal(a.delimiter, b.delimiter);
    assert_ptr_equal(a.decimal, b.decimal);
    assert_ptr_equal(a.na, b.na);
    assert_ptr_equal(a.negative, b.negative);
    assert_ptr_equal(a.decoys, b.decoys);
    assert_int_equal(*(char *)&a.rest, *(char *)&b.rest);
    assert_int_equal(a.missing, b.missing);
    assert_int_equal(*(char *)&a.no_header, *(char *)&b.no_header);
    assert_int_equal(*(char *)&a.zero_based, *(char *)&b.zero_based);
    assert_int_equal(a.max_categories, b.max_categories);
    assert_int_equal(a.max_columns, b.max_columns);
    assert_int_equal(a.max_line, b.max_line);
    /* Bytes that differ are padding: no more of them than the fields leave over. */
    size_t differ = 0;
    for (size_t i = 0; i < sizeof a; i++) {
        differ += ((char *)&a)[i] != ((char *)&b)[i];
    }
    const size_t fields =
        2 * sizeof(int) + 14 * sizeof(char *) + 3 * sizeof(bool) + 3 * sizeof(int64_t);
    assert_int_equal(differ, sizeof a - fields);
}

static void defaults_pass_their_own_bounds(void **state)
{
    int64_t n;
    const ney_param *p = ney_read_params(&n);
    const ney_read_opts o = read_defaults();
    ney_error err;
    (void)state;
    assert_int_equal(ney_params_check(p, n, &o, &err), NEY_OK);
    for (int64_t i = 0; i < n; i++) {
        assert_non_null(p[i].help);
        assert_int_equal(p[i].choices != NULL, p[i].kind == NEY_KIND_CHOICE);
        assert_int_equal(p[i].arg == NULL, p[i].kind == NEY_KIND_FLAG);
        for (int64_t j = 0; j < i; j++) {
            assert_string_not_equal(p[i].name, p[j].name);
        }
    }
    assert_int_equal(o.max_categories, 1000);
    assert_int_equal(o.format, NEY_FORMAT_AUTO);
    assert_int_equal(o.missing, NEY_MISSING_ERROR);
}

typedef struct sample {
    bool flag;
    int64_t whole;
    double real;
    int choice;
    const char *words;
    double open;
} sample;

static const ney_param rows[] = {
    {"flag", 'f', NEY_KIND_FLAG, offsetof(sample, flag), 1, 0, 1, NULL, NULL, "a flag"},
    {"whole", 0, NEY_KIND_INT, offsetof(sample, whole), 3, -5, 9e15, "N", NULL, "a number"},
    {"real", 0, NEY_KIND_REAL, offsetof(sample, real), 0.5, 0, 1, "X", NULL, "a number"},
    {"choice", 0, NEY_KIND_CHOICE, offsetof(sample, choice), 1, 0, 2, "W", "one two three",
     "a word"},
    {"words", 0, NEY_KIND_TEXT, offsetof(sample, words), 0, 0, 0, "T", NULL, "words"},
    {"open", 0, NEY_KIND_REAL, offsetof(sample, open), 0.5, 0, 1, "X", "half none", "or none"},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

static void set_ok(sample *s, const char *name, const char *value)
{
    ney_error err;
    assert_int_equal(ney_params_set(rows, N_ROWS, s, name, value, &err), NEY_OK);
}

static void set_bad(sample *s, const char *name, const char *value, const char *part)
{
    ney_error err;
    const sample before = *s;
    assert_int_equal(ney_params_set(rows, N_ROWS, s, name, value, &err), NEY_EINVAL);
    assert_non_null(strstr(err.message, part));
    assert_true(before.flag == s->flag && before.whole == s->whole && before.choice == s->choice &&
                before.real == s->real && before.words == s->words);
}

static void sets_from_text(void **state)
{
    sample s;
    (void)state;
    ney_params_init(rows, N_ROWS, &s);
    assert_true(s.flag && s.whole == 3 && s.real == 0.5 && s.choice == 1 && !s.words);
    set_ok(&s, "flag", "false");
    assert_false(s.flag);
    set_ok(&s, "flag", NULL);
    assert_true(s.flag);
    set_ok(&s, "whole", "8999999999999999");
    assert_int_equal(s.whole, 8999999999999999);
    set_ok(&s, "whole", "-5");
    set_ok(&s, "real", "1");
    set_ok(&s, "real", "1e-3");
    set_ok(&s, "choice", "three");
    assert_int_equal(s.choice, 2);
    set_ok(&s, "words", "any thing");
    assert_string_equal(s.words, "any thing");
    set_bad(&s, "flag", "yes", "true or false");
    set_bad(&s, "whole", "1.5", "whole number from -5");
    set_bad(&s, "whole", "-6", "-6");
    set_bad(&s, "whole", "", "whole number");
    set_bad(&s, "whole", NULL, "needs a value");
    set_bad(&s, "real", "1.0000001", "from 0 to 1");
    set_bad(&s, "real", "nan", "from 0 to 1");
    set_bad(&s, "real", "half", "half");
    set_bad(&s, "choice", "tw", "one two three");
    set_bad(&s, "choice", "", "one two three");
    set_bad(&s, "chioce", "two", "no option chioce");
    set_ok(&s, "open", "none");
    assert_true(isnan(s.open));
    ney_error err;
    assert_int_equal(ney_params_check(rows, N_ROWS, &s, &err), NEY_OK);
    set_bad(&s, "open", "2", "from 0 to 1, or none");
    set_ok(&s, "open", "half"); /* words stand for 0, 1, ... */
    assert_true(s.open == 0);
    s.open = 2;
    assert_int_equal(ney_params_check(rows, N_ROWS, &s, &err), NEY_EINVAL);
    s.open = 1;
    s.real = (double)NAN;
    assert_int_equal(ney_params_check(rows, N_ROWS, &s, &err), NEY_EINVAL);
    assert_non_null(strstr(err.message, "real"));
    s.real = 1;
    s.choice = 3;
    assert_int_equal(ney_params_check(rows, N_ROWS, &s, &err), NEY_EINVAL);
    assert_non_null(strstr(err.message, "choice"));
    assert_int_equal(ney_params_check(rows, N_ROWS, &s, NULL), NEY_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_has_a_row),
        cmocka_unit_test(defaults_pass_their_own_bounds),
        cmocka_unit_test(sets_from_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
