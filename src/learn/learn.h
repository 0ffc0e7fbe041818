/* A score function for a task, without threshold, certificate or summary: what tuning compares. */
#ifndef NEY_LEARN_LEARN_H
#define NEY_LEARN_LEARN_H

#include "learn/partition.h"
#include "learn/task.h"

/* The options are those of the task, which may change from one call to the next, but for the kernel
 * and its parameters: kernel rows are kept. */
ney_status ney_learn(ney_model **out, ney_task *t, ney_train_info *info, ney_error *err);

/* The mean of the score functions that n options give on the same rows, under one kernel. Of *info
 * all but the stop is that of the first; a run that is cancelled has the mean of what was done. A
 * goal that makes models of its own has no mean: the first options are taken. */
ney_status ney_learn_mean(ney_model **out, ney_task *t, const ney_train_opts *o, int n,
                          ney_train_info *info, ney_error *err);

/* As ney_train() on a partition that is drawn already, for these options or others that hold the
 * same rows out. */
ney_status ney_train_partition(ney_model **out, ney_partition *p, const ney_train_opts *opts,
                               ney_train_info *info, ney_error *err);

/* The same for that mean. The options are resolved, and agree in goal, kernel and what is held out.
 */
ney_status ney_train_mean(ney_model **out, ney_partition *p, const ney_train_opts *o, int n,
                          ney_train_info *info, ney_error *err);

/* What an update takes from the model where the options leave it open: the bounded rates or the
 * costs of rejection, C, eta and the loss. */
ney_status ney_update_resolve(ney_train_opts *o, const ney_model *from, ney_error *err);

#endif
