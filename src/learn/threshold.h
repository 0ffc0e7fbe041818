/* The threshold that lets as many training rows be misclassified as a rate allows. */
#ifndef NEY_LEARN_THRESHOLD_H
#define NEY_LEARN_THRESHOLD_H

#include "learn/task.h"

/* Set it in the model, from the model's own scores: the counts of these rows then agree with the
 * bound to the last bit. @param[out] counts  of the rows at this threshold. */
ney_status ney_threshold_set(ney_model *m, const ney_task *t, ney_error_kind kind, double rate,
                             ney_counts *counts, ney_error *err);

/* The threshold where `floor`, of the bounded class, is the first score that must not be
 * misclassified and `ceiling` the next score of any row on the wrong side. @param sign  1: false
 * positives are bounded; -1: false negatives are, and both scores are given times -1. */
double ney_threshold_between(int sign, double floor, double ceiling);

/* The largest k with k / n <= rate as a program would compute it. */
int64_t ney_threshold_allowed(int64_t n, double rate);

#endif
