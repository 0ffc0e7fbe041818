/* The SVM at given costs, which other learners build on. */
#ifndef NEY_LEARN_BATCH_COST_H
#define NEY_LEARN_BATCH_COST_H

#include "learn/method.h"

ney_status ney_cost_learn(ney_task *t, ney_answer *a, ney_train_info *info, ney_error *err);

/* Add the costs of the errors to the model's metadata. */
ney_status ney_cost_describe(const ney_task *t, ney_model *m, ney_error *err);

#endif
