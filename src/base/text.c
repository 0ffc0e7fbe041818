#include "base/text.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void ney_text_init(ney_text *t, const ney_env *env)
{
    *t = (ney_text){.env = *env};
}

void ney_text_deinit(ney_text *t)
{
    ney_release(&t->env, t->bytes);
    t->bytes = NULL;
    t->length = t->cap = 0;
}

void ney_text_add(ney_text *t, const char *bytes, int64_t length)
{
    if (t->failed || !ney_grow(&t->env, &t->bytes, &t->cap, t->length + length + 1, 1)) {
        t->failed = true;
        return;
    }
    memcpy(t->bytes + t->length, bytes, (size_t)length);
    t->length += length;
    t->bytes[t->length] = '\0';
}

void ney_text_put(ney_text *t, const char *words)
{
    ney_text_add(t, words, (int64_t)strlen(words));
}

void ney_text_int(ney_text *t, int64_t value)
{
    char digits[NEY_NUMBER_SIZE];
    ney_text_add(t, digits, ney_integer_format(value, digits));
}

void ney_text_number(ney_text *t, double value)
{
    char digits[NEY_NUMBER_SIZE];
    t->has_nonfinite = t->has_nonfinite || !isfinite(value);
    ney_text_add(t, digits, ney_number_format(value, digits));
}

void ney_text_float(ney_text *t, float value)
{
    char digits[NEY_NUMBER_SIZE];
    t->has_nonfinite = t->has_nonfinite || !isfinite(value);
    ney_text_add(t, digits, ney_number_format_float(value, digits));
}

void ney_text_hex(ney_text *t, uint64_t value)
{
    char digits[NEY_HEX_DIGITS + 1];
    ney_hex_format(value, digits);
    ney_text_put(t, digits);
}

void ney_text_word(ney_text *t, const char *name)
{
    if (*name == '\0') {
        ney_text_put(t, "%");
    }
    for (; *name; name++) {
        const unsigned char c = (unsigned char)*name;
        if (c <= ' ' || c == '%' || c == 0x7f) {
            char code[4];
            snprintf(code, sizeof code, "%%%02X", c);
            ney_text_add(t, code, 3);
        } else {
            ney_text_add(t, name, 1);
        }
    }
}

void ney_text_field_int(ney_text *t, int64_t value)
{
    ney_text_put(t, " ");
    ney_text_int(t, value);
}

void ney_text_field_number(ney_text *t, double value)
{
    ney_text_put(t, " ");
    ney_text_number(t, value);
}

void ney_text_field_float(ney_text *t, float value)
{
    ney_text_put(t, " ");
    ney_text_float(t, value);
}

void ney_text_field_hex(ney_text *t, uint64_t value)
{
    ney_text_put(t, " ");
    ney_text_hex(t, value);
}

void ney_text_field_word(ney_text *t, const char *name)
{
    ney_text_put(t, " ");
    ney_text_word(t, name);
}

void ney_text_line_int(ney_text *t, const char *key, int64_t value)
{
    ney_text_put(t, key);
    ney_text_field_int(t, value);
    ney_text_put(t, "\n");
}

void ney_text_line_number(ney_text *t, const char *key, double value)
{
    ney_text_put(t, key);
    ney_text_field_number(t, value);
    ney_text_put(t, "\n");
}

void ney_text_line_word(ney_text *t, const char *key, const char *name)
{
    ney_text_put(t, key);
    ney_text_field_word(t, name);
    ney_text_put(t, "\n");
}

int ney_utf8_length(const char *text)
{
    const unsigned char *const at = (const unsigned char *)text;
    const int n = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (at[0] > 0xf4 || (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
        (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f)) {
        return 0; /* beyond Unicode, surrogates, longer than needed */
    }
    for (int i = 1; i < n; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return n;
}

bool ney_text_json(ney_text *t, const char *words)
{
    bool valid = true;

    ney_text_put(t, "\"");
    while (*words) {
        const int n = ney_utf8_length(words);
        const unsigned char c = (unsigned char)*words;
        if (n == 0) {
            ney_text_put(t, "\xEF\xBF\xBD"); /* U+FFFD */
            valid = false;
        } else if (c < 0x20 || c == '"' || c == '\\' || c == 0x7f) {
            char escape[8];
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)c);
            ney_text_put(t, escape);
        } else {
            ney_text_add(t, words, n);
        }
        words += n ? n : 1;
    }
    ney_text_put(t, "\"");
    return valid;
}

bool ney_is_listed(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; at && (at = strstr(at, word)); at += length) {
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}
