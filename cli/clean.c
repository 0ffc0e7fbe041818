#include "clean.h"

#include <stdbool.h>
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

void clean_text(char *text)
{
    while (*text) {
        const unsigned char first = (unsigned char)text[0], second = (unsigned char)text[1];
        const size_t length = utf8_length(text), n = length ? length : 1;
        if (length == 0 || first < ' ' || first == 127 || (first == 0xC2 && second < 0xA0)) {
            memset(text, '?', n);
        }
        text += n;
    }
}
