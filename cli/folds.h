/* The two parts of a data set that a fold of cross-validation makes. */
#ifndef CLI_FOLDS_H
#define CLI_FOLDS_H

#include "session.h"

/* Places of the rows inside a fold, or outside it; returns their number. `rows` holds n. */
int64_t fold_rows(const int *fold_of, int64_t n, int fold, bool inside, int64_t *rows);

/* Take the rows outside a fold (`train`) and those inside it (`test`; NULL: not wanted), filled and
 * scaled by those of `train` that are learned from. `raw` is neither. What is made is the caller's
 * to free, also after an error. */
ney_status fold_take(session *s, const ney_data *raw, const int *fold_of, int fold,
                     const ney_train_opts *o, int scale, ney_data **train, ney_data **test);

#endif
