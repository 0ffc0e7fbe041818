/* Score files, batch after batch. */
#ifndef NEY_DATA_SCORES_H
#define NEY_DATA_SCORES_H

#include "data/batches.h"
#include "data/table.h"

/* The rows of one piece of text: labels in `rows`, scores beside them. */
typedef struct ney_score_piece {
    ney_rows rows;
    double *score;
    uint64_t *group; /* of each row, where the file is read with groups; else NULL */
    int64_t cap, group_cap;
    int64_t n_seen; /* rows that are marked as used in training */
} ney_score_piece;

typedef struct ney_score_reader {
    ney_env env;
    ney_files *files; /* owned */
    ney_table table;
    int64_t score_column, group_column; /* -1: no groups */
    int64_t seen_column;                /* of 'predict --seen'; -1: none */
    int64_t by_column;                  /* whose text is kept as a note of the row; -1: none */
    bool unlabelled;                    /* labels are not read; all rows have code 0 */
    int64_t n_seen;                     /* rows so far that are marked as used in training */
    ney_lines lines;
    ney_labels labels;
    ney_score_piece *piece; /* NEY_PIECES of them */
    int64_t lines_before;
    const char *positive;
    ney_pooling pooling;
    const ney_preprocessing
        *given;   /* of a model, whose labels are the only ones; borrowed; NULL: none */
    bool flowing; /* the input is a stream; an empty one has no rows */
    bool empty;
} ney_score_reader;

/* path "-" is standard input. `by`: a column whose text is kept; NULL: none. */
ney_status ney_score_reader_new(ney_score_reader **out, const ney_env *env, const char *path,
                                const ney_read_opts *opts, const char *by, ney_error *err);
/* The same for a stream of rows with a model's labels: codes 0 and 1 are its
 * negatives and positives, another label is an error, an input without a line has no rows. */
ney_status ney_score_reader_new_flowing(ney_score_reader **out, const ney_env *env,
                                        const char *path, const ney_preprocessing *given,
                                        const ney_score_stream_opts *stream, ney_error *err);
void ney_score_reader_free(ney_score_reader *r);

/* With a header the columns are found by name, or as the options name them; without one they are
 * label and score. */
ney_status ney_score_reader_find_columns(ney_score_reader *r, const ney_read_opts *opts,
                                         const char *by, ney_error *err);

/* The next rows, in order: *n pieces, valid until the next call; 0 at the end. */
ney_status ney_score_reader_next(ney_score_reader *r, ney_score_piece **pieces, int *n,
                                 ney_error *err);

/* After the last rows: the signs of the codes, and the names of the classes. A file in which a row
 * lacks its label is an error. */
ney_status ney_score_reader_finish(ney_score_reader *r, int8_t sign[2], char *name[2],
                                   ney_error *err);

/* Whether the input can be read again from the start, and doing so. */
bool ney_score_reader_can_rewind(const ney_score_reader *r);
ney_status ney_score_reader_rewind(ney_score_reader *r, ney_error *err);

struct ney_scores {
    ney_env env;
    double *score;
    int8_t *label;
    uint64_t *group; /* NULL without groups */
    char *name[2];
    int64_t n, n_seen; /* n_seen: as ney_scores_seen() */
    ney_text by;       /* the text of a column, a line for each row; empty without one */
    int64_t *by_begin; /* of each line, and where the last one ends; NULL without one */
};

/* Read all that a reader gives. */
ney_status ney_scores_gather(ney_scores **out, ney_score_reader *r, ney_error *err);

#endif
