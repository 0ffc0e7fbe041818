/* Which columns a model of trees uses, what each adds to the score of a row, and the file of
 * XGBoost. EXPERIMENTAL: anything here may change in any release (VERSIONING.md). */
#ifndef NEYMAN_EXPERIMENTAL_TREES_H
#define NEYMAN_EXPERIMENTAL_TREES_H

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

/** Write the JSON model file of libxgboost. Its prediction for the cells of a row, zeros included,
 * is the score up to rounding to single precision; scaling is folded into the thresholds. "-" is
 * standard output.
 * @retval NEY_EINVAL  the model is not of trees, has folds or p-values, or scales rows to length 1.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_model_export_xgboost(const ney_model *model,
                                                                    const char *path,
                                                                    ney_error *err);

#ifdef __cplusplus
}
#endif

#endif
