#include "qp/solver.h"

#include "base/clock.h"
#include "linalg/rows.h"
#include "qp/activeset.h"
#include "qp/linear.h"
#include "qp/smo.h"

#include <math.h>
#include <string.h>

static const double ROUGH = 1e-3; /* tolerance of the solution that the exact method begins with */
/* Rounding of scores, in units of the largest slope (1 for the hinge loss, eta for the ramp loss),
 * and of the objective, as a share of it, beyond which nothing has converged. */
static const double COARSEST_SCORE = 2.5e-3, COARSEST_OBJECTIVE = 2e-3;

static void forget_rows(ney_solver *s)
{
    if (s->cache.gram) {
        ney_rowcache_deinit(&s->cache);
    }
    if (s->gram.x) {
        ney_gram_deinit(&s->gram);
    }
    ney_release(&s->env, s->last.v);
    ney_release(&s->env, s->last.f);
    s->cache = (ney_rowcache){0};
    s->gram = (ney_gram){0};
    s->last = (ney_smo_memory){0};
}

void ney_solver_deinit(ney_solver *s)
{
    ney_release(&s->env, s->w);
    forget_rows(s);
    if (s->env.team == &s->team) {
        ney_team_end(&s->team);
    }
    *s = (ney_solver){0};
}

/* Whether a pass over the rows (linear), or all kernel values, takes about as long as it takes
 * threads to start and end one. */
static bool is_small(const ney_matrix *x, const ney_kernel *kernel)
{
    enum { FEW_ENTRIES = 16384, FEW_PRODUCTS = 1 << 20 };
    const double stored = (double)ney_matrix_stored(x);
    return kernel->kind == NEY_KERNEL_LINEAR ? stored <= FEW_ENTRIES
                                             : (double)x->rows * stored <= FEW_PRODUCTS;
}

ney_status ney_solver_init(ney_solver *s, const ney_env *env, const ney_matrix *x,
                           const ney_kernel *kernel, double cache_bytes, ney_error *err)
{
    *s = (ney_solver){.env = *env, .x = x, .kernel = *kernel, .cache_bytes = cache_bytes};
    if (is_small(x, kernel)) {
        s->env.team = NULL;
        s->env.threads = 1;
    } else if (!env->team) {
        ney_team_begin(&s->team, &s->env);
    }
    if (kernel->kind == NEY_KERNEL_LINEAR) {
        s->w = ney_alloc_zeroed(env, x->cols, sizeof *s->w);
        if (!s->w) {
            ney_solver_deinit(s);
            return ney_no_memory(err, x->cols, "weights");
        }
    }
    return NEY_OK;
}

/* The rows of the problem before serve if they are of the right kind. */
static ney_status prepare_rows(ney_solver *s, bool is_fine, ney_error *err)
{
    ney_status st;
    s->needs_fine = s->needs_fine || (!s->gram.x && ney_gram_needs_fine(s->x, &s->kernel));
    const bool fine = is_fine || s->needs_fine;
    if (s->gram.x && s->gram.fine == fine) {
        return NEY_OK;
    }
    forget_rows(s);
    st = ney_gram_init(&s->gram, &s->env, s->x, &s->kernel, fine, err);
    if (st == NEY_OK) {
        st = ney_rowcache_init(&s->cache, &s->gram, s->cache_bytes, NEY_SMO_ROWS, err);
    }
    s->cache.view = fine ? NULL : s->view;
    if (st == NEY_OK) {
        s->last.v = ney_alloc(&s->env, s->x->rows, sizeof *s->last.v);
        s->last.f = ney_alloc(&s->env, s->x->rows, sizeof *s->last.f);
        if (!s->last.v || !s->last.f) {
            st = ney_no_memory(err, s->x->rows, "dual variables");
        }
    }
    if (st != NEY_OK) {
        forget_rows(s);
    }
    return st;
}

/* The limits that are left after some iterations. */
static ney_qp_opts rest_of(const ney_qp_opts *opts, int64_t iterations, double begin)
{
    ney_qp_opts rest = *opts;
    if (opts->max_time > 0) {
        rest.max_time = fmax(opts->max_time - (ney_now() - begin), 1e-9);
    }
    rest.spent += iterations;
    return rest;
}

/* A point to return to. */
typedef struct point {
    double *v, *f;
    ney_qp_info info;
} point;

static bool keep_point(const ney_solver *s, point *kept, const double *v, const double *f,
                       const ney_qp_info *info)
{
    const int64_t n = s->x->rows;
    kept->v = ney_alloc(&s->env, 2 * n, sizeof *kept->v);
    if (kept->v) {
        kept->f = kept->v + n;
        kept->info = *info;
        memcpy(kept->v, v, (size_t)n * sizeof *v);
        memcpy(kept->f, f, (size_t)n * sizeof *f);
    }
    return kept->v;
}

/* Where rounding has led the exact method away, the point before it is the better one. */
static void take_better(const point *before, int64_t n, double *v, double *f, ney_qp_info *info)
{
    const double noise = 1e-10 * (fabs(info->primal) + fabs(info->dual));
    if (info->primal - info->dual <= before->info.primal - before->info.dual + noise) {
        return;
    }
    const ney_stop stop = info->stop == NEY_STOP_CONVERGED ? NEY_STOP_PRECISION : info->stop;
    const int64_t iterations = info->iterations;
    memcpy(v, before->v, (size_t)n * sizeof *v);
    memcpy(f, before->f, (size_t)n * sizeof *f);
    *info = before->info;
    info->stop = stop;
    info->iterations = iterations;
}

/* w = X'v of the point found. */
static void refresh_weights(ney_solver *s, const double *v)
{
    memset(s->w, 0, (size_t)s->x->cols * sizeof *s->w);
    for (int64_t i = 0; i < s->x->rows; i++) {
        if (v[i] != 0) {
            ney_row_add(s->x, i, v[i], s->w);
        }
    }
}

static ney_status solve_linear(const ney_solver *s, const ney_qp *p, const ney_qp_opts *opts,
                               double *v, double *f, ney_qp_info *info, ney_error *err)
{
    ney_linear_qp q = {.env = s->env,
                       .x = s->x,
                       .p = p,
                       .o = opts,
                       .v = v,
                       .f = f,
                       .w = s->w,
                       .blocks = s->blocks};
    return ney_linear_solve(&q, info, err);
}

/* Few rows differ between an approximate solution and the exact one: begin with the former. Limits
 * hold for both together. */
static ney_status solve_exactly(ney_solver *s, const ney_qp *p, const ney_qp_opts *opts, double *v,
                                double *f, ney_qp_info *info, ney_error *err)
{
    ney_qp_opts rough = *opts;
    const double begin = ney_now();
    rough.tol = fmax(opts->tol, ROUGH);
    ney_status st = s->w ? solve_linear(s, p, &rough, v, f, info, err)
                         : ney_smo_solve(&s->cache, p, &rough, v, f, &s->last, info, err);
    const bool done = info->stop == NEY_STOP_CONVERGED || info->stop == NEY_STOP_PRECISION;
    const int64_t iterations = info->iterations;
    if (st != NEY_OK || !done) {
        return st;
    }
    point before = {0};
    if (!keep_point(s, &before, v, f, info)) {
        return ney_no_memory(err, p->n, "dual variables");
    }
    const ney_qp_opts rest = rest_of(opts, iterations, begin);
    if ((st = ney_activeset_solve(&s->cache, p, &rest, v, f, info, err)) == NEY_OK) {
        info->iterations += iterations;
        take_better(&before, p->n, v, f, info);
        if (s->w) {
            refresh_weights(s, v);
        }
    }
    ney_release(&s->env, before.v);
    return st;
}

/* Whether rounding of kernel values is too large. Its errors in a score have independent signs; in
 * the objective those of all scores may add up. */
static bool is_too_coarse(const ney_solver *s, const ney_qp *p, const double *v,
                          const ney_qp_info *info)
{
    double largest = 0, square = 0, sum = 0, slope = 0;
    for (int64_t i = 0; i < s->x->rows; i++) {
        largest = fmax(largest, fabs(ney_gram_diagonal(&s->gram, i)));
        slope = fmax(slope, fmax(fabs(p->slope_low[i]), fabs(p->slope_high[i])));
        square += v[i] * v[i];
        sum += fabs(v[i]);
    }
    const double rounding = (s->gram.fine ? 0x1p-48 : 0x1p-24) * largest * sqrt(square);
    const double objective = fmax(fabs(info->primal), fabs(info->dual));
    return rounding > COARSEST_SCORE * slope || sum * rounding > COARSEST_OBJECTIVE * objective;
}

static ney_status solve_kernel(ney_solver *s, const ney_qp *p, const ney_qp_opts *opts, double *v,
                               double *f, ney_qp_info *info, ney_error *err)
{
    const double begin = ney_now();
    ney_status st = ney_smo_solve(&s->cache, p, opts, v, f, &s->last, info, err);
    const bool falls_short = info->stop == NEY_STOP_PRECISION ||
                             (info->stop == NEY_STOP_CONVERGED && is_too_coarse(s, p, v, info));
    if (st != NEY_OK || s->gram.fine || !falls_short) {
        return st;
    }
    const int64_t iterations = info->iterations;
    const ney_qp_opts rest = rest_of(opts, iterations, begin);
    s->needs_fine = true;
    if ((st = prepare_rows(s, true, err)) == NEY_OK) {
        st = ney_smo_solve(&s->cache, p, &rest, v, f, &s->last, info, err);
        info->iterations += iterations;
    }
    return st;
}

static ney_status solve(ney_solver *s, const ney_qp *p, const ney_qp_opts *opts, double *v,
                        double *f, ney_qp_info *info, ney_error *err)
{
    if (s->w && !opts->exact) {
        return solve_linear(s, p, opts, v, f, info, err);
    }
    ney_status st = prepare_rows(s, opts->exact || opts->tol < NEY_SMO_FINE_TOL, err);
    if (st == NEY_OK && opts->exact) {
        st = solve_exactly(s, p, opts, v, f, info, err);
    } else if (st == NEY_OK) {
        st = solve_kernel(s, p, opts, v, f, info, err);
    }
    if (st == NEY_OK && info->stop == NEY_STOP_CONVERGED && is_too_coarse(s, p, v, info)) {
        info->stop = NEY_STOP_PRECISION;
    }
    if (st == NEY_ENOMEM) { /* some rows have a place but were never computed */
        forget_rows(s);
    }
    return st;
}

ney_status ney_solver_run(ney_solver *s, const ney_qp *p, const ney_qp_opts *opts, double *v,
                          double *f, ney_qp_info *info, ney_error *err)
{
    const ney_status st = solve(s, p, opts, v, f, info, err);
    return st == NEY_OK ? ney_qp_conclude(info, err) : st;
}
