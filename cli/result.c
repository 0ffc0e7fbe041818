#include "result.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clean.h"
#include "progress.h"

enum { CELL = 640 }; /* a sentence fits */

/* By the time there is a result the work is done: without memory for it there is only one way out.
 */
static void require(ney_status st, const ney_error *err)
{
    if (st != NEY_OK) {
        fprintf(stderr, "neyman: %s\n", err->message);
        exit(EXIT_FAILED);
    }
}

ney_result *result_new(void)
{
    ney_result *root;
    ney_error err;

    require(ney_result_new(&root, NULL, &err), &err);
    return root;
}

void result_print_json(const ney_result *root, FILE *file)
{
    ney_error err;
    char *text;
    size_t n_text;

    require(ney_result_format(root, &text, &n_text, &err), &err);
    for (const char *from = text; *from;) { /* valid UTF-8 */
        char escaped[ESCAPE_TEXT];
        const size_t n = harmless_span(from, "\n\t");
        fwrite(from, 1, n, file);
        from += n;
        if (*from) {
            from += escape_one(from, escaped);
            fputs(escaped, file);
        }
    }
    fputc('\n', file);
    ney_free(NULL, text);
}

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

/* What a value looks like to a person. */
static void cell_text(const ney_result *item, char text[CELL])
{
    double real = 0, high = 0;
    int64_t whole;
    bool truth;

    if (ney_result_get_text(item, "")) { /* names come from files */
        escape_text(ney_result_get_text(item, ""), text, CELL);
    } else if (ney_result_get_bool(item, "", &truth)) {
        snprintf(text, CELL, "%s", truth ? "yes" : "no");
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

static void key_text(const char *key, char text[CELL])
{
    escape_text(key, text, CELL);
    for (char *c = text; *c; c++) {
        *c = *c == '_' ? ' ' : *c;
    }
}

/* Whether `item` is the interval of the rate before it. */
static bool is_interval(const ney_result *rate, const ney_result *item)
{
    const char *of = ney_result_key(rate), *key = ney_result_key(item);
    const size_t n = strlen(of);

    return strncmp(key, of, n) == 0 && strcmp(key + n, "_interval") == 0;
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
            key_text(ney_result_key(item), text);
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

    key_text(ney_result_key(item), key);
    cell_text(item, text);
    printf("%*s%-*s  %s", indent, "", width, key, text);
    if (is_kind(interval, NEY_RESULT_ARRAY)) {
        cell_text(ney_result_at(interval, 0), text);
        cell_text(ney_result_at(interval, 1), high);
        printf("  [%s, %s]", text, high);
    }
    putchar('\n');
}

/* Objects within objects go one level deep: recursion ends there. */
static void print_object(const ney_result *object, int indent)
{
    int width = 0;
    const ney_result *item;

    for (item = ney_result_first(object); item; item = ney_result_next(item)) {
        if (!is_kind(item, NEY_RESULT_OBJECT) && !is_kind(item, NEY_RESULT_ARRAY)) {
            const int here = (int)strlen(ney_result_key(item));
            width = here > width ? here : width;
        }
    }
    for (item = ney_result_first(object); item; item = ney_result_next(item)) {
        char key[CELL];
        key_text(ney_result_key(item), key);
        if (is_kind(item, NEY_RESULT_OBJECT)) {
            printf("%*s%s:\n", indent, "", key);
            print_object(item, indent + 2);
        } else if (is_kind(item, NEY_RESULT_ARRAY) &&
                   is_kind(ney_result_first(item), NEY_RESULT_OBJECT)) {
            printf("%*s%s:\n", indent, "", key);
            print_table(item);
        } else if (!is_kind(item, NEY_RESULT_ARRAY)) {
            const bool paired = is_interval(item, ney_result_next(item));
            print_figure(item, paired ? ney_result_next(item) : NULL, indent, width);
            item = paired ? ney_result_next(item) : item;
        }
    }
}

static const char warnings_key[] = "warnings";

void result_warn(ney_result *root, const char *format, ...)
{
    ney_result *list = ney_result_member(root, warnings_key);
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ney_result_add_text(list ? list : ney_result_add_array(root, warnings_key), NULL, text);
}

static void print_warnings(const ney_result *root)
{
    const ney_result *warning;

    for (warning = ney_result_first(ney_result_find(root, warnings_key)); warning;
         warning = ney_result_next(warning)) {
        char text[4096];
        escape_text(ney_result_get_text(warning, ""), text, sizeof text);
        printf("warning: %s\n", text);
    }
}

void result_print(const session *s, ney_result *root)
{
    progress_clear();
    if (s->common->json) {
        result_print_json(root, stdout);
    } else {
        print_warnings(root);
        print_object(root, 0);
    }
    ney_result_free(root);
}

void result_name(ney_result *in, const char *key, const char *name)
{
    ney_result_add_text(in, key, name && name[0] ? name : NULL);
}

void result_rate(ney_result *in, const char *key, int64_t hits, int64_t n)
{
    char interval_key[64];
    double low, high;

    snprintf(interval_key, sizeof interval_key, "%s_interval", key);
    if (n == 0) {
        ney_result_add_text(in, key, NULL);
        ney_result_add_text(in, interval_key, NULL);
        return;
    }
    ney_result_add_real(in, key, (double)hits / (double)n);
    ney_interval(hits, n, 0.95, &low, &high);
    ney_result_add_interval(in, interval_key, low, high);
}
