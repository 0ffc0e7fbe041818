/* Conformal p-values and probabilities for a model: scores of rows that it was not trained on. */
#ifndef NEY_LEARN_CALIBRATION_H
#define NEY_LEARN_CALIBRATION_H

#include "learn/task.h"

bool ney_calibration_is_asked(const ney_request *r);

/* On rows held out, or where there are none, on the rows of the task by folds, each scored by a
 * model of the others that is made as `m`. A stop leaves the model unchanged; info->stop says so.
 * @param o  n of the options that the model is the mean for, as for ney_learn_mean(). */
ney_status ney_calibration_make(ney_model *m, const ney_task *t, const ney_train_opts *o, int n,
                                const ney_data *held_out, ney_train_info *info, ney_error *err);

bool ney_probability_is_asked(const ney_request *r);

/* Fit the model's probabilities to the scores of rows held out. */
ney_status ney_probability_fit(ney_model *m, const ney_env *env, const ney_data *held_out,
                               ney_train_info *info, ney_error *err);
/* The same by folds of the rows of the task; a stop leaves the model unchanged. */
ney_status ney_probability_fit_folds(ney_model *m, const ney_task *t, const ney_train_opts *o,
                                     int n, ney_train_info *info, ney_error *err);

#endif
