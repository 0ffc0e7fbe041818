/* The criterion by which tuning compares score functions on held-out rows. */
#ifndef NEY_SELECT_CRITERION_H
#define NEY_SELECT_CRITERION_H

#include "learn/goal.h"

typedef struct ney_rule {
    ney_criterion criterion;  /* never AUTO */
    bool bounds_fnr;          /* the bounded rate is that of the positives */
    double rate;              /* bounded, or of the criterion itself; NAN: none */
    double delta;             /* of the certificate; NAN: there is none */
    int64_t n_rows;           /* of the bounded class, from which the threshold will be set */
    double max_fpr, max_fnr;  /* of the goal; NAN: not bounded */
    ney_band band;            /* of the goal: what decisions cost, and its thresholds */
    ney_qvalue_opts estimate; /* of discoveries */
} ney_rule;

/* @retval NEY_EINVAL  the criterion does not suit the goal. */
ney_status ney_rule_init(ney_rule *r, const ney_train_opts *o, const ney_tune_opts *t,
                         ney_error *err);

/* The value of a criterion. The rates are those of the threshold: the one that lets as many of the
 * bounded class be misclassified as the rate allows; where rows are rejected, the band of least
 * cost, `threshold` being its upper end; else 0. */
typedef struct ney_criterion_value {
    double loss, fpr, fnr, threshold, auc;
} ney_criterion_value;

/* @param key  rows that compete, as the groups of ney_qvalues_competed(), for the discoveries; or
 * NULL. */
ney_status ney_criterion_evaluate(const ney_rule *r, const ney_env *env, const double *score,
                                  const int8_t *label, const uint64_t *key, int64_t n,
                                  ney_criterion_value *out, ney_error *err);

#endif
