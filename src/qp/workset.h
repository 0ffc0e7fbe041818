/* The program [QP.1] within a few rows, the others fixed: what a round of smo.c solves. */
#ifndef NEY_QP_WORKSET_H
#define NEY_QP_WORKSET_H

#include "qp/qp.h"

/* Rows at most, and the distance of the rows of the matrix between them: not a power of two, so
 * that a column does not fall into one place of the processor's cache. */
enum { NEY_WORKSET_ROWS = 512, NEY_WORKSET_STRIDE = NEY_WORKSET_ROWS + 16 };

typedef struct ney_workset {
    const ney_qp *p; /* borrowed */
    int64_t row[NEY_WORKSET_ROWS], m;
    float *local; /* the kernel matrix between the rows, those rows of it that were used */
    float *rest;  /* what its rounding took; NULL: not known */
    bool there[NEY_WORKSET_ROWS]; /* which rows of the matrix these are */
    const float *const *kernel;   /* whole kernel rows, borrowed from load to solve */
    double v[NEY_WORKSET_ROWS], f[NEY_WORKSET_ROWS];
    double up[NEY_WORKSET_ROWS], down[NEY_WORKSET_ROWS];
    double own[NEY_WORKSET_ROWS]; /* the diagonal */
    struct {                      /* for steps in single precision */
        double scale;
        double v[NEY_WORKSET_ROWS]; /* where they began */
        float g[NEY_WORKSET_ROWS], rise[NEY_WORKSET_ROWS], fall[NEY_WORKSET_ROWS];
        float own[NEY_WORKSET_ROWS];
    } near;
    int64_t kept, was[NEY_WORKSET_ROWS]; /* the first `kept` rows, and where they stood before */
    double gained;                       /* of the dual, by all steps so far */
    double astray;                       /* sum v, from rounding */
    bool has_moved;                      /* the last step changed a variable */
} ney_workset;

ney_status ney_workset_init(ney_workset *w, const ney_env *env, const ney_qp *p, bool fine,
                            ney_error *err);
void ney_workset_deinit(ney_workset *w, const ney_env *env);

/* Drop the rows that are not to be kept, so that new ones can be put behind the others. */
void ney_workset_keep(ney_workset *w, const bool *keep);

/* kernel[k]: the kernel row of row[k], of n floats, or 2 n if fine. It must last until the set is
 * solved. */
void ney_workset_load(ney_workset *w, const float *const *kernel, const double *v, const double *f,
                      const double *up, const double *down);

/* Pairs until the set's own violation is at most `tol`, or `most` steps are done. Returns the
 * steps. */
int64_t ney_workset_solve(ney_workset *w, double tol, int64_t most);

#endif
