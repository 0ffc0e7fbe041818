/* Raw rows in the caller's memory, on their way into a data set: the first step of the
 * preprocessing (preprocessing.h), whatever the type, order and storage of the array. */
#ifndef NEY_DATA_ARRAY_H
#define NEY_DATA_ARRAY_H

#include "data/data.h"

/* A column of an array that has columns of categories, and the features made from it. */
typedef struct ney_array_input {
    int64_t column, first, n; /* features `first` to `first + n` */
    int32_t *place; /* of categories: the feature of every value, counted from `first`; negative:
                       none. NULL: the column holds numbers */
} ney_array_input;

/* How the columns of an array become features. */
typedef struct ney_array_map {
    ney_env env;
    int64_t cols;           /* features */
    const double *shift;    /* of the features; borrowed; NULL: none */
    int64_t *column;        /* the array's column of each feature; NULL: the same */
    int64_t *feature;       /* of CSR: the feature of each column, -1: none; NULL: the same */
    ney_array_input *input; /* of an array with categories: what all of them become, instead */
    int64_t n_inputs;
    bool keeps_infinite; /* infinite values are kept; else they are errors */
    bool gaps;           /* NaN marks a missing value; else it is an error */
    bool trained;        /* the preprocessing is that of a model */
    int64_t rows_before; /* of the array, in messages */
} ney_array_map;

/* Whether the description of an array makes sense. The entries of CSR rows are checked as they are
 * stored. */
ney_status ney_array_check(const ney_array *x, ney_error *err);

/* The columns of an array in the order of their names. */
typedef struct ney_array_names {
    struct ney_named_column {
        const char *name;
        int64_t column;
    } * sorted;
    int64_t n;
} ney_array_names;

/* Refuses two columns of one name. ney_array_names_deinit() is due in either case. */
ney_status ney_array_names_init(ney_array_names *names, const ney_env *env, const ney_array *x,
                                ney_error *err);
void ney_array_names_deinit(ney_array_names *names, const ney_env *env);
/* The column of a name; -1: none. */
int64_t ney_array_find_name(const ney_array_names *names, const char *name);

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

/* ney_data_from_array(), or one that keeps infinite values for inspection. */
ney_status ney_array_to_data(ney_data **out, const ney_env *env, const ney_array *x,
                             const ney_preprocessing *preprocessing, bool keeps_infinite,
                             ney_error *err);

/* ---- columns of categories */

/* A cell without a value; row -1: there is none. */
typedef struct ney_array_gap {
    int64_t row, column;
} ney_array_gap;

/* Whether the categories of an array make sense. */
ney_status ney_array_check_categories(const ney_array *x, ney_error *err);

/* A cell as the position of its value; -1: missing. */
ney_status ney_array_code(const ney_array *x, int64_t row, int64_t column, int64_t *code,
                          ney_error *err);

/* Features of an array that is learned from: the categories that occur in each column are listed in
 * the preprocessing, whose inputs have names already. *gap: the first missing category. */
ney_status ney_array_list_categories(ney_preprocessing *preprocessing, const ney_array *x,
                                     ney_array_gap *gap, ney_error *err);

/* Match the columns of an array with categories with those of preprocessing that has names. */
ney_status ney_array_match_inputs(ney_array_map *map, const ney_array *x,
                                  const ney_preprocessing *given, const ney_array_names *names,
                                  ney_error *err);

/* The features of one cell of a column of categories. */
ney_status ney_array_store_category(const ney_array *x, const ney_array_map *map,
                                    const ney_array_input *in, int64_t row, float *features,
                                    ney_error *err);

#endif
