/* The costs of errors and of rejection, as the options state them. */
#ifndef NEY_LEARN_REJECTION_H
#define NEY_LEARN_REJECTION_H

#include "learn/request.h"

/* Whether the options name a cost of rejection. */
bool ney_rejection_is_asked(const ney_train_opts *o);

/* The costs of decisions as they are given, NAN where a cost of rejection is not. */
ney_costs ney_rejection_stated(const ney_train_opts *o);

/* The same, with defaults: with both rates bounded rejection has a cost, which only says where the
 * order of rows matters most. */
ney_costs ney_rejection_costs(const ney_train_opts *o, ney_goal_kind goal);

/* Refuse costs and rules that contradict each other. */
ney_status ney_rejection_check(const ney_request *r, const ney_train_opts *o, ney_error *err);

#endif
