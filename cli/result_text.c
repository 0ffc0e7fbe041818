/* A result as text. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clean.h"
#include "labels.h"
#include "result.h"

enum { CELL = 640 }; /* a sentence fits */

/* The fewest digits (15, 16 or 17) that read back as the same bits; whole numbers without exponent.
 */
static void real_text(double value, char text[CELL])
{
    char digits[32];

    snprintf(digits, sizeof digits, "%.15g", value);
    snprintf(text, CELL, "%s", digits);
    if (strpbrk(digits, ".e") || strtod(digits, NULL) != value) {
        snprintf(text, CELL, "%.6g", value);
    }
}

/* A run that ended as planned has not converged where its method has no test of convergence. */
static const char *truth_text(const ney_result *item, bool truth)
{
    const ney_result *const after = ney_result_next(item);
    const char *const stop =
        after && strcmp(ney_result_key(after), "stop") == 0 ? ney_result_get_text(after, "") : NULL;

    if (truth || !stop) {
        return truth ? "yes" : "no";
    }
    return strcmp(stop, "epochs") == 0   ? "no (all rounds are done)"
           : strcmp(stop, "checks") == 0 ? "no (checks no longer improve)"
                                         : "no";
}

/* What a value looks like to a person. */
static void cell_text(const ney_result *item, char text[CELL])
{
    double real = 0, high = 0;
    int64_t whole;
    bool truth;

    if (ney_result_get_text(item, "")) { /* names come from files */
        escape_text(ney_result_get_text(item, ""), text, CELL);
    } else if (ney_result_get_bool(item, "", &truth)) {
        snprintf(text, CELL, "%s", truth_text(item, truth));
    } else if (ney_result_get_int(item, "", &whole)) {
        snprintf(text, CELL, "%" PRId64, whole);
    } else if (ney_result_get_real(item, "", &real)) {
        real_text(real, text);
    } else if (ney_result_kind_of(item) == NEY_RESULT_ARRAY && ney_result_count(item) == 2) {
        (void)ney_result_get_real(item, "0", &real); /* an interval in a table */
        (void)ney_result_get_real(item, "1", &high);
        snprintf(text, CELL, "[%.4g, %.4g]", real, high);
    } else {
        snprintf(text, CELL, "-");
    }
}

/* evaluate calls the bound that a model was trained for fpr_bound, and a verdict follows it; in the
 * certificate of a model this key is the upper confidence bound of the calibration rows. */
static bool is_upper_bound(const ney_result *item)
{
    const char *const key = ney_result_key(item);
    const ney_result *const next = ney_result_next(item);

    return (strcmp(key, "fpr_bound") == 0 || strcmp(key, "fnr_bound") == 0) &&
           !(next && strstr(ney_result_key(next), "_verdict"));
}

static void key_text(const ney_result *item, label_use use, char text[CELL])
{
    const char *const key = ney_result_key(item);

    if (is_upper_bound(item)) {
        const int n = snprintf(text, CELL, "%s: ", key[1] == 'p' ? "FPR" : "FNR");
        label_of("bound", use, text + n, (size_t)(CELL - n));
        return;
    }
    label_of(key, use, text, CELL);
}

/* Whether `item` is the interval of the rate before it. */
static bool is_interval(const ney_result *rate, const ney_result *item)
{
    const char *of = ney_result_key(rate), *key = ney_result_key(item);
    const size_t n = strlen(of);

    return strncmp(key, of, n) == 0 &&
           (strcmp(key + n, "_interval") == 0 || strcmp(key + n, "_range") == 0);
}

static int width_of(const char *text)
{
    int width = 0;

    for (; *text; text++) { /* bytes that continue a UTF-8 character take no place */
        width += ((unsigned char)*text & 0xC0) != 0x80;
    }
    return width;
}

enum { MOST_COLUMNS = 16 }; /* what is beyond shares the width of the last */

/* Print one line of a table, or only let it claim its width. */
static void table_line(const ney_result *row, bool heading, bool print, int width[MOST_COLUMNS])
{
    int k = 0;
    char text[CELL];
    const ney_result *item;

    for (item = ney_result_first(row); item; item = ney_result_next(item)) {
        if (heading) {
            key_text(item, LABEL_HEAD, text);
        } else {
            cell_text(item, text);
        }
        const int here = width_of(text);
        width[k] = here > width[k] ? here : width[k];
        if (print) {
            printf("  %s%*s", text, ney_result_next(item) ? width[k] - here : 0, "");
        }
        k += k < MOST_COLUMNS - 1;
    }
    if (print) {
        putchar('\n');
    }
}

static void print_table(const ney_result *rows)
{
    int width[MOST_COLUMNS] = {0};
    const ney_result *row;

    table_line(ney_result_first(rows), true, false, width);
    for (row = ney_result_first(rows); row; row = ney_result_next(row)) {
        table_line(row, false, false, width);
    }
    table_line(ney_result_first(rows), true, true, width);
    for (row = ney_result_first(rows); row; row = ney_result_next(row)) {
        table_line(row, false, true, width);
    }
}

static bool is_kind(const ney_result *item, ney_result_kind kind)
{
    return ney_result_kind_of(item) == kind;
}

static void print_figure(const ney_result *item, const ney_result *interval, int indent, int width)
{
    char key[CELL], text[CELL], high[CELL];

    key_text(item, LABEL_LINE, key);
    cell_text(item, text);
    printf("%*s%-*s  %s", indent, "", width, key, text);
    if (is_kind(interval, NEY_RESULT_ARRAY)) {
        cell_text(ney_result_at(interval, 0), text);
        cell_text(ney_result_at(interval, 1), high);
        printf("  [%s, %s]", text, high);
    }
    putchar('\n');
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);

    return n >= m && strcmp(text + n - m, end) == 0;
}

/* An interval is printed beside its rate. */
static bool is_figure(const ney_result *item)
{
    const char *key = ney_result_key(item);

    return !is_kind(item, NEY_RESULT_OBJECT) && !is_kind(item, NEY_RESULT_ARRAY) &&
           !ends_with(key, "_interval") && !ends_with(key, "_range") &&
           !word_in("next verdict", key, strlen(key));
}

/* ------------------------------------------------------------------ sections */

/* Whether a figure is printed in this section; N_SECTIONS: in any. */
static bool is_shown(const ney_result *item, section in)
{
    return is_figure(item) && (in == N_SECTIONS || section_of(ney_result_key(item)) == in);
}

static int key_width(const ney_result *object, section in)
{
    char text[CELL];
    int width = 0;

    for (const ney_result *item = ney_result_first(object); item; item = ney_result_next(item)) {
        if (is_shown(item, in)) {
            key_text(item, LABEL_LINE, text);
            const int here = width_of(text);
            width = here > width ? here : width;
        }
    }
    return width;
}

/* Print a figure, and its interval if that comes next; returns the last item printed. */
static const ney_result *print_pair(const ney_result *item, int indent, int width)
{
    const ney_result *next = ney_result_next(item);
    const bool paired = is_interval(item, next);

    print_figure(item, paired ? next : NULL, indent, width);
    return paired ? next : item;
}

/* Whether a figure has an interval beside it: then the title says what the brackets mean. */
static bool has_interval(const ney_result *root, section in)
{
    for (const ney_result *item = ney_result_first(root); item; item = ney_result_next(item)) {
        const ney_result *next = ney_result_next(item);
        if (next && is_shown(item, in) && is_interval(item, next) &&
            is_kind(next, NEY_RESULT_ARRAY)) {
            return true;
        }
    }
    return false;
}

static void print_section(const ney_result *root, section in)
{
    const int width = key_width(root, in);

    if (width == 0) {
        return;
    }
    printf("\n%s%s\n", section_title(in), has_interval(root, in) ? " [95 % intervals]" : "");
    for (const ney_result *item = ney_result_first(root); item; item = ney_result_next(item)) {
        if (is_shown(item, in)) {
            item = print_pair(item, 2, width);
        }
    }
}

/* ------------------------------------------------------------------ all of it */

static void print_object(const ney_result *object, int indent);

/* An object or a table under its name; other arrays are for programs. Objects within objects go one
 * level deep: recursion ends there. */
static void print_nested(const ney_result *item, int indent)
{
    const bool is_object = is_kind(item, NEY_RESULT_OBJECT);
    char key[CELL];

    if (!is_object && !is_kind(ney_result_first(item), NEY_RESULT_OBJECT)) {
        return;
    }
    key_text(item, LABEL_TITLE, key);
    printf("%s%*s%s\n", indent == 0 ? "\n" : "", indent, "", key);
    if (is_object) {
        print_object(item, indent + 2);
    } else {
        print_table(item);
    }
}

static void print_object(const ney_result *object, int indent)
{
    const int width = key_width(object, N_SECTIONS);

    for (const ney_result *item = ney_result_first(object); item; item = ney_result_next(item)) {
        if (is_figure(item)) {
            item = print_pair(item, indent, width);
        }
    }
    for (const ney_result *item = ney_result_first(object); item; item = ney_result_next(item)) {
        print_nested(item, indent);
    }
}

static void print_sections(const ney_result *root, bool internals)
{
    for (section k = SECTION_GOAL; k < N_SECTIONS; k++) {
        if (internals || !section_is_internal(k)) {
            print_section(root, k);
        }
    }
    for (const ney_result *item = ney_result_first(root); item; item = ney_result_next(item)) {
        const char *const key = ney_result_key(item);
        const bool is_hidden = strcmp(key, "steps") == 0 || /* -v prints them during the run */
                               (!internals && strcmp(key, "breakpoints") == 0);
        if (!is_hidden) {
            print_nested(item, 0);
        }
    }
}

static void print_line(const char *before, const char *sentence)
{
    char text[4096];

    escape_text(sentence, text, sizeof text);
    printf("%s%s\n", before, text);
}

static void print_sentences(const ney_result *list, const char *before)
{
    const ney_result *item;

    for (item = ney_result_first(list); item; item = ney_result_next(item)) {
        print_line(before, ney_result_get_text(item, ""));
    }
}

void result_print_text(const ney_result *root, bool internals)
{
    const ney_result *headline = ney_result_find(root, headline_key);
    const char *next = ney_result_get_text(root, next_key);

    print_sentences(headline, "");
    print_sentences(ney_result_find(root, warnings_key), "warning: ");
    if (next) {
        print_line("Next: ", next);
    }
    if (headline) {
        print_sections(root, internals);
    } else {
        print_object(root, 0);
    }
}
