/* Platt's sigmoid (1999) [PROB.3]: the labels are replaced by (n+ + 1)/(n+ + 2) and 1/(n- + 2), and
 * the log loss is minimised by Newton's method with step halving. The loss is convex in slope and
 * offset. */
#include "decide/probability.h"

#include <math.h>

static double standardise(const ney_platt *p, double score)
{
    return p->deviation > 0 ? (score / p->size - p->mean) / p->deviation : 0;
}

/* 1 / (1 + exp(t)) */
static double fall(double t)
{
    return t >= 0 ? exp(-t) / (1 + exp(-t)) : 1 / (1 + exp(t));
}

double ney_platt_probability(const ney_platt *p, double score)
{
    return fall(p->slope * standardise(p, score) + p->offset);
}

/* What the labels are replaced by. */
typedef struct targets {
    double pos, neg;
} targets;

/* The log loss, its gradient and its second derivatives at (slope, offset). */
typedef struct expansion {
    double loss, d_slope, d_offset;
    double slope_slope, slope_offset, offset_offset;
} expansion;

/* log(1 + exp(t)) */
static double soft_plus(double t)
{
    return t > 0 ? t + log1p(exp(-t)) : log1p(exp(t));
}

static expansion expand(const ney_platt *p, const ney_knot *knot, int64_t n, targets y)
{
    expansion e = {0};
    for (int64_t k = 0; k < n; k++) {
        const double z = standardise(p, knot[k].score), t = p->slope * z + p->offset;
        const double rows = (double)(knot[k].neg + knot[k].pos);
        const double target = (double)knot[k].pos * y.pos + (double)knot[k].neg * y.neg;
        const double q = fall(t), first = target - rows * q, second = rows * q * (1 - q);
        e.loss += target * soft_plus(t) + (rows - target) * soft_plus(-t);
        e.d_slope += first * z;
        e.d_offset += first;
        e.slope_slope += second * z * z;
        e.slope_offset += second * z;
        e.offset_offset += second;
    }
    return e;
}

/* Mean and deviation of the scores divided by the largest, so that nothing overflows. */
static void find_units(ney_platt *p, const ney_knot *knot, int64_t n)
{
    double rows = 0, sum = 0, squares = 0;
    p->size = fmax(fabs(knot[0].score), fabs(knot[n - 1].score));
    p->size = p->size > 0 ? p->size : 1;
    for (int64_t k = 0; k < n; k++) {
        rows += (double)(knot[k].neg + knot[k].pos);
        sum += (double)(knot[k].neg + knot[k].pos) * (knot[k].score / p->size);
    }
    p->mean = sum / rows;
    for (int64_t k = 0; k < n; k++) {
        const double d = knot[k].score / p->size - p->mean;
        squares += (double)(knot[k].neg + knot[k].pos) * d * d;
    }
    p->deviation = n > 1 ? sqrt(squares / rows) : 0;
}

/* A step along Newton's direction, halved until the loss decreases; false: none does. */
static bool descend(ney_platt *p, expansion *e, const ney_knot *knot, int64_t n, targets y)
{
    const double ridge = 1e-12 * (e->slope_slope + e->offset_offset) + 1e-300;
    const double ss = e->slope_slope + ridge, oo = e->offset_offset + ridge;
    const double det = ss * oo - e->slope_offset * e->slope_offset;
    const double d_slope = -(oo * e->d_slope - e->slope_offset * e->d_offset) / det;
    const double d_offset = -(ss * e->d_offset - e->slope_offset * e->d_slope) / det;
    const double decrease = e->d_slope * d_slope + e->d_offset * d_offset;
    if (!isfinite(d_slope) || !isfinite(d_offset)) {
        return false;
    }
    for (double step = 1; step > 1e-10; step /= 2) {
        ney_platt next = *p;
        next.slope += step * d_slope;
        next.offset += step * d_offset;
        const expansion there = expand(&next, knot, n, y);
        if (there.loss < e->loss + 1e-4 * step * decrease) {
            *p = next;
            *e = there;
            return true;
        }
    }
    return false;
}

ney_platt ney_platt_fit(const ney_knot *knot, int64_t n_knots)
{
    enum { MOST_STEPS = 100 };
    ney_platt p = {0};
    double pos = 0, neg = 0;
    for (int64_t k = 0; k < n_knots; k++) {
        pos += (double)knot[k].pos;
        neg += (double)knot[k].neg;
    }
    find_units(&p, knot, n_knots);
    p.offset = log((neg + 1) / (pos + 1));
    const targets y = {.pos = (pos + 1) / (pos + 2), .neg = 1 / (neg + 2)};
    expansion e = expand(&p, knot, n_knots, y);
    for (int i = 0; i < MOST_STEPS && fabs(e.d_slope) + fabs(e.d_offset) > 1e-9 * (pos + neg);
         i++) {
        if (!descend(&p, &e, knot, n_knots, y)) {
            break;
        }
    }
    return p;
}
