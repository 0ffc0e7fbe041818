#include "model/c_text.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>

enum { LONGEST_NAME = 60, A_LINE = 8 /* numbers */ };

bool ney_c_name_ok(const char *name)
{
    static const char all[] = "0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const size_t n = strlen(name);
    return n > 0 && n <= LONGEST_NAME && strspn(name, all) == n && !strchr("0123456789_", *name);
}

void ney_c_put(const ney_c_text *c, const char *lines)
{
    for (const char *at; (at = strchr(lines, '@')); lines = at + 1) {
        ney_text_add(c->text, lines, at - lines);
        ney_text_put(c->text, c->name);
    }
    ney_text_put(c->text, lines);
}

void ney_c_int(const ney_c_text *c, int64_t value)
{
    ney_text_int(c->text, value);
}

/* A constant without point or exponent would be an integer, perhaps one that is too large. */
static void put_digits(const ney_c_text *c, const char *digits)
{
    ney_text_put(c->text, digits);
    if (!strpbrk(digits, ".e")) {
        ney_text_put(c->text, ".0");
    }
}

void ney_c_double(const ney_c_text *c, double value)
{
    char digits[NEY_NUMBER_SIZE];
    if (isinf(value)) {
        ney_text_put(c->text, value > 0 ? "HUGE_VAL" : "-HUGE_VAL");
        return;
    }
    ney_number_format(value, digits);
    put_digits(c, digits);
}

/* Bytes beyond ASCII could be invisible marks; '?' begins trigraphs; a star or slash may end or
 * begin a comment. Three octal digits cannot run into what follows. */
void ney_c_string(const ney_c_text *c, const char *words)
{
    ney_text_put(c->text, "\"");
    for (; *words; words++) {
        const unsigned char byte = (unsigned char)*words;
        if (byte < ' ' || byte >= 0x7f || strchr("\"\\?*", byte)) {
            char code[8];
            ney_text_add(c->text, code, snprintf(code, sizeof code, "\\%03o", byte));
        } else {
            ney_text_add(c->text, words, 1);
        }
    }
    ney_text_put(c->text, "\"");
}

/* ---------------------------------------------------------------- arrays */

static void open_array(const ney_c_text *c, const char *type, const char *array, int64_t n)
{
    ney_c_put(c, "static const ");
    ney_c_put(c, type);
    ney_c_put(c, "@_");
    ney_c_put(c, array);
    ney_c_put(c, "[");
    ney_c_int(c, n > 0 ? n : 1);
    ney_c_put(c, n > 0 ? "] = {" : "] = {0");
}

/* The separator before entry k. */
static void separate(const ney_c_text *c, int64_t k)
{
    ney_text_put(c->text, k % A_LINE ? ", " : k ? ",\n    " : "\n    ");
}

static void put_double(const ney_c_text *c, const void *value, int64_t k)
{
    ney_c_double(c, ((const double *)value)[k]);
}

static void put_float(const ney_c_text *c, const void *value, int64_t k)
{
    char digits[NEY_NUMBER_SIZE];
    ney_number_format_float(((const float *)value)[k], digits);
    put_digits(c, digits);
    ney_text_put(c->text, "f");
}

static void put_long(const ney_c_text *c, const void *value, int64_t k)
{
    ney_c_int(c, ((const int64_t *)value)[k]);
}

static void put_index(const ney_c_text *c, const void *value, int64_t k)
{
    ney_c_int(c, ((const int32_t *)value)[k]);
}

static void put_entries(const ney_c_text *c, const void *value, int64_t n,
                        void (*put)(const ney_c_text *c, const void *value, int64_t k))
{
    for (int64_t k = 0; k < n; k++) {
        separate(c, k);
        put(c, value, k);
    }
    ney_c_put(c, "};\n\n");
}

void ney_c_doubles(const ney_c_text *c, const char *array, const double *value, int64_t n)
{
    open_array(c, "double ", array, n);
    put_entries(c, value, n, put_double);
}

void ney_c_floats(const ney_c_text *c, const char *array, const float *value, int64_t n)
{
    open_array(c, "float ", array, n);
    put_entries(c, value, n, put_float);
}

void ney_c_longs(const ney_c_text *c, const char *array, const int64_t *value, int64_t n)
{
    open_array(c, "long ", array, n);
    put_entries(c, value, n, put_long);
}

void ney_c_indices(const ney_c_text *c, const char *array, const int32_t *value, int64_t n)
{
    open_array(c, "long ", array, n);
    put_entries(c, value, n, put_index);
}

void ney_c_strings(const ney_c_text *c, const char *array, const char *const *value, int64_t n)
{
    open_array(c, "char *const ", array, n);
    for (int64_t k = 0; k < n; k++) {
        ney_text_put(c->text, k ? ",\n    " : "\n    ");
        if (value[k]) {
            ney_c_string(c, value[k]);
        } else {
            ney_text_put(c->text, "0");
        }
    }
    ney_c_put(c, "};\n\n");
}
