#include "data/npy.h"

#include "base/little.h"
#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_HEADER = 1 << 20 };

/* The header while it is parsed. */
typedef struct header {
    const char *file, *array;
    const char *text, *at, *end;
    int64_t offset; /* of the text in the array */
    bool has_type, has_order, has_shape;
    ney_error *err;
} header;

NEY_PRINTF(3, 4)
static ney_status fail(const header *h, int64_t byte, const char *format, ...)
{
    char what[256];
    va_list args;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    return ney_fail_at(h->err, NEY_EFORMAT, (ney_place){.file = h->file}, "%s%.60s%sbyte %lld: %s",
                       h->array ? "array '" : "", h->array ? h->array : "", h->array ? "', " : "",
                       (long long)byte, what);
}

static ney_status fail_here(const header *h, const char *what)
{
    return fail(h, h->offset + (h->at - h->text), "%s", what);
}

/* ---- the header: a Python dictionary of three entries */

static void skip_spaces(header *h)
{
    while (h->at < h->end && strchr(" \t\n\r", *h->at)) {
        h->at++;
    }
}

static bool take(header *h, char c)
{
    skip_spaces(h);
    if (h->at < h->end && *h->at == c) {
        h->at++;
        return true;
    }
    return false;
}

/* A text between quotes, without escapes. */
static bool take_text(header *h, const char **text, int *length)
{
    skip_spaces(h);
    if (h->at >= h->end || (*h->at != '\'' && *h->at != '"')) {
        return false;
    }
    const char quote = *h->at++;
    const char *const close = memchr(h->at, quote, (size_t)(h->end - h->at));
    if (!close || close - h->at > 200) {
        return false;
    }
    *text = h->at;
    *length = (int)(close - h->at);
    h->at = close + 1;
    return true;
}

static bool is_text(const char *text, int length, const char *word)
{
    return (size_t)length == strlen(word) && memcmp(text, word, (size_t)length) == 0;
}

static ney_status set_type(header *h, ney_npy *a, const char *text, int length)
{
    static const char kinds[] = "fiubUS";
    const char *const kind = length >= 3 && text[1] ? strchr(kinds, text[1]) : NULL;
    int64_t size = 0;
    if (length >= 2 && text[1] == 'O') {
        return fail_here(h, "the array holds Python objects, expected numbers: save it with a "
                            "numeric type (X.astype(float)), labels also as texts "
                            "(y.astype(str))");
    }
    if (length >= 2 && text[1] == 'c') {
        return fail_here(h, "the array holds complex numbers, expected real ones");
    }
    if (!kind || !strchr("<>|=", text[0]) ||
        !ney_integer_parse(text + 2, (size_t)length - 2, &size) || size < 1 || size > 1 << 20) {
        return fail(h, h->offset + (h->at - h->text), "type '%.*s', expected a number such as <f8",
                    length < 40 ? length : 40, text);
    }
    a->kind = (ney_npy_kind)(kind - kinds);
    a->item = a->kind == NEY_NPY_UNICODE ? 4 * size : size;
    const bool real = size == 2 || size == 4 || size == 8;
    if ((a->kind == NEY_NPY_FLOAT && !real) || (a->kind == NEY_NPY_BOOL && size != 1) ||
        (ney_npy_is_whole(a) && !real && size != 1)) {
        return fail(h, h->offset + (h->at - h->text),
                    "type '%.*s', expected numbers of 1, 2, 4 or 8 bytes", length, text);
    }
    a->reversed = text[0] == (NEY_IS_LITTLE_ENDIAN ? '>' : '<');
    h->has_type = true;
    return NEY_OK;
}

static ney_status take_order(header *h, ney_npy *a)
{
    skip_spaces(h);
    const int64_t left = h->end - h->at;
    if (left >= 4 && memcmp(h->at, "True", 4) == 0) {
        a->fortran = true;
        h->at += 4;
    } else if (left >= 5 && memcmp(h->at, "False", 5) == 0) {
        h->at += 5;
    } else {
        return fail_here(h, "expected True or False for 'fortran_order'");
    }
    h->has_order = true;
    return NEY_OK;
}

static ney_status take_shape(header *h, ney_npy *a)
{
    a->dims = 0;
    if (!take(h, '(')) {
        return fail_here(h, "expected ( before the shape");
    }
    while (!take(h, ')')) {
        const char *const begin = h->at;
        int64_t size = 0;
        while (h->at < h->end && *h->at >= '0' && *h->at <= '9') {
            h->at++;
        }
        if (!ney_integer_parse(begin, (size_t)(h->at - begin), &size)) {
            return fail_here(h, "expected the numbers of rows and columns as the shape");
        }
        if (a->dims == 2) {
            return fail_here(h,
                             "the array has more than two dimensions, expected rows and columns");
        }
        a->shape[a->dims++] = size;
        if (!take(h, ',') && (h->at >= h->end || *h->at != ')')) {
            return fail_here(h, "expected , or ) in the shape");
        }
    }
    h->has_shape = true;
    return NEY_OK;
}

static ney_status take_entry(header *h, ney_npy *a)
{
    const char *key, *text;
    int n_key = 0, n_text = 0;
    if (!take_text(h, &key, &n_key) || !take(h, ':')) {
        return fail_here(h, "expected a name and : in the header");
    }
    if (is_text(key, n_key, "descr")) {
        return take_text(h, &text, &n_text)
                   ? set_type(h, a, text, n_text)
                   : fail_here(h, "a type of several fields, expected one type of numbers");
    }
    if (is_text(key, n_key, "fortran_order")) {
        return take_order(h, a);
    }
    if (is_text(key, n_key, "shape")) {
        return take_shape(h, a);
    }
    return fail_here(h, "expected 'descr', 'fortran_order' and 'shape' in the header");
}

static ney_status parse_header(header *h, ney_npy *a)
{
    if (!take(h, '{')) {
        return fail_here(h, "expected { at the start of the header");
    }
    while (!take(h, '}')) {
        const ney_status st = take_entry(h, a);
        if (st != NEY_OK) {
            return st;
        }
        if (!take(h, ',') && (h->at >= h->end || *h->at != '}')) {
            return fail_here(h, "expected , or } in the header");
        }
    }
    return h->has_type && h->has_order && h->has_shape
               ? NEY_OK
               : fail_here(h, "the header lacks 'descr', 'fortran_order' or 'shape'");
}

/* Bytes of the array; false where a shape is beyond any file. */
static bool total_bytes(ney_npy *a, int64_t *bytes)
{
    a->n = 1;
    for (int k = 0; k < 2; k++) {
        a->shape[k] = k < a->dims ? a->shape[k] : 1;
        if (__builtin_mul_overflow(a->n, a->shape[k], &a->n)) {
            return false;
        }
    }
    return !__builtin_mul_overflow(a->n, a->item, bytes) && *bytes < (int64_t)1 << 60;
}

int64_t ney_npy_header_bytes(const void *bytes)
{
    const unsigned char *const b = bytes;
    const int64_t length = b[8] | b[9] << 8;
    return b[6] == 1 ? 10 + length : 12 + (length | (int64_t)b[10] << 16 | (int64_t)b[11] << 24);
}

ney_status ney_npy_parse_header(ney_npy *a, const char *file, const char *array, const void *bytes,
                                int64_t n_bytes, int64_t *header_bytes, int64_t *wanted,
                                ney_error *err)
{
    const unsigned char *const b = bytes;
    header h = {.file = file, .array = array, .err = err};
    *a = (ney_npy){.kind = NEY_NPY_FLOAT};
    if (n_bytes < 10 || memcmp(b, NEY_NPY_MAGIC, NEY_NPY_MAGIC_BYTES) != 0) {
        return fail(&h, 0, "expected an array in the format of NumPy (.npy)");
    }
    if (b[6] < 1 || b[6] > 3) {
        return fail(&h, 6, "version %d of the format, expected 1, 2 or 3", b[6]);
    }
    h.offset = b[6] == 1 ? 10 : NEY_NPY_FIRST_BYTES;
    const int64_t length =
        n_bytes < h.offset ? MOST_HEADER + 1 : ney_npy_header_bytes(bytes) - h.offset;
    if (length > MOST_HEADER || h.offset + length > n_bytes) {
        return fail(&h, 8, "a header of %lld bytes, and the array has %lld", (long long)length,
                    (long long)n_bytes);
    }
    h.text = h.at = (const char *)b + h.offset;
    h.end = h.text + length;
    *header_bytes = h.offset + length;
    const ney_status st = parse_header(&h, a);
    if (st == NEY_OK && !total_bytes(a, wanted)) {
        *wanted = INT64_MAX;
    }
    return st;
}

ney_status ney_npy_fail_length(const char *file, const char *array, int64_t header_bytes,
                               int64_t found, int64_t wanted, ney_error *err)
{
    const header h = {.file = file, .array = array, .err = err};
    return fail(&h, header_bytes,
                "found %lld bytes of values, expected %s for the shape in the header",
                (long long)found, wanted < found ? "fewer" : "more");
}

int64_t ney_npy_header_within(const void *first, int64_t size)
{
    const int64_t n = size < NEY_NPY_FIRST_BYTES ? size : NEY_NPY_FIRST_BYTES;
    const int64_t length = n == NEY_NPY_FIRST_BYTES ? ney_npy_header_bytes(first) : n;
    return length >= n && length <= size && length < 2 * MOST_HEADER ? length : n;
}

ney_status ney_npy_check_header(ney_npy *a, const char *file, const char *array, const void *bytes,
                                int64_t n_bytes, int64_t size, ney_error *err)
{
    int64_t header_bytes = 0, wanted = 0;
    const ney_status st =
        ney_npy_parse_header(a, file, array, bytes, n_bytes, &header_bytes, &wanted, err);
    return st == NEY_OK && (header_bytes != n_bytes || wanted != size - n_bytes)
               ? ney_npy_fail_length(file, array, header_bytes, size - header_bytes, wanted, err)
               : st;
}

ney_status ney_npy_parse(ney_npy *a, const char *file, const char *array, const void *bytes,
                         int64_t n_bytes, ney_error *err)
{
    int64_t header_bytes = 0, wanted = 0;
    const ney_status st =
        ney_npy_parse_header(a, file, array, bytes, n_bytes, &header_bytes, &wanted, err);
    if (st != NEY_OK) {
        return st;
    }
    if (wanted != n_bytes - header_bytes) {
        return ney_npy_fail_length(file, array, header_bytes, n_bytes - header_bytes, wanted, err);
    }
    a->values = (const unsigned char *)bytes + header_bytes;
    return NEY_OK;
}

/* ---- values */

static void copy_value(const ney_npy *a, int64_t k, void *to)
{
    memcpy(to, a->values + k * a->item, (size_t)a->item);
    if (a->reversed) {
        ney_reverse_bytes(to, 1, (int)a->item);
    }
}

/* IEEE 754 half precision. */
static double half_number(uint16_t h)
{
    const int exponent = h >> 10 & 31, fraction = h & 1023;
    const double sign = h >> 15 ? -1 : 1;
    if (exponent == 31) {
        return fraction ? (double)NAN : sign * (double)INFINITY;
    }
    return sign * (exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24));
}

static double float_number(const ney_npy *a, int64_t k)
{
    uint16_t half;
    float single;
    double full;
    switch (a->item) {
    case 2:
        copy_value(a, k, &half);
        return half_number(half);
    case 4:
        copy_value(a, k, &single);
        return (double)single;
    default:
        copy_value(a, k, &full);
        return full;
    }
}

/* The bits of a whole number, its sign extended. */
static uint64_t whole_bits(const ney_npy *a, int64_t k)
{
    unsigned char raw[8];
    uint64_t bits = 0;
    copy_value(a, k, raw);
    for (int64_t i = 0; i < a->item; i++) {
        const int64_t at = NEY_IS_LITTLE_ENDIAN ? a->item - 1 - i : i;
        bits = bits << 8 | raw[at];
    }
    const bool negative = a->kind == NEY_NPY_INT && bits >> (8 * a->item - 1) & 1;
    return negative && a->item < 8 ? bits | ~(uint64_t)0 << (8 * a->item) : bits;
}

double ney_npy_number(const ney_npy *a, int64_t k)
{
    if (a->kind == NEY_NPY_FLOAT) {
        return float_number(a, k);
    }
    if (!ney_npy_is_whole(a)) {
        return (double)NAN;
    }
    const uint64_t bits = whole_bits(a, k);
    return a->kind == NEY_NPY_INT ? (double)(int64_t)bits : (double)bits;
}

int64_t ney_npy_integer(const ney_npy *a, int64_t k)
{
    if (!ney_npy_is_whole(a)) {
        return INT64_MIN;
    }
    const uint64_t bits = whole_bits(a, k);
    return a->kind == NEY_NPY_INT || bits <= INT64_MAX ? (int64_t)bits : INT64_MIN;
}

/* ---- texts */

static int put_utf8(uint32_t c, char *out)
{
    if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) {
        c = 0xFFFD; /* no character: the one that stands for such */
    }
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 63));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 63));
        out[2] = (char)(0x80 | (c & 63));
        return 3;
    }
    out[0] = (char)(0xF0 | (c >> 18 & 7));
    out[1] = (char)(0x80 | (c >> 12 & 63));
    out[2] = (char)(0x80 | (c >> 6 & 63));
    out[3] = (char)(0x80 | (c & 63));
    return 4;
}

static int unicode_text(const ney_npy *a, int64_t k, char *out)
{
    const ney_npy one = {.kind = NEY_NPY_UINT,
                         .item = 4,
                         .reversed = a->reversed,
                         .values = a->values + k * a->item};
    int n = 0;
    for (int64_t i = 0; i < a->item / 4 && n < NEY_NPY_TEXT - 5; i++) {
        const uint32_t c = (uint32_t)whole_bits(&one, i);
        if (c == 0) {
            break;
        }
        n += put_utf8(c, out + n);
    }
    out[n] = '\0';
    return n;
}

int ney_npy_text(const ney_npy *a, int64_t k, char out[NEY_NPY_TEXT])
{
    if (a->kind == NEY_NPY_UNICODE) {
        return unicode_text(a, k, out);
    }
    if (a->kind == NEY_NPY_BYTES) {
        const int64_t most = a->item < NEY_NPY_TEXT - 1 ? a->item : NEY_NPY_TEXT - 1;
        const char *const text = (const char *)a->values + k * a->item;
        const int n = (int)strnlen(text, (size_t)most);
        memcpy(out, text, (size_t)n);
        out[n] = '\0';
        return n;
    }
    if (a->kind == NEY_NPY_FLOAT) {
        const double x = ney_npy_number(a, k);
        return ney_number_format(isnan(x) ? (double)NAN : x, out); /* without a sign */
    }
    return a->kind == NEY_NPY_INT
               ? snprintf(out, NEY_NPY_TEXT, "%lld", (long long)ney_npy_integer(a, k))
               : snprintf(out, NEY_NPY_TEXT, "%llu", (unsigned long long)whole_bits(a, k));
}
