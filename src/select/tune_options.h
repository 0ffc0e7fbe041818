#ifndef NEY_SELECT_TUNE_OPTIONS_H
#define NEY_SELECT_TUNE_OPTIONS_H

#include "base/error.h"

/* *opts, or the defaults for NULL. */
ney_tune_opts ney_tune_opts_or_default(const ney_tune_opts *opts);

/* Refuse, by NEY_EINVAL, values out of bounds and options that are not read for this request. */
ney_status ney_tune_options_check(const ney_tune_opts *opts, const ney_train_opts *train,
                                  bool has_valid, ney_error *err);

/* How many of the best points the model may be the mean of. */
int64_t ney_tune_most_averaged(const ney_tune_opts *o, const ney_train_opts *train);

/* Whether points may be searched on a part of the rows: where losses are sums over rows. */
bool ney_tune_takes_parts(const ney_train_opts *train);

#endif
