/* Tuning on a partition that is drawn already. */
#ifndef NEY_SELECT_TUNE_H
#define NEY_SELECT_TUNE_H

#include "learn/partition.h"

/* As ney_tune(); `p` is drawn for these options. */
ney_status ney_tune_partition(ney_model **out, ney_partition *p, const ney_data *valid,
                              const ney_train_opts *opts, const ney_tune_opts *tune,
                              ney_tune_info *info, ney_error *err);

#endif
