/* Neyman-Pearson one row at a time.
 *
 *     L(f, lambda) = (mu/2) |w|^2 + Q + lambda (P - A),   mu = 1 / (C W)                [ONLINE.1]
 *
 * P: the loss of the bounded class on average, Q: of the free class, whose weight is W. Visit t, of
 * row i with margin z_i and loss r(z_i), moves w against the gradient of
 *
 *     (mu/2) |w|^2 + a_i r(z_i),   rate g_t = 1 / (mu (t0 + t))                         [ONLINE.2]
 *
 * where a_i makes the mean over the visits of an epoch that of [ONLINE.1]: with T visits in all, k
 * of each row of a class of weight V, a_i = T weight_i / (k V), times lambda in the bounded class.
 * A step never takes a margin beyond the end of its loss, however large a_i is. lambda follows the
 * rate R that recent visits to the bounded class show:
 *
 *     log lambda <- log lambda + nu_t log(R / A)                                        [ONLINE.3]
 *
 * Gasso et al. 2011, algorithm 4, in a logarithm, so that a small A takes no longer.
 *
 * With costs of rejection there is no lambda: the double hinge [REJ.3] takes the place of r, and
 * the mean over all rows that of [ONLINE.1], mu = 1 / (C weight of all rows). */
#ifndef NEY_LEARN_ONLINE_ONLINE_H
#define NEY_LEARN_ONLINE_ONLINE_H

#include "base/parallel.h"
#include "kernel/fourier.h"
#include "learn/batch/hinges.h"
#include "learn/online/dual_coordinates.h"
#include "learn/online/sgd_batch.h"
#include "learn/online/window.h"

enum { NEY_ONLINE_BATCH = 256 }; /* visits between two looks at the clock */

/* The visits that come next, as rows that can be learned from: those of the window or, with random
 * features, these rows mapped. */
typedef struct ney_visits {
    ney_fourier map; /* n 0: none */
    double gamma;
    float *phi; /* NEY_ONLINE_BATCH rows */
    char *room; /* of every thread */
    int64_t room_size;
    ney_matrix mapped;
} ney_visits;

/* How far a run has come: all that a checkpoint keeps beside the weights. */
typedef struct ney_trail {
    int64_t epoch, window, place; /* visits before this one are done */
    int64_t visits;               /* in all, and */
    int64_t restart;              /* when the average begins anew */
    double rate0, t0;             /* the first rate, and t0 of [ONLINE.2] */
    double log_lambda, seen;      /* seen: R of [ONLINE.3] */
    double n_seen;                /* visits in it, as far as it looks back */
    double best;                  /* the best check so far, of best_epoch */
    double best_lambda;
    int64_t best_epoch, checks;
    double scale, mass, count; /* of the weights */
} ney_trail;

typedef struct ney_online {
    ney_env env;
    ney_team team; /* of the environment, while a run goes on */
    const ney_feed *feed;
    ney_request request;
    ney_train_opts o;
    const ney_model *from; /* learning goes on from it; NULL: from nothing */
    int sign;              /* +1: the negatives are bounded; -1: all signs are exchanged */
    double rate;           /* A, but at least half a row */
    ney_parts parts;
    ney_shuffle shuffle;
    ney_window window[2]; /* learned from, and loaded meanwhile */
    ney_sgd sgd;
    ney_sgd_batch many; /* rows that a network learns from at once; room for none: one by one */
    ney_visits batch;
    bool by_dual; /* dual.h learns, not sgd.h */
    ney_dual dual;
    ney_data *check; /* rows to check with */
    double *score;   /* of them */
    double *best_w, *best_b;
    double mu,
        factor[2]; /* a_i of [ONLINE.2] for weight 1 and lambda 1, of negatives and positives */
    double visits; /* of an epoch */
    double most_log_lambda; /* where lambda ends */
    double root;            /* of lambda, as long as visits go on */
    bool by_cost;           /* no rate is bounded: the mean of these losses is what is made small */
    ney_hinges hinges[2];   /* of negatives and positives */
    int64_t most_epochs;
    double begin;         /* time */
    double saved;         /* time of the last checkpoint */
    double busy, entries; /* what learning took of its thread, and how many entries it saw */
    bool trying;          /* rates: lambda stays where it is */
    ney_stop stop;
    bool keeps_rows;              /* the model gets a fingerprint of */
    ney_row_sketch rows;          /* all rows, those of r->from included */
    uint64_t content;             /* hash of the rows, where there are checkpoints */
    ney_status checkpoint_status; /* of the last one, and why it could not be written */
    ney_error checkpoint_error;
    bool checkpoint_warned;
    ney_trail at;
} ney_online;

/* Prepares a feed that is not yet, on the rows that are learned from or checked with.
 * ney_online_deinit() is due in either case. */
ney_status ney_online_init(ney_online *r, ney_feed *f, const ney_train_opts *o,
                           const ney_model *from, ney_error *err);

/* Begin where a model ended: its weights, lambda and rate. */
ney_status ney_online_go_on(ney_online *r, ney_error *err);

/* The weights of r->from. */
void ney_online_take_weights(ney_online *r);

/* A number of a model's summary; NAN where there is none. */
double ney_summary_number(const ney_model *m, const char *key);
void ney_online_deinit(ney_online *r);

/* Learn until it is enough. A stop is no failure. */
ney_status ney_online_run(ney_online *r, ney_error *err);

/* Draw the map, if there is to be one, or take that of a model. @param rows  to tell the scale of.
 */
ney_status ney_visits_init(ney_visits *b, const ney_env *env, const ney_data *rows,
                           const ney_train_opts *o, const ney_model *from, ney_error *err);
void ney_visits_deinit(ney_visits *b, const ney_env *env);

/* Make visits first .. first + n - 1 of a window ready, on all threads. */
void ney_visits_load(ney_visits *b, const ney_env *env, const ney_window *w, int64_t first,
                     int64_t n);

/* Map these rows of a window, at most NEY_ONLINE_BATCH: row[i] becomes row i. */
void ney_visits_map(ney_visits *b, const ney_env *env, const ney_window *w, const int64_t *row,
                    int64_t n);

/* A row to learn from. */
typedef struct ney_visit {
    const ney_matrix *x;
    int64_t row;
    int label;
    double weight;
} ney_visit;

/* Visit first + i, after that. */
ney_visit ney_visits_at(const ney_visits *b, const ney_window *w, int64_t first, int64_t i);

/* What a row asks for: the step of [ONLINE.2], of which `delta` is to be cut at reach over the
 * squared length of the gradient. */
typedef struct ney_wish {
    int sign; /* +1 in the free class */
    double shrink, delta, reach, loss;
} ney_wish;

ney_wish ney_online_wish(const ney_online *r, const ney_visit *v, double score);

/* It was seen to: lambda and the count of visits. */
void ney_online_note(ney_online *r, const ney_visit *v, const ney_wish *wish);

/* Learn from one row. */
void ney_online_visit(ney_online *r, const ney_visit *v);

/* Room for batches where the options ask for them; learning in them from visits first .. first + n
 * - 1, which are loaded, and scores of these. */
ney_status ney_online_init_batches(ney_online *r, ney_error *err);
void ney_online_learn_batches(ney_online *r, const ney_window *w, int64_t first, int64_t n);
void ney_online_score_batches(ney_online *r, const ney_window *w, int64_t first, int64_t n,
                              double *score);

/* The loss of a row of that label and score, whatever the goal. */
double ney_online_row_loss(const ney_online *r, int label, double score);

/* The loss at margin z, and minus its slope. @param convex  on the way: nobody is given up. */
double ney_online_loss(const ney_train_opts *o, double z, bool convex, double *slope);

/* Check the average against the rows to check with; the best so far is kept. */
ney_status ney_online_check(ney_online *r, ney_error *err);

/* Try rates on visits of the window that is loaded, and set the one that does best. */
void ney_online_find_rate(ney_online *r);

double ney_online_seconds(const ney_online *r);

/* The model of these weights, times the sign. */
ney_status ney_online_model(const ney_online *r, const double *w, const double *b, int sign,
                            ney_model **out, ney_error *err);

/* The model of the best check, its threshold, certificate and summary. */
ney_status ney_online_finish(ney_online *r, ney_model **out, ney_train_info *info, ney_error *err);

/* From data in memory to a model. */
ney_status ney_online_train(ney_model **out, const ney_env *env, const ney_data *data,
                            const ney_train_opts *o, ney_train_info *info, ney_error *err);

#endif
