/* Filling and scaling: the second and third step of preprocessing (preprocessing.h). */
#ifndef NEY_DATA_SCALE_H
#define NEY_DATA_SCALE_H

#include "data/data.h"

/* Note which rows (NULL: all) the fit depends on: none of them can certify or calibrate a score
 * function made from these features. */
ney_status ney_column_fit_remember(ney_data *d, ney_scaling scaling, const int64_t *rows,
                                   int64_t n_rows, ney_error *err);

/* The scaling that an option asks for: 0 is by format, standard for tables and none otherwise; else
 * a ney_scaling plus 1. */
ney_scaling ney_scaling_of(int option, ney_format format);

/* The scaling that the options ask for of data that a path or a study prepares itself.
 * NEY_EPARSE: a value is missing and will not be filled. NEY_EINVAL: the option scale is set and
 * the data are prepared already. */
ney_status ney_data_check_raw(ney_scaling *scaling, const ney_data *data,
                              const ney_options *options, ney_error *err);

/* Whether columns are divided by their standard deviation, unless they are ranked. */
static inline bool ney_scaling_has_squares(ney_scaling scaling)
{
    return scaling == NEY_SCALING_STANDARD || scaling == NEY_SCALING_AUTO;
}

/* Apply the data's own preprocessing, which is prepared, to all rows. */
ney_status ney_scale_apply(ney_data *data, ney_error *err);

/* The feature of a stored value, before rows are scaled to length 1: filled, ranked, scaled. */
float ney_scale_value(const ney_preprocessing *r, int64_t c, float stored);

/* Whether zeros become something else, which only dense rows can hold. */
bool ney_scale_moves_zero(const ney_preprocessing *r);

/* Whether zeros may become something else: the rows are dense, or a table that is stored sparse.
 * Sparse rows of an array stay sparse, with names of columns or without. */
bool ney_may_centre(const ney_preprocessing *r, bool dense);

/* Sums have twice the precision of a double, so that the order of rows does not show in the result.
 *
 * What is learned of the columns, from rows that come in parts: all values, then the means, then
 * the values again for the squares. Statistics of stored values, zeros included. */
typedef struct ney_column_fit {
    int64_t rows, cols;
    double *mean, *m2, *low, *high; /* m2: sum of squared deviations */
    double *rest;                   /* what the sums that become mean and m2 lost by rounding */
    int64_t *present;               /* cells that are not missing */
    int64_t *stored;                /* cells that are stored and not missing */
} ney_column_fit;

/* False without memory; ney_column_fit_deinit() is due in either case. */
bool ney_column_fit_init(ney_column_fit *s, const ney_env *env, int64_t cols);
void ney_column_fit_deinit(ney_column_fit *s, const ney_env *env);

/* Whether preprocessing of this scaling needs any statistics at all. */
bool ney_column_fit_matters(const ney_preprocessing *r, ney_scaling scaling);

/* rows NULL: the first n_rows. */
void ney_column_fit_values(ney_column_fit *s, const ney_data *d, const int64_t *rows,
                           int64_t n_rows);
void ney_column_fit_means(ney_column_fit *s);
void ney_column_fit_squares(ney_column_fit *s, const ney_data *d, const int64_t *rows,
                            int64_t n_rows);

/* The values, means and squares of rows that are shared out among processes (data.blocks), for all
 * of them alike. rows NULL: all. */
ney_status ney_column_fit_shared(ney_column_fit *s, const ney_data *d, const int64_t *rows,
                                 int64_t n_rows, bool squares, ney_error *err);

/* Into the preprocessing, which is prepared then. @param dense  how the data are stored. */
ney_status ney_column_fit_finish(ney_column_fit *s, ney_preprocessing *r, bool dense,
                                 ney_scaling scaling, const ney_env *env, ney_error *err);

/* With --missing indicator: a feature for each column of numbers that lacks cells in the rows
 * fitted on. After all else is fitted. */
ney_status ney_column_fit_indicators(const ney_column_fit *s, ney_preprocessing *r, ney_error *err);

/* Undo ney_column_fit_finish(): the preprocessing is as it was. */
void ney_column_fit_forget(ney_preprocessing *r);

/* The scaling alone, as that of `d`, into `only`, whose offset and factor are arrays of its
 * columns. Returns whether it changes anything. After the squares. */
bool ney_column_fit_scaling(ney_column_fit *s, const ney_data *d, ney_preprocessing *only);

/* Prepared rows, scaled again as their preprocessing says, by fitting on `learn` alone: maps of
 * columns compose, so that this gives what fitting on these rows in the first place would have
 * given, to the precision of floats. A category that no row of `learn` has becomes unknown. Cells
 * that were filled keep their values. The preprocessing objects stay as they are: the rows no
 * longer match them. */
ney_status ney_scale_again(ney_data *learn, ney_data *held, bool *changed, ney_error *err);

#endif
