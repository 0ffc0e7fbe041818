/* Sequential minimal optimisation within a working set: the row with the largest slope upwards, and
 * the partner with the largest gain (Fan, Chen and Lin 2005). A step touches a few kilobytes.
 *
 * Most steps are in single precision: slopes count from the largest one, in units of the violation
 * at the start, so that rounding is a small share of what there is to gain. v is in double, and the
 * slopes are computed from it again after some steps and at the end, where steps in double take
 * over should the violation not be as small as it seemed. */
#include "qp/workset.h"

#include "linalg/solver_loops.h"
#include "linalg/vector.h"

#include <string.h>

enum { STRIDE = NEY_WORKSET_STRIDE };

ney_status ney_workset_init(ney_workset *w, const ney_env *env, const ney_qp *p, bool fine,
                            ney_error *err)
{
    const int64_t size = (int64_t)NEY_WORKSET_ROWS * STRIDE;
    *w = (ney_workset){.p = p};
    w->local = ney_alloc(env, size, sizeof *w->local);
    w->rest = fine ? ney_alloc(env, size, sizeof *w->rest) : NULL;
    if (!w->local || (fine && !w->rest)) {
        return ney_no_memory(err, size, "kernel values");
    }
    return NEY_OK;
}

void ney_workset_deinit(ney_workset *w, const ney_env *env)
{
    ney_release(env, w->local);
    ney_release(env, w->rest);
}

void ney_workset_keep(ney_workset *w, const bool *keep)
{
    w->kept = 0;
    for (int64_t k = 0; k < w->m; k++) {
        if (keep[k]) {
            w->was[w->kept] = k;
            w->row[w->kept++] = w->row[k];
        }
    }
    w->m = w->kept;
}

/* ---- the matrix between the rows */

/* Rows of the matrix are picked from the kernel rows when a step first needs them: most rounds take
 * fewer steps than there are rows. */
static void pick(ney_workset *w, int64_t a, int64_t first)
{
    const float *row = w->kernel[a];
    for (int64_t b = first; b < w->m; b++) {
        w->local[a * STRIDE + b] = row[w->row[b]];
    }
    for (int64_t b = first; w->rest && b < w->m; b++) {
        w->rest[a * STRIDE + b] = row[w->p->n + w->row[b]];
    }
    w->there[a] = true;
}

static void move_entries(const ney_workset *w, int64_t a, float *to)
{
    const float *old = to + w->was[a] * STRIDE; /* never before row a itself */
    for (int64_t b = 0; b < w->kept; b++) {
        to[a * STRIDE + b] = old[w->was[b]];
    }
}

/* Entries between rows that stay are moved, where they are there. */
static void keep_matrix(ney_workset *w)
{
    for (int64_t a = 0; a < w->kept; a++) {
        w->there[a] = w->there[w->was[a]];
        if (w->there[a]) {
            move_entries(w, a, w->local);
            if (w->rest) {
                move_entries(w, a, w->rest);
            }
            pick(w, a, w->kept);
        }
    }
    for (int64_t a = w->kept; a < w->m; a++) {
        w->there[a] = false;
    }
}

static double entry(const ney_workset *w, int64_t a, int64_t b)
{
    const int64_t at = a * STRIDE + b;
    return (double)w->local[at] + (w->rest ? (double)w->rest[at] : 0);
}

void ney_workset_load(ney_workset *w, const float *const *kernel, const double *v, const double *f,
                      const double *up, const double *down)
{
    w->kernel = kernel;
    keep_matrix(w);
    for (int64_t a = 0; a < w->m; a++) {
        const int64_t i = w->row[a];
        w->v[a] = v[i];
        w->f[a] = f[i];
        w->up[a] = up[i];
        w->down[a] = down[i];
        /* as rounded as the rest: a gain that is computed is then one that is made */
        w->own[a] = (double)kernel[a][i] + (w->rest ? (double)kernel[a][w->p->n + i] : 0);
        w->near.own[a] = (float)w->own[a];
    }
}

/* ---- steps */

/* Slopes of a row; in single precision they count from that of its lower piece. */
static void refresh_slopes(ney_workset *w, int64_t a)
{
    const int64_t i = w->row[a];
    const double slope = w->p->slope_low[i];
    w->up[a] = ney_qp_up(w->p, i, w->v[a]);
    w->down[a] = ney_qp_down(w->p, i, w->v[a]);
    w->near.rise[a] = (float)((w->up[a] - slope) * w->near.scale);
    w->near.fall[a] = (float)((w->down[a] - slope) * w->near.scale);
}

/* Move a up and b down by the best step that keeps both on their pieces: without curvature, or
 * with negative curvature, as far as they go. Returns the step. */
static double move_pair(ney_workset *w, int64_t a, int64_t b, double apart)
{
    const ney_qp *p = w->p;
    const int64_t i = w->row[a], j = w->row[b];
    const double was_a = w->v[a], was_b = w->v[b];
    const double curve = w->own[a] + w->own[b] - 2 * entry(w, a, b);
    const double distance_a = ney_qp_distance_up(p, i, was_a),
                 distance_b = ney_qp_distance_down(p, j, was_b);
    const double distance = fmin(distance_a, distance_b);
    const double step = curve > 0 && apart / curve < distance ? apart / curve : distance;

    /* A bound or break that is reached is reached exactly. */
    w->v[a] =
        step >= distance_a ? (was_a < p->middle[i] ? p->middle[i] : p->high[i]) : was_a + step;
    w->v[b] = step >= distance_b ? (was_b > p->middle[j] ? p->middle[j] : p->low[j]) : was_b - step;
    /* What rounding left of the sum is taken along, so that it does not add up. */
    if (step < distance_b && step > -w->astray && step + w->astray < distance_b) {
        w->v[b] -= w->astray;
    }
    w->astray += (w->v[a] - was_a) + (w->v[b] - was_b);
    refresh_slopes(w, a);
    refresh_slopes(w, b);
    w->has_moved = w->v[a] != was_a || w->v[b] != was_b;
    w->gained += w->has_moved ? step * (apart - 0.5 * step * curve) : 0;
    return step;
}

/* Pairs in double until the violation is at most `tol`, or `most` steps are done. */
static int64_t solve_double(ney_workset *w, double tol, int64_t most)
{
    double highest, lowest;
    int64_t steps = 0, a = ney_loop_highest(w->up, w->f, w->m, &highest);
    (void)ney_loop_lowest(w->down, w->f, w->m, &lowest);
    for (; steps < most && a >= 0 && highest - lowest > tol; steps++) {
        const float *row = w->local + a * STRIDE;
        if (!w->there[a]) {
            pick(w, a, 0);
        }
        const int64_t b = ney_loop_partner(w->down, w->f, w->own, row, w->own[a], highest, w->m);
        if (b < 0) {
            break;
        }
        if (!w->there[b]) {
            pick(w, b, 0);
        }
        const double step = move_pair(w, a, b, highest - (w->down[b] - w->f[b]));
        if (!w->has_moved) { /* the step is lost in the rounding of v */
            break;
        }
        for (int64_t k = 0; w->rest && k < w->m; k++) {
            w->f[k] += step * ((double)w->rest[a * STRIDE + k] - (double)w->rest[b * STRIDE + k]);
        }
        const ney_pair_step moved = {.f = w->f,
                                     .row = row,
                                     .other = w->local + b * STRIDE,
                                     .step = step,
                                     .up = w->up,
                                     .down = w->down,
                                     .n = w->m};
        a = ney_loop_step(&moved, &highest, &lowest);
    }
    return steps;
}

/* ---- steps in single precision */

/* Begin at slopes that are known in double. False where single precision does not hold both the
 * difference between the slopes of a row's two pieces and a part of the violation. */
static bool begin_short(ney_workset *w, double violation, double highest)
{
    const double widest = 1e4;
    w->near.scale = 1 / violation;
    for (int64_t k = 0; k < w->m; k++) {
        const double low = w->p->slope_low[w->row[k]], high = w->p->slope_high[w->row[k]];
        if (!((low - high) * w->near.scale <= widest)) {
            return false;
        }
        w->near.v[k] = w->v[k];
        w->near.g[k] = (float)((low - w->f[k] - highest) * w->near.scale);
        refresh_slopes(w, k);
    }
    return true;
}

/* f of the set in double, from the variables that have moved. */
static void end_short(ney_workset *w)
{
    const float *row[NEY_WORKSET_ROWS] = {NULL};
    double delta[NEY_WORKSET_ROWS] = {0};
    int64_t n = 0;
    for (int64_t a = 0; a < w->m; a++) {
        if (w->v[a] != w->near.v[a]) {
            row[n] = w->local + a * STRIDE;
            delta[n++] = w->v[a] - w->near.v[a];
        }
    }
    ney_vector_add_rows(row, delta, n, 0, w->m, w->f);
}

/* Pairs until the violation is `share` of what it was, or `most` steps are done. */
static int64_t solve_short(ney_workset *w, int64_t a, double share, int64_t most)
{
    const ney_slopes s = {w->near.g, w->near.rise, w->near.fall, w->near.own, w->m};
    float highest = 0, lowest = -1;
    int64_t steps = 0;
    for (; steps < most && a >= 0 && (double)(highest - lowest) > share; steps++) {
        if (!w->there[a]) {
            pick(w, a, 0);
        }
        const float *const row = w->local + a * STRIDE;
        const int64_t b = ney_loop_short_partner(&s, row, w->near.own[a], highest);
        if (b < 0 || b == a) {
            break;
        }
        if (!w->there[b]) {
            pick(w, b, 0);
        }
        const double apart = (double)(highest - (w->near.g[b] + w->near.fall[b])) / w->near.scale;
        const double step = move_pair(w, a, b, apart);
        if (!w->has_moved) {
            break;
        }
        a = ney_loop_short_step(&s, row, w->local + b * STRIDE, (float)(step * w->near.scale),
                                &highest, &lowest);
    }
    return steps;
}

int64_t ney_workset_solve(ney_workset *w, double tol, int64_t most)
{
    enum { SOME = 1000 }; /* steps, after which rounding is removed */
    int64_t steps = 0, done = SOME;
    while (!w->rest && done == SOME) {
        double highest, lowest;
        const int64_t a = ney_loop_highest(w->up, w->f, w->m, &highest);
        (void)ney_loop_lowest(w->down, w->f, w->m, &lowest);
        const double violation = highest - lowest;
        if (a < 0 || steps >= most || !(violation > tol) || !begin_short(w, violation, highest)) {
            break;
        }
        done = solve_short(w, a, tol / violation, most - steps < SOME ? most - steps : SOME);
        steps += done;
        end_short(w);
    }
    return steps + solve_double(w, tol, most - steps); /* most often 0 */
}
