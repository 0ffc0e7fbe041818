/* Precision falls with the FPR and rises with the TPR, cost is linear in the rates with weights of
 * at least 0: over a rectangle either has its extremes in corners. */
#include "decide/prevalence.h"

#include <math.h>

static double precision(double prevalence, double tpr, double fpr)
{
    const double right = prevalence * tpr, wrong = (1 - prevalence) * fpr;
    return right + wrong > 0 ? right / (right + wrong) : (double)NAN;
}

/* TPR = 1 - FNR - rejected; its range from those of both. */
static ney_range tpr_of(const ney_rule_rates *r)
{
    return (ney_range){.value = fmax(0, 1 - r->fnr.value - r->reject_pos.value),
                       .low = fmax(0, 1 - r->fnr.high - r->reject_pos.high),
                       .high = fmax(0, 1 - r->fnr.low - r->reject_pos.low)};
}

ney_range ney_precision_at(const ney_rule_rates *r, double prevalence)
{
    const ney_range tpr = tpr_of(r);
    ney_range p = {.value = precision(prevalence, tpr.value, r->fpr.value),
                   .low = precision(prevalence, tpr.low, r->fpr.high),
                   .high = precision(prevalence, tpr.high, r->fpr.low)};
    if (isnan(p.low)) { /* no row need be called positive: nothing is known */
        p.low = 0;
    }
    if (isnan(p.high)) {
        p.high = 1;
    }
    return p;
}

static double cost(double prevalence, const ney_costs *c, double fpr, double fnr, double reject_neg,
                   double reject_pos)
{
    return prevalence * (c->fn * fnr + c->reject_fn * reject_pos) +
           (1 - prevalence) * (c->fp * fpr + c->reject_fp * reject_neg);
}

ney_range ney_cost_at(const ney_rule_rates *r, double prevalence, const ney_costs *costs)
{
    return (ney_range){.value = cost(prevalence, costs, r->fpr.value, r->fnr.value,
                                     r->reject_neg.value, r->reject_pos.value),
                       .low = cost(prevalence, costs, r->fpr.low, r->fnr.low, r->reject_neg.low,
                                   r->reject_pos.low),
                       .high = cost(prevalence, costs, r->fpr.high, r->fnr.high, r->reject_neg.high,
                                    r->reject_pos.high)};
}
