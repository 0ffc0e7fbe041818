/* The linear score w'x + b of least expected loss for one training asymmetry gamma, and how it
 * moves with gamma. The weights of the classes are [ASY.2]
 *
 *     t = gamma p+ / (gamma p+ + (1 - gamma) p-),   s = 1 - t
 *
 * and derivatives are in t, which grows with gamma: slopes of the ROC curve are the same in both.
 */
#ifndef NEY_THEORY_OPTIMUM_H
#define NEY_THEORY_OPTIMUM_H

#include "theory/law.h"

typedef struct ney_optimum {
    double *w; /* dims */
    double b;
    ney_law *law[2]; /* of the score, one per component; not set where the score is constant */
    bool constant;
} ney_optimum;

/* t and s to twice the precision. */
void ney_class_weights(const ney_mixture *mixture, double gamma, ney_twofold *t, ney_twofold *s);

/* What a loss needs besides the mixture; one block of memory for all its work. */
typedef struct ney_square ney_square;
typedef struct ney_hinge ney_hinge;

/* Square loss (z - 1)^2 / 2: a linear system. */
ney_status ney_square_new(ney_square **out, const ney_mixture *mixture, ney_error *err);
void ney_square_free(ney_square *q);
ney_status ney_square_at(ney_square *q, double gamma, ney_optimum *out, ney_error *err);

/* The hinge loss max(0, 1 - z), or blurred: the erf loss z Psi(z) - z + Psi'(z). Newton's method.
 */
ney_status ney_hinge_new(ney_hinge **out, const ney_mixture *mixture, bool blurred, ney_error *err);
void ney_hinge_free(ney_hinge *e);
/* The optimum is constant while t / s <= k[0] or s / t <= k[1]; zeros where it is blurred. */
void ney_hinge_constant(const ney_hinge *e, double k[2]);
ney_status ney_hinge_at(ney_hinge *e, double gamma, ney_optimum *out, ney_error *err);

#endif
