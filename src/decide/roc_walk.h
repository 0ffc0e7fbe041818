/* Rates along an ROC curve, of the bounded class and of the other one: the bounded rate rises from
 * point to point and the other falls. */
#ifndef NEY_DECIDE_ROC_WALK_H
#define NEY_DECIDE_ROC_WALK_H

#include <neyman/neyman.h>

/* hits / n, and 0 of none. */
static inline double ney_share(int64_t hits, int64_t n)
{
    return n > 0 ? (double)hits / (double)n : 0;
}

typedef struct ney_roc_walk {
    const ney_roc *roc;
    bool bounds_fnr; /* positives are bounded: the curve is walked from its other end */
} ney_roc_walk;

/* Point k of the walk as a point of the curve, and the rates there. */
int64_t ney_walk_point(const ney_roc_walk *w, int64_t k);
double ney_walk_bounded_rate(const ney_roc_walk *w, int64_t k);
double ney_walk_other_rate(const ney_roc_walk *w, int64_t k);

/* The mean of Q(U), U ~ Beta(k, m + 1 - k): what the other rate is to be when the threshold is set
 * from m new rows of the bounded class, at which at most `rate` may be misclassified [TUNE.1]. k is
 * that of the certificate of `delta`; NAN: the rate is to be met in the mean. */
double ney_expected_other_rate(const ney_roc_walk *w, int64_t m, double rate, double delta);

#endif
