/* Confidence bounds on the mean of independent numbers in [0, 1], by betting. Mathematics:
 * doc/math/groups.md. */
#ifndef NEY_DECIDE_MEAN_BOUND_H
#define NEY_DECIDE_MEAN_BOUND_H

#include <stdbool.h>
#include <stdint.h>

enum { NEY_MOST_STAKES = 8 };

/* Constant stakes, each a fraction in (0, 1] of the largest that cannot lose more than it has. */
typedef struct ney_stakes {
    double fraction[NEY_MOST_STAKES];
    int n;
} ney_stakes;

/* Stakes that have most power where `n` numbers are to show, at level delta, that their mean is at
 * most max_mean. They depend on nothing else. */
ney_stakes ney_stakes_for(int64_t n, double max_mean, double delta);

/* Stakes for an interval, where the mean is not known beforehand. */
ney_stakes ney_stakes_any(int64_t n);

/* Whether the numbers reject "the mean exceeds max_mean" at level delta: true with probability at
 * most delta where it does. Non-increasing in every number, non-decreasing in max_mean. */
bool ney_mean_is_below(const double *x, int64_t n, double max_mean, double delta,
                       const ney_stakes *stakes);

/* The smallest max_mean that is not rejected: an upper confidence bound at level delta; 1 where
 * none is. */
double ney_mean_upper(const double *x, int64_t n, double delta, const ney_stakes *stakes);

#endif
