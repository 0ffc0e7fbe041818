/* Numbers as cells of a table write them: every form, its value, and what is none of them. */
#include "support/cmocka_all.h"

#include "data/number_form.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define EURO "\xe2\x82\xac"
#define MINUS "\xe2\x88\x92"
#define NO_BREAK "\xc2\xa0"
#define NARROW "\xe2\x80\xaf"
#define RIGHT_QUOTE "\xe2\x80\x99"

static void check_value(ney_number_form form, const char *text, double expected)
{
    double value = -12345;
    if (!ney_number_form_parse(form, text, (int)strlen(text), &value) ||
        fabs(value - expected) > 1e-9 * fmax(1, fabs(expected))) {
        fail_msg("'%s' as %s is %.17g, expected %.17g", text, ney_number_form_name(form), value,
                 expected);
    }
}

static void check_none(ney_number_form form, const char *text)
{
    double value;
    if (ney_number_form_parse(form, text, (int)strlen(text), &value)) {
        fail_msg("'%s' is taken for %s: %.17g", text, ney_number_form_name(form), value);
    }
}

static void test_marks(void **state)
{
    (void)state;
    check_value(NEY_NUMBER_PLAIN, "-1.5e3", -1500);
    check_value(NEY_NUMBER_COMMA, "1,5", 1.5);
    check_value(NEY_NUMBER_COMMA, "-0,25", -0.25);
    check_value(NEY_NUMBER_COMMA, ",5", 0.5);
    check_value(NEY_NUMBER_COMMA, "1,5e2", 150);
    check_none(NEY_NUMBER_COMMA, "1.5");
    check_none(NEY_NUMBER_COMMA, "1,2,3");
    check_value(NEY_NUMBER_THOUSANDS, "1,234,567.5", 1234567.5);
    check_value(NEY_NUMBER_THOUSANDS, "+12,345", 12345);
    check_value(NEY_NUMBER_THOUSANDS, "-999", -999);
    check_none(NEY_NUMBER_THOUSANDS, "1,23");
    check_none(NEY_NUMBER_THOUSANDS, "1234,567");
    check_none(NEY_NUMBER_THOUSANDS, "0,750");
    check_none(NEY_NUMBER_THOUSANDS, "1,234,56");
    check_none(NEY_NUMBER_THOUSANDS, ",123");
    check_value(NEY_NUMBER_THOUSANDS_COMMA, "1.234.567,5", 1234567.5);
    check_value(NEY_NUMBER_THOUSANDS_COMMA, "12.345", 12345);
    check_none(NEY_NUMBER_THOUSANDS_COMMA, "1,234.5");
    check_none(NEY_NUMBER_THOUSANDS_COMMA, "1.23");
}

/* A space of any width or an apostrophe between thousands; a minus sign. */
static void test_signs(void **state)
{
    (void)state;
    check_value(NEY_NUMBER_THOUSANDS, "1 234 567.5", 1234567.5);
    check_value(NEY_NUMBER_THOUSANDS_COMMA, "-1 234,5", -1234.5);
    check_value(NEY_NUMBER_THOUSANDS, "1'234.5", 1234.5);
    check_value(NEY_NUMBER_THOUSANDS, "1" RIGHT_QUOTE "234" RIGHT_QUOTE "567", 1234567);
    check_value(NEY_NUMBER_THOUSANDS_COMMA, "12" NO_BREAK "345,25", 12345.25);
    check_value(NEY_NUMBER_THOUSANDS_COMMA, "12" NARROW "345", 12345);
    check_value(NEY_NUMBER_COMMA, MINUS "1,5", -1.5);
    check_value(NEY_NUMBER_THOUSANDS, MINUS "1.5", -1.5);
    check_value(NEY_NUMBER_PERCENT_COMMA, "2,5" NO_BREAK "%", 0.025);
    check_value(NEY_NUMBER_CURRENCY_COMMA, MINUS "1" NO_BREAK "234,50" NO_BREAK EURO, -1234.5);
    check_none(NEY_NUMBER_PLAIN, MINUS "1");
    check_none(NEY_NUMBER_THOUSANDS, "1 23");
    check_none(NEY_NUMBER_THOUSANDS, "1 234,567");
    check_none(NEY_NUMBER_THOUSANDS, "1,234 567");
    check_none(NEY_NUMBER_THOUSANDS, "1234 567");
    check_none(NEY_NUMBER_THOUSANDS, "1'234 567");
    check_none(NEY_NUMBER_THOUSANDS, NO_BREAK);
    check_none(NEY_NUMBER_THOUSANDS, "12\xe2\x80");
    char many[4 * 60 + 1] = ""; /* beyond what a number may have */
    for (int k = 0; k < 60; k++) {
        strcat(many, "1" MINUS);
    }
    check_none(NEY_NUMBER_THOUSANDS, many);
    char zeros[3 + 80 + 1] = MINUS; /* its first 64 characters are a number */
    memset(zeros + 3, '1', 80);
    check_none(NEY_NUMBER_THOUSANDS, zeros);
}

static void test_money_and_percentages(void **state)
{
    (void)state;
    check_value(NEY_NUMBER_CURRENCY, "$1,234.50", 1234.5);
    check_value(NEY_NUMBER_CURRENCY, "-$3", -3);
    check_value(NEY_NUMBER_CURRENCY, "3.50 EUR", 3.5);
    check_value(NEY_NUMBER_CURRENCY, "USD 7", 7);
    check_value(NEY_NUMBER_CURRENCY, "42", 42);
    check_value(NEY_NUMBER_CURRENCY_COMMA, "1.234,50 " EURO, 1234.5);
    check_value(NEY_NUMBER_CURRENCY_COMMA, EURO "3,5", 3.5);
    check_value(NEY_NUMBER_CURRENCY, "(1,234.50)", -1234.5);
    check_value(NEY_NUMBER_CURRENCY, "($3)", -3);
    check_value(NEY_NUMBER_CURRENCY_COMMA, "(3,5 " EURO ")", -3.5);
    check_value(NEY_NUMBER_CURRENCY_COMMA, "3,50 z\xc5\x82", 3.5);
    check_value(NEY_NUMBER_CURRENCY, "12 kr", 12);
    check_value(NEY_NUMBER_CURRENCY, "R$ 1,234.5", 1234.5);
    check_none(NEY_NUMBER_CURRENCY, "()");
    check_none(NEY_NUMBER_CURRENCY, "(-3)");
    check_none(NEY_NUMBER_CURRENCY, "(3");
    check_none(NEY_NUMBER_CURRENCY, "((3))");
    check_none(NEY_NUMBER_CURRENCY, "$");
    check_none(NEY_NUMBER_CURRENCY, "-$-3");
    check_none(NEY_NUMBER_CURRENCY, "$x");
    check_value(NEY_NUMBER_PERCENT, "12.5%", 0.125);
    check_value(NEY_NUMBER_PERCENT, "-10 %", -0.1);
    check_value(NEY_NUMBER_PERCENT_COMMA, "2,5 %", 0.025);
    check_none(NEY_NUMBER_PERCENT, "%");
    check_none(NEY_NUMBER_PERCENT, "12.5");
    check_none(NEY_NUMBER_PERCENT, "5%%");
}

static void test_times(void **state)
{
    (void)state;
    check_value(NEY_NUMBER_TIME, "13:45", 49500);
    check_value(NEY_NUMBER_TIME, "00:00:10.25", 10.25);
    check_value(NEY_NUMBER_TIME, "23:59:60", 86400);
    check_none(NEY_NUMBER_TIME, "13:60");
    check_none(NEY_NUMBER_TIME, "25:00");
    check_value(NEY_NUMBER_TIME, "1:30", 5400); /* as spreadsheets write it */
    check_value(NEY_NUMBER_TIME, "0:00:10,5", 10.5);
    check_none(NEY_NUMBER_TIME, ":30");
    check_none(NEY_NUMBER_TIME, "101:30");
    check_none(NEY_NUMBER_TIME, "1:3");
    check_none(NEY_NUMBER_TIME, "13:45:");
    check_none(NEY_NUMBER_TIME, "13:45:10.");
    check_value(NEY_NUMBER_DATETIME, "1970-01-02T00:00:01Z", 86401);
    check_value(NEY_NUMBER_DATETIME, "1970-01-01 02:00+02:00", 0);
    check_value(NEY_NUMBER_DATETIME, "1970-01-01T00:00-0530", 19800);
    check_value(NEY_NUMBER_DATETIME, "1970-01-03", 172800);
    check_value(NEY_NUMBER_DATETIME, "1970-01-02 00:00:01 UTC", 86401);
    check_value(NEY_NUMBER_DATETIME, "1970-01-01 02:00:00 +0200", 0);
    check_none(NEY_NUMBER_DATETIME, "1970-01-02 00:00:01 ");
    check_none(NEY_NUMBER_DATETIME, "1970-01-02 00:00:01 CET");
    check_none(NEY_NUMBER_DATETIME, "1970-01-01T00:00+2");
    check_none(NEY_NUMBER_DATETIME, "1970-01-01Tx");
}

/* Every day from 1800 to 2200, against the C library's calendar. */
/* Days of a month, counted from 0. */
static int days_of(int year, int month)
{
    static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month] + (month == 1 && leap);
}

/* Four hundred years, day by day: time_t has 32 bits on some machines, which hold fewer. */
static void test_dates(void **state)
{
    (void)state;
    int day = -62091; /* 1800-01-01 */
    for (int year = 1800; year < 2200; year++) {
        for (int month = 0; month < 12; month++) {
            for (int k = 0; k < days_of(year, month); k++, day++) {
                char text[48];
                snprintf(text, sizeof text, "%04d-%02d-%02d", year, month + 1, k + 1);
                check_value(NEY_NUMBER_DATE, text, day);
            }
        }
    }
    assert_int_equal(day, 84006);
    check_value(NEY_NUMBER_DATE, "2024/02/29", 19782);
    check_none(NEY_NUMBER_DATE, "2023-02-29");
    check_none(NEY_NUMBER_DATE, "1900-02-29");
    check_none(NEY_NUMBER_DATE, "2024-13-01");
    check_none(NEY_NUMBER_DATE, "2024-00-01");
    check_none(NEY_NUMBER_DATE, "2024-1-01");
    check_none(NEY_NUMBER_DATE, "0000-01-01");
    check_none(NEY_NUMBER_DATE, "2024-01-011");
}

/* Which forms a text has: exactly those that parse it. */
static void test_forms_of(void **state)
{
    (void)state;
    const unsigned money = 1u << NEY_NUMBER_CURRENCY | 1u << NEY_NUMBER_CURRENCY_COMMA;
    assert_int_equal(ney_number_forms_of("$3", 2), money);
    assert_int_equal(ney_number_forms_of("2024-05-17", 10),
                     1u << NEY_NUMBER_DATE | 1u << NEY_NUMBER_DATETIME);
    assert_int_equal(ney_number_forms_of("13:45", 5), 1u << NEY_NUMBER_TIME);
    assert_int_equal(ney_number_forms_of("word", 4), 0);
    assert_int_equal(ney_number_forms_of("", 0), 0);
    const unsigned both = ney_number_forms_of("1,234", 5);
    assert_true(both >> NEY_NUMBER_COMMA & 1 && both >> NEY_NUMBER_THOUSANDS & 1);
    assert_false(ney_number_forms_of("1,23", 4) >> NEY_NUMBER_THOUSANDS & 1);
}

/* A name is found again; another mark gives the form with that mark. */
static void test_names_and_marks(void **state)
{
    (void)state;
    for (int k = 0; k < NEY_N_NUMBER_FORMS; k++) {
        const ney_number_form form = (ney_number_form)k;
        const char *const name = ney_number_form_name(form);
        assert_int_equal(ney_number_form_find(name, strlen(name)), form);
        assert_true(strlen(ney_number_form_meaning(form)) > 0);
        assert_true(ney_number_form_has_comma(ney_number_form_with(form, ',')) ||
                    form >= NEY_NUMBER_DATE);
        assert_false(ney_number_form_has_comma(ney_number_form_with(form, '.')));
    }
    assert_int_equal(ney_number_form_find("none", 4), NEY_N_NUMBER_FORMS);
    assert_int_equal(ney_number_form_with(NEY_NUMBER_COMMA, '.'), NEY_NUMBER_THOUSANDS);
    assert_int_equal(ney_number_form_with(NEY_NUMBER_DATE, ','), NEY_NUMBER_DATE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_signs),
        cmocka_unit_test(test_money_and_percentages),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_dates),
        cmocka_unit_test(test_forms_of),
        cmocka_unit_test(test_names_and_marks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
