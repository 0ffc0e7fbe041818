/* Applying the preprocessing of a model to data. */
#ifndef NEY_DATA_APPLY_PREPROCESSING_H
#define NEY_DATA_APPLY_PREPROCESSING_H

#include "data/data.h"

/* Where data come from: text whose cells were stored by the first step of the given preprocessing,
 * from named or from numbered columns; a cache, whose cells were stored by the first step of its
 * preprocessing; or an array, whose columns are matched with the preprocessing's already. */
typedef enum ney_origin {
    NEY_ORIGIN_TABLE,
    NEY_ORIGIN_SVMLIGHT,
    NEY_ORIGIN_CACHE,
    NEY_ORIGIN_ARRAY
} ney_origin;

/* Turn data into the features of `given`. The data's preprocessing becomes a copy of it.
 *
 * @retval NEY_EPARSE  the columns are others, were scaled otherwise, or a cache holds a column less
 * a constant so that its cells are not known exactly. */
ney_status ney_preprocessing_apply(ney_data *data, const ney_preprocessing *given,
                                   ney_origin origin, ney_error *err);

/* ---- its steps, for rows that come in batches */

/* The preprocessing of rows that follow `given`: a copy of it with the columns of notes of `own`,
 * which move to it. NEY_EPARSE where the data are scaled already. */
ney_status ney_preprocessing_of_rows(ney_preprocessing **out, const ney_env *env,
                                     const ney_preprocessing *given, ney_preprocessing *own,
                                     ney_error *err);

/* Bring labels, columns and cells to those of `given`; the data still have their own preprocessing,
 * and `rows_before` are before them in the file. */
ney_status ney_preprocessing_apply_cells(ney_data *data, const ney_preprocessing *given,
                                         ney_origin origin, int64_t rows_before, ney_error *err);

/* Log that columns with names are matched with columns that have none. */
void ney_remark_names(const ney_env *env, const ney_preprocessing *given, bool named);

/* Log that columns are ignored; true where there are some. */
bool ney_remark_columns(const ney_data *data, const ney_preprocessing *given, ney_origin origin);

#endif
