/* The intercept at which the bound is kept: scores shifted until P = A, or until s P = q (1 - Q).
 */
#include "learn/batch/ramp.h"

#include <math.h>

typedef struct shifted {
    const ney_ramp *ramp;
    double shift;
} shifted;

/* The loss of the bounded class, and its weight where the loss changes. */
static void add_bounded(void *context, int64_t begin, int64_t end, double *sum)
{
    const shifted *const s = context;
    const ney_ramp *const r = s->ramp;
    for (int64_t i = begin; i < end; i++) {
        if (ney_ramp_side(r, i) < 0) {
            const double z = -(r->f[i] + r->intercept + s->shift);
            sum[0] += ney_task_weight(r->task, i) * ney_ramp_loss(z, r->eta);
            sum[1] += fabs(z) < r->eta ? ney_task_weight(r->task, i) : 0;
        }
    }
}

/* P with `shift` added to the scores, and its slope. */
static double shifted_rate(const ney_ramp *r, double shift, double *slope)
{
    const shifted s = {r, shift};
    double sum[2];
    ney_ramp_sum(r, add_bounded, &s, sum, 2);
    *slope = sum[1] / (2 * r->eta * r->bounded_weight);
    return sum[0] / r->bounded_weight;
}

/* The largest shift at which P is at most `rate`: P rises with the shift. */
static double shift_to_rate(const ney_ramp *r, double rate)
{
    enum { MOST_TRIES = 100 };
    double low = (double)INFINITY, high = -(double)INFINITY, shift = 0;
    for (int64_t i = 0; i < r->n; i++) {
        if (ney_ramp_side(r, i) < 0) { /* P is 0 at low, 1 at high */
            low = fmin(low, -(r->f[i] + r->intercept) - r->eta);
            high = fmax(high, -(r->f[i] + r->intercept) + r->eta);
        }
    }
    ney_comm_minimum(ney_blocks_comm(r->task->blocks), &low, 1);
    ney_comm_maximum(ney_blocks_comm(r->task->blocks), &high, 1);
    for (int k = 0; k < MOST_TRIES && high - low > 1e-12 * (1 + fabs(low)); k++) {
        double slope;
        if (!(shift > low && shift < high)) { /* Newton's step left the bracket */
            shift = low + (high - low) / 2;
        }
        const double found = shifted_rate(r, shift, &slope);
        *(found > rate ? &high : &low) = shift;
        if (found <= rate && found >= rate * (1 - 1e-9)) {
            break;
        }
        shift += slope > 0 ? (rate - found) / slope : (double)INFINITY;
    }
    return low;
}

/* s P - q (1 - Q) with `shift` added to the scores. */
static double shifted_excess(const ney_ramp *r, double shift, double rate)
{
    ney_ramp_rates m = {0};
    for (int64_t i = 0; i < r->n; i++) {
        const int side = ney_ramp_side(r, i);
        const double loss = ney_ramp_loss(side * (r->f[i] + r->intercept + shift), r->eta);
        *(side > 0 ? &m.free : &m.bounded) += ney_task_weight(r->task, i) * loss;
    }
    m.bounded /= r->bounded_weight;
    m.free /= r->free_weight;
    return ney_ramp_excess(r, &m, rate);
}

/* What a row adds to the slope of the excess while its loss changes. */
static double excess_slope(const ney_ramp *r, int64_t i, double rate)
{
    const double each =
        ney_ramp_side(r, i) > 0 ? -rate / r->free_weight : r->per_bounded / r->bounded_weight;
    return each * ney_task_weight(r->task, i) / (2 * r->eta);
}

/* The largest shift at which s P <= q (1 - Q). The excess is piecewise linear in the shift, not
 * monotone, and s - q far up; the corners are passed from the largest down. It is at most 0 where
 * no row of the bounded class has a loss. */
static double shift_to_share(const ney_ramp *r, double rate, ney_ranked *corner)
{
    double last = (double)INFINITY, excess = r->per_bounded - rate, slope = 0;
    for (int64_t i = 0; i < r->n; i++) {
        const double score = r->f[i] + r->intercept;
        corner[2 * i] = (ney_ranked){score - r->eta, 2 * i}; /* the loss is constant beyond */
        corner[2 * i + 1] = (ney_ranked){score + r->eta, 2 * i + 1};
        last = ney_ramp_side(r, i) < 0 ? fmin(last, -score - r->eta) : last;
    }
    ney_order(corner, corner + 2 * r->n, 2 * r->n);
    double shift = -corner[0].score;
    for (int64_t k = 0; k < 2 * r->n && excess > 0 && shift > last; k++) {
        const double next = fmax(-corner[k].score, last), fall = slope * (shift - next);
        shift = fall >= excess ? shift - excess / slope : next;
        excess -= fall;
        slope += (corner[k].row % 2 == 0 ? 1 : -1) * excess_slope(r, corner[k].row / 2, rate);
    }
    /* what is left is rounding */
    for (double step = 1e-15; shift > last && shifted_excess(r, shift, rate) > 0; step *= 2) {
        shift = fmax(last, shift - step * (1 + fabs(shift)));
    }
    return shift;
}

double ney_ramp_shift(const ney_ramp *r, double rate, ney_ranked *corner)
{
    return ney_ramp_is_share(r) ? shift_to_share(r, rate, corner) : shift_to_rate(r, rate);
}

static void add_free(void *context, int64_t begin, int64_t end, double *loss)
{
    const shifted *const s = context;
    const ney_ramp *const r = s->ramp;
    for (int64_t i = begin; i < end; i++) {
        if (ney_ramp_side(r, i) > 0) {
            *loss += ney_task_weight(r->task, i) *
                     ney_ramp_loss(r->f[i] + r->intercept + s->shift, r->eta);
        }
    }
}

double ney_ramp_objective(const ney_ramp *r, const ney_ramp_rates *m, double shift)
{
    const shifted s = {r, shift};
    double loss;
    ney_ramp_sum(r, add_free, &s, &loss, 1);
    return m->regular + r->task->o.C * loss;
}
