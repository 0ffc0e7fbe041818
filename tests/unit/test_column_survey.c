/* What a column of a table is, from its cells: numbers, numbers in another form, words; and which
 * character separates the fields. */
#include "support/cmocka_all.h"

#include "data/column_survey.h"
#include "data/delimiter.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 4 };

/* A table of named columns without anything else. */
typedef struct fixture {
    ney_table table;
    ney_table_column column[MOST];
    ney_column_survey survey[MOST];
    char name[MOST][8];
} fixture;

static void begin(fixture *f, int64_t n, char decimal)
{
    memset(f, 0, sizeof *f);
    f->table = (ney_table){.env = ney_env_default(),
                           .column = f->column,
                           .n_columns = n,
                           .decimal = decimal,
                           .label = -1};
    for (int64_t c = 0; c < n; c++) {
        snprintf(f->name[c], sizeof f->name[c], "k%d", (int)c);
        f->column[c] = (ney_table_column){.name = f->name[c], .role = NEY_ROLE_FEATURE};
        f->survey[c].forms = ~0u;
    }
}

/* Cells separated by spaces ("_" is empty), from line 2 on, in two halves that are merged. */
static void add_cells(fixture *f, int64_t c, const char *cells)
{
    ney_column_survey half[2] = {{.forms = ~0u}, {.forms = ~0u}};
    char text[256];
    int64_t line = 1, n = 0;
    snprintf(text, sizeof text, "%s ", cells);
    for (const char *p = text; *p; p += strcspn(p, " ") + 1) {
        n++;
    }
    for (char *p = text; *p; line++) {
        const int length = (int)strcspn(p, " ");
        const ney_field field = {.text = *p == '_' ? "" : p, .length = *p == '_' ? 0 : length};
        const bool second = line > n / 2;
        ney_column_survey_add(&half[second], &f->table, c, &field, second ? line - n / 2 : line);
        p += length + 1;
    }
    ney_column_survey_merge(&f->survey[c], &half[0], (ney_place){.file = "f", .line = 1});
    ney_column_survey_merge(&f->survey[c], &half[1], (ney_place){.file = "f", .line = 1 + n / 2});
}

static void expect_form(fixture *f, int64_t c, ney_number_form form)
{
    assert_false(f->survey[c].is_category);
    assert_int_equal(f->survey[c].form, form);
}

static ney_status choose(fixture *f, ney_error *err)
{
    *err = (ney_error){0};
    return ney_column_survey_choose(f->survey, &f->table, "f", err);
}

static void test_numbers_and_words(void **state)
{
    fixture f;
    ney_error err;
    (void)state;
    begin(&f, 3, '\0');
    add_cells(&f, 0, "1 2.5 _ NA -3e2");
    add_cells(&f, 1, "red blue 3 red");
    add_cells(&f, 2, "$1 $2.5 3");
    assert_int_equal(choose(&f, &err), NEY_OK);
    expect_form(&f, 0, NEY_NUMBER_PLAIN);
    assert_int_equal(f.survey[0].n_plain, 3);
    assert_true(f.survey[0].numbers.low == -300 && f.survey[0].numbers.high == 2.5);
    assert_true(f.survey[1].is_category);
    expect_form(&f, 2, NEY_NUMBER_CURRENCY);
    begin(&f, 1, '\0');
    f.column[0].words = true;
    add_cells(&f, 0, "1 2 3");
    assert_int_equal(choose(&f, &err), NEY_OK);
    assert_true(f.survey[0].is_category);
}

static void expect_refusal(const char *cells, int64_t line, const char *words)
{
    fixture f;
    ney_error err;
    begin(&f, 1, '\0');
    add_cells(&f, 0, cells);
    assert_int_equal(choose(&f, &err), NEY_EPARSE);
    assert_int_equal(err.line, line);
    if (!strstr(err.message, words)) {
        fail_msg("'%s' lacks '%s'", err.message, words);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    expect_refusal("1 2 x 3", 4, "holds 'x', which is not a number, among 3 numbers");
    expect_refusal("1 2 3 4 y", 6, "--words k0");
    expect_refusal("1 2 x y", 4, "holds 'x'"); /* as many numbers as words */
    expect_refusal("10% 5 3", 2, "among numbers in another form");
    expect_refusal("2024-01-01 13:45", 2, "among numbers in another form");
    expect_refusal("1,234 5,678", 2, "state --decimal . or --decimal ,");
}

/* What one column leaves open, another decides. */
static void test_evidence(void **state)
{
    fixture f;
    ney_error err;
    (void)state;
    begin(&f, 2, '\0');
    add_cells(&f, 0, "1,234 5,678");
    add_cells(&f, 1, "0.5 1.25");
    assert_int_equal(choose(&f, &err), NEY_OK);
    expect_form(&f, 0, NEY_NUMBER_THOUSANDS);
    begin(&f, 3, '\0');
    add_cells(&f, 0, "1,234 5,678");
    add_cells(&f, 1, "0,5 1,25");
    add_cells(&f, 2, "1.234 5.678");
    assert_int_equal(choose(&f, &err), NEY_OK);
    expect_form(&f, 0, NEY_NUMBER_COMMA);
    expect_form(&f, 1, NEY_NUMBER_COMMA);
    expect_form(&f, 2, NEY_NUMBER_THOUSANDS_COMMA);
    begin(&f, 1, ',');
    add_cells(&f, 0, "1,234 5,678");
    assert_int_equal(choose(&f, &err), NEY_OK);
    expect_form(&f, 0, NEY_NUMBER_COMMA);
    begin(&f, 1, '.');
    add_cells(&f, 0, "1,234 5,678");
    assert_int_equal(choose(&f, &err), NEY_OK);
    expect_form(&f, 0, NEY_NUMBER_THOUSANDS);
}

static void expect_delimiter(const char *text, bool or_space, char expected)
{
    char padded[256]; /* scans read ahead */
    snprintf(padded, sizeof padded, "%s", text);
    assert_int_equal(ney_find_delimiter(padded, (int64_t)strlen(padded), or_space), expected);
}

static char named(const char *name)
{
    char delimiter;
    return ney_delimiter_of_option(name, &delimiter, NULL) == NEY_OK ? delimiter : '\0';
}

static void test_delimiters(void **state)
{
    (void)state;
    expect_delimiter("a,b\n1,2\n", false, ',');
    expect_delimiter("a;b\n1,5;2,5\n", false, ';');
    expect_delimiter("a,b;c\n1;2\n3;4\n", false, ';');
    expect_delimiter("a|b|c\n1|2|3\n", false, '|');
    expect_delimiter("a,b,c;d\n1,5,2;3\n", false, ';');
    expect_delimiter("x|a;b;c\n1|2;3;\n", false, ';');
    expect_delimiter("a b c,d\n1 2 3,4\n", true, ',');
    expect_delimiter("a\tb\n1\t2\n", false, '\t');
    expect_delimiter("\"a;b\",c\n1,2\n", false, ',');
    expect_delimiter("\xef\xbb\xbf\n\na;b\n1;2\n", false, ';');
    expect_delimiter("a b\n1 2\n", true, ' ');
    expect_delimiter("a b\n1 2\n", false, ',');
    expect_delimiter("a b,c\n1 2,3\n", true, ',');
    expect_delimiter("a;b;\n1;2;\n", false, ';');
    expect_delimiter("word\n", false, ',');
    assert_int_equal(named("tab"), '\t');
    assert_int_equal(named("space"), ' ');
    assert_int_equal(named("pipe"), '|');
    assert_int_equal(named(":"), ':');
    assert_int_equal(named(""), 0);
    assert_int_equal(named("ab"), 0);
    assert_int_equal(named("\""), 0);
    assert_int_equal(named("7"), 0);
    assert_int_equal(named("-"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_and_words),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_evidence),
        cmocka_unit_test(test_delimiters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
