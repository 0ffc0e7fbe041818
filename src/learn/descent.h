/* The annealed method under a bounded rate: descent on the constrained problem [NP.2] itself.
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
 * multiplier is the zero of a function that falls with lambda, and J does not rise.
 *
 *   The search:
 *   1. the SVM at the same C, then SVMs at other multipliers, none clipped, until P is near A
 *   2. descents from the best of them and from three other starts, solved roughly
 *   3. descent from the best solution met, solved to the tolerance, until nothing changes
 *
 *   math     code             meaning
 *   A        d->most          or half a row, where A is less than one row
 *   P~       ney_ramp_convex_rate()
 *   J        d->objective */
#ifndef NEY_LEARN_DESCENT_H
#define NEY_LEARN_DESCENT_H

#include "learn/goal.h"

/* @param sign  +1: the negatives are bounded; -1: the positives are.
 * @param rate  A, below 1. */
ney_status ney_descent(ney_task *t, int sign, double rate, ney_answer *a, ney_train_info *info,
                       ney_error *err);

#endif
