/* The loss of one class in online learning: two hinges of the margin z,
 *
 *     first max(0, tau - z) + second max(0, rho - z)                                        [REJ.3]
 */
#ifndef NEY_LEARN_BATCH_HINGES_H
#define NEY_LEARN_BATCH_HINGES_H

#include <neyman/experimental.h>

#include <math.h>

typedef struct ney_hinges {
    double tau, first, rho, second;
} ney_hinges;

/* Of negatives and positives, at these costs: the double hinge, or where rejecting does not pay the
 * hinge of a cost SVM. */
void ney_hinges_of(const ney_costs *costs, ney_hinges hinges[2]);

/* The loss, and minus its slope. */
static inline double ney_hinges_loss(const ney_hinges *h, double z, double *slope)
{
    *slope = (z < h->tau ? h->first : 0) + (z < h->rho ? h->second : 0);
    return h->first * fmax(0, h->tau - z) + h->second * fmax(0, h->rho - z);
}

#endif
