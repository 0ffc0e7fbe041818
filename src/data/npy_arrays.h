/* The arrays of a file that make a data set, found by their names. */
#ifndef NEY_DATA_NPY_ARRAYS_H
#define NEY_DATA_NPY_ARRAYS_H

#include "data/npy.h"
#include "data/npz.h"
#include "data/source.h"

#include <neyman/experimental/data.h>

/* An array and the memory that it was unpacked to. */
typedef struct ney_npy_part {
    ney_npy array;
    void *own;
    bool present;
} ney_npy_part;

typedef struct ney_npy_arrays {
    ney_env env;
    const char *file;
    char *bytes; /* of the whole file; owned */
    int64_t n_bytes;
    ney_npz archive;
    bool sparse; /* CSR: data, indices and indptr; else x */
    int64_t rows, cols;
    ney_npy_part x, y, weight, names;
    ney_npy_part data, indices, indptr, shape, form;
} ney_npy_arrays;

/* The first of the names, separated by spaces, that the archive has; NULL: none. */
const ney_npz_member *ney_npz_find_first(const ney_npz *archive, const char *names);

/* The names of the arrays in an archive. */
#define NEY_NPY_X "X x arr_0"
#define NEY_NPY_Y "y label labels target arr_1"
#define NEY_NPY_WEIGHT "weight weights sample_weight"
#define NEY_NPY_NAMES "names feature_names columns"

/* Once the parts that are present are known: whether they are a sparse matrix; a dense array may be
 * called data. */
void ney_npy_arrays_arrange(ney_npy_arrays *a);

/* Read the file and find its arrays; shapes agree with each other. ney_npy_arrays_deinit() is due
 * in either case. The source stays the caller's. */
ney_status ney_npy_arrays_read(ney_npy_arrays *a, const ney_env *env, ney_source *source,
                               ney_format format, ney_error *err);
/* Whether the parts that are present make a data set; sets rows and cols. */
ney_status ney_npy_arrays_check(ney_npy_arrays *a, ney_error *err);
void ney_npy_arrays_deinit(ney_npy_arrays *a);

/* The entries of a sparse matrix, the columns of every row in order; to be released whatever the
 * outcome. NEY_EFORMAT where they make no sense. */
typedef struct ney_npy_csr {
    double *value;
    int64_t *start;
    int32_t *index;
} ney_npy_csr;

/* Messages count rows from rows_before on. */
ney_status ney_npy_csr_copy(ney_npy_csr *to, const ney_npy_arrays *in, int64_t rows_before,
                            ney_error *err);

/* The error of an indptr that is not ascending. */
ney_status ney_npy_fail_start(const char *file, int64_t found, int64_t row, int64_t entries,
                              ney_error *err);

#endif
