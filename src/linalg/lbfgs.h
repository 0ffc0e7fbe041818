/* Limited-memory BFGS: a smooth function of some hundred numbers, by its values and gradients.
 *
 *     x <- x - t H g,   H from the last MEMORY pairs s = x - x', y = g - g'             [LBFGS.1]
 *
 * (Nocedal 1980, the two-loop recursion); t by halving, from 1, until the value falls by a part of
 * what the gradient promises. */
#ifndef NEY_LINALG_LBFGS_H
#define NEY_LINALG_LBFGS_H

#include "base/env.h"

typedef struct ney_lbfgs {
    int64_t n;
    /* The value at x, and its gradient. */
    double (*value)(void *context, const double *x, double *gradient);
    /* False: stop here. May be NULL. */
    bool (*go_on)(void *context);
    void *context;
    int64_t most; /* steps */
    double tol;   /* stop where |g| is at most this much of what it was at first */
} ney_lbfgs;

/* Minimise from x, which is the best point found at the end. @param[out] steps  may be NULL. */
ney_status ney_lbfgs_run(const ney_lbfgs *p, const ney_env *env, double *x, int64_t *steps,
                         ney_error *err);

#endif
