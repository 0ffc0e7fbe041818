#include "base/options.h"

#include "base/number.h"
#include "base/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_GROUPS = 8 };

/* A text that an option points to. */
typedef struct kept_text {
    struct kept_text *next;
    char bytes[];
} kept_text;

struct ney_options {
    ney_env env;
    const ney_option_group *group;
    int n_groups;
    void *values[MOST_GROUPS];
    bool *set[MOST_GROUPS]; /* of each row, whether it was given a value */
    kept_text *texts;       /* all that were ever set: an option may go back to an earlier one */
};

ney_status ney_options_make(ney_options **out, const ney_env *env, const ney_option_group *groups,
                            int n_groups, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    ney_options *o = ney_alloc_zeroed(&e, 1, sizeof *o);

    *out = NULL;
    if (!o) {
        return ney_no_memory(err, 1, "options");
    }
    o->env = e;
    o->group = groups;
    for (; o->n_groups < n_groups; o->n_groups++) {
        const ney_option_group *g = &groups[o->n_groups];
        int64_t n;
        const ney_param *params = g->params(&n);
        o->values[o->n_groups] = ney_alloc_zeroed(&e, 1, g->bytes);
        o->set[o->n_groups] = ney_alloc_zeroed(&e, n, sizeof **o->set);
        if (!o->values[o->n_groups] || !o->set[o->n_groups]) {
            o->n_groups++;
            ney_options_free(o);
            return ney_no_memory(err, 1, "options");
        }
        ney_params_init(params, n, o->values[o->n_groups]);
    }
    *out = o;
    return NEY_OK;
}

void ney_options_free(ney_options *options)
{
    if (!options) {
        return;
    }
    const ney_env env = options->env;
    for (int g = 0; g < options->n_groups; g++) {
        ney_release(&env, options->values[g]);
        ney_release(&env, options->set[g]);
    }
    for (kept_text *text = options->texts; text;) {
        kept_text *next = text->next;
        ney_release(&env, text);
        text = next;
    }
    ney_release(&env, options);
}

/* ------------------------------------------------------------------ finding */

typedef struct found_option {
    const ney_param *param;
    void *values;
    bool *set;
} found_option;

static bool find(const ney_options *o, const char *name, found_option *found)
{
    *found = (found_option){NULL, NULL, NULL};
    for (int g = 0; g < o->n_groups; g++) {
        int64_t n;
        const ney_param *params = o->group[g].params(&n);
        for (int64_t k = 0; k < n; k++) {
            if (strcmp(params[k].name, name) == 0) {
                *found = (found_option){&params[k], o->values[g], &o->set[g][k]};
                return true;
            }
        }
    }
    return false;
}

/* Likewise; an unknown name is a failure. */
static ney_status find_to_set(const ney_options *o, const char *name, found_option *found,
                              ney_error *err)
{
    return find(o, name, found) ? NEY_OK : ney_fail(err, NEY_EINVAL, "there is no option %s", name);
}

/* Likewise, of an option whose value is a number. */
static ney_status find_number(const ney_options *o, const char *name, found_option *found,
                              ney_error *err)
{
    const ney_status st = find_to_set(o, name, found, err);
    const bool is_number = st == NEY_OK && (found->param->kind == NEY_KIND_INT ||
                                            found->param->kind == NEY_KIND_REAL ||
                                            found->param->kind == NEY_KIND_SIZES);
    return st != NEY_OK || is_number
               ? st
               : ney_fail(err, NEY_EINVAL, "option %s does not take a number", name);
}

/* ------------------------------------------------------------------ setting */

static const char *keep_text(ney_options *o, const char *text)
{
    const size_t n = strlen(text) + 1;
    kept_text *kept = ney_alloc(&o->env, 1, sizeof *kept + n);

    if (!kept) {
        return NULL;
    }
    memcpy(kept->bytes, text, n);
    kept->next = o->texts;
    o->texts = kept;
    return kept->bytes;
}

ney_status ney_options_set(ney_options *options, const char *name, const char *text, ney_error *err)
{
    NEY_REQUIRE(options && name, err);
    found_option f;
    ney_status st = find_to_set(options, name, &f, err);

    if (st != NEY_OK) {
        return st;
    }
    if (!text) {
        ney_params_init(f.param, 1, f.values);
        *f.set = false;
        return NEY_OK;
    }
    if (f.param->kind == NEY_KIND_TEXT) {
        text = keep_text(options, text);
        if (!text) {
            return ney_no_memory(err, 1, "value of an option");
        }
    }
    st = ney_params_set(f.param, 1, f.values, name, text, err);
    *f.set = *f.set || st == NEY_OK;
    return st;
}

ney_status ney_options_set_double(ney_options *options, const char *name, double value,
                                  ney_error *err)
{
    NEY_REQUIRE(options && name, err);
    char text[NEY_NUMBER_SIZE];
    found_option f;
    const ney_status st = find_number(options, name, &f, err);

    if (st != NEY_OK) {
        return st;
    }
    if (f.param->kind != NEY_KIND_REAL) {
        return value == floor(value) && fabs(value) < 0x1p63
                   ? ney_options_set_int(options, name, (int64_t)value, err)
                   : ney_fail(err, NEY_EINVAL, "option %s is %g, expected an integer", name, value);
    }
    if (isnan(value) && isnan(f.param->initial)) {
        return ney_options_set(options, name, NULL, err);
    }
    ney_number_format(value, text);
    return ney_options_set(options, name, isnan(value) ? "none" : text, err);
}

ney_status ney_options_set_int(ney_options *options, const char *name, int64_t value,
                               ney_error *err)
{
    NEY_REQUIRE(options && name, err);
    char text[NEY_NUMBER_SIZE];
    found_option f;
    const ney_status st = find_number(options, name, &f, err);

    ney_integer_format(value, text);
    return st == NEY_OK ? ney_options_set(options, name, text, err) : st;
}

ney_status ney_options_set_bool(ney_options *options, const char *name, bool value, ney_error *err)
{
    NEY_REQUIRE(options && name, err);
    found_option f;
    const ney_status st = find_to_set(options, name, &f, err);

    if (st != NEY_OK) {
        return st;
    }
    if (f.param->kind != NEY_KIND_FLAG) {
        return ney_fail(err, NEY_EINVAL, "option %s does not take true or false", name);
    }
    return ney_options_set(options, name, value ? "true" : "false", err);
}

/* ------------------------------------------------------------------ reading */

/* Word `k` from 0 of a list; its length. */
static int word_of(const char *words, int k, const char **word)
{
    for (; k > 0; k--) {
        words += strcspn(words, " ");
        words += *words == ' ';
    }
    *word = words;
    return (int)strcspn(words, " ");
}

static void sizes_text(const int64_t *size, char text[2 * NEY_NUMBER_SIZE])
{
    const int n = ney_integer_format(size[0], text);
    if (size[1] > 0) {
        text[n] = ',';
        ney_integer_format(size[1], text + n + 1);
    }
}

bool ney_options_get(const ney_options *options, const char *name, char *text, size_t size)
{
    if (!options || !name || !text) {
        return false;
    }
    char number[2 * NEY_NUMBER_SIZE];
    found_option f;

    if (!find(options, name, &f)) {
        return false;
    }
    const void *at = (const char *)f.values + f.param->offset;
    const char *word = number;
    int length = -1; /* up to the NUL */
    switch (f.param->kind) {
    case NEY_KIND_FLAG:
        word = *(const bool *)at ? "true" : "false";
        break;
    case NEY_KIND_INT:
        ney_integer_format(*(const int64_t *)at, number);
        break;
    case NEY_KIND_REAL:
        ney_number_format(*(const double *)at, number);
        word = isnan(*(const double *)at) ? "none" : number;
        break;
    case NEY_KIND_CHOICE:
        length = word_of(f.param->choices, *(const int *)at, &word);
        break;
    case NEY_KIND_TEXT:
        word = *(const char *const *)at ? *(const char *const *)at : "";
        break;
    case NEY_KIND_SIZES:
        sizes_text(at, number);
        break;
    }
    snprintf(text, size, "%.*s", length, word);
    return true;
}

bool ney_options_is_default(const ney_options *options, const char *name)
{
    if (!options || !name) {
        return false;
    }
    found_option f;
    return find(options, name, &f) && ney_param_is_default(f.param, f.values);
}

bool ney_options_is_set(const ney_options *options, const char *name)
{
    if (!options || !name) {
        return false;
    }
    found_option f;
    return find(options, name, &f) && *f.set;
}

const void *ney_options_values(const ney_options *options,
                               const ney_param *(*params)(int64_t *n_params))
{
    for (int g = 0; options && g < options->n_groups; g++) {
        if (options->group[g].params == params) {
            return options->values[g];
        }
    }
    return NULL;
}

/* NEY_EINVAL when an option of group `g` is not at its default. */
static ney_status refuse_group(const ney_options *options, int g, const char *reader,
                               ney_error *err)
{
    int64_t n;
    const ney_param *rows = options->group[g].params(&n);
    for (int64_t k = 0; k < n; k++) {
        if (!ney_param_is_default(&rows[k], options->values[g])) {
            return ney_fail(err, NEY_EINVAL, "%s does not apply to %s", rows[k].name, reader);
        }
    }
    return NEY_OK;
}

ney_status ney_options_check_groups(const ney_options *options, const char *groups,
                                    const char *reader, ney_error *err)
{
    ney_status st = NEY_OK;
    for (int g = 0; options && g < options->n_groups && st == NEY_OK; g++) {
        st = ney_is_listed(groups, options->group[g].name) ? NEY_OK
                                                           : refuse_group(options, g, reader, err);
    }
    return st;
}
