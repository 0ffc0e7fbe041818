/* Risk and coverage of a classifier that may abstain near its threshold. */
#include "decide/order.h"

#include <math.h>

ney_status ney_risk_coverage(const ney_env *env, const double *score, const int8_t *label,
                             int64_t n, double threshold, ney_risk_point *curve, int64_t *n_points,
                             ney_error *err)
{
    const ney_env e = ney_env_of(env);
    ney_ranked *item = NULL;
    ney_status st;

    *n_points = 0;
    if (isnan(threshold)) {
        return ney_fail(err, NEY_EINVAL, "the threshold is not a number");
    }
    double *distance = ney_alloc(&e, n, sizeof *distance);
    if (!distance) {
        return ney_no_memory(err, n, "distances");
    }
    for (int64_t i = 0; i < n; i++) {
        distance[i] = score[i] == threshold ? 0 : fabs(score[i] - threshold);
    }
    if ((st = ney_order_new(&item, &e, distance, n, err)) == NEY_OK) {
        int64_t errors = 0;
        for (int64_t i = n - 1; i >= 0; i--) {
            const int64_t row = item[i].row;
            errors += (score[row] >= threshold) != (label[row] > 0);
            if (i == 0 || item[i - 1].score != item[i].score) {
                curve[(*n_points)++] =
                    (ney_risk_point){.distance = item[i].score, .covered = n - i, .errors = errors};
            }
        }
    }
    ney_release(&e, item);
    ney_release(&e, distance);
    return st;
}
