/* A score function for a task, without threshold, certificate or summary: what tuning compares. */
#ifndef NEY_LEARN_LEARN_H
#define NEY_LEARN_LEARN_H

#include "learn/task.h"

/* The options are those of the task, which may change from one call to the next, but for the kernel
 * and its parameters: kernel rows are kept. */
ney_status ney_learn(ney_model **out, ney_task *t, ney_train_info *info, ney_error *err);

#endif
