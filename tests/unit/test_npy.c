/* NumPy arrays: headers, types, byte orders, and what is refused. Archives as they come from NumPy
 * and SciPy: python.numpy_files. */
#include "support/cmocka_all.h"

#include "data/npy.h"

#include <neyman/experimental.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

/* An array with this header and these values; returns its length. */
static int64_t make_array(unsigned char *to, int version, const char *header, const void *values,
                          size_t n)
{
    const size_t length = strlen(header), size = version == 1 ? 2 : 4;
    memcpy(to, "\x93NUMPY", 6);
    to[6] = (unsigned char)version;
    to[7] = 0;
    for (size_t k = 0; k < size; k++) {
        to[8 + k] = (unsigned char)(length >> 8 * k);
    }
    memcpy(to + 8 + size, header, length);
    memcpy(to + 8 + size + length, values, n);
    return (int64_t)(8 + size + length + n);
}

static ney_npy parsed(const char *header, const void *values, size_t n)
{
    static unsigned char bytes[4096];
    ney_npy a;
    ney_error err = {0};
    const int64_t length = make_array(bytes, 1, header, values, n);
    if (ney_npy_parse(&a, "f", NULL, bytes, length, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    return a;
}

static void expect_number(const char *type, const char *values, size_t item, double expected)
{
    char header[128], text[NEY_NPY_TEXT];
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (1,), }",
             type);
    const ney_npy a = parsed(header, values, item);
    assert_true(ney_npy_number(&a, 0) == expected);
    if (ney_npy_is_whole(&a)) {
        assert_true((double)ney_npy_integer(&a, 0) == expected);
    }
    assert_true(ney_npy_text(&a, 0, text) > 0);
}

static void test_types(void **state)
{
    (void)state;
    expect_number("|i1", "\xfe", 1, -2);
    expect_number("|u1", "\xfe", 1, 254);
    expect_number("|b1", "\x01", 1, 1);
    expect_number("<i2", "\xfe\xff", 2, -2);
    expect_number(">i2", "\xff\xfe", 2, -2);
    expect_number("<u2", "\xfe\xff", 2, 65534);
    expect_number("<i4", "\x00\x00\x00\x80", 4, -2147483648.0);
    expect_number(">u4", "\x80\x00\x00\x01", 4, 2147483649.0);
    expect_number("<i8", "\x01\x00\x00\x00\x00\x00\x00\x80", 8, -9223372036854775807.0);
    expect_number(">i8", "\x00\x00\x00\x00\x00\x00\x01\x00", 8, 256);
    expect_number("<f2", "\x00\x3c", 2, 1);
    expect_number(">f2", "\xc2\x00", 2, -3);
    expect_number("<f2", "\x01\x00", 2, 0x1p-24);
    expect_number("<f4", "\x00\x00\x20\x40", 4, 2.5);
    expect_number(">f4", "\x40\x20\x00\x00", 4, 2.5);
    expect_number(">f8", "\x3f\xf0\x00\x00\x00\x00\x00\x00", 8, 1);
    expect_number("<f8", "\x00\x00\x00\x00\x00\x00\xf0\x7f", 8, (double)INFINITY);
}

static void test_order_and_texts(void **state)
{
    (void)state;
    static const unsigned char six[] = {1, 2, 3, 4, 5, 6};
    char text[NEY_NPY_TEXT];
    ney_npy a = parsed("{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3), }", six, 6);
    assert_true(ney_npy_number(&a, ney_npy_place(&a, 1, 0)) == 4);
    a = parsed("{\"shape\":(2,3),'fortran_order':True,'descr':'|u1'}", six, 6);
    assert_true(ney_npy_number(&a, ney_npy_place(&a, 1, 0)) == 2);
    assert_true(ney_npy_number(&a, ney_npy_place(&a, 0, 2)) == 5);
    a = parsed("{'descr': '<U2', 'fortran_order': False, 'shape': (1,), }",
               "\xe9\0\0\0\xac\x20\0\0", 8);
    assert_int_equal(ney_npy_text(&a, 0, text), 5);
    assert_string_equal(text, "\xc3\xa9\xe2\x82\xac");
    a = parsed("{'descr': '>U2', 'fortran_order': False, 'shape': (1,), }", "\0\0\0y\0\0\0\0", 8);
    assert_int_equal(ney_npy_text(&a, 0, text), 1);
    assert_string_equal(text, "y");
    a = parsed("{'descr': '|S3', 'fortran_order': False, 'shape': (), }", "csr", 3);
    assert_int_equal(a.n, 1);
    assert_int_equal(ney_npy_text(&a, 0, text), 3);
    assert_string_equal(text, "csr");
}

static void expect_refusal(const char *header, size_t n, const char *words)
{
    static const char zeros[64];
    unsigned char bytes[512];
    ney_npy a;
    ney_error err = {0};
    const int64_t length = make_array(bytes, 1, header, zeros, n);
    assert_int_equal(ney_npy_parse(&a, "f", NULL, bytes, length, &err), NEY_EFORMAT);
    if (!strstr(err.message, words) || !strstr(err.message, "byte ")) {
        fail_msg("'%s' lacks '%s'", err.message, words);
    }
    for (int64_t cut = 0; cut < length - (int64_t)n; cut++) { /* cut anywhere in the header */
        assert_int_equal(ney_npy_parse(&a, "f", NULL, bytes, cut, &err), NEY_EFORMAT);
    }
}

#define REST "'fortran_order': False, 'shape': "

static void test_hostile_headers(void **state)
{
    (void)state;
    expect_refusal("{'descr': '<f8', " REST "(9223372036854775807, 9), }", 0, "found 0 bytes");
    expect_refusal("{'descr': '<f8', " REST "(99999999999999999999,), }", 0, "numbers of rows");
    expect_refusal("{'descr': '<f8', " REST "(-1,), }", 0, "numbers of rows");
    expect_refusal("{'descr': '<f8', " REST "(2, 2), }", 24, "expected more");
    expect_refusal("{'descr': '<f8', " REST "(2, 2), }", 40, "expected fewer");
    expect_refusal("{'descr': '<f8', " REST "(2, 2, 2), }", 64, "two dimensions");
    expect_refusal("{'descr': '|O', " REST "(1,), }", 8, "Python objects");
    expect_refusal("{'descr': '<c16', " REST "(1,), }", 16, "complex");
    expect_refusal("{'descr': '<f3', " REST "(1,), }", 3, "1, 2, 4 or 8");
    expect_refusal("{'descr': '<f16', " REST "(1,), }", 16, "1, 2, 4 or 8");
    expect_refusal("{'descr': '<U999999999', " REST "(1,), }", 4, "expected a number");
    expect_refusal("{'descr': [('a', '<f8')], " REST "(1,), }", 8, "several fields");
    expect_refusal("{'descr': '<f8', 'shape': (1,), }", 8, "lacks");
    expect_refusal("{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1,), }", 8, "True or False");
    expect_refusal("{'descr': '<f8', " REST "(1 2), }", 8, ", or )");
    expect_refusal("{'other': 1}", 0, "'descr'");
    expect_refusal("descr", 0, "expected {");
    ney_npy a;
    ney_error err = {0};
    assert_int_equal(ney_npy_parse(&a, "f", "X", "\x93NUMPY\x09\0\0\0", 10, &err), NEY_EFORMAT);
    assert_non_null(strstr(err.message, "array 'X', byte 6: version 9"));
}

/* Versions 2 and 3 have longer headers. */
static void test_versions(void **state)
{
    (void)state;
    unsigned char bytes[512];
    ney_npy a;
    for (int version = 2; version <= 3; version++) {
        const int64_t n = make_array(bytes, version,
                                     "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }",
                                     "\0\0\x80\x3f", 4);
        assert_int_equal(ney_npy_parse(&a, "f", NULL, bytes, n, NULL), NEY_OK);
        assert_true(ney_npy_number(&a, 0) == 1);
    }
}

/* A column of a dense array is the label; the others have numbers as names. */
static void test_label_column(void **state)
{
    (void)state;
    static const unsigned char cells[] = {1, 5, 2, 0, 6, 3, 1, 7, 4};
    unsigned char bytes[512];
    const int64_t n =
        make_array(bytes, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (3, 3), }", cells,
                   sizeof cells);
    ney_read_opts opts = {.label = "1", .max_categories = 1000, .max_line = 64};
    ney_data *d = NULL;
    ney_error err = {0};
    char name[16];
    assert_int_equal(ney_data_parse_with(&d, NULL, "f", bytes, (size_t)n, &opts, NULL, &err),
                     NEY_OK);
    const ney_matrix *const x = ney_data_matrix(d);
    assert_int_equal(x->rows, 3);
    assert_int_equal(x->cols, 2);
    assert_true(x->dense[0] == 5 && x->dense[1] == 2 && x->dense[4] == 7);
    assert_int_equal(ney_data_label(d)[0], 1);
    assert_int_equal(ney_data_label(d)[1], -1);
    ney_preprocessing_feature(ney_data_preprocessing(d), 1, name, sizeof name);
    assert_string_equal(name, "c3");
    ney_data_free(d);
    opts.label = "9";
    assert_int_equal(ney_data_parse_with(&d, NULL, "f", bytes, (size_t)n, &opts, NULL, &err),
                     NEY_EPARSE);
    assert_non_null(strstr(err.message, "no column '9'"));
    opts.label = NULL;
    assert_int_equal(ney_data_parse_with(&d, NULL, "f", bytes, (size_t)n, &opts, NULL, &err),
                     NEY_OK);
    assert_int_equal(ney_data_unlabelled(d, &err), NEY_EPARSE);
    assert_non_null(strstr(err.message, "--label NUMBER"));
    ney_data_free(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),           cmocka_unit_test(test_order_and_texts),
        cmocka_unit_test(test_hostile_headers), cmocka_unit_test(test_versions),
        cmocka_unit_test(test_label_column),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
