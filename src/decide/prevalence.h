/* Precision and cost of a decision rule in a population with another share of positives than the
 * rows that were measured. Rates within a class do not depend on that share; precision and cost do.
 */
#ifndef NEY_DECIDE_PREVALENCE_H
#define NEY_DECIDE_PREVALENCE_H

#include <neyman/neyman.h>

/* A figure and its range. */
typedef struct ney_range {
    double value, low, high;
} ney_range;

/* The rates of a rule: shares of the negatives that are flagged or rejected, and of the positives
 * that are missed or rejected. Each has a range; all ranges hold at once. */
typedef struct ney_rule_rates {
    ney_range fpr, fnr, reject_neg, reject_pos;
} ney_rule_rates;

/* The share of positives among rows called positive where `prevalence` of all rows are positive:
 * over the rectangle of the rates' ranges. The value is NAN where no row is called positive. */
ney_range ney_precision_at(const ney_rule_rates *r, double prevalence);

/* The mean cost of a row there. */
ney_range ney_cost_at(const ney_rule_rates *r, double prevalence, const ney_costs *costs);

#endif
