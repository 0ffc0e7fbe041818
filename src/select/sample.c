#include "select/sample.h"

#include "base/rng.h"
#include "data/data.h"

#include <math.h>

/* By class: rows, and rows to draw. */
typedef struct class_counts {
    int64_t all[2], drawn[2];
} class_counts;

static class_counts count_classes(const ney_data *data, int64_t most)
{
    class_counts n = {0};
    for (int64_t i = 0; i < data->x.rows; i++) {
        n.all[data->label[i] > 0]++;
    }
    for (int k = 0; k < 2; k++) {
        n.drawn[k] = n.all[k] < most ? n.all[k] : most;
    }
    return n;
}

/* Each row with the probability that as many as are due are drawn from those that are left; returns
 * the number of rows. */
static int64_t draw_rows(const ney_data *data, const class_counts *n, uint64_t seed, int64_t *rows)
{
    ney_rng rng = {.state = seed};
    class_counts left = *n;
    int64_t m = 0;
    for (int64_t i = 0; i < data->x.rows; i++) {
        const int k = data->label[i] > 0;
        if (ney_rng_below(&rng, left.all[k]--) < left.drawn[k]) {
            left.drawn[k]--;
            rows[m++] = i;
        }
    }
    return m;
}

static ney_status set_weights(ney_data *part, const class_counts *n, const ney_env *env,
                              ney_error *err)
{
    const double stands_for[2] = {(double)n->all[0] / (double)n->drawn[0],
                                  (double)n->all[1] / (double)n->drawn[1]};
    const double least = fmin(stands_for[0], stands_for[1]);
    float *const weight = ney_alloc(env, part->x.rows, sizeof *weight);
    if (!weight) {
        return ney_no_memory(err, part->x.rows, "weights");
    }
    for (int64_t i = 0; i < part->x.rows; i++) {
        const double own = part->weight ? (double)part->weight[i] : 1;
        weight[i] = (float)(own * stands_for[part->label[i] > 0] / least);
    }
    const ney_status st = ney_data_set_weights(part, weight, err);
    ney_release(env, weight);
    return st;
}

ney_status ney_sample_rows(ney_data **out, const ney_env *env, const ney_data *data, int64_t most,
                           uint64_t seed, ney_error *err)
{
    const class_counts n = count_classes(data, most);
    *out = NULL;
    if (n.drawn[0] == n.all[0] && n.drawn[1] == n.all[1]) {
        return NEY_OK;
    }
    int64_t *rows = ney_alloc(env, data->x.rows, sizeof *rows);
    if (!rows) {
        return ney_no_memory(err, data->x.rows, "rows to choose on");
    }
    const int64_t m = draw_rows(data, &n, seed, rows);
    ney_status st = ney_data_take(out, data, rows, m, err);
    if (st == NEY_OK && (st = set_weights(*out, &n, env, err)) != NEY_OK) {
        ney_data_free(*out);
        *out = NULL;
    }
    ney_release(env, rows);
    return st;
}
