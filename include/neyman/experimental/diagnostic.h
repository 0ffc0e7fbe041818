/* Diagnostic measures of a two-class decision, and subgroups whose error rate exceeds a bound.
 * EXPERIMENTAL: anything here may change in any release (VERSIONING.md). */
#ifndef NEYMAN_EXPERIMENTAL_DIAGNOSTIC_H
#define NEYMAN_EXPERIMENTAL_DIAGNOSTIC_H

#include <neyman/decide.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Functions of sensitivity, specificity and the share of positives. Each is monotone in sensitivity
 * and in specificity. */
typedef enum ney_measure {
    NEY_MEASURE_PPV,         /* share of positives among rows classified as positive */
    NEY_MEASURE_NPV,         /* share of negatives among rows classified as negative */
    NEY_MEASURE_LR_POSITIVE, /* sensitivity / (1 - specificity) */
    NEY_MEASURE_LR_NEGATIVE, /* (1 - sensitivity) / specificity */
    NEY_MEASURE_F1,          /* 2 PPV sensitivity / (PPV + sensitivity) */
    NEY_MEASURE_MCC,         /* Matthews correlation coefficient */
    NEY_MEASURES             /* their number */
} ney_measure;

/** A measure at a sensitivity, a specificity and a share of positives. NAN where it is 0 / 0;
 * likelihood ratios may be infinite. */
NEY_EXPERIMENTAL double ney_measure_at(ney_measure measure, double sensitivity, double specificity,
                                       double prevalence);

/* A measure and its range. */
typedef struct ney_measure_range {
    double value;     /* at the observed sensitivity and specificity */
    double low, high; /* over the rectangle below */
} ney_measure_range;

/** A measure of counts, rejected rows left out, and its range over the joint Clopper-Pearson
 * rectangle: the product of the exact intervals of sensitivity and specificity, each of confidence
 * sqrt(confidence). The two are measured on different rows, so that the rectangle contains the true
 * pair, and the range the true measure, with at least this confidence.
 * @param prevalence  Share of positives at which the measure is taken. */
NEY_EXPERIMENTAL ney_measure_range ney_measure_of(ney_measure measure, const ney_counts *counts,
                                                  double prevalence, double confidence);

/** Which of several subgroups have an error rate above a bound. hits[k] of n[k] independent rows
 * are errors. The p-value of subgroup k is P(Binomial(n[k], max_rate) >= hits[k]); Holm's procedure
 * keeps the probability of any false flag at most `level`, whatever the dependence.
 * @param[out] p     The p-values. @param[out] flag  1: the rate exceeds the bound, 0: not shown. */
NEY_EXPERIMENTAL void ney_flag_subgroups(const int64_t *hits, const int64_t *n, int64_t groups,
                                         double max_rate, double level, double *p, uint8_t *flag);

#ifdef __cplusplus
}
#endif

#endif
