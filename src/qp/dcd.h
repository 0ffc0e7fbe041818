/* What the parts of dual coordinate descent share; see dcd.c. */
#ifndef NEY_QP_DCD_H
#define NEY_QP_DCD_H

#include "base/rng.h"
#include "qp/linear.h"

#include <assert.h>

/* All numbers of a row except its features, in one cache line: rows come in random order, and every
 * further array would cost a further cache line. */
typedef struct ney_dcd_item {
    double low, middle, high, slope_low, slope_high;
    double v, curve, score; /* the point, |x_i|^2 + rho, w'x_i when it was last computed */
} ney_dcd_item;

static_assert(sizeof(ney_dcd_item) == 64, "one cache line");

typedef struct ney_dcd {
    ney_linear_qp *q;
    ney_dcd_item *item;
    int64_t *active;
    int64_t n_active;
    double rho, b0, sum;
    double highest, lowest;         /* gradients that could still move something, in this pass */
    double highest_old, lowest_old; /* in the pass before */
    int64_t passes, wait, next;     /* so far; between polishings; when the next one is due */
    double polished, mark;          /* violation at the last one; the dual after it */
    ney_rng rng;
    ney_qp_progress progress;
} ney_dcd;

/* The dual with its penalty. */
double ney_dcd_dual(const ney_dcd *d);

/* The problem of one row alone. */
static inline ney_qp ney_dcd_alone(const ney_dcd_item *t)
{
    return (ney_qp){.n = 1,
                    .low = &t->low,
                    .middle = &t->middle,
                    .high = &t->high,
                    .slope_low = &t->slope_low,
                    .slope_high = &t->slope_high};
}

/* Solve the worst violators among the active rows together, the others being fixed, to tol; see
 * dcd_block.c. False without memory. */
bool ney_dcd_solve_block(ney_dcd *d, double tol);

/* Move all rows that are strictly inside a piece together, towards the best point of the face that
 * they span; see polish.c. Where bounds are in the way the dual may fall, by half of what was
 * gained since the last time at most. False without memory. */
bool ney_dcd_polish(ney_dcd *d, double tol);

#endif
