/* What the parts of the Newton method for the linear QP share; see newton.c. */
#ifndef NEY_QP_NEWTON_H
#define NEY_QP_NEWTON_H

#include "linalg/solver_loops.h"
#include "qp/linear.h"

/* Rows that are worked on at once, and parts that a sum over all rows is cut into: by the data
 * alone, so that threads cannot show. */
enum { NEY_NEWTON_BLOCK = 2048, NEY_NEWTON_PARTS = 16 };

typedef struct ney_newton {
    ney_linear_qp *q;
    double tau, b, width; /* width: of all boxes */
    double largest;       /* |w|^2 since f was last computed from w */
    double *center;       /* c_i */
    double *sigma;
    double *first, *second; /* responses are these - sigma * score, clipped; second NULL: alike */
    ney_clipped line;       /* the same, for the loops over all rows */
    double *change;         /* of f_i, along the direction: x_i'dw */
    double *product;        /* X'v for the v of `last` */
    double *last;
    double *gradient, *direction; /* of w */
    ney_clipped_sums *sums;       /* by block */
    void *outlooks;
    double *parts;             /* sums of vectors by part */
    double *system;            /* of a Newton step: a matrix for each part and their sum */
    int64_t *inside, n_inside; /* rows in the smooth part of their response */
    int64_t n_parts;
    bool shifted; /* whether columns are so far from zero that rows must be taken less their mean */
} ney_newton;

/* direction = -(Hessian)^-1 gradient, with b eliminated. */
bool ney_newton_direction(ney_newton *t);

#endif
