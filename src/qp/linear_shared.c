/* The linear QP over rows that are shared out among processes: sums, the last step to a feasible
 * point, its certificate. Every process has the same w, b and figures. */
#include "linalg/rows.h"
#include "linalg/vector.h"
#include "qp/linear.h"

#include <math.h>
#include <string.h>

bool ney_shared_have_memory(const ney_linear_qp *q, bool own)
{
    return ney_comm_agree(ney_blocks_comm(q->blocks), own ? NEY_OK : NEY_ENOMEM, NULL) == NEY_OK;
}

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
    ney_block_sums sums;
    const bool fine = ney_shared_have_memory(q, ney_block_sums_init(&sums, b, cols));
    for (int64_t k = 0; k < b->n && fine; k++) {
        double *block = NULL;
        for (int64_t i = b->begin[k]; i < b->begin[k + 1]; i++) {
            if (factor && factor[i] == 0) {
                continue;
            }
            block = block ? block : ney_block_sums_memory(&sums);
            ney_row_add(q->x, i, factor ? factor[i] : 1, block);
        }
        if (block) {
            ney_block_sums_add(&sums, block);
        } else {
            ney_block_sums_skip(&sums);
        }
    }
    if (fine) {
        ney_block_sums_finish(&sums, to);
    }
    ney_block_sums_deinit(&sums);
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

/* The part of [QP.3] that depends on b, at some b, and its slope there. */
typedef struct conjugate {
    double b, value, slope;
} conjugate;

/* A search between two intercepts. A row whose variable is the same at both adds a straight line;
 * others are listed, and they are few where the intercepts are near. */
typedef struct bracket {
    const ney_linear_qp *q;
    double b[2];        /* intercepts that are tried at once */
    conjugate straight; /* sum of the lines */
    int64_t *listed, n; /* rows that are not straight */
    int64_t next;       /* of them */
    bool lists;         /* all rows are visited, and listed */
} bracket;

static void add_row(bracket *t, int64_t i, double *sum)
{
    const ney_qp *const p = t->q->p;
    double v[2];
    for (int k = 0; k < 2; k++) {
        const double g = t->q->f[i] + t->b[k];
        v[k] = p->slope_low[i] <= g ? p->low[i] : p->slope_high[i] >= g ? p->high[i] : p->middle[i];
        sum[2 * k] += ney_qp_value(p, i, v[k]) - v[k] * g;
        sum[2 * k + 1] -= v[k];
    }
    if (t->lists && v[0] == v[1]) {
        sum[4] += ney_qp_value(p, i, v[0]) - v[0] * (t->q->f[i] + t->straight.b);
        sum[5] -= v[0];
    } else if (t->lists) {
        t->listed[t->n++] = i;
    }
}

static void add_conjugates(void *context, int64_t begin, int64_t end, double *sum)
{
    bracket *const t = context;
    for (int64_t i = begin; i < end && t->lists; i++) {
        add_row(t, i, sum);
    }
    while (!t->lists && t->next < t->n && t->listed[t->next] < end) {
        add_row(t, t->listed[t->next++], sum);
    }
}

/* At two intercepts. */
static void evaluate(bracket *t, double first, double second, conjugate at[2])
{
    const conjugate s = t->straight;
    double sum[6];
    t->b[0] = first;
    t->b[1] = second;
    t->next = 0;
    ney_sum_rows(t->q->blocks, t->q->p->n, add_conjugates, t, sum, 6);
    for (int k = 0; k < 2; k++) {
        at[k] = (conjugate){t->b[k], s.value + s.slope * (t->b[k] - s.b) + sum[2 * k],
                            s.slope + sum[2 * k + 1]};
    }
    t->straight.value += sum[4];
    t->straight.slope += sum[5];
}

/* The same over all rows: those that are not straight between the two are listed. */
static void list_between(bracket *t, double low, double high, conjugate end[2])
{
    t->straight = (conjugate){.b = low};
    t->n = 0;
    t->lists = true;
    evaluate(t, low, high, end);
    t->lists = false;
}

/* Extend both ends by widths that double until the primal rises beyond them. */
static void extend(bracket *t, double low, double high, conjugate end[2])
{
    for (double width = fmax(high - low, 1e-3 * fmax(1, fabs(low)));; width *= 2) {
        list_between(t, low, high, end);
        const bool left = end[0].slope > 0, right = end[1].slope < 0;
        if ((!left && !right) || !isfinite(width)) {
            return;
        }
        low -= left ? width : 0;
        high += right ? width : 0;
    }
}

/* b that makes the primal least, and that part of the primal: convex and piecewise linear, so not
 * below where the tangents of both ends meet, and there once no break is between them and that
 * point. The middle is tried with it. */
static double best_intercept(bracket *t, double low, double high, double *least)
{
    enum { ROUNDS = 60, FIRST = 4 };
    conjugate end[2];
    int list_at = FIRST; /* rounds after which fewer rows are left between the ends */
    extend(t, low, high, end);
    conjugate best = end[0].value <= end[1].value ? end[0] : end[1];
    for (int round = 0; round < ROUNDS && end[0].slope < 0 && end[1].slope > 0; round++) {
        const double width = end[1].b - end[0].b, middle = end[0].b + width / 2;
        const double meet = end[0].b + (end[0].value - end[1].value + end[1].slope * width) /
                                           (end[1].slope - end[0].slope);
        const double tangent = end[0].value + end[0].slope * (meet - end[0].b);
        const bool is_least = best.value - tangent <= 1e-15 * fabs(best.value);
        if (is_least || !(middle > end[0].b && middle < end[1].b)) {
            break;
        }
        const bool inner = meet > end[0].b && meet < end[1].b;
        conjugate at[2];
        evaluate(t, inner ? meet : middle, middle, at);
        for (int k = 0; k < 2; k++) {
            best = at[k].value < best.value ? at[k] : best;
            end[0] = at[k].slope <= 0 && at[k].b > end[0].b ? at[k] : end[0];
            end[1] = at[k].slope >= 0 && at[k].b < end[1].b ? at[k] : end[1];
        }
        if (round + 1 == list_at) {
            list_between(t, end[0].b, end[1].b, at);
            list_at *= 2;
        }
    }
    *least = best.value;
    return best.b;
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

/* False without memory. */
static bool certify(ney_linear_qp *q, ney_qp_info *info)
{
    bracket t = {.q = q, .listed = ney_alloc(&q->env, q->p->n, sizeof *t.listed)};
    double sum[3], least, end[2] = {-(double)INFINITY, -(double)INFINITY};
    if (!ney_shared_have_memory(q, t.listed)) {
        ney_release(&q->env, t.listed);
        return false;
    }
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
    info->intercept = best_intercept(&t, fmin(highest, lowest), fmax(highest, lowest), &least);
    info->dual = sum[2] - sum[1] / 2;
    info->primal = sum[1] / 2 + least;
    ney_release(&q->env, t.listed);
    return true;
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
    if (!certify(q, info)) {
        return false;
    }
    if (start) { /* a point that does not add up is none to end with */
        info->violation = sum_variables(q) == 0 ? info->violation : fmax(info->violation, 1);
    }
    info->intercept -= level;
    for (int64_t i = 0; i < q->p->n; i++) {
        q->f[i] += level;
    }
    return true;
}
