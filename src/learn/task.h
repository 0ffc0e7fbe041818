/* One training run: the rows to learn from, the options, a solver, and what is left of the limits
 * that hold for the run as a whole. */
#ifndef NEY_LEARN_TASK_H
#define NEY_LEARN_TASK_H

#include "comm/row_blocks.h"
#include "learn/request.h"
#include "qp/solver.h"

typedef struct ney_task {
    ney_env env;
    const ney_data *data; /* borrowed, and so are the next three */
    const ney_matrix *x;
    const int8_t *label;
    const float *weight;          /* NULL when all are 1 */
    int64_t n_pos, n_neg;         /* of all processes */
    const ney_row_blocks *blocks; /* the data's own: rows of all processes; NULL: of this one */
    ney_request request;
    ney_train_opts o; /* parameters: C, tol, ... the request says which goal is asked for */
    ney_kernel kernel;
    ney_solver solver;
    ney_row_view view; /* of kernel rows that are shared, where they are */
    double *place;     /* where in its box each variable was when the first problem of the last run
                          was solved; NULL: runs are independent */
    bool has_place;
    struct ney_kept_answers *kept; /* of fits that are done; NULL: none */
    bool keeps;                    /* what this task finds */
    double begin;                  /* time */
    double near;                   /* ney_qp_opts.near of the next problem */
    double intercept;
    int64_t iterations; /* of the solver, so far */
    int64_t solved;     /* problems, so far */
} ney_task;

/* Refuses data without labels or with one class.
 * ney_task_deinit() is due in either case. */
ney_status ney_task_init(ney_task *t, const ney_env *env, const ney_data *data,
                         const ney_train_opts *o, ney_error *err);
void ney_task_deinit(ney_task *t);

/* Take kernel rows from those of a larger set, where row i of the task is row at[i]. Before the
 * first run. */
ney_status ney_task_share(ney_task *t, ney_shared_rows *rows, const int64_t *at, ney_error *err);

/* From now on the first problem of every run begins where that of the run before ended, each
 * variable at the same place in its box: options that differ a little have solutions that do. What
 * a run finds then depends on the runs before it, within the tolerance of a problem. */
ney_status ney_task_chain(ney_task *t, ney_error *err);

/* The rows and options of another task with its own start time, for methods that solve no quadratic
 * program: it has no solver, and nothing to release. */
ney_task ney_task_rows(const ney_task *of);

/* Begin another run on the same rows, with options that leave the kernel as it is. */
void ney_task_restart(ney_task *t, const ney_train_opts *o);

/* gamma where none is given: 1 / (columns * variance of all entries, zeros included); 1 for data
 * without variance. */
double ney_gamma_scale(const ney_matrix *x);
double ney_gamma_scale_shared(const ney_matrix *x, const ney_row_blocks *blocks);

/* The kernel that the options ask for on these rows. */
ney_kernel ney_task_kernel(const ney_train_opts *o, const ney_matrix *x);

/* Megabytes for kernel rows. */
double ney_task_cache(const ney_train_opts *o);

/* Seconds since the run began. */
double ney_task_seconds(const ney_task *t);

/* Steps of the solver after which a run without max_iter ends, whatever is left to do: for the
 * linear kernel Newton steps or passes over the rows, for the others pairs of rows. */
int64_t ney_task_most_steps(const ney_task *t);

/* Solve a problem to tolerance `tol` from v, within what is left of max_iter and max_time; from
 * t->solver.w and t->intercept as well where t->near says so, for this problem alone. */
ney_status ney_task_solve(ney_task *t, const ney_qp *p, double tol, double *v, double *f,
                          ney_qp_info *info, ney_error *err);

static inline double ney_task_weight(const ney_task *t, int64_t i)
{
    return t->weight ? (double)t->weight[i] : 1;
}

#endif
