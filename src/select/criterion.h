/* What makes a score function good on rows that it has not seen. */
#ifndef NEY_SELECT_CRITERION_H
#define NEY_SELECT_CRITERION_H

#include "base/env.h"

typedef struct ney_rule {
    ney_criterion criterion; /* never AUTO */
    bool bounds_fnr;         /* the bounded rate is that of the positives */
    double rate;             /* bounded, or of the criterion itself; NAN: none */
    double cost_fn, cost_fp;
} ney_rule;

/* @retval NEY_EINVAL  the criterion asks for what the goal does not have. */
ney_status ney_rule_init(ney_rule *r, const ney_train_opts *o, const ney_tune_opts *t,
                         ney_error *err);

/* What a rule finds. The rates are those of the threshold: the one that lets as many of the bounded
 * class be mistaken as the rate allows, or 0 where none is bounded. */
typedef struct ney_judgement {
    double loss, fpr, fnr, threshold, auc;
} ney_judgement;

ney_status ney_judge(const ney_rule *r, const ney_env *env, const double *score,
                     const int8_t *label, int64_t n, ney_judgement *out, ney_error *err);

#endif
