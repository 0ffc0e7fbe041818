/* What the parts of the Newton method for the linear QP share; see newton.c. */
#ifndef NEY_QP_NEWTON_H
#define NEY_QP_NEWTON_H

#include "linalg/solver_loops.h"
#include "qp/linear.h"

/* Rows that are worked on at once, and parts that a sum over all rows is cut into: by the data
 * alone, so that results do not depend on the number of threads. */
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
    ney_block_sums vectors; /* of rows that are shared out among processes: see newton_shared.c */
    double *numbers;        /* by block */
    bool shifted; /* whether columns are so far from zero that rows must be taken less their mean */
} ney_newton;

/* Blocks are those of the processes, where rows are shared out. */
static inline int64_t ney_newton_blocks(const ney_newton *t)
{
    return t->q->blocks ? t->q->blocks->n : (t->q->p->n + NEY_NEWTON_BLOCK - 1) / NEY_NEWTON_BLOCK;
}

static inline int64_t ney_newton_block_begin(const ney_newton *t, int64_t block)
{
    return t->q->blocks ? t->q->blocks->begin[block] : block * NEY_NEWTON_BLOCK;
}

static inline int64_t ney_newton_block_end(const ney_newton *t, int64_t block)
{
    const int64_t n = t->q->p->n, end = (block + 1) * NEY_NEWTON_BLOCK;
    return t->q->blocks ? t->q->blocks->begin[block + 1] : end < n ? end : n;
}

static inline double ney_smaller(double a, double b)
{
    return a < b ? a : b;
}

static inline double ney_larger(double a, double b)
{
    return a > b ? a : b;
}

/* b with sum v = 0 at the current w. */
void ney_newton_balance(ney_newton *t);

/* Move w and b to the lowest point of [NEWTON.1] along the direction, with the best b at every
 * step: where the slope has fallen to a fraction of what it was. `change` is that of f for a step
 * of 1. False when no step goes down. */
bool ney_newton_search_line(ney_newton *t);

/* direction = -(Hessian)^-1 gradient, with b eliminated. */
bool ney_newton_direction(ney_newton *t);

/* ---- newton_shared.c: rows that are shared out among processes */

/* Memory for sums; ney_newton_shared_deinit() is due in either case. */
bool ney_newton_shared_init(ney_newton *t);
void ney_newton_shared_deinit(ney_newton *t);

/* The sum of one number per block, t->numbers. */
double ney_newton_shared_sum(const ney_newton *t);

/* product += X'(v - last), and last = v. */
void ney_newton_shared_product(ney_newton *t);

/* As ney_newton_direction(): of few columns from the sum of all systems; of many by conjugate
 * gradients, whose products are sums of vectors. */
bool ney_newton_shared_direction(ney_newton *t);

#endif
