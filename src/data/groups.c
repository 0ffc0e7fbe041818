#include "data/groups.h"

#include "base/grouping.h"
#include "base/rng.h"
#include "data/data.h"

#include <stdlib.h>

/* A group with what it is dealt by. */
typedef struct card {
    int64_t group, place; /* among the groups, and after shuffling */
    int64_t count[2];     /* rows of either class */
} card;

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_kind(const void *a, const void *b)
{
    const card *x = a, *y = b;
    const int of_class[2] = {compare(x->count[0], y->count[0]), compare(x->count[1], y->count[1])};
    return of_class[0] ? of_class[0] : of_class[1] ? of_class[1] : compare(x->place, y->place);
}

/* The keys of the groups, and how many rows of either class they hold. */
static void list_groups(ney_groups *g, const ney_grouping *rows, const uint64_t *key,
                        const int8_t *label, card *c)
{
    g->n = rows->n;
    for (int64_t k = 0; k < g->n; k++) {
        g->key[k] = key[rows->row[rows->begin[k]]];
        c[k] = (card){.group = k};
        for (int64_t i = rows->begin[k]; i < rows->begin[k + 1]; i++) {
            c[k].count[label && label[rows->row[i]] > 0]++;
        }
    }
}

static void deal(ney_groups *g, card *c, int64_t *place, int n_parts, uint64_t seed)
{
    ney_rng rng = {seed};
    for (int64_t k = 0; k < g->n; k++) {
        place[k] = k;
    }
    ney_rng_shuffle(&rng, place, g->n);
    for (int64_t k = 0; k < g->n; k++) {
        c[k].place = place[k];
    }
    qsort(c, (size_t)g->n, sizeof *c, by_kind);
    for (int64_t k = 0; k < g->n; k++) {
        g->part[c[k].group] = (uint8_t)(k % n_parts);
    }
}

ney_status ney_groups_deal(ney_groups *g, const ney_data *data, const char *columns, int n_parts,
                           uint64_t seed, int *part_of, ney_error *err)
{
    const int64_t n = data->x.rows;
    const ney_env *const env = &data->env;
    ney_grouping rows = {0};
    card *c = ney_alloc(env, n, sizeof *c);
    uint64_t *key = ney_alloc(env, n, sizeof *key);
    int64_t *place = ney_alloc(env, n, sizeof *place), used;
    ney_status st = NEY_OK;

    *g = (ney_groups){.env = *env};
    g->key = ney_alloc(env, n, sizeof *g->key);
    g->part = ney_alloc(env, n, sizeof *g->part);
    if (!c || !key || !place || !g->key || !g->part) {
        st = ney_no_memory(err, n, "groups of rows");
    } else if (n_parts < 1 || n_parts > NEY_MOST_PARTS) {
        st = ney_fail(err, NEY_EINVAL, "%d parts, expected 1 to %d", n_parts, NEY_MOST_PARTS);
    } else if ((st = columns ? ney_data_keys(data, columns, key, &used, err)
                             : ney_data_groups(data, key, err)) == NEY_OK &&
               (st = ney_grouping_init(&rows, env, key, n, err)) == NEY_OK) {
        list_groups(g, &rows, key, data->label, c);
        deal(g, c, place, n_parts, seed);
        for (int64_t k = 0; k < g->n; k++) {
            for (int64_t i = rows.begin[k]; i < rows.begin[k + 1]; i++) {
                part_of[rows.row[i]] = g->part[k];
            }
        }
    }
    ney_grouping_deinit(&rows);
    ney_release(env, place);
    ney_release(env, key);
    ney_release(env, c);
    return st;
}

void ney_groups_deinit(ney_groups *g)
{
    if (g->key) {
        ney_release(&g->env, g->key);
    }
    if (g->part) {
        ney_release(&g->env, g->part);
    }
    *g = (ney_groups){0};
}
