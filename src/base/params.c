/* Options structs described by rows of ney_param. */
#include "base/error.h"
#include "base/number.h"

#include <math.h>
#include <string.h>

static void *field(const ney_param *p, void *opts)
{
    return (char *)opts + p->offset;
}

static void store(const ney_param *p, void *opts, double value)
{
    switch (p->kind) {
    case NEY_KIND_FLAG:
        *(bool *)field(p, opts) = value != 0;
        break;
    case NEY_KIND_INT:
        *(int64_t *)field(p, opts) = (int64_t)value;
        break;
    case NEY_KIND_REAL:
        *(double *)field(p, opts) = value;
        break;
    case NEY_KIND_CHOICE:
        *(int *)field(p, opts) = (int)value;
        break;
    case NEY_KIND_TEXT:
        *(const char **)field(p, opts) = NULL;
        break;
    case NEY_KIND_SIZES:
        memcpy(field(p, opts), (const int64_t[]){(int64_t)value, 0}, 2 * sizeof(int64_t));
        break;
    }
}

void ney_params_init(const ney_param *params, int64_t n_params, void *opts)
{
    for (int64_t i = 0; i < n_params; i++) {
        store(&params[i], opts, params[i].initial);
    }
}

/* The position of `text` among words separated by single spaces; -1 when it is none of them. */
static int position_of(const char *text, const char *words)
{
    const size_t length = strlen(text);
    int position = 0;
    for (const char *at = words; *at; position++) {
        const size_t word = strcspn(at, " ");
        if (word == length && strncmp(at, text, length) == 0) {
            return position;
        }
        at += word + (at[word] == ' ');
    }
    return -1;
}

/* Whether the word "none" may leave a number open, which NAN stands for. */
static bool may_be_none(const ney_param *p)
{
    return p->kind == NEY_KIND_REAL && p->choices && position_of("none", p->choices) >= 0;
}

static int count_words(const char *words)
{
    int n = *words != '\0';
    for (; *words; words++) {
        n += *words == ' ';
    }
    return n;
}

/* Whether a word stands for the lowest value. */
static bool is_lowest_named(const ney_param *p)
{
    return p->choices && !may_be_none(p);
}

/* Whether a share is written as a percentage. */
static bool is_percentage(const ney_param *p, const char *text)
{
    const size_t length = strlen(text), digits = strcspn(text, "%");
    double value;
    return p->kind == NEY_KIND_REAL && p->high == 1 && digits + 1 >= length &&
           ney_number_parse(text, digits, &value) && value >= 0 && value <= 100;
}

/* "a number from low to high", and the word that it may be instead. */
static ney_status out_of_bounds(const ney_param *p, const char *found, ney_error *err)
{
    const char *const word = may_be_none(p) ? "none" : p->choices;
    char low[NEY_NUMBER_SIZE], high[NEY_NUMBER_SIZE];
    ney_number_format(p->low, low);
    ney_number_format(p->high, high);
    return ney_fail(err, NEY_EINVAL, "%s = %s, expected %s %s %s%s %s%s%s%s", p->name, found,
                    p->kind == NEY_KIND_INT ? "a whole number" : "a number",
                    is_lowest_named(p) ? "above" : "from", low,
                    is_lowest_named(p) ? ", at most" : " to", high, word ? ", or " : "",
                    word ? word : "", is_percentage(p, found) ? " (2 % is 0.02)" : "");
}

static bool within(const ney_param *p, double value)
{
    return value >= p->low && value <= p->high; /* false for NaN */
}

static ney_status set_number(const ney_param *p, void *opts, const char *text, ney_error *err)
{
    double value;
    int64_t whole = 0;
    const int word = p->choices ? position_of(text, p->choices) : -1;
    if (word >= 0) { /* a word for a number: "none" for NAN, others count from the lowest */
        store(p, opts, strcmp(text, "none") == 0 ? (double)NAN : p->low + word);
        return NEY_OK;
    }
    const bool is_number = p->kind == NEY_KIND_INT ? ney_integer_parse(text, strlen(text), &whole)
                                                   : ney_number_parse(text, strlen(text), &value);
    const double number = p->kind == NEY_KIND_INT ? (double)whole : value;
    /* what a word stands for is said by that word */
    if (!is_number || !within(p, number) || (is_lowest_named(p) && number == p->low)) {
        return out_of_bounds(p, text, err);
    }
    if (p->kind == NEY_KIND_INT) {
        *(int64_t *)field(p, opts) = whole; /* not through double, which keeps 53 bits only */
    } else {
        *(double *)field(p, opts) = value;
    }
    return NEY_OK;
}

/* "64" or "64,32": the second size has no layer to follow where the first is 0. */
static ney_status set_sizes(const ney_param *p, void *opts, const char *text, ney_error *err)
{
    const size_t first = strcspn(text, ",");
    int64_t size[2] = {0, 0};
    bool good = ney_integer_parse(text, first, &size[0]) && within(p, (double)size[0]);
    if (good && text[first]) {
        const char *const second = text + first + 1;
        good = ney_integer_parse(second, strlen(second), &size[1]) && size[0] > 0 && size[1] > 0 &&
               within(p, (double)size[1]);
    }
    if (!good) {
        return ney_fail(err, NEY_EINVAL,
                        "%s = %.60s, expected one or two whole numbers of at most %g, such as 64 "
                        "or 64,32",
                        p->name, text, p->high);
    }
    memcpy(field(p, opts), size, sizeof size);
    return NEY_OK;
}

static ney_status set_param(const ney_param *p, void *opts, const char *text, ney_error *err)
{
    if (p->kind == NEY_KIND_FLAG) {
        if (text && strcmp(text, "true") != 0 && strcmp(text, "false") != 0) {
            return ney_fail(err, NEY_EINVAL, "%s = %s, expected true or false", p->name, text);
        }
        store(p, opts, !text || text[0] == 't');
        return NEY_OK;
    }
    if (!text) {
        return ney_fail(err, NEY_EINVAL, "%s needs a value", p->name);
    }
    if (p->kind == NEY_KIND_TEXT) {
        *(const char **)field(p, opts) = text;
        return NEY_OK;
    }
    if (p->kind == NEY_KIND_SIZES) {
        return set_sizes(p, opts, text, err);
    }
    if (p->kind == NEY_KIND_CHOICE) {
        const int choice = position_of(text, p->choices);
        if (choice < 0) {
            return ney_fail(err, NEY_EINVAL, "%s = %s, expected one of: %s", p->name, text,
                            p->choices);
        }
        store(p, opts, choice);
        return NEY_OK;
    }
    return set_number(p, opts, text, err);
}

ney_status ney_params_set(const ney_param *params, int64_t n_params, void *opts, const char *name,
                          const char *text, ney_error *err)
{
    for (int64_t i = 0; i < n_params; i++) {
        if (strcmp(params[i].name, name) == 0) {
            return set_param(&params[i], opts, text, err);
        }
    }
    return ney_fail(err, NEY_EINVAL, "there is no option %s", name);
}

ney_status ney_params_check(const ney_param *params, int64_t n_params, const void *opts,
                            ney_error *err)
{
    for (int64_t i = 0; i < n_params; i++) {
        const ney_param *p = &params[i];
        const void *at = (const char *)opts + p->offset;
        double value = 0, high = p->high;
        if (p->kind == NEY_KIND_INT) {
            value = (double)*(const int64_t *)at;
        } else if (p->kind == NEY_KIND_REAL) {
            value = *(const double *)at;
        } else if (p->kind == NEY_KIND_SIZES) {
            const int64_t *const size = at; /* the one that is out of bounds, if any */
            value = (double)(within(p, (double)size[0]) ? size[1] : size[0]);
        } else if (p->kind == NEY_KIND_CHOICE) {
            value = *(const int *)at;
            high = count_words(p->choices) - 1;
        } else {
            continue;
        }
        const bool not_given = isnan(value) && (isnan(p->initial) || may_be_none(p));
        if (!not_given && !(value >= p->low && value <= high)) {
            char found[NEY_NUMBER_SIZE];
            ney_number_format(value, found);
            return out_of_bounds(p, found, err);
        }
    }
    return NEY_OK;
}

bool ney_param_is_default(const ney_param *param, const void *opts)
{
    const void *at = (const char *)opts + param->offset;
    double value = 0;
    switch (param->kind) {
    case NEY_KIND_FLAG:
        value = *(const bool *)at;
        break;
    case NEY_KIND_INT:
        return *(const int64_t *)at == (int64_t)param->initial;
    case NEY_KIND_REAL:
        value = *(const double *)at;
        break;
    case NEY_KIND_CHOICE:
        value = *(const int *)at;
        break;
    case NEY_KIND_TEXT:
        return *(const char *const *)at == NULL;
    case NEY_KIND_SIZES:
        return ((const int64_t *)at)[0] == (int64_t)param->initial && ((const int64_t *)at)[1] == 0;
    }
    return isnan(value) || value == param->initial;
}
