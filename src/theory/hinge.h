/* The hinge loss under a mixture: the expected loss and its derivatives at a point. */
#ifndef NEY_THEORY_HINGE_H
#define NEY_THEORY_HINGE_H

#include "theory/optimum.h"

struct ney_hinge {
    const ney_mixture *mixture;
    double centre, blur;      /* c; 1 or 0 */
    double constant_to[2];    /* k of [ASY.14] at either end; 0 where it is blurred */
    double *exit[2];          /* direction in which the optimum leaves the constant; dims + 1 */
    double *origin, *factor;  /* x = origin + factor * (x there); dims, dims x dims */
    double *mean[2], *cov[2]; /* of the components, there */
    double *theta;            /* (w, b), there */
    double *grad, *grad_pos;  /* of all, of the positive class alone; dims + 1 */
    double *hess, *step;      /* (dims + 1)^2; dims + 1 */
    double *trial, *normal;   /* dims + 1 */
    double *sw;               /* S w of every component, dims each */
    double *mean_score, *var; /* M and V of every component, negatives first */
    double *log_tail;         /* log(weight Psi(a)) of every component */
    double log_scale;         /* the largest of them; everything is divided by its exponential */
    double value;             /* the expected loss, divided likewise */
    double log_t, log_s;
    ney_twofold *w; /* here, dims */
    void *block;
};

/* Where component k of class s is in the arrays over both classes. */
int64_t ney_hinge_place(const ney_hinge *e, int s, int64_t k);

/* M, V, S w and log(weight Psi(a)) of every component at theta. */
void ney_hinge_measure(ney_hinge *e, const double *theta);

/* Value and gradient at what was measured, over exp(log_scale). */
void ney_hinge_gradient(ney_hinge *e);

/* The factor of the Hessian at what was measured. Far from the optimum it may be flat to rounding:
 * then the smallest multiple of the identity that helps is added. False when none does. */
bool ney_hinge_factor_hessian(ney_hinge *e);

#endif
