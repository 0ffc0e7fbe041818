/* The goal of one bounded rate (Neyman-Pearson), whatever the method. */
#ifndef NEY_LEARN_RATE_H
#define NEY_LEARN_RATE_H

#include "learn/goal.h"

/* Set the threshold that lets as many training rows be misclassified as the rate allows. */
ney_status ney_rate_decide(const ney_task *t, ney_model *m, ney_train_info *info, ney_error *err);

#endif
