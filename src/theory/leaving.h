/* From which gamma on the hinge has an optimum other than a constant. */
#ifndef NEY_THEORY_LEAVING_H
#define NEY_THEORY_LEAVING_H

#include "theory/mixture.h"

/* One class, in coordinates of the caller's choice. */
typedef struct ney_leaving_side {
    const ney_mixture_class *weights;
    const double *mean, *cov; /* of the components; the covariances of `near` are not asked for */
} ney_leaving_side;

/* k of [ASY.14], and the way out, (w, 1 - w'mu) of the minimum: d + 1 numbers. `work` has room for
 * dims * (dims + 5) numbers. */
double ney_leaving_price(const ney_leaving_side *far, const ney_leaving_side *near, int64_t d,
                         double *way, double *work);

#endif
