/* Which label values a file has, and which of them is positive. */
#ifndef NEY_DATA_LABELS_H
#define NEY_DATA_LABELS_H

#include "data/preprocessing.h"
#include "data/rows.h"

typedef struct ney_labels {
    ney_env env;
    const char *title;     /* of all files */
    const char *file;      /* whose rows come next; set by the reader */
    bool by_file;          /* the file determines the label of a row: target or decoy */
    bool is_decoy;         /* that of the rows that come next; set by the reader */
    char own[40];          /* by_file: the label value of the file; empty: none met */
    int64_t own_line;      /* and its line */
    bool fixed;            /* the two values are a model's */
    ney_label value[2];    /* in the order met; fixed: negative, positive */
    char *name[2];         /* their text, which `value` points to */
    const char *origin[2]; /* the files they were met in */
    int n;
    const char *file_of_seen;       /* the file that `seen` is of */
    unsigned seen, met;             /* positions of its labels and of all, a bit each */
    bool is_joined;                 /* a file has both labels */
    ney_place labelled, unlabelled; /* the first row with and without a label; line 0: none */
    ney_error problem; /* fixed: why the labels cannot be used; code NEY_OK: they can */
} ney_labels;

/* preprocessing: of a model, or NULL. */
ney_status ney_labels_init(ney_labels *l, const ney_env *env, const char *title,
                           const ney_preprocessing *preprocessing, ney_error *err);
void ney_labels_deinit(ney_labels *l);

/* The file determines the label of a row. Called before the first row. */
ney_status ney_labels_by_file(ney_labels *l, ney_format format, ney_error *err);

/* How labels are pooled: as the options say or, with a model, as its preprocessing says.
 * *pooled is false where they are not. The strings are borrowed.
 * @retval NEY_EINVAL  labels to pool without a positive one, or both ways; or files of decoys,
 * which need neither. */
ney_status ney_pooling_of(ney_pooling *pooling, bool *pooled, const ney_read_opts *opts,
                          const ney_preprocessing *given, ney_error *err);

/* Add the labels of the next rows, whose codes become positions in `value`.
 * @retval NEY_EPARSE  a third value, or rows with and without a label in one file. */
ney_status ney_labels_merge(ney_labels *l, ney_rows *rows, int64_t lines_before, ney_error *err);

/* Add the next piece of a file whose lines so far are counted in *lines_before: its failure,
 * reported with its place in the file, or else its labels. */
ney_status ney_labels_take(ney_labels *l, ney_rows *rows, int64_t *lines_before, ney_error *err);

/* Whether rows have two labels, and each file one of them. */
bool ney_labels_are_apart(const ney_labels *l);

/* The sign of code 0 and of code 1, once all rows are known: +1, -1, or 0 when there are no usable
 * labels, and *problem says why. Without a model, names go into the preprocessing.
 *
 * @param positive  The value that is positive; NULL: the larger. */
ney_status ney_labels_finish(ney_labels *l, const char *positive, ney_preprocessing *preprocessing,
                             int8_t sign[2], ney_error *problem, ney_error *err);

#endif
