/* Where coordinate descent has found which rows sit on bounds, what is left is a system of linear
 * equations for the rows that do not, and one coordinate at a time is a slow way to solve it.
 * Conjugate gradients on that face of the box,
 *
 *     (X_F X_F' + rho 11') delta = r,    r_i = slope_i - x_i'w - b,
 *
 * cost as much a step as a pass over these rows, run on all threads, and need far fewer of them.
 * The result is cut to the box. What was cut leaves the face, and the others get another round to
 * make up for it: rows share large components, so a few that stop short push all others off. */
#include "base/parallel.h"
#include "linalg/rows.h"
#include "linalg/vector.h"
#include "qp/dcd.h"

#include <math.h>
#include <string.h>

/* Sums over rows are made in parts, by the data alone: results do not depend on the number of
 * threads. */
enum { SCORE_PARTS = 16, ADD_PARTS = 2 };

typedef struct face {
    ney_dcd *d;
    int64_t n;
    int64_t *row;
    double *rest, *way, *delta, *image; /* r, the search direction, the sum of steps, K way */
    double *weight;                     /* X_F' way, in parts */
    const double *from;                 /* what a product is made of */
    double *to;
} face;

static bool is_inside(const ney_dcd_item *t)
{
    return t->v > t->low && t->v < t->high && t->v != t->middle;
}

static void add_part(void *context, int64_t part, int thread)
{
    const face *f = context;
    const ney_matrix *x = f->d->q->x;
    double *const to = f->weight + part * x->cols;
    (void)thread;
    memset(to, 0, (size_t)x->cols * sizeof *to);
    for (int64_t k = f->n * part / ADD_PARTS; k < f->n * (part + 1) / ADD_PARTS; k++) {
        ney_row_add(x, f->row[k], f->from[k], to);
    }
}

static void score_part(void *context, int64_t part, int thread)
{
    const face *f = context;
    (void)thread;
    for (int64_t k = f->n * part / SCORE_PARTS; k < f->n * (part + 1) / SCORE_PARTS; k++) {
        f->to[k] = ney_linear_score(f->d->q->x, f->row[k], f->from);
    }
}

/* weight = X_F' from */
static void weigh(face *f, const double *from)
{
    const int64_t cols = f->d->q->x->cols;
    f->from = from;
    ney_parallel_for(&f->d->q->env, ADD_PARTS, add_part, f);
    for (int64_t c = 0; c < cols; c++) {
        for (int64_t part = 1; part < ADD_PARTS; part++) {
            f->weight[c] += f->weight[part * cols + c];
        }
    }
}

/* to = X_F from */
static void score(face *f, const double *from, double *to)
{
    f->from = from;
    f->to = to;
    ney_parallel_for(&f->d->q->env, SCORE_PARTS, score_part, f);
}

static double sum_of(const double *a, int64_t n)
{
    double sum = 0;
    for (int64_t k = 0; k < n; k++) {
        sum += a[k];
    }
    return sum;
}

static double largest(const double *a, int64_t n)
{
    double most = 0;
    for (int64_t k = 0; k < n; k++) {
        most = fmax(most, fabs(a[k]));
    }
    return most;
}

static bool face_init(face *f)
{
    const ney_env *env = &f->d->q->env;
    f->row = ney_alloc(env, f->d->n_active, sizeof *f->row);
    f->rest = ney_alloc(env, 4 * f->d->n_active, sizeof *f->rest);
    f->weight = ney_alloc(env, ADD_PARTS * f->d->q->x->cols, sizeof *f->weight);
    if (!f->row || !f->rest || !f->weight) {
        return false;
    }
    for (int64_t k = 0; k < f->d->n_active; k++) {
        if (is_inside(&f->d->item[f->d->active[k]])) {
            f->row[f->n++] = f->d->active[k];
        }
    }
    f->way = f->rest + f->n;
    f->delta = f->rest + 2 * f->n;
    f->image = f->rest + 3 * f->n;
    return true;
}

static void face_deinit(face *f)
{
    const ney_env *env = &f->d->q->env;
    ney_release(env, f->row);
    ney_release(env, f->rest);
    ney_release(env, f->weight);
}

/* A stop that is asked for here is seen again after the next pass. */
static bool goes_on(const ney_dcd *d)
{
    const ney_env *env = &d->q->env;
    const ney_progress progress = {
        .stage = "training", .done = (double)d->passes, .value = d->polished};
    return !env->poll || env->poll(env->user, &progress);
}

/* delta by conjugate gradients, until the residual is below tol everywhere. */
static void solve(face *f, int most, double tol)
{
    double square = ney_dot(f->rest, f->rest, f->n);
    memset(f->delta, 0, (size_t)f->n * sizeof *f->delta);
    memcpy(f->way, f->rest, (size_t)f->n * sizeof *f->way);
    for (int k = 0; k < most && square > 0 && largest(f->rest, f->n) > tol && goes_on(f->d); k++) {
        weigh(f, f->way);
        score(f, f->weight, f->image);
        const double level = f->d->rho * sum_of(f->way, f->n);
        for (int64_t i = 0; i < f->n; i++) {
            f->image[i] += level;
        }
        const double curve = ney_dot(f->way, f->image, f->n);
        if (!(curve > 0)) {
            break;
        }
        const double step = square / curve, before = square;
        for (int64_t i = 0; i < f->n; i++) {
            f->delta[i] += step * f->way[i];
            f->rest[i] -= step * f->image[i];
        }
        square = ney_dot(f->rest, f->rest, f->n);
        for (int64_t i = 0; i < f->n; i++) {
            f->way[i] = f->rest[i] + square / before * f->way[i];
        }
    }
}

/* The slopes of the dual at the point, from fresh scores. */
static void take_rest(face *f)
{
    const ney_dcd *d = f->d;
    const double b = d->b0 + d->rho * d->sum;
    score(f, d->q->w, f->rest);
    for (int64_t k = 0; k < f->n; k++) {
        ney_dcd_item *t = &d->item[f->row[k]];
        t->score = f->rest[k];
        f->rest[k] = (t->v < t->middle ? t->slope_low : t->slope_high) - t->score - b;
    }
}

/* Move by delta, cut to the piece that each row is on. Rows that were cut leave the face. */
static int64_t advance(face *f)
{
    ney_dcd *d = f->d;
    const int64_t n = f->n;
    for (int64_t k = 0; k < n; k++) {
        ney_dcd_item *t = &d->item[f->row[k]];
        const bool below = t->v < t->middle;
        const double aim = t->v + f->delta[k];
        const double to = fmin(fmax(aim, below ? t->low : t->middle), below ? t->middle : t->high);
        f->delta[k] = to - t->v;
        f->image[k] = to == aim;
        t->v = to;
    }
    weigh(f, f->delta);
    d->sum += sum_of(f->delta, n);
    for (int64_t c = 0; c < d->q->x->cols; c++) {
        d->q->w[c] += f->weight[c];
    }
    f->n = 0;
    for (int64_t k = 0; k < n; k++) {
        if (f->image[k] != 0) {
            f->row[f->n++] = f->row[k];
        }
    }
    return n - f->n;
}

/* The point, to go back to. */
typedef struct copy {
    double *v, *w, sum; /* v of the rows in play */
} copy;

static bool copy_init(copy *c, const ney_dcd *d)
{
    c->v = ney_alloc(&d->q->env, d->n_active, sizeof *c->v);
    c->w = ney_alloc(&d->q->env, d->q->x->cols, sizeof *c->w);
    if (!c->v || !c->w) {
        return false;
    }
    for (int64_t k = 0; k < d->n_active; k++) {
        c->v[k] = d->item[d->active[k]].v;
    }
    memcpy(c->w, d->q->w, (size_t)d->q->x->cols * sizeof *c->w);
    c->sum = d->sum;
    return true;
}

static void go_back(ney_dcd *d, const copy *c)
{
    for (int64_t k = 0; k < d->n_active; k++) {
        d->item[d->active[k]].v = c->v[k];
    }
    memcpy(d->q->w, c->w, (size_t)d->q->x->cols * sizeof *c->w);
    d->sum = c->sum;
}

bool ney_dcd_polish(ney_dcd *d, double tol)
{
    enum { ROUNDS = 3, STEPS = 20 };
    face f = {.d = d};
    copy start = {0};
    const bool fine = face_init(&f) && copy_init(&start, d);
    if (fine) {
        const double before = ney_dcd_dual(d);
        for (int64_t round = 0, cut = 1; round < ROUNDS && cut > 0 && f.n > 0 && goes_on(d);
             round++) {
            take_rest(&f);
            solve(&f, STEPS, tol);
            cut = advance(&f);
        }
        const double after = ney_dcd_dual(d);
        if (after < before - 0.5 * (before - d->mark)) {
            go_back(d, &start);
            d->mark = before;
        } else {
            d->mark = after;
        }
    }
    ney_release(&d->q->env, start.v);
    ney_release(&d->q->env, start.w);
    face_deinit(&f);
    return fine;
}
