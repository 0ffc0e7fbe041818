/* The costs of rejection, as the options state them. */
#ifndef NEY_LEARN_REJECTION_H
#define NEY_LEARN_REJECTION_H

#include "base/error.h"

/* Whether the options name a cost of rejection. */
bool ney_reject_is_asked(const ney_train_opts *o);

/* The costs of decisions; NAN where a cost of rejection is not given. */
ney_costs ney_reject_costs(const ney_train_opts *o);

/* Refuse costs and rules that contradict each other. */
ney_status ney_reject_check_costs(const ney_train_opts *o, ney_error *err);

#endif
