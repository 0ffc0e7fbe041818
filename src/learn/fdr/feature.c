/* The single column, with its sign, that finds most targets: the start of every search, and its
 * baseline. */
#include "learn/fdr/fdr.h"
#include "linalg/rows.h"

#include <math.h>
#include <string.h>

static void read_column(const ney_matrix *x, int64_t column, double *out)
{
    if (x->dense) {
        for (int64_t i = 0; i < x->rows; i++) {
            out[i] = (double)x->dense[i * x->cols + column];
        }
        return;
    }
    memset(out, 0, (size_t)x->rows * sizeof *out);
    for (int64_t i = 0; i < x->rows; i++) {
        for (int64_t k = x->start[i]; k < x->start[i + 1] && x->index[k] <= column; k++) {
            out[i] = x->index[k] == column ? (double)x->value[k] : out[i];
        }
    }
}

/* The merit of a score: targets accepted at q; where there are none, half the area under the ROC
 * curve. */
static ney_status feature_merit(const ney_task *t, const ney_fdr *f, double q, const double *score,
                                double *qvalue, double *merit, ney_error *err)
{
    int64_t found;
    double auc = 0;
    const int64_t n = t->x->rows;
    ney_status st =
        ney_fdr_accept(f, &t->env, ney_fdr_task_scores(t, score), q, qvalue, NULL, &found, err);
    if (st == NEY_OK && found == 0) {
        st = ney_auc(&t->env, score, t->label, n, &auc, err);
    }
    *merit = (double)found + 0.5 * auc;
    return st;
}

ney_status ney_fdr_feature(ney_model **out, ney_task *t, const ney_fdr *f, double q, double *score,
                           ney_error *err)
{
    const int64_t n = t->x->rows, cols = t->x->cols;
    double *column = ney_alloc(&t->env, 2 * n, sizeof *column), best = -1, merit;
    double *w = ney_alloc_zeroed(&t->env, cols, sizeof *w);
    int64_t chosen = 0;
    int sign = 1;
    ney_status st = NEY_OK;

    *out = NULL;
    if (!column || !w) {
        st = ney_no_memory(err, n, "scores");
        goto done;
    }
    for (int64_t c = 0; c < 2 * cols && st == NEY_OK; c++) {
        read_column(t->x, c / 2, column);
        for (int64_t i = 0; i < n && c % 2 == 1; i++) {
            column[i] = -column[i];
        }
        st = feature_merit(t, f, q, column, column + n, &merit, err);
        if (st == NEY_OK && merit > best) {
            best = merit;
            chosen = c / 2;
            sign = c % 2 ? -1 : 1;
            memcpy(score, column, (size_t)n * sizeof *score);
        }
    }
    if (st == NEY_OK && f->start) {
        for (int64_t i = 0; i < n; i++) {
            column[i] = ney_row_dot(t->x, i, f->start, cols);
        }
        st = feature_merit(t, f, q, column, column + n, &merit, err);
        if (st == NEY_OK && merit >= best) {
            memcpy(score, column, (size_t)n * sizeof *score);
        }
    }
    if (st == NEY_OK) {
        if (cols > 0) {
            w[chosen] = sign;
        }
        st = ney_model_new_linear(out, &t->env, ney_data_preprocessing(t->data), w, 0, err);
    }

done:
    ney_release(&t->env, w);
    ney_release(&t->env, column);
    return st;
}
