/* From which gamma on the hinge has an optimum other than a constant. */
#ifndef NEY_THEORY_EXIT_EVENT_H
#define NEY_THEORY_EXIT_EVENT_H

#include "theory/mixture.h"

/* One class, in coordinates of the caller's choice. */
typedef struct ney_exit_class {
    const ney_mixture_class *weights;
    const double *mean, *cov; /* of the components; the covariances of `near` are not asked for */
} ney_exit_class;

/* k of [ASY.14], and the exit direction, (w, 1 - w'mu) of the minimum: d + 1 numbers. `work` holds
 * dims * (dims + 5) numbers. */
double ney_exit_event_ratio(const ney_exit_class *far, const ney_exit_class *near, int64_t d,
                            double *direction, double *work);

#endif
