/* Which columns moved the score of a row most. */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "session.h"

/* The `k` columns of each row with the largest contributions, by size. The contribution of a column
 * is the score minus the score of the row with the column's features set to 0, which with standard
 * scaling is the mean of the training rows. Of a linear model it is weight times feature, and the
 * contributions of all columns and the intercept add up to the score; of other families they need
 * not add up to anything. Of trees they are Shapley values (ney_model_contributions()), which with
 * the expected value add up to the score. */
typedef struct explanation {
    int64_t k;
    int64_t *column; /* owned: k per row; -1 where fewer columns contribute */
    double *value;   /* owned */
} explanation;

/* Of rows of a matrix with their scores. explanation_deinit() is due in either case. */
ney_status explain_rows(explanation *out, const ney_env *env, const ney_model *model,
                        const ney_matrix *x, int64_t k, ney_error *err);
void explanation_deinit(explanation *e);

/* As text: "remove +2.31; hp -0.8"; freed by the caller, NULL without memory. */
char *explanation_text(const explanation *e, const ney_model *model, int64_t row);

#endif
