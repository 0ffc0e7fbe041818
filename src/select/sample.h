/* A part of the rows, on which options are chosen where there are many rows. */
#ifndef NEY_SELECT_SAMPLE_H
#define NEY_SELECT_SAMPLE_H

#include "base/error.h"

/* At most `most` rows of each class, drawn at random; *out is NULL where that is all of them. The
 * rows of a class of which a smaller share is drawn weigh more, so that the classes keep the ratio
 * of their weights: costs mean the same on the part and on all rows. Weights apply to the loss
 * only. */
ney_status ney_sample_rows(ney_data **out, const ney_env *env, const ney_data *data, int64_t most,
                           uint64_t seed, ney_error *err);

#endif
