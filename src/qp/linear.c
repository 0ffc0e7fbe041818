#include "qp/linear.h"

#include "base/clock.h"
#include "base/parallel.h"
#include "linalg/rows.h"
#include "linalg/vector.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1024 };

double ney_linear_score(const ney_matrix *x, int64_t i, const double *w)
{
    if (x->dense) {
        return ney_vector_dot_mixed(x->dense + i * x->cols, w, x->cols);
    }
    const int64_t first = x->start[i];
    return ney_sparse_dot(x->index + first, x->value + first, x->start[i + 1] - first, w);
}

static void dot_block(void *context, int64_t block, int thread)
{
    const ney_linear_qp *q = context;
    const int64_t first = block * BLOCK;
    const int64_t last = first + BLOCK < q->p->n ? first + BLOCK : q->p->n;
    (void)thread;
    for (int64_t i = first; i < last; i++) {
        q->f[i] = ney_linear_score(q->x, i, q->w);
    }
}

/* The optimality violation of moving variable i in the direction that brings the sum to zero. */
static double resistance(const ney_linear_qp *q, int64_t i, double b, bool rise)
{
    const double slope = rise ? ney_qp_up(q->p, i, q->v[i]) : ney_qp_down(q->p, i, q->v[i]);
    return isfinite(slope) ? fabs(slope - q->f[i] - b) : (double)INFINITY;
}

typedef struct candidate {
    double resistance;
    int64_t row;
} candidate;

static int by_resistance(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->resistance != y->resistance) {
        return x->resistance < y->resistance ? -1 : 1;
    }
    return x->row < y->row ? -1 : x->row > y->row;
}

/* Move row i by what the sum lacks, as far as its box goes. True when that was all. */
static bool move_variable(ney_linear_qp *q, int64_t i, double *sum)
{
    const double aim = q->v[i] - *sum;
    const double to = fmin(fmax(aim, q->p->low[i]), q->p->high[i]);
    *sum += to - q->v[i];
    q->v[i] = to;
    return to == aim; /* what is left is rounding: it must not push others off their bounds */
}

/* Bring sum v to zero, moving first what resists least. Nearly always one row can take it all. */
static bool balance(ney_linear_qp *q, double b)
{
    const int64_t n = q->p->n;
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += q->v[i];
    }
    candidate best = {(double)INFINITY, -1};
    for (int64_t i = 0; i < n && sum != 0; i++) {
        const candidate c = {resistance(q, i, b, sum < 0), i};
        best = c.resistance < best.resistance ? c : best;
    }
    if (sum == 0 || (best.row >= 0 && move_variable(q, best.row, &sum))) {
        return true;
    }
    candidate *c = ney_alloc(&q->env, n, sizeof *c);
    if (!c) {
        return false;
    }
    for (int64_t i = 0; i < n; i++) {
        c[i] = (candidate){resistance(q, i, b, sum < 0), i};
    }
    qsort(c, (size_t)n, sizeof *c, by_resistance);
    for (int64_t k = 0; k < n && sum != 0 && !move_variable(q, c[k].row, &sum); k++) {
    }
    ney_release(&q->env, c);
    return true;
}

/* f = Xw and the certificate, whose quadratic term is v'f. */
static void certify(ney_linear_qp *q, ney_qp_info *info)
{
    double level = 0;
    for (int64_t c = 0; c < q->x->cols; c++) {
        level += q->mean[c] * q->w[c];
    }
    ney_parallel_for(&q->env, (q->p->n + BLOCK - 1) / BLOCK, dot_block, q);
    for (int64_t i = 0; i < q->p->n; i++) {
        q->f[i] -= level;
    }
    ney_qp_certify(q->p, q->v, q->f, info);
    info->intercept -= level;
    for (int64_t i = 0; i < q->p->n; i++) {
        q->f[i] += level;
    }
}

bool ney_linear_make_feasible(ney_linear_qp *q, double b, ney_qp_info *info)
{
    if (q->blocks) {
        return ney_shared_make_feasible(q, b, false, info);
    }
    if (!balance(q, b)) {
        return false;
    }
    memset(q->w, 0, (size_t)q->x->cols * sizeof *q->w);
    for (int64_t i = 0; i < q->p->n; i++) {
        if (q->v[i] != 0) {
            ney_row_add(q->x, i, q->v[i], q->w);
        }
    }
    certify(q, info);
    return true;
}

static void exchange_weights(ney_linear_qp *q, double *w)
{
    for (int64_t c = 0; c < q->x->cols; c++) {
        const double own = q->w[c];
        q->w[c] = w[c];
        w[c] = own;
    }
}

/* What rounding of v does to scores by X'v: an error of a weight counts as often as its column is
 * large. */
static double score_rounding(const ney_linear_qp *q)
{
    double longest = 0, size = 0;
    for (int64_t i = 0; i < q->p->n; i++) {
        const double square = ney_row_square(q->x, i);
        longest = fmax(longest, square);
        size = fmax(size, fabs(q->v[i]) * sqrt(square));
    }
    return DBL_EPSILON * size * sqrt(longest);
}

/* An error of X'v in a column of size s moves scores by s times as much, the objective hardly. */
void ney_linear_take_weights(ney_linear_qp *q, double *w, ney_qp_info *info)
{
    const ney_qp_info before = *info;
    const int64_t cols = q->x->cols;
    if (!(score_rounding(q) > 0.01 * q->o->tol)) {
        return;
    }
    exchange_weights(q, w);
    certify(q, info);
    if (info->violation < before.violation) {
        double between = 0; /* v'f, which replaces both squares in the certificate */
        for (int64_t i = 0; i < q->p->n; i++) {
            between += q->v[i] * q->f[i];
        }
        info->primal += (ney_dot(q->w, q->w, cols) - between) / 2;
        info->dual += (between - ney_dot(w, w, cols)) / 2;
        return;
    }
    exchange_weights(q, w);
    certify(q, info);
}

/* What rounding keeps Newton steps from, single rows may still reach; of the two points the one
 * with the smaller gap is kept. */
static ney_status continue_by_rows(ney_linear_qp *q, ney_qp_info *info, ney_error *err)
{
    const ney_qp_info before = *info;
    const size_t n = (size_t)q->p->n, cols = (size_t)q->x->cols;
    double *const v = ney_alloc(&q->env, 2 * q->p->n + q->x->cols, sizeof *v);
    if (!v) {
        return ney_no_memory(err, q->p->n, "dual variables");
    }
    double *const f = v + n, *const w = f + n;
    memcpy(v, q->v, n * sizeof *v);
    memcpy(f, q->f, n * sizeof *f);
    memcpy(w, q->w, cols * sizeof *w);
    q->most_passes = info->iterations + 10000;
    const ney_status st = ney_dcd_solve(q, info, err);
    if (st == NEY_OK && info->stop != NEY_STOP_CONVERGED &&
        !(info->primal - info->dual <= before.primal - before.dual)) {
        const ney_qp_info after = *info;
        memcpy(q->v, v, n * sizeof *v);
        memcpy(q->f, f, n * sizeof *f);
        memcpy(q->w, w, cols * sizeof *w);
        *info = before;
        info->stop = after.stop;
        info->iterations = after.iterations;
    }
    ney_release(&q->env, v);
    return st;
}

/* Rows of several processes: Newton steps, whatever the number of columns. */
static ney_status solve_shared(ney_linear_qp *q, ney_qp_info *info, ney_error *err)
{
    const int64_t cols = q->x->cols;
    if (!ney_shared_combine(q, NULL, q->mean)) {
        return ney_no_memory(err, cols, "weights");
    }
    for (int64_t c = 0; c < cols; c++) {
        q->mean[c] /= (double)q->blocks->rows;
    }
    return ney_newton_solve(q, info, err);
}

static ney_status solve(ney_linear_qp *q, ney_qp_info *info, ney_error *err)
{
    if (q->blocks) {
        return solve_shared(q, info, err);
    }
    for (int64_t i = 0; i < q->p->n; i++) {
        ney_row_add(q->x, i, 1 / (double)q->p->n, q->mean);
    }
    if (q->x->cols > NEY_LINEAR_NARROW) {
        return ney_dcd_solve(q, info, err);
    }
    const ney_status st = ney_newton_solve(q, info, err);
    return st == NEY_OK && info->stop == NEY_STOP_PRECISION ? continue_by_rows(q, info, err) : st;
}

ney_status ney_linear_solve(ney_linear_qp *q, ney_qp_info *info, ney_error *err)
{
    *info = (ney_qp_info){0};
    if (!q->blocks && !ney_qp_repair(q->p, q->v)) {
        return ney_fail(err, NEY_EINVAL, "no point of the box satisfies the equality constraint");
    }
    q->begin = ney_now();
    q->mean = ney_alloc_zeroed(&q->env, q->x->cols, sizeof *q->mean);
    const ney_status st = ney_shared_have_memory(q, q->mean != NULL)
                              ? solve(q, info, err)
                              : ney_no_memory(err, q->x->cols, "weights");
    ney_release(&q->env, q->mean);
    q->mean = NULL;
    return st;
}
