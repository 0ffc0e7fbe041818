#include "linalg/lbfgs.h"

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

static void add(double t, const double *a, double *to, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        to[i] += t * a[i];
    }
}

/* d = -H g */
static void direct(state *s)
{
    const int64_t n = s->n, kept = s->count < MEMORY ? s->count : MEMORY;
    double a[MEMORY];
    for (int64_t i = 0; i < n; i++) {
        s->d[i] = -s->g[i];
    }
    for (int64_t k = 0; k < kept; k++) {
        const int64_t at = (s->count - 1 - k) % MEMORY;
        a[at] = s->rho[at] * dot(s->s + at * n, s->d, n);
        add(-a[at], s->y + at * n, s->d, n);
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
        add(a[at] - s->rho[at] * dot(s->y + at * n, s->d, n), s->s + at * n, s->d, n);
    }
}

/* Step along d; false where no step makes the value fall. */
static bool step(state *s)
{
    const int64_t n = s->n;
    const double slope = dot(s->g, s->d, n);
    double t = s->count > 0 ? 1 : fmin(1, 1 / sqrt(dot(s->g, s->g, n)));
    if (!(slope < 0)) {
        return false;
    }
    for (int k = 0; k < MOST_HALVINGS; k++, t *= 0.5) {
        memcpy(s->next, s->x, (size_t)n * sizeof *s->x);
        add(t, s->d, s->next, n);
        const double value = s->p->value(s->p->context, s->next, s->next_g);
        if (value <= s->value + 1e-4 * t * slope) { /* false for NaN */
            s->value = value;
            return true;
        }
    }
    return false;
}

/* Keep the pair of the step, if the function curves upwards along it. */
static void learn_pair(state *s)
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

ney_status ney_lbfgs_run(const ney_lbfgs *p, const ney_env *env, double *x, int64_t *steps,
                         ney_error *err)
{
    const int64_t n = p->n;
    double *block = ney_alloc(env, (4 + 2 * MEMORY) * n, sizeof *block);
    int64_t k = 0;
    if (!block) {
        return ney_no_memory(err, n, "gradients");
    }
    state s = {.p = p, .n = n, .x = x, .g = block, .next = block + n, .next_g = block + 2 * n};
    s.d = block + 3 * n;
    s.s = block + 4 * n;
    s.y = s.s + MEMORY * n;
    s.value = p->value(p->context, x, s.g);
    const double first = sqrt(dot(s.g, s.g, n));
    for (; k < p->most && sqrt(dot(s.g, s.g, n)) > p->tol * first; k++) {
        direct(&s);
        if ((p->go_on && !p->go_on(p->context)) || !step(&s)) {
            break;
        }
        learn_pair(&s);
    }
    if (steps) {
        *steps = k;
    }
    ney_release(env, block);
    return NEY_OK;
}
