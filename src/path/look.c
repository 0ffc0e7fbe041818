/* Classifiers of a path on rows that it was not made from. */
#include "path/explore.h"

#include "decide/order.h"

#include <math.h>

void ney_half_deinit(ney_half *h, const ney_env *env)
{
    ney_path_free(h->path);
    ney_data_free(h->own_learn);
    ney_data_free(h->own_look);
    ney_release(env, h->score);
    ney_release(env, h->sorted[0]);
    *h = (ney_half){0};
}

ney_status ney_half_init(ney_half *h, const ney_env *env, ney_error *err)
{
    const int64_t rows = ney_data_matrix(h->look)->rows;
    const int8_t *const label = ney_data_label(h->look);
    h->score = ney_alloc(env, rows, sizeof *h->score);
    h->sorted[0] = ney_alloc(env, rows, sizeof *h->sorted[0]);
    if (!h->score || !h->sorted[0]) {
        return ney_no_memory(err, rows, "scores");
    }
    for (int64_t i = 0; i < rows; i++) {
        h->n[label[i] > 0]++;
    }
    h->sorted[1] = h->sorted[0] + h->n[0];
    return NEY_OK;
}

static ney_status sort_scores(ney_half *h, const ney_env *env, ney_error *err)
{
    const int64_t rows = h->n[0] + h->n[1];
    const int8_t *const label = ney_data_label(h->look);
    uint64_t *const key = ney_alloc(env, 2 * rows, sizeof *key);
    if (!key) {
        return ney_no_memory(err, rows, "scores in order");
    }
    for (int c = 0; c < 2; c++) {
        int64_t n = 0;
        for (int64_t i = 0; i < rows; i++) {
            if ((label[i] > 0) == c) {
                key[n++] = ney_score_key(h->score[i]);
            }
        }
        ney_order_keys(key, key + rows, n);
        for (int64_t k = 0; k < n; k++) {
            h->sorted[c][k] = ney_score_of_key(key[k]);
        }
    }
    ney_release(env, key);
    return NEY_OK;
}

ney_status ney_half_look(ney_half *h, const ney_env *env, ney_cost_pair c, ney_error *err)
{
    ney_model *m = NULL;
    ney_status st = ney_path_model(&m, h->path, c, err);
    if (st == NEY_OK) {
        st = ney_model_score(m, env, ney_data_matrix(h->look), h->score, err);
    }
    if (st == NEY_OK) {
        st = sort_scores(h, env, err);
    }
    ney_model_free(m);
    return st;
}

/* The share of ascending numbers that are not below the threshold. */
static double share_from(const double *sorted, int64_t n, double threshold)
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

void ney_half_rates(const ney_half *h, double threshold, double *fpr, double *tpr)
{
    *fpr = share_from(h->sorted[0], h->n[0], threshold);
    *tpr = share_from(h->sorted[1], h->n[1], threshold);
}
