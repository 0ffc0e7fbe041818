/* Internals of a calibrator: distinct scores with counts, and the fits [PROB]. */
#ifndef NEY_DECIDE_PROBABILITY_H
#define NEY_DECIDE_PROBABILITY_H

#include "base/env.h"

/* Calibration rows of one score. */
typedef struct ney_knot {
    double score;
    int64_t neg, pos;
} ney_knot;

/* Platt's sigmoid of the standardised score z = (s / size - mean) / deviation. */
typedef struct ney_platt {
    double size, mean, deviation; /* deviation 0: one score only, z = 0 */
    double slope, offset;         /* p = 1 / (1 + exp(slope z + offset)) */
} ney_platt;

enum { NEY_MOST_CALIBRATION_ROWS = INT32_MAX - 1 }; /* products of two counts fit into 64 bits */

struct ney_calibrator {
    ney_env env;
    ney_knot *knot; /* ascending */
    int64_t n_knots;
    /* n_knots + 1 points of the cumulative sum diagram, (rows, positives) before each knot */
    int64_t *rows, *positives;
    int64_t *left;    /* vertex before point i on the greatest convex minorant of points 0..i */
    int64_t *right;   /* vertex after point i on that of points i..n_knots */
    double *isotonic; /* the fit at each knot */
    ney_platt platt;
};

/* Takes the knots over, on failure too. */
ney_status ney_calibrator_of_knots(ney_calibrator **out, const ney_env *env, ney_knot *knot,
                                   int64_t n_knots, ney_error *err);

ney_platt ney_platt_fit(const ney_knot *knot, int64_t n_knots);
double ney_platt_probability(const ney_platt *p, double score);

#endif
