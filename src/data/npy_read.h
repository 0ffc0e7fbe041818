/* Data sets from files of NumPy arrays: one array (.npy), or an archive of several (.npz). */
#ifndef NEY_DATA_NPY_READ_H
#define NEY_DATA_NPY_READ_H

#include "data/data.h"
#include "data/source.h"

/* Whether a format is one of the two. */
static inline bool ney_format_is_numpy(ney_format format)
{
    return format == NEY_FORMAT_NPY || format == NEY_FORMAT_NPZ;
}

/* As ney_data_read() does for text. Takes over the source, whatever the outcome.
 *
 * .npy: rows and columns. .npz: X (rows and columns) or SciPy's CSR arrays, and y (labels), weight,
 * names of the columns. */
ney_status ney_numpy_read(ney_data **out, const ney_env *env, ney_source *source, ney_format format,
                          const ney_read_opts *opts, const ney_preprocessing *given,
                          ney_error *err);

/* Write .npy (features alone) or .npz (X or CSR arrays, y, weight, names). */
ney_status ney_numpy_write(const ney_data *data, const ney_env *env, const char *path,
                           ney_format format, ney_error *err);

#endif
