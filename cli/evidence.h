/* Scores with their true labels, from a model and data or from a score file. */
#ifndef CLI_EVIDENCE_H
#define CLI_EVIDENCE_H

#include "labelled.h"

/* Scores with their true labels: of a model on data, or of a score file. */
typedef struct evidence {
    const double *score;
    const int8_t *label;
    const uint64_t *group; /* NULL: rows are taken as independent */
    int64_t n, n_pos, n_neg;
    const char *negative, *positive; /* the names of the classes, "" where there is none */
    double low, high;                /* the model's thresholds, 0 for a file */
    int64_t n_seen;                  /* rows that a file marks as used in training */
    const char *path;                /* of the data or the score file */
    scored of_model;                 /* owned: one of these two */
    ney_scores *of_file;
    double *own_score; /* owned: of rows that were read batch by batch */
    int8_t *own_label;
    uint64_t *own_group;
} evidence;

/* --from-scores, for commands whose operands are "[MODEL DATA]". */
extern const option_set source_options;

/* Read the source that the command line names. What is wrong is reported; returns the exit code.
 * evidence_deinit() is due in either case. Unless the rows are to be kept they are read batch by
 * batch, and of_model has no data. */
int evidence_read(evidence *out, session *s, bool keep_rows);
/* The same of rows `path`, which are kept, and a model that is there: out->of_model.model, the rest
 * zeroed. */
int evidence_fill(evidence *out, session *s);
void evidence_deinit(evidence *e);

/* Report that a command needs rows of both classes where there are only those of one. */
int refuse_one_class(session *s, const evidence *e);

#endif
