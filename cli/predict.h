/* A run of 'predict': its options, its result, and its two ways to read DATA. */
#ifndef CLI_PREDICT_H
#define CLI_PREDICT_H

#include "discoveries.h"
#include "predict_lines.h"
#include "session.h"

typedef struct predict_args {
    const char *output;
    bool scores, qvalues;
    const char *reject_label;
    bool conformal, seen, line_buffered;
    double confidence;
    bool probability, json_lines;
    int calibration; /* ney_probability_method */
    int only;        /* line_choice */
    int64_t digits;
    int64_t explain; /* columns named per row */
} predict_args;

extern const option_set predict_options;

/* What is reported once the rows are written. */
typedef struct predict_summary {
    line_counts counts;
    int64_t out_of_fold;
    int64_t seen;             /* rows used in training; -1: not asked for */
    const discoveries *found; /* NULL: no q-values */
} predict_summary;

/* What all lines of this run have in common, for a model; refused if the options do not fit it. */
int predict_format(session *s, const ney_model *model, line_format *f);

/* Whether each of several processes writes a separate file: the name has a number, as %04d. */
bool predict_in_parts(const session *s);

/* Start the output in the format that the options and the name of the file ask for. */
ney_status predict_open(tsv *t, const session *s, const predict_args *args, ney_error *err);

/* The counts and what was computed beside them. */
ney_result *predict_summarise(const session *s, const line_format *f, const predict_summary *sum);

/* Print the result of a run that wrote a file. */
void predict_report(const session *s, const line_format *f, const predict_summary *sum);

/* Warn of labels in DATA that cannot be written. */
void predict_warn_labels(session *s, const ney_error *why, bool column);

/* Read all rows, then write: for q-values, rows seen in training, and one JSON object. */
int predict_at_once(session *s);

/* Write lines as rows arrive. */
int predict_streamed(session *s);

#endif
