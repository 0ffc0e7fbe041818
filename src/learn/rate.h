/* What all methods that keep one bounded rate share. */
#ifndef NEY_LEARN_RATE_H
#define NEY_LEARN_RATE_H

#include "learn/task.h"

bool ney_rate_is_bounded(const ney_train_opts *o);

/* The rate, and which error it bounds. */
double ney_rate_of(const ney_train_opts *o);
ney_error_kind ney_rate_kind(const ney_train_opts *o);

/* Refuse what one bounded rate does not go with, and a confidence that cannot be had. */
ney_status ney_rate_check(const ney_train_opts *o, ney_error *err);
ney_status ney_rate_check_confidence(const ney_train_opts *o, ney_error *err);

/* The threshold that lets as many training rows be misclassified as the rate allows. */
ney_status ney_rate_decide(const ney_task *t, ney_model *m, ney_train_info *info, ney_error *err);

/* The bound, as a line of the summary. */
ney_status ney_rate_tell(const ney_task *t, ney_model *m, ney_error *err);

#endif
