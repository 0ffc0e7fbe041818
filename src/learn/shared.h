/* What is counted and ordered over rows that are shared out among processes (data.blocks). For
 * blocks NULL, of one process, each is what its name says of the rows at hand. */
#ifndef NEY_LEARN_SHARED_H
#define NEY_LEARN_SHARED_H

#include "comm/row_blocks.h"
#include "decide/order.h"
#include "learn/holdout.h"

/* One status for all processes, as ney_comm_agree(): after a step that one may fail alone. */
ney_status ney_shared_agree(const ney_row_blocks *b, ney_status st, ney_error *err);

/* The rows of both classes. */
void ney_shared_classes(const ney_row_blocks *b, const int8_t *label, int64_t n, int64_t *n_pos,
                        int64_t *n_neg);

/* Counts of all processes. */
void ney_shared_counts(const ney_row_blocks *b, ney_counts *c);
void ney_shared_add_counts(const ney_comm *comm, ney_counts *c);

/* Moments of the scores of all processes from those of each. */
void ney_score_moments_join(const ney_comm *comm, ney_score_moments *m);

/* The k-th largest of the scores of a class, from 1; with `sign` +1 and -1 of the scores times it.
 * Found by counting: no scores are sent. */
double ney_shared_kth_largest(const ney_row_blocks *b, const double *score, const int8_t *label,
                              int64_t n, int of_class, int sign, int64_t k);

/* The largest score, up to `high`, up to which the items of all processes weigh at most `allowed`:
 * within a 2^40th of their range. Items are in ascending order of rows, and their scores at most
 * `high`. */
typedef double ney_row_weight(const void *context, int64_t row);
double ney_shared_limit(const ney_row_blocks *b, const ney_ranked *item, int64_t n,
                        ney_row_weight *weight, const void *context, double high, double allowed);

/* Mean and squared deviations of the scores of a class. */
ney_score_moments ney_shared_moments(const ney_row_blocks *b, const double *score,
                                     const int8_t *label, int64_t n, int of_class);

/* The certificate of the scores of one class on all processes: that of ney_certify() for them in
 * the order of rows. */
ney_status ney_shared_certify(ney_certificate *out, const ney_row_blocks *b, ney_error_kind kind,
                              const double *score, const int8_t *label, int64_t n, double max_rate,
                              double delta, ney_error *err);

#endif
