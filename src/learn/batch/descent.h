/* The annealed method under a bounded rate or a bounded FDR: descent on the constrained problem
 * [NP.2], [FDR.2] itself.
 *
 *   For any w, P and -Q rise with the intercept and are continuous in it, so that the best
 * intercept is the one where P = A. What is minimised is therefore a function of w alone:
 *
 *     J(w) = 1/2 |w|^2 + C W Q,  the intercept shifted to where P = A                     [NP.6]
 *
 * Every solution met has a J, whatever its multiplier, and the best one is kept. A descent step
 * clips what the tangent at the shifted intercept clips and solves
 *
 *     min 1/2 |w|^2 + C W Q~  s.t.  P~ <= A                                               [NP.7]
 *
 * with Q~ >= Q and P~ >= P the convex majorants that the tangent gives. [NP.7] is convex: its
 * multiplier is the zero of a function that falls with lambda, and J does not rise. It stays below
 * ney_ramp_top().
 *
 *   With a bounded FDR the best intercept is the largest one where s P <= q (1 - Q), which exists:
 * nothing accepted keeps the bound. The constraint of the convex problem is s P~ + q Q~ <= q. Its
 * multiplier stays below 100 / q: a target weighs 1 + lambda q, a decoy lambda s, and from there on
 * their proportion stays what it is.
 *
 *   The search:
 *   1. the SVM at the same C, then SVMs at other multipliers, none clipped, until P is near A; left
 * out where the caller has a score function and Newton steps begin there
 *   2. descents from the best of them and from three other starts, solved roughly; for linear
 * models with few columns and many rows on the ramp Newton steps on J instead (smooth.h)
 *   3. descent from the best solution met, solved to the tolerance, until nothing changes; after
 * Newton steps under a bounded FDR, until the intercept can be moved to where the bound is met at a
 * cost within the tolerance
 *
 *   math     code             meaning
 *   A, q     d->most          or half a row, where A is less than one row
 *   P~       ney_ramp_convex_ratio(), or s P~ / (1 - Q~)
 *   J        d->objective */
#ifndef NEY_LEARN_BATCH_DESCENT_H
#define NEY_LEARN_BATCH_DESCENT_H

#include "learn/method.h"

typedef struct ney_bound {
    int sign;            /* +1: the negatives are bounded; -1: the positives are */
    double rate;         /* A below 1, or q */
    double per_bounded;  /* s of [FDR.2], above q; 0: a rate is bounded */
    const bool *clipped; /* where a further descent starts; NULL: nowhere */
    double lambda;       /* and its multiplier */
    const double *w;     /* a linear score function where Newton steps start; NULL: none */
    double intercept;
} ney_bound;

ney_status ney_descent(ney_task *t, const ney_bound *bound, ney_answer *a, ney_train_info *info,
                       ney_error *err);

#endif
