/* Reading: nearly every number in a data file has at most 19 digits and a small exponent, so its
 * value is m * 10^e with m < 2^64. Three ways, from fast to general, all correctly rounded:
 *
 *   1. m <= 2^53, |e| <= 22: both m and 10^|e| are doubles, one operation rounds once (Clinger).
 *   2. m < 2^64, -19 <= e <= 0: m / 10^-e by 128-bit integer division, remainder kept as a sticky
 *      bit. Numbers written with 17 digits, as scores are, come this way.
 *   3. the rest: the C library, in the "C" locale.
 */
#include "base/number.h"

#include "base/wide.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const double power_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/* m / 10^digits for m > 0, digits <= 19, rounded once. */
static double divide_exactly(uint64_t m, int digits)
{
    uint64_t divisor = 1;
    for (int i = 0; i < digits; i++) {
        divisor *= 10;
    }
    /* m is moved to the top of 128 bits, so the quotient has at least 63 bits. */
    const int shift = __builtin_clzll(m);
    const uint64_t top = m << shift;
    uint64_t rest;
    uint64_t high = top / divisor;
    uint64_t low = ney_wide_quotient((ney_wide){.high = top % divisor}, divisor, &rest);
    int exponent = -64 - shift;
    if (high != 0) { /* keep the first 64 bits, and whether any below them is set */
        const int up = __builtin_clzll(high);
        const uint64_t kept = up == 0 ? high : high << up | low >> (64 - up);
        rest |= up == 0 ? low : low << up;
        low = kept;
        exponent += 64 - up;
    }
    if (rest != 0) {
        low |= 1; /* sticky: below any bit that rounding depends on */
    }
    return ldexp((double)low, exponent); /* the conversion rounds; scaling by 2^k does not */
}

static const char *scan_word(const char *at, double sign, double *value)
{
    if (strncasecmp(at, "nan", 3) == 0) {
        *value = (double)NAN;
        return at + 3;
    }
    if (strncasecmp(at, "inf", 3) == 0) {
        *value = sign * (double)INFINITY;
        return strncasecmp(at + 3, "inity", 5) == 0 ? at + 8 : at + 3;
    }
    return NULL;
}

/* The number that the C library sees at `at`: correct, and slow. */
static double scan_by_libc(const char *at)
{
    const locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const locale_t before = c_locale ? uselocale(c_locale) : (locale_t)0;
    const double value = strtod(at, NULL);
    if (c_locale) {
        uselocale(before);
        freelocale(c_locale);
    }
    return value;
}

/* The exponent after 'e', if there is one; without digits the 'e' is not part of the number. */
static const char *scan_exponent(const char *at, int *exponent)
{
    const char *p = at + 1;
    const bool negative = *p == '-';
    int e = 0;

    if (*p == '-' || *p == '+') {
        p++;
    }
    if (*p < '0' || *p > '9') {
        return at;
    }
    for (; *p >= '0' && *p <= '9'; p++) {
        e = e < 100000 ? 10 * e + (*p - '0') : e;
    }
    *exponent += negative ? -e : e;
    return p;
}

/* m * 10^exponent where the fast way of ney_number_scan() does not hold. */
static double scale_slowly(const char *at, uint64_t m, int64_t n_digits, int exponent)
{
    if (n_digits <= 19 && m == 0) {
        return 0;
    }
    if (n_digits <= 19 && exponent <= 0 && exponent >= -19) {
        return divide_exactly(m, -exponent);
    }
    return fabs(scan_by_libc(at)); /* more digits than m holds, or an exponent beyond the tables */
}

const char *ney_number_scan(const char *at, double *value)
{
    const char *p = at;
    const bool negative = *p == '-';
    uint64_t m = 0;
    int exponent = 0;

    p += *p == '-' || *p == '+';
    const char *digits = p;
    p = ney_digits_scan(p, &m);
    int64_t n_digits = p - digits;
    if (*p == '.') {
        const char *fraction = p + 1;
        p = ney_digits_scan(fraction, &m);
        exponent = (int)(fraction - p);
        n_digits += p - fraction;
    }
    if (n_digits == 0) {
        return scan_word(digits, negative ? -1 : 1, value);
    }
    if (*p == 'e' || *p == 'E') {
        p = scan_exponent(p, &exponent);
    }
    double v;
    if (n_digits <= 19 && m <= UINT64_C(1) << 53 && exponent >= -22 && exponent <= 22) {
        v = exponent < 0 ? (double)m / power_of_ten[-exponent] : (double)m * power_of_ten[exponent];
    } else {
        v = scale_slowly(at, m, n_digits, exponent);
    }
    *value = negative ? -v : v;
    return p;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* [*text, *text + *length) without the spaces at its ends. */
static void trim(const char **text, size_t *length)
{
    while (*length > 0 && is_space(**text)) {
        (*text)++;
        (*length)--;
    }
    while (*length > 0 && is_space((*text)[*length - 1])) {
        (*length)--;
    }
}

bool ney_number_parse(const char *text, size_t length, double *value)
{
    char local[512 + NEY_NUMBER_PAD]; /* longer numbers are rare: they are copied to the heap */
    trim(&text, &length);
    if (length == 0 || length >= 512) {
        return false;
    }
    memcpy(local, text, length);
    memset(local + length, 0, NEY_NUMBER_PAD);
    return ney_number_scan(local, value) == local + length;
}

bool ney_integer_parse(const char *text, size_t length, int64_t *value)
{
    trim(&text, &length);
    const bool negative = length > 0 && text[0] == '-';
    size_t i = length > 0 && (text[0] == '-' || text[0] == '+');
    uint64_t v = 0;
    const uint64_t most = (uint64_t)INT64_MAX + negative;

    if (i == length) {
        return false;
    }
    for (; i < length; i++) {
        const unsigned digit = (unsigned)(text[i] - '0');
        if (digit > 9 || v > (most - digit) / 10) {
            return false;
        }
        v = 10 * v + digit;
    }
    *value = negative ? (int64_t)(0 - v) : (int64_t)v;
    return true;
}

/* Print with `digits` significant digits and a point, whatever the locale: the bytes between the
 * first digits and the next are the locale's decimal point, of one byte or several. Making a locale
 * for each number would take longer than printing it. */
static int print(double value, int digits, char out[NEY_NUMBER_SIZE])
{
    const int length = snprintf(out, NEY_NUMBER_SIZE, "%.*g", digits, value);
    const size_t first = strspn(out, "-0123456789");
    const size_t rest = first + strcspn(out + first, "0123456789");
    if (!isfinite(value) || out[first] == '\0' || out[first] == 'e') {
        return length;
    }
    out[first] = '.';
    memmove(out + first + 1, out + rest, (size_t)length - rest + 1);
    return length - (int)(rest - first - 1);
}

int ney_integer_format(int64_t value, char out[NEY_NUMBER_SIZE])
{
    char digits[NEY_NUMBER_SIZE];
    uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    int n = 0, length = 0;
    do {
        digits[n++] = (char)('0' + left % 10);
        left /= 10;
    } while (left > 0);
    if (value < 0) {
        out[length++] = '-';
    }
    while (n > 0) {
        out[length++] = digits[--n];
    }
    out[length] = '\0';
    return length;
}

/* Whole numbers, which are most of what data files hold, need no search for digits. */
static bool print_whole(double value, char out[NEY_NUMBER_SIZE], int *length)
{
    if (!(fabs(value) < 1e15) || value != floor(value) || (value == 0 && signbit(value))) {
        return false;
    }
    *length = ney_integer_format((int64_t)value, out);
    return true;
}

int ney_number_format(double value, char out[NEY_NUMBER_SIZE])
{
    double back;
    int length = 0;
    if (print_whole(value, out, &length)) {
        return length;
    }
    /* 15 digits are always safe, but subnormal numbers may need fewer. */
    for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits <= 17; digits++) {
        length = print(value, digits, out);
        if (!isfinite(value) || (ney_number_parse(out, (size_t)length, &back) && back == value)) {
            break;
        }
    }
    return length;
}

/* m / 10^decimals for m > 0, without zeros at the end. */
static int print_fixed(int64_t m, int decimals, bool negative, char out[NEY_NUMBER_SIZE])
{
    char digits[NEY_NUMBER_SIZE];
    int n = 0, length = 0;
    for (; decimals > 0 && m % 10 == 0; decimals--) {
        m /= 10;
    }
    for (int written = 0; m > 0 || written <= decimals; written++, m /= 10) {
        if (written == decimals && decimals > 0) {
            digits[n++] = '.';
        }
        digits[n++] = (char)('0' + m % 10);
    }
    if (negative) {
        out[length++] = '-';
    }
    while (n > 0) {
        out[length++] = digits[--n];
    }
    out[length] = '\0';
    return length;
}

/* What print() finds for a float that it writes without an exponent, in a sixth of the time: the
 * value times a power of ten is a double within 1e-7 of the exact product, so that its nearest
 * whole number has the digits that are looked for unless it is near a tie; those are left to
 * print(), as are other numbers. */
static bool print_float(double value, char out[NEY_NUMBER_SIZE], int *length)
{
    const double size = fabs(value), near_tie = 1e-6;
    if (!(size >= 1e-4 && size < 1e6)) {
        return false;
    }
    int place = -4; /* of the first digit */
    while (size >= (place < -1 ? 1 / power_of_ten[-place - 1] : power_of_ten[place + 1])) {
        place++;
    }
    for (int digits = 6; digits <= 9; digits++) {
        const int decimals = digits - 1 - place;
        const double scaled = size * power_of_ten[decimals], below = floor(scaled);
        if (fabs(scaled - below - 0.5) < near_tie) {
            return false;
        }
        const double nearest = scaled - below > 0.5 ? below + 1 : below;
        if ((float)(nearest / power_of_ten[decimals]) == (float)size) {
            *length = print_fixed((int64_t)nearest, decimals, value < 0, out);
            return true;
        }
    }
    return false;
}

int ney_number_format_float(float value, char out[NEY_NUMBER_SIZE])
{
    double back;
    int length = 0;
    if (print_whole((double)value, out, &length) || print_float((double)value, out, &length)) {
        return length;
    }
    for (int digits = fabsf(value) < FLT_MIN ? 1 : 6; digits <= 9; digits++) {
        length = print((double)value, digits, out);
        if (!isfinite(value) ||
            (ney_number_parse(out, (size_t)length, &back) && (float)back == value)) {
            break;
        }
    }
    return length;
}

void ney_hex_format(uint64_t value, char out[NEY_HEX_DIGITS + 1])
{
    for (int i = NEY_HEX_DIGITS - 1; i >= 0; i--, value >>= 4) {
        out[i] = "0123456789abcdef"[value & 15];
    }
    out[NEY_HEX_DIGITS] = '\0';
}
