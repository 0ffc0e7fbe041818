#include "svg_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void svg_text_bytes(svg_text *t, const char *bytes, size_t n)
{
    if (t->length + n + 1 > t->cap && !t->failed) {
        const size_t cap = 2 * (t->cap + n + 1);
        char *more = realloc(t->bytes, cap);
        t->failed = !more;
        if (more) {
            t->bytes = more;
            t->cap = cap;
        }
    }
    if (!t->failed) {
        memcpy(t->bytes + t->length, bytes, n);
        t->length += n;
        t->bytes[t->length] = '\0';
    }
}

/* The text with what XML gives a meaning written as entities; control characters are left out. */
static void append_escaped(svg_text *t, const char *text)
{
    for (; *text; text++) {
        const char *const entity = *text == '<'   ? "&lt;"
                                   : *text == '>' ? "&gt;"
                                   : *text == '&' ? "&amp;"
                                                  : NULL;
        if (entity) {
            svg_text_bytes(t, entity, strlen(entity));
        } else if ((unsigned char)*text >= ' ') {
            svg_text_bytes(t, text, 1);
        }
    }
}

void svg_text_add(svg_text *t, const char *text, svg_place at)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    char begin[256];

    /* Coordinates are rounded and printed as whole hundredths: no locale changes them. */
    const long x = (long)(100 * at.x + (at.x < 0 ? -0.5 : 0.5)), y = (long)(100 * at.y + 0.5);
    const int n = snprintf(
        begin, sizeof begin,
        "<text transform=\"translate(%ld.%02ld %ld.%02ld)%s\" font-family=\"sans-serif\" "
        "font-size=\"%d.%02d\" text-anchor=\"%s\" fill=\"#262626\">",
        x / 100, labs(x % 100), y / 100, labs(y % 100), at.upwards ? " rotate(-90)" : "",
        (int)at.size, (int)(100 * at.size + 0.5) % 100, anchors[(int)(2 * at.along + 0.5)]);
    svg_text_bytes(t, begin, (size_t)n);
    append_escaped(t, text);
    svg_text_bytes(t, "</text>\n", 8);
}

void svg_text_deinit(svg_text *t)
{
    free(t->bytes);
    *t = (svg_text){0};
}
