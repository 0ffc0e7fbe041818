#include "card.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clean.h"
#include "labels.h"

enum { CELL = 4200 };

static void put(output *out, const char *text)
{
    (void)output_put(out, text, strlen(text)); /* what fails is reported at the end */
}

/* Text from files and options: nothing in it is markup, it stays on its line, and nothing reorders
 * it. */
static void put_plain(output *out, const char *text)
{
    while (*text) {
        char escaped[1 + ESCAPE_TEXT] = "\\"; /* of the backslash of an escape, and of markup */
        if ((unsigned char)*text < ' ') {
            put(out, " ");
            text++;
        } else if (harmful_length(text) > 0) {
            text += escape_one(text, escaped + 1);
            put(out, escaped);
        } else {
            const size_t n = utf8_length(text);
            put(out, strchr("\\`*_{}[]<>|#~&", *text) ? "\\" : "");
            (void)output_put(out, text, n);
            text += n;
        }
    }
}

/* ------------------------------------------------------------------ values */

static bool is_kind(const ney_result *item, ney_result_kind kind)
{
    return item && ney_result_kind_of(item) == kind;
}

static bool is_interval(const ney_result *item)
{
    return is_kind(item, NEY_RESULT_ARRAY) && ney_result_count(item) == 2 &&
           is_kind(ney_result_first(item), NEY_RESULT_REAL);
}

static void value_text(const ney_result *item, char text[CELL])
{
    double real;
    int64_t whole;
    bool is_true;
    const char *const words = ney_result_get_text(item, "");

    if (words) {
        snprintf(text, CELL, "%s", words);
    } else if (ney_result_get_int(item, "", &whole) && is_kind(item, NEY_RESULT_INT)) {
        snprintf(text, CELL, "%lld", (long long)whole);
    } else if (ney_result_get_bool(item, "", &is_true)) {
        snprintf(text, CELL, "%s", is_true ? "yes" : "no");
    } else if (ney_result_get_real(item, "", &real) && !isnan(real)) {
        snprintf(text, CELL, "%.6g", real);
    } else {
        snprintf(text, CELL, "-");
    }
}

static void put_value(output *out, const ney_result *item)
{
    char text[CELL];

    if (is_interval(item)) {
        double low = NAN, high = NAN;
        (void)ney_result_get_real(item, "0", &low);
        (void)ney_result_get_real(item, "1", &high);
        snprintf(text, sizeof text, "%.4g to %.4g", low, high);
    } else {
        value_text(item, text);
    }
    put_plain(out, text);
}

static bool is_figure(const ney_result *item)
{
    return !is_kind(item, NEY_RESULT_ARRAY) && !is_kind(item, NEY_RESULT_OBJECT);
}

/* ------------------------------------------------------------------ tables */

static const ney_result *interval_of(const ney_result *of, const ney_result *item)
{
    char key[200];

    snprintf(key, sizeof key, "%s_interval", ney_result_key(item));
    const ney_result *interval = ney_result_find(of, key);
    return is_interval(interval) ? interval : NULL;
}

static void put_figure(output *out, const ney_result *of, const ney_result *item, bool intervals)
{
    char label[200];

    label_of(ney_result_key(item), LABEL_LINE, label, sizeof label);
    put(out, "| ");
    put_plain(out, label);
    put(out, " | ");
    put_value(out, item);
    put(out, intervals ? " | " : "");
    const ney_result *interval = interval_of(of, item);
    if (interval) {
        put_value(out, interval);
    }
    put(out, " |\n");
}

static void put_figures(output *out, const ney_result *of)
{
    bool intervals = false;

    for (const ney_result *item = ney_result_first(of); item; item = ney_result_next(item)) {
        intervals = intervals || interval_of(of, item);
    }
    put(out, intervals ? "| figure | value | 95 % interval |\n|---|---|---|\n"
                       : "| figure | value |\n|---|---|\n");
    for (const ney_result *item = ney_result_first(of); item; item = ney_result_next(item)) {
        if (is_figure(item)) {
            put_figure(out, of, item, intervals);
        }
    }
    put(out, "\n");
}

static void put_rows(output *out, const ney_result *list)
{
    const ney_result *first = ney_result_first(list);

    for (const ney_result *item = ney_result_first(first); item; item = ney_result_next(item)) {
        char label[200];
        label_of(ney_result_key(item), LABEL_HEAD, label, sizeof label);
        put(out, "| ");
        put_plain(out, label);
        put(out, " ");
    }
    put(out, "|\n");
    for (int64_t k = 0; k < ney_result_count(first); k++) {
        put(out, "|---");
    }
    put(out, "|\n");
    for (const ney_result *row = first; row; row = ney_result_next(row)) {
        for (const ney_result *item = ney_result_first(row); item; item = ney_result_next(item)) {
            put(out, "| ");
            put_value(out, item);
            put(out, " ");
        }
        put(out, "|\n");
    }
    put(out, "\n");
}

/* ------------------------------------------------------------------ the card */

static void put_sentences(output *out, const ney_result *list)
{
    for (const ney_result *item = ney_result_first(list); item; item = ney_result_next(item)) {
        put(out, "- ");
        put_value(out, item);
        put(out, "\n");
    }
    put(out, "\n");
}

/* A part of the card; nothing where there is none. */
static void put_part(output *out, const ney_result *root, const char *key, const char *title)
{
    const ney_result *part = ney_result_find(root, key);

    if (!part || is_kind(part, NEY_RESULT_NULL)) {
        return;
    }
    put(out, "## ");
    put(out, title);
    put(out, "\n\n");
    if (is_kind(part, NEY_RESULT_OBJECT)) {
        put_figures(out, part);
    } else if (is_kind(part, NEY_RESULT_ARRAY) &&
               is_kind(ney_result_first(part), NEY_RESULT_OBJECT)) {
        put_rows(out, part);
    } else if (is_kind(part, NEY_RESULT_ARRAY)) {
        put_sentences(out, part);
    } else {
        put_value(out, part);
        put(out, "\n\n");
    }
}

void card_write(output *out, const ney_result *root)
{
    static const char *const parts[][2] = {
        {"purpose", "Purpose"},         {"guarantee", "Guarantee"},
        {"assumptions", "Assumptions"}, {"warnings", "Warnings"},
        {"performance", "Performance"}, {"performance.by", "Performance by subgroup"},
        {"rows", "Evaluation data"},    {"model", "Model"},
        {"model.summary", "Training"},  {"model.certificate", "Certificate"},
        {"limits", "Limits"},           {"reproduce", "How to reproduce"},
        {"provenance", "Provenance"}};

    put(out, "# Model card: ");
    put_plain(out, ney_result_get_text(root, "file") ? ney_result_get_text(root, "file") : "");
    put(out, "\n\n");
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        put_part(out, root, parts[k][0], parts[k][1]);
    }
}
