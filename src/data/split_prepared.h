/* Rows to learn from and other rows to evaluate on, with preprocessing fitted on the former alone.
 */
#ifndef NEY_DATA_SPLIT_PREPARED_H
#define NEY_DATA_SPLIT_PREPARED_H

#include "data/data.h"

/* Two random halves, each class by itself. Data that are not prepared yet are prepared: filling and
 * scaling are fitted on `learn` and applied to both. What fails leaves both NULL. */
ney_status ney_data_split_prepared(ney_data **learn, ney_data **evaluate, const ney_data *data,
                                   uint64_t seed, ney_scaling scaling, ney_error *err);

/* A copy of all rows, prepared: as `like` is, or for NULL by fitting on these rows. */
ney_status ney_data_copy_prepared(ney_data **out, const ney_data *data, const ney_data *like,
                                  ney_scaling scaling, ney_error *err);

#endif
