/* The quadratic program under every batch learner, in signed variables v_i = y_i a_i:
 *
 *     max_v  D(v) = -1/2 v'Kv + sum_i p_i(v_i)     s.t.  sum_i v_i = 0,  low_i <= v_i <= high_i
 * [QP.1]
 *
 * with p_i concave, of slope slope_low_i up to middle_i and slope_high_i from there on. w = sum_i
 * v_i phi(x_i) and f_i = (Kv)_i = w'phi(x_i). With up_i the slope to the right of v_i (-inf at
 * high_i) and down_i the slope to its left (+inf at low_i), v is optimal iff
 *
 *     max_i (up_i - f_i)  <=  min_i (down_i - f_i) [QP.2]
 *
 * and the intercept b lies between the two. Any w and b bound D from above by
 *
 *     P(w, b) = 1/2 |w|^2 + sum_i max over v in [low_i, high_i] of (p_i(v) - v (f_i + b)) [QP.3]
 *
 * so P - D is a certificate. Hinge loss: low, high = 0 and C_i in the sign of y_i, slope y_i. */
#ifndef NEY_QP_QP_H
#define NEY_QP_QP_H

#include "base/env.h"

#include <math.h>

typedef struct ney_qp {
    int64_t n;
    const double *low, *middle, *high;
    const double *slope_low, *slope_high; /* slope_low >= slope_high; equal for a single piece */
} ney_qp;

typedef struct ney_qp_opts {
    double tol;       /* stop when [QP.2] is violated by no more */
    double max_time;  /* seconds, 0: no limit */
    int64_t max_iter; /* 0: no limit */
    int64_t spent;    /* iterations of earlier problems that count towards max_iter */
    double near; /* linear kernel with few columns: scores of the solution are about this far at
                    most from those of the solver's weights and `intercept`; 0: unknown */
    double intercept;
    bool exact; /* by sets of rows that share a condition, see activeset.c */
} ney_qp_opts;

typedef struct ney_qp_info {
    ney_stop stop;
    int64_t iterations, rounds;
    int64_t parts; /* times that some rows were left out for a while */
    double violation, intercept, primal, dual;
    double boxes; /* the widths of all boxes together */
} ney_qp_info;

/* Progress of a search, measured by certificates at intervals. */
typedef struct ney_qp_progress {
    double primal, dual, gap; /* the lowest, the highest and what was last between them */
    int64_t next;             /* iterations at which the next certificate is computed */
    int stale;                /* consecutive certificates without progress */
    bool is_begun;
} ney_qp_progress;

/* p_i(v) */
double ney_qp_value(const ney_qp *p, int64_t i, double v);

/* The slope to the right of v_i, and to its left. In the innermost loops of both solvers. */
static inline double ney_qp_up(const ney_qp *p, int64_t i, double v)
{
    if (v >= p->high[i]) {
        return -(double)INFINITY;
    }
    return v < p->middle[i] ? p->slope_low[i] : p->slope_high[i];
}

static inline double ney_qp_down(const ney_qp *p, int64_t i, double v)
{
    if (v <= p->low[i]) {
        return (double)INFINITY;
    }
    return v > p->middle[i] ? p->slope_high[i] : p->slope_low[i];
}

/* How far v_i can move up (down) before its slope changes. */
static inline double ney_qp_distance_up(const ney_qp *p, int64_t i, double v)
{
    return v < p->middle[i] ? p->middle[i] - v : p->high[i] - v;
}

static inline double ney_qp_distance_down(const ney_qp *p, int64_t i, double v)
{
    return v > p->middle[i] ? v - p->middle[i] : v - p->low[i];
}

/* Iterations that max_iter still allows. */
int64_t ney_qp_iterations_left(const ney_qp_opts *opts, const ney_qp_info *info);

/* Poll the caller and check the limits of time and iterations. True when the search must stop now;
 * info->stop says why. */
bool ney_qp_limit_reached(const ney_env *env, const ney_qp_opts *opts, double begin,
                          ney_qp_info *info, double violation);

/* Bring any point into the box and onto sum v = 0, changing as little as it takes. False when the
 * box has no such point. */
bool ney_qp_repair(const ney_qp *p, double *v);

/* Intercept, primal [QP.3] and dual value of a point, from f = Kv. The intercept is the one that
 * makes the primal least. */
void ney_qp_certify(const ney_qp *p, const double *v, const double *f, ney_qp_info *info);

/* Add a certificate. True when the search stagnates: in `most_stale` consecutive certificates
 * the lowest primal value and the highest dual value so far have not come nearer by 1 %, or in 3 of
 * them they differed by no more than rounding (the dual value may even be above). */
bool ney_qp_stagnates(ney_qp_progress *progress, const ney_qp_info *info, int most_stale);

/* The final status of a search: one that says NEY_STOP_CONVERGED at a gap above 1e-2 of
 * max(|primal|, |dual|, sum of the boxes) says NEY_STOP_PRECISION instead.
 * @retval NEY_ENUMERIC  the certificate is not finite. */
ney_status ney_qp_conclude(ney_qp_info *info, ney_error *err);

#endif
