#ifndef NEY_LEARN_OPTIONS_H
#define NEY_LEARN_OPTIONS_H

#include "base/error.h"

/* *opts or the defaults, within their bounds, asking for one goal, and none of them without effect.
 */
ney_status ney_train_opts_of(ney_train_opts *o, const ney_train_opts *opts, ney_error *err);

/* The same where the caller reads options itself: `also` names them, separated by spaces. */
ney_status ney_train_opts_for(ney_train_opts *o, const ney_train_opts *opts, const char *also,
                              ney_error *err);

#endif
