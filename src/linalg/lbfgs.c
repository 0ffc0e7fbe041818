#include "linalg/lbfgs.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MEMORY = 10, MOST_HALVINGS = 30 };

typedef struct state {
    const ney_lbfgs *p;
    int64_t n;
    double *x, *g, *next, *next_g, *d; /* the caller's x; the rest is one block */
    double *s, *y, rho[MEMORY];        /* pairs, newest at place (count - 1) % MEMORY */
    int64_t count;
    double value;
} state;

static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static void add_scaled(double t, const double *a, double *to, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        to[i] += t * a[i];
    }
}

static double norm(const double *a, int64_t n)
{
    return sqrt(dot(a, a, n));
}

/* d = -H g */
static void set_direction(state *s)
{
    const int64_t n = s->n, kept = s->count < MEMORY ? s->count : MEMORY;
    double a[MEMORY];
    for (int64_t i = 0; i < n; i++) {
        s->d[i] = -s->g[i];
    }
    for (int64_t k = 0; k < kept; k++) {
        const int64_t at = (s->count - 1 - k) % MEMORY;
        a[at] = s->rho[at] * dot(s->s + at * n, s->d, n);
        add_scaled(-a[at], s->y + at * n, s->d, n);
    }
    if (kept > 0) {
        const int64_t at = (s->count - 1) % MEMORY;
        const double scale = 1 / (s->rho[at] * dot(s->y + at * n, s->y + at * n, n));
        for (int64_t i = 0; i < n; i++) {
            s->d[i] *= scale;
        }
    }
    for (int64_t k = kept - 1; k >= 0; k--) {
        const int64_t at = (s->count - 1 - k) % MEMORY;
        add_scaled(a[at] - s->rho[at] * dot(s->y + at * n, s->d, n), s->s + at * n, s->d, n);
    }
}

/* Armijo's line search along d. Returns false where no step lowers the value enough. */
static bool search_line(state *s)
{
    const int64_t n = s->n;
    const double slope = dot(s->g, s->d, n);
    double t = s->count > 0 ? 1 : fmin(1, 1 / norm(s->g, n));
    if (!(slope < -DBL_EPSILON * fabs(s->value))) { /* no fall that the value could show */
        return false;
    }
    for (int k = 0; k < MOST_HALVINGS; k++, t *= 0.5) {
        memcpy(s->next, s->x, (size_t)n * sizeof *s->x);
        add_scaled(t, s->d, s->next, n);
        const double value = s->p->value(s->p->context, s->next, s->next_g);
        const bool is_lower = value <= s->value + 1e-4 * t * slope; /* false for NaN */
        if (is_lower && isfinite(value) && isfinite(norm(s->next_g, n))) {
            s->value = value;
            return true;
        }
    }
    return false;
}

/* Move to the point found. The pair of the step is kept if the curvature along it is positive. */
static void take_step(state *s)
{
    const int64_t n = s->n, at = s->count % MEMORY;
    double *const ds = s->s + at * n, *const dy = s->y + at * n;
    for (int64_t i = 0; i < n; i++) {
        ds[i] = s->next[i] - s->x[i];
        dy[i] = s->next_g[i] - s->g[i];
    }
    const double curve = dot(ds, dy, n);
    if (curve > 1e-10 * sqrt(dot(ds, ds, n) * dot(dy, dy, n))) {
        s->rho[at] = 1 / curve;
        s->count++;
    }
    memcpy(s->x, s->next, (size_t)n * sizeof *s->x);
    memcpy(s->g, s->next_g, (size_t)n * sizeof *s->g);
}

static ney_lbfgs_stop iterate(state *s, int64_t *steps)
{
    const double first = norm(s->g, s->n);
    if (!isfinite(s->value) || !isfinite(first)) {
        return NEY_LBFGS_NOT_FINITE;
    }
    for (*steps = 0; norm(s->g, s->n) > s->p->tol * first; ++*steps) {
        if (*steps >= s->p->max_steps) {
            return NEY_LBFGS_ITERATIONS;
        }
        if (s->p->may_continue && !s->p->may_continue(s->p->context)) {
            return NEY_LBFGS_CANCELLED;
        }
        set_direction(s);
        if (!search_line(s)) {
            return NEY_LBFGS_LINE_SEARCH;
        }
        take_step(s);
    }
    return NEY_LBFGS_CONVERGED;
}

ney_status ney_lbfgs_run(const ney_lbfgs *p, const ney_env *env, double *x, ney_lbfgs_info *info,
                         ney_error *err)
{
    const int64_t n = p->n;
    double *block = ney_alloc(env, (4 + 2 * MEMORY) * n, sizeof *block);
    *info = (ney_lbfgs_info){0};
    if (!block) {
        return ney_no_memory(err, n, "gradients");
    }
    state s = {.p = p, .n = n, .x = x, .g = block, .next = block + n, .next_g = block + 2 * n};
    s.d = block + 3 * n;
    s.s = block + 4 * n;
    s.y = s.s + MEMORY * n;
    s.value = p->value(p->context, x, s.g);
    info->stop = iterate(&s, &info->steps);
    info->value = s.value;
    info->gradient = norm(s.g, n);
    ney_release(env, block);
    return NEY_OK;
}

const char *ney_lbfgs_stop_text(ney_lbfgs_stop stop)
{
    static const char *const text[] = {[NEY_LBFGS_CONVERGED] = "converged",
                                       [NEY_LBFGS_LINE_SEARCH] = "line search failed",
                                       [NEY_LBFGS_ITERATIONS] = "iterations",
                                       [NEY_LBFGS_CANCELLED] = "cancelled",
                                       [NEY_LBFGS_NOT_FINITE] = "not finite"};
    return text[stop];
}
