/* Risk and coverage of a classifier that may abstain near its threshold. */
#include "decide/order.h"

#include <math.h>

/* Points of the curve from rows in the order of their distances, ascending; returns their number.
 */
static int64_t trace_curve(const ney_ranked *item, const ney_labelled_scores *rows,
                           double threshold, ney_risk_point *curve)
{
    const int64_t n = rows->n;
    int64_t errors = 0, n_points = 0;

    for (int64_t i = n - 1; i >= 0; i--) {
        const int64_t row = item[i].row;
        errors += (rows->score[row] >= threshold) != (rows->label[row] > 0);
        if (i == 0 || item[i - 1].score != item[i].score) {
            curve[n_points++] =
                (ney_risk_point){.distance = item[i].score, .covered = n - i, .errors = errors};
        }
    }
    return n_points;
}

ney_status ney_band_coverage(const ney_env *env, const ney_labelled_scores *rows, double low,
                             double center, double high, ney_risk_point *curve, int64_t *n_points,
                             ney_error *err)
{
    NEY_REQUIRE(rows && rows->n >= 0 && ((rows->score && rows->label && curve) || rows->n == 0) &&
                    n_points,
                err);
    NEY_REQUIRE_RESERVED(rows, "ney_labelled_scores", err);
    const ney_env e = ney_env_of(env);
    const double *const score = rows->score;
    const int64_t n = rows->n;
    const double below = low < center ? center - low : 1;
    const double above = high > center ? high - center : 1;

    *n_points = 0;
    if (!(low <= center && center <= high)) {
        return ney_fail(err, NEY_EINVAL, "a band from %g to %g around %g, expected them in order",
                        low, high, center);
    }
    double *distance = ney_alloc(&e, n, sizeof *distance);
    if (!distance) {
        return ney_no_memory(err, n, "distances");
    }
    for (int64_t i = 0; i < n; i++) { /* equal infinities are not apart */
        const double away = score[i] == center ? 0 : score[i] - center;
        distance[i] = away < 0 ? -away / below : away / above;
    }
    ney_ranked *item = NULL;
    const ney_status st = ney_order_new(&item, &e, distance, n, err);
    if (st == NEY_OK) {
        *n_points = trace_curve(item, rows, center, curve);
    }
    ney_release(&e, item);
    ney_release(&e, distance);
    return st;
}

ney_status ney_risk_coverage(const ney_env *env, const double *score, const int8_t *label,
                             int64_t n, double threshold, ney_risk_point *curve, int64_t *n_points,
                             ney_error *err)
{
    NEY_REQUIRE(n >= 0 && (score || n == 0) && (label || n == 0) && (curve || n == 0) && n_points,
                err);
    if (isnan(threshold)) {
        *n_points = 0;
        return ney_fail(err, NEY_EINVAL, "the threshold is not a number");
    }
    const ney_labelled_scores rows = {.score = score, .label = label, .n = n};
    return ney_band_coverage(env, &rows, threshold, threshold, threshold, curve, n_points, err);
}

/* The share of errors among the rows after point a up to point b, a = -1 being before the first. */
static double share_between(const ney_risk_point *curve, int64_t a, int64_t b)
{
    const int64_t covered = a < 0 ? 0 : curve[a].covered, errors = a < 0 ? 0 : curve[a].errors;
    return (double)(curve[b].errors - errors) / (double)(curve[b].covered - covered);
}

/* Pool adjacent violators. The groups so far are a stack of their last points, kept in the first
 * places of ratio[] itself: there are never more groups than points. */
void ney_error_reject_ratio(const ney_risk_point *curve, int64_t n_points, double *ratio)
{
    if (!curve || !(ratio || n_points <= 0)) {
        return;
    }
    int64_t m = 0;
    for (int64_t k = 0; k < n_points; k++) {
        ratio[m++] = (double)k;
        while (m > 1) {
            const int64_t last = (int64_t)ratio[m - 2];
            const int64_t before = m > 2 ? (int64_t)ratio[m - 3] : -1;
            if (share_between(curve, before, last) < share_between(curve, last, k)) {
                break;
            }
            ratio[m-- - 2] = (double)k;
        }
    }
    while (m > 0) { /* from the last group on: what is overwritten is not needed any more */
        const int64_t last = (int64_t)ratio[m - 1];
        const int64_t before = m > 1 ? (int64_t)ratio[m - 2] : -1;
        const double share = share_between(curve, before, last);
        for (int64_t j = before + 1; j <= last; j++) {
            ratio[j] = share;
        }
        m--;
    }
}
