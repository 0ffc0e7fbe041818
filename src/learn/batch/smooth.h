/* Newton steps on the constrained problem [NP.6] itself, for linear models with few columns.
 *
 *   With the corner of the ramp at eta rounded over a width of 2 h, J is smooth but for the corner
 * at -eta, which is concave: no minimum lies there. At any w the intercept is where P = A, and
 *
 *     lambda = -(dQ/db) / (dP/db)   makes   v_i = -C_i r'(z_i) y_i   sum to zero          [NP.8]
 *
 * so that v is feasible for the dual of [NP.3] with this lambda, and the gradient of J is w - X'v.
 * P = A to first order means that the intercept moves by -m'dw, with m the mean of the bounded
 * rows, weighted by their slopes: the Hessian is I + sum of c_i (x_i - m) (x_i - m)', where the
 * curvature c_i is positive at eta and negative at -eta. With a bounded FDR s P + q Q = q takes the
 * place of P = A, in lambda [FDR.6], in m and in the weights of rows; of its solutions the one
 * near the last intercept is taken where s P + q Q rises.
 *
 *   A convex problem takes tens of Newton steps that cost as much as these, and a descent by convex
 * problems takes tens of them. Here the multiplier and what is clipped change with every step, and
 * about ten steps are enough. The result is where the convex problems begin.
 *
 *   Rows may be those of several processes. Every process has the same w, b and lambda, and takes
 * the same steps: what they are decided by are sums, counts and extremes over all rows.
 *
 *   math    code             meaning
 *   A, q    s->aim           times C W
 *   1, 0    s->share         or s, q: what is bounded is share[0] P + share[1] Q
 *   h       s->width
 *   C_i     s->unit          divided by 2 eta, at lambda = 1 */
#ifndef NEY_LEARN_BATCH_SMOOTH_H
#define NEY_LEARN_BATCH_SMOOTH_H

#include "learn/batch/ramp.h"
#include "linalg/solver_loops.h"

/* A point: weights and intercept. */
typedef struct ney_smooth_point {
    double *w;
    double b, objective;
} ney_smooth_point;

typedef struct ney_smooth {
    ney_ramp *r;
    const ney_row_blocks *blocks; /* of the rows that are used, where processes share them */
    ney_row_blocks *chosen;       /* the same, where they are not all rows; to be freed */
    int64_t n, *row;              /* the rows of this process that are used */
    int8_t *side;
    double weight[2];  /* of the rows that are used */
    double share[2];   /* of the losses in what is bounded */
    double aim, bound; /* what that is to be, and its majorant while s->fixed counts */
    double width;
    double *fixed; /* 1: rows whose tangent at -eta is fixed, else 0 */
    bool is_fixed; /* whether s->fixed counts; else what is beyond -eta is clipped */
    double lambda;
    ney_smooth_point at;
    double *f, *change;           /* scores, and their change along the direction */
    double *unit, *pull, *curve;  /* pull: times the side; curve: c_i at lambda = 1 */
    double *gradient, *direction; /* of w */
    double *mean;                 /* m */
    double *parts;                /* sums of many numbers, by part */
    double *sum;                  /* and over all rows */
    double *system;               /* of a Newton step */
    ney_block_sums vectors;       /* the same over the rows of all processes */
    ney_ramp_sums *sums;          /* by block; index 0 is the bounded class, 1 the free one */
    ney_ranked *order;            /* n to sort, and as many to spare */
    int64_t n_parts, steps;
} ney_smooth;

/* Whether the problem of r is one for these steps. */
bool ney_smooth_applies(const ney_ramp *r);

/* For the bound `rate`, on all rows or on `most` of each class, of all processes together.
 * ney_smooth_deinit() is due in either case. */
ney_status ney_smooth_init(ney_smooth *s, ney_ramp *r, double rate, int64_t most, ney_error *err);
void ney_smooth_deinit(ney_smooth *s);

/* Begin at a point, with the intercept moved to where P = A. False where that is not found. */
bool ney_smooth_begin(ney_smooth *s, const double *w, double b);

/* Fix what is clipped from here on: of the free class what is beyond -eta, of the bounded class the
 * worst rows, up to a share of what A allows. The bound is that of P~ at the point, if that is
 * above A. */
void ney_smooth_fix(ney_smooth *s, double share);

/* Clip what is beyond -eta again. */
bool ney_smooth_release(ney_smooth *s);

/* At most `most` steps, until J falls by less than the share `gain` of it. */
void ney_smooth_descend(ney_smooth *s, int most, double gain);

/* Make the point that of r, with its multiplier and what it clips; all rows must be used. */
ney_status ney_smooth_give(ney_smooth *s, ney_error *err);

#endif
