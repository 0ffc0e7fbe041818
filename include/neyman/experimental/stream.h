/* Rows of a file that are scored batch by batch. EXPERIMENTAL: anything here may change in any
 * release (VERSIONING.md). */
#ifndef NEYMAN_EXPERIMENTAL_STREAM_H
#define NEYMAN_EXPERIMENTAL_STREAM_H

#include <neyman/experimental/data.h>
#include <neyman/model.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The rows of a file of any format as the features of a model. Memory does not grow with their
 * number. One thread at a time may use a handle. */
typedef struct ney_row_stream ney_row_stream;

/**
 * Open a file whose rows are to be scored by a model.
 *
 * @param path           "-" is standard input. Of a pipe, a terminal or a socket only the first
 *                       line is waited for.
 * @param preprocessing  Of the model; borrowed until the stream is closed.
 * @param single         A batch of text is one row, however many have arrived.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_row_stream_open(
    ney_row_stream **out, const ney_env *env, const char *path, const ney_read_opts *opts,
    const ney_preprocessing *preprocessing, bool single, ney_error *err);
/**
 * The next rows, borrowed until the next call; NULL at the end. Rows that have arrived in a pipe
 * are returned without waiting for more. Where the batches are cut changes no feature. Labels are
 * 1, -1, or 0 for a row without a label or with a value that the model does not have; NULL where no
 * row has one.
 *
 * @retval NEY_EPARSE      as ney_data_read(); rows given before are valid.
 * @retval NEY_ECANCELLED  poll asked for a stop.
 */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_row_stream_next(ney_row_stream *stream,
                                                               const ney_data **rows,
                                                               ney_error *err);
/** Whether the rows come from a pipe, a terminal or a socket. */
NEY_EXPERIMENTAL bool ney_row_stream_is_live(const ney_row_stream *stream);
/** After the last row: as ney_data_unlabelled(), for all rows. */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_row_stream_unlabelled(const ney_row_stream *stream,
                                                                     ney_error *err);
NEY_EXPERIMENTAL void ney_row_stream_close(ney_row_stream *stream);

/* ney_model_find_reuse() for rows that come in batches. One thread at a time may use a
 * handle. */
typedef struct ney_reuse_scan ney_reuse_scan;

NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_reuse_scan_new(ney_reuse_scan **out,
                                                              const ney_env *env,
                                                              const ney_model *model,
                                                              ney_error *err);
/** Add rows, read or made with the preprocessing of the model. */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_reuse_scan_add(ney_reuse_scan *scan,
                                                              const ney_data *data, ney_error *err);
/** Of several processes (neyman/experimental/comm.h), which call it together: the rows of all. */
NEY_EXPERIMENTAL NEY_MUST_CHECK ney_status ney_reuse_scan_share(ney_reuse_scan *scan,
                                                                ney_error *err);
/** What ney_model_find_reuse() says of all rows, zeros where the model has no fingerprint, and what
 * ney_model_trained_on() says. */
NEY_EXPERIMENTAL void ney_reuse_scan_finish(ney_reuse_scan *scan, ney_reuse *out, bool *trained_on);
NEY_EXPERIMENTAL void ney_reuse_scan_free(ney_reuse_scan *scan);

#ifdef __cplusplus
}
#endif

#endif
