/* The rows of NumPy arrays for a model, window by window: memory does not grow with their number.
 */
#ifndef NEY_DATA_NPY_STREAM_H
#define NEY_DATA_NPY_STREAM_H

#include "data/data.h"
#include "data/source.h"

typedef struct ney_npy_stream ney_npy_stream;

/* *out is NULL, and the source stays the caller's, where rows cannot be read in order: an array
 * that is stored by columns, or an archive in a pipe or a compressed file. Otherwise the stream
 * takes over the source if it succeeds. `opts` and `given`, the preprocessing of a model, are
 * borrowed. */
ney_status ney_npy_stream_open(ney_npy_stream **out, const ney_env *env, ney_source *source,
                               ney_format format, const ney_read_opts *opts,
                               const ney_preprocessing *given, ney_error *err);
void ney_npy_stream_close(ney_npy_stream *s);

/* The columns that are kept as notes; lives as long as the stream. */
ney_preprocessing *ney_npy_stream_preprocessing(const ney_npy_stream *s);

/* The next rows as stored cells of the model's columns; *out is NULL at the end. Their
 * preprocessing is the stream's. */
ney_status ney_npy_stream_next(ney_npy_stream *s, ney_data **out, ney_error *err);

/* At the end: why not every row has a label; code NEY_OK: they do. */
ney_status ney_npy_stream_finish(ney_npy_stream *s, ney_error *no_label, ney_error *err);

#endif
