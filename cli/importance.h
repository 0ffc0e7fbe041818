/* How much the columns matter to a model: weights per standard deviation, and permutation
 * importance on labelled rows. */
#ifndef CLI_IMPORTANCE_H
#define CLI_IMPORTANCE_H

#include "evidence.h"

enum { IMPORTANCE_PERMUTATIONS = 5, IMPORTANCE_ROWS = 4000 };

/* Columns of a model's input, and the features of one: one, or one per category. */
typedef struct column_span {
    int64_t first, n;
} column_span;

int64_t column_count(const ney_preprocessing *p);
void column_spans(const ney_preprocessing *p, column_span *to);

/* The first `cols` features of a row as dense numbers. */
void copy_features(const ney_matrix *x, int64_t i, int64_t cols, float *to);

/* What is lost when the cells of a column are dealt to the rows at random: the mean over the
 * permutations, and the standard deviation between them. */
typedef struct loss {
    double mean, deviation;
} loss;

typedef struct column_importance {
    int64_t column; /* of the model's input */
    loss auc, fpr, fnr;
} column_importance;

typedef struct importance {
    column_importance *list; /* owned; one per column */
    int64_t n, rows;         /* columns; rows that were permuted */
    double auc, fpr, fnr;    /* of these rows as they are */
} importance;

/* Compute it from the rows of `in`, at most IMPORTANCE_ROWS of them. Without rows of both classes
 * or with too many columns `list` is NULL, and `root` has a warning. importance_deinit() is due in
 * either case. */
ney_status importance_compute(importance *out, session *s, ney_result *root, const evidence *in);
void importance_deinit(importance *imp);

/* The name of a column. */
void importance_name(const ney_model *model, int64_t column, char *name, size_t n_name);

/* The weights of a linear model times the standard deviation of their features: of the training
 * rows where scaling is by it, else of the rows `data`. `out` has a number per feature. */
ney_status weights_per_deviation(session *s, const ney_model *model, const ney_data *data,
                                 double *out);

/* Under "importance": all of the above, the columns by the sum of the losses of both rates. */
ney_status importance_add(session *s, ney_result *root, const evidence *in);

#endif
