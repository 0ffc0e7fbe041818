#include "learn/task.h"

#include "base/clock.h"
#include "base/sum.h"
#include "data/data.h"
#include "learn/method.h"
#include "learn/shared.h"
#include "linalg/rows.h"

#include <math.h>
#include <unistd.h>

static ney_status count_classes(ney_task *t, ney_error *err)
{
    if (!t->label) {
        return ney_fail(err, NEY_EINVAL, "the data have no labels");
    }
    ney_shared_classes(t->blocks, t->label, t->x->rows, &t->n_pos, &t->n_neg);
    if (t->n_pos == 0 || t->n_neg == 0) {
        return ney_fail(err, NEY_EINVAL, "%lld rows and none of them %s, expected both classes",
                        (long long)(t->n_pos + t->n_neg), t->n_pos == 0 ? "positive" : "negative");
    }
    return NEY_OK;
}

double ney_gamma_scale(const ney_matrix *x)
{
    const int64_t stored = ney_matrix_stored(x);
    const float *const value = x->dense ? x->dense : x->value;
    const double cells = (double)x->rows * (double)x->cols;
    double sum = 0, squares = 0, rest = 0;
    for (int64_t k = 0; k < stored; k++) {
        ney_sum_add(&sum, &rest, (double)value[k]);
    }
    const double mean = cells > 0 ? (sum + rest) / cells : 0;
    rest = 0;
    for (int64_t k = 0; k < stored; k++) {
        ney_sum_add(&squares, &rest, ((double)value[k] - mean) * ((double)value[k] - mean));
    }
    squares += rest + (cells - (double)stored) * mean * mean;
    return squares > 0 ? (double)x->rows / squares : 1;
}

ney_kernel ney_task_kernel(const ney_train_opts *o, const ney_matrix *x)
{
    return (ney_kernel){
        .kind = o->kernel,
        .gamma = o->gamma > 0 || o->kernel == NEY_KERNEL_LINEAR ? o->gamma : ney_gamma_scale(x),
        .coef0 = o->coef0,
        .degree = o->degree};
}

double ney_task_cache(const ney_train_opts *o)
{
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    return o->cache > 0 ? o->cache : memory / 4e6;
}

ney_status ney_task_init(ney_task *t, const ney_env *env, const ney_data *data,
                         const ney_train_opts *o, ney_error *err)
{
    *t = (ney_task){.env = *env,
                    .data = data,
                    .x = ney_data_matrix(data),
                    .label = ney_data_label(data),
                    .weight = ney_data_weight(data),
                    .blocks = data->blocks,
                    .request = ney_request_of(o),
                    .o = *o,
                    .begin = ney_now()};
    const ney_status st = count_classes(t, err);
    if (st != NEY_OK) {
        return st;
    }
    t->kernel = ney_task_kernel(o, t->x);
    const ney_status begun =
        ney_solver_init(&t->solver, env, t->x, &t->kernel, 1e6 * ney_task_cache(o), err);
    t->solver.blocks = t->blocks;
    return begun;
}

void ney_task_deinit(ney_task *t)
{
    ney_solver_deinit(&t->solver);
    ney_row_view_deinit(&t->view);
    ney_release(&t->env, t->place);
    t->place = NULL;
}

ney_status ney_task_share(ney_task *t, ney_shared_rows *rows, const int64_t *at, ney_error *err)
{
    const ney_status st = ney_row_view_init(&t->view, &t->solver.env, rows, at, t->x->rows, err);
    t->solver.view = st == NEY_OK ? &t->view : NULL;
    return st;
}

ney_status ney_task_chain(ney_task *t, ney_error *err)
{
    t->place = ney_alloc(&t->env, t->x->rows, sizeof *t->place);
    return t->place ? NEY_OK : ney_no_memory(err, t->x->rows, "dual variables");
}

static bool is_exact(const ney_task *t)
{
    return (t->request.method->traits & NEY_METHOD_IS_EXACT) != 0;
}

int64_t ney_task_most_steps(const ney_task *t)
{
    return t->kernel.kind == NEY_KERNEL_LINEAR && !is_exact(t) ? 200000
                                                               : 1000000 + 100000 * t->x->rows;
}

static void begin_at_place(const ney_task *t, const ney_qp *p, double *v)
{
    for (int64_t i = 0; i < p->n; i++) {
        v[i] = t->place[i] * (p->high[i] - p->low[i]);
    }
}

static void keep_place(ney_task *t, const ney_qp *p, const double *v)
{
    for (int64_t i = 0; i < p->n; i++) {
        const double width = p->high[i] - p->low[i];
        t->place[i] = width > 0 ? v[i] / width : 0;
    }
    t->has_place = true;
}

ney_task ney_task_rows(const ney_task *of)
{
    return (ney_task){.env = of->env,
                      .data = of->data,
                      .x = of->x,
                      .label = of->label,
                      .weight = of->weight,
                      .blocks = of->blocks,
                      .n_pos = of->n_pos,
                      .n_neg = of->n_neg,
                      .request = of->request,
                      .o = of->o,
                      .kernel = of->kernel,
                      .begin = ney_now()};
}

void ney_task_restart(ney_task *t, const ney_train_opts *o)
{
    t->request = ney_request_of(o);
    t->o = *o;
    t->begin = ney_now();
    t->iterations = t->solved = 0;
}

double ney_task_seconds(const ney_task *t)
{
    return ney_now() - t->begin;
}

ney_status ney_task_solve(ney_task *t, const ney_qp *p, double tol, double *v, double *f,
                          ney_qp_info *info, ney_error *err)
{
    ney_qp_opts qo = {.tol = tol, .exact = is_exact(t)};
    if (t->o.max_time > 0) {
        qo.max_time = fmax(t->o.max_time - ney_task_seconds(t), 1e-9);
    }
    qo.max_iter = t->o.max_iter > 0 ? t->o.max_iter : ney_task_most_steps(t);
    qo.spent = t->iterations;
    qo.near = t->near;
    qo.intercept = t->intercept;
    t->near = 0;
    const bool is_first = t->solved++ == 0 && t->place;
    if (is_first && t->has_place) {
        begin_at_place(t, p, v);
    }
    const ney_status st = ney_solver_run(&t->solver, p, &qo, v, f, info, err);
    if (st == NEY_OK) {
        t->iterations += info->iterations;
        if (is_first) {
            keep_place(t, p, v);
        }
    }
    return st;
}
