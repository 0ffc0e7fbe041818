/* The QP by the sets of rows that share an optimality condition: see activeset.c. */
#ifndef NEY_QP_ACTIVESET_H
#define NEY_QP_ACTIVESET_H

#include "kernel/rowcache.h"
#include "qp/qp.h"

/* Rows of the kernel matrix that are asked for at once. */
enum { NEY_ACTIVESET_ROWS = 64 };

/* Solve [QP.1] exactly, from any starting point v, which is repaired first: violations above the
 * smaller of opts->tol and 1e-9 are not left unless precision ends the search. The rows of the
 * cache must be fine. On return v is feasible and f = Kv, whatever stopped the search.
 * @retval NEY_EINVAL  the box does not meet sum v = 0. */
ney_status ney_activeset_solve(ney_rowcache *cache, const ney_qp *p, const ney_qp_opts *opts,
                               double *v, double *f, ney_qp_info *info, ney_error *err);

#endif
