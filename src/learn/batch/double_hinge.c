/* The two tangents of the logistic loss at the log-odds where the cheapest decision changes
 * [REJ.3]; see doc/math/reject.md. */
#include "learn/batch/double_hinge.h"

#include "learn/batch/hinges.h"

#include <math.h>

double ney_entropy(double p, double q)
{
    return -p * log(p) - q * log(q);
}

/* Where the two tangents meet, (H(P-) - H(P+)) / (P+ - P-). It lies between the points where they
 * touch; where those are so near to each other that nothing is left of the difference, any point
 * between does. */
static double tangent_intersection(const ney_double_hinge *h)
{
    const double apart = h->p_high - h->p_low;
    const double fall = ney_entropy(h->p_low, h->q_low) - ney_entropy(h->p_high, h->q_high);
    return apart > 0 ? fmin(fmax(fall / apart, h->low), h->high) : h->low / 2 + h->high / 2;
}

ney_double_hinge ney_double_hinge_of(const ney_costs *c)
{
    ney_double_hinge h = {.pays = ney_rejection_pays(c)};
    if (!h.pays) {
        return h;
    }
    const double gain_fp = c->fp - c->reject_fp, gain_fn = c->fn - c->reject_fn;
    h.p_high = gain_fp / (gain_fp + c->reject_fn);
    h.q_high = c->reject_fn / (gain_fp + c->reject_fn);
    h.p_low = c->reject_fp / (gain_fn + c->reject_fp);
    h.q_low = gain_fn / (gain_fn + c->reject_fp);
    h.high = log(gain_fp / c->reject_fn);
    h.low = log(c->reject_fp / gain_fn);
    if (!(h.low < h.high)) { /* a band narrower than floating-point precision */
        return (ney_double_hinge){0};
    }
    h.tau_pos = ney_entropy(h.p_high, h.q_high) / h.q_high;
    h.tau_neg = ney_entropy(h.p_low, h.q_low) / h.p_low;
    h.rho = tangent_intersection(&h);
    return h;
}

void ney_hinges_of(const ney_costs *costs, ney_hinges hinges[2])
{
    const ney_double_hinge h = ney_double_hinge_of(costs);
    const double between = h.p_high - h.p_low;
    hinges[0] = h.pays ? (ney_hinges){h.tau_neg, h.p_low, -h.rho, between}
                       : (ney_hinges){1, costs->fp, 1, 0};
    hinges[1] = h.pays ? (ney_hinges){h.tau_pos, h.q_high, h.rho, between}
                       : (ney_hinges){1, costs->fn, 1, 0};
}
