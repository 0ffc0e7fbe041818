/* Diagnostic measures with their ranges over a rectangle [DIAG.1, DIAG.2].
 *
 * Every measure is monotone in sensitivity and in specificity (for the correlation coefficient see
 * DIAG.2), so that the extremes over a rectangle are at two opposite corners. */
#include "decide/binomial.h"

#include <neyman/experimental.h>

#include <math.h>

double ney_measure_at(ney_measure measure, double sensitivity, double specificity,
                      double prevalence)
{
    const double tp = prevalence * sensitivity, fn = prevalence * (1 - sensitivity);
    const double tn = (1 - prevalence) * specificity, fp = (1 - prevalence) * (1 - specificity);
    switch (measure) {
    case NEY_MEASURE_PPV:
        return tp / (tp + fp);
    case NEY_MEASURE_NPV:
        return tn / (tn + fn);
    case NEY_MEASURE_LR_POSITIVE:
        return sensitivity / (1 - specificity);
    case NEY_MEASURE_LR_NEGATIVE:
        return (1 - sensitivity) / specificity;
    case NEY_MEASURE_F1:
        return 2 * tp / (2 * tp + fp + fn);
    case NEY_MEASURE_MCC:
        return (tp * tn - fp * fn) / sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn));
    default:
        return (double)NAN;
    }
}

static double or_else(double value, double fallback)
{
    return isnan(value) ? fallback : value;
}

/* The least and the largest value of a measure where it is 0 / 0 at a corner. */
static double least_of(ney_measure measure)
{
    return measure == NEY_MEASURE_MCC ? -1 : 0;
}

static double largest_of(ney_measure measure)
{
    return measure == NEY_MEASURE_LR_POSITIVE || measure == NEY_MEASURE_LR_NEGATIVE
               ? (double)INFINITY
               : 1;
}

ney_measure_range ney_measure_of(ney_measure measure, const ney_counts *counts, double prevalence,
                                 double confidence)
{
    const int64_t n_pos = counts->tp + counts->fn, n_neg = counts->tn + counts->fp;
    const double each = sqrt(confidence);
    const bool falls = measure == NEY_MEASURE_LR_NEGATIVE;
    double se[2], sp[2];
    ney_interval(counts->tp, n_pos, each, &se[0], &se[1]);
    ney_interval(counts->tn, n_neg, each, &sp[0], &sp[1]);
    return (ney_measure_range){
        .value = ney_measure_at(measure, (double)counts->tp / (double)n_pos,
                                (double)counts->tn / (double)n_neg, prevalence),
        .low =
            or_else(ney_measure_at(measure, se[falls], sp[falls], prevalence), least_of(measure)),
        .high = or_else(ney_measure_at(measure, se[!falls], sp[!falls], prevalence),
                        largest_of(measure))};
}

void ney_flag_subgroups(const int64_t *hits, const int64_t *n, int64_t groups, double max_rate,
                        double level, double *p, uint8_t *flag)
{
    for (int64_t k = 0; k < groups; k++) {
        p[k] = hits[k] > 0 ? ney_binomial_tail((double)hits[k], (double)n[k], max_rate) : 1;
        flag[k] = 0;
    }
    for (int64_t left = groups; left > 0; left--) { /* the least p-value that is not flagged */
        int64_t least = -1;
        for (int64_t k = 0; k < groups; k++) {
            if (!flag[k] && (least < 0 || p[k] < p[least])) {
                least = k;
            }
        }
        if (!(p[least] * (double)left <= level)) {
            return;
        }
        flag[least] = 1;
    }
}
