/* Paths and exploration with structs of options. EXPERIMENTAL: anything here may change in any
 * release (VERSIONING.md). */
#ifndef NEYMAN_EXPERIMENTAL_PATH_H
#define NEYMAN_EXPERIMENTAL_PATH_H

#include <neyman/experimental/train.h>
#include <neyman/path.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options of an exploration. */
typedef struct ney_explore_opts {
    double most;     /* largest C+ + C- */
    int64_t splits;  /* number of random half splits, without validation rows */
    int64_t seed;    /* of the splits */
    int64_t regular; /* number of further sums C+ + C- on either side, each by a factor of ten */
    ney_scaling scaling; /* of raw data, with statistics of the training rows */
} ney_explore_opts;

/** The table of ney_explore_opts, static. @param[out] n_params  Its number of rows. */
NEY_EXPERIMENTAL const ney_param *ney_explore_params(int64_t *n_params);

enum { NEY_N_CURVES = NEY_CURVE_BOTH + 1 };

/* The functions of <neyman/path.h> with structs of options. */

NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_path_new_with(ney_path **out, const ney_env *env,
                                                             const ney_data *data,
                                                             const ney_train_opts *opts,
                                                             ney_error *err);
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status
ney_explore_with(ney_exploration **out, const ney_env *env, const ney_data *train,
                 const ney_data *valid, const ney_data *test, const ney_train_opts *opts,
                 const ney_explore_opts *explore, ney_error *err);

#ifdef __cplusplus
}
#endif

#endif
