/* ney_number: what is a number, what follows it, and how numbers are written. */
#include "base/number.h"
#include "base/rng.h"
#include "support/cmocka_all.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The scan must take `length` bytes and agree with strtod, sign of zero included. */
static void check_scan(const char *given, int length)
{
    char words[1000] = ""; /* the scan looks ahead */
    double v = 0;
    strcpy(words, given);
    const char *end = ney_number_scan(words, &v);
    if (length == 0) {
        assert_null(end);
        return;
    }
    assert_non_null(end);
    assert_int_equal(end - words, length);
    const double wanted = strtod(words, NULL);
    if (isnan(wanted)) {
        assert_true(isnan(v));
    } else {
        assert_memory_equal(&v, &wanted, sizeof v);
    }
}

static void scans_what_is_a_number(void **state)
{
    static const struct {
        const char *words;
        int length;
    } cases[] = {
        {"0", 1},
        {"-0", 2},
        {"+0.0", 4},
        {"1e", 1},
        {"1e+", 1},
        {"1e-x", 1},
        {"1e5", 3},
        {"1E+05", 5},
        {".", 0},
        {"-", 0},
        {"+", 0},
        {"", 0},
        {"e5", 0},
        {"-.5", 3},
        {"5.", 2},
        {".5", 2},
        {"-.", 0},
        {"5.e3", 4},
        {".e3", 0},
        {"1.5.2", 3},
        {"--1", 0},
        {"+-1", 0},
        {"inf", 3},
        {"-INF", 4},
        {"Infinity", 8},
        {"infinit", 3},
        {"nan", 3},
        {"NaN", 3},
        {"-nan", 4},
        {"in", 0},
        {"n", 0},
        {"1,5", 1},
        {"12:3", 2},
        {"1 2", 1},
        {"1e400", 5},
        {"-1e400", 6},
        {"1e-400", 6},
        {"1e99999999999", 13},
        {"0e99999999999", 13},
        {"1e-99999999999", 14},
        {"0.1", 3},
        {"4.9e-324", 8},
        {"2.4703282292062327e-324", 23},
        {"2.4703282292062328e-324", 23},
        {"1.7976931348623157e308", 22},
        {"1.7976931348623159e308", 22},
        {"9007199254740993", 16},
        {"9007199254740992.5", 18},
        {"9007199254740993.0000001", 24},
        {"18446744073709551615", 20},
        {"18446744073709551616", 20},
        {"9999999999999999999", 19},
        {"0000000000000000000000000000001", 31},
        {"0.00000000000000000000000000001", 31},
        {"1.00000000000000011102230246251565404e0", 39},
        {"8.5e22", 6},
        {"123456789e-31", 13},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_scan(cases[i].words, cases[i].length);
    }
    double v;
    const char hex[32] = "0x10"; /* no hexadecimal numbers */
    assert_ptr_equal(ney_number_scan(hex, &v), hex + 1);
    assert_true(v == 0);
}

static void long_digit_strings_are_rounded_once(void **state)
{
    char words[900] = "";
    (void)state;
    for (int n = 20; n < 800; n += 13) {
        memset(words, '7', (size_t)n);
        words[n / 2] = '.';
        words[n] = '\0';
        check_scan(words, n);
        memset(words, '0', (size_t)n);
        words[1] = '.';
        words[n - 1] = '3';
        check_scan(words, n);
    }
}

static void parses_whole_texts_only(void **state)
{
    double v = -1;
    (void)state;
    assert_true(ney_number_parse(" 1.5\t", 5, &v) && v == 1.5);
    assert_true(ney_number_parse("12345", 3, &v) && v == 123);
    assert_false(ney_number_parse("", 0, &v));
    assert_false(ney_number_parse("  ", 2, &v));
    assert_false(ney_number_parse("1 2", 3, &v));
    assert_false(ney_number_parse("1x", 2, &v));
    int64_t k = -1;
    assert_true(ney_integer_parse("9223372036854775807", 19, &k) && k == INT64_MAX);
    assert_true(ney_integer_parse("-9223372036854775808", 20, &k) && k == INT64_MIN);
    assert_true(ney_integer_parse(" +7 ", 4, &k) && k == 7);
    assert_false(ney_integer_parse("9223372036854775808", 19, &k));
    assert_false(ney_integer_parse("-9223372036854775809", 20, &k));
    assert_false(ney_integer_parse("", 0, &k));
    assert_false(ney_integer_parse("-", 1, &k));
    assert_false(ney_integer_parse("1.0", 3, &k));
    assert_false(ney_integer_parse("+-1", 3, &k));
    assert_false(ney_integer_parse("99999999999999999999", 20, &k));
}

static void writes_the_shortest(void **state)
{
    static const struct {
        double value;
        const char *words;
    } cases[] = {{0, "0"},
                 {-0.0, "-0"},
                 {1, "1"},
                 {-17, "-17"},
                 {0.1, "0.1"},
                 {1e15, "1e+15"},
                 {123456789012345, "123456789012345"},
                 {1e300, "1e+300"},
                 {5e-324, "5e-324"},
                 {1.0 / 3, "0.3333333333333333"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {INFINITY, "inf"},
                 {-INFINITY, "-inf"}};
    char out[NEY_NUMBER_SIZE];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(ney_number_format(cases[i].value, out), strlen(cases[i].words));
        assert_string_equal(out, cases[i].words);
    }
    ney_number_format((double)NAN, out);
    assert_non_null(strstr(out, "nan"));
    ney_number_format_float(0.1f, out);
    assert_string_equal(out, "0.1");
    ney_number_format_float(1e-45f, out);
    assert_string_equal(out, "1e-45");
    ney_number_format_float(16777216.0f, out);
    assert_string_equal(out, "16777216");
    ney_number_format_float(FLT_MAX, out);
    assert_string_equal(out, "3.4028235e+38");
    ney_number_format(-DBL_MAX, out);
    assert_string_equal(out, "-1.7976931348623157e+308");
}

/* Floats of all sizes, near ties of decimals among them, against the C library. */
static void floats_are_as_short_as_can_be(void **state)
{
    ney_rng r = {3};
    char out[NEY_NUMBER_SIZE], expected[40];
    (void)state;
    for (int i = 0; i < 40000; i++) {
        const double unit = 2 * ney_rng_unit(&r) - 1, size = pow(10, 18 * ney_rng_unit(&r) - 8);
        const float value = (float)(i % 3 == 0   ? unit * size
                                    : i % 3 == 1 ? (double)(int64_t)(unit * 1e7) / 1e3 + 5e-4
                                                 : (double)(int64_t)(unit * 4096) / 4096);
        if (value == floorf(value)) {
            continue;
        }
        for (int digits = 6; digits <= 9; digits++) {
            (void)snprintf(expected, sizeof expected, "%.*g", digits, (double)value);
            if (strtof(expected, NULL) == value) {
                break;
            }
        }
        const int length = ney_number_format_float(value, out);
        assert_string_equal(out, expected);
        assert_int_equal(length, strlen(out));
    }
}

static void a_comma_locale_changes_nothing(void **state)
{
    const char *name = getenv("NEY_TEST_LOCALE");
    char out[NEY_NUMBER_SIZE];
    double v;
    (void)state;
    if (!name || !*name || !setlocale(LC_ALL, name) ||
        strcmp(localeconv()->decimal_point, ",") != 0) {
        setlocale(LC_ALL, "C");
        print_message("no decimal-comma locale (NEY_TEST_LOCALE)\n");
        skip();
    }
    ney_number_format(0.5, out);
    const bool point = strcmp(out, "0.5") == 0;
    const char *end = ney_number_scan("3.14159265358979323846264338\0        ", &v);
    const bool read = end && *end == '\0' && v == 3.14159265358979323846;
    const bool tiny = ney_number_scan("2.5e-310\0        ", &v) && v == 2.5e-310;
    ney_number_format_float(1.25e-40f, out);
    setlocale(LC_ALL, "C");
    assert_true(point && read && tiny);
    assert_null(strchr(out, ','));
}

static void integers_of_all_sizes(void **state)
{
    static const int64_t values[] = {0, 7, -1, 10, -99, INT64_MAX, INT64_MIN};
    char out[NEY_NUMBER_SIZE], expected[40];
    int64_t back;
    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        const int length = ney_integer_format(values[i], out);
        snprintf(expected, sizeof expected, "%lld", (long long)values[i]);
        assert_string_equal(out, expected);
        assert_int_equal(length, strlen(expected));
        assert_true(ney_integer_parse(out, (size_t)length, &back) && back == values[i]);
    }
    assert_false(ney_integer_parse(NULL, 0, &back)); /* nothing is looked at */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scans_what_is_a_number),
        cmocka_unit_test(long_digit_strings_are_rounded_once),
        cmocka_unit_test(parses_whole_texts_only),
        cmocka_unit_test(writes_the_shortest),
        cmocka_unit_test(floats_are_as_short_as_can_be),
        cmocka_unit_test(a_comma_locale_changes_nothing),
        cmocka_unit_test(integers_of_all_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
