/* What a data file holds, column by column, also where ney_data_read() refuses it. EXPERIMENTAL:
 * anything here may change in any release (VERSIONING.md). */
#ifndef NEYMAN_EXPERIMENTAL_PROFILE_H
#define NEYMAN_EXPERIMENTAL_PROFILE_H

#include <neyman/experimental/data.h>
#include <neyman/result.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The file to describe. */
typedef struct ney_profile_input {
    const char *path;  /* a file; of bytes in memory, what stands for it in messages */
    const void *bytes; /* NULL: the file is read */
    size_t n_bytes;
    const ney_read_opts *read; /* NULL: the defaults */
    const ney_data *data;      /* what ney_data_read() made of it, with missing cells kept; NULL:
                                  it refuses the file */
    int64_t most_columns;      /* of a file with more columns those with a note are listed */
    bool detailed;             /* mean, deviation, and numbers of zeros and infinite cells too */
} ney_profile_input;

/**
 * Describe a data file. Adds to `root` the array `columns` (name, role, type, low, high, missing,
 * distinct, note) and the integer `distinct_limit`: where a column has more distinct values,
 * `distinct` is null. Where `data` is NULL, rows that cannot be read are left out, and `format`,
 * `n`, `cols`, `faulty_rows`, `faults` (the first five: line, reason), `classes` (label, n: the 20
 * most frequent), `missing`, `duplicate_rows` and `contradictory_rows` are added; the last two
 * compare cells as text. svmlight text and caches without `data` have no columns.
 *
 * @retval NEY_EFORMAT, NEY_EPARSE  nothing can be said about the file: the reason. Other failures
 * as of ney_data_read().
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_profile(ney_result *root, const ney_env *env,
                                                       const ney_profile_input *in, ney_error *err);

#ifdef __cplusplus
}
#endif

#endif
