/* From scores to decisions. */
#ifndef NEY_MODEL_PREDICT_H
#define NEY_MODEL_PREDICT_H

#include "model/model.h"

/* The model's decisions (+1, -1, 0: rejected; NULL: not wanted) for `n` scores. NEY_ENUMERIC for a
 * score that is not finite, which names its row, the first being `first_row`. */
ney_status ney_model_decide(const ney_model *model, const double *score, int64_t n,
                            int64_t first_row, int8_t *decision, ney_error *err);

#endif
