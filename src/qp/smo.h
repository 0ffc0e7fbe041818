/* The kernel QP by decomposition: see smo.c. */
#ifndef NEY_QP_SMO_H
#define NEY_QP_SMO_H

#include "kernel/rowcache.h"
#include "qp/workset.h"

/* A working set. The cache must be able to hold as many rows at once. */
enum { NEY_SMO_ROWS = NEY_WORKSET_ROWS };

/* Below this tolerance float rows are too coarse: the rows of the cache should be fine ones. */
#define NEY_SMO_FINE_TOL 1e-5

/* The point where the last problem over the same rows ended, for the next one to begin with. */
typedef struct ney_smo_memory {
    double *v, *f; /* f = Kv */
    double drift;  /* what rounding may have left in f */
    bool known;
} ney_smo_memory;

/* Solve [QP.1] from any starting point v, which is repaired first. On return v and f = Kv are the
 * best point found, whatever stopped the search. `last` may be NULL; it is brought up to date.
 * @retval NEY_EINVAL  the box does not meet sum v = 0. */
ney_status ney_smo_solve(ney_rowcache *cache, const ney_qp *p, const ney_qp_opts *opts, double *v,
                         double *f, ney_smo_memory *last, ney_qp_info *info, ney_error *err);

#endif
