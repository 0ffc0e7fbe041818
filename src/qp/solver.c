#include "qp/solver.h"

#include "base/clock.h"
#include "qp/activeset.h"
#include "qp/linear.h"
#include "qp/smo.h"

static const double ROUGH = 1e-3; /* tolerance of the solution that the exact method begins with */

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

ney_status ney_solver_init(ney_solver *s, const ney_env *env, const ney_matrix *x,
                           const ney_kernel *kernel, double cache_bytes, ney_error *err)
{
    *s = (ney_solver){.env = *env, .x = x, .kernel = *kernel, .cache_bytes = cache_bytes};
    if (!env->team) {
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
static ney_status prepare_rows(ney_solver *s, bool fine, ney_error *err)
{
    ney_status st;
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

/* Few rows stand elsewhere in a rough solution than in the exact one: begin there. Limits hold for
 * both together. */
static ney_status solve_exactly(ney_solver *s, const ney_qp *p, const ney_qp_opts *opts, double *v,
                                double *f, ney_qp_info *info, ney_error *err)
{
    ney_qp_opts rough = *opts, rest = *opts;
    const double begin = ney_now();
    rough.tol = fmax(opts->tol, ROUGH);
    ney_status st = s->w ? ney_linear_solve(&s->env, s->x, p, &rough, v, f, s->w, info, err)
                         : ney_smo_solve(&s->cache, p, &rough, v, f, &s->last, info, err);
    const bool done = info->stop == NEY_STOP_CONVERGED || info->stop == NEY_STOP_PRECISION;
    const int64_t iterations = info->iterations;
    if (st != NEY_OK || !done) {
        return st;
    }
    if (opts->max_time > 0) {
        rest.max_time = fmax(opts->max_time - (ney_now() - begin), 1e-9);
    }
    if (opts->max_iter > 0) { /* 0 would mean no limit */
        rest.max_iter = iterations < opts->max_iter ? opts->max_iter - iterations : 1;
    }
    st = ney_activeset_solve(&s->cache, p, &rest, v, f, info, err);
    info->iterations += iterations;
    return st;
}

ney_status ney_solver_run(ney_solver *s, const ney_qp *p, const ney_qp_opts *opts, double *v,
                          double *f, ney_qp_info *info, ney_error *err)
{
    if (s->w && !opts->exact) {
        return ney_linear_solve(&s->env, s->x, p, opts, v, f, s->w, info, err);
    }
    ney_status st = prepare_rows(s, opts->exact || opts->tol < NEY_SMO_FINE_TOL, err);
    if (st == NEY_OK && opts->exact) {
        st = solve_exactly(s, p, opts, v, f, info, err);
    } else if (st == NEY_OK) {
        st = ney_smo_solve(&s->cache, p, opts, v, f, &s->last, info, err);
    }
    if (st == NEY_ENOMEM) { /* some rows have a place but were never computed */
        forget_rows(s);
    }
    return st;
}
