/* What is fitted by quantiles of the columns: ranks, and medians to fill with. */
#ifndef NEY_DATA_QUANTILE_FIT_H
#define NEY_DATA_QUANTILE_FIT_H

#include "data/data.h"

/* Whether the preprocessing, to be fitted for a scaling, needs quantiles. */
bool ney_quantile_fit_matters(const ney_preprocessing *r, ney_scaling scaling);

/* Fit ranks and medians into `r`, whose offsets and factors exist if ranks are asked for. The
 * columns of categories and those without a value are left alone.
 * @param centre  Zeros may move: the mean of the ranks is subtracted, else the rank of zero. */
ney_status ney_quantile_fit(ney_preprocessing *r, const ney_data *d, const int64_t *rows,
                            int64_t n_rows, bool centre, ney_error *err);

#endif
