/* Neyman-Pearson one row at a time: stochastic gradient descent on [ONLINE.1] of loss.h. Visit t,
 * of row i with margin z_i and loss r(z_i), moves w against the gradient of
 *
 *     (mu/2) |w|^2 + a_i r(z_i),   rate g_t = 1 / (mu (t0 + t))                         [ONLINE.2]
 *
 * where a_i makes the mean over the visits of an epoch that of [ONLINE.1]: with T visits in all, k
 * of each row of a class of weight V, a_i = T weight_i / (k V), times lambda in the bounded class.
 * A step never takes a margin beyond the end of its loss, however large a_i is.
 *
 *     loss                the objective                          loss.h
 *     gradient_step       the step of one visit                  gradient_step.c
 *     multiplier_update   lambda after a visit                   multiplier_update.h
 *     learning_rate       the first rate                         learning_rate.c
 *     parts, window       which rows, in which order             parts.h, window.h
 *     visits              rows as they are trained on            visits.h
 *     sgd, sgd_batch      weights and their average              sgd.h, sgd_batch.h
 *     mini_batch          several rows of a network at once      mini_batch.c
 *     dual_coordinates    random features with the ramp loss     dual_coordinates.h
 *     epoch               windows, limits, when to stop          epoch.c
 *     rounds              several processes                      rounds.h
 *     validation          the merit of the average so far        validation.c
 *     state, checkpoint   how far a run has come, as a file      state.h, checkpoint.h
 *     finish              threshold, certificate, summary        finish.c, score_pass.c
 *     train, update       from data or a model to a model        train.c, update.c */
#ifndef NEY_LEARN_ONLINE_ONLINE_H
#define NEY_LEARN_ONLINE_ONLINE_H

#include "base/parallel.h"
#include "data/row_sketch.h"
#include "learn/online/checkpoint.h"
#include "learn/online/dual_coordinates.h"
#include "learn/online/loss.h"
#include "learn/online/multiplier_update.h"
#include "learn/online/rounds.h"
#include "learn/online/sgd_batch.h"
#include "learn/online/state.h"
#include "learn/online/visits.h"
#include "learn/partition.h"

/* The order of the rows, and how often. */
typedef struct ney_online_schedule {
    ney_shuffle shuffle;
    ney_window window[2]; /* trained on, and loaded meanwhile */
    double epoch_visits;  /* visits of an epoch */
    int64_t max_epochs;
} ney_online_schedule;

/* What is trained. */
typedef struct ney_online_learner {
    ney_sgd sgd;
    ney_sgd_batch batch; /* rows of a network trained on at once; capacity 0: one by one */
    ney_visits visits;
    bool is_dual; /* dual coordinates, not sgd */
    ney_dual dual;
} ney_online_learner;

/* Rows to validate with, and the weights that did best on them. */
typedef struct ney_validation {
    ney_data *data;
    double *score; /* of these rows */
    double *best_w, *best_b;
} ney_validation;

typedef struct ney_online_timing {
    double begin;
    double busy, entries; /* seconds of the training thread, and entries it has visited */
    double loading;       /* seconds of the thread that loads windows meanwhile */
} ney_online_timing;

/* The fingerprint of the training rows that the model keeps. */
typedef struct ney_fingerprint {
    bool is_kept;
    ney_row_sketch rows; /* all rows, those of the model that training continues from included */
} ney_fingerprint;

typedef struct ney_online {
    ney_env env;
    ney_team team; /* of the environment, during a run */
    const ney_feed *feed;
    ney_request request;
    ney_train_opts o;
    const ney_model *from; /* training continues from it; NULL: from nothing */
    ney_parts parts;
    ney_online_problem problem;
    ney_multiplier multiplier;
    ney_online_schedule schedule;
    ney_online_learner learner;
    ney_rounds rounds;
    ney_validation validation;
    ney_checkpointing checkpoint;
    ney_fingerprint fingerprint;
    ney_online_timing timing;
    ney_online_state state;
    ney_stop stop;
} ney_online;

/* What a run learns from. */
typedef struct ney_online_rows {
    ney_feed *feed;
    const uint8_t *part_of; /* the ney_part of each row; NULL: the run draws what it holds out */
    const ney_model *from;  /* training continues from it; NULL: from nothing */
} ney_online_rows;

/* Preprocesses a feed that is not yet, fitted on the rows that are trained on or validated with.
 * ney_online_deinit() is due in either case. */
ney_status ney_online_init(ney_online *r, const ney_online_rows *rows, const ney_train_opts *o,
                           ney_error *err);
void ney_online_deinit(ney_online *r);

/* Train until a limit is reached or validation no longer improves. A stop is no failure. */
ney_status ney_online_run(ney_online *r, ney_error *err);

/* The model of the best validation, its threshold, certificate and summary. */
ney_status ney_online_finish(ney_online *r, ney_model **out, ney_train_info *info, ney_error *err);

/* From data in memory to a model. */
ney_status ney_online_train(ney_model **out, ney_partition *p, const ney_train_opts *o,
                            ney_train_info *info, ney_error *err);

/* From a feed to a model. */
ney_status ney_online_train_feed(ney_model **out, const ney_online_rows *rows,
                                 const ney_train_opts *o, ney_train_info *info, ney_error *err);

double ney_online_seconds(const ney_online *r);

/* Why training is to stop here; NEY_STOP_CONVERGED: it is not. */
ney_stop ney_online_limit(const ney_online *r);

/* ---- gradient_step.c */

/* The step of [ONLINE.2] for a row, of which `delta` is to be cut at reach over the squared length
 * of the gradient. */
typedef struct ney_row_step {
    int sign; /* +1 in the free class */
    double shrink, delta, reach, loss;
} ney_row_step;

ney_row_step ney_online_row_step(const ney_online *r, const ney_visit *v, double score);

/* After the step: lambda and the count of visits. */
void ney_online_count_visit(ney_online *r, const ney_visit *v, const ney_row_step *step);

/* Train on visits first .. first + n - 1 of a window, which are loaded. */
void ney_online_train_visits(ney_online *r, const ney_window *w, int64_t first, int64_t n);

/* ---- learning_rate.c, mini_batch.c, validation.c */

/* Try learning rates on visits of the window that is loaded, and set the best one. */
void ney_online_find_rate(ney_online *r);

/* Memory for mini-batches where the options ask for them; training on visits first .. first + n -
 * 1, which are loaded, and their scores. */
ney_status ney_online_init_batches(ney_online *r, ney_error *err);
void ney_online_train_batches(ney_online *r, const ney_window *w, int64_t first, int64_t n);
void ney_online_score_batches(ney_online *r, const ney_window *w, int64_t first, int64_t n,
                              double *score);

/* Validate the average of the weights; the best so far is kept. */
ney_status ney_online_validate(ney_online *r, ney_error *err);

/* ---- finish.c, update.c */

/* The model of these weights, times the sign. */
ney_status ney_online_model(const ney_online *r, const double *w, const double *b, int sign,
                            ney_model **out, ney_error *err);

/* Start from r->from: its weights, lambda and rate; and its weights alone. */
ney_status ney_online_start_from_model(ney_online *r, ney_error *err);
void ney_online_take_weights(ney_online *r);

#endif
