#include "tsv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "interrupt.h"

enum { LINES_PER_POLL = 4096 }; /* how often to check for an interrupt */

ney_status tsv_open(tsv *t, const char *path, const char *columns, ney_error *err)
{
    char name[64];

    t->begun = false;
    t->lines = 0;
    const ney_status st = output_open(&t->out, path, err);
    if (st == NEY_OK && columns[0]) {
        for (int k = 0; word_at(columns, k, name, sizeof name); k++) {
            tsv_text(t, name);
        }
        tsv_end(t);
    }
    return st;
}

static void put(tsv *t, const char *text, size_t length)
{
    if (t->begun) {
        output_put(&t->out, "\t", 1);
    }
    output_put(&t->out, text, length);
    t->begun = true;
}

/* ------------------------------------------------------------------ numbers */

enum { DIGITS = 17, TEXT_ROOM = 32 };

/* The C library takes half a microsecond for a number, ten seconds for a table of ten million
 * lines. For numbers from 1e-4 to below 1e15 the 17 digits of "%.17g" come from one exact product,
 * where the compiler has integers of 128 bits. */
#ifdef __SIZEOF_INT128__

__extension__ typedef unsigned __int128 wide;

static const uint64_t ten_to_17 = UINT64_C(100000000000000000);

/* round(m 2^e 10^k), halves to even, for m below 2^53 and 2 <= k <= 20, so that m 5^k stays below
 * 2^100, and -128 < e + k < 0. */
static uint64_t scaled(uint64_t m, int e, int k)
{
    wide product = m;
    const int shift = -(e + k);

    for (int i = 0; i < k; i++) {
        product *= 5;
    }
    const wide whole = product >> shift, rest = product - (whole << shift),
               half = (wide)1 << (shift - 1);
    return (uint64_t)whole + (rest > half || (rest == half && (whole & 1) != 0));
}

/* Lay 17 digits out with the point after the first 1 + exponent of them, without the zeros at the
 * end. */
static size_t lay_out(uint64_t digits, int exponent, char *text)
{
    char *to = text;
    char all[DIGITS];
    int n = DIGITS;

    for (int i = DIGITS - 1; i >= 0; i--) {
        all[i] = (char)('0' + digits % 10);
        digits /= 10;
    }
    while (n > 1 && n > exponent + 1 && all[n - 1] == '0') {
        n--;
    }
    if (exponent < 0) {
        *to++ = '0';
        *to++ = '.';
        for (int i = -1; i > exponent; i--) {
            *to++ = '0';
        }
    }
    for (int i = 0; i < n; i++) {
        if (i > 0 && i == exponent + 1) {
            *to++ = '.';
        }
        *to++ = all[i];
    }
    return (size_t)(to - text);
}

static size_t format_17(double value, char text[TEXT_ROOM])
{
    const double size = fabs(value);
    const size_t sign = value < 0;
    int e, exponent = 0;

    if (!(size >= 1e-4 && size < 1e15)) { /* no setlocale() anywhere: the point is a point */
        return (size_t)snprintf(text, TEXT_ROOM, "%.17g", value);
    }
    const uint64_t m = (uint64_t)ldexp(frexp(size, &e), 53);
    for (double ten = 10; size >= ten; ten *= 10) { /* these powers of ten are exact */
        exponent++;
    }
    for (double ten = 1; size < ten; ten /= 10) { /* and these are the numbers next above */
        exponent--;
    }
    uint64_t digits = scaled(m, e - 53, DIGITS - 1 - exponent);
    if (digits >= ten_to_17) { /* rounded up to the next power of ten */
        digits /= 10;
        exponent++;
    }
    text[0] = '-';
    return sign + lay_out(digits, exponent, text + sign);
}

#else

static size_t format_17(double value, char text[TEXT_ROOM])
{
    return (size_t)snprintf(text, TEXT_ROOM, "%.*g", DIGITS, value);
}

#endif

void tsv_real(tsv *t, double value)
{
    char text[TEXT_ROOM];

    put(t, text, format_17(value, text));
}

void tsv_int(tsv *t, int64_t value)
{
    char text[TEXT_ROOM];

    size_t at = sizeof text;

    for (uint64_t left = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
         left > 0 || at == sizeof text; left /= 10) {
        text[--at] = (char)('0' + left % 10);
    }
    if (value < 0) {
        text[--at] = '-';
    }
    put(t, text + at, sizeof text - at);
}

/* ------------------------------------------------------------------ lines */

void tsv_text(tsv *t, const char *text)
{
    if (!strpbrk(text, "\t\r\n\"")) {
        put(t, text, strlen(text));
        return;
    }
    put(t, "\"", 1);
    for (size_t n; *text; text += n) { /* up to a quote and with it, then that quote again */
        n = strcspn(text, "\"");
        n += text[n] == '"';
        output_put(&t->out, text, n);
        if (text[n - 1] == '"') {
            output_put(&t->out, "\"", 1);
        }
    }
    output_put(&t->out, "\"", 1);
}

void tsv_plain(tsv *t, const char *bytes, int64_t length)
{
    put(t, bytes, (size_t)length);
}

bool tsv_end(tsv *t)
{
    const bool fine = output_put(&t->out, "\n", 1);

    t->begun = false;
    t->lines++;
    return fine && (t->lines % LINES_PER_POLL != 0 || !interrupted());
}

void tsv_break_off(tsv *t)
{
    if (t->out.to_stdout && !interrupted()) {
        (void)output_flush(&t->out);
    }
    output_give_up(&t->out);
}

ney_status tsv_close(tsv *t, ney_error *err)
{
    if (interrupted()) {
        output_give_up(&t->out);
        *err = (ney_error){.code = NEY_ECANCELLED};
        return NEY_ECANCELLED;
    }
    return output_commit(&t->out, err);
}
