/* The dual of a cutting-plane problem over the planes so far:
 *
 *     max  D'q - 1/2 q'Gq    s.t.  q >= 0,  sum q = B                                     [PLANE.1]
 *
 * Plane 0 is the slack: its row of G and its D are 0, and its weight is what is left of B. */
#ifndef NEY_LEARN_BASELINE_CUTTING_PLANES_H
#define NEY_LEARN_BASELINE_CUTTING_PLANES_H

#include <stdint.h>

enum { NEY_MOST_PLANES = 1000 };

typedef struct ney_planes {
    int64_t n;
    double *gram; /* NEY_MOST_PLANES per row */
    double *loss, *weight;
    double *gradient;  /* D - Gq, by ney_planes_solve() */
    double *workspace; /* ney_planes_workspace() numbers */
    int64_t moves;     /* of all calls */
} ney_planes;

int64_t ney_planes_workspace(void);

/* From any feasible weights to those at which no plane with weight has a gradient more than `tol`
 * below the largest; or as near as rounding and `most_moves`, those of earlier calls included, let
 * it come. */
void ney_planes_solve(ney_planes *p, double tol, int64_t most_moves);

#endif
