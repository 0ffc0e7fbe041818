/* Seeded, stratified splits. */
#include "base/grouping.h"
#include "base/rng.h"
#include "data/data.h"

#include <math.h>

/* Deal the shuffled rows of one class: part j gets those between its rounded borders. */
static void deal(const int64_t *rows, int64_t n, const double *share, int n_parts, int *part_of)
{
    double total = 0, before = 0;
    int64_t at = 0;
    for (int j = 0; j < n_parts; j++) {
        total += share[j];
    }
    for (int j = 0; j < n_parts; j++) {
        before += share[j];
        const int64_t border =
            j == n_parts - 1 ? n : (int64_t)floor(before / total * (double)n + 0.5);
        for (; at < border; at++) {
            part_of[rows[at]] = j;
        }
    }
}

/* Whole groups: those between a part's rounded borders in a random order. */
static ney_status split_groups(const ney_data *data, const double *share, int n_parts,
                               uint64_t seed, int *part_of, ney_error *err)
{
    const int64_t n = data->x.rows;
    const ney_env *const env = &data->env;
    uint64_t *key = ney_alloc(env, n, sizeof *key);
    int64_t *order = ney_alloc(env, n, sizeof *order);
    int *part = ney_alloc(env, n, sizeof *part);
    ney_rng rng = {seed};
    ney_grouping g = {0};
    ney_status st = key && order && part ? ney_data_groups(data, key, err)
                                         : ney_no_memory(err, n, "groups to split");

    if (st == NEY_OK && (st = ney_grouping_init(&g, env, key, n, err)) == NEY_OK) {
        for (int64_t k = 0; k < g.n; k++) {
            order[k] = k;
        }
        ney_rng_shuffle(&rng, order, g.n);
        deal(order, g.n, share, n_parts, part);
        for (int64_t k = 0; k < g.n; k++) {
            for (int64_t i = g.begin[k]; i < g.begin[k + 1]; i++) {
                part_of[g.row[i]] = part[k];
            }
        }
    }
    ney_grouping_deinit(&g);
    ney_release(env, key);
    ney_release(env, order);
    ney_release(env, part);
    return st;
}

ney_status ney_data_split(const ney_data *data, const double *share, int n_parts, uint64_t seed,
                          int *part_of, ney_error *err)
{
    NEY_REQUIRE(data && share && part_of, err);
    const int64_t n = data->x.rows;
    ney_rng rng = {seed};
    double total = 0;

    for (int j = 0; j < n_parts; j++) {
        if (!(share[j] > 0) || !isfinite(share[j])) {
            return ney_fail(err, NEY_EINVAL, "share %d is not a number above 0", j + 1);
        }
        total += share[j];
    }
    if (n_parts < 1 || !isfinite(total)) {
        return ney_fail(err, NEY_EINVAL, "%d parts, expected at least one", n_parts);
    }
    if (ney_data_group_column(data)) {
        return split_groups(data, share, n_parts, seed, part_of, err);
    }
    int64_t *rows = ney_alloc(&data->env, n, sizeof *rows);
    if (!rows) {
        return ney_no_memory(err, n, "rows to split");
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        int64_t m = 0;
        for (int64_t i = 0; i < n; i++) {
            if ((data->label ? data->label[i] : -1) == sign) {
                rows[m++] = i;
            }
        }
        ney_rng_shuffle(&rng, rows, m);
        deal(rows, m, share, n_parts, part_of);
    }
    ney_release(&data->env, rows);
    return NEY_OK;
}
