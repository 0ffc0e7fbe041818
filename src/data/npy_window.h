/* Windows of the arrays of a file: a number of rows of each at a time, in order. */
#ifndef NEY_DATA_NPY_WINDOW_H
#define NEY_DATA_NPY_WINDOW_H

#include "data/npy_arrays.h"

/* An array of an archive, or the one of a file. */
typedef struct ney_npy_window_part {
    ney_npy_part *part;    /* whose values are those of the window */
    ney_npz_stream *bytes; /* NULL: the source itself */
    int64_t row_bytes;     /* 0: as many values as the rows have entries */
    unsigned char *values;
    int64_t cap;
} ney_npy_window_part;

enum { NEY_NPY_MOST_PARTS = 6 };

typedef struct ney_npy_window {
    ney_npy_arrays *in; /* borrowed */
    ney_source *source; /* borrowed */
    ney_npy_window_part part[NEY_NPY_MOST_PARTS];
    int n_parts;
    int64_t rows, rows_left, most_rows; /* of all windows, to come, of a window */
    int64_t header_bytes, taken;        /* of one array: bytes of its header, and values so far */
    int64_t n_bytes, used;              /* of one array: bytes in the window, and those given out */
    int64_t *start;                     /* of a sparse matrix: where rows begin in the window */
    int64_t entries, total;             /* entries before the window, and of all rows */
    ney_npy indptr;                     /* as it is in the file */
} ney_npy_window;

/* The arrays of the source, into `in`; those with a value per row have no values yet. *in_order is
 * false where rows do not follow one another. ney_npy_window_deinit() is due in either case; the
 * source has not been read from, only peeked at. */
ney_status ney_npy_window_open(ney_npy_window *w, ney_npy_arrays *in, ney_source *source,
                               ney_format format, bool *in_order, ney_error *err);
void ney_npy_window_deinit(ney_npy_window *w);

/* Memory for windows, and the first of them can be read. */
ney_status ney_npy_window_begin(ney_npy_window *w, ney_error *err);

/* The next rows, as many as in->rows says then; 0 at the end. */
ney_status ney_npy_window_next(ney_npy_window *w, ney_error *err);

#endif
