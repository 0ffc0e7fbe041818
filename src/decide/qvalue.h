/* What the estimates of a false-discovery rate share. */
#ifndef NEY_DECIDE_QVALUE_H
#define NEY_DECIDE_QVALUE_H

#include "base/grouping.h"
#include "decide/order.h"

/* @retval NEY_EINVAL  a value out of bounds, or options that exclude each other. */
ney_status ney_qvalue_check(const ney_qvalue_opts *o, ney_error *err);

/* Rows in the order of their scores are anywhere in memory: the label of each becomes the lowest
 * bit of its number, which is doubled, 1 for a target. */
void ney_attach_labels(const ney_env *env, ney_ranked *item, const int8_t *label, int64_t n);

/* ney_qvalues_competed() of rows whose groups were sorted before: scores change more often than
 * what competes. `g` NULL: they are sorted here. */
ney_status ney_qvalues_grouped(const ney_env *env, const ney_labelled_scores *rows,
                               const ney_grouping *g, const ney_qvalue_opts *opts, double *q,
                               double *pep, bool *best, ney_competition *result, ney_error *err);

/* Posterior error probabilities and q-values of rows in the order of their scores, with labels
 * attached. The options were checked. */
ney_status ney_peps_in_order(const ney_env *env, const ney_ranked *item, int64_t n,
                             const ney_qvalue_opts *opts, double *pep, ney_error *err);
/* Scores become q-values. */
void ney_qvalues_in_order(const ney_env *env, ney_ranked *item, int64_t n,
                          const ney_qvalue_opts *opts, double *q);

#endif
