#include "clean.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

size_t utf8_length(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;

    if (s[0] < 0x80) {
        return 1;
    }
    const size_t n = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4) {
        return 0;
    }
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    const bool bad = (s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F) ||
                     (s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F);
    return bad ? 0 : n;
}

/* The character of a valid sequence. */
static unsigned code_point(const char *text, size_t length)
{
    static const unsigned char mask[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    unsigned code = (unsigned char)text[0] & mask[length];

    for (size_t i = 1; i < length; i++) {
        code = code << 6 | ((unsigned char)text[i] & 0x3F);
    }
    return code;
}

static bool is_harmful(unsigned code)
{
    static const unsigned range[][2] = {
        {0x00, 0x1F},     {0x7F, 0x9F},     {0x061C, 0x061C},
        {0x200E, 0x200F}, {0x2028, 0x202E}, {0x2066, 0x2069},
    };
    for (size_t k = 0; k < sizeof range / sizeof *range; k++) {
        if (code >= range[k][0] && code <= range[k][1]) {
            return true;
        }
    }
    return false;
}

size_t harmful_length(const char *text)
{
    const size_t n = utf8_length(text);

    return n == 0 ? 1 : is_harmful(code_point(text, n)) ? n : 0;
}

size_t escape_one(const char *text, char to[ESCAPE_TEXT])
{
    const size_t n = utf8_length(text);

    if (*text == '\n' || *text == '\t' || *text == '\r') {
        snprintf(to, ESCAPE_TEXT, "\\%c", *text == '\n' ? 'n' : *text == '\t' ? 't' : 'r');
    } else if (n <= 1) {
        snprintf(to, ESCAPE_TEXT, "\\x%02X", (unsigned)(unsigned char)*text);
    } else {
        snprintf(to, ESCAPE_TEXT, "\\u%04X", code_point(text, n) & 0xFFFF);
    }
    return n ? n : 1;
}

size_t harmless_span(const char *text, const char *except)
{
    size_t n = 0;

    while (text[n] && (strchr(except, text[n]) || harmful_length(text + n) == 0)) {
        n += utf8_length(text + n);
    }
    return n;
}

void escape_text(const char *from, char *to, size_t n_to)
{
    const char *const end = to + n_to;

    while (*from) {
        char escaped[ESCAPE_TEXT];
        const bool harmful = harmful_length(from) > 0;
        const size_t n = harmful ? escape_one(from, escaped) : utf8_length(from);
        const size_t n_out = harmful ? strlen(escaped) : n;
        if ((size_t)(end - to) <= n_out) {
            break;
        }
        memcpy(to, harmful ? escaped : from, n_out);
        to += n_out;
        from += n;
    }
    *to = '\0';
}
