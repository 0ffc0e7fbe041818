/* A threshold from rows that were not trained on. */
#ifndef NEY_SELECT_CALIBRATE_H
#define NEY_SELECT_CALIBRATE_H

#include "select/tuner.h"

/* Set the threshold of a model made with the options of a point, unless it is certified: on the
 * validation rows, or by the scores that every row got from the model of the folds that it is not
 * in. Fills info->calibrated and info->held_out. */
ney_status ney_calibrate(ney_model *m, ney_tuner *t, const ney_point *p, ney_tune_info *info,
                         ney_error *err);

#endif
