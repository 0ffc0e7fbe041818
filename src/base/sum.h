/* Sums in twice the precision, so that their rounded value depends on the order of the terms in rare
 * cases only. */
#ifndef NEY_BASE_SUM_H
#define NEY_BASE_SUM_H

#include <math.h>

/* Neumaier's sum: *rest is what *sum has lost, and the total is *sum + *rest. */
static inline void ney_sum_add(double *sum, double *rest, double v)
{
    const double before = *sum;
    *sum += v;
    *rest += fabs(before) >= fabs(v) ? (before - *sum) + v : (v - *sum) + before;
}

#endif
