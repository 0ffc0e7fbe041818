/* Following the solution of the cost SVM along straight lines in the (C+, C-) plane.
 *
 *     math      code          meaning
 *     M, L, R   side          margin, left and right of it: z = 1, z < 1 and a = C, z > 1 and a = 0
 *     v_M, b    margin.v, b   what is not on a bound: signed dual variables, the intercept
 *     (C-, C+)  c             and d/dtheta of it, `rate`
 *     u+, u-    left          sums of weight_i k(x_i, .) over the positives (less: the negatives)
 * of L, so that the scores that L gives are C+ u+ + C- u-
 *
 * While the sets stay, (v_M, b) is affine in theta: one solve of [PATH.3] for the rates. The first
 * event ends the segment: a dual variable of M that reaches a bound, a row of L or R that reaches
 * the margin. Rows far from the margin are not evaluated: |score' | <= |w'| |phi|, so each has a
 * distance that must be travelled before it can matter. M is never empty: where no dual variable is
 * between its bounds, b is free in an interval, and the row at one end of it stands in M with its
 * variable on its bound. See doc/math/path.md. */
#ifndef NEY_PATH_TRACER_H
#define NEY_PATH_TRACER_H

#include "path/kernel_rows.h"
#include "path/weights.h"

typedef enum ney_side {
    NEY_SIDE_OUT, /* weight 0: no part of the problem */
    NEY_SIDE_LEFT,
    NEY_SIDE_RIGHT,
    NEY_SIDE_MARGIN
} ney_side;

typedef struct ney_tracer {
    ney_env env;
    int64_t n;
    const int8_t *label;     /* borrowed */
    ney_real *weight;        /* one block holds these arrays */
    ney_real *reach;         /* |phi_i| */
    ney_real *left[2];       /* of the negatives, of the positives */
    ney_real *rest[2];       /* what rounding took from them */
    ney_real *score;         /* w'phi_i, when it was last evaluated */
    ney_real *seen;          /* the distance travelled then */
    ney_real *base, *toward; /* of rows off the margin: distance = base - toward (score + b) */
    ney_real *spare;         /* two times n */
    int64_t *near;           /* rows that may be next */
    int64_t count[4];        /* of rows, by side */
    int8_t *side;
    int8_t *stalled_events; /* how often a row came to the margin or left it without theta moving */
    ney_real longest;
    double heaviest; /* largest weight of a row */
    ney_real class_weight[2], left_weight[2];
    ney_real_sum square[3]; /* <u-, u->, <u-, u+>, <u+, u+>: they all but cancel in |w|^2 */
    ney_kernel_rows rows;
    ney_weights linear;   /* in place of left, rest, square and kernel rows, where it is in use */
    ney_real *kernel_row; /* with it: products of one row */
    ney_margin margin;
    bool fresh; /* M changed since [PATH.3] was last solved */

    ney_real c[2], rate[2]; /* C-, C+ */
    ney_real b, b_rate;
    ney_real speed, travelled; /* |w'|; its integral, bounding how far w moved */
    ney_real blur;             /* rates of scores below this are rounding */
    ney_real misfit;           /* largest |z - 1| on the margin, after the last repair */
    ney_real worst;            /* largest violation seen off the margin at this point */
    ney_real usual_step; /* mean of theta's steps from event to event, recent ones above all */
    int64_t stalled;     /* events since theta last moved */
} ney_tracer;

/* An event: row `row` goes to side `to`. */
typedef struct ney_event {
    ney_real tau;  /* change of theta until the event */
    ney_real rate; /* at which the distance falls */
    int64_t row;   /* -1: none */
    ney_side to;
} ney_event;

/* A point of the path as it is reported. */
typedef struct ney_recorder {
    void *user;
    ney_status (*point)(void *user, const ney_tracer *t, double theta, ney_error *err);
    ney_status (*event)(void *user, double theta, int64_t row, ney_side to, ney_error *err);
} ney_recorder;

/* The entry: C+ = C- = 0, all rows left, b at the upper end of its interval. `bytes`: for kernel
 * rows. */
ney_status ney_tracer_init(ney_tracer *t, const ney_env *env, const ney_matrix *x,
                           const int8_t *label, const float *weight, const ney_kernel *kernel,
                           double bytes, ney_error *err);
void ney_tracer_deinit(ney_tracer *t);

/* Go to (C-, C+) = `to` on a straight line. */
ney_status ney_tracer_follow(ney_tracer *t, const double to[2], const ney_recorder *recorder,
                             ney_error *err);

/* Move to (C-, C+) = c with the given sides, which must be those of a solution there. */
ney_status ney_tracer_restore(ney_tracer *t, const int8_t *side, const double c[2], ney_error *err);

/* The signed dual variable v_i = y_i a_i of a row, and those of all rows. */
ney_real ney_tracer_dual(const ney_tracer *t, int64_t i);
void ney_tracer_duals(const ney_tracer *t, ney_real *v);

/* Values of a point. The residual is the largest violation of a margin, whose unit is that of the
 * scores, or of a box or of sum v = 0 over the larger cost; at least what rounding of the kernel
 * explains. */
double ney_tracer_objective(const ney_tracer *t);
double ney_tracer_residual(const ney_tracer *t);

/* ---- shared by tracer.c, tracer_point.c and events.c */

static inline int ney_class(const ney_tracer *t, int64_t i)
{
    return t->label[i] > 0;
}

static inline ney_real ney_box(const ney_tracer *t, int64_t i)
{
    return t->weight[i] * t->c[ney_class(t, i)];
}

/* |w|^2 = |sum over L|^2 + sum_M v_k (2 lead_k + (K_MM v)_k), lead being what L gives row k, at the
 * costs c and the variables v; K_MM v = known_k - lead_k - b. At large C these terms are many
 * orders of magnitude larger than their sum. */
ney_real ney_tracer_square(const ney_tracer *t, const ney_real c[2], const ney_real *v, ney_real b,
                           bool of_rates);

/* The sum of the signed dual variables of L at costs c. */
ney_real ney_tracer_left_sum(const ney_tracer *t, const ney_real c[2]);

/* sum of |x_k|. */
ney_real ney_tracer_sum_of_sizes(const ney_real *x, int64_t n);

/* Bring v_M, b and their rates to [PATH.2] at this point as well as rounding allows. */
void ney_tracer_repair(ney_tracer *t);

/* The exact score of row i off the margin, and its rate. */
ney_real ney_tracer_evaluate(ney_tracer *t, int64_t i);

/* The first event within `limit`. */
ney_event ney_tracer_next(ney_tracer *t, ney_real limit);

/* Carry an event out at the present point. */
ney_status ney_tracer_apply(ney_tracer *t, const ney_event *event, const ney_recorder *recorder,
                            double theta, ney_error *err);

/* Row i changes sides. */
void ney_tracer_set_side(ney_tracer *t, int64_t i, ney_side side);

/* Row i joins (sign 1) or quits (-1) the sums over L. `kernel_row` is not read where weights are in
 * use. */
void ney_tracer_left(ney_tracer *t, int64_t i, const ney_real *kernel_row, ney_real sign);

static inline bool ney_tracer_has_weights(const ney_tracer *t)
{
    return t->linear.x;
}

/* The kernel row of row i, of which ney_margin_append() needs; valid until the next call, NULL
 * without memory. */
const ney_real *ney_tracer_kernel_row(ney_tracer *t, int64_t i);

/* What L gives row i: sum[k] of class k, in full precision. Not where weights are in use. */
static inline ney_real_sum ney_left_of(const ney_tracer *t, int k, int64_t i)
{
    return (ney_real_sum)t->left[k][i] + (ney_real_sum)t->rest[k][i];
}

#endif
