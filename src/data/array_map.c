/* Matching the columns of an array with the features of a model. */
#include "data/array.h"

#include <stdlib.h>
#include <string.h>

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct ney_named_column *)a)->name,
                  ((const struct ney_named_column *)b)->name);
}

ney_status ney_array_names_init(ney_array_names *names, const ney_env *env, const ney_array *x,
                                ney_error *err)
{
    names->n = x->cols;
    names->sorted = ney_alloc(env, x->cols, sizeof *names->sorted);
    if (!names->sorted) {
        return ney_no_memory(err, x->cols, "column names");
    }
    for (int64_t c = 0; c < x->cols; c++) {
        names->sorted[c] = (struct ney_named_column){x->name[c], c};
    }
    qsort(names->sorted, (size_t)x->cols, sizeof *names->sorted, by_name);
    for (int64_t c = 1; c < x->cols; c++) {
        if (strcmp(names->sorted[c].name, names->sorted[c - 1].name) == 0) {
            return ney_fail(err, NEY_EINVAL,
                            "two columns are named '%.60s', expected different names",
                            names->sorted[c].name);
        }
    }
    return NEY_OK;
}

void ney_array_names_deinit(ney_array_names *names, const ney_env *env)
{
    ney_release(env, names->sorted);
}

int64_t ney_array_find_name(const ney_array_names *names, const char *name)
{
    const struct ney_named_column wanted = {.name = name};
    const struct ney_named_column *const found =
        bsearch(&wanted, names->sorted, (size_t)names->n, sizeof *names->sorted, by_name);
    return found ? found->column : -1;
}

/* The array's column of every feature of the model. */
static ney_status match_features(ney_array_map *map, const ney_array_names *names,
                                 const ney_preprocessing *given, ney_error *err)
{
    enum { NAME = 1024 };
    char name[NAME];
    const int64_t cols = ney_preprocessing_stored(given);
    map->column = ney_alloc(&map->env, cols, sizeof *map->column);
    if (!map->column) {
        return ney_no_memory(err, cols, "columns");
    }
    for (int64_t f = 0; f < cols; f++) {
        ney_preprocessing_feature(given, f, name, sizeof name);
        if ((map->column[f] = ney_array_find_name(names, name)) < 0) {
            return ney_fail(err, NEY_EINVAL,
                            "the rows have no column '%.200s', which the model uses", name);
        }
    }
    return NEY_OK;
}

static ney_status match_names(ney_array_map *map, const ney_array *x,
                              const ney_preprocessing *given, ney_error *err)
{
    ney_array_names names = {0};
    ney_status st = ney_array_names_init(&names, &map->env, x, err);
    if (st == NEY_OK) {
        st = x->category ? ney_array_match_inputs(map, x, given, &names, err)
                         : match_features(map, &names, given, err);
    }
    ney_array_names_deinit(&names, &map->env);
    return st;
}

/* Of CSR the other way round. */
static ney_status invert(ney_array_map *map, const ney_array *x, ney_error *err)
{
    map->feature = ney_alloc(&map->env, x->cols, sizeof *map->feature);
    if (!map->feature) {
        return ney_no_memory(err, x->cols, "columns");
    }
    for (int64_t c = 0; c < x->cols; c++) {
        map->feature[c] = -1;
    }
    for (int64_t f = 0; f < map->cols; f++) {
        map->feature[map->column[f]] = f;
    }
    return NEY_OK;
}

static void match_positions(const ney_array_map *map, const ney_array *x,
                            const ney_preprocessing *given)
{
    if (x->cols > map->cols) {
        ney_log(&map->env, NEY_LOG_INFO, "columns beyond the model's %lld are ignored",
                (long long)map->cols);
    }
    if ((x->name != NULL) != (given->input != NULL)) {
        ney_log(&map->env, NEY_LOG_WARNING,
                "the %s column names, the %s none: columns are matched by number, not by name",
                x->name ? "rows have" : "model has", x->name ? "model has" : "rows have");
    }
}

ney_status ney_array_map_init(ney_array_map *map, const ney_env *env, const ney_array *x,
                              const ney_preprocessing *given, ney_error *err)
{
    ney_status st;
    *map = (ney_array_map){.env = *env, .cols = x->cols, .gaps = true};
    if (!given) {
        return NEY_OK;
    }
    map->cols = ney_preprocessing_stored(given);
    map->shift = given->shift;
    map->gaps = ney_preprocessing_allows_missing(given);
    map->trained = true;
    if (x->name && given->input) {
        st = match_names(map, x, given, err);
        return st == NEY_OK && x->start ? invert(map, x, err) : st;
    }
    if (x->category) {
        return ney_fail(
            err, NEY_EINVAL,
            "the rows have columns of categories, expected numbers: the model has numbered "
            "features");
    }
    if (!x->start && x->cols != map->cols) {
        return ney_fail(err, NEY_EINVAL, "the rows have %lld columns, expected %lld as in training",
                        (long long)x->cols, (long long)map->cols);
    }
    match_positions(map, x, given);
    return NEY_OK;
}

void ney_array_map_deinit(ney_array_map *map)
{
    for (int64_t i = 0; i < map->n_inputs; i++) {
        ney_release(&map->env, map->input[i].place);
    }
    ney_release(&map->env, map->input);
    ney_release(&map->env, map->column);
    ney_release(&map->env, map->feature);
}
