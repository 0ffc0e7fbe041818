/* The page with its data: the built page (report_page.h) has a mark where they go. */
#include "report_page.h"

#include <string.h>

#include "clean.h"
#include "report.h"

static const char mark[] = "<!--neyman:data-->";

/* A writer that counts. */
typedef struct counted {
    output to;
    int64_t n;
} counted;

static void put(counted *c, const void *bytes, size_t n)
{
    c->n += (int64_t)n;
    output_put(&c->to, bytes, n);
}

static void put_text(counted *c, const char *text)
{
    put(c, text, strlen(text));
}

/* JSON inside a page: a name from a file may hold "</script>" or "<!--". These characters occur in
 * texts only, where JSON has another way to write them. Characters that reorder what is read, and
 * bytes that are not UTF-8, become visible: the page shows \u202E. */
static void put_json(counted *c, const char *text)
{
    while (*text) {
        char escaped[1 + ESCAPE_TEXT] = "\\"; /* of the backslash of an escape */
        size_t n = 0;
        while (text[n] && !strchr("<>&\x7F", text[n]) && (text[n] & 0x80) == 0) {
            n++;
        }
        put(c, text, n);
        text += n;
        if (*text == '<' || *text == '>' || *text == '&') {
            put_text(c, *text == '<' ? "\\u003c" : *text == '>' ? "\\u003e" : "\\u0026");
            text++;
        } else if (*text && harmful_length(text) > 0) {
            text += escape_one(text, escaped + 1);
            put_text(c, escaped);
        } else if (*text) {
            n = utf8_length(text);
            put(c, text, n);
            text += n;
        }
    }
}

static void put_base64(counted *c, const uint8_t *bytes, size_t n)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[4096];
    size_t used = 0;

    for (size_t i = 0; i < n; i += 3) {
        const size_t left = n - i;
        const uint32_t v = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                           (left > 2 ? bytes[i + 2] : 0);
        text[used++] = digit[v >> 18];
        text[used++] = digit[v >> 12 & 63];
        text[used++] = left > 1 ? digit[v >> 6 & 63] : '=';
        text[used++] = left > 2 ? digit[v & 63] : '=';
        if (used == sizeof text) {
            put(c, text, used);
            used = 0;
        }
    }
    put(c, text, used);
}

static size_t find_mark(void)
{
    const size_t length = sizeof mark - 1;
    size_t at = 0;

    while (at + length <= report_page_bytes && memcmp(report_page + at, mark, length) != 0) {
        at++;
    }
    return at;
}

ney_status report_write(const char *path, ney_result *root, const packed_curve *scores,
                        int64_t *n_bytes, ney_error *err)
{
    const size_t at = find_mark(), after = at + sizeof mark - 1;
    counted c = {.n = 0};
    char *json = NULL;
    size_t n_json = 0;
    ney_status st = ney_result_status(root, err);

    if (st == NEY_OK) {
        st = ney_result_format(root, &json, &n_json, err);
    }
    ney_result_free(root);
    if (st == NEY_OK && (st = output_open(&c.to, path, err)) == NEY_OK) {
        put(&c, report_page, at);
        put_text(&c, "<script type=\"application/json\" id=\"neyman-data\">");
        put_json(&c, json);
        put_text(&c, "</script>\n<script type=\"text/plain\" id=\"neyman-scores\">");
        if (scores) {
            put_base64(&c, scores->bytes, scores->n_bytes);
        }
        put_text(&c, "</script>");
        put(&c, report_page + after, report_page_bytes - after);
        st = output_commit(&c.to, err);
    }
    ney_free(NULL, json);
    *n_bytes = c.n;
    return st;
}
