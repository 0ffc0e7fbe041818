/* The lines that predict writes: a label per row or, with scores, a row of a table. */
#ifndef CLI_PREDICT_LINES_H
#define CLI_PREDICT_LINES_H

#include "explain.h"
#include "tsv.h"

/* Which rows get a line. */
typedef enum line_choice { ONLY_ALL, ONLY_POSITIVE, ONLY_NEGATIVE, ONLY_REJECTED } line_choice;
#define LINE_CHOICES "all positive negative rejected"

/* Columns of the data that a line repeats. */
enum { MOST_NOTES = TSV_COLUMNS - 16 };

/* What all lines have in common. */
typedef struct line_format {
    const ney_model *model;
    double low, high;     /* its thresholds */
    const char *rejected; /* what stands for a row that is rejected */
    double confidence;    /* of the sets of classes */
    bool scores;          /* a table with header, and of its columns: */
    bool labelled, qvalues, seen, conformal, probability;
    ney_probability_method calibration; /* of the column probability */
    int64_t explain;                    /* columns named per row; 0: none */
    const ney_env *env;                 /* to compute them with */
    line_choice only;                   /* lines of these rows are written */
    char *note[MOST_NOTES];             /* owned: the columns of ids, groups and of --keep */
    int n_notes;
} line_format;

/* Some rows. */
typedef struct line_rows {
    int64_t n;
    const double *score;
    const int8_t *label;                  /* 0: unknown; NULL: no row has one */
    double *p_pos, *p_neg;                /* owned, one block; NULL: no p-values */
    double *probability, *p_low, *p_high; /* owned, one block; NULL: no probabilities */
    explanation why;                      /* owned: columns that moved the scores most */
    const double *q;
    const int8_t *seen; /* used in training: 1, 0, or -1 where unknown */
    ney_notes *notes;   /* owned; NULL: none are repeated */
    int64_t column[MOST_NOTES];
    char *cell; /* owned: a note as a C string */
    int64_t cell_cap;
} line_rows;

/* How many rows were classified as what. */
typedef struct line_counts {
    int64_t n, pos, neg;
} line_counts;

/* Classes whose names are cut to 100 bytes. */
enum { SET_TEXT = 256 };

/* The name of a class, or what stands for a rejected row (0). */
const char *line_name(const line_format *f, int sign);

/* Positive, negative or neither, by the model's thresholds. */
int line_decision(const line_format *f, double score);

/* The columns of ids, groups and --keep that data have; they are the same in every batch. Free with
 * line_format_deinit(). */
ney_status line_format_name_notes(line_format *f, const ney_data *data, ney_error *err);
void line_format_deinit(line_format *f);

/* The ids, groups, p-values and probabilities of rows with scores; line_rows_close() is due in any
 * case. */
ney_status line_rows_open(line_rows *rows, const line_format *f, const ney_data *data,
                          ney_error *err);
void line_rows_close(line_rows *rows);

void lines_write_header(const line_format *f, tsv *t);

/* Write and count rows. False as for tsv_end(). */
bool lines_write(const line_format *f, line_rows *rows, tsv *t, line_counts *counts);

/* Count rows. */
void lines_count(const line_format *f, const line_rows *rows, line_counts *counts);

/* Rows as arrays of an object. */
void lines_add(const line_format *f, line_rows *rows, ney_result *root);

#endif
