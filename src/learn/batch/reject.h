/* What the goals that reject rows share. */
#ifndef NEY_LEARN_BATCH_REJECT_H
#define NEY_LEARN_BATCH_REJECT_H

#include "learn/goal.h"
#include "learn/rejection.h"

/* Refuse methods and kernels that the double hinge is not learned with. */
ney_status ney_reject_check_method(const ney_train_opts *o, ney_error *err);
const char *ney_reject_method(const ney_train_opts *o);

/* The thresholds that follow from the costs; both 0 where rejecting does not pay. */
ney_band ney_reject_band(const ney_train_opts *o);

/* Tell that rejecting never pays at these costs, if so. */
void ney_reject_say(const ney_env *env, const ney_costs *costs);

/* A score function for these costs, as a goal's learn(). */
ney_status ney_reject_learn(ney_task *t, ney_answer *a, ney_train_info *info, ney_error *err);

/* The costs, as lines of the summary. */
ney_status ney_reject_tell(const ney_task *t, ney_model *m, ney_error *err);

#endif
