/* A search over a grid: points, folds, and what was found there. */
#ifndef NEY_SELECT_TUNER_H
#define NEY_SELECT_TUNER_H

#include "base/parallel.h"
#include "select/axis.h"
#include "select/fold_results.h"
#include "select/folds.h"

#include <pthread.h>

enum { NEY_MOST_AVERAGED = 32 };

typedef struct ney_point {
    int at[NEY_MOST_AXES];
    int64_t missing; /* folds without a result */
    double loss;     /* mean over the folds, or over all but one */
    double *of_fold; /* losses */
} ney_point;

typedef struct ney_tuner {
    ney_env env;
    ney_train_opts o;
    bool is_quick;          /* the grid is that of training, and has no edge */
    bool is_partial;        /* of several searches: this one may not read every axis of the grid */
    ney_kernel_kind stated; /* the kernel of the request, which may be auto */
    ney_rule rule;
    int64_t n_certify; /* rows that certify the threshold; 0: none, or groups do */
    ney_grid grid;
    const ney_data *learn; /* all rows of the folds; borrowed */
    uint64_t key;          /* of the table */
    bool on_parts;         /* fits learn from a part of the rows of each fold */
    ney_folds folds;
    ney_fold_results results;
    ney_point *point; /* in the order in which they are added, never removed */
    int64_t n_points, cap;
    ney_point *searched; /* while the best are compared on all rows: the points of the search, found
                            on parts; else NULL */
    int64_t n_searched, n_compared;
    struct ney_kept_answers *kept; /* of fits on all rows of a fold; NULL: none */
    int64_t first_new;             /* points from here on are to be worked on */
    int64_t fits, reused;
    double begin;
    ney_stop stop;
    ney_relay relay;             /* the caller's poll, for several threads */
    struct ney_job_share *share; /* of a round that several processes work on, or NULL */

    /* shared by threads, under the lock */
    pthread_mutex_t lock;
    bool stopped;
    int64_t done, total; /* results of this round */
    double best;         /* least mean loss so far; NAN: none */
    ney_status status;   /* the failure of the earliest job that failed */
    int64_t failed_job;
    ney_error err;
} ney_tuner;

/* Add the points of the grid that are not there yet: all, or those at most `reach` places from
 * `around` on every axis. */
ney_status ney_tuner_add(ney_tuner *t, const int *around, int reach, ney_error *err);

/* Put a place between any two of every range; the points known keep their values. */
void ney_tuner_refine(ney_tuner *t);

/* Keep the result of a point on a fold, at once, so that a stopped run has it. */
ney_status ney_tuner_keep(ney_tuner *t, int64_t point, const ney_fold_result *r, ney_error *err);

/* Of jobs that failed, that with the lowest number is reported. */
void ney_tuner_fail(ney_tuner *t, int64_t job, ney_status st, const ney_error *err);

/* Whether to go on: both Ctrl-C and the end of the time end the search. */
bool ney_tuner_poll(ney_tuner *t);

/* The rows that a fit learns from on a fold. */
const ney_data *ney_tuner_rows(const ney_tuner *t, int fold);

/* Work on all points added last. Stopping is no failure: t->stop says why. */
ney_status ney_tuner_run(ney_tuner *t, ney_error *err);

/* Extend the grid where its best point is at the edge, then try half steps around the best point.
 */
ney_status ney_tuner_search_around(ney_tuner *t, const ney_tune_opts *o, ney_tune_info *info,
                                   ney_error *err);

/* Search the grid of `o`, on parts of the rows that alone: *info counts points, fits and
 * extensions. */
ney_status ney_tuner_search(ney_tuner *t, const ney_tune_opts *o, ney_tune_info *info,
                            ney_error *err);

/* Whether points of one kernel share kernel rows and starting points: not for a linear score
 * function, which has no kernel rows and gains nothing from a start, nor for a learner that makes
 * models itself. */
bool ney_tuner_is_chained(const ney_tuner *t);

/* Whether a point is at an end of an axis. */
bool ney_tuner_is_at_edge(const ney_tuner *t, const ney_point *p);

/* The mean loss of a point with results of all folds; without one of them where `fold` >= 0. */
void ney_point_set_loss(const ney_tuner *t, ney_point *p, int fold);

/* The same of all points that have results of all folds. */
void ney_tuner_set_losses(ney_tuner *t, int fold);

/* Of the mean of n losses; NAN for one. */
double ney_standard_error(const double *of_fold, double mean, int n);

/* Log a point and its loss, after the words `what`. */
void ney_tuner_log(const ney_tuner *t, const ney_point *p, const char *what);

/* The options at a point. */
ney_train_opts ney_tuner_opts(const ney_tuner *t, const ney_point *p);

/* The best point and the next best under its kernel. */
typedef struct ney_chosen {
    const ney_point *point[NEY_MOST_AVERAGED]; /* the best first */
    const ney_tuner *of[NEY_MOST_AVERAGED];    /* the search of each */
    int n;                                     /* 0: no point has a result of all folds */
} ney_chosen;

/* The best points of one search, whatever their kernels, in order. */
ney_chosen ney_tuner_choose(const ney_tuner *t, int most);

/* Of n searches the best points under one kernel: as many as `most`, but no more than half of those
 * tried, so that only good points are averaged. The kernel is the one whose five best points have
 * the least mean loss. */
ney_chosen ney_tuners_choose(const ney_tuner *t, int n, int most);

/* The search that the best point is of, among those that were chosen from. */
ney_tuner *ney_tuner_of_choice(ney_tuner *t, const ney_chosen *choice);

/* Compare the points of `a` and `b` that are this search's on all rows: they take the place of
 * those that were searched. ney_tuner_run() works on them. */
ney_status ney_tuner_begin_comparison(ney_tuner *t, const ney_chosen *a, const ney_chosen *b,
                                      ney_error *err);

/* Have the points of the search again. */
void ney_tuner_undo_comparison(ney_tuner *t);

/* How many different points were tried, on parts or on all rows. */
int64_t ney_tuner_count_points(const ney_tuner *t);

void ney_tuner_release_points(ney_tuner *t);

/* The options of each; o is an array of NEY_MOST_AVERAGED. */
void ney_chosen_opts(const ney_chosen *c, ney_train_opts *o);

/* Whether both have the same kernel and the same parameters of it. */
bool ney_tuner_same_kernel(const ney_tuner *t, const ney_point *a, const ney_point *b);

/* The best point that all folds have a result for; NULL: none. Of several with the same loss it is
 * the one in their middle: the first would be at the edge of a plateau, which extends the grid
 * though nothing is gained there. */
const ney_point *ney_tuner_best(const ney_tuner *t);

/* The caller's environment as threads may use it: the calling thread alone polls, no log.
 * @param t  must stay where it is. */
ney_env ney_tuner_env(ney_tuner *t, int threads);

/* How many threads share the work on `jobs` jobs, and how many each job may use itself. */
typedef struct ney_thread_split {
    int outer, inner;
} ney_thread_split;
ney_thread_split ney_tuner_split_threads(const ney_tuner *t, int64_t jobs);

#endif
