/* Class-conditional conformal p-values [CONF.1]. */
#ifndef NEY_DECIDE_CONFORMAL_H
#define NEY_DECIDE_CONFORMAL_H

#include <stdint.h>

/* The p-value of the class `sign` for a score, from the n calibration scores of that class in
 * ascending order. Ties count towards a larger p-value, so that the guarantee holds with ties. */
double ney_conformal_p(const double *sorted, int64_t n, int sign, double score);

/* The same for a random row of a new group [GROUP.4]. `below` are n + 1 sums of the weights of the
 * scores before each, a weight being one over the rows of its group. */
double ney_conformal_p_groups(const double *sorted, const double *below, int64_t n, int64_t groups,
                              int sign, double score);

#endif
