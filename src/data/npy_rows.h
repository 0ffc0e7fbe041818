/* The rows of NumPy arrays on their way into data sets: all at once, or window by window. */
#ifndef NEY_DATA_NPY_ROWS_H
#define NEY_DATA_NPY_ROWS_H

#include "data/array.h"
#include "data/labels.h"
#include "data/npy_arrays.h"
#include "data/table.h"

typedef struct ney_numpy {
    ney_env env;
    const ney_read_opts *opts;
    const ney_preprocessing *given; /* of a model; NULL: none */
    ney_npy_arrays in;              /* its rows are those of the window */
    int64_t rows_before;            /* the window */
    ney_table table;                /* of dense arrays: the columns' names and roles */
    bool named;                     /* the columns have names that matter */
    int64_t *column;                /* of dense arrays: the column of each feature */
    int64_t cols;                   /* features */
    double *value;                  /* their cells, row after row */
    ney_npy_csr csr;                /* of a sparse matrix, instead */
    const char **name;
    ney_rows rows; /* labels and weights */
    ney_labels labels;
    ney_pooling pooling;
} ney_numpy;

/* ney_numpy_deinit() is due. */
void ney_numpy_init(ney_numpy *n, const ney_env *env, const ney_read_opts *opts,
                    const ney_preprocessing *given);
void ney_numpy_deinit(ney_numpy *n);

/* Once the shapes of the arrays are known: what the columns are. */
ney_status ney_numpy_open(ney_numpy *n, ney_error *err);

/* The cells, labels, weights and notes of the window, into value or csr and rows. */
ney_status ney_numpy_take(ney_numpy *n, ney_error *err);

/* The cells taken; borrowed. */
ney_array ney_numpy_array(const ney_numpy *n);

/* What is wrong with a cell is wrong in the file. */
ney_status ney_numpy_error(const ney_numpy *n, ney_status st, ney_error *err);

/* After the last rows, as ney_labels_finish(); *problem also where there are no labels. */
ney_status ney_numpy_finish_labels(ney_numpy *n, ney_preprocessing *r, int8_t sign[2],
                                   ney_error *problem, ney_error *err);

#endif
