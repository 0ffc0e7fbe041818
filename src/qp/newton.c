/* The linear QP by proximal steps, each by Newton's method, for data with few columns or with
 * problems too hard for coordinate descent.
 *
 * A proximal step maximises D(v) - sum_i (v_i - c_i)^2 / (2 sigma_i) around a center c. Its dual is
 * smooth in w and b:
 *
 *     min over w, b of  1/2 |w|^2 + sum_i max over v in [low_i, high_i] of
 *                       p_i(v) - v (x_i'w + b) - (v - c_i)^2 / (2 sigma_i)               [NEWTON.1]
 *
 * The inner maximum is at v_i = the response of row i, a clipped straight line in its score. b is
 * always the one with sum v = 0, so v is feasible. The gradient is w - X'v, half its square is the
 * gap of the step, and the Hessian is I + sum of sigma_i x_i x_i' over the rows whose response is
 * not clipped, with b eliminated. sigma_i = tau * width of the box: no optimality condition is
 * violated by more than the width of the unclipped part, 2 / tau. tau grows from step to step, and
 * centers converge by themselves, so the end is reached long before tau is large.
 *
 *   math       code            meaning
 *   v, w, f    q->v, w, f      responses, weights, scores Xw without b
 *   c          t->center
 *   X'v        t->product      brought up to date with the rows that changed
 */
#include "qp/newton.h"

#include "base/parallel.h"
#include "linalg/rows.h"
#include "linalg/vector.h"

#include <math.h>
#include <string.h>

/* ---- the responses at the current point, and what they say */

typedef struct outlook {
    double slack; /* what the proximal term costs: the gap beyond that of the step */
    double highest, lowest;
    int64_t inside;
} outlook;

typedef struct response {
    ney_newton *t;
    outlook *block;
} response;

static void respond_block(void *context, int64_t block, int thread)
{
    const response *at = context;
    const ney_newton *t = at->t;
    const ney_qp *p = t->q->p;
    const ney_clipped *line = &t->line;
    outlook o = {.highest = -(double)INFINITY, .lowest = (double)INFINITY};
    (void)thread;
    const int64_t begin = ney_newton_block_begin(t, block);
    for (int64_t i = begin; i < ney_newton_block_end(t, block); i++) {
        const double f = t->q->f[i], level = f + t->b, down = line->slope[i] * level;
        const double second = line->second ? line->second[i] : line->first[i];
        const double upper = ney_larger(p->middle[i], ney_smaller(second - down, p->high[i]));
        const double v = ney_larger(p->low[i], ney_smaller(line->first[i] - down, upper));
        const double corner = p->slope_low[i] <= level    ? p->low[i]
                              : p->slope_high[i] >= level ? p->high[i]
                                                          : p->middle[i];
        if (corner != v) {
            o.slack += ney_qp_value(p, i, corner) - ney_qp_value(p, i, v) - (corner - v) * level;
        }
        o.highest = ney_larger(o.highest, ney_qp_up(p, i, v) - f);
        o.lowest = ney_smaller(o.lowest, ney_qp_down(p, i, v) - f);
        t->q->v[i] = v;
        if (v > p->low[i] && v < p->high[i] && v != p->middle[i]) {
            t->inside[begin + o.inside++] = i;
        }
    }
    at->block[block] = o;
}

/* Parts of the rows add the change of v, each to its own vector. */
static void product_part(void *context, int64_t part, int thread)
{
    const ney_newton *t = context;
    const int64_t n = t->q->p->n, cols = t->q->x->cols;
    double *const to = t->parts + part * cols;
    (void)thread;
    memset(to, 0, (size_t)cols * sizeof *to);
    for (int64_t i = n * part / t->n_parts; i < n * (part + 1) / t->n_parts; i++) {
        if (t->q->v[i] != t->last[i]) {
            ney_row_add(t->q->x, i, t->q->v[i] - t->last[i], to);
            t->last[i] = t->q->v[i];
        }
    }
}

static void add_product(ney_newton *t)
{
    const int64_t cols = t->q->x->cols;
    ney_parallel_for(&t->q->env, t->n_parts, product_part, t);
    for (int64_t c = 0; c < cols; c++) {
        for (int64_t part = 0; part < t->n_parts; part++) {
            t->product[c] += t->parts[part * cols + c];
        }
    }
}

/* What the rows of all processes say. */
static void share_outlook(const ney_newton *t, const outlook *of, outlook *all)
{
    for (int64_t block = 0; block < ney_newton_blocks(t); block++) {
        t->numbers[block] = of[block].slack;
    }
    all->slack = ney_newton_shared_sum(t);
    ney_shared_range(t->q, &all->lowest, &all->highest);
}

/* v, X'v and the gradient at w and b. */
static outlook respond(ney_newton *t)
{
    const int64_t cols = t->q->x->cols;
    response at = {.t = t, .block = t->outlooks};
    outlook all = {.highest = -(double)INFINITY, .lowest = (double)INFINITY};
    ney_parallel_for(&t->q->env, ney_newton_blocks(t), respond_block, &at);
    t->n_inside = 0;
    for (int64_t block = 0; block < ney_newton_blocks(t); block++) {
        const outlook *o = &at.block[block];
        all.slack += o->slack;
        all.highest = ney_larger(all.highest, o->highest);
        all.lowest = ney_smaller(all.lowest, o->lowest);
        memmove(t->inside + t->n_inside, t->inside + ney_newton_block_begin(t, block),
                (size_t)o->inside * sizeof *t->inside);
        t->n_inside += o->inside;
    }
    if (t->q->blocks) {
        share_outlook(t, at.block, &all);
        ney_newton_shared_product(t);
    } else {
        add_product(t);
    }
    for (int64_t c = 0; c < cols; c++) {
        t->gradient[c] = t->q->w[c] - t->product[c];
    }
    return all;
}

/* ---- a Newton step */

typedef struct scored {
    ney_newton *t;
    const double *weight;
} scored;

static void change_block(void *context, int64_t block, int thread)
{
    const scored *s = context;
    (void)thread;
    for (int64_t i = ney_newton_block_begin(s->t, block); i < ney_newton_block_end(s->t, block);
         i++) {
        s->t->change[i] = ney_linear_score(s->t->q->x, i, s->weight);
    }
}

/* change = X weight */
static void score_change(ney_newton *t, const double *weight)
{
    scored s = {.t = t, .weight = weight};
    ney_parallel_for(&t->q->env, ney_newton_blocks(t), change_block, &s);
}

/* f = Xw again where earlier weights were so large that their rounding error is still in f. */
static void refresh_scores(ney_newton *t)
{
    const double square = ney_dot(t->q->w, t->q->w, t->q->x->cols);
    if (square < 1e-4 * t->largest) {
        score_change(t, t->q->w);
        memcpy(t->q->f, t->change, (size_t)t->q->p->n * sizeof *t->q->f);
        t->largest = square;
    }
}

/* ---- the whole */

/* Dense rows are shifted at no cost; sparse ones where a mean is far above the spread. */
static bool must_shift(const ney_linear_qp *q, double *square)
{
    const ney_matrix *x = q->x;
    bool far = x->dense != NULL;
    if (q->blocks) {
        return far;
    }
    for (int64_t k = 0; !far && k < x->start[x->rows]; k++) {
        square[x->index[k]] += (double)x->value[k] * (double)x->value[k] / (double)x->rows;
    }
    for (int64_t c = 0; c < x->cols && !far; c++) {
        far = square[c] - q->mean[c] * q->mean[c] < 1e-4 * square[c];
    }
    memset(square, 0, (size_t)x->cols * sizeof *square);
    return far;
}

static bool newton_init(ney_newton *t)
{
    const ney_linear_qp *q = t->q;
    const int64_t n = q->p->n, cols = q->x->cols;
    t->n_parts = q->blocks ? 1 : NEY_NEWTON_PARTS;
    t->center = ney_alloc(&q->env, 6 * n, sizeof *t->center);
    t->product = ney_alloc_zeroed(&q->env, 3 * cols, sizeof *t->product);
    t->parts = ney_alloc(&q->env, t->n_parts * cols, sizeof *t->parts);
    t->sums = ney_alloc(&q->env, ney_newton_blocks(t), sizeof *t->sums);
    t->outlooks = ney_alloc(&q->env, ney_newton_blocks(t), sizeof(outlook));
    t->inside = ney_alloc(&q->env, n, sizeof *t->inside);
    t->system = ney_alloc(&q->env, cols > NEY_LINEAR_NARROW ? 1 : (t->n_parts + 1) * cols * cols,
                          sizeof *t->system);
    if ((q->blocks && !ney_newton_shared_init(t)) || !t->center || !t->product || !t->parts ||
        !t->sums || !t->outlooks || !t->inside || !t->system) {
        return false;
    }
    t->change = t->center + n;
    t->last = t->center + 2 * n;
    t->sigma = t->center + 3 * n;
    t->first = t->center + 4 * n;
    t->second = t->center + 5 * n;
    t->gradient = t->product + cols;
    t->direction = t->product + 2 * cols;
    t->shifted = must_shift(q, t->product);
    memset(t->change, 0, (size_t)n * sizeof *t->change);
    memset(t->last, 0, (size_t)n * sizeof *t->last);
    return true;
}

static void newton_deinit(ney_newton *t)
{
    const ney_env *env = &t->q->env;
    ney_newton_shared_deinit(t);
    ney_release_all(env, t->center, t->product, t->parts, t->sums, t->outlooks, t->inside,
                    t->system);
}

/* The widths of all boxes of all processes. */
static double shared_width(const ney_newton *t)
{
    const ney_qp *p = t->q->p;
    for (int64_t block = 0; block < ney_newton_blocks(t); block++) {
        t->numbers[block] = 0;
        for (int64_t i = ney_newton_block_begin(t, block); i < ney_newton_block_end(t, block);
             i++) {
            t->numbers[block] += p->high[i] - p->low[i];
        }
    }
    return ney_newton_shared_sum(t);
}

/* A new proximal step around the point in q. */
static void take_center(ney_newton *t, double tau)
{
    const ney_qp *p = t->q->p;
    bool broken = false;
    t->tau = tau;
    t->width = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const double width = p->high[i] - p->low[i], sigma = tau * width, v = t->q->v[i];
        t->width += width;
        t->center[i] = v;
        t->sigma[i] = sigma;
        t->first[i] = v + sigma * p->slope_low[i];
        t->second[i] = v + sigma * p->slope_high[i];
        broken = broken || p->middle[i] < p->high[i];
    }
    if (t->q->blocks) {
        t->width = shared_width(t);
        broken = ney_shared_largest(t->q, broken) > 0;
    }
    t->line = (ney_clipped){.first = t->first,
                            .second = broken ? t->second : NULL,
                            .slope = t->sigma,
                            .low = p->low,
                            .middle = p->middle,
                            .high = p->high};
}

/* The largest change of a score if w became X'v, beyond what b can take up. */
static double remaining_change(ney_newton *t)
{
    double most = -(double)INFINITY, least = (double)INFINITY;
    score_change(t, t->gradient);
    for (int64_t i = 0; i < t->q->p->n; i++) {
        most = ney_larger(most, t->change[i]);
        least = ney_smaller(least, t->change[i]);
    }
    ney_shared_range(t->q, &least, &most);
    return (most - least) / 2;
}

/* Newton steps for the current center until what is left of [NEWTON.1] does not matter beside what
 * its proximal term costs; or, when that has come below the tolerance, until v and w agree, or will
 * not for rounding. */
static outlook proximal_step(ney_newton *t, ney_qp_info *info, bool *stopped)
{
    enum { MOST = 100, MOST_NEAR = 10 };
    const double share = 0.1, tol = t->q->o->tol;
    outlook o = {0};
    refresh_scores(t);
    ney_newton_balance(t);
    memset(t->last, 0,
           (size_t)t->q->p->n *
               sizeof *t->last); /* X'v from zero: rounding errors do not accumulate */
    memset(t->product, 0, (size_t)t->q->x->cols * sizeof *t->product);
    for (int k = 0, k_near = 0; k < MOST && k_near < MOST_NEAR; k++) {
        o = respond(t);
        const double rest = 0.5 * ney_dot(t->gradient, t->gradient, t->q->x->cols);
        const double violation = o.highest - o.lowest;
        const bool near = violation <= 0.5 * tol;
        k_near += near && rest <= share * o.slack;
        *stopped = ney_shared_limit_reached(t->q, info, violation);
        if (*stopped ||
            (near ? violation + 2 * remaining_change(t) <= tol : rest <= share * o.slack) ||
            !ney_newton_direction(t)) {
            break;
        }
        score_change(t, t->direction);
        if (!ney_newton_search_line(t)) {
            break;
        }
        info->iterations++;
    }
    return o;
}

/* The primal value of w = 0 and b = 0, and what [QP.2] is violated by there at most. */
static double value_at_zero(const ney_newton *t, double *violation)
{
    const ney_qp *p = t->q->p;
    double value = 0, most = -(double)INFINITY, least = (double)INFINITY;
    for (int64_t block = 0; block < ney_newton_blocks(t); block++) {
        const double before = value;
        value = t->q->blocks ? 0 : value;
        for (int64_t i = ney_newton_block_begin(t, block); i < ney_newton_block_end(t, block);
             i++) {
            const double inner =
                ney_larger(ney_qp_value(p, i, p->low[i]), ney_qp_value(p, i, p->middle[i]));
            value += ney_larger(inner, ney_qp_value(p, i, p->high[i]));
            most = ney_larger(most, p->slope_low[i]);
            least = ney_smaller(least, p->slope_high[i]);
        }
        if (t->q->blocks) {
            t->numbers[block] = value;
            value = before;
        }
    }
    ney_shared_range(t->q, &least, &most);
    *violation = most - least;
    return t->q->blocks ? ney_newton_shared_sum(t) : value;
}

/* A point taken over from another problem may have weights that are worse than none: where columns
 * are large, a small change of v does it. Returns the violation to begin with. */
static double begin_weights(ney_newton *t, const ney_qp_info *info)
{
    const ney_linear_qp *q = t->q;
    double violation;
    const double value = value_at_zero(t, &violation);
    t->largest = ney_dot(q->w, q->w, q->x->cols);
    t->b = info->intercept;
    if (t->largest / 2 > value) {
        memset(q->w, 0, (size_t)q->x->cols * sizeof *q->w);
        memset(q->f, 0, (size_t)q->p->n * sizeof *q->f);
        t->largest = t->b = 0;
        return violation > 0 ? violation : info->violation;
    }
    return info->violation;
}

/* Where rows are shared out and columns many: whether the rows inside are about as few as those off
 * their bounds at the solution, of which columns allow as many as there are; and the steps so small
 * that most of the others are on their bounds for good. */
static bool is_nearly_active_set(const ney_newton *t, double range)
{
    enum { SMALL = 8 };
    int64_t inside = t->n_inside;
    if (!t->q->blocks || t->q->x->cols <= NEY_LINEAR_NARROW || t->tau * range < SMALL) {
        return false;
    }
    ney_comm_add_counts(t->q->blocks->comm, &inside, 1);
    return 2 * inside <= 3 * t->q->x->cols;
}

/* Solve for the rows inside, gathered in one process, and those near by. */
static bool solve_active(ney_newton *t, ney_qp_info *info, bool *ended)
{
    const ney_linear_qp *const q = t->q;
    if (!ney_shared_solve_active(t->q, t->b, 0.5 / t->tau, info, ended)) {
        return false;
    }
    t->b = info->intercept;
    t->largest = ney_dot(q->w, q->w, q->x->cols);
    return true;
}

/* Steps around better and better centers, until the tolerance is met or nothing gets better. */
static bool iterate(ney_newton *t, double tau, ney_qp_info *info)
{
    enum { PATIENCE = 8, MOST_TRIES = 3 };
    const double tol = t->q->o->tol;
    double best = (double)INFINITY, range = 0;
    bool stopped = false, ended = false;
    int tries = 0;
    if (t->q->blocks) {
        value_at_zero(t, &range);
    }
    info->stop = NEY_STOP_CONVERGED;
    take_center(t, tau);
    for (int idle = 0;; idle++) {
        const outlook o = proximal_step(t, info, &stopped);
        const double violation = o.highest - o.lowest;
        if (violation <= 0.5 * tol || stopped || idle == PATIENCE) {
            break;
        }
        if (violation < 0.7 * best) {
            best = violation;
            idle = 0;
        }
        if (tries < MOST_TRIES && is_nearly_active_set(t, range)) {
            if (!solve_active(t, info, &ended)) {
                return false;
            }
            if (ended) {
                return true;
            }
            tries++;
        }
        take_center(t, 4 * t->tau);
    }
    memcpy(t->direction, t->q->w, (size_t)t->q->x->cols * sizeof *t->direction);
    if (!ney_linear_make_feasible(t->q, t->b, info)) {
        return false;
    }
    if (!stopped && !(info->violation <= tol) && !t->q->blocks) {
        ney_linear_take_weights(t->q, t->direction, info);
    }
    if (!stopped) {
        info->stop = info->violation <= tol ? NEY_STOP_CONVERGED : NEY_STOP_PRECISION;
    }
    return true;
}

/* From the point in q->v alone: its weights are X'v. */
static bool solve_from_variables(ney_newton *t, ney_qp_info *info)
{
    if (!(t->q->blocks ? ney_shared_make_feasible(t->q, 0, true, info)
                       : ney_linear_make_feasible(t->q, 0, info))) {
        return false;
    }
    info->stop = NEY_STOP_CONVERGED;
    return info->violation <= t->q->o->tol || iterate(t, 0.5 / begin_weights(t, info), info);
}

/* From weights that are near the solution, around a center that need not give them: small changes
 * of v would move X'v far away where many rows are on a bound. False where they are worse than
 * none. */
static bool take_weights(ney_newton *t)
{
    const ney_linear_qp *q = t->q;
    double violation;
    t->largest = ney_dot(q->w, q->w, q->x->cols);
    t->b = q->o->intercept;
    if (!(t->largest / 2 <= value_at_zero(t, &violation))) {
        return false;
    }
    score_change(t, q->w);
    memcpy(q->f, t->change, (size_t)q->p->n * sizeof *q->f);
    return true;
}

static bool solve(ney_newton *t, ney_qp_info *info)
{
    const double near = t->q->o->near;
    if (!(near > 0 && take_weights(t))) {
        return solve_from_variables(t, info);
    }
    return iterate(t, 1 / near, info) &&
           (info->stop != NEY_STOP_PRECISION || solve_from_variables(t, info));
}

ney_status ney_newton_solve(ney_linear_qp *q, ney_qp_info *info, ney_error *err)
{
    ney_newton t = {.q = q};
    const bool fine = ney_shared_have_memory(q, newton_init(&t)) && solve(&t, info);
    newton_deinit(&t);
    return fine ? NEY_OK : ney_no_memory(err, q->p->n, "dual variables");
}
