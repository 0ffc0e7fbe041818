#include "learn/batch/ramp.h"

#include "learn/make.h"
#include "learn/summary.h"

#include <math.h>
#include <stdlib.h>

/* B_i of [NP.3]. */
static double box_of(const ney_ramp *r, int64_t i)
{
    const ney_train_opts *o = &r->task->o;
    const double free = ney_ramp_is_share(r) ? 1 + r->lambda * r->rate : 1;
    const double bounded = r->lambda * r->free_weight / r->bounded_weight *
                           (ney_ramp_is_share(r) ? r->per_bounded : 1);
    return (ney_ramp_side(r, i) > 0 ? free : bounded) * o->C * ney_task_weight(r->task, i) /
           (2 * r->eta);
}

static void set_box(ney_ramp *r, int64_t i)
{
    const double box = box_of(r, i);
    const bool up = (ney_ramp_side(r, i) > 0) != r->clipped[i]; /* the side of 0 it lies on */
    r->low[i] = up ? 0 : -box;
    r->high[i] = up ? box : 0;
}

void ney_ramp_sum(const ney_ramp *r, ney_rows_add *add, const void *context, double *sum, int k)
{
    ney_sum_rows(r->task->blocks, r->n, add, (void *)(uintptr_t)context, sum, k);
}

static void add_weights(void *context, int64_t begin, int64_t end, double *sum)
{
    const ney_ramp *const r = context;
    for (int64_t i = begin; i < end; i++) {
        const bool free = ney_ramp_side(r, i) > 0;
        sum[free ? 0 : 1] += ney_task_weight(r->task, i);
        sum[free ? 2 : 3] += 1;
    }
}

ney_status ney_ramp_init(ney_ramp *r, ney_task *t, int sign, double rate, double per_bounded,
                         ney_error *err)
{
    const int64_t n = t->x->rows;
    *r = (ney_ramp){
        .task = t, .sign = sign, .rate = rate, .per_bounded = per_bounded, .eta = t->o.eta, .n = n};
    double sum[4];
    ney_ramp_sum(r, add_weights, r, sum, 4);
    r->free_weight = sum[0];
    r->bounded_weight = sum[1];
    r->n_free = (int64_t)sum[2];
    r->n_bounded = (int64_t)sum[3];
    if (!(r->free_weight > 0) || !(r->bounded_weight > 0)) {
        return ney_fail(err, NEY_EINVAL,
                        "all %s rows have weight 0: the rate of that class is undefined",
                        (r->free_weight > 0) == (sign > 0) ? "negative" : "positive");
    }
    r->v = ney_alloc_zeroed(&t->env, 5 * n, sizeof *r->v);
    r->clipped = ney_alloc_zeroed(&t->env, n, sizeof *r->clipped);
    r->w = t->solver.w ? ney_alloc_zeroed(&t->env, t->x->cols, sizeof *r->w) : NULL;
    if (!r->v || !r->clipped || (t->solver.w && !r->w)) {
        return ney_no_memory(err, n, "dual variables");
    }
    r->f = r->v + n;
    r->low = r->v + 2 * n;
    r->high = r->v + 3 * n;
    r->slope = r->v + 4 * n;
    r->lambda = r->bounded_weight / r->free_weight; /* equal weights: a plain SVM */
    for (int64_t i = 0; i < n; i++) {
        r->slope[i] = r->eta * ney_ramp_side(r, i);
        set_box(r, i);
    }
    return NEY_OK;
}

double ney_ramp_effective_rate(const ney_ramp *r)
{
    const double row = 1 / (double)r->n_bounded;
    if (r->rate >= row || ney_ramp_is_share(r)) {
        return r->rate;
    }
    if (r->rate > 0) {
        ney_log(&r->task->env, NEY_LOG_INFO,
                "a rate of %g is less than one row in %lld: no training row may be misclassified",
                r->rate, (long long)r->n_bounded);
    }
    return 0.5 * row;
}

void ney_ramp_deinit(ney_ramp *r)
{
    if (r->task) {
        ney_release(&r->task->env, r->v);
        ney_release(&r->task->env, r->clipped);
        ney_release(&r->task->env, r->w);
    }
}

/* ---- moving on */

/* Bring sum v to 0 by moving first what lies nearest to the margin: its variable is the least
 * determined. The solver's own repair would move all of them off their bounds. */
static bool balance_variables(ney_ramp *r)
{
    double sum = 0;
    int64_t m = 0;
    for (int64_t i = 0; i < r->n; i++) {
        sum += r->v[i];
    }
    ney_ranked *c = ney_alloc(&r->task->env, 2 * r->n, sizeof *c);
    if (!c) {
        return false;
    }
    for (int64_t i = 0; i < r->n; i++) {
        if (sum > 0 ? r->v[i] > r->low[i] : r->v[i] < r->high[i]) {
            c[m++] = (ney_ranked){fabs(r->slope[i] - r->f[i] - r->intercept), i};
        }
    }
    ney_order(c, c + r->n, m);
    for (int64_t k = 0; k < m && sum != 0; k++) {
        double *v = &r->v[c[k].row];
        const double aim = *v - sum;
        const double to = fmin(fmax(aim, r->low[c[k].row]), r->high[c[k].row]);
        sum += to - *v;
        *v = to;
        if (to == aim) { /* what is left is rounding */
            break;
        }
    }
    ney_release(&r->task->env, c);
    return true;
}

ney_status ney_ramp_move(ney_ramp *r, double lambda, const bool *clipped, ney_error *err)
{
    r->lambda = lambda;
    r->is_svm = false;
    for (int64_t i = 0; i < r->n; i++) {
        /* place 0 is v = low, place 1 is v = high. A clipped example gets the box on the
         * other side of 0, and a variable at the far bound of the old box is 0 in the new one. */
        const double low = r->low[i], high = r->high[i], v = r->v[i];
        r->clipped[i] = clipped[i];
        set_box(r, i);
        r->v[i] = v <= low    ? r->low[i]
                  : v >= high ? r->high[i]
                              : r->low[i] + (v - low) / (high - low) * (r->high[i] - r->low[i]);
    }
    /* over several processes Newton steps begin at any point of the boxes */
    return r->task->blocks || balance_variables(r) ? NEY_OK
                                                   : ney_no_memory(err, r->n, "dual variables");
}

ney_status ney_ramp_place(ney_ramp *r, double lambda, const double *v, ney_error *err)
{
    r->lambda = lambda;
    r->is_svm = false;
    for (int64_t i = 0; i < r->n; i++) {
        set_box(r, i);
        r->v[i] = fmin(fmax(v[i], r->low[i]), r->high[i]);
    }
    return r->task->blocks || balance_variables(r) ? NEY_OK
                                                   : ney_no_memory(err, r->n, "dual variables");
}

/* ---- one step */

double ney_ramp_excess(const ney_ramp *r, const ney_ramp_rates *m, double rate)
{
    return ney_ramp_is_share(r) ? r->per_bounded * m->bounded - rate * (1 - m->free)
                                : m->bounded - rate;
}

double ney_ramp_lagrangian(const ney_ramp *r, const ney_ramp_rates *m, double lambda)
{
    const double excess = ney_ramp_excess(r, m, r->rate);
    return m->regular + r->task->o.C * r->free_weight * (m->free + lambda * excess);
}

/* Where nothing is accepted there is no share: it is 0 if nothing of the bounded class is. */
static double ratio_of(const ney_ramp *r, const ney_ramp_rates *m)
{
    const double accepted = fmax(1 - m->free, 1e-12);
    return ney_ramp_is_share(r) ? r->per_bounded * m->bounded / accepted : m->bounded;
}

/* |w|^2: of the weights, where there are any, since scores are theirs. v'f is the same but for
 * rounding, which columns near 1e7 make larger than all the rest. */
static double square_of(const ney_ramp *r)
{
    double square = 0;
    for (int64_t c = 0; r->w && c < r->task->x->cols; c++) {
        square += r->w[c] * r->w[c];
    }
    for (int64_t i = 0; !r->w && i < r->n; i++) {
        square += r->v[i] * r->f[i];
    }
    return square;
}

/* Losses of the free and the bounded class, wrong decisions of both, what clipping adds. */
static void add_losses(void *context, int64_t begin, int64_t end, double *sum)
{
    const ney_ramp *const r = context;
    for (int64_t i = begin; i < end; i++) {
        const int side = ney_ramp_side(r, i);
        const double score = r->f[i] + r->intercept;
        const double loss = ney_task_weight(r->task, i) * ney_ramp_loss(side * score, r->eta);
        /* positive is score >= 0 in the user's sign */
        const bool says_free = r->sign > 0 ? score >= 0 : score > 0;
        sum[side > 0 ? 0 : 1] += loss;
        sum[side > 0 ? 2 : 3] += says_free != (side > 0);
        sum[4] += r->clipped[i] ? r->eta * box_of(r, i) : 0;
    }
}

static void measure_rates(const ney_ramp *r, ney_ramp_rates *m)
{
    double sum[5];
    ney_ramp_sum(r, add_losses, r, sum, 5);
    const double constant = sum[4];
    *m = (ney_ramp_rates){.bounded = sum[1] / r->bounded_weight, .free = sum[0] / r->free_weight};
    m->bounded_01 = sum[3] / (double)r->n_bounded;
    m->free_01 = sum[2] / (double)r->n_free;
    m->regular = square_of(r) / 2;
    m->ratio = ratio_of(r, m);
    m->objective = ney_ramp_lagrangian(r, m, r->lambda);
    m->primal = r->info.primal + constant;
    m->dual = r->info.dual + constant;
}

void ney_ramp_copy_weights(const ney_ramp *r, double *to, const double *from)
{
    for (int64_t c = 0; r->w && c < r->task->x->cols; c++) {
        to[c] = from[c];
    }
}

ney_status ney_ramp_solve(ney_ramp *r, double tol, ney_ramp_rates *found, ney_error *err)
{
    const ney_qp qp = {.n = r->n,
                       .low = r->low,
                       .middle = r->high,
                       .high = r->high,
                       .slope_low = r->slope,
                       .slope_high = r->slope};
    if (r->near > 0) {
        ney_ramp_copy_weights(r, r->task->solver.w, r->w);
        r->task->near = r->near;
        r->task->intercept = r->intercept;
    }
    const ney_status st = ney_task_solve(r->task, &qp, tol, r->v, r->f, &r->info, err);
    if (st == NEY_OK) {
        r->intercept = r->info.intercept;
        ney_ramp_copy_weights(r, r->w, r->task->solver.w);
        measure_rates(r, found);
    }
    return st;
}

ney_status ney_ramp_solve_svm(ney_ramp *r, double tol, ney_ramp_rates *found, ney_error *err)
{
    for (int64_t i = 0; i < r->n; i++) {
        const double box = r->task->o.C * ney_task_weight(r->task, i);
        const int side = ney_ramp_side(r, i);
        r->clipped[i] = false;
        r->slope[i] = side;
        r->low[i] = side > 0 ? 0 : -box;
        r->high[i] = side > 0 ? box : 0;
    }
    r->is_svm = true;
    const ney_status st = ney_ramp_solve(r, tol, found, err);
    for (int64_t i = 0; i < r->n; i++) { /* the boxes stay until the point is moved with them */
        r->slope[i] = r->eta * ney_ramp_side(r, i);
    }
    return st;
}

/* ---- clipping */

int64_t ney_ramp_clip(const ney_ramp *r, double shift, bool *clipped)
{
    return ney_ramp_clip_beyond(r, shift, 0, clipped);
}

int64_t ney_ramp_clip_beyond(const ney_ramp *r, double shift, double slack, bool *clipped)
{
    int64_t changed = 0;
    for (int64_t i = 0; i < r->n; i++) {
        const double z = ney_ramp_side(r, i) * (r->f[i] + r->intercept + shift) + r->eta;
        clipped[i] = fabs(z) <= slack ? r->clipped[i] : z < 0;
        changed += clipped[i] != r->clipped[i];
    }
    ney_comm_add_counts(ney_blocks_comm(r->task->blocks), &changed, 1);
    return changed;
}

double ney_ramp_allowed_weight(const ney_ramp *r, double shift)
{
    double accepted = 0;
    if (!ney_ramp_is_share(r)) {
        return r->rate * r->bounded_weight;
    }
    for (int64_t i = 0; i < r->n; i++) {
        const bool is_accepted = ney_ramp_side(r, i) > 0 && r->f[i] + r->intercept + shift >= 0;
        accepted += is_accepted ? ney_task_weight(r->task, i) : 0;
    }
    return r->rate * accepted / r->free_weight * r->bounded_weight / r->per_bounded;
}

/* ---- the convex majorant */

static void add_majorants(void *context, int64_t begin, int64_t end, double *rate)
{
    const ney_ramp *const r = context;
    for (int64_t i = begin; i < end; i++) {
        const int side = ney_ramp_side(r, i);
        const double z = side * (r->f[i] + r->intercept);
        const double loss = fmax(0, r->eta - z) + (r->clipped[i] ? z + r->eta : 0);
        rate[side > 0] += ney_task_weight(r->task, i) * loss / (2 * r->eta);
    }
}

double ney_ramp_convex_ratio(const ney_ramp *r)
{
    double rate[2];
    ney_ramp_sum(r, add_majorants, r, rate, 2);
    const double bounded = rate[0] / r->bounded_weight, accepted = 1 - rate[1] / r->free_weight;
    const double most = fmax(r->per_bounded, 10 * r->rate);
    return !ney_ramp_is_share(r) ? bounded
           : accepted > 0        ? fmin(r->per_bounded * bounded / accepted, most)
                                 : most;
}

/* The loss of [NP.3], the linear part of its dual, what clipping adds. */
static void add_convex(void *context, int64_t begin, int64_t end, double *sum)
{
    const ney_ramp *const r = context;
    for (int64_t i = begin; i < end; i++) {
        const int side = ney_ramp_side(r, i);
        const double box = box_of(r, i), z = side * (r->f[i] + r->intercept);
        sum[0] += box * fmax(0, r->eta - z) + (r->clipped[i] ? box * z : 0);
        sum[1] += r->slope[i] * r->v[i];
        sum[2] += r->clipped[i] ? r->eta * box : 0;
    }
}

void ney_ramp_shift_intercept(ney_ramp *r, double shift, ney_ramp_rates *found)
{
    double sum[3];
    r->intercept += shift;
    measure_rates(r, found);
    ney_ramp_sum(r, add_convex, r, sum, 3);
    const double loss = sum[0], linear = sum[1], constant = sum[2];
    /* v of the SVM may lie outside the boxes of [NP.3]; scaled by c it does not */
    const double c = r->is_svm ? fmin(1, 1 / (2 * r->eta)) : 1;
    found->primal = found->regular + loss;
    found->dual = c * linear - c * c * found->regular + constant;
}

/* ---- reports */

bool ney_ramp_was_stopped(const ney_ramp *r)
{
    const ney_stop stop = r->info.stop;
    return stop == NEY_STOP_ITERATIONS || stop == NEY_STOP_TIME || stop == NEY_STOP_CANCELLED;
}

void ney_ramp_report(const ney_ramp *r, const ney_ramp_rates *m, int64_t index, int64_t changed)
{
    const ney_task *t = r->task;
    const bool fpr = r->sign > 0;
    const ney_step step = {.index = index,
                           .lambda = r->lambda,
                           .ramp_fpr = fpr ? m->bounded : m->free,
                           .ramp_fnr = fpr ? m->free : m->bounded,
                           .fpr = fpr ? m->bounded_01 : m->free_01,
                           .fnr = fpr ? m->free_01 : m->bounded_01,
                           .objective = m->objective,
                           .gap = fmax(0, m->primal - m->dual),
                           .iterations = r->info.iterations,
                           .changed = changed,
                           .seconds = ney_task_seconds(t)};
    ney_report_step(&t->env, &step);
    ney_log(&t->env, NEY_LOG_DETAIL,
            "step %lld: lambda %.6g, ramp fpr %.5f fnr %.5f, fpr %.5f fnr %.5f, objective %.8g, "
            "%lld iterations, %lld clipped or unclipped",
            (long long)step.index, step.lambda, step.ramp_fpr, step.ramp_fnr, step.fpr, step.fnr,
            step.objective, (long long)step.iterations, (long long)changed);
}

void ney_ramp_fill_info(const ney_ramp *r, const ney_ramp_rates *m, ney_train_info *info)
{
    const bool fpr = r->sign > 0;
    *info = (ney_train_info){.stop = r->info.stop,
                             .iterations = r->task->iterations,
                             .objective = m->objective,
                             .convex_objective = m->primal,
                             .dual_objective = m->dual,
                             .gap = fmax(0, m->primal - m->dual),
                             .lambda = r->lambda,
                             .ramp_fpr = fpr ? m->bounded : m->free,
                             .ramp_fnr = fpr ? m->free : m->bounded};
}

ney_status ney_ramp_take_answer(const ney_ramp *r, ney_answer *a, ney_error *err)
{
    for (int64_t i = 0; i < r->n; i++) {
        a->v[i] = r->sign * r->v[i];
    }
    a->intercept = r->sign * r->intercept;
    return ney_answer_weights(a, r->task, r->w, r->sign, err);
}
