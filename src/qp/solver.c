#include "qp/solver.h"

#include "qp/linear.h"
#include "qp/smo.h"

ney_status ney_solver_init(ney_solver *s, const ney_env *env, const ney_matrix *x,
                           const ney_kernel *kernel, double cache_bytes, ney_error *err)
{
    ney_status st;
    *s = (ney_solver){.env = *env, .x = x, .kernel = *kernel};
    if (kernel->kind == NEY_KERNEL_LINEAR) {
        s->w = ney_alloc_zeroed(env, x->cols, sizeof *s->w);
        return s->w ? NEY_OK : ney_no_memory(err, x->cols, "weights");
    }
    if ((st = ney_gram_init(&s->gram, env, x, kernel, err)) == NEY_OK) {
        st = ney_rowcache_init(&s->cache, &s->gram, cache_bytes, NEY_SMO_ROWS, err);
    }
    if (st != NEY_OK) {
        ney_solver_deinit(s);
    }
    return st;
}

void ney_solver_deinit(ney_solver *s)
{
    ney_release(&s->env, s->w);
    if (s->cache.gram) {
        ney_rowcache_deinit(&s->cache);
    }
    if (s->gram.x) {
        ney_gram_deinit(&s->gram);
    }
    *s = (ney_solver){0};
}

ney_status ney_solver_run(ney_solver *s, const ney_qp *p, const ney_qp_opts *opts, double *v,
                          double *f, ney_qp_info *info, ney_error *err)
{
    return s->w ? ney_linear_solve(&s->env, s->x, p, opts, v, f, s->w, info, err)
                : ney_smo_solve(&s->cache, p, opts, v, f, info, err);
}
