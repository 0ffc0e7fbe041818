/* Columns of categories in arrays. */
#include "data/array.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where a value of a column has no feature. */
enum { UNKNOWN = -1, MISSING = -2 };

ney_status ney_array_check_categories(const ney_array *x, ney_error *err)
{
    if (x->category && (x->start || (!x->name && x->cols > 0))) {
        return ney_fail(err, NEY_EINVAL, "columns of categories need a dense array with names");
    }
    for (int64_t c = 0; x->category && c < x->cols; c++) {
        const ney_categories *const g = &x->category[c];
        if (g->n < 0 || g->n > INT32_MAX || (g->n > 0 && !g->value)) {
            return ney_fail(
                err, NEY_EINVAL,
                "column %lld ('%.60s') has %lld categories, expected 0 or more and their texts",
                (long long)c, x->name[c], (long long)g->n);
        }
        for (int64_t k = 0; k < g->n; k++) {
            if (!g->value[k] || strlen(g->value[k]) > INT32_MAX) {
                return ney_fail(err, NEY_EINVAL,
                                "category %lld of column '%.60s' has no text, expected one",
                                (long long)k, x->name[c]);
            }
        }
    }
    return NEY_OK;
}

/* ------------------------------------------------------------------ cells */

ney_status ney_array_code(const ney_array *x, int64_t row, int64_t column, int64_t *code,
                          ney_error *err)
{
    const double value =
        ney_array_value(x, row * ney_array_row_stride(x) + column * ney_array_col_stride(x));
    const int64_t n = x->category[column].n;
    if (isnan(value)) {
        *code = -1;
        return NEY_OK;
    }
    if (!(value >= 0 && value < (double)n && value == floor(value))) {
        return ney_fail(err, NEY_EINVAL,
                        "row %lld, column %lld ('%.100s'), counted from 0, is %g, expected the "
                        "position of one of %lld categories",
                        (long long)row, (long long)column, x->name[column], value, (long long)n);
    }
    *code = (int64_t)value;
    return NEY_OK;
}

/* ------------------------------------------------------------------ rows to learn from */

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Which values occur. *gap: the first row where one is missing, -1: none. */
static ney_status find_used(const ney_array *x, int64_t column, bool *used, int64_t *gap,
                            ney_error *err)
{
    const ney_categories *const g = &x->category[column];
    *gap = -1;
    for (int64_t r = 0; r < x->rows; r++) {
        int64_t code;
        const ney_status st = ney_array_code(x, r, column, &code, err);
        if (st != NEY_OK) {
            return st;
        }
        if (code >= 0) {
            used[code] = true;
        }
        if (*gap < 0 && (code < 0 || ney_text_is_missing(g->value[code]))) {
            *gap = r;
        }
    }
    return NEY_OK;
}

/* The categories of one column: those that occur, by bytes. */
static ney_status list_used(ney_preprocessing *r, ney_input *in, const ney_categories *g,
                            const bool *used, ney_error *err)
{
    in->category = ney_alloc_zeroed(&r->env, g->n + 1, sizeof *in->category);
    if (!in->category) {
        return ney_no_memory(err, g->n, "categories");
    }
    for (int64_t k = 0; k < g->n; k++) {
        if (used[k] && !ney_text_is_missing(g->value[k])) {
            char *const copy = ney_strdup(&r->env, g->value[k], strlen(g->value[k]));
            if (!copy) {
                return ney_no_memory(err, g->n, "categories");
            }
            in->category[in->n_category++] = copy;
        }
    }
    qsort(in->category, (size_t)in->n_category, sizeof *in->category, by_bytes);
    for (int64_t k = 1; k < in->n_category; k++) {
        if (strcmp(in->category[k], in->category[k - 1]) == 0) {
            return ney_fail(err, NEY_EINVAL,
                            "column '%.60s' has two categories '%.60s', expected different ones",
                            in->name, in->category[k]);
        }
    }
    return NEY_OK;
}

ney_status ney_array_list_categories(ney_preprocessing *r, const ney_array *x, ney_array_gap *gap,
                                     ney_error *err)
{
    ney_status st = NEY_OK;
    *gap = (ney_array_gap){.row = -1};
    r->cols = 0;
    for (int64_t c = 0; c < x->cols && st == NEY_OK; c++) {
        const ney_categories *const g = &x->category[c];
        ney_input *const in = &r->input[c];
        in->first = r->cols;
        if (!g->value) {
            r->cols++;
            continue;
        }
        int64_t row = -1;
        bool *const used = ney_alloc_zeroed(&r->env, g->n, sizeof *used);
        st = used ? find_used(x, c, used, &row, err) : ney_no_memory(err, g->n, "categories");
        st = st == NEY_OK ? list_used(r, in, g, used, err) : st;
        ney_release(&r->env, used);
        if (st == NEY_OK && row >= 0 && gap->row < 0) {
            *gap = (ney_array_gap){.row = row, .column = c};
        }
        r->cols += in->n_category;
    }
    return st;
}

/* ------------------------------------------------------------------ matching */

static const char *const *find_category(const ney_input *in, const char *text)
{
    return bsearch(&text, in->category, (size_t)in->n_category, sizeof *in->category, by_bytes);
}

/* The feature of every value of a column, counted from the column's first. */
static ney_status place_values(ney_array_input *to, const ney_env *env, const ney_input *in,
                               const ney_categories *g, ney_error *err)
{
    to->place = ney_alloc(env, g->n, sizeof *to->place);
    if (!to->place) {
        return ney_no_memory(err, g->n, "categories");
    }
    for (int64_t k = 0; k < g->n; k++) {
        const char *const *const found = find_category(in, g->value[k]);
        to->place[k] = ney_text_is_missing(g->value[k]) ? MISSING
                       : found ? (int32_t)(found - (const char *const *)in->category)
                               : UNKNOWN;
    }
    return NEY_OK;
}

static ney_status match_input(ney_array_map *map, const ney_array *x, const ney_input *in,
                              int64_t column, ney_error *err)
{
    ney_array_input *const to = &map->input[map->n_inputs++];
    const ney_categories *const g = &x->category[column];
    *to = (ney_array_input){.column = column, .first = in->first, .n = 1};
    if (!in->category != !g->value) {
        return ney_fail(err, NEY_EINVAL, "column '%.100s' holds %s, expected %s as in training",
                        in->name, g->value ? "categories" : "numbers",
                        in->category ? "categories" : "numbers");
    }
    to->n = in->category ? in->n_category : 1;
    return in->category ? place_values(to, &map->env, in, g, err) : NEY_OK;
}

/* A column of 0 and 1 for every category, where the rows do not have the column itself. */
static ney_status match_features(ney_array_map *map, const ney_input *in, const ney_array *x,
                                 const ney_array_names *names, ney_error *err)
{
    enum { NAME = 1024 };
    char name[NAME];
    for (int64_t k = 0; k < (in->category ? in->n_category : 1); k++) {
        snprintf(name, sizeof name, in->category ? "%s=%s" : "%s", in->name,
                 in->category ? in->category[k] : "");
        const int64_t column = ney_array_find_name(names, name);
        if (column < 0 || x->category[column].value) {
            return ney_fail(err, NEY_EINVAL,
                            "the rows have no column '%.200s', which the model uses",
                            in->category ? in->name : name);
        }
        map->input[map->n_inputs++] =
            (ney_array_input){.column = column, .first = in->first + k, .n = 1};
    }
    return NEY_OK;
}

ney_status ney_array_match_inputs(ney_array_map *map, const ney_array *x,
                                  const ney_preprocessing *given, const ney_array_names *names,
                                  ney_error *err)
{
    ney_status st = NEY_OK;
    map->input = ney_alloc_zeroed(&map->env, given->cols + given->n_input, sizeof *map->input);
    if (!map->input) {
        return ney_no_memory(err, given->cols, "columns");
    }
    for (int64_t i = 0; i < given->n_input && st == NEY_OK; i++) {
        const ney_input *const in = &given->input[i];
        const int64_t column = ney_array_find_name(names, in->name);
        st = column >= 0 ? match_input(map, x, in, column, err)
                         : match_features(map, in, x, names, err);
    }
    return st;
}

ney_status ney_array_store_category(const ney_array *x, const ney_array_map *map,
                                    const ney_array_input *in, int64_t row, float *features,
                                    ney_error *err)
{
    int64_t code;
    const ney_status st = ney_array_code(x, row, in->column, &code, err);
    if (st != NEY_OK) {
        return st;
    }
    memset(features + in->first, 0, (size_t)in->n * sizeof *features);
    const int32_t place = code < 0 ? MISSING : in->place[code];
    if (place == MISSING && !map->gaps) {
        return ney_fail(err, NEY_EINVAL,
                        "row %lld, column %lld ('%.100s'), counted from 0, is missing, expected a "
                        "value: the model was trained without missing = mean",
                        (long long)row, (long long)in->column, x->name[in->column]);
    }
    if (place >= 0) {
        features[in->first + place] = 1;
    }
    return NEY_OK;
}
