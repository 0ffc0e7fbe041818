#include "base/fields.h"

#include "base/number.h"

#include <stdio.h>
#include <string.h>

void ney_fields_init(ney_fields *f, const ney_env *env, const char *file, const char *text,
                     int64_t length, ney_error *err)
{
    *f = (ney_fields){
        .env = env, .file = file, .at = text, .end = text + length, .line = 1, .err = err};
}

void ney_fields_fail(ney_fields *f, const char *format, ...)
{
    va_list args;
    if (f->status == NEY_OK) {
        va_start(args, format);
        f->status = ney_vfail_at(f->err, NEY_EFORMAT, (ney_place){.file = f->file, .line = f->line},
                                 format, args);
        va_end(args);
    }
}

static int64_t line_length(const ney_fields *f)
{
    const char *newline = memchr(f->at, '\n', (size_t)(f->end - f->at));
    return newline ? newline - f->at : f->end - f->at;
}

bool ney_fields_is(const ney_fields *f, const char *key)
{
    const size_t length = strlen(key);
    return f->status == NEY_OK && (size_t)(f->end - f->at) >= length &&
           memcmp(f->at, key, length) == 0 &&
           (f->at + length == f->end || f->at[length] == ' ' || f->at[length] == '\n');
}

void ney_fields_key(ney_fields *f, const char *key)
{
    if (f->status != NEY_OK) {
        return;
    }
    if (!ney_fields_is(f, key)) {
        const int64_t length = line_length(f);
        if (f->at == f->end) {
            ney_fields_fail(f, "the file ends here, expected a line '%s'", key);
        } else {
            ney_fields_fail(f, "found '%.*s', expected a line '%s'",
                            (int)(length < 40 ? length : 40), f->at, key);
        }
        return;
    }
    f->at += strlen(key);
}

void ney_fields_version(ney_fields *f, const char *magic, const char *what, int newest)
{
    if (!ney_fields_is(f, magic)) {
        ney_fields_fail(f, "not %s: expected a first line '%s' and a version", what, magic);
        return;
    }
    ney_fields_key(f, magic);
    const int64_t version = ney_fields_int(f, 1, INT64_MAX);
    if (version > newest) {
        ney_fields_fail(
            f, "file of version %lld, this library reads up to %d; a newer neyman is needed",
            (long long)version, newest);
    }
    ney_fields_end(f);
}

void ney_fields_finish(ney_fields *f, const char *what)
{
    if (f->at != f->end) {
        ney_fields_fail(f, "found a line after the end of %s, expected no more lines", what);
    }
}

bool ney_fields_at_end(const ney_fields *f)
{
    return f->status != NEY_OK || f->at == f->end || *f->at == '\n';
}

void ney_fields_end(ney_fields *f)
{
    if (f->status != NEY_OK) {
        return;
    }
    if (f->at == f->end || *f->at != '\n') {
        const int64_t length = line_length(f);
        ney_fields_fail(f, "found '%.*s', expected the end of the line",
                        (int)(length < 40 ? length : 40), f->at);
        return;
    }
    f->at++;
    f->line++;
}

/* The bytes of the next word: one space, then anything up to a space or the line's end. */
static int64_t next_word(ney_fields *f, const char *expected, const char **word)
{
    if (f->status != NEY_OK) {
        return 0;
    }
    if (f->at == f->end || *f->at != ' ') {
        ney_fields_fail(f, "the line ends here, expected %s", expected);
        return 0;
    }
    const char *begin = ++f->at;
    while (f->at < f->end && *f->at != ' ' && *f->at != '\n') {
        f->at++;
    }
    *word = begin;
    if (f->at == begin) {
        ney_fields_fail(f, "found two spaces, expected one and then %s", expected);
    }
    return f->at - begin;
}

int64_t ney_fields_int(ney_fields *f, int64_t low, int64_t high)
{
    const char *word = NULL;
    const int64_t length = next_word(f, "a whole number", &word);
    int64_t value = 0;
    if (f->status == NEY_OK &&
        (!ney_integer_parse(word, (size_t)length, &value) || value < low || value > high)) {
        ney_fields_fail(f, "found '%.*s', expected a whole number from %lld to %lld",
                        (int)(length < 40 ? length : 40), word, (long long)low, (long long)high);
    }
    return f->status == NEY_OK ? value : 0;
}

int64_t ney_fields_int_line(ney_fields *f, const char *key, int64_t low, int64_t high)
{
    ney_fields_key(f, key);
    const int64_t value = ney_fields_int(f, low, high);
    ney_fields_end(f);
    return value;
}

double ney_fields_number(ney_fields *f)
{
    const char *word = NULL;
    const int64_t length = next_word(f, "a number", &word);
    double value = 0;
    if (f->status == NEY_OK && !ney_number_parse(word, (size_t)length, &value)) {
        ney_fields_fail(f, "found '%.*s', expected a number", (int)(length < 40 ? length : 40),
                        word);
    }
    return f->status == NEY_OK ? value : 0;
}

uint64_t ney_fields_hex(ney_fields *f)
{
    static const char digits[] = "0123456789abcdef";
    const char *word = NULL;
    const int64_t length = next_word(f, "16 hexadecimal digits", &word);
    uint64_t value = 0;
    bool is_hex = length == 16;
    for (int64_t i = 0; f->status == NEY_OK && is_hex && i < length; i++) {
        const char *const digit = memchr(digits, word[i], 16);
        is_hex = digit != NULL;
        value = 16 * value + (is_hex ? (uint64_t)(digit - digits) : 0);
    }
    if (f->status == NEY_OK && !is_hex) {
        ney_fields_fail(f, "found '%.*s', expected 16 hexadecimal digits",
                        (int)(length < 40 ? length : 40), word);
    }
    return f->status == NEY_OK ? value : 0;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

char *ney_fields_word(ney_fields *f)
{
    const char *word = NULL;
    const int64_t length = next_word(f, "a word", &word);
    if (f->status != NEY_OK) {
        return NULL;
    }
    char *out = ney_strdup(f->env, word, (size_t)length);
    if (!out) {
        f->status = ney_no_memory(f->err, length, "bytes of a name");
        return NULL;
    }
    if (length == 1 && word[0] == '%') { /* how an empty name is written */
        out[0] = '\0';
        return out;
    }
    char *to = out;
    for (int64_t i = 0; i < length; i++) {
        if (word[i] != '%') {
            *to++ = word[i];
            continue;
        }
        const int high = i + 2 < length ? hex_digit(word[i + 1]) : -1;
        const int low = high >= 0 ? hex_digit(word[i + 2]) : -1;
        if (low < 0 || 16 * high + low == 0) {
            ney_fields_fail(f, "'%%' is not followed by two hexadecimal digits");
            ney_release(f->env, out);
            return NULL;
        }
        *to++ = (char)(16 * high + low);
        i += 2;
    }
    *to = '\0';
    return out;
}

int ney_fields_choice(ney_fields *f, const char *const *names, int n_names)
{
    char *word = ney_fields_word(f);
    int found = -1;
    for (int i = 0; word && i < n_names; i++) {
        found = strcmp(word, names[i]) == 0 ? i : found;
    }
    if (word && found < 0) {
        ney_fields_fail(f, "found '%.40s', expected a name such as '%s'", word, names[n_names - 1]);
    }
    ney_release(f->env, word);
    return f->status == NEY_OK ? found : 0;
}
