/* Mixtures and asymmetry from data, with structs of options. EXPERIMENTAL: anything here may change
 * in any release (VERSIONING.md). */
#ifndef NEYMAN_EXPERIMENTAL_THEORY_H
#define NEYMAN_EXPERIMENTAL_THEORY_H

#include <neyman/experimental/train.h>
#include <neyman/theory.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options of a mixture fit. */
typedef struct ney_mixture_opts {
    int64_t components,
        max_components;     /* components 0: at most max_components, chosen by the BIC */
    double ridge;           /* added to every variance, as a share of the variance of the column */
    int64_t max_rows, seed; /* most rows per class; of more, a random sample */
} ney_mixture_opts;

/** The table of ney_mixture_opts, static. @param[out] n_params  Its number of rows. */
NEY_EXPERIMENTAL const ney_param *ney_mixture_params(int64_t *n_params);

/* The functions of <neyman/theory.h> with structs of options. */

NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_mixture_fit_with(ney_mixture **out,
                                                                const ney_env *env,
                                                                const ney_data *data,
                                                                const ney_mixture_opts *opts,
                                                                ney_error *err);
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_asymmetry_sample_with(
    const ney_env *env, const ney_data *data, const ney_train_opts *opts, ney_scaling scaling,
    const ney_asymmetry_grid *grid, double *fpr, double *tpr, ney_error *err);

#ifdef __cplusplus
}
#endif

#endif
