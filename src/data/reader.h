/* Any text format, batch after batch of parsed rows. */
#ifndef NEY_DATA_READER_H
#define NEY_DATA_READER_H

#include "data/batches.h"
#include "data/limits.h"
#include "data/svmlight.h"
#include "data/table.h"

typedef struct ney_reader {
    ney_env env;
    ney_read_opts opts;
    ney_files *files; /* owned */
    ney_format format;
    ney_preprocessing
        *preprocessing; /* of the file; complete for a table, to be completed for svmlight */
    const ney_preprocessing *given; /* of a model; borrowed; NULL: none */
    ney_lines lines;
    ney_svmlight svmlight;
    ney_table table;
    ney_labels labels;
    ney_pooling pooling;
    ney_rows *rows; /* NEY_PIECES of them */
    int64_t lines_before, unknown, n_rows, n_entries;
    int64_t cols, cols_line; /* columns so far, and the line that has the last */
    const char *cols_file;   /* of that line */
    int64_t repeated;        /* a table's column that looks like a group, from 0; -1: none */
} ney_reader;

/* Takes over the files, whatever the outcome. The format must be of text. */
ney_status ney_reader_new(ney_reader **out, const ney_env *env, ney_files *files, ney_format format,
                          const ney_read_opts *opts, const ney_preprocessing *given,
                          ney_error *err);
void ney_reader_free(ney_reader *r);

/* Log which column is the label, which became categories and which are not features. */
void ney_reader_log_columns(const ney_reader *r);

/* Warn of columns of words that are dates, or another word in most of the rows. After the last
 * rows. */
void ney_reader_warn_of_words(const ney_reader *r);

/* Names, categories and labels in another encoding than UTF-8. */
void ney_reader_warn_of_encoding(const ney_reader *r);

/* The next rows, in order: *n pieces, valid until the next call; 0 at the end. */
ney_status ney_reader_next(ney_reader *r, ney_rows **pieces, int *n, ney_error *err);

/* After the last rows: the signs of the label codes, as ney_labels_finish() gives them. `cols` is
 * the number of columns met. The preprocessing is complete then. */
ney_status ney_reader_finish(ney_reader *r, int64_t cols, int8_t sign[2], ney_error *problem,
                             ney_error *err);

/* *opts, or the defaults for NULL. */
ney_read_opts ney_read_opts_or_default(const ney_read_opts *opts);

/* Whether every value is within its bounds. */
ney_status ney_read_check_values(const ney_read_opts *opts, ney_error *err);

/* Determine the format of files, which are opened first if `path` is not NULL: all have the same.
 * On failure they are closed. */
ney_status ney_open_input(ney_files **files, ney_format *format, const ney_env *env,
                          const char *path, const ney_read_opts *opts, bool with_model,
                          ney_error *err);

/* NEY_EFORMAT where a cache is compressed or comes through a pipe: it is used where it lies, in a
 * file. */
ney_status ney_refuse_packed_cache(const ney_files *files, const char *path, ney_error *err);

#endif
