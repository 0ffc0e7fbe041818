/* Means and covariances of two classes, in the space of the columns or in that of the kernel with a
 * few rows (landmarks): z(x) = (k(x, l_1), ..., k(x, l_p)). */
#ifndef NEY_LEARN_BASELINE_MOMENTS_H
#define NEY_LEARN_BASELINE_MOMENTS_H

#include "learn/task.h"

typedef struct ney_moments {
    ney_env env;
    int64_t p;
    int64_t *landmark;     /* rows; NULL where the columns are the features */
    double *mean[2];       /* of the negatives, of the positives */
    double *covariance[2]; /* p x p */
    double *ridge;         /* p x p: the norm of a score function is w' ridge w */
    double *block;
} ney_moments;

/* @retval NEY_EINVAL  too many columns. ney_moments_deinit() is due in either case. */
ney_status ney_moments_init(ney_moments *m, ney_task *t, ney_error *err);
void ney_moments_deinit(ney_moments *m);

#endif
