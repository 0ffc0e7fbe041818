/* What the parts of the decomposition share; see smo.c. */
#ifndef NEY_QP_SMO_RUN_H
#define NEY_QP_SMO_RUN_H

#include "qp/smo.h"
#include "qp/workset.h"

typedef struct ney_smo {
    const ney_qp *p;
    const ney_qp_opts *o;
    ney_env env;
    ney_rowcache *cache;
    double begin; /* of the search, on the clock */
    ney_qp_info
        *starting; /* where f is being computed for a starting point that may be discarded */
    bool stopped;  /* it was */
    double *v, *f, *up, *down;
    ney_workset w;
    bool *in_set, *active;
    const float *row[NEY_SMO_ROWS]; /* kernel rows of the set */
    double mark;                    /* gained, some rounds ago */
    double largest;                 /* on the diagonal */
    double drift;                   /* a bound of the rounding in f, roughly */
    int64_t repeated; /* rows the cache had computed again when all rows were last taken in */
    int idle;         /* rounds in a row that gained next to nothing */
    ney_qp_progress progress;
} ney_smo;

static inline void ney_smo_refresh_slopes(ney_smo *s, int64_t i)
{
    s->up[i] = ney_qp_up(s->p, i, s->v[i]);
    s->down[i] = ney_qp_down(s->p, i, s->v[i]);
}

/* Rows with v not 0. */
int64_t ney_smo_count_support(const ney_smo *s);

/* Whether a limit of time or iterations is reached, or the caller asks for a stop; info->stop says
 * which. The time to score all rows with the solution, which its user does next, is left over. */
bool ney_smo_limit_reached(const ney_smo *s, ney_qp_info *info, double violation);

/* ---- the point and f = Kv (smo_point.c) */

/* Move v to the solution of the working set, and f with it. */
void ney_smo_store_set(ney_smo *s);

/* Move v to another point, and f with it: to[k] is the aim of variable row[k], or of variable k
 * where row is NULL. While s->starting is set, a limit ends it: s->stopped. */
ney_status ney_smo_move_to(ney_smo *s, const int64_t *row, const double *to, int64_t n,
                           ney_error *err);

/* f = Kv from the point before, if that is nearer than 0 and known well enough, or from nothing. */
ney_status ney_smo_compute_f(ney_smo *s, const ney_smo_memory *last, ney_error *err);

/* Whether rounding may have moved f by more than a share of the tolerance, and by more than
 * computing it again would. It happens after a distant starting point: f was large, and its
 * rounding error remains. */
bool ney_smo_has_drifted(const ney_smo *s);

/* Add the rounding error of sum v = 0 to a variable that is free to take it. */
void ney_smo_restore_sum(ney_smo *s);

#endif
