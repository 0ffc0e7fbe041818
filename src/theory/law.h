/* Rates of a linear score w'x + b over mixtures of Gaussians, and how they change along a curve of
 * classifiers; in logarithms, since near the ends of the curve no double holds them. */
#ifndef NEY_THEORY_LAW_H
#define NEY_THEORY_LAW_H

#include "theory/mixture.h"

/* The score is normal under one component: M = w'mu + b, V = w'S w; and, with w and b functions of
 * a parameter, dM = w_'mu + b_ and dV/2 = w'S w_, where _ stands for the derivative. */
typedef struct ney_law {
    ney_twofold mean, var, mean_rate, half_var_rate;
} ney_law;

/* A point of the ROC plane: u = false-positive rate, v = true-positive rate. */
typedef struct ney_roc_place {
    double fpr, tpr;
    double log_fpr, log_tpr, log_tnr, log_fnr;
    /* log(v/u) and log((1 - v)/(1 - u)), which are precise where their terms are huge */
    double log_low, log_high;
    double log_slope; /* log(dv/du) along the curve, NAN where the two differ in sign or are 0 */
    double above_low, below_high; /* log_low - log_slope, log_slope - log_high */
} ney_roc_place;

/* law[s] holds one entry per component of class s; variances must be above 0. */
void ney_law_place(const ney_mixture *mixture, const ney_law *const law[2], ney_roc_place *out);

#endif
