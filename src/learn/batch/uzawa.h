/* Uzawa's method under a bounded rate [NP.2]: for every lambda the nonconvex problem is solved to
 * the end, from no example clipped (Gasso et al. 2011, algorithms 1 and 2).
 *
 *   lambda is sought by the rule of multiplier.h. The run ends with a step after which no example
 * is clipped or unclipped, at a rate that is active, that is between A - margin and A; or where the
 * search has closed in on a discontinuity of the rate, on the side below the bound. Of two
 * solutions met, the one of lower L at the lambda in question goes on [NP.5].
 *
 *   math     code         meaning
 *   A        p->ramp.rate
 *   P        now.bounded  the rate under the ramp loss
 *   lambda   p->ramp.lambda */
#ifndef NEY_LEARN_BATCH_UZAWA_H
#define NEY_LEARN_BATCH_UZAWA_H

#include "learn/method.h"

/* @param sign  +1: the negatives are bounded; -1: the positives are.
 * @param rate  A, below 1. */
ney_status ney_uzawa(ney_task *t, int sign, double rate, ney_answer *a, ney_train_info *info,
                     ney_error *err);

#endif
