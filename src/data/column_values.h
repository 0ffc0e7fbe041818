/* The values of single columns in order of size, for quantiles: of the rows fitted on, or of an
 * evenly spaced sample of them. */
#ifndef NEY_DATA_COLUMN_VALUES_H
#define NEY_DATA_COLUMN_VALUES_H

#include "data/data.h"

/* More rows than these are sampled: the error of every quantile is then below 0.009 with
 * probability 1 - 1e-4 (Dvoretzky-Kiefer-Wolfowitz). */
enum { NEY_QUANTILE_ROWS = 1 << 16 };

/* Every how many of n rows is sampled. */
static inline int64_t ney_quantile_step(int64_t n)
{
    return (n + NEY_QUANTILE_ROWS - 1) / NEY_QUANTILE_ROWS;
}

/* Equal values, their number and how many of them are in rows of the positive class (0 without
 * labels). */
typedef struct ney_value_run {
    float value;
    int64_t n, n_pos;
} ney_value_run;

/* The runs of every column, zeros included, missing cells left out: visit(context, c, run, n_runs,
 * err) for c = 0 .. cols - 1 in order. rows NULL: the first n_rows. */
ney_status ney_column_values(const ney_data *d, const int64_t *rows, int64_t n_rows,
                             ney_status (*visit)(void *context, int64_t c, const ney_value_run *run,
                                                 int64_t n_runs, ney_error *err),
                             void *context, ney_error *err);

#endif
