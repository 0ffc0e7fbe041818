/* The double hinge for given costs of errors and of rejection; goals that reject rows share it. */
#ifndef NEY_LEARN_BATCH_REJECT_H
#define NEY_LEARN_BATCH_REJECT_H

#include "learn/goal.h"
#include "learn/method.h"
#include "learn/rejection.h"

/* The thresholds that follow from the costs; both 0 where rejecting does not pay. */
ney_band ney_reject_band(const ney_request *r, const ney_train_opts *o);

/* Log that rejecting never pays at these costs, if so. */
void ney_reject_warn(const ney_env *env, const ney_costs *costs);

/* A score function for the costs of the request. */
ney_status ney_reject_learn(ney_task *t, ney_answer *a, ney_train_info *info, ney_error *err);

#endif
