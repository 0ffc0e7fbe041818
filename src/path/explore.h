/* What explore.c and look.c share. */
#ifndef NEY_PATH_EXPLORE_H
#define NEY_PATH_EXPLORE_H

#include "path/path.h"

/* Rows to learn from and others to look at. */
typedef struct ney_half {
    const ney_data *learn, *look; /* borrowed, or one of the two below */
    ney_data *own_learn, *own_look;
    ney_path *path;
    double *score;     /* of `look` */
    double *sorted[2]; /* the scores of either class, ascending */
    int64_t n[2];
} ney_half;

void ney_half_deinit(ney_half *h, const ney_env *env);

/* Memory for scores. */
ney_status ney_half_init(ney_half *h, const ney_env *env, ney_error *err);

/* Score with the classifier at costs c, and sort. */
ney_status ney_half_look(ney_half *h, const ney_env *env, ney_costs c, ney_error *err);

/* Rates at a threshold of the classifier looked at last. */
void ney_half_rates(const ney_half *h, double threshold, double *fpr, double *tpr);

#endif
