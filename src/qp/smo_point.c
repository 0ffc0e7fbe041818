/* The point v of the decomposition and f = Kv, which follows it by one pass over the kernel rows of
 * the variables that changed. */
#include "qp/smo_run.h"

#include "base/parallel.h"
#include "linalg/vector.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BLOCK = 1024 }; /* rows of f at once */

typedef struct change {
    ney_smo *s;
    const float *row[NEY_SMO_ROWS], *rest[NEY_SMO_ROWS];
    double delta[NEY_SMO_ROWS];
    int64_t n;
} change;

static void add_block(void *context, int64_t block, int thread)
{
    const change *c = context;
    const int64_t first = block * BLOCK, left = c->s->p->n - first, n = left < BLOCK ? left : BLOCK;
    (void)thread;
    ney_vector_add_rows(c->row, c->delta, c->n, first, n, c->s->f);
    if (c->s->w.rest) {
        ney_vector_add_rows(c->rest, c->delta, c->n, first, n, c->s->f);
    }
}

static void apply(change *c)
{
    const int64_t n = c->s->p->n;
    for (int64_t k = 0; k < c->n; k++) {
        c->rest[k] = c->s->w.rest ? c->row[k] + n : NULL;
        c->s->drift += DBL_EPSILON * c->s->largest * fabs(c->delta[k]);
    }
    if (c->n > 0) {
        ney_parallel_for(&c->s->env, (n + BLOCK - 1) / BLOCK, add_block, c);
    }
}

void ney_smo_store_set(ney_smo *s)
{
    change c = {.s = s};
    for (int64_t a = 0; a < s->w.m; a++) {
        const int64_t i = s->w.row[a];
        if (s->w.v[a] != s->v[i]) {
            c.row[c.n] = s->row[a];
            c.delta[c.n++] = s->w.v[a] - s->v[i];
            s->v[i] = s->w.v[a];
            ney_smo_refresh_slopes(s, i);
        }
    }
    apply(&c);
}

int64_t ney_smo_count_support(const ney_smo *s)
{
    int64_t n = 0;
    for (int64_t i = 0; i < s->p->n; i++) {
        n += s->v[i] != 0;
    }
    return n;
}

/* The limits less the time to score all rows with the solution, which its user does next: a kernel
 * row for each support vector. */
static ney_qp_opts limits_of_search(const ney_smo *s)
{
    ney_qp_opts o = *s->o;
    const ney_gram *g = s->cache->gram;
    if (o.max_time > 0 && g->computed > 0) {
        const double rows = (double)ney_smo_count_support(s);
        o.max_time = fmax(o.max_time - rows * g->seconds / (double)g->computed, 1e-9);
    }
    return o;
}

bool ney_smo_limit_reached(const ney_smo *s, ney_qp_info *info, double violation)
{
    const ney_qp_opts limits = limits_of_search(s);
    return ney_qp_limit_reached(&s->env, &limits, s->begin, info, violation);
}

/* Only by time and the caller: the start takes no iterations. */
static bool is_stopped_at_start(ney_smo *s)
{
    ney_qp_opts limits = limits_of_search(s);
    limits.max_iter = 0;
    s->stopped =
        s->starting && ney_qp_limit_reached(&s->env, &limits, s->begin, s->starting, (double)NAN);
    return s->stopped;
}

ney_status ney_smo_move_to(ney_smo *s, const int64_t *row, const double *to, int64_t n,
                           ney_error *err)
{
    for (int64_t k = 0; k < n;) {
        int64_t rows[NEY_SMO_ROWS];
        change c = {.s = s};
        for (; k < n && c.n < NEY_SMO_ROWS; k++) {
            const int64_t i = row ? row[k] : k;
            if (s->v[i] != to[k]) {
                rows[c.n] = i;
                c.delta[c.n++] = to[k] - s->v[i];
                s->v[i] = to[k];
                ney_smo_refresh_slopes(s, i);
            }
        }
        const ney_status st = c.n > 0 ? ney_rowcache_get(s->cache, rows, c.n, c.row, err) : NEY_OK;
        if (st != NEY_OK) {
            return st;
        }
        apply(&c);
        if (c.n == NEY_SMO_ROWS && is_stopped_at_start(s)) {
            return NEY_OK;
        }
    }
    return NEY_OK;
}

ney_status ney_smo_compute_f(ney_smo *s, const ney_smo_memory *last, ney_error *err)
{
    const int64_t n = s->p->n;
    int64_t nonzero = 0, changed = 0;
    double *aim = ney_alloc(&s->env, n, sizeof *aim);
    if (!aim) {
        return ney_no_memory(err, n, "dual variables");
    }
    memcpy(aim, s->v, (size_t)n * sizeof *aim);
    for (int64_t i = 0; i < n; i++) {
        nonzero += s->v[i] != 0;
        changed += last && last->known && s->v[i] != last->v[i];
    }
    if (last && last->known && changed < nonzero && !(last->drift > 0.01 * s->o->tol)) {
        memcpy(s->v, last->v, (size_t)n * sizeof *s->v);
        memcpy(s->f, last->f, (size_t)n * sizeof *s->f);
        s->drift = last->drift;
    } else {
        memset(s->v, 0, (size_t)n * sizeof *s->v);
        memset(s->f, 0, (size_t)n * sizeof *s->f);
        s->drift = 0;
    }
    for (int64_t i = 0; i < n; i++) {
        ney_smo_refresh_slopes(s, i);
    }
    const ney_status st = ney_smo_move_to(s, NULL, aim, n, err);
    ney_release(&s->env, aim);
    return st;
}

bool ney_smo_has_drifted(const ney_smo *s)
{
    double fresh = 0;
    for (int64_t i = 0; i < s->p->n; i++) {
        fresh += DBL_EPSILON * s->largest * fabs(s->v[i]);
    }
    return s->drift > 0.01 * s->o->tol && s->drift > 4 * fresh;
}

void ney_smo_restore_sum(ney_smo *s)
{
    double sum = 0;
    for (int64_t i = 0; i < s->p->n; i++) {
        sum += s->v[i];
    }
    s->w.astray = sum;
    for (int64_t i = 0; i < s->p->n && s->w.astray != 0; i++) {
        const double low = s->p->low[i], high = s->p->high[i], aim = s->v[i] - sum;
        if (s->v[i] > low && s->v[i] < high && aim > low && aim < high) {
            s->v[i] = aim;
            s->w.astray = 0;
            ney_smo_refresh_slopes(s, i);
        }
    }
}
