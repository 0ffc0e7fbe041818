/* Fitting a model to rows: one call owns preprocessing, hold-out, training, certification and the
 * result, so that no certificate can be voided by the order of calls. */
#ifndef NEYMAN_FIT_H
#define NEYMAN_FIT_H

#include <neyman/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Fit a model: fill and scale the features, fitted on the rows that are learned from; hold out rows
 * where a rate is certified or p-values are calibrated; train; certify.
 *
 * @param[out] model    Free with ney_model_free(). Converged or not: see "stop" of the result.
 * @param[out] result   What `neyman train --json` prints: "goal", "method", "family", "fpr",
 *                      "threshold", "certified", "guarantee", "warnings" and so on (doc/claims.md).
 *                      Free with ney_result_free(). NULL: not wanted.
 * @param      data     Raw rows with labels, from ney_data_read(), ney_data_parse() or
 *                      ney_data_from_array(). They are filled and scaled in place: fit each data
 *                      set once, and make it anew for the next.
 * @param      options  Those of preprocessing and training, and missing; other options of reading
 *                      count where the data were read, and must be at their defaults where they are
 *                      from an array. Options of tuning must be at their defaults. NULL: defaults.
 *
 * @retval NEY_EINVAL  options contradict each other or have no effect; the data have no label, no
 *                     column or one class only, or were fitted before.
 * @retval NEY_EPARSE  a value is missing, and the option missing is not mean: the message names row
 *                     and column.
 * @retval NEY_EGOAL   the rate cannot be certified: the message says what would be needed.
 *
 * env.poll may stop it: the best model so far is returned, and "stop" is "cancelled". No handle may
 * be in use by another thread.
 */
NEY_API NEY_MUST_CHECK ney_status ney_fit(ney_model **model, ney_result **result,
                                          const ney_env *env, ney_data *data,
                                          const ney_options *options, ney_error *err);

/**
 * The same by the online method on the rows of a cache file (ney_cache_build()), a part of them in
 * memory at a time: what ney_fit() gives for the same rows, to the last bit.
 */
NEY_API NEY_MUST_CHECK ney_status ney_fit_cache(ney_model **model, ney_result **result,
                                                const ney_env *env, const char *path,
                                                const ney_options *options, ney_error *err);

/**
 * Choose C, gamma and whatever else spans the grid, then fit with the best: ney_tune() with all
 * that ney_fit() owns.
 *
 * @param[out] result  What `neyman tune --json` prints.
 * @param      valid   Raw rows to choose by, brought to the features of `data` in place; NULL:
 * folds. Read a table with ney_data_preprocessing(data), so that it has the same categories.
 * @param      options Those of preprocessing, training and tuning, and missing.
 * @retval NEY_ECANCELLED  poll asked for a stop before the choice was made. The table of the option
 *                         `table` keeps what is done.
 */
NEY_API NEY_MUST_CHECK ney_status ney_fit_tuned(ney_model **model, ney_result **result,
                                                const ney_env *env, ney_data *data, ney_data *valid,
                                                const ney_options *options, ney_error *err);

/**
 * Learn on from a model: ney_update() with the result that `neyman update --json` prints.
 *
 * @param data     Read or made with the model's preprocessing (ney_model_preprocessing()).
 * @param options  Bounded rates and confidence that are not set are the model's.
 */
NEY_API NEY_MUST_CHECK ney_status ney_fit_update(ney_model **model, ney_result **result,
                                                 const ney_env *env, const ney_model *from,
                                                 const ney_data *data, const ney_options *options,
                                                 ney_error *err);

#ifdef __cplusplus
}
#endif

#endif
