/* Newton steps over rows that are shared out among processes. Vectors and systems are summed over
 * the tree of row blocks; what every process computes from the sums is the same. */
#include "linalg/cholesky.h"
#include "linalg/rows.h"
#include "linalg/vector.h"
#include "qp/newton.h"

#include <math.h>
#include <string.h>

/* ---- sums */

/* Numbers of a system: the lower triangle, the weighted rows, the weights. */
static int64_t system_size(int64_t cols)
{
    return cols > NEY_LINEAR_NARROW ? 2 * cols + 1 : cols * (cols + 1) / 2 + cols + 1;
}

bool ney_newton_shared_init(ney_newton *t)
{
    const int64_t cols = t->q->x->cols;
    t->numbers = ney_alloc(&t->q->env, ney_newton_blocks(t) + system_size(cols) + 5 * cols,
                           sizeof *t->numbers);
    return ney_block_sums_init(&t->vectors, t->q->blocks, system_size(cols)) && t->numbers;
}

void ney_newton_shared_deinit(ney_newton *t)
{
    ney_block_sums_deinit(&t->vectors);
    ney_release(&t->q->env, t->numbers);
    t->numbers = NULL;
}

double ney_newton_shared_sum(const ney_newton *t)
{
    double sum;
    ney_sum_blocks(t->q->blocks, t->numbers, &sum, 1);
    return sum;
}

/* Sums of k numbers each: memory is there for the largest. */
static ney_block_sums *begin_sums(ney_newton *t, int64_t k)
{
    t->vectors.k = k;
    ney_block_sums_clear(&t->vectors);
    return &t->vectors;
}

/* Memory behind the numbers of blocks: all sums, vectors of conjugate gradients. */
static double *sum_memory(const ney_newton *t)
{
    return t->numbers + ney_newton_blocks(t);
}

static double *vector_memory(const ney_newton *t, int k)
{
    return sum_memory(t) + system_size(t->q->x->cols) + k * t->q->x->cols;
}

void ney_newton_shared_product(ney_newton *t)
{
    const int64_t cols = t->q->x->cols;
    ney_block_sums *const sums = begin_sums(t, cols);
    double *const all = sum_memory(t);
    for (int64_t block = 0; block < ney_newton_blocks(t); block++) {
        double *to = NULL;
        for (int64_t i = ney_newton_block_begin(t, block); i < ney_newton_block_end(t, block);
             i++) {
            if (t->q->v[i] == t->last[i]) {
                continue;
            }
            to = to ? to : ney_block_sums_memory(sums);
            ney_row_add(t->q->x, i, t->q->v[i] - t->last[i], to);
            t->last[i] = t->q->v[i];
        }
        if (to) {
            ney_block_sums_add(sums, to);
        } else {
            ney_block_sums_skip(sums);
        }
    }
    ney_block_sums_finish(sums, all);
    for (int64_t c = 0; c < cols; c++) {
        t->product[c] += all[c];
    }
}

/* ---- rows inside, block by block */

typedef void add_row(const ney_newton *t, int64_t row, double *to);

/* The sums of k numbers that rows inside add. */
static double *sum_inside(ney_newton *t, int64_t k, add_row *add)
{
    ney_block_sums *const sums = begin_sums(t, k);
    double *const all = sum_memory(t);
    for (int64_t block = 0, at = 0; block < ney_newton_blocks(t); block++) {
        double *to = NULL;
        while (at < t->n_inside && t->inside[at] < ney_newton_block_end(t, block)) {
            to = to ? to : ney_block_sums_memory(sums);
            add(t, t->inside[at++], to);
        }
        if (to) {
            ney_block_sums_add(sums, to);
        } else {
            ney_block_sums_skip(sums);
        }
    }
    ney_block_sums_finish(sums, all);
    return all;
}

/* ---- few columns */

/* Where the triangle of a row begins. */
static int64_t packed(int64_t row)
{
    return row * (row + 1) / 2;
}

static void add_dense(const ney_newton *t, int64_t row, double *to)
{
    const ney_matrix *const x = t->q->x;
    const int64_t cols = x->cols;
    double *const mean = to + packed(cols), moved[NEY_LINEAR_NARROW];
    for (int64_t a = 0; a < cols; a++) {
        moved[a] = -t->q->mean[a];
    }
    ney_row_add(x, row, 1, moved);
    for (int64_t a = 0; a < cols; a++) {
        const double s = t->sigma[row] * moved[a];
        double *const line = to + packed(a);
        mean[a] += s;
        for (int64_t b = 0; b <= a; b++) {
            line[b] += s * moved[b];
        }
    }
    mean[cols] += t->sigma[row];
}

static void add_sparse(const ney_newton *t, int64_t row, double *to)
{
    const ney_matrix *const x = t->q->x;
    const int64_t cols = x->cols, begin = x->start[row], end = x->start[row + 1];
    double *const mean = to + packed(cols);
    for (int64_t a = begin; a < end; a++) {
        const double s = t->sigma[row] * (double)x->value[a];
        double *const line = to + packed(x->index[a]);
        mean[x->index[a]] += s;
        for (int64_t b = begin; b <= a; b++) {
            line[x->index[b]] += s * (double)x->value[b];
        }
    }
    mean[cols] += t->sigma[row];
}

static bool solve_narrow(ney_newton *t)
{
    const int64_t cols = t->q->x->cols;
    const double *const all = sum_inside(t, system_size(cols), t->shifted ? add_dense : add_sparse);
    const double *const mean = all + packed(cols), total = mean[cols];
    double *const h = t->system;
    for (int64_t a = 0; a < cols; a++) {
        for (int64_t b = 0; b <= a; b++) {
            h[a * cols + b] = all[packed(a) + b] - (total > 0 ? mean[a] / total * mean[b] : 0);
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

/* ---- many columns: conjugate gradients with the diagonal as preconditioner */

/* Weighted squares, weighted rows, weights. */
static void add_diagonal(const ney_newton *t, int64_t row, double *to)
{
    const ney_matrix *const x = t->q->x;
    const int64_t cols = x->cols, begin = x->dense ? row * cols : x->start[row];
    const int64_t end = x->dense ? begin + cols : x->start[row + 1];
    for (int64_t k = begin; k < end; k++) {
        const double v = (double)(x->dense ? x->dense[k] : x->value[k]);
        const int64_t c = x->dense ? k - begin : x->index[k];
        to[c] += t->sigma[row] * v * v;
        to[cols + c] += t->sigma[row] * v;
    }
    to[2 * cols] += t->sigma[row];
}

/* sigma x (x'p), with x'p in t->change. */
static void add_product(const ney_newton *t, int64_t row, double *to)
{
    ney_row_add(t->q->x, row, t->sigma[row] * t->change[row], to);
}

/* to = Hessian * p */
static void multiply(ney_newton *t, const double *p, const double *mean, double total, double *to)
{
    const int64_t cols = t->q->x->cols;
    for (int64_t k = 0; k < t->n_inside; k++) {
        t->change[t->inside[k]] = ney_linear_score(t->q->x, t->inside[k], p);
    }
    const double *const all = sum_inside(t, cols, add_product);
    const double along = total > 0 ? ney_dot(mean, p, cols) / total : 0;
    for (int64_t c = 0; c < cols; c++) {
        to[c] = p[c] + all[c] - along * mean[c];
    }
}

static bool solve_wide(ney_newton *t)
{
    enum { MOST = 200 };
    const double enough = 0.05; /* of the gradient is left */
    const int64_t cols = t->q->x->cols;
    double *const diagonal = vector_memory(t, 0), *const mean = vector_memory(t, 1);
    double *const rest = vector_memory(t, 2), *const p = vector_memory(t, 3);
    double *const hp = vector_memory(t, 4), *const d = t->direction;
    const double *const all = sum_inside(t, 2 * cols + 1, add_diagonal);
    const double total = all[2 * cols];
    double square = 0;
    for (int64_t c = 0; c < cols; c++) {
        mean[c] = all[cols + c];
        diagonal[c] = 1 + all[c] - (total > 0 ? mean[c] * mean[c] / total : 0);
        rest[c] = -t->gradient[c];
        p[c] = rest[c] / diagonal[c];
        d[c] = 0;
        square += rest[c] * p[c];
    }
    const double aim = enough * enough * ney_dot(rest, rest, cols);
    for (int k = 0; k < MOST && square > 0; k++) {
        multiply(t, p, mean, total, hp);
        const double step = square / ney_dot(p, hp, cols), before = square;
        square = 0;
        for (int64_t c = 0; c < cols; c++) {
            d[c] += step * p[c];
            rest[c] -= step * hp[c];
            square += rest[c] * rest[c] / diagonal[c];
        }
        if (!(ney_dot(rest, rest, cols) > aim)) {
            break;
        }
        for (int64_t c = 0; c < cols; c++) {
            p[c] = rest[c] / diagonal[c] + square / before * p[c];
        }
    }
    return true;
}

bool ney_newton_shared_direction(ney_newton *t)
{
    return t->q->x->cols > NEY_LINEAR_NARROW ? solve_wide(t) : solve_narrow(t);
}
