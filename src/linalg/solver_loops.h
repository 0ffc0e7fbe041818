/* Inner loops of the solvers over all rows: choosing a pair (decomposition), sums of clipped lines
 * (Newton), candidates for the next event (path). */
#ifndef NEY_LINALG_SOLVER_LOOPS_H
#define NEY_LINALG_SOLVER_LOOPS_H

#include <stdint.h>

/* ---- choosing a pair */

/* The first i that maximises up[i] - f[i], and the maximum; -1 when n is 0. */
int64_t ney_loop_highest(const double *up, const double *f, int64_t n, double *highest);

/* The first i that minimises down[i] - f[i], and the minimum. */
int64_t ney_loop_lowest(const double *down, const double *f, int64_t n, double *lowest);

/* A step of a pair: f changes by step * (row - other), where these are its two kernel rows. */
typedef struct ney_pair_step {
    double *f;
    const float *row, *other;
    double step;
    const double *up, *down; /* slopes after the step */
    int64_t n;
} ney_pair_step;

/* Update f, then as the two above: the first i that maximises up[i] - f[i], the maximum, and the
 * minimum of down[i] - f[i]. */
int64_t ney_loop_step(const ney_pair_step *s, double *highest, double *lowest);

/* The curvature below which a pair counts as flat, one row of which has this diagonal: relative to
 * the kernel, so that a common factor of all kernel values changes nothing. */
static inline double ney_tiny_curve(double diagonal)
{
    const double size = diagonal < 0 ? -diagonal : diagonal;
    return size > 1e-280 ? 1e-12 * size : 1e-292;
}

/* Of the j with g_j = down[j] - f[j] below `highest`, the first that maximises
 *
 *     (highest - g_j)^2 / max(diagonal + own[j] - 2 row[j], tiny),  tiny = ney_tiny_curve(diagonal)
 *
 * which is twice the gain of a step of the pair; -1 when there is none. */
int64_t ney_loop_partner(const double *down, const double *f, const double *own, const float *row,
                         double diagonal, double highest, int64_t n);

/* ---- choosing a pair in single precision */

/* Slopes of a few rows: g[i] + rise[i] to the right, g[i] + fall[i] to the left, in units of the
 * violation at the start; and the diagonal of the kernel. */
typedef struct ney_slopes {
    float *g;
    const float *rise, *fall, *own;
    int64_t n;
} ney_slopes;

/* A step of a pair, whose kernel rows these are, subtracts step * (row - other) from g. Returns the
 * first i that maximises g[i] + rise[i], or -1; finds the maximum, and the minimum of g[i] +
 * fall[i]. */
int64_t ney_loop_short_step(const ney_slopes *s, const float *row, const float *other, float step,
                            float *highest, float *lowest);

/* As ney_loop_partner(); g_j must be below `highest` by more than rounding may leave. */
#define NEY_PAIR_NOISE 1e-5f
int64_t ney_loop_short_partner(const ney_slopes *s, const float *row, float diagonal,
                               float highest);

/* ---- sums of clipped lines */

/* Clipped straight lines, one per row, of two pieces:
 *
 *     v_i(z) = max(low, min(first - slope z, max(middle, min(second - slope z, high))))
 *
 * with first >= second; `second` NULL: one piece, middle = high. */
typedef struct ney_clipped {
    const double *first, *second, *slope, *low, *middle, *high;
} ney_clipped;

/* Sums over rows begin .. end - 1 at z_i = f_i + step * change_i + b. */
typedef struct ney_clipped_sums {
    double value, along; /* v, v * change */
    double s0, s1, s2;   /* slope, slope * change, slope * change^2 of the rows not clipped */
} ney_clipped_sums;

void ney_loop_clipped(const ney_clipped *c, const double *f, const double *change, double step,
                      double b, int64_t begin, int64_t end, ney_clipped_sums *sums);

/* ---- ramp losses with a rounded corner */

/* Ramp losses of two classes, in the margin z_i = side_i * score_i: 0 above eta, eta - z below,
 * 2 eta below -eta; with its corner at eta rounded over eta - width .. eta + width. */
typedef struct ney_ramps {
    const double *pull;  /* side_i * weight_i; the side is its sign */
    const double *fixed; /* not 0 where the loss is that of the tangent at -eta, wherever z is;
                            NULL: where z < -eta */
    double eta, width;
} ney_ramps;

/* Sums over the rows of either class: 0 the negative side, 1 the positive one. Slopes are those in
 * the intercept. */
typedef struct ney_ramp_sums {
    double loss[2], slope[2], along[2]; /* along: slope * change */
} ney_ramp_sums;

/* Sums over rows begin .. end - 1 at scores f_i + step * change_i + b. */
void ney_loop_ramps(const ney_ramps *r, const double *f, const double *change, double step,
                    double b, int64_t begin, int64_t end, ney_ramp_sums *sums);

/* ---- candidates for the next event */

/* Which of n moving points may reach 0 within `ahead`: point i was at a distance of base_i -
 * toward_i (at_i + shift) when last evaluated, since when it may have come nearer by reach_i
 * (travelled - seen_i), and its speed is at most reach_i speed + toward_i drift. */
typedef struct ney_near {
    const double *base, *toward, *at, *reach, *seen;
    double shift, drift, speed, travelled, ahead;
} ney_near;

/* Their numbers, ascending, those at 0 included; `out` holds up to n. */
int64_t ney_loop_near(const ney_near *q, int64_t n, int64_t *out);

#endif
