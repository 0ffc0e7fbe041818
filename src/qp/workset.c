/* Sequential minimal optimisation within a working set: the row with the largest slope upwards, and
 * the partner with the largest gain (Fan, Chen and Lin 2005). A step touches a few kilobytes. */
#include "qp/workset.h"

#include "linalg/solver_loops.h"

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
    }
}

/* ---- steps */

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
    w->up[a] = ney_qp_up(p, i, w->v[a]);
    w->down[a] = ney_qp_down(p, i, w->v[a]);
    w->up[b] = ney_qp_up(p, j, w->v[b]);
    w->down[b] = ney_qp_down(p, j, w->v[b]);
    w->has_moved = w->v[a] != was_a || w->v[b] != was_b;
    w->gained += w->has_moved ? step * (apart - 0.5 * step * curve) : 0;
    return step;
}

int64_t ney_workset_solve(ney_workset *w, double tol, int64_t most)
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
