/* The description of data files: columns, classes, rows that cannot be read. */
#include "support/cmocka_all.h"

#include "data/value_counts.h"

#include <neyman/experimental.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ney_result *profile_of(const char *name, const char *text, size_t n, ney_read_opts *opts)
{
    ney_error err = {0};
    ney_data *d = NULL;
    ney_result *root = NULL;
    opts->missing = NEY_MISSING_KEEP;
    opts->max_categories = opts->max_categories ? opts->max_categories : 1000;
    opts->max_line = 64;
    const ney_status st = ney_data_parse_with(&d, NULL, name, text, n, opts, NULL, &err);
    assert_true(st == NEY_OK || st == NEY_EPARSE || st == NEY_EFORMAT);
    const ney_profile_input in = {
        .path = name, .bytes = text, .n_bytes = n, .read = opts, .data = d, .most_columns = 100};
    assert_int_equal(ney_result_new(&root, NULL, &err), NEY_OK);
    if (ney_profile(root, NULL, &in, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    ney_data_free(d);
    return root;
}

static ney_result *table_of(const char *text, ney_read_opts opts)
{
    return profile_of("t.csv", text, strlen(text), &opts);
}

static void expect_text(const ney_result *r, const char *path, const char *expected)
{
    const char *const found = ney_result_get_text(r, path);
    if (!expected) {
        assert_null(found);
    } else {
        assert_non_null(found);
        assert_string_equal(found, expected);
    }
}

static void expect_int(const ney_result *r, const char *path, int64_t expected)
{
    int64_t found = -12345;
    assert_true(ney_result_get_int(r, path, &found));
    assert_int_equal(found, expected);
}

static void expect_real(const ney_result *r, const char *path, double expected)
{
    double found = -12345;
    assert_true(ney_result_get_real(r, path, &found));
    assert_true(found == expected);
}

/* Thirty rows: an id, a group, a word, a whole number, a fraction, money, a constant, gaps. */
static char *thirty_rows(void)
{
    static char text[8192];
    size_t n =
        (size_t)snprintf(text, sizeof text, "account,patient,town,k,x,price,same,gone,row,label\n");
    for (int i = 0; i < 30; i++) {
        n +=
            (size_t)snprintf(text + n, sizeof text - n, "a%d,p%d,%s,%d,%g,$%d,7,,%d,%d\n", i, i / 3,
                             i % 2 ? "Rome" : "Oslo", i % 5, i / 4.0, i, 100 + i, i % 3 == 0);
    }
    return text;
}

static void test_types_and_notes(void **state)
{
    (void)state;
    ney_result *const r = table_of(thirty_rows(), (ney_read_opts){0});
    expect_text(r, "columns.0.type", "category");
    expect_text(r, "columns.0.note", "looks like an id: --id account");
    expect_int(r, "columns.0.distinct", 30);
    expect_text(r, "columns.1.note", "looks like a group: --group patient");
    expect_int(r, "columns.1.distinct", 10);
    expect_text(r, "columns.2.type", "category");
    expect_text(r, "columns.2.note", NULL);
    expect_text(r, "columns.3.type", "integer");
    expect_real(r, "columns.3.low", 0);
    expect_real(r, "columns.3.high", 4);
    expect_int(r, "columns.3.distinct", 5);
    expect_text(r, "columns.4.type", "number");
    expect_real(r, "columns.4.high", 7.25);
    expect_text(r, "columns.5.type", "currency");
    expect_real(r, "columns.5.high", 29);
    expect_text(r, "columns.6.note", "constant");
    expect_text(r, "columns.7.type", "empty");
    expect_text(r, "columns.7.note", "no values: --ignore gone");
    expect_int(r, "columns.7.missing", 30);
    expect_text(r, "columns.8.note", "looks like an id: --id row");
    expect_text(r, "columns.9.role", "label");
    expect_int(r, "columns.9.distinct", 2);
    ney_result_free(r);
}

/* Options give roles; a name that a shell would cut is quoted. */
static void test_roles(void **state)
{
    (void)state;
    char text[4096] = "the id,w,y,g,z,drop\n";
    for (int i = 0; i < 24; i++) {
        char line[64];
        snprintf(line, sizeof line, "u%d,1,%d,g%d,%d,5\n", i, i % 2, i % 4, i % 7);
        strcat(text, line);
    }
    ney_result *r = table_of(text, (ney_read_opts){.weight = "w", .group = "g", .ignore = "drop"});
    expect_text(r, "columns.0.note", "looks like an id: --id 'the id'");
    expect_text(r, "columns.1.role", "weight");
    expect_text(r, "columns.2.role", "label");
    expect_text(r, "columns.3.role", "group");
    expect_text(r, "columns.4.role", "feature");
    expect_text(r, "columns.5.role", "ignored");
    ney_result_free(r);
    r = table_of(text, (ney_read_opts){.id = "the id"});
    expect_text(r, "columns.0.role", "id");
    ney_result_free(r);
}

/* Values that nearly all differ are no id where one is missing, and no groups where few repeat. */
static void test_no_notes(void **state)
{
    (void)state;
    char text[4096] = "word,user,gap,label\n";
    for (int i = 0; i < 24; i++) {
        char line[64];
        snprintf(line, sizeof line, "%s%d,u%d,%s,%d\n", i == 3 ? "" : "w", i == 3 ? 0 : i,
                 i == 5 ? 4 : i,
                 i % 3   ? "0"
                 : i % 2 ? ""
                         : "2",
                 i % 2);
        if (i == 3) {
            snprintf(line, sizeof line, ",u3,,1\n");
        }
        strcat(text, line);
    }
    ney_error err = {0};
    ney_data *d = NULL;
    ney_result *r = NULL;
    ney_read_opts opts = {.missing = NEY_MISSING_KEEP, .max_categories = 1000, .max_line = 64};
    assert_int_equal(ney_data_parse_with(&d, NULL, "t.csv", text, strlen(text), &opts, NULL, &err),
                     NEY_OK);
    const ney_profile_input in = {.path = "t.csv",
                                  .bytes = text,
                                  .n_bytes = strlen(text),
                                  .read = &opts,
                                  .data = d,
                                  .detailed = true};
    assert_int_equal(ney_result_new(&r, NULL, &err), NEY_OK);
    assert_int_equal(ney_profile(r, NULL, &in, &err), NEY_OK);
    expect_int(r, "columns.0.missing", 1);
    expect_text(r, "columns.0.note", "23 words, each of them a feature: --ignore word");
    expect_int(r, "columns.1.distinct", 23);
    expect_text(r, "columns.1.note", "23 words, each of them a feature: --ignore user");
    expect_int(r, "columns.2.missing", 4);
    expect_int(r, "columns.2.nonzero", 4);
    ney_result_free(r);
    ney_data_free(d);
}

/* Without a label, columns of two values are proposed. */
static void test_label_candidates(void **state)
{
    (void)state;
    ney_result *const r = table_of("a,outcome\n1,yes\n2,no\n3,yes\n", (ney_read_opts){0});
    expect_text(r, "columns.0.note", NULL);
    expect_text(r, "columns.1.note", "two values, could be the label: --label outcome");
    ney_result_free(r);
}

/* Rows that cannot be read are left out, counted and named by their lines. */
static void test_faulty_rows(void **state)
{
    (void)state;
    static const char text[] = "label,a,b\n1,2,3\n0,4\n1,x\0y,3\n\n0,5,6,7\n1,2,3\n0,2,3\n";
    ney_read_opts opts = {0};
    ney_result *r = profile_of("t.csv", text, sizeof text - 1, &opts);
    expect_int(r, "n", 3);
    expect_int(r, "cols", 2);
    expect_int(r, "faulty_rows", 3);
    expect_int(r, "faults.0.line", 3);
    expect_text(r, "faults.0.reason", "found 2 fields, expected 3");
    expect_int(r, "faults.1.line", 4);
    expect_text(r, "faults.1.reason", "found a NUL byte, expected text");
    expect_int(r, "faults.2.line", 6);
    expect_text(r, "faults.2.reason", "found 4 fields, expected 3");
    expect_int(r, "duplicate_rows", 2);
    expect_int(r, "contradictory_rows", 1);
    expect_real(r, "columns.1.high", 2);
    ney_result_free(r);
    r = table_of("label,a\n1,2\n0,\"3\n1,5\n0,6\n", (ney_read_opts){0});
    expect_int(r, "n", 1);
    expect_int(r, "faults.0.line", 3);
    assert_null(ney_result_find(r, "faults.1"));
    ney_result_free(r);
}

static void test_several_labels(void **state)
{
    (void)state;
    ney_result *r =
        table_of("y,a\nred,1\nblue,2\nred,3\ngreen,4\nred,5\nblue,6\n", (ney_read_opts){0});
    expect_text(r, "classes.0.label", "red");
    expect_int(r, "classes.0.n", 3);
    expect_text(r, "classes.1.label", "blue");
    expect_int(r, "classes.1.n", 2);
    expect_int(r, "classes.2.n", 1);
    expect_int(r, "faulty_rows", 0);
    expect_int(r, "contradictory_rows", 0);
    ney_result_free(r);
}

/* Words among numbers, too many categories, numbers with two readings. */
static void test_refused_columns(void **state)
{
    (void)state;
    ney_result *r = table_of("label,a\n1,1\n0,2\n1,oops\n0,3\n", (ney_read_opts){0});
    expect_text(r, "columns.1.type", "mixed");
    assert_non_null(strstr(ney_result_get_text(r, "columns.1.note"), "line 4 holds 'oops'"));
    ney_result_free(r);
    r = table_of("label,a\n1,p\n0,q\n1,r\n0,s\n0,p\n", (ney_read_opts){.max_categories = 3});
    expect_text(r, "columns.1.type", "text");
    expect_text(r, "columns.1.note", "too many values for categories: --ignore a");
    ney_result_free(r);
    r = table_of("label,a\n1,\"1,234\"\n0,\"2,500\"\n", (ney_read_opts){0});
    expect_text(r, "columns.1.type", "ambiguous");
    assert_non_null(strstr(ney_result_get_text(r, "columns.1.note"), "--decimal"));
    assert_true(ney_result_kind_of(ney_result_find(r, "columns.1.low")) == NEY_RESULT_NULL);
    ney_result_free(r);
}

static void test_svmlight(void **state)
{
    (void)state;
    static const char bad[] = "1 1:2 3:4\n# rows\n-1 3:x\n7 2:1\n7 5:nan\n\n-1 1:1\n";
    ney_read_opts opts = {0};
    ney_result *r = profile_of("t.svm", bad, sizeof bad - 1, &opts);
    expect_text(r, "format", "svmlight");
    expect_int(r, "n", 4);
    expect_int(r, "cols", 5);
    expect_int(r, "missing", 1);
    expect_int(r, "faulty_rows", 1);
    expect_int(r, "faults.0.line", 3);
    expect_text(r, "classes.0.label", "7");
    expect_int(r, "classes.0.n", 2);
    ney_result_free(r);
    static const char good[] = "1 1:2 3:4\n-1 3:0.5\n1 1:2\n";
    r = profile_of("t.svm", good, sizeof good - 1, &opts);
    expect_int(r, "columns.0.distinct", 2);
    expect_text(r, "columns.0.type", "integer");
    expect_text(r, "columns.1.note", "constant");
    expect_text(r, "columns.2.type", "number");
    expect_int(r, "columns.2.distinct", 3);
    ney_result_free(r);
}

/* Bytes that are no data at all. */
static void test_nothing_to_say(void **state)
{
    (void)state;
    ney_error err = {0};
    ney_result *root = NULL;
    const ney_profile_input in = {.path = "x", .bytes = "\x89PNG\0\0\0\n", .n_bytes = 8};
    assert_int_equal(ney_result_new(&root, NULL, &err), NEY_OK);
    assert_int_equal(ney_profile(root, NULL, &in, &err), NEY_EFORMAT);
    assert_int_equal(ney_profile(NULL, NULL, &in, &err), NEY_EINVAL);
    ney_result_free(root);
}

/* Counts against a table of counts, below and beyond the limit. */
static void test_value_counts(void **state)
{
    (void)state;
    enum { VALUES = 200 };
    int64_t n[VALUES] = {0};
    ney_value_counts v = {.env = ney_env_default(), .most = 150, .keeps_text = true};
    unsigned x = 1;
    for (int i = 0; i < 5000; i++) {
        char text[16];
        x = x * 1664525u + 1013904223u;
        const unsigned value = i < VALUES ? (unsigned)i : (x >> 16) % VALUES;
        n[value]++;
        const int length = snprintf(text, sizeof text, "v%u", value);
        assert_true(ney_value_counts_add(&v, text, length, i + 1));
    }
    assert_true(v.overflow);
    assert_int_equal(v.n, 150);
    ney_value_counts_sort(&v);
    for (int64_t k = 0; k < v.n; k++) {
        const int value = atoi(v.counts[k].text + 1);
        assert_in_range(value, 0, 149);
        assert_int_equal(v.counts[k].n, n[value]);
        assert_int_equal(v.counts[k].line, value + 1);
        assert_true(k == 0 || v.counts[k].n <= v.counts[k - 1].n);
    }
    ney_value_counts_deinit(&v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types_and_notes), cmocka_unit_test(test_roles),
        cmocka_unit_test(test_no_notes),        cmocka_unit_test(test_label_candidates),
        cmocka_unit_test(test_faulty_rows),     cmocka_unit_test(test_several_labels),
        cmocka_unit_test(test_refused_columns), cmocka_unit_test(test_svmlight),
        cmocka_unit_test(test_nothing_to_say),  cmocka_unit_test(test_value_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
