/* The QP [QP.1] for the linear kernel K = XX': the point is carried by w = X'v as well. */
#ifndef NEY_QP_LINEAR_H
#define NEY_QP_LINEAR_H

#include "comm/row_blocks.h"
#include "qp/qp.h"

/* With so few columns a Newton step costs no more than a few passes over the rows. */
enum { NEY_LINEAR_NARROW = 256 };

/* A problem, its point and the search for a better one. The caller sets the fields up to w. */
typedef struct ney_linear_qp {
    ney_env env;
    const ney_matrix *x;
    const ney_qp *p;
    const ney_qp_opts *o;
    double *v, *f, *w;            /* of the caller: n, n and x->cols numbers */
    const ney_row_blocks *blocks; /* of rows that are a share of those of all processes, which have
                                     w in common; NULL: these are all */
    double *mean;                 /* of the columns */
    double begin;                 /* wall-clock seconds, of the monotonic clock */
    int64_t most_passes; /* of coordinate descent that is known to go slowly; 0: no limit */
} ney_linear_qp;

/* Solve from any starting point v, which is made feasible first. On return v is feasible and f =
 * Xw, whatever stopped the search. w is X'v; or, where columns are so large that rounding of v
 * keeps X'v from meeting the tolerance, weights near X'v that meet it: the primal value is that of
 * w, the dual value that of v.
 * @retval NEY_EINVAL  the box does not meet sum v = 0. */
ney_status ney_linear_solve(ney_linear_qp *q, ney_qp_info *info, ney_error *err);

/* Make sum v zero by moving the variables that violate optimality least by it, given intercept b;
 * then compute w, f and the certificate from v: from scores of the rows less their mean, which
 * differ from f by a constant that the intercept takes up, and in which columns far from zero cause
 * no cancellation. f must be that of a point near by. False without memory. */
bool ney_linear_make_feasible(ney_linear_qp *q, double b, ney_qp_info *info);

/* With a feasible point in q, take these weights instead of X'v if they violate [QP.2] less and
 * rounding of v is what keeps X'v from the tolerance. */
void ney_linear_take_weights(ney_linear_qp *q, double *w, ney_qp_info *info);

/* w'x_i. Sums of a long row are made side by side. */
double ney_linear_score(const ney_matrix *x, int64_t i, const double *w);

/* Dual coordinate descent; leaves a feasible point with its certificate. */
ney_status ney_dcd_solve(ney_linear_qp *q, ney_qp_info *info, ney_error *err);

/* ---- linear_shared.c, active_shared.c: rows that are shared out among processes */

/* Whether no process lacks memory: a step that needs it begins in all of them, or in none. */
bool ney_shared_have_memory(const ney_linear_qp *q, bool own);

/* The largest, or the smallest, number of all processes; `value` where there is one only. */
double ney_shared_largest(const ney_linear_qp *q, double value);
double ney_shared_smallest(const ney_linear_qp *q, double value);
void ney_shared_range(const ney_linear_qp *q, double *least, double *most);

/* to = sum over all rows of factor_i x_i, i < n; factor NULL: 1. False without memory. */
bool ney_shared_combine(const ney_linear_qp *q, const double *factor, double *to);

/* As ney_linear_make_feasible(). `start`: of a point to begin with, whose sum v may be any number.
 */
bool ney_shared_make_feasible(ney_linear_qp *q, double b, bool start, ney_qp_info *info);

/* As ney_qp_limit_reached(), for all processes alike. */
bool ney_shared_limit_reached(const ney_linear_qp *q, ney_qp_info *info, double violation);

/* From responses of Newton steps that are near the solution, and their intercept: gather the rows
 * that violate [QP.2], or are as near as `margin` to it, in the first process, and solve for them
 * there; see active_shared.c. *ended: the point solves the whole, or a limit was reached; else rows
 * are too many, or their problem too hard. Leaves a feasible point with its certificate. False
 * without memory. */
bool ney_shared_solve_active(ney_linear_qp *q, double b, double margin, ney_qp_info *info,
                             bool *ended);

/* Proximal Newton steps; leaves a feasible point with its certificate. */
ney_status ney_newton_solve(ney_linear_qp *q, ney_qp_info *info, ney_error *err);

#endif
