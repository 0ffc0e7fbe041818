/* From the answer of a learner to a model, and the metadata that its file carries. */
#ifndef NEY_LEARN_MAKE_H
#define NEY_LEARN_MAKE_H

#include "learn/method.h"

/* Give the answer the weights of the last problem solved, times `sign`; nothing for a kernel.
 * Weights may be closer to the optimum than the sum of the rows that v gives: see qp/linear.h. */
ney_status ney_answer_weights(ney_answer *a, const ney_task *t, const double *w, int sign,
                              ney_error *err);

/* Solve one convex problem, which is the whole of the learner's, and take its solution as the
 * answer.
 * @param f  memory for one number per row. */
ney_status ney_answer_solve(ney_answer *a, ney_task *t, const ney_qp *p, double *f,
                            ney_train_info *info, ney_error *err);

/* Give the answer the scores of the rows, from f = Kv of an rbf kernel; nothing for others.
 * @param tol  of the problem. */
ney_status ney_answer_scores(ney_answer *a, const ney_task *t, const double *f, double tol,
                             ney_error *err);

/* The model of a score function over these rows, for the linear kernel by its weights. */
ney_status ney_make_model(ney_model **out, const ney_env *env, const ney_data *data,
                          const ney_kernel *kernel, const ney_answer *a, ney_error *err);

/* Describe the training run in the model's metadata. No timings: they differ from run to run. */
ney_status ney_make_summary(ney_model *m, const ney_task *t, const ney_train_info *info,
                            ney_error *err);

/* Metadata for a model's summary; text NULL: a number, left out where it is NAN. */
typedef struct ney_metadata_value {
    const char *key, *text;
    double value;
} ney_metadata_value;

ney_status ney_set_metadata(ney_model *m, const ney_metadata_value *items, size_t n,
                            ney_error *err);

#endif
