/* Limited-memory BFGS: a smooth function of a few hundred variables, by its values and gradients.
 *
 *     x <- x - t H g,   H from the last MEMORY pairs s = x - x', y = g - g'             [LBFGS.1]
 *
 * (Nocedal 1980, the two-loop recursion). The line search halves t, from 1, until the value falls
 * by a fixed share of what the slope predicts (Armijo's rule). */
#ifndef NEY_LINALG_LBFGS_H
#define NEY_LINALG_LBFGS_H

#include "base/env.h"

typedef struct ney_lbfgs {
    int64_t n;
    /* The value at x, and its gradient. */
    double (*value)(void *context, const double *x, double *gradient);
    /* False: stop here. May be NULL. */
    bool (*may_continue)(void *context);
    void *context;
    int64_t max_steps;
    double tol; /* converged when |g| is at most tol times |g| at the start */
} ney_lbfgs;

typedef enum ney_lbfgs_stop {
    NEY_LBFGS_CONVERGED,   /* |g| is at most tol times |g| at the start */
    NEY_LBFGS_LINE_SEARCH, /* no step along the direction gives a finite value that is low enough */
    NEY_LBFGS_ITERATIONS,  /* max_steps taken */
    NEY_LBFGS_CANCELLED,   /* may_continue() returned false */
    NEY_LBFGS_NOT_FINITE   /* value or gradient at the start is not finite */
} ney_lbfgs_stop;

typedef struct ney_lbfgs_info {
    ney_lbfgs_stop stop;
    int64_t steps;
    double value, gradient; /* at the end: the value, and |g| */
} ney_lbfgs_info;

/* Minimise from x, which at the end is the point of the lowest value found. */
ney_status ney_lbfgs_run(const ney_lbfgs *p, const ney_env *env, double *x, ney_lbfgs_info *info,
                         ney_error *err);

/* "converged", "line search failed", ... */
const char *ney_lbfgs_stop_text(ney_lbfgs_stop stop);

#endif
