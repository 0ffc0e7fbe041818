/* One data set, one kernel, any number of problems [QP.1]: kernel rows that were computed for one
 * are there for the next. Which method solves them is decided here and nowhere else. */
#ifndef NEY_QP_SOLVER_H
#define NEY_QP_SOLVER_H

#include "base/parallel.h"
#include "kernel/rowcache.h"
#include "qp/qp.h"
#include "qp/smo.h"

typedef struct ney_solver {
    ney_env env; /* with the team below */
    ney_team team;
    const ney_matrix *x; /* borrowed */
    ney_kernel kernel;
    double cache_bytes;
    ney_row_view *view; /* where float rows are taken from, set by the caller before the first
                           problem; borrowed; NULL: computed */
    ney_gram gram;      /* these two: from the first problem on that needs kernel rows */
    ney_rowcache cache;
    ney_smo_memory last; /* of the problem before */
    const struct ney_row_blocks
        *blocks;     /* set by the caller: rows are shared out among processes */
    double *w;       /* weights, for the linear kernel alone; NULL for the others */
    bool needs_fine; /* single precision was seen not to be enough for the kernel rows */
} ney_solver;

/* The solver must stay where it is: its threads refer to it. */
ney_status ney_solver_init(ney_solver *s, const ney_env *env, const ney_matrix *x,
                           const ney_kernel *kernel, double cache_bytes, ney_error *err);
void ney_solver_deinit(ney_solver *s);

/* Kernel rows are float, or of 48 bits where opts->tol is below 1e-5 or float rows were not precise
 * enough; when that changes from one problem to the next, rows are computed again. A search that
 * stops at a precision of float rows is continued with the others.
 *
 * Solve from any starting point v, which is repaired first. On return v is feasible and f = Kv,
 * whatever stopped the search.
 * @retval NEY_EINVAL    the box does not meet sum v = 0, or kernel values exceed single precision.
 * @retval NEY_ENUMERIC  the solution is not finite. */
ney_status ney_solver_run(ney_solver *s, const ney_qp *p, const ney_qp_opts *opts, double *v,
                          double *f, ney_qp_info *info, ney_error *err);

#endif
