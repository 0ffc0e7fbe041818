#ifndef NEY_LEARN_OPTIONS_H
#define NEY_LEARN_OPTIONS_H

#include "base/error.h"

/* *opts or the defaults, within their bounds and asking for one goal. */
ney_status ney_train_opts_of(ney_train_opts *o, const ney_train_opts *opts, ney_error *err);

#endif
