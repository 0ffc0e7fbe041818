#include "qp/qp.h"

#include "base/clock.h"

#include <math.h>

int64_t ney_qp_iterations_left(const ney_qp_opts *opts, const ney_qp_info *info)
{
    return opts->max_iter > 0 ? opts->max_iter - opts->spent - info->iterations : INT64_MAX;
}

bool ney_qp_limit_reached(const ney_env *env, const ney_qp_opts *opts, double begin,
                          ney_qp_info *info, double violation)
{
    const ney_progress progress = {
        .stage = "training", .done = (double)info->iterations, .value = violation};
    if (env->poll && !env->poll(env->user, &progress)) {
        info->stop = NEY_STOP_CANCELLED;
    } else if (opts->max_time > 0 && ney_now() - begin >= opts->max_time) {
        info->stop = NEY_STOP_TIME;
    } else if (ney_qp_iterations_left(opts, info) <= 0) {
        info->stop = NEY_STOP_ITERATIONS;
    } else {
        return false;
    }
    return true;
}

double ney_qp_value(const ney_qp *p, int64_t i, double v)
{
    const double m = p->middle[i];
    /* p is only defined up to a constant; it is 0 at 0. */
    if (m >= 0) {
        return v <= m ? p->slope_low[i] * v : p->slope_low[i] * m + p->slope_high[i] * (v - m);
    }
    return v >= m ? p->slope_high[i] * v : p->slope_high[i] * m + p->slope_low[i] * (v - m);
}

/* x in the box of row i; compiled without a call, as fmin() and fmax() are not. */
static inline double clip(const ney_qp *p, int64_t i, double x)
{
    const double above = x > p->low[i] ? x : p->low[i];
    return above < p->high[i] ? above : p->high[i];
}

/* sum_i clip(v_i + t): nondecreasing in t. */
static double shifted_sum(const ney_qp *p, const double *v, double t)
{
    double sum = 0;
    for (int64_t i = 0; i < p->n; i++) {
        sum += clip(p, i, v[i] + t);
    }
    return sum;
}

/* Move the rounding error of the sum to variables that can take it; first to those between their
 * bounds, for one that leaves its bound counts fully in [QP.2]. */
static void restore_sum(const ney_qp *p, double *v)
{
    double sum = 0;
    for (int64_t i = 0; i < p->n; i++) {
        sum += v[i];
    }
    for (int64_t k = 0; k < 2 * p->n && sum != 0; k++) {
        const int64_t i = k % p->n;
        const bool between = v[i] > p->low[i] && v[i] < p->high[i];
        const double aim = v[i] - sum, to = fmin(fmax(aim, p->low[i]), p->high[i]);
        if (k < p->n ? between && to == aim : true) {
            sum -= v[i] - to;
            v[i] = to;
            if (to == aim) {
                break;
            }
        }
    }
}

/* Whether sum v differs from 0 by no more than adding up explains: then a shift of all, however
 * small, would only push variables off their bounds. */
static bool is_balanced(const ney_qp *p, const double *v)
{
    double sum = 0, size = 0;
    for (int64_t i = 0; i < p->n; i++) {
        sum += v[i];
        size += fabs(v[i]);
    }
    return fabs(sum) <= 1e-15 * sqrt((double)p->n) * size;
}

bool ney_qp_repair(const ney_qp *p, double *v)
{
    double least = 0, most = 0, widest = 0;
    for (int64_t i = 0; i < p->n; i++) {
        least += p->low[i];
        most += p->high[i];
        widest = fmax(widest, p->high[i] - p->low[i]);
        v[i] = clip(p, i, v[i]);
    }
    if (least > 0 || most < 0) {
        return false;
    }
    if (is_balanced(p, v)) {
        restore_sum(p, v);
        return true;
    }
    const bool is_off = shifted_sum(p, v, 0) != 0;
    double a = -widest, b = widest; /* the projection onto the box and the plane is clip(v + t) */
    for (int step = 0; step < 100 && is_off && b - a > 1e-16 * widest; step++) {
        const double t = a + (b - a) / 2;
        if (shifted_sum(p, v, t) > 0) {
            b = t;
        } else {
            a = t;
        }
    }
    for (int64_t i = 0; i < p->n && is_off; i++) {
        v[i] = clip(p, i, v[i] + a);
    }
    restore_sum(p, v);
    return true;
}

/* The part of [QP.3] that depends on b, and its slope. The maximum over v is at a corner. */
static double conjugate_sum(const ney_qp *p, const double *f, double b, double *slope)
{
    double sum = 0;
    *slope = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const double g = f[i] + b;
        const double v = p->slope_low[i] <= g    ? p->low[i]
                         : p->slope_high[i] >= g ? p->high[i]
                                                 : p->middle[i];
        sum += ney_qp_value(p, i, v) - v * g;
        *slope -= v;
    }
    return sum;
}

/* b that makes the primal least: convex and piecewise linear, so where its slope changes sign. */
static double best_intercept(const ney_qp *p, const double *f, double low, double high)
{
    double slope;
    double width = fmax(high - low, 1e-3 * fmax(1, fabs(low)));
    while (conjugate_sum(p, f, low, &slope), slope > 0 && isfinite(low)) {
        low -= width;
        width *= 2;
    }
    width = fmax(high - low, 1e-3);
    while (conjugate_sum(p, f, high, &slope), slope < 0 && isfinite(high)) {
        high += width;
        width *= 2;
    }
    double slope_low, slope_high;
    double at_low = conjugate_sum(p, f, low, &slope_low);
    double at_high = conjugate_sum(p, f, high, &slope_high);
    for (int step = 0; step < 200; step++) {
        /* where the tangents of both ends meet: least, if the sum is as low as they are */
        const double meet =
            low + (at_low - at_high - slope_high * (low - high)) / (slope_high - slope_low);
        const bool by_tangents = step % 2 == 1 && meet > low && meet < high;
        const double b = by_tangents ? meet : low + (high - low) / 2;
        if (b <= low || b >= high) {
            break;
        }
        const double at_b = conjugate_sum(p, f, b, &slope);
        const double tangent = at_low + slope_low * (b - low);
        if (slope == 0 || (by_tangents && at_b - tangent <= 1e-15 * fabs(at_b))) {
            return b;
        }
        if (slope > 0) {
            high = b;
            at_high = at_b;
            slope_high = slope;
        } else {
            low = b;
            at_low = at_b;
            slope_low = slope;
        }
    }
    return at_low <= at_high ? low : high;
}

void ney_qp_certify(const ney_qp *p, const double *v, const double *f, ney_qp_info *info)
{
    double quadratic = 0, gain = 0, slope;
    double highest = -(double)INFINITY, lowest = (double)INFINITY;
    info->boxes = 0;
    for (int64_t i = 0; i < p->n; i++) {
        info->boxes += p->high[i] - p->low[i];
        quadratic += v[i] * f[i];
        gain += ney_qp_value(p, i, v[i]);
        highest = fmax(highest, ney_qp_up(p, i, v[i]) - f[i]);
        lowest = fmin(lowest, ney_qp_down(p, i, v[i]) - f[i]);
    }
    if (!isfinite(highest) || !isfinite(lowest)) { /* nothing can move: any b between will do */
        highest = isfinite(highest) ? highest : (isfinite(lowest) ? lowest : 0);
        lowest = isfinite(lowest) ? lowest : highest;
    }
    info->violation = fmax(0, highest - lowest);
    info->intercept = best_intercept(p, f, fmin(highest, lowest), fmax(highest, lowest));
    info->dual = gain - quadratic / 2;
    info->primal = quadratic / 2 + conjugate_sum(p, f, info->intercept, &slope);
}

bool ney_qp_stagnates(ney_qp_progress *progress, const ney_qp_info *info, int most_stale)
{
    if (!progress->is_begun) {
        *progress = (ney_qp_progress){.primal = info->primal,
                                      .dual = info->dual,
                                      .gap = (double)INFINITY,
                                      .next = progress->next,
                                      .is_begun = true};
    }
    progress->primal = fmin(progress->primal, info->primal);
    progress->dual = fmax(progress->dual, info->dual);
    const double gap = progress->primal - progress->dual;
    const double noise = 1e-14 * (fabs(progress->primal) + fabs(progress->dual));
    const bool is_nearer = gap > noise && gap < 0.99 * progress->gap;
    progress->stale = is_nearer ? 0 : progress->stale + 1;
    progress->gap = is_nearer ? gap : progress->gap;
    return progress->stale >= (gap > noise ? most_stale : 3);
}

ney_status ney_qp_conclude(ney_qp_info *info, ney_error *err)
{
    const double size = fmax(fmax(fabs(info->primal), fabs(info->dual)), info->boxes);
    if (!isfinite(info->primal) || !isfinite(info->dual) || !isfinite(info->intercept)) {
        return ney_fail(err, NEY_ENUMERIC,
                        "the solution is not finite (objective %g): scale the columns, or use "
                        "smaller costs and weights",
                        info->primal);
    }
    if (info->stop == NEY_STOP_CONVERGED && !(info->primal - info->dual <= 1e-2 * size)) {
        info->stop = NEY_STOP_PRECISION;
    }
    return NEY_OK;
}
