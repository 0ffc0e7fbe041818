/* What happens at the ends gamma -> 0 and gamma -> 1. */
#ifndef NEY_THEORY_LIMIT_H
#define NEY_THEORY_LIMIT_H

#include "theory/mixture.h"

/* Fill *out, whose arrays hold dims numbers and one per component of the class that is always
 * decided for: the negatives at gamma = 0, the positives at gamma = 1. `work` holds
 * (dims + 2) * dims + dims numbers. */
ney_status ney_limit_of(const ney_mixture *mixture, ney_theory_loss loss, int end, double *work,
                        double *direction, double *weight, ney_asymmetry_limit *out,
                        ney_error *err);

#endif
