/* Rows of a file scored by a model, batch by batch. */
#ifndef CLI_SCORE_ROWS_H
#define CLI_SCORE_ROWS_H

#include "session.h"

typedef struct score_rows {
    ney_model *model;
    double low, high; /* its thresholds */
    ney_row_stream *rows;
    const char *path;     /* of the rows */
    const ney_data *data; /* the batch, and */
    double *score;        /* its scores */
    int64_t n, cap;       /* rows of the batch; 0 at the end */
    int64_t before;       /* rows of the batches before it */
    int64_t out_of_fold;  /* rows so far, scored by the fold model that has not seen them */
} score_rows;

/* Open both files; `single`: a batch is one row of text. What is wrong is reported, by this and by
 * score_rows_next(); they return the exit code. score_rows_close() is due in either case. */
int score_rows_open(score_rows *r, session *s, const char *model, const char *path, bool single);

/* The next batch. A score that is not finite is an error. */
int score_rows_next(score_rows *r, session *s);

/* After the last: say how many rows were scored out of fold. */
void score_rows_say_folds(const score_rows *r, session *s);
void score_rows_close(score_rows *r);

#endif
