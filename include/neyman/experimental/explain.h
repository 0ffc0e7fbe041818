/* Which columns a model of trees uses, and what each adds to the score of a row.
 * EXPERIMENTAL: anything here may change in any release (VERSIONING.md). */
#ifndef NEYMAN_EXPERIMENTAL_EXPLAIN_H
#define NEYMAN_EXPERIMENTAL_EXPLAIN_H

#include <neyman/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Shapley values of the features of each row (path-dependent TreeSHAP): unknown features are
 * averaged over by the shares of the training rows at each split. `contribution` has one number per
 * row and feature, row after row; those of a row and *expected add up to its score, up to rounding.
 * @retval NEY_EINVAL  the model is not of trees.
 * @retval NEY_ECANCELLED  env->poll said stop. */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status
ney_model_contributions(const ney_model *model, const ney_env *env, const ney_matrix *x,
                        double *contribution, double *expected, ney_error *err);

/** By how much the splits on each feature lowered the training loss, summed over all trees; one
 * number per feature. False: the model is not of trees. */
NEY_EXPERIMENTAL bool ney_model_gains(const ney_model *model, double *gain);

#ifdef __cplusplus
}
#endif

#endif
