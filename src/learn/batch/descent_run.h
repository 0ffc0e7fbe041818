/* A run of ney_descent(): its state, one convex problem, and where descents start. */
#ifndef NEY_LEARN_BATCH_DESCENT_RUN_H
#define NEY_LEARN_BATCH_DESCENT_RUN_H

#include "learn/batch/descent.h"
#include "learn/batch/multiplier.h"
#include "learn/batch/ramp.h"

enum {
    NEY_DESCENT_ROUNDS = 60 /* of one descent, at most */
};

static const double NEY_DESCENT_NEAR = 1.1; /* P~ is near A within this factor */
static const double NEY_DESCENT_CLOSEST =
    1.0005; /* ends of the search between which the last one stops */

/* A solution met. */
typedef struct ney_descent_point {
    bool is_set;
    double objective, shift; /* J, and the shift of the intercept that it is taken at */
    double lambda, intercept;
    double *v, *f, *w;
    bool *clipped;
    bool is_svm;
    ney_qp_info info;
} ney_descent_point;

typedef struct ney_descent_run {
    ney_ramp ramp;
    ney_multiplier search;
    const ney_bound *bound;
    double least, most; /* the ramp rates at which the constraint is active */
    double top;         /* no larger multiplier is tried */
    double rough, tol;  /* tolerances of a convex problem */
    int tries;          /* multipliers tried per round of a rough descent, at most */
    int first_tries;    /* and in its first round, where other examples have just been clipped */
    ney_ramp_rates now;
    double objective, shift; /* J of the last solution, and its shift */
    ney_descent_point best;
    ney_descent_point svm; /* no example clipped, at the last multiplier that was tried */
    bool *next;            /* clipped in the next problem */
    ney_ranked *order;     /* 2 n of them to sort, and as many to spare */
    int64_t steps, starts;
    ney_constraint_status constraint;
} ney_descent_run;

/* ---- descent_step.c */

/* ney_descent_run_deinit() is due in either case. */
ney_status ney_descent_run_init(ney_descent_run *d, ney_task *t, const ney_bound *bound,
                                ney_error *err);
void ney_descent_run_deinit(ney_descent_run *d, const ney_env *env);

/* Whether a share of errors among what is accepted is bounded, not a rate. */
bool ney_descent_is_share(const ney_descent_run *d);

/* Whether a limit of the run is reached. */
bool ney_descent_was_stopped(const ney_descent_run *d);

/* Whether the constraint is active at this ramp rate. */
bool ney_descent_is_active(const ney_descent_run *d, double rate);

/* J of the last solution, which is kept if it is the best, and a report of the step. */
void ney_descent_evaluate(ney_descent_run *d, int64_t changed);

/* Solve with d->next clipped. */
ney_status ney_descent_solve(ney_descent_run *d, double lambda, double tol, int64_t changed,
                             ney_error *err);

void ney_descent_clip_nothing(ney_descent_run *d);

/* The multiplier of [NP.7], for what d->next clips: until P~ is within a factor of the rates that
 * are active. */
ney_status ney_descent_search_multiplier(ney_descent_run *d, double tol, double factor, int tries,
                                         ney_error *err);

/* Store the point of the problem, and make it the point again. */
void ney_descent_store(const ney_descent_run *d, ney_descent_point *b);
ney_status ney_descent_restore(ney_descent_run *d, const ney_descent_point *b, ney_error *err);

/* Make the best solution so far the point of the problem. */
ney_status ney_descent_return_to_best(ney_descent_run *d, ney_error *err);

/* ---- descent_starts.c */

/* The SVM at the same C: no result is worse than it with its threshold moved. */
ney_status ney_descent_solve_svm(ney_descent_run *d, ney_error *err);

/* The SVM, unless the caller has a score function and Newton steps apply; then rough descents from
 * every start. */
ney_status ney_descent_run_starts(ney_descent_run *d, ney_error *err);

/* ---- descent_smooth.c */

/* The same by Newton steps on [NP.6], and the convex problem at their end. `done` is false, and
 * nothing has changed, where too few rows are on the ramp for that. */
ney_status ney_descent_start_smoothly(ney_descent_run *d, bool *done, ney_error *err);

#endif
