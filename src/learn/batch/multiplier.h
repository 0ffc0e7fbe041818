/* The search for the multiplier at which a rate is the one allowed.
 *
 * The rate P falls as lambda rises, roughly as a power of it. So the search is for a zero of
 *
 *     h(t) = log((P(t) + c) / (aim + c)),   t = log lambda                                 [NP.4]
 *
 * with c a fraction of one example, by the secant through the two ends of a bracket, kept away
 * from both (and by half its slope where one end stays: Illinois); by steps along the last secant
 * while there is only one end. P is that of a nonconvex problem that has not converged: an end may
 * prove wrong. The latest value counts, and an end that contradicts it is dropped. */
#ifndef NEY_LEARN_BATCH_MULTIPLIER_H
#define NEY_LEARN_BATCH_MULTIPLIER_H

#include <stdbool.h>

typedef struct ney_multiplier {
    double aim, small;      /* the rate sought, and c */
    bool is_monotone;       /* the problem is convex: small slopes and short steps are trusted */
    bool has_low, has_high; /* the ends: too small a lambda, too large a one */
    double low, high;       /* their t */
    double at_low, at_high; /* their h, halved where an end stays */
    double slope;           /* of the last secant, 0: none yet */
    double last_t, last_h;
    bool seen;
    int side; /* that was replaced last */
} ney_multiplier;

/* Add the rate that a lambda gives. */
void ney_multiplier_see(ney_multiplier *m, double lambda, double rate);

/* The next lambda to try. */
double ney_multiplier_next(const ney_multiplier *m);

/* How fast h falls between the ends, 0 unless both are there. Rates fall as lambda to the -1 or -2;
 * much steeper is a discontinuity, or an end that is out of date. */
double ney_multiplier_steepness(const ney_multiplier *m);

/* Whether both ends are there and closer than this ratio. */
bool ney_multiplier_is_tight(const ney_multiplier *m, double ratio);

#endif
