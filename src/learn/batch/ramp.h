/* One convex step of the nonconvex problem under a bounded rate.
 *
 *   The classes are named by their role: the error rate of the *bounded* class may be at
 * most A, that of the *free* class is to be small. With max_fpr the negatives are bounded; with
 * max_fnr the positives are, and the whole problem is solved with the classes exchanged.
 *
 *     r(z) = min(1, max(0, (eta - z) / (2 eta)))                                          [NP.1]
 *     P = weighted mean of r(z_i) over the bounded class,  Q = over the free class
 *     L(f, lambda) = 1/2 |w|^2 + C W (Q + lambda (P - A)),   W = weight of the free class [NP.2]
 *
 * so that an example counts C_i r(z_i): C_i = C * weight in the free class, C_i = lambda C W / V *
 * weight in the bounded class of weight V. A bounded share of errors among what is accepted, the
 * false-discovery rate, is the same with another constraint [FDR.2]:
 *
 *     L(f, lambda) = 1/2 |w|^2 + C W (Q + lambda (s P - q (1 - Q)))
 *
 * where C_i is 1 + lambda q times as much in the free class, s times as much in the bounded one. r
 * is a difference of two hinges, and the second one is replaced by its tangent. With B_i = C_i / (2
 * eta) and beta_i = B_i where z_i < -eta, else 0 (an example that is *clipped*), the convex
 * problem is
 *
 *     min  1/2 |w|^2 + sum_i B_i max(0, eta - z_i) + sum_i beta_i z_i                     [NP.3]
 *
 * whose dual is [QP.1] with v_i = y_i a_i, -beta_i <= a_i <= B_i - beta_i and slope eta y_i, plus
 * the constant eta sum_i beta_i.
 *
 *   math    code             meaning
 *   y_i     side(r, i)       +1 free, -1 bounded
 *   beta    r->clipped      whether beta_i is B_i
 *   a_i     r->v             v_i = y_i a_i
 *   lambda  r->lambda
 */
#ifndef NEY_LEARN_BATCH_RAMP_H
#define NEY_LEARN_BATCH_RAMP_H

#include "decide/order.h"
#include "learn/method.h"

#include <math.h>

/* What one step found. */
typedef struct ney_ramp_rates {
    double bounded, free;       /* P and Q */
    double ratio;               /* what the bound is on: P, or s P / (1 - Q) */
    double bounded_01, free_01; /* of the decision at score 0, rows counted */
    double objective;           /* L [NP.2] */
    double regular;             /* 1/2 |w|^2 */
    double primal, dual;        /* of [NP.3], constant included */
} ney_ramp_rates;

typedef struct ney_ramp {
    ney_task *task;
    int sign;           /* +1: negatives are bounded; -1: classes exchanged */
    double rate;        /* A, or q */
    double per_bounded; /* s; 0: the bound is on the rate of the bounded class, not on a share */
    double eta, lambda; /* lambda of the problem as it stands */
    double free_weight, bounded_weight;
    int64_t n, n_free, n_bounded;
    double *v, *f;
    double *w; /* weights of the point, for the linear kernel; NULL for the others */
    double intercept;
    double near; /* how far scores of the next solution may be from f at most, about; 0: unknown */
    double *low, *high, *slope;
    bool *clipped;
    bool is_svm;      /* v is that of the SVM, whose boxes are not those of [NP.3] */
    ney_qp_info info; /* of the last step */
} ney_ramp;

/* @param per_bounded  as in the struct.
 * @retval NEY_EINVAL  a class without weight. */
ney_status ney_ramp_init(ney_ramp *r, ney_task *t, int sign, double rate, double per_bounded,
                         ney_error *err);
void ney_ramp_deinit(ney_ramp *r);

/* +1 for a row of the free class, -1 for one of the bounded class. */
static inline int ney_ramp_side(const ney_ramp *r, int64_t i)
{
    return r->sign * r->task->label[i];
}

/* Whether the bound is on a share of what is accepted, not on the rate of the bounded class. */
static inline bool ney_ramp_is_share(const ney_ramp *r)
{
    return r->per_bounded > 0;
}

/* k sums over the rows of all processes, as ney_sum_rows(). */
void ney_ramp_sum(const ney_ramp *r, ney_rows_add *add, const void *context, double *sum, int k);

/* r(z) of [NP.1]. */
static inline double ney_ramp_loss(double z, double eta)
{
    return fmin(1, fmax(0, (eta - z) / (2 * eta)));
}

/* P - A, or s P - q (1 - Q), where the bound is `rate`. */
double ney_ramp_excess(const ney_ramp *r, const ney_ramp_rates *m, double rate);

/* Copy weights, where there are any. */
void ney_ramp_copy_weights(const ney_ramp *r, double *to, const double *from);

/* L at rates found, for any lambda. */
double ney_ramp_lagrangian(const ney_ramp *r, const ney_ramp_rates *m, double lambda);

/* Move the problem to another lambda and other examples clipped, and its point with it: what is on
 * a bound stays there, what lies between keeps its place in the box. */
ney_status ney_ramp_move(ney_ramp *r, double lambda, const bool *clipped, ney_error *err);

/* Move the problem to another lambda, with what r->clipped says clipped, and its point to v. */
ney_status ney_ramp_place(ney_ramp *r, double lambda, const double *v, ney_error *err);

/* Solve the convex problem from the point as it stands. */
ney_status ney_ramp_solve(ney_ramp *r, double tol, ney_ramp_rates *found, ney_error *err);

/* Which examples the tangent clips where `shift` is added to the scores. Returns how many differ
 * from those clipped now. */
int64_t ney_ramp_clip(const ney_ramp *r, double shift, bool *clipped);

/* The same, where examples within `slack` of -eta stay what they are: a problem that is solved to a
 * tolerance does not say on which side they lie. */
int64_t ney_ramp_clip_beyond(const ney_ramp *r, double shift, double slack, bool *clipped);

/* Solve the plain SVM at the same C instead, hinge loss and margin 1, as ney_train() does for equal
 * costs: where every search begins. The next ney_ramp_move() brings its point into the boxes of
 * [NP.3]. */
ney_status ney_ramp_solve_svm(ney_ramp *r, double tol, ney_ramp_rates *found, ney_error *err);

/* A, or half a row where A is less than one: then no bounded row scores 0 or beyond. */
double ney_ramp_effective_rate(const ney_ramp *r);

/* The largest multiplier that is of use where `rate` is A. w = 0 with all of the bounded class on
 * the right side costs C W, so that at the optimum of [NP.3] lambda (P~ - A) <= 1 - lambda (A - c)
 * with c the share of the bounded class that is clipped: from lambda = 1 / (A - c) on the bound is
 * kept. This one is enough up to c = 0.9999 A; where more is clipped no multiplier may be enough.
 * With a bounded FDR 100 / q is, see descent.h.
 */
static inline double ney_ramp_top(const ney_ramp *r, double rate)
{
    return (ney_ramp_is_share(r) ? 100 : 1e4) / rate;
}

/* The weight of the bounded class that the bound lets be misclassified where `shift` is added to
 * the scores. */
double ney_ramp_allowed_weight(const ney_ramp *r, double shift);

/* The largest shift of the scores at which the bound `rate` is kept. `corner` holds 4 n rows; it is
 * used where a share is bounded. */
double ney_ramp_shift(const ney_ramp *r, double rate, ney_ranked *corner);

/* 1/2 |w|^2 + C W Q where `shift` is added to the scores. */
double ney_ramp_objective(const ney_ramp *r, const ney_ramp_rates *m, double shift);

/* What the bound is on under the convex majorants of the problem as it stands: P~ >= P, or
 * s P~ / (1 - Q~), which is large where Q~ is 1 or more. */
double ney_ramp_convex_ratio(const ney_ramp *r);

/* Move the intercept, and measure what is found there. */
void ney_ramp_shift_intercept(ney_ramp *r, double shift, ney_ramp_rates *found);

/* Whether the last problem was cut short; its point is feasible all the same. */
bool ney_ramp_was_stopped(const ney_ramp *r);

/* Report a step by env.step and env.log. */
void ney_ramp_report(const ney_ramp *r, const ney_ramp_rates *m, int64_t index, int64_t changed);

/* What the last step found, of a train_info. */
void ney_ramp_fill_info(const ney_ramp *r, const ney_ramp_rates *m, ney_train_info *info);

/* The point as it stands, in the user's sign. */
ney_status ney_ramp_take_answer(const ney_ramp *r, ney_answer *a, ney_error *err);

#endif
