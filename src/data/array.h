/* Raw rows in the caller's memory, on their way into a data set: the first step of the
 * preprocessing (preprocessing.h), whatever the type, order and storage of the array. */
#ifndef NEY_DATA_ARRAY_H
#define NEY_DATA_ARRAY_H

#include "data/data.h"

/* How the columns of an array become features. */
typedef struct ney_array_map {
    ney_env env;
    int64_t cols;        /* features */
    const double *shift; /* of the features; borrowed; NULL: none */
    int64_t *column;     /* the array's column of each feature; NULL: the same */
    int64_t *feature;    /* of CSR: the feature of each column, -1: none; NULL: the same */
    bool gaps;           /* NaN marks a missing value; else it is an error */
    bool trained;        /* the preprocessing is that of a model */
} ney_array_map;

/* Whether the description of an array makes sense. The entries of CSR rows are checked as they are
 * stored. */
ney_status ney_array_check(const ney_array *x, ney_error *err);

/* Refuse two columns of one name. */
ney_status ney_array_check_names(const ney_array *x, const ney_env *env, ney_error *err);

/* Dense cell (r, c) is value r * row stride + c * column stride. */
int64_t ney_array_row_stride(const ney_array *x);
int64_t ney_array_col_stride(const ney_array *x);
double ney_array_value(const ney_array *x, int64_t k);

/* Whether a zero is stored as something else. */
bool ney_array_is_shifted(const ney_array_map *map);

/* Match the columns of a checked array with those of a model: by name where both have names, else
 * by position. ney_array_map_deinit() is due in either case. */
ney_status ney_array_map_init(ney_array_map *map, const ney_env *env, const ney_array *x,
                              const ney_preprocessing *given, ney_error *err);
void ney_array_map_deinit(ney_array_map *map);

/* Rows `first` to `first + n` as a data set without labels and preprocessing. CSR rows stay sparse
 * unless a shift makes their zeros nonzero. NEY_EINVAL names the row and column of a value that
 * cannot be stored. */
ney_status ney_array_take(ney_data **out, const ney_array *x, const ney_array_map *map,
                          int64_t first, int64_t n, ney_error *err);

#endif
