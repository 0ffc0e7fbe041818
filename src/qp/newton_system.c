/* The system of a Newton step of newton.c. */
#include "base/parallel.h"
#include "linalg/cholesky.h"
#include "linalg/rows.h"
#include "qp/newton.h"

#include <assert.h>
#include <string.h>

/* Lower triangle of `to` += weight * row row', and `mean` += weight * row, for the row less shift:
 * b takes up any shift, and columns far from zero would drown the rest in their squares. */
static void add_dense(const ney_matrix *x, int64_t row, const double *shift, double weight,
                      double *to, double *mean)
{
    double moved[NEY_LINEAR_NARROW];
    assert(x->cols <= NEY_LINEAR_NARROW);
    for (int64_t a = 0; a < x->cols; a++) {
        moved[a] = -shift[a];
    }
    ney_row_add(x, row, 1, moved);
    for (int64_t a = 0; a < x->cols; a++) {
        const double s = weight * moved[a];
        mean[a] += s;
        for (int64_t b = 0; b <= a; b++) {
            to[a * x->cols + b] += s * moved[b];
        }
    }
}

/* The same for the few entries of a sparse row, without a shift, which would fill it. */
static void add_sparse(const ney_matrix *x, int64_t row, double weight, double *to, double *mean)
{
    const int64_t cols = x->cols;
    const int64_t begin = x->start[row], end = x->start[row + 1];
    for (int64_t a = begin; a < end; a++) {
        const double s = weight * (double)x->value[a];
        double *const line = to + x->index[a] * cols;
        mean[x->index[a]] += s;
        for (int64_t b = begin; b <= a; b++) {
            line[x->index[b]] += s * (double)x->value[b];
        }
    }
}

/* A part of the rows inside adds up its squares, its weighted rows and its weights. */
static void system_part(void *context, int64_t part, int thread)
{
    const ney_newton *t = context;
    const int64_t cols = t->q->x->cols;
    double *const to = t->system + (part + 1) * cols * cols, *const mean = t->parts + part * cols;
    (void)thread;
    memset(to, 0, (size_t)(cols * cols) * sizeof *to);
    memset(mean, 0, (size_t)cols * sizeof *mean);
    for (int64_t k = t->n_inside * part / t->n_parts; k < t->n_inside * (part + 1) / t->n_parts;
         k++) {
        const int64_t i = t->inside[k];
        if (t->shifted) {
            add_dense(t->q->x, i, t->q->mean, t->sigma[i], to, mean);
        } else {
            add_sparse(t->q->x, i, t->sigma[i], to, mean);
        }
    }
}

bool ney_newton_direction(ney_newton *t)
{
    if (t->q->blocks) {
        return ney_newton_shared_direction(t);
    }
    const int64_t cols = t->q->x->cols, size = cols * cols;
    double *const h = t->system, *const mean = t->parts;
    double total = 0;

    ney_parallel_for(&t->q->env, t->n_parts, system_part, t);
    memcpy(h, h + size, (size_t)size * sizeof *h);
    for (int64_t part = 1; part < t->n_parts; part++) {
        for (int64_t k = 0; k < size; k++) {
            h[k] += h[(part + 1) * size + k];
        }
        for (int64_t c = 0; c < cols; c++) {
            mean[c] += mean[part * cols + c];
        }
    }
    for (int64_t k = 0; k < t->n_inside; k++) {
        total += t->sigma[t->inside[k]];
    }
    for (int64_t a = 0; a < cols; a++) {
        for (int64_t b = 0; b <= a && total > 0; b++) {
            h[a * cols + b] -= mean[a] / total * mean[b];
        }
        h[a * cols + a] += 1;
        t->direction[a] = -t->gradient[a];
    }
    if (!ney_cholesky_factor(h, cols)) {
        return false;
    }
    ney_cholesky_solve(h, cols, t->direction);
    return true;
}
