#include "result.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "clean.h"
#include "progress.h"

enum { CELL = 640 }; /* a sentence fits */

/* What a value looks like to a person. */
static void cell_text(const cJSON *item, char text[CELL])
{
    if (cJSON_IsString(item)) { /* names come from files */
        escape_text(item->valuestring, text, CELL);
    } else if (cJSON_IsBool(item)) {
        snprintf(text, CELL, "%s", cJSON_IsTrue(item) ? "yes" : "no");
    } else if (cJSON_IsRaw(item) && strpbrk(item->valuestring, ".e")) {
        snprintf(text, CELL, "%.6g", strtod(item->valuestring, NULL));
    } else if (cJSON_IsRaw(item)) {
        snprintf(text, CELL, "%s", item->valuestring);
    } else if (cJSON_IsArray(item) && cJSON_GetArraySize(item) == 2) { /* an interval in a table */
        const cJSON *low = cJSON_GetArrayItem(item, 0), *high = cJSON_GetArrayItem(item, 1);
        snprintf(text, CELL, "[%.4g, %.4g]", cJSON_IsRaw(low) ? strtod(low->valuestring, NULL) : 0,
                 cJSON_IsRaw(high) ? strtod(high->valuestring, NULL) : 0);
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
static bool is_interval(const cJSON *rate, const cJSON *item)
{
    const size_t n = strlen(rate->string);

    return item && strncmp(item->string, rate->string, n) == 0 &&
           strcmp(item->string + n, "_interval") == 0;
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
static void table_line(const cJSON *row, bool heading, bool print, int width[MOST_COLUMNS])
{
    int k = 0;
    char text[CELL];
    const cJSON *item;

    cJSON_ArrayForEach(item, row)
    {
        if (heading) {
            key_text(item->string, text);
        } else {
            cell_text(item, text);
        }
        const int here = width_of(text);
        width[k] = here > width[k] ? here : width[k];
        if (print) {
            printf("  %s%*s", text, item->next ? width[k] - here : 0, "");
        }
        k += k < MOST_COLUMNS - 1;
    }
    if (print) {
        putchar('\n');
    }
}

static void print_table(const cJSON *rows)
{
    int width[MOST_COLUMNS] = {0};
    const cJSON *row;

    table_line(rows->child, true, false, width);
    cJSON_ArrayForEach(row, rows)
    {
        table_line(row, false, false, width);
    }
    table_line(rows->child, true, true, width);
    cJSON_ArrayForEach(row, rows)
    {
        table_line(row, false, true, width);
    }
}

static void print_figure(const cJSON *item, const cJSON *interval, int indent, int width)
{
    char key[CELL], text[CELL], high[CELL];

    key_text(item->string, key);
    cell_text(item, text);
    printf("%*s%-*s  %s", indent, "", width, key, text);
    if (cJSON_IsArray(interval)) {
        cell_text(cJSON_GetArrayItem(interval, 0), text);
        cell_text(cJSON_GetArrayItem(interval, 1), high);
        printf("  [%s, %s]", text, high);
    }
    putchar('\n');
}

/* Objects within objects go one level deep: recursion ends there. */
static void print_object(const cJSON *object, int indent)
{
    int width = 0;
    const cJSON *item;

    cJSON_ArrayForEach(item, object)
    {
        if (!cJSON_IsObject(item) && !cJSON_IsArray(item)) {
            const int here = (int)strlen(item->string);
            width = here > width ? here : width;
        }
    }
    for (item = object->child; item; item = item->next) {
        char key[CELL];
        key_text(item->string, key);
        if (cJSON_IsObject(item)) {
            printf("%*s%s:\n", indent, "", key);
            print_object(item, indent + 2);
        } else if (cJSON_IsArray(item) && cJSON_IsObject(item->child)) {
            printf("%*s%s:\n", indent, "", key);
            print_table(item);
        } else if (!cJSON_IsArray(item)) {
            const bool paired = is_interval(item, item->next);
            print_figure(item, paired ? item->next : NULL, indent, width);
            item = paired ? item->next : item;
        }
    }
}

static const char warnings_key[] = "warnings";

void result_warn(cJSON *root, const char *format, ...)
{
    cJSON *list = cJSON_GetObjectItemCaseSensitive(root, warnings_key);
    char text[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_text(list ? list : json_array(root, warnings_key), NULL, text);
}

static void print_warnings(const cJSON *root)
{
    const cJSON *warning;

    cJSON_ArrayForEach(warning, cJSON_GetObjectItemCaseSensitive(root, warnings_key))
    {
        char text[4096];
        escape_text(warning->valuestring, text, sizeof text);
        printf("warning: %s\n", text);
    }
}

void result_print(const session *s, cJSON *root)
{
    progress_clear();
    if (s->common->json) {
        json_print(root, stdout);
    } else {
        print_warnings(root);
        print_object(root, 0);
    }
    cJSON_Delete(root);
}

void result_name(cJSON *in, const char *key, const char *name)
{
    json_text(in, key, name && name[0] ? name : NULL);
}

void result_rate(cJSON *in, const char *key, int64_t hits, int64_t n)
{
    char interval_key[64];
    double low, high;

    snprintf(interval_key, sizeof interval_key, "%s_interval", key);
    if (n == 0) {
        json_text(in, key, NULL);
        json_text(in, interval_key, NULL);
        return;
    }
    json_real(in, key, (double)hits / (double)n);
    ney_interval(hits, n, 0.95, &low, &high);
    json_pair(in, interval_key, low, high);
}
