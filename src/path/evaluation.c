/* Error rates of the classifiers of a path on rows that it was not trained on. */
#include "path/explore.h"

#include "decide/order.h"

#include <math.h>

void ney_path_split_deinit(ney_path_split *s, const ney_env *env)
{
    ney_path_free(s->path);
    ney_data_free(s->own_train);
    ney_data_free(s->own_held);
    ney_release(env, s->score);
    ney_release(env, s->sorted[0]);
    *s = (ney_path_split){0};
}

ney_status ney_path_split_init(ney_path_split *s, const ney_env *env, ney_error *err)
{
    const int64_t rows = ney_data_matrix(s->held)->rows;
    const int8_t *const label = ney_data_label(s->held);
    s->score = ney_alloc(env, rows, sizeof *s->score);
    s->sorted[0] = ney_alloc(env, rows, sizeof *s->sorted[0]);
    if (!s->score || !s->sorted[0]) {
        return ney_no_memory(err, rows, "scores");
    }
    for (int64_t i = 0; i < rows; i++) {
        s->n[label[i] > 0]++;
    }
    s->sorted[1] = s->sorted[0] + s->n[0];
    return NEY_OK;
}

static ney_status sort_scores(ney_path_split *s, const ney_env *env, ney_error *err)
{
    const int64_t rows = s->n[0] + s->n[1];
    const int8_t *const label = ney_data_label(s->held);
    uint64_t *const key = ney_alloc(env, 2 * rows, sizeof *key);
    if (!key) {
        return ney_no_memory(err, rows, "scores in order");
    }
    for (int c = 0; c < 2; c++) {
        int64_t n = 0;
        for (int64_t i = 0; i < rows; i++) {
            if ((label[i] > 0) == c) {
                key[n++] = ney_score_key(s->score[i]);
            }
        }
        ney_order_keys(key, key + rows, n);
        for (int64_t k = 0; k < n; k++) {
            s->sorted[c][k] = ney_score_of_key(key[k]);
        }
    }
    ney_release(env, key);
    return NEY_OK;
}

ney_status ney_path_split_evaluate(ney_path_split *s, const ney_env *env, ney_cost_pair c,
                                   ney_error *err)
{
    const ney_status st = ney_path_score(s->path, env, c, ney_data_matrix(s->held), s->score, err);
    return st == NEY_OK ? sort_scores(s, env, err) : st;
}

/* The share of ascending numbers that are at least the threshold. */
static double share_at_least(const double *sorted, int64_t n, double threshold)
{
    int64_t low = 0, high = n;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (sorted[middle] < threshold) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return (double)(n - low) / (double)n;
}

void ney_path_split_rates(const ney_path_split *s, double threshold, double *fpr, double *tpr)
{
    *fpr = share_at_least(s->sorted[0], s->n[0], threshold);
    *tpr = share_at_least(s->sorted[1], s->n[1], threshold);
}
