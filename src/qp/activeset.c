/* The QP [QP.1] by active sets, as Vishwanathan, Smola and Murty (2003) do for the hinge and
 * Grandvalet et al. (2009) for the double hinge: the five sets [REJ.5] are the two ends of a row's
 * box, the middle where its slope changes, and the insides of the two pieces between them. Rows
 * inside a piece are free; with the others fixed, the best point has
 *
 *     K_hh d + b 1 = s_h - f_h,   1'd = 0          d the step of the free rows
 *
 * which the Cholesky factor of K_hh + c 11' solves for any c > 0: where 1'd = 0 the constant
 * changes nothing. A step goes there, or as far as the pieces reach; a row at the end of its piece
 * leaves the free set. When none is in the way, the row that violates [QP.2] most becomes free.
 *
 * A row that depends on those that are free (duplicates, more rows than columns) would make the
 * matrix singular. It enters with a little more on its diagonal: d is then still a direction of
 * ascent, and the step along it the one that is best for the true K, most often up to the end of a
 * piece. */
#include "qp/activeset.h"

#include "base/clock.h"
#include "linalg/cholesky.h"
#include "linalg/rows.h"
#include "qp/free_rows.h"

#include <math.h>
#include <string.h>

enum {
    IDLE_STEPS = 100, /* without gain, before violators are taken by number: no circles then */
    MOST_TURNS = 30   /* at the same free rows, for rounding and the little more to die out */
};

static const double FINEST = 1e-9;

typedef struct activeset {
    const ney_qp *p;
    const ney_qp_opts *o;
    ney_env env;
    ney_rowcache *cache;
    double *v, *f, b, tol, begin;
    ney_free_rows set;
    bool *is_free, *second; /* the second: which piece a free row is in */
    double *change;         /* of f, along the direction set.x: n numbers */
    int64_t idle;           /* steps without gain */
    ney_qp_progress progress;
} activeset;

static void deinit(activeset *a)
{
    ney_release_all(&a->env, a->is_free, a->second, a->change);
    ney_free_rows_deinit(&a->set);
}

/* ---------------------------------------------------------------- kernel rows */

/* to += sum_k t[k] K_row[k]; t NULL: the point's own. */
static ney_status add_rows(activeset *a, const int64_t *row, int64_t m, const double *t, double *to,
                           ney_error *err)
{
    const int64_t n = a->p->n;
    const float *kernel[NEY_ACTIVESET_ROWS];
    for (int64_t first = 0; first < m; first += NEY_ACTIVESET_ROWS) {
        const int64_t some = m - first < NEY_ACTIVESET_ROWS ? m - first : NEY_ACTIVESET_ROWS;
        const ney_status st = ney_rowcache_get(a->cache, row + first, some, kernel, err);
        if (st != NEY_OK) {
            return st;
        }
        for (int64_t k = 0; k < some; k++) {
            const double by = t ? t[first + k] : a->v[row[first + k]];
            for (int64_t i = 0; i < n; i++) {
                to[i] += by * ney_fine_entry(kernel[k], n, i);
            }
        }
    }
    return NEY_OK;
}

/* f = X(X'v): no kernel row is needed for it. */
static ney_status compute_linear_f(activeset *a, ney_error *err)
{
    const ney_matrix *const x = a->cache->gram->x;
    double *w = ney_alloc_zeroed(&a->env, x->cols, sizeof *w);
    if (!w) {
        return ney_no_memory(err, x->cols, "weights");
    }
    for (int64_t i = 0; i < x->rows; i++) {
        if (a->v[i] != 0) {
            ney_row_add(x, i, a->v[i], w);
        }
    }
    for (int64_t i = 0; i < x->rows; i++) {
        a->f[i] = ney_row_dot(x, i, w, x->cols);
    }
    ney_release(&a->env, w);
    return NEY_OK;
}

/* f = Kv, from nothing. */
static ney_status compute_f(activeset *a, ney_error *err)
{
    if (a->cache->gram->kernel.kind == NEY_KERNEL_LINEAR) {
        return compute_linear_f(a, err);
    }
    const int64_t n = a->p->n;
    int64_t m = 0, *row = ney_alloc(&a->env, n, sizeof *row);
    if (!row) {
        return ney_no_memory(err, n, "rows");
    }
    for (int64_t i = 0; i < n; i++) {
        a->f[i] = 0;
        if (a->v[i] != 0) {
            row[m++] = i;
        }
    }
    const ney_status st = add_rows(a, row, m, NULL, a->f, err);
    ney_release(&a->env, row);
    return st;
}

/* ---------------------------------------------------------------- the free rows */

static ney_status set_free(activeset *a, int64_t i, ney_error *err)
{
    const float *kernel;
    ney_status st = ney_rowcache_get(a->cache, &i, 1, &kernel, err);
    if (st == NEY_OK && (st = ney_free_rows_add(&a->set, i, kernel, a->p->n, err)) == NEY_OK) {
        a->is_free[i] = true;
    }
    return st;
}

static void set_bound(activeset *a, int64_t k)
{
    a->is_free[a->set.row[k]] = false;
    ney_free_rows_remove(&a->set, k);
}

/* The piece that a free row is in. */
typedef struct piece {
    double low, high, slope;
} piece;

static piece piece_of(const activeset *a, int64_t i)
{
    const ney_qp *const p = a->p;
    return a->second[i] ? (piece){fmax(p->middle[i], p->low[i]), p->high[i], p->slope_high[i]}
                        : (piece){p->low[i], fmin(p->middle[i], p->high[i]), p->slope_low[i]};
}

/* ---------------------------------------------------------------- steps */

/* The direction x and the intercept b. Returns the largest residual, that is what the slope of a
 * row's piece leaves of b; *ascent = x'residual. */
static double find_direction(activeset *a, double *ascent)
{
    const int64_t m = a->set.n;
    double sum_x = 0, sum_y = 0, worst = 0;
    for (int64_t k = 0; k < m; k++) {
        a->set.x[k] = piece_of(a, a->set.row[k]).slope - a->f[a->set.row[k]];
        a->set.y[k] = 1;
    }
    ney_packed_solve_two(a->set.l, m, a->set.x, a->set.y);
    for (int64_t k = 0; k < m; k++) {
        sum_x += a->set.x[k];
        sum_y += a->set.y[k];
    }
    a->b = sum_x / sum_y;
    *ascent = 0;
    for (int64_t k = 0; k < m; k++) {
        const double residual = piece_of(a, a->set.row[k]).slope - a->f[a->set.row[k]] - a->b;
        a->set.x[k] -= a->b * a->set.y[k];
        *ascent += a->set.x[k] * residual;
        worst = fmax(worst, fabs(residual));
    }
    return worst;
}

/* The step along x that no piece's end forbids, at most `most`; *blocker is the place of the row at
 * its end, -1 when none is. */
static double largest_step(const activeset *a, double most, int64_t *blocker)
{
    *blocker = -1;
    for (int64_t k = 0; k < a->set.n; k++) {
        const piece at = piece_of(a, a->set.row[k]);
        const double v = a->v[a->set.row[k]], distance = a->set.x[k] > 0 ? at.high - v : v - at.low;
        if (a->set.x[k] != 0 && distance < most * fabs(a->set.x[k])) {
            most = fmax(0, distance / fabs(a->set.x[k]));
            *blocker = k;
        }
    }
    return most;
}

static void take_step(activeset *a, double t, int64_t blocker)
{
    for (int64_t k = 0; k < a->set.n; k++) {
        const piece at = piece_of(a, a->set.row[k]);
        double *const v = &a->v[a->set.row[k]];
        *v = k == blocker ? (a->set.x[k] > 0 ? at.high : at.low)
                          : fmin(fmax(*v + t * a->set.x[k], at.low), at.high);
    }
    for (int64_t i = 0; i < a->p->n; i++) {
        a->f[i] += t * a->change[i];
    }
}

static ney_status move_along(activeset *a, double ascent, ney_error *err)
{
    double curve = 0;
    int64_t blocker;

    memset(a->change, 0, (size_t)a->p->n * sizeof *a->change);
    const ney_status st = add_rows(a, a->set.row, a->set.n, a->set.x, a->change, err);
    if (st != NEY_OK) {
        return st;
    }
    for (int64_t k = 0; k < a->set.n; k++) {
        curve += a->set.x[k] * a->change[a->set.row[k]];
    }
    const double t = largest_step(a, curve > 0 ? ascent / curve : (double)INFINITY, &blocker);
    if (isfinite(t)) { /* else there is nothing to gain and nothing in the way */
        take_step(a, t, blocker);
        a->idle = t * ascent > 0 ? 0 : a->idle + 1;
    }
    if (blocker >= 0) {
        set_bound(a, blocker);
    }
    return NEY_OK;
}

/* Whether the certificate no longer gets better, though steps still seem to gain. */
static bool stagnates(activeset *a, const ney_qp_info *info)
{
    enum { MOST_STALE = 10 };
    const int64_t every = 100 + a->p->n;
    ney_qp_info found = *info;
    if (info->iterations < a->progress.next) {
        return false;
    }
    a->progress.next = info->iterations + every;
    ney_qp_certify(a->p, a->v, a->f, &found);
    return ney_qp_stagnates(&a->progress, &found, MOST_STALE);
}

static bool should_stop(activeset *a, ney_qp_info *info)
{
    if (ney_qp_limit_reached(&a->env, a->o, a->begin, info, info->violation)) {
        return true;
    }
    if (a->idle > IDLE_STEPS + a->p->n || stagnates(a, info)) {
        info->stop = NEY_STOP_PRECISION;
        return true;
    }
    return false;
}

/* Steps until the free rows are stationary and no bound blocks them. */
static ney_status solve_free(activeset *a, ney_qp_info *info, ney_error *err)
{
    for (int turns = 0; a->set.n > 0 && turns < MOST_TURNS; turns++) {
        const int64_t before = a->set.n;
        double ascent;
        if (find_direction(a, &ascent) <= 0.1 * a->tol || !(ascent > 0)) {
            break;
        }
        const ney_status st = move_along(a, ascent, err);
        info->iterations++;
        if (st != NEY_OK || should_stop(a, info)) {
            return st;
        }
        turns = a->set.n < before ? 0 : turns;
    }
    return NEY_OK;
}

/* ---------------------------------------------------------------- rows that become free */

/* A row at an end of its piece, and its direction. */
typedef struct violator {
    int64_t row; /* -1: none */
    bool up;
    double violation;
} violator;

/* The row that violates [QP.2] most, given b; or, when steps gain nothing, the first one. */
static violator find_violator(const activeset *a)
{
    const ney_qp *const p = a->p;
    violator worst = {.row = -1, .violation = a->tol};
    for (int64_t i = 0; i < p->n; i++) {
        if (a->is_free[i]) {
            continue;
        }
        const double rise = ney_qp_up(p, i, a->v[i]) - a->f[i] - a->b;
        const double fall = a->b - ney_qp_down(p, i, a->v[i]) + a->f[i];
        if (fmax(rise, fall) > worst.violation) {
            worst = (violator){i, rise > fall, fmax(rise, fall)};
            if (a->idle > IDLE_STEPS) {
                break;
            }
        }
    }
    return worst;
}

static ney_status free_violator(activeset *a, const violator *w, ney_error *err)
{
    const double v = a->v[w->row], middle = a->p->middle[w->row];
    a->second[w->row] = w->up ? v >= middle : v > middle;
    return set_free(a, w->row, err);
}

/* With no free row, the one with the largest slope upwards determines b; it moves once another is
 * free. */
static ney_status free_first(activeset *a, ney_error *err)
{
    const ney_qp *const p = a->p;
    violator first = {.row = -1, .up = true};
    a->b = -(double)INFINITY;
    for (int64_t i = 0; i < p->n; i++) {
        const double b = ney_qp_up(p, i, a->v[i]) - a->f[i];
        if (b > a->b) {
            a->b = b;
            first.row = i;
        }
    }
    return first.row >= 0 ? free_violator(a, &first, err) : NEY_OK;
}

static ney_status iterate(activeset *a, ney_qp_info *info, ney_error *err)
{
    ney_status st = should_stop(a, info) ? NEY_OK : solve_free(a, info, err);
    while (st == NEY_OK && info->stop == NEY_STOP_CONVERGED) {
        if (a->set.n == 0 && (st = free_first(a, err)) != NEY_OK) {
            return st;
        }
        const violator w = find_violator(a);
        info->violation = w.violation;
        if (w.row < 0 || a->set.n == 0) {
            return NEY_OK;
        }
        if ((st = free_violator(a, &w, err)) == NEY_OK) {
            st = solve_free(a, info, err);
        }
    }
    return st;
}

/* ---------------------------------------------------------------- the whole */

static ney_status init(activeset *a, ney_error *err)
{
    const ney_qp *const p = a->p;
    ney_status st = NEY_OK;
    a->is_free = ney_alloc_zeroed(&a->env, p->n, sizeof *a->is_free);
    a->second = ney_alloc_zeroed(&a->env, p->n, sizeof *a->second);
    a->change = ney_alloc(&a->env, p->n, sizeof *a->change);
    if (!a->is_free || !a->second || !a->change) {
        return ney_no_memory(err, p->n, "dual variables");
    }
    for (int64_t i = 0; i < p->n; i++) {
        a->set.shift = fmax(a->set.shift, fabs(ney_gram_diagonal(a->cache->gram, i)));
    }
    a->set.shift = a->set.shift > 0 ? a->set.shift : 1;
    for (int64_t i = 0; i < p->n && st == NEY_OK; i++) {
        const double v = a->v[i];
        if (v > p->low[i] && v < p->high[i] && v != p->middle[i]) {
            a->second[i] = v > p->middle[i];
            st = set_free(a, i, err);
        }
    }
    return st == NEY_OK ? compute_f(a, err) : st;
}

/* Rounding may leave sum v slightly different from 0. f is computed again after the repair. */
static ney_status finish_point(activeset *a, ney_qp_info *info, ney_error *err)
{
    (void)ney_qp_repair(a->p, a->v);
    const ney_status st = compute_f(a, err);
    if (st == NEY_OK) {
        ney_qp_certify(a->p, a->v, a->f, info);
    }
    return st;
}

ney_status ney_activeset_solve(ney_rowcache *cache, const ney_qp *p, const ney_qp_opts *opts,
                               double *v, double *f, ney_qp_info *info, ney_error *err)
{
    activeset a = {.p = p,
                   .o = opts,
                   .env = cache->gram->env,
                   .set = {.env = cache->gram->env},
                   .cache = cache,
                   .v = v,
                   .f = f,
                   .tol = fmin(opts->tol, FINEST),
                   .begin = ney_now()};
    *info = (ney_qp_info){0};
    if (!ney_qp_repair(p, v)) {
        return ney_fail(err, NEY_EINVAL, "no point of the box satisfies the equality constraint");
    }
    ney_status st = init(&a, err);
    if (st == NEY_OK) {
        st = iterate(&a, info, err);
    }
    if (st == NEY_OK) {
        st = finish_point(&a, info, err);
    }
    deinit(&a);
    return st;
}
