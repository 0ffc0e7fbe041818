/* The linear QP by dual coordinate descent (Hsieh et al. 2008), with the unregularised intercept
 * kept by the method of multipliers.
 *
 * The constraint sum v = 0 is taken into the objective with multiplier b0 and penalty rho/2 (sum
 * v)^2. For fixed b0 every coordinate can move alone:
 *
 *     f_i = w'x_i,   b = b0 + rho sum v,   gradient of v_i = slope_i - f_i - b,   curvature |x_i|^2
 * + rho
 *
 * and after every pass b0 takes over what the penalty says: b0 <- b0 + rho sum v. At the end sum v
 * is 0 and b0 is the intercept. A pass costs the nonzeros of the rows that are still in play: rows
 * that sit on a bound and are pushed against it harder than anything moved in the pass before are
 * left out, until the others agree; then all are visited again. The worst violators are solved
 * together now and then (dcd_block.c), and when passes get many, all rows off the bounds
 * (polish.c).
 *
 *   math    code         meaning
 *   w       q->w         X'v, kept up to date
 *   rho     d->rho       mean of |x_i|^2, or what small boxes need
 *   sum v   d->sum
 */
#include "qp/dcd.h"
#include "linalg/rows.h"

#include <math.h>
#include <string.h>

/* Move v_i to the best place along its own axis; pieces are passed one after the other. */
static void move_coordinate(ney_dcd *d, int64_t i)
{
    ney_dcd_item *t = &d->item[i];
    const ney_qp p = ney_dcd_alone(t);
    double v = t->v, level = t->score + d->b0 + d->rho * d->sum;
    const double before = v;

    for (int piece = 0; piece < 2; piece++) {
        const double rise = ney_qp_up(&p, 0, v) - level, fall = ney_qp_down(&p, 0, v) - level;
        double step, distance;
        if (rise > 0) {
            distance = ney_qp_distance_up(&p, 0, v);
            step = fmin(rise / t->curve, distance);
            v = step < distance ? v + step : (v < t->middle ? t->middle : t->high);
        } else if (fall < 0) {
            distance = ney_qp_distance_down(&p, 0, v);
            step = fmin(-fall / t->curve, distance);
            v = step < distance ? v - step : (v > t->middle ? t->middle : t->low);
            step = -step;
        } else {
            break;
        }
        level += step * t->curve;
        if (fabs(step) < distance) {
            break;
        }
    }
    if (v != before) {
        t->v = v;
        d->sum += v - before;
        ney_row_add(d->q->x, i, v - before, d->q->w);
    }
}

/* Rows come in random order: fetch what will be needed in a while. */
static void prefetch(const ney_dcd *d, int64_t k)
{
    enum { AHEAD = 12 };
    const ney_matrix *x = d->q->x;
    if (k + AHEAD >= d->n_active) {
        return;
    }
    const int64_t far = d->active[k + AHEAD], near = d->active[k + AHEAD / 2];
    if (x->dense) {
        __builtin_prefetch(x->dense + far * x->cols);
    } else {
        __builtin_prefetch(x->start + far);
        for (int64_t e = x->start[near]; e < x->start[near + 1]; e += 16) { /* 16 fill a line */
            __builtin_prefetch(x->index + e);
            __builtin_prefetch(x->value + e);
        }
    }
    __builtin_prefetch(d->item + far, 1);
}

/* One pass over the active rows in random order. */
static void run_pass(ney_dcd *d)
{
    d->highest = -(double)INFINITY;
    d->lowest = (double)INFINITY;
    ney_rng_shuffle(&d->rng, d->active, d->n_active);
    for (int64_t k = 0; k < d->n_active; k++) {
        prefetch(d, k);
        const int64_t i = d->active[k];
        ney_dcd_item *t = &d->item[i];
        const ney_qp p = ney_dcd_alone(t);
        t->score = ney_linear_score(d->q->x, i, d->q->w);
        const double level = t->score + d->b0 + d->rho * d->sum;
        const double rise = ney_qp_up(&p, 0, t->v) - level, fall = ney_qp_down(&p, 0, t->v) - level;
        /* rise is -inf on the upper bound, fall is +inf on the lower: the other one is the
         * violation.
         */
        if ((rise == -(double)INFINITY && fall > d->highest_old) ||
            (fall == (double)INFINITY && rise < d->lowest_old)) {
            d->active[k--] = d->active[--d->n_active];
            continue;
        }
        d->highest = rise > d->highest ? rise : d->highest;
        d->lowest = fall < d->lowest ? fall : d->lowest;
        if (rise > 1e-12 || fall < -1e-12) {
            move_coordinate(d, i);
        }
    }
}

static void take_all(ney_dcd *d)
{
    d->n_active = d->q->p->n;
    for (int64_t i = 0; i < d->n_active; i++) {
        d->active[i] = i;
    }
    d->highest_old = (double)INFINITY;
    d->lowest_old = -(double)INFINITY;
}

/* b0 moves by rho |sum v| at most in a pass and has to cross the range of the slopes, which takes
 * about range / (rho * width of all boxes) passes; and variables that trade with each other do so
 * over about rho / mean |x|^2 passes. Where boxes are small, the penalty is the one that makes the
 * two equal. */
static double penalty(const ney_qp *p, double mean_square)
{
    double least = (double)INFINITY, most = -(double)INFINITY, width = 0;
    for (int64_t i = 0; i < p->n; i++) {
        least = fmin(least, p->slope_high[i]);
        most = fmax(most, p->slope_low[i]);
        width += p->high[i] - p->low[i];
    }
    const double travel = width > 0 && most > least ? (most - least) / width : 1;
    return mean_square > 0 ? fmax(mean_square, sqrt(mean_square * travel)) : travel;
}

static bool dcd_init(ney_dcd *d)
{
    ney_linear_qp *q = d->q;
    const ney_qp *p = q->p;
    d->item = ney_alloc(&q->env, p->n, sizeof *d->item);
    d->active = ney_alloc(&q->env, p->n, sizeof *d->active);
    if (!d->item || !d->active) {
        return false;
    }
    memset(q->w, 0, (size_t)q->x->cols * sizeof *q->w);
    for (int64_t i = 0; i < p->n; i++) {
        d->item[i] = (ney_dcd_item){.low = p->low[i],
                                    .middle = p->middle[i],
                                    .high = p->high[i],
                                    .slope_low = p->slope_low[i],
                                    .slope_high = p->slope_high[i],
                                    .v = q->v[i],
                                    .curve = ney_row_square(q->x, i)};
        d->rho += d->item[i].curve / (double)p->n;
        d->sum += q->v[i];
        if (q->v[i] != 0) {
            ney_row_add(q->x, i, q->v[i], q->w);
        }
    }
    d->rho = penalty(p, d->rho);
    for (int64_t i = 0; i < p->n; i++) {
        d->item[i].curve += d->rho;
    }
    take_all(d);
    return true;
}

/* Copy the point to q, make it feasible, and copy back what that changed. */
static bool make_feasible(ney_dcd *d, ney_qp_info *info)
{
    ney_linear_qp *q = d->q;
    for (int64_t i = 0; i < q->p->n; i++) {
        q->v[i] = d->item[i].v;
        q->f[i] = d->item[i].score;
    }
    if (!ney_linear_make_feasible(q, d->b0, info)) {
        return false;
    }
    for (int64_t i = 0; i < q->p->n; i++) {
        d->item[i].v = q->v[i];
    }
    d->sum = 0;
    return true;
}

double ney_dcd_dual(const ney_dcd *d)
{
    const ney_linear_qp *q = d->q;
    double value = -d->b0 * d->sum - 0.5 * d->rho * d->sum * d->sum;
    for (int64_t i = 0; i < q->p->n; i++) {
        value += ney_qp_value(q->p, i, d->item[i].v);
    }
    for (int64_t c = 0; c < q->x->cols; c++) {
        value -= 0.5 * q->w[c] * q->w[c];
    }
    return value;
}

typedef enum outlook { GOES_ON, CONVERGED, EXHAUSTED, NO_MEMORY } outlook;

/* What the certificate says of the point, if it were made feasible; the search continues from its
 * own point, whose figures change during a pass and may miss convergence. */
static outlook evaluate_point(ney_dcd *d, const ney_qp_info *info)
{
    enum { MOST_STALE = 50 };
    const int64_t n = d->q->p->n, cols = d->q->x->cols;
    double *const v = ney_alloc(&d->q->env, n + cols, sizeof *v), sum = d->sum;
    ney_qp_info found = *info;
    outlook o = NO_MEMORY;
    if (v) {
        for (int64_t i = 0; i < n; i++) {
            v[i] = d->item[i].v;
        }
        memcpy(v + n, d->q->w, (size_t)cols * sizeof *v);
        if (make_feasible(d, &found)) {
            o = found.violation <= d->q->o->tol                      ? CONVERGED
                : ney_qp_stagnates(&d->progress, &found, MOST_STALE) ? EXHAUSTED
                                                                     : GOES_ON;
        }
        for (int64_t i = 0; i < n; i++) {
            d->item[i].v = v[i];
        }
        memcpy(d->q->w, v + n, (size_t)cols * sizeof *v);
        d->sum = sum;
    }
    ney_release(&d->q->env, v);
    return o;
}

/* Whether it is time to end: the passes allowed are done, many have changed nothing beyond
 * rounding, or the certificate says so. */
static outlook look_now_and_then(ney_dcd *d, const ney_qp_info *info, double *before)
{
    enum { PATIENCE = 1000 };
    if (d->q->most_passes > 0 && info->iterations >= d->q->most_passes) {
        return EXHAUSTED;
    }
    if (info->iterations % PATIENCE != 0) {
        return GOES_ON;
    }
    const double value = ney_dcd_dual(d), last = *before;
    *before = value;
    const outlook o = evaluate_point(d, info);
    return o == GOES_ON && fabs(value - last) <= 1e-14 * fabs(value) ? EXHAUSTED : o;
}

/* What single rows do slowly: the worst of them at once at regular intervals, all that are between
 * their bounds at intervals that grow where it does not help. */
static bool speed_up(ney_dcd *d, int64_t passes, double violation, double tol)
{
    enum { EARLY = 16, INTERVAL = 4 };
    d->passes = passes;
    if (passes >= EARLY && passes % INTERVAL == 0 && !ney_dcd_solve_block(d, 0.3 * tol)) {
        return false;
    }
    if (passes < d->next) {
        return true;
    }
    d->wait *= violation < 0.5 * d->polished ? 1 : 2;
    d->next = passes + d->wait;
    d->polished = violation;
    return ney_dcd_polish(d, 0.3 * tol);
}

/* Where no pass is allowed: the point as it came, with its own scores. */
static bool take_no_pass(ney_dcd *d, ney_qp_info *info)
{
    for (int64_t i = 0; i < d->q->p->n; i++) {
        d->item[i].score = ney_linear_score(d->q->x, i, d->q->w);
    }
    info->stop = NEY_STOP_ITERATIONS;
    return make_feasible(d, info);
}

ney_status ney_dcd_solve(ney_linear_qp *q, ney_qp_info *info, ney_error *err)
{
    enum { MOST_PENALTIES = 10 }; /* b moves once the violation is at most 10 times the penalty */
    ney_dcd d = {.q = q, .wait = 100, .next = 200, .polished = (double)INFINITY, .rng = {1}};
    double value = (double)INFINITY;
    double tol = q->o->tol; /* of a pass, whose point changes during the pass */
    ney_status st = NEY_OK;

    if (!dcd_init(&d)) {
        st = ney_no_memory(err, q->p->n, "dual variables");
        goto done;
    }
    if (ney_qp_iterations_left(q->o, info) <= 0) {
        st = take_no_pass(&d, info) ? NEY_OK : ney_no_memory(err, q->p->n, "dual variables");
        goto done;
    }
    d.mark = ney_dcd_dual(&d);
    for (;;) {
        run_pass(&d);
        info->iterations++;
        const double violation = fmax(d.highest - d.lowest, fabs(d.rho * d.sum));
        if (d.highest - d.lowest <= fmax(tol, MOST_PENALTIES * fabs(d.rho * d.sum))) {
            d.b0 += d.rho * d.sum;
        }
        if (d.highest - d.lowest <= tol && d.n_active < q->p->n) {
            take_all(&d); /* even with a sum: those left out may be the ones that can make it 0 */
        } else if (violation <= tol) {
            if (!make_feasible(&d, info)) {
                st = ney_no_memory(err, q->p->n, "dual variables");
                break;
            }
            if (info->violation <= q->o->tol) {
                info->stop = NEY_STOP_CONVERGED;
                break;
            }
            tol *= 0.5;
            take_all(&d);
        } else {
            d.highest_old = d.highest > 0 ? d.highest : (double)INFINITY;
            d.lowest_old = d.lowest < 0 ? d.lowest : -(double)INFINITY;
            if (!speed_up(&d, info->iterations, violation, tol)) {
                st = ney_no_memory(err, q->p->n, "dual variables");
                break;
            }
        }
        const outlook o = look_now_and_then(&d, info, &value);
        if (o == NO_MEMORY) {
            st = ney_no_memory(err, q->p->n, "dual variables");
            break;
        }
        info->stop = o == EXHAUSTED ? NEY_STOP_PRECISION : NEY_STOP_CONVERGED;
        if (o != GOES_ON || ney_qp_limit_reached(&q->env, q->o, q->begin, info, violation)) {
            st = make_feasible(&d, info) ? NEY_OK : ney_no_memory(err, q->p->n, "dual variables");
            break;
        }
    }

done:
    ney_release(&q->env, d.item);
    ney_release(&q->env, d.active);
    return st;
}
