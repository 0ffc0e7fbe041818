/* Fitting a model: one call does preprocessing, hold-out, training and certification, so that the
 * order of calls cannot invalidate a certificate. */
#ifndef NEYMAN_FIT_H
#define NEYMAN_FIT_H

#include <neyman/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Fit a model: hold out rows where a rate is certified or p-values are calibrated; fill and scale
 * the features, with statistics of the other rows; train on these; certify on the held-out rows.
 *
 * @param[out] model    Free with ney_model_free(). Converged or not: see "stop" of the result.
 * @param[out] result   What `neyman train --json` prints: "goal", "method", "family", "fpr",
 *                      "threshold", "certified", "guarantee", "warnings" and so on (doc/claims.md).
 *                      Free with ney_result_free(). NULL: no result.
 * @param      data     Raw rows with labels, from ney_data_read(), ney_data_parse() or
 *                      ney_data_from_array(). They are filled and scaled in place: a data set can
 * be fitted once. For another fit read or make it again.
 * @param      options  Options of the groups preprocessing and training, and `missing`. The other
 *                      options of the group data act where the data are read; for data from an
 * array they must be at their defaults, as all other options must. NULL: the defaults.
 *
 * @retval NEY_EINVAL  options contradict each other or would have no effect; the data have no
 *                     labels, no columns or one class only, or were fitted before.
 * @retval NEY_EPARSE  a value is missing, and the option missing is not mean: the message names row
 *                     and column.
 * @retval NEY_EGOAL   the rate cannot be certified: the message says what would be needed.
 *
 * @retval NEY_ECANCELLED  poll asked for a stop before there was a model. After that, the best
 * model so far is returned with NEY_OK, and "stop" of the result is "cancelled".
 *
 * No other thread may use `data` during the call.
 */
NEY_API NEY_MUST_CHECK ney_status ney_fit(ney_model **model, ney_result **result,
                                          const ney_env *env, ney_data *data,
                                          const ney_options *options, ney_error *err);

/**
 * Fit a model by the online method to the rows of a cache file (ney_cache_build()), of which a part
 * is in memory at a time. Model and result are those of ney_fit() for the same rows, bit for bit.
 *
 * @param path  A cache file. @param options  As for ney_fit(); "memory" bounds the memory for rows.
 * @retval NEY_EFORMAT  not a cache, or a damaged one. Other failures as of ney_fit().
 */
NEY_API NEY_MUST_CHECK ney_status ney_fit_cache(ney_model **model, ney_result **result,
                                                const ney_env *env, const char *path,
                                                const ney_options *options, ney_error *err);

/**
 * Choose C, gamma and other options of the grid on rows that are not trained on, then fit with the
 * best values: preprocessing, hold-out and certification as of ney_fit().
 *
 * @param[out] result  What `neyman tune --json` prints.
 * @param      valid   Raw validation rows, which are filled and scaled in place; NULL:
 *                     cross-validation. Read a table with ney_data_preprocessing(data), so that it
 * has the same categories.
 * @param      options Options of the groups preprocessing, training and tuning, and `missing`.
 * @retval NEY_ECANCELLED  poll asked for a stop before the choice was made. The file of the option
 *                         `table` keeps the results so far, and the next run continues from it.
 */
NEY_API NEY_MUST_CHECK ney_status ney_fit_tuned(ney_model **model, ney_result **result,
                                                const ney_env *env, ney_data *data, ney_data *valid,
                                                const ney_options *options, ney_error *err);

/**
 * Continue the training of a model on new rows by the online method. The new model has a
 * certificate of its own, from held-out rows of `data`.
 *
 * @param[out] result  What `neyman update --json` prints; NULL: no result.
 * @param from     A linear model, a network or a model of random features.
 * @param data     Read or made with the model's preprocessing (ney_model_preprocessing()).
 * @param options  Options of the groups data and training. Bounded rates and confidence that are
 * not set are those of the model.
 * @retval NEY_EGOAL   the rate cannot be certified: too few rows, or rows that the model was
 * trained on.
 * @retval NEY_EINVAL  a kernel model; or no rate is bounded, neither by the model nor by options.
 */
NEY_API NEY_MUST_CHECK ney_status ney_fit_update(ney_model **model, ney_result **result,
                                                 const ney_env *env, const ney_model *from,
                                                 const ney_data *data, const ney_options *options,
                                                 ney_error *err);

#ifdef __cplusplus
}
#endif

#endif
