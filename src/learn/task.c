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

typedef struct stored_cells {
    const ney_matrix *x;
    double mean;
    bool squared; /* the squares around the mean, else the values */
} stored_cells;

/* Of some rows a sum, what it has lost, and the number of cells. */
static void add_cells(void *context, int64_t begin, int64_t end, double *sum)
{
    const stored_cells *const c = context;
    const ney_matrix *const x = c->x;
    const float *const value = x->dense ? x->dense : x->value;
    const int64_t first = x->dense ? begin * x->cols : x->start[begin];
    const int64_t last = x->dense ? end * x->cols : x->start[end];
    for (int64_t k = first; k < last; k++) {
        const double apart = (double)value[k] - c->mean;
        ney_sum_add(&sum[0], &sum[1], c->squared ? apart * apart : (double)value[k]);
    }
    sum[2] += (double)(last - first);
}

double ney_gamma_scale_shared(const ney_matrix *x, const ney_row_blocks *blocks)
{
    const double rows = (double)(blocks ? blocks->rows : x->rows), cells = rows * (double)x->cols;
    stored_cells c = {.x = x};
    double sum[3];
    ney_sum_rows(blocks, x->rows, add_cells, &c, sum, 3);
    c.mean = cells > 0 ? (sum[0] + sum[1]) / cells : 0;
    c.squared = true;
    ney_sum_rows(blocks, x->rows, add_cells, &c, sum, 3);
    const double squares = sum[0] + (sum[1] + (cells - sum[2]) * c.mean * c.mean);
    return squares > 0 ? rows / squares : 1;
}

double ney_gamma_scale(const ney_matrix *x)
{
    return ney_gamma_scale_shared(x, NULL);
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
    return ney_shared_agree(t->blocks, begun, err);
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
