/* What explore.c, curve.c and evaluation.c share. */
#ifndef NEY_PATH_EXPLORE_H
#define NEY_PATH_EXPLORE_H

#include "path/path.h"

/* ---- evaluation.c */

/* Rows to train on and others to evaluate on. */
typedef struct ney_path_split {
    const ney_data *train, *held; /* borrowed, or one of the two below */
    ney_data *own_train, *own_held;
    ney_path *path;
    double *score;     /* of `held` */
    double *sorted[2]; /* the scores of either class, ascending */
    int64_t n[2];
} ney_path_split;

/* Memory for scores. */
ney_status ney_path_split_init(ney_path_split *s, const ney_env *env, ney_error *err);
void ney_path_split_deinit(ney_path_split *s, const ney_env *env);

/* Score the held rows with the classifier at costs c, and sort the scores. */
ney_status ney_path_split_evaluate(ney_path_split *s, const ney_env *env, ney_cost_pair c,
                                   ney_error *err);

/* Rates at a threshold of the classifier evaluated last. */
void ney_path_split_rates(const ney_path_split *s, double threshold, double *fpr, double *tpr);

/* ---- curve.c */

struct ney_exploration {
    ney_env env;
    ney_explore_opts o;
    double cost_fn, cost_fp, share_pos;
    ney_path_split
        *split; /* random splits of the training rows; one where there are validation rows */
    int64_t n_splits;
    ney_data *own[3];       /* copies of the training, validation and test rows, preprocessed */
    ney_path_split total;   /* trained on all rows, evaluated on the test rows */
    bool has_test;          /* whether there are test rows */
    ney_path *path;         /* trained on all rows: of `total`, or of the only split */
    double centre;          /* share of C+ on the first line */
    double best, best_cost; /* C+ + C- of the lowest cost on the first line, and that cost */
    ney_curve curve[NEY_N_CURVES];
    int64_t curve_capacity[NEY_N_CURVES];
    double done, all; /* classifiers evaluated so far and in total, for progress */
};

/* C+ and C- of a total and a share of C+. */
static inline ney_cost_pair ney_cost_pair_of(double total, double share)
{
    return (ney_cost_pair){total * share, total * (1 - share)};
}

/* The point of the classifiers evaluated last, at a threshold: rates averaged over the splits. */
ney_curve_point ney_curve_average(const ney_exploration *e, ney_cost_pair c, double threshold);

/* Append a point, or the points of at most `most` thresholds, of the classifiers evaluated last. */
ney_status ney_curve_add(ney_exploration *e, ney_curve_kind kind, const ney_curve_point *p,
                         ney_error *err);
ney_status ney_curve_add_thresholds(ney_exploration *e, ney_curve_kind kind, ney_cost_pair c,
                                    int64_t most, ney_error *err);

/* Sort all curves, take the envelope, compute areas and the rates on the test rows. */
ney_status ney_curves_finish(ney_exploration *e, ney_error *err);

#endif
