/* Gains over constant decisions [ASY.5]: where training with gamma is consistent, and the gamma
 * that is best for given testing costs. */
#include "theory/asymmetry.h"

#include <math.h>

/* log(1 - e^-x), -INFINITY for x <= 0. */
static double log_rest(double x)
{
    return x > 0 ? log(-expm1(-x)) : -(double)INFINITY;
}

/* log of [ASY.5] at a place for the slope e^slope: over always negative (low) or always positive.
 */
static double log_gain(const ney_roc_place *p, double slope, bool low)
{
    return low ? p->log_tpr + log_rest(p->log_low - slope)
               : p->log_tnr + slope + log_rest(slope - p->log_high);
}

/* The gain of the other constant decision: v = u = 1 over negative, v = u = 0 over positive. */
static double log_constant_gain(double slope, bool low)
{
    return low ? log_rest(-slope) : slope + log_rest(slope);
}

bool ney_asymmetry_is_consistent(const ney_asymmetry *a, const ney_roc_place *p)
{
    const bool low = p->fpr + p->tpr < 1;
    const double excess = low ? p->above_low : p->below_high, rounding = 1e-12;

    if (!(excess > -rounding)) { /* NAN too: the rates move in opposite directions */
        return false;
    }
    const double own =
        log_rest(fmax(excess, 1e-16)) + (low ? p->log_tpr : p->log_tnr + p->log_slope);
    const double slack = 1e-9 + 1e-12 * fabs(own);
    bool best = log_constant_gain(p->log_slope, low) <= own + slack;
    for (int64_t j = 0; j < NEY_ASYMMETRY_GRID && best; j++) {
        best = !(log_gain(&a->grid[j], p->log_slope, low) > own + slack);
    }
    return best;
}

/* Where consistency changes between two log odds, of which only the first is consistent if `first`.
 */
static ney_status consistency_border(ney_asymmetry *a, double from, double to, bool first,
                                     double *gamma, ney_error *err)
{
    ney_roc_place place;

    for (int step = 0; step < 40; step++) {
        const double middle = 0.5 * (from + to);
        const ney_status st = ney_asymmetry_solve(a, ney_gamma_of_log_odds(middle), &place, err);
        if (st != NEY_OK) {
            return st;
        }
        if (ney_asymmetry_is_consistent(a, &place) == first) {
            from = middle;
        } else {
            to = middle;
        }
    }
    *gamma = ney_gamma_of_log_odds(0.5 * (from + to));
    return NEY_OK;
}

ney_status ney_asymmetry_ranges(ney_asymmetry *a, double pairs[32], int64_t *n_pairs,
                                ney_error *err)
{
    NEY_REQUIRE(a && n_pairs, err);
    bool before = false;

    *n_pairs = 0;
    for (int64_t j = 0; j < NEY_ASYMMETRY_GRID && !a->constant; j++) {
        const bool here = ney_asymmetry_is_consistent(a, &a->grid[j]);
        double gamma = 0;
        if (here != before && j > 0) {
            const ney_status st =
                consistency_border(a, a->log_odds[j - 1], a->log_odds[j], before, &gamma, err);
            if (st != NEY_OK) {
                return st;
            }
        }
        if (here && !before) {
            if (*n_pairs == 16) {
                break;
            }
            pairs[2 * *n_pairs] = gamma;
            pairs[2 * (*n_pairs)++ + 1] = 1;
        } else if (before && !here) {
            pairs[2 * *n_pairs - 1] = gamma;
        }
        before = here;
    }
    return NEY_OK;
}

/* log odds of the gamma with the largest gain between two of them, by golden sections; *where is
 * kept if its gain, `most`, is larger still. */
static ney_status best_between(ney_asymmetry *a, double slope, bool low, double from, double to,
                               double most, double *where, ney_error *err)
{
    const double golden = 0.6180339887498949;
    double x[2] = {to - golden * (to - from), from + golden * (to - from)}, gain[2];
    ney_roc_place place;
    ney_status st;

    for (int k = 0; k < 2; k++) {
        if ((st = ney_asymmetry_solve(a, ney_gamma_of_log_odds(x[k]), &place, err)) != NEY_OK) {
            return st;
        }
        gain[k] = log_gain(&place, slope, low);
    }
    for (int step = 0; step < 36; step++) {
        const int worse = gain[0] < gain[1] ? 0 : 1;
        *(worse == 0 ? &from : &to) = x[worse];
        x[worse] = x[1 - worse];
        gain[worse] = gain[1 - worse];
        const int fresh = 1 - worse;
        x[fresh] = fresh == 0 ? to - golden * (to - from) : from + golden * (to - from);
        if ((st = ney_asymmetry_solve(a, ney_gamma_of_log_odds(x[fresh]), &place, err)) != NEY_OK) {
            return st;
        }
        gain[fresh] = log_gain(&place, slope, low);
    }
    if (fmax(gain[0], gain[1]) > most) {
        *where = gain[0] > gain[1] ? x[0] : x[1];
    }
    return NEY_OK;
}

static double cost_of(const ney_asymmetry *a, double beta, double fpr, double fnr)
{
    return beta * a->mixture->p[NEY_POSITIVE] * fnr +
           (1 - beta) * a->mixture->p[NEY_NEGATIVE] * fpr;
}

/* What training with gamma costs; and the rates, where they are those of the answer. */
static ney_status fill_cost(ney_asymmetry *a, double gamma, ney_asymmetry_answer *answer,
                            double *cost, ney_error *err)
{
    ney_asymmetry_point p;
    ney_roc_place place;

    if (a->constant || gamma <= 0 || gamma >= 1) {
        ney_asymmetry_constant_point(a, gamma, &p, a->optimum.w);
    } else {
        const ney_status st = ney_asymmetry_solve(a, gamma, &place, err);
        if (st != NEY_OK) {
            return st;
        }
        p = (ney_asymmetry_point){.fpr = place.fpr, .tpr = place.tpr, .fnr = exp(place.log_fnr)};
    }
    *cost = cost_of(a, answer->beta, p.fpr, p.fnr);
    if (cost == &answer->cost) {
        answer->fpr = p.fpr;
        answer->tpr = p.tpr;
    }
    return NEY_OK;
}

ney_status ney_asymmetry_for(ney_asymmetry *a, double beta, ney_asymmetry_answer *answer,
                             ney_error *err)
{
    NEY_REQUIRE(a && answer, err);
    if (!(beta > 0 && beta < 1)) {
        return ney_fail(err, NEY_EINVAL, "beta = %g, expected a number between 0 and 1", beta);
    }
    const double slope = log1p(-beta) - log(beta) + log(a->mixture->p[NEY_NEGATIVE]) -
                         log(a->mixture->p[NEY_POSITIVE]);
    const bool low = slope > 0;
    double most = -(double)INFINITY, where = 0;
    int64_t best = -1;
    ney_status st;

    for (int64_t j = 0; j < NEY_ASYMMETRY_GRID && !a->constant; j++) {
        const double gain = log_gain(&a->grid[j], slope, low);
        if (gain > most) {
            most = gain;
            best = j;
        }
    }
    *answer = (ney_asymmetry_answer){.beta = beta, .gamma = low ? 0 : 1};
    answer->cost_constant = fmin(cost_of(a, beta, 0, 1), cost_of(a, beta, 1, 0));
    if (best >= 0) {
        where = a->log_odds[best];
        st = best_between(a, slope, low, a->log_odds[best > 0 ? best - 1 : 0],
                          a->log_odds[best < NEY_ASYMMETRY_GRID - 1 ? best + 1 : best], most,
                          &where, err);
        if (st != NEY_OK) {
            return st;
        }
        answer->gamma = ney_gamma_of_log_odds(where);
    }
    if ((st = fill_cost(a, answer->gamma, answer, &answer->cost, err)) != NEY_OK) {
        return st;
    }
    return fill_cost(a, beta, answer, &answer->cost_same, err);
}
