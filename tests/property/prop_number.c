/* Numbers are read as strtod reads them, to the last bit, and written so that they come back. */
#include "base/number.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void compare(const char *given)
{
    char words[200], *end;
    strcpy(words, given);
    memset(words + strlen(given) + 1, '7',
           NEY_NUMBER_PAD); /* what is behind the NUL must not count */
    double v = 0;
    const double wanted = strtod(words, &end);
    const char *mine = ney_number_scan(words, &v);
    if (mine != end || memcmp(&v, &wanted, sizeof v) != 0) {
        fail_msg("'%s': %.17g, expected %.17g", words, v, wanted);
    }
}

static void reads_as_strtod(void **state)
{
    rnd r = rnd_new(101);
    text t = {0};
    (void)state;
    for (int64_t i = test_times(1000000); i > 0; i--) {
        t.length = 0;
        text_number(&t, &r, true);
        compare(t.bytes);
    }
    text_free(&t);
}

/* Digits 1..25, exponents -330..310, the point anywhere. */
static void reads_every_length_and_exponent(void **state)
{
    rnd r = rnd_new(102);
    char words[80];
    (void)state;
    for (int64_t i = test_times(300000); i > 0; i--) {
        const int digits = 1 + (int)rnd_below(&r, 25), point = (int)rnd_below(&r, digits + 1);
        int n = 0;
        for (int k = 0; k < digits; k++) {
            if (k == point) {
                words[n++] = '.';
            }
            words[n++] = (char)('0' + (rnd_chance(&r, 0.3) ? 0 : rnd_below(&r, 10)));
        }
        snprintf(words + n, sizeof words - (size_t)n, "e%d", (int)rnd_below(&r, 641) - 330);
        compare(words);
    }
}

/* Numbers half way between two doubles, and a digit to either side. */
static void rounds_halves_to_even(void **state)
{
    rnd r = rnd_new(103);
    char words[120];
    (void)state;
    for (int64_t i = test_times(100000); i > 0; i--) {
        const uint64_t m = (rnd_next(&r) >> 11) | (UINT64_C(1) << 52);
        const int shift = (int)rnd_below(&r, 10);
        const long double half = ldexpl((long double)m * 2 + 1, -1 - shift);
        snprintf(words, sizeof words, "%.*Lf", shift + 1, half);
        compare(words);
        strcat(words, rnd_chance(&r, 0.5) ? "0000000000000000000001" : "00");
        compare(words);
        words[strcspn(words, ".") + 1]--; /* just below; '4' or less than half */
        if (strchr(words, '/') == NULL) {
            compare(words);
        }
    }
}

/* With fewer digits than the text has, printf finds none that reads back. */
static void doubles_come_back(void **state)
{
    rnd r = rnd_new(104);
    char out[NEY_NUMBER_SIZE], shorter[NEY_NUMBER_SIZE];
    (void)state;
    for (int64_t i = test_times(150000); i > 0; i--) {
        uint64_t bits = rnd_next(&r);
        double v;
        if (i % 4 == 0) {
            bits &= UINT64_C(0x800fffffffffffff) >> (i % 40 < 20 ? 0 : 12); /* subnormal */
        }
        memcpy(&v, &bits, sizeof v);
        v = i % 4 == 1 ? (double)rnd_below(&r, 1000000) / 1000 : v;
        if (!isfinite(v)) {
            continue;
        }
        const int length = ney_number_format(v, out);
        const double back = strtod(out, NULL);
        assert_int_equal(length, strlen(out));
        assert_memory_equal(&back, &v, sizeof v);
        int digits = 0;
        for (const char *p = out; *p && *p != 'e'; p++) {
            digits += *p >= '0' && *p <= '9';
        }
        if (digits > 1 && fabs(v) < 1e15 && digits < 18 && !(v == floor(v)) && fabs(v) < 1e-4) {
            snprintf(shorter, sizeof shorter, "%.*g", digits - 1, v);
            assert_false(strtod(shorter, NULL) == v);
        }
    }
}

static void floats_come_back(void **state)
{
    rnd r = rnd_new(105);
    char out[NEY_NUMBER_SIZE];
    (void)state;
    for (int64_t i = test_times(150000); i > 0; i--) {
        uint32_t bits = (uint32_t)rnd_next(&r);
        float v;
        if (i % 4 == 0) {
            bits &= 0x807fffffu; /* subnormal */
        }
        memcpy(&v, &bits, sizeof v);
        if (!isfinite(v)) {
            continue;
        }
        double wide = 0;
        const int length = ney_number_format_float(v, out);
        assert_true(ney_number_parse(out, (size_t)length, &wide));
        const float back = (float)wide; /* as readers do: double first */
        assert_memory_equal(&back, &v, sizeof v);
        assert_true(strlen(out) <= 16); /* whole numbers are written in full */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_as_strtod),       cmocka_unit_test(reads_every_length_and_exponent),
        cmocka_unit_test(rounds_halves_to_even), cmocka_unit_test(doubles_come_back),
        cmocka_unit_test(floats_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
