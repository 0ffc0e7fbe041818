/* Tuning on a partition that is drawn already. */
#ifndef NEY_SELECT_TUNE_H
#define NEY_SELECT_TUNE_H

#include "learn/partition.h"

enum { NEY_SEARCH_ROWS = 1000 };

/* As ney_tune(); `p` is drawn for these options. */
ney_status ney_tune_partition(ney_model **out, ney_partition *p, const ney_data *valid,
                              const ney_train_opts *opts, const ney_tune_opts *tune,
                              ney_tune_info *info, ney_error *err);

/* Training that chooses C, gamma and costs: the same on the grid NEY_GRID_QUICK, whose edges mean
 * nothing. Where other rows certify the threshold at most NEY_SEARCH_ROWS rows of each class take
 * part in the search; the model learns from all. With too few rows for the folds C is that of
 * `opts`, a message says so, and info->points is 0. */
ney_status ney_tune_quickly(ney_model **out, ney_partition *p, const ney_train_opts *opts,
                            const ney_tune_opts *tune, ney_tune_info *info, ney_error *err);

#endif
