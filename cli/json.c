#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "clean.h"
#include "session.h"

static void *allocate(size_t bytes)
{
    void *block = malloc(bytes);

    if (!block) {
        fputs("neyman: no memory for the result\n", stderr);
        exit(EXIT_FAILED);
    }
    return block;
}

void json_start(void)
{
    cJSON_Hooks hooks = {allocate, free};

    cJSON_InitHooks(&hooks);
}

static void put(cJSON *in, const char *key, cJSON *item)
{
    if (key) {
        cJSON_AddItemToObject(in, key, item);
    } else {
        cJSON_AddItemToArray(in, item);
    }
}

cJSON *json_new(void)
{
    return cJSON_CreateObject();
}

cJSON *json_object(cJSON *in, const char *key)
{
    cJSON *object = cJSON_CreateObject();

    put(in, key, object);
    return object;
}

cJSON *json_array(cJSON *in, const char *key)
{
    cJSON *array = cJSON_CreateArray();

    put(in, key, array);
    return array;
}

/* The program never calls setlocale(): the decimal point is a point whatever the user's locale. */
void format_real(double value, char text[REAL_TEXT])
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, REAL_TEXT, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            return;
        }
    }
}

/* cJSON's own numbers are equal to within rounding only; hence the raw text. */
void json_real(cJSON *in, const char *key, double value)
{
    char text[REAL_TEXT];

    if (!isfinite(value)) {
        put(in, key, cJSON_CreateNull());
        return;
    }
    format_real(value, text);
    put(in, key, cJSON_CreateRaw(text));
}

void json_int(cJSON *in, const char *key, int64_t value)
{
    char text[REAL_TEXT];

    snprintf(text, sizeof text, "%" PRId64, value);
    put(in, key, cJSON_CreateRaw(text));
}

void json_bool(cJSON *in, const char *key, bool value)
{
    put(in, key, cJSON_CreateBool(value));
}

void json_pair(cJSON *in, const char *key, double low, double high)
{
    cJSON *pair = json_array(in, key);

    json_real(pair, NULL, low);
    json_real(pair, NULL, high);
}

void json_text(cJSON *in, const char *key, const char *value)
{
    if (!value) {
        put(in, key, cJSON_CreateNull());
        return;
    }
    char *clean = allocate(3 * strlen(value) + 1), *to = clean;
    for (const char *from = value; *from;) {
        const size_t n = utf8_length(from);
        const char *bytes = n ? from : "\xEF\xBF\xBD"; /* U+FFFD */
        memcpy(to, bytes, n ? n : 3);
        to += n ? n : 3;
        from += n ? n : 1;
    }
    *to = '\0';
    put(in, key, cJSON_CreateString(clean));
    free(clean);
}

void json_print(const cJSON *root, FILE *file)
{
    char *text = cJSON_Print(root);

    for (const char *from = text; *from;) { /* valid UTF-8 */
        char escaped[ESCAPE_TEXT];
        const size_t n = harmless_span(from, "\n\t");
        fwrite(from, 1, n, file);
        from += n;
        if (*from) {
            from += escape_one(from, escaped);
            fputs(*escaped == '\\' && escaped[1] == 'x' ? "\\u007F" : escaped, file);
        }
    }
    fputc('\n', file);
    cJSON_free(text);
}
