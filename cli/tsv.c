#include "tsv.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clean.h"
#include "interrupt.h"

enum { LINES_PER_POLL = 4096 }; /* how often to check for an interrupt */

table_format table_format_of(const char *path)
{
    const char *const name = path && strrchr(path, '/') ? strrchr(path, '/') : path;

    return !name                                               ? FORMAT_TSV
           : strstr(name, ".csv")                              ? FORMAT_CSV
           : strstr(name, ".jsonl") || strstr(name, ".ndjson") ? FORMAT_JSON_LINES
                                                               : FORMAT_TSV;
}

ney_status tsv_open(tsv *t, const char *path, const char *columns, ney_error *err)
{
    char name[64];

    *t = (tsv){.format = FORMAT_TSV};
    const ney_status st = output_open(&t->out, path, err);
    if (st == NEY_OK && columns[0]) {
        for (int k = 0; word_at(columns, k, name, sizeof name); k++) {
            tsv_text(t, name);
        }
        tsv_end(t);
    }
    return st;
}

/* Text as a JSON string; bytes that are not UTF-8 become the replacement character. */
static void put_string(tsv *t, const char *text)
{
    char escape[8];

    output_put(&t->out, "\"", 1);
    while (*text) {
        const unsigned char c = (unsigned char)*text;
        const size_t n = utf8_length(text);
        if (n == 0) {
            output_put(&t->out, "\\ufffd", 6);
        } else if (c < 0x20 || c == '"' || c == '\\') {
            snprintf(escape, sizeof escape, "\\u%04x", c);
            output_put(&t->out, escape, 6);
        } else {
            output_put(&t->out, text, n);
        }
        text += n > 0 ? n : 1;
    }
    output_put(&t->out, "\"", 1);
}

/* What stands before a cell. */
static void begin_cell(tsv *t)
{
    if (t->format == FORMAT_JSON_LINES) {
        output_put(&t->out, t->cell > 0 ? ", " : "{", t->cell > 0 ? 2 : 1);
        if (t->cell < TSV_COLUMNS && t->key[t->cell]) {
            put_string(t, t->key[t->cell]);
            output_put(&t->out, ": ", 2);
        }
    } else if (t->cell > 0) {
        output_put(&t->out, t->format == FORMAT_CSV ? "," : "\t", 1);
    }
    t->cell++;
}

static void put(tsv *t, const char *text, size_t length)
{
    begin_cell(t);
    output_put(&t->out, text, length);
}

/* ------------------------------------------------------------------ numbers */

enum { DIGITS = 17, TEXT_ROOM = sizeof((number_text){0}.text) };

/* The C library takes half a microsecond for a number, ten seconds for a table of ten million
 * lines. For numbers from 1e-4 to below 1e15 the 17 digits of "%.17g" come from one exact product,
 * where the compiler has integers of 128 bits, and so does the check whether 15 or 16 digits read
 * back as the same number. */
static size_t format_slowly(double value, char text[TEXT_ROOM])
{
    int n = 0;

    for (int digits = fabs(value) < DBL_MIN ? 1 : 15; digits <= DIGITS;
         digits++) { /* no setlocale(): the point is a point */
        n = snprintf(text, TEXT_ROOM, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    return (size_t)n;
}

#ifdef __SIZEOF_INT128__

__extension__ typedef unsigned __int128 wide;

static const uint64_t ten_to_17 = UINT64_C(100000000000000000);

/* The fewest digits of 15 to 17 that read back as m 2^e, as a number of 17 digits in units of
 * 10^-k: for m below 2^53 and 2 <= k <= 20, so that m 5^k stays below 2^100, and -128 < e + k < 0.
 * A neighbour of m is 5^k away from m 5^k, so that a candidate nearer than half of that reads back.
 */
static uint64_t shortest(uint64_t m, int e, int k)
{
    uint64_t five = 1;
    const int shift = -(e + k);

    for (int i = 0; i < k; i++) {
        five *= 5;
    }
    const wide product = (wide)m * five, half = (wide)1 << (shift - 1);
    for (uint64_t unit = 100; unit > 1; unit /= 10) {
        const uint64_t rounded = (uint64_t)((product + half * unit) >> shift);
        const uint64_t nearest = rounded - (unit == 100 ? rounded % 100 : rounded % 10);
        const wide at = (wide)nearest << shift;
        if (2 * (at > product ? at - product : product - at) < five) {
            return nearest;
        }
    }
    const uint64_t whole = (uint64_t)(product >> shift);
    const wide rest = product - ((wide)whole << shift);
    return whole + (rest > half || (rest == half && (whole & 1) != 0));
}

/* The last n digits of a number: their divisions do not wait for those of the other half. */
static void put_digits(uint32_t digits, int n, char *to)
{
    for (int i = n - 1; i >= 0; i--) {
        to[i] = (char)('0' + digits % 10);
        digits /= 10;
    }
}

/* Lay 17 digits out with the point after the first 1 + exponent of them, without the zeros at the
 * end. */
static size_t lay_out(uint64_t digits, int exponent, char *text)
{
    char *to = text;
    char all[DIGITS];
    int n = DIGITS;

    all[0] = (char)('0' + digits / (ten_to_17 / 10));
    put_digits((uint32_t)(digits / 100000000 % 100000000), 8, all + 1);
    put_digits((uint32_t)(digits % 100000000), 8, all + 9);
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

static size_t format_exact(double value, char text[TEXT_ROOM])
{
    const double size = fabs(value);
    const size_t sign = value < 0;
    int exponent = 0;
    uint64_t bits;

    if (!(size >= 1e-4 && size < 1e15)) { /* no setlocale() anywhere: the point is a point */
        return format_slowly(value, text);
    }
    memcpy(&bits, &size, sizeof bits); /* a normal number: m 2^e */
    const uint64_t m = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
    const int e = (int)(bits >> 52) - 1075;
    for (double ten = 10; size >= ten; ten *= 10) { /* these powers of ten are exact */
        exponent++;
    }
    for (double ten = 1; size < ten; ten /= 10) { /* and these are the numbers next above */
        exponent--;
    }
    uint64_t digits = shortest(m, e, DIGITS - 1 - exponent);
    if (digits >= ten_to_17) { /* rounded up to the next power of ten */
        digits /= 10;
        exponent++;
    }
    text[0] = '-';
    return sign + lay_out(digits, exponent, text + sign);
}

#else

static size_t format_exact(double value, char text[TEXT_ROOM])
{
    return format_slowly(value, text);
}

#endif

void tsv_real(tsv *t, double value)
{
    char text[TEXT_ROOM];

    if (t->format == FORMAT_JSON_LINES && !isfinite(value)) {
        put(t, "null", 4);
    } else if (t->digits > 0) {
        put(t, text, (size_t)snprintf(text, sizeof text, "%.*g", t->digits, value));
    } else if (t->cell < TSV_COLUMNS) {
        number_text *const n = &t->last[t->cell];
        if (n->length == 0 || memcmp(&n->value, &value, sizeof value) != 0) {
            n->value = value;
            n->length = format_exact(value, n->text);
        }
        put(t, n->text, n->length);
    } else {
        put(t, text, format_exact(value, text));
    }
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

void tsv_header(tsv *t, const char *const *names, int n)
{
    for (int k = 0; k < n && k < TSV_COLUMNS; k++) {
        t->key[k] = names[k];
        if (t->format != FORMAT_JSON_LINES) {
            tsv_text(t, names[k]);
        }
    }
    if (t->format != FORMAT_JSON_LINES) {
        (void)tsv_end(t); /* what fails is reported at the end */
    }
}

void tsv_text(tsv *t, const char *text)
{
    if (t->format == FORMAT_JSON_LINES) {
        begin_cell(t);
        put_string(t, text);
        return;
    }
    if (!strpbrk(text, t->format == FORMAT_CSV ? ",\r\n\"" : "\t\r\n\"")) {
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
    const bool json = t->format == FORMAT_JSON_LINES;
    const bool fine = output_put(&t->out, json ? "}\n" : "\n", json ? 2 : 1);

    t->cell = 0;
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
