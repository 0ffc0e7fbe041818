/* The linear QP over rows that are shared out among processes: sums, the last step to a feasible
 * point, its certificate. Every process has the same w, b and figures. */
#include "linalg/rows.h"
#include "linalg/vector.h"
#include "qp/linear.h"

#include <math.h>
#include <string.h>

double ney_shared_largest(const ney_linear_qp *q, double value)
{
    ney_comm_maximum(ney_blocks_comm(q->blocks), &value, 1);
    return value;
}

double ney_shared_smallest(const ney_linear_qp *q, double value)
{
    ney_comm_minimum(ney_blocks_comm(q->blocks), &value, 1);
    return value;
}

void ney_shared_range(const ney_linear_qp *q, double *least, double *most)
{
    double end[2] = {-*least, *most};
    ney_comm_maximum(ney_blocks_comm(q->blocks), end, 2);
    *least = -end[0];
    *most = end[1];
}

/* Time and callers differ from process to process: the strongest reason that one of them has to
 * stop is that of all. */
bool ney_shared_limit_reached(const ney_linear_qp *q, ney_qp_info *info, double violation)
{
    const bool own = ney_qp_limit_reached(&q->env, q->o, q->begin, info, violation);
    if (ney_comm_size(ney_blocks_comm(q->blocks)) == 1) {
        return own;
    }
    const double stop = ney_shared_largest(q, own ? (double)info->stop + 1 : 0);
    info->stop = stop > 0 ? (ney_stop)(stop - 1) : info->stop;
    return stop > 0;
}

bool ney_shared_combine(const ney_linear_qp *q, const double *factor, double *to)
{
    const ney_row_blocks *const b = q->blocks;
    const int64_t cols = q->x->cols;
    double *const block = ney_alloc(&q->env, cols, sizeof *block);
    ney_block_sums sums;
    const bool fine = ney_block_sums_init(&sums, b, cols) && block;
    for (int64_t k = 0; k < b->n && fine; k++) {
        bool any = false;
        for (int64_t i = b->begin[k]; i < b->begin[k + 1]; i++) {
            if (factor && factor[i] == 0) {
                continue;
            }
            if (!any) {
                memset(block, 0, (size_t)cols * sizeof *block);
                any = true;
            }
            ney_row_add(q->x, i, factor ? factor[i] : 1, block);
        }
        if (any) {
            ney_block_sums_add(&sums, block);
        } else {
            ney_block_sums_skip(&sums);
        }
    }
    if (fine) {
        ney_block_sums_finish(&sums, to);
    }
    ney_block_sums_deinit(&sums);
    ney_release(&q->env, block);
    return fine;
}

/* ---- sum v = 0 */

static void add_variables(void *context, int64_t begin, int64_t end, double *sum)
{
    const ney_linear_qp *const q = context;
    for (int64_t i = begin; i < end; i++) {
        sum[0] += q->v[i];
    }
}

static double sum_variables(ney_linear_qp *q)
{
    double sum;
    ney_sum_rows(q->blocks, q->p->n, add_variables, q, &sum, 1);
    return sum;
}

/* What [QP.2] would be violated by if v_i moved against the sum; infinite where it cannot. */
static double resistance(const ney_linear_qp *q, int64_t i, double b, double sum)
{
    const double aim = q->v[i] - sum;
    if (aim < q->p->low[i] || aim > q->p->high[i]) {
        return (double)INFINITY;
    }
    const double slope = sum < 0 ? ney_qp_up(q->p, i, q->v[i]) : ney_qp_down(q->p, i, q->v[i]);
    return isfinite(slope) ? fabs(slope - q->f[i] - b) : (double)INFINITY;
}

/* The row that resists least takes what the sum lacks, on the first process that has such a row.
 * Newton's responses lack no more than rounding: one row can take it, or it stays. */
static void balance(ney_linear_qp *q, double b)
{
    enum { MOST = 4 };
    const ney_comm *const comm = q->blocks->comm;
    double sum = sum_variables(q);
    for (int trial = 0; trial < MOST && sum != 0; trial++) {
        double least = (double)INFINITY;
        int64_t row = -1;
        for (int64_t i = 0; i < q->p->n; i++) {
            const double r = resistance(q, i, b, sum);
            row = r < least ? i : row;
            least = r < least ? r : least;
        }
        const double best = ney_shared_smallest(q, least);
        const bool is_own = row >= 0 && least == best;
        const double who = ney_shared_smallest(q, is_own ? ney_comm_rank(comm) : (double)INFINITY);
        if (isinf(who)) {
            return;
        }
        if (is_own && who == ney_comm_rank(comm)) {
            q->v[row] -= sum;
        }
        sum = sum_variables(q);
    }
}

/* ---- the certificate: as ney_qp_certify(), over all rows */

enum { POINTS = 4 }; /* intercepts that are tried at once */

typedef struct trial {
    const ney_linear_qp *q;
    double b[POINTS];
} trial;

/* Of each intercept the part of [QP.3] that depends on it, and its slope. */
static void add_conjugates(void *context, int64_t begin, int64_t end, double *sum)
{
    const trial *const t = context;
    const ney_qp *const p = t->q->p;
    for (int64_t i = begin; i < end; i++) {
        for (int k = 0; k < POINTS; k++) {
            const double g = t->q->f[i] + t->b[k];
            const double v = p->slope_low[i] <= g    ? p->low[i]
                             : p->slope_high[i] >= g ? p->high[i]
                                                     : p->middle[i];
            sum[2 * k] += ney_qp_value(p, i, v) - v * g;
            sum[2 * k + 1] -= v;
        }
    }
}

static void try_intercepts(trial *t, double low, double high, double sum[2 * POINTS])
{
    for (int k = 0; k < POINTS; k++) {
        t->b[k] = low + (high - low) * (k + 1) / (POINTS + 1);
    }
    ney_sum_rows(t->q->blocks, t->q->p->n, add_conjugates, t, sum, 2 * POINTS);
}

/* Extend an end by widths that double until the primal rises beyond it. */
static void extend(trial *t, double *low, double *high, double sum[2 * POINTS])
{
    for (double width = fmax(*high - *low, 1e-3 * fmax(1, fabs(*low))); isfinite(width);
         width *= 2) {
        t->b[0] = t->b[1] = *low;
        t->b[2] = t->b[3] = *high;
        ney_sum_rows(t->q->blocks, t->q->p->n, add_conjugates, t, sum, 2 * POINTS);
        const bool left = sum[1] > 0, right = sum[5] < 0;
        if (!left && !right) {
            return;
        }
        *low -= left ? width : 0;
        *high += right ? width : 0;
    }
}

/* b that makes the primal least, and that part of the primal. */
static double best_intercept(const ney_linear_qp *q, double low, double high, double *least)
{
    enum { ROUNDS = 20 };
    double sum[2 * POINTS], b = low;
    trial t = {.q = q};
    extend(&t, &low, &high, sum);
    *least = fmin(sum[0], sum[4]);
    b = sum[0] <= sum[4] ? low : high;
    for (int round = 0; round < ROUNDS && low < high; round++) {
        const double before = high - low;
        try_intercepts(&t, low, high, sum);
        for (int k = 0; k < POINTS; k++) {
            b = sum[2 * k] < *least ? t.b[k] : b;
            *least = fmin(*least, sum[2 * k]);
            low = sum[2 * k + 1] <= 0 ? fmax(low, t.b[k]) : low;
        }
        for (int k = POINTS - 1; k >= 0; k--) {
            high = sum[2 * k + 1] >= 0 ? fmin(high, t.b[k]) : high;
        }
        if (!(high - low < before)) {
            break;
        }
    }
    return b;
}

static void add_point(void *context, int64_t begin, int64_t end, double *sum)
{
    const ney_linear_qp *const q = context;
    const ney_qp *const p = q->p;
    for (int64_t i = begin; i < end; i++) {
        sum[0] += p->high[i] - p->low[i];
        sum[1] += q->v[i] * q->f[i];
        sum[2] += ney_qp_value(p, i, q->v[i]);
    }
}

static void certify(ney_linear_qp *q, ney_qp_info *info)
{
    double sum[3], least, end[2] = {-(double)INFINITY, -(double)INFINITY};
    for (int64_t i = 0; i < q->p->n; i++) {
        end[0] = fmax(end[0], ney_qp_up(q->p, i, q->v[i]) - q->f[i]);
        end[1] = fmax(end[1], q->f[i] - ney_qp_down(q->p, i, q->v[i]));
    }
    ney_comm_maximum(q->blocks->comm, end, 2);
    double highest = end[0], lowest = -end[1];
    if (!isfinite(highest) || !isfinite(lowest)) { /* nothing can move: any b between will do */
        highest = isfinite(highest) ? highest : (isfinite(lowest) ? lowest : 0);
        lowest = isfinite(lowest) ? lowest : highest;
    }
    ney_sum_rows(q->blocks, q->p->n, add_point, q, sum, 3);
    info->boxes = sum[0];
    info->violation = fmax(0, highest - lowest);
    info->intercept = best_intercept(q, fmin(highest, lowest), fmax(highest, lowest), &least);
    info->dual = sum[2] - sum[1] / 2;
    info->primal = sum[1] / 2 + least;
}

bool ney_shared_make_feasible(ney_linear_qp *q, double b, bool start, ney_qp_info *info)
{
    double level = 0;
    for (int64_t i = 0; start && i < q->p->n; i++) {
        q->v[i] = fmin(fmax(q->v[i], q->p->low[i]), q->p->high[i]);
    }
    if (!start) {
        balance(q, b);
    }
    if (!ney_shared_combine(q, q->v, q->w)) {
        return false;
    }
    for (int64_t c = 0; c < q->x->cols; c++) {
        level += q->mean[c] * q->w[c];
    }
    for (int64_t i = 0; i < q->p->n; i++) {
        q->f[i] = ney_linear_score(q->x, i, q->w) - level;
    }
    certify(q, info);
    if (start) { /* a point that does not add up is none to end with */
        info->violation = sum_variables(q) == 0 ? info->violation : fmax(info->violation, 1);
    }
    info->intercept -= level;
    for (int64_t i = 0; i < q->p->n; i++) {
        q->f[i] += level;
    }
    return true;
}
