/* Rows kept out of training, and the certificate that they give. */
#ifndef NEY_LEARN_HOLDOUT_H
#define NEY_LEARN_HOLDOUT_H

#include "base/env.h"
#include "base/rng.h"
#include "comm/row_blocks.h"
#include "learn/request.h"

/* The class that an error misclassifies, +1 or -1. */
int ney_class_of_error(ney_error_kind kind);

/* delta of one certificate: 1 - confidence, or what is left of it for each of two. With both rates
 * bounded (1 - delta)^2 = confidence, since the two samples are independent [CERT.3]; samples of
 * groups are not. */
double ney_holdout_delta(const ney_request *r, bool groups);

/* How many of n rows of the class that `kind` misclassifies, or of n groups with such rows, are
 * held out. NEY_EGOAL when no number can certify. */
ney_status ney_holdout_count(const ney_request *r, ney_error_kind kind, bool groups, int64_t n,
                             int64_t *m, ney_error *err);

/* How many of n rows of a class that no certificate takes calibrate p-values: at least one, and at
 * least one is left. --holdout is the share of the certificate where there is one. */
int64_t ney_holdout_to_calibrate(const ney_request *r, int64_t n);

/* How many of n rows, or groups, are held out for probabilities: at least one, and two are left.
 * NEY_EGOAL where that cannot be. */
ney_status ney_holdout_for_probabilities(const ney_request *r, int64_t n, int64_t *m,
                                         ney_error *err);

/* As ney_holdout() below, where rows come in groups: whole groups are drawn.
 * @param label  of each row, +1 or -1. */
ney_status ney_holdout_groups(const ney_env *env, const ney_request *r, const uint64_t *group,
                              const int8_t *label, int64_t rows, uint8_t *part_of, ney_error *err);

/* `wanted` of `left` rows that come one by one, every choice of them equally likely: a row is taken
 * with probability wanted / left (Knuth's algorithm S). */
typedef struct ney_selection {
    ney_rng rng;
    int64_t left, wanted;
} ney_selection;

bool ney_selection_next(ney_selection *s);

/* NEY_EINVAL where the goal has units of its own and the data have groups. */
ney_status ney_check_groups(const ney_data *data, const ney_request *r, ney_error *err);

/* Whether the options ask for rows to be kept out at all. */
bool ney_holdout_is_asked(const ney_request *r);

/* What a row is used for. No row has two uses: what certifies or calibrates must be independent
 * of the score function, and a certificate and p-values of each other. */
typedef enum ney_part {
    NEY_PART_LEARN,
    NEY_PART_CERTIFY,
    NEY_PART_CALIBRATE,   /* p-values */
    NEY_PART_PROBABILITY, /* probabilities */
    NEY_PARTS             /* their number */
} ney_part;

/* part_of[i]: the ney_part of row i. Where the data have groups, all rows of a group are of one
 * part. NEY_EGOAL when no choice can certify the rate. */
ney_status ney_holdout(const ney_data *data, const ney_request *r, uint8_t *part_of,
                       ney_error *err);

/* Refuse to hold out a row that filling, scaling or categories were fitted on: the score function
 * depends on it. */
ney_status ney_holdout_check(const ney_data *data, int64_t row, ney_error *err);

/* Mean and sum of squared deviations (Welford). */
typedef struct ney_score_moments {
    int64_t n;
    double mean, squares;
} ney_score_moments;

void ney_score_moments_add(ney_score_moments *m, double value);

/* Of the scores of a class; blocks: of the rows of all processes, or NULL. */
ney_score_moments ney_score_moments_of(const ney_row_blocks *b, const double *score,
                                       const int8_t *label, int64_t n, int of_class);

/* What to add to the score of a learned row of the class that is not bounded, so that it is like
 * that of a new row; `learned` are the scores of the learned rows of the bounded class. */
double ney_holdout_optimism(const ney_request *r, const ney_train_info *info,
                            const ney_score_moments *learned);

/* The threshold that the rows held out certify, into the model. */
ney_status ney_holdout_certify(ney_model *m, const ney_env *env, const ney_data *held_out,
                               const ney_request *r, ney_train_info *info, ney_error *err);

#endif
