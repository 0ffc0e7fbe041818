#include "data/groups.h"

#include "base/grouping.h"
#include "base/rng.h"
#include "data/data.h"

#include <neyman/experimental/discovery.h>

#include <stdlib.h>

/* Groups that are dealt together, with what they are dealt by. */
typedef struct card {
    int64_t cluster, place; /* its first group, and its place after shuffling */
    int64_t count[2];       /* rows of either class */
} card;

/* One call: the rows of each group, and the cluster of each, the first of its groups. */
typedef struct dealing {
    ney_env env;
    ney_grouping rows;
    int64_t *cluster;
    int64_t n_parts;
    uint64_t seed;
} dealing;

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

/* ---------------------------------------------------------------- clusters */

static int64_t find_first(int64_t *cluster, int64_t k)
{
    while (cluster[k] != k) {
        cluster[k] = cluster[cluster[k]];
        k = cluster[k];
    }
    return k;
}

static void join(int64_t *cluster, int64_t a, int64_t b)
{
    a = find_first(cluster, a);
    b = find_first(cluster, b);
    cluster[a > b ? a : b] = a > b ? b : a;
}

static void separate(dealing *d)
{
    for (int64_t k = 0; k < d->rows.n; k++) {
        d->cluster[k] = k;
    }
}

/* Rows of the largest cluster. */
static ney_status largest_cluster(const dealing *d, int64_t *largest, ney_error *err)
{
    int64_t *const size = ney_alloc_zeroed(&d->env, d->rows.n, sizeof *size);
    *largest = 0;
    if (!size) {
        return ney_no_memory(err, d->rows.n, "groups of rows");
    }
    for (int64_t k = 0; k < d->rows.n; k++) {
        int64_t *const of = &size[find_first(d->cluster, k)];
        *of += ney_grouping_size(&d->rows, k);
        *largest = *of > *largest ? *of : *largest;
    }
    ney_release(&d->env, size);
    return NEY_OK;
}

/* Join the groups that share a peptide, by the keys of the rows' peptides. */
static ney_status join_by_peptide(dealing *d, const uint64_t *peptide, int64_t n, ney_error *err)
{
    ney_grouping same;
    int64_t *const group_of = ney_alloc(&d->env, n, sizeof *group_of);
    const ney_status st = ney_grouping_init(&same, &d->env, peptide, n, err);
    for (int64_t k = 0; group_of && k < d->rows.n; k++) {
        for (int64_t i = d->rows.begin[k]; i < d->rows.begin[k + 1]; i++) {
            group_of[d->rows.row[i]] = k;
        }
    }
    for (int64_t p = 0; group_of && st == NEY_OK && p < same.n; p++) {
        for (int64_t i = same.begin[p] + 1; i < same.begin[p + 1]; i++) {
            join(d->cluster, group_of[same.row[i - 1]], group_of[same.row[i]]);
        }
    }
    ney_grouping_deinit(&same);
    ney_release(&d->env, group_of);
    return group_of ? st : ney_no_memory(err, n, "peptides");
}

/* Spectra of one peptide belong together, unless a chain of spectra and peptides joins too many of
 * them for parts of equal size. */
static ney_status join_spectra(dealing *d, const ney_data *data, const char *peptide,
                               ney_error *err)
{
    const int64_t n = data->x.rows;
    int64_t largest = 0;
    ney_error none;
    uint64_t *const key = ney_alloc(&d->env, 3 * n, sizeof *key);
    if (!key) {
        return ney_no_memory(err, n, "peptides");
    }
    ney_status st = ney_data_peptides(data, peptide, key, &none);
    if (st == NEY_OK) {
        st = join_by_peptide(d, key, n, err);
        if (st == NEY_OK && (st = largest_cluster(d, &largest, err)) == NEY_OK &&
            largest > n / (2 * d->n_parts)) {
            separate(d);
        }
    } else if (st == NEY_EINVAL && !peptide) { /* the data name no peptides */
        st = NEY_OK;
    } else {
        *err = none;
    }
    ney_release(&d->env, key);
    return st;
}

/* ---------------------------------------------------------------- dealing */

/* The clusters, and how many rows of either class they hold; returns their number.
 * @param place  n numbers. */
static int64_t list_clusters(const dealing *d, const int8_t *label, card *c, int64_t *place)
{
    int64_t n = 0;
    for (int64_t k = 0; k < d->rows.n; k++) {
        if (find_first(d->cluster, k) == k) {
            place[k] = n;
            c[n++] = (card){.cluster = k};
        }
        card *const own = &c[place[find_first(d->cluster, k)]];
        for (int64_t i = d->rows.begin[k]; i < d->rows.begin[k + 1]; i++) {
            own->count[label && label[d->rows.row[i]] > 0]++;
        }
    }
    return n;
}

static ney_status deal(const dealing *d, ney_groups *g, const int8_t *label, ney_error *err)
{
    ney_rng rng = {d->seed};
    card *const c = ney_alloc(&d->env, d->rows.n, sizeof *c);
    int64_t *const place = ney_alloc(&d->env, d->rows.n, sizeof *place);
    if (c && place) {
        const int64_t n = list_clusters(d, label, c, place);
        for (int64_t k = 0; k < n; k++) {
            place[k] = k;
        }
        ney_rng_shuffle(&rng, place, n);
        for (int64_t k = 0; k < n; k++) {
            c[k].place = place[k];
        }
        qsort(c, (size_t)n, sizeof *c, by_kind);
        for (int64_t k = 0; k < n; k++) {
            g->part[c[k].cluster] = (uint8_t)(k % d->n_parts);
        }
        for (int64_t k = 0; k < d->rows.n; k++) {
            g->part[k] = g->part[find_first(d->cluster, k)];
        }
    }
    ney_release(&d->env, c);
    ney_release(&d->env, place);
    return c && place ? NEY_OK : ney_no_memory(err, d->rows.n, "groups of rows");
}

/* The keys and the parts of the groups, and the parts of their rows. */
static ney_status deal_rows(dealing *d, ney_groups *g, const ney_data *data, const char *columns,
                            const char *peptide, int *part_of, ney_error *err)
{
    const int64_t n = data->x.rows;
    int64_t used;
    uint64_t *const key = ney_alloc(&d->env, n, sizeof *key);
    ney_status st = !key      ? ney_no_memory(err, n, "groups of rows")
                    : columns ? ney_data_keys(data, columns, key, &used, err)
                              : ney_data_groups(data, key, err);
    if (st == NEY_OK && (st = ney_grouping_init(&d->rows, &d->env, key, n, err)) == NEY_OK) {
        g->n = d->rows.n;
        separate(d);
        if ((st = columns ? join_spectra(d, data, peptide, err) : NEY_OK) == NEY_OK) {
            st = deal(d, g, data->label, err);
        }
    }
    for (int64_t k = 0; st == NEY_OK && k < g->n; k++) {
        g->key[k] = key[d->rows.row[d->rows.begin[k]]];
        for (int64_t i = d->rows.begin[k]; i < d->rows.begin[k + 1]; i++) {
            part_of[d->rows.row[i]] = g->part[k];
        }
    }
    ney_release(&d->env, key);
    return st;
}

ney_status ney_groups_deal(ney_groups *g, const ney_data *data, const char *columns,
                           const char *peptide, int n_parts, uint64_t seed, int *part_of,
                           ney_error *err)
{
    const int64_t n = data->x.rows;
    const ney_env *const env = &data->env;
    dealing d = {.env = *env, .n_parts = n_parts, .seed = seed};
    ney_status st;

    *g = (ney_groups){.env = *env};
    if (n_parts < 1 || n_parts > NEY_MOST_PARTS) {
        return ney_fail(err, NEY_EINVAL, "%d parts, expected 1 to %d", n_parts, NEY_MOST_PARTS);
    }
    g->key = ney_alloc(env, n, sizeof *g->key);
    g->part = ney_alloc(env, n, sizeof *g->part);
    d.cluster = ney_alloc(env, n, sizeof *d.cluster);
    st = g->key && g->part && d.cluster ? deal_rows(&d, g, data, columns, peptide, part_of, err)
                                        : ney_no_memory(err, n, "groups of rows");
    ney_grouping_deinit(&d.rows);
    ney_release(env, d.cluster);
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
