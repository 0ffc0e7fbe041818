/* The data set: features, labels, weights and the preprocessing that made them. */
#ifndef NEY_DATA_DATA_H
#define NEY_DATA_DATA_H

#include "comm/row_blocks.h"
#include "data/preprocessing.h"

struct ney_data {
    ney_env env;
    ney_matrix x; /* a view of the arrays below */
    float *value; /* dense: rows x cols; sparse: entries */
    int64_t *start;
    int32_t *index;
    int8_t *label; /* NULL without labels */
    float *weight; /* NULL when all are 1 */
    char *notes;   /* one line per row: the cells of preprocessing->note_columns; NULL without */
    int64_t n_notes;
    bool *fitted_on; /* whether filling or scaling was fitted on the row; NULL: on none of them */
    ney_preprocessing *preprocessing;
    ney_error no_label;          /* why `label` is NULL */
    bool from_array;             /* made from an array, not read */
    int64_t gap_row, gap_column; /* from 1 and 0: the first missing category; row 0: none */
    char *repeated;              /* a column that looks like the rows' groups; NULL: none */
    /* the rows of all processes, where these are a share of them; NULL: they are all */
    ney_row_blocks *blocks;
};

/* Point the view at the arrays. */
void ney_data_refresh(ney_data *data, int64_t rows, int64_t cols);

/* A data set whose arrays are allocated for `rows` rows and (sparse) `entries` entries; the rest is
 * not set. *out is to be freed after a failure too. */
ney_status ney_data_allocate(ney_data **out, const ney_env *env, int64_t rows, int64_t cols,
                             bool sparse, int64_t entries, ney_error *err);

/* Change the representation in place; false without memory, and the data are as they were. */
bool ney_data_to_dense(ney_data *data);

bool ney_data_to_sparse(ney_data *data);

/* Drop the columns from `cols` on, or add columns of zeros up to it; false without memory. */
bool ney_data_set_cols(ney_data *data, int64_t cols);

/* Add the features that say which cells are missing, while they are; false without memory. */
bool ney_data_add_indicators(ney_data *data);

/* NEY_EPARSE that names the first missing value of data whose missing values are not filled. */
ney_status ney_data_check_complete(const ney_data *data, ney_error *err);

/* The first stored value that is infinite or, unless `gaps` are allowed, missing; NULL when there
 * is none. */
const float *ney_data_find_fault(const ney_data *data, bool gaps, int64_t *row, int64_t *column);

#define NEY_FILL_GAPS "fill missing cells with --missing mean"

/* NEY_EPARSE when ney_data_find_fault() finds a value that the preprocessing does not fill. The
 * message names its row and column, and `advice` for a missing one; `before` is the file, if known,
 * and the number of rows before the first row of `data`. */
ney_status ney_data_check_cells(const ney_data *data, const ney_preprocessing *preprocessing,
                                ney_place before, const char *advice, ney_error *err);

/* The number in the file that a stored value represents, before anything is scaled. */
static inline double ney_data_number(const ney_data *data, int64_t column, float stored)
{
    const ney_preprocessing *r = data->preprocessing;
    return (double)stored + (r->shift && !r->prepared ? r->shift[column] : 0);
}

/* Whether dense storage of so much takes less memory than sparse storage. */
bool ney_dense_is_smaller(int64_t rows, int64_t cols, int64_t entries);

#endif
