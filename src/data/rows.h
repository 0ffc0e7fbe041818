/* Rows parsed from one piece of text, on their way into a data set. */
#ifndef NEY_DATA_ROWS_H
#define NEY_DATA_ROWS_H

#include "base/env.h"
#include "base/text.h"

#include <math.h>

/* A label as in the text: a number, or else bytes. */
typedef struct ney_label {
    const char *text; /* borrowed */
    int length;
    bool is_number;
    double number;
    int64_t line; /* where it was first seen, from 1 within the piece */
} ney_label;

ney_label ney_label_of(const char *text, int length, int64_t line);

/* Equal as numbers if both are numbers, else as bytes. */
bool ney_label_equal(const ney_label *a, const ney_label *b);

/* The larger number or, unless both are numbers, the larger bytes (labels.c). */
bool ney_label_is_larger(const ney_label *a, const ney_label *b);

/* Whether two texts name one label. */
bool ney_same_label(const char *a, const char *b);

/* Several label values read as one negative class. */
typedef struct ney_pooling {
    ney_label positive;
    const char *negatives; /* those pooled, separated by commas; NEY_POOL_REST: all others */
} ney_pooling;

#define NEY_POOL_REST "*"

/* What the pooled class is called. */
static inline const char *ney_pooling_name(const char *negatives)
{
    return negatives[0] == '*' && negatives[1] == '\0' ? "rest" : negatives;
}

/* Three label values are kept: the third is for the error message. */
enum { NEY_MOST_LABELS = 3, NEY_NO_LABEL = -1 };

typedef struct ney_rows {
    ney_env env;
    int64_t n, n_entries, n_lines; /* rows, entries that are stored, lines of text */
    int64_t cols;                  /* 1 + the largest column index */
    int64_t cols_line;             /* svmlight: its line, from 1 */
    int64_t row_cap, entry_cap;
    int64_t *end;   /* entries up to and including row i */
    int8_t *code;   /* position in `label`, or NEY_NO_LABEL */
    float *weight;  /* 1 where the text has none */
    bool weighted;  /* some row has a weight */
    int32_t *index; /* ascending within a row */
    float *value;
    ney_label label[NEY_MOST_LABELS]; /* met so far; of a model's, with line 0 until it is met */
    int n_labels;
    const ney_pooling *pooling; /* NULL: every label value is a class */
    const ney_label *known;     /* the two labels of a model, which come first; NULL: none */
    int64_t unknown;            /* cells with an unknown category */
    int64_t unlabelled;         /* line of the first row without a label; 0: none */
    bool noted;                 /* notes are kept */
    ney_text notes;             /* the notes of each row, ended by a newline */
    ney_status status;
    ney_error error; /* the first failure; its line counts from 1 within the piece */
} ney_rows;

void ney_rows_init(ney_rows *r, const ney_env *env);
void ney_rows_deinit(ney_rows *r);

/* Forget the rows, keep the memory. */
void ney_rows_clear(ney_rows *r);

/* Reserve memory for one more row and `entries` more entries; false and status ENOMEM when refused.
 */
bool ney_rows_reserve(ney_rows *r, int64_t entries);

/* Record the first failure of the piece, at the line that is being read. Returns false. */
NEY_PRINTF(3, 4)
bool ney_rows_fail(ney_rows *r, int64_t column, const char *format, ...);

/* The code of a label value. */
int8_t ney_rows_code(ney_rows *r, const char *text, int length);

/* End the row under construction, whose entries follow those of the previous row. */
void ney_rows_finish(ney_rows *r, int64_t entries_end, int8_t code, float weight);

/* Whether a value can be stored: finite as a float. */
static inline bool ney_fits_float(double value)
{
    return fabs(value) < 0x1.ffffffp127; /* what rounds to FLT_MAX, its own shortest text too */
}

#endif
