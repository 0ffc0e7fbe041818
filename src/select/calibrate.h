/* Thresholds from rows that were not trained on. */
#ifndef NEY_SELECT_CALIBRATE_H
#define NEY_SELECT_CALIBRATE_H

#include "select/tuner.h"

/* Set the threshold of the model of a choice among n searches, unless it is certified: on the
 * validation rows, or by the scores that every row got from the model of the folds that it is not
 * in. With a bounded rate that model is of the points that would be chosen without the row's own
 * fold: the best of many points is partly best by chance on the rows that chose it [TUNE.2]. Fills
 * info->calibrated and info->held_out.
 * @param most  points that a choice may have. */
ney_status ney_calibrate(ney_model *m, ney_tuner *searches, int n, const ney_chosen *choice,
                         int most, ney_tune_info *info, ney_error *err);

#endif
