/* The least rate of one error while a bound is kept: on the rate of the other [NP.2], or on the
 * share of mistakes among what is accepted [FDR.2].
 *
 * The annealed method under a bounded rate is in descent.h; what is here is Uzawa's method, and the
 * annealed one under a bounded share.
 *
 *   annealed   after every convex step both change: the examples given up, and lambda as long as
 *              the rate is not the one allowed (Gasso et al. 2011, algorithm 3). A step whose
 *              problem will change anyway is solved roughly
 *   uzawa      for every lambda the nonconvex problem is solved to the end, from nothing given up
 *              (algorithms 1 and 2)
 *
 * Both seek lambda by the same rule (multiplier.h) and end by the same: a step solved to the
 * tolerance after which nobody is given up or taken back, at a rate that is active, that is between
 * A - margin and A; or where the search has closed in on a jump of the rate, on the side that keeps
 * it. Of two solutions met, the one of lower L at the lambda in question goes on [NP.5].
 *
 *   math     code         meaning
 *   A        p->ramp.rate
 *   P        now.ratio    the rate under the ramp loss, or the share
 *   lambda   p->ramp.lambda */
#ifndef NEY_LEARN_ANNEAL_H
#define NEY_LEARN_ANNEAL_H

#include "learn/goal.h"

typedef struct ney_bound {
    int sign;            /* +1: the negatives are bounded; -1: classes exchanged */
    double rate;         /* A, or q */
    double per_bounded;  /* of [FDR.2]; 0: a rate is bounded, not a share */
    const bool *give_up; /* whom to give up at first; NULL: nobody, or as o.start says */
    double lambda;       /* to begin with; 0: equal weights */
} ney_bound;

/* Fill the answer and the info of a goal by t->o.method: uzawa, or else annealed. */
ney_status ney_anneal(ney_task *t, const ney_bound *bound, ney_answer *a, ney_train_info *info,
                      ney_error *err);

#endif
