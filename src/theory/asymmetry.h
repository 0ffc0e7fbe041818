/* A study of training against testing asymmetry: the classifiers of a grid of gammas. */
#ifndef NEY_THEORY_ASYMMETRY_H
#define NEY_THEORY_ASYMMETRY_H

#include "theory/limit.h"
#include "theory/optimum.h"

enum { NEY_ASYMMETRY_GRID = 301 };

struct ney_asymmetry {
    ney_env env;
    const ney_mixture *mixture;
    ney_theory_loss loss;
    bool constant;
    ney_square *square;
    ney_hinge *hinge;
    ney_optimum optimum;
    ney_asymmetry_limit limit[2];
    ney_roc_place grid[NEY_ASYMMETRY_GRID];
    double log_odds[NEY_ASYMMETRY_GRID]; /* of its gammas, ascending */
    void *block;
};

double ney_gamma_of_log_odds(double x);

/* The place in the ROC plane of the classifier trained with gamma, which a->optimum then holds. */
ney_status ney_asymmetry_solve(ney_asymmetry *a, double gamma, ney_roc_place *place,
                               ney_error *err);

/* At the very end, and everywhere if the class means coincide, the score is b alone: t - s for the
 * square loss, for the erf loss the b with Psi(b) = t, for the hinge the class that weighs more. */
void ney_asymmetry_constant_point(const ney_asymmetry *a, double gamma, ney_asymmetry_point *p,
                                  double *w);

/* Whether no point of the grid and no constant decision is better for the point's own slope. What
 * is better by rounding alone does not count. */
bool ney_asymmetry_is_consistent(const ney_asymmetry *a, const ney_roc_place *p);

#endif
