/* A path as an object: the data it belongs to, its lines and its operating points. */
#include "path/path.h"

#include "base/options.h"
#include "data/scale.h"
#include "data/split_prepared.h"
#include "learn/request.h"
#include "learn/task.h"

#include <math.h>

void ney_path_line_free(const ney_env *env, ney_path_line *line)
{
    ney_release(env, line->start);
    ney_release(env, line->point);
    ney_release(env, line->event);
    *line = (ney_path_line){0};
}

ney_status ney_path_around(ney_path **out, const ney_env *env, ney_data *data,
                           const ney_kernel *kernel, double cache, ney_error *err)
{
    ney_path *const p = ney_alloc_zeroed(env, 1, sizeof *p);
    *out = p;
    if (!p) {
        ney_data_free(data);
        return ney_no_memory(err, 1, "paths");
    }
    p->env = *env;
    p->data = data;
    p->kernel = *kernel;
    p->cache = cache;
    p->kind = &ney_trace_double;
    return NEY_OK;
}

ney_status ney_path_new_with(ney_path **out, const ney_env *env, const ney_data *data,
                             const ney_train_opts *opts, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    const int64_t n = ney_data_matrix(data)->rows;
    int64_t n_params;
    ney_train_opts o;
    ney_data *copy = NULL;

    *out = NULL;
    const ney_param *const params = ney_train_params(&n_params);
    ney_params_init(params, n_params, &o);
    if (opts) {
        o = *opts;
    }
    ney_status st = ney_params_check(params, n_params, &o, err);
    if (st == NEY_OK) {
        st = ney_request_check_only(&o, "kernel gamma degree coef0 cache", NULL, "a path", err);
    }
    if (st == NEY_OK && o.kernel == NEY_KERNEL_SIGMOID) {
        st = ney_fail(err, NEY_EINVAL,
                      "kernel sigmoid is not positive semidefinite: the problem is not convex and "
                      "has no path; expected linear, rbf or poly");
    }
    if (st == NEY_OK && !ney_data_label(data)) {
        st = ney_fail(err, NEY_EINVAL, "the data have no labels");
    }
    int64_t *const rows = st == NEY_OK ? ney_alloc(&e, n, sizeof *rows) : NULL;
    if (st == NEY_OK && !rows) {
        st = ney_no_memory(err, n, "rows");
    }
    for (int64_t i = 0; rows && i < n; i++) {
        rows[i] = i;
    }
    if (st == NEY_OK && (st = ney_data_take(&copy, data, rows, n, err)) == NEY_OK) {
        const ney_kernel kernel = ney_task_kernel(&o, ney_data_matrix(copy));
        st = ney_path_around(out, &e, copy, &kernel, 1e6 * ney_task_cache(&o), err);
    }
    ney_release(&e, rows);
    return st;
}

ney_status ney_path_new(ney_path **out, const ney_env *env, const ney_data *data,
                        const ney_options *options, ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out, err);
    ney_scaling scaling;
    ney_data *own = NULL;
    *out = NULL;
    if (!data) {
        return ney_fail(err, NEY_EINVAL, "no data, expected rows with labels");
    }
    ney_status st = ney_options_check_groups(options, "data preprocessing training", "a path", err);
    if (st == NEY_OK && (st = ney_data_check_raw(&scaling, data, options, err)) == NEY_OK &&
        !data->preprocessing->prepared) {
        st = ney_data_copy_prepared(&own, data, NULL, scaling, err);
    }
    if (st == NEY_OK) {
        st = ney_path_new_with(out, env, own ? own : data,
                               ney_options_values(options, ney_train_params), err);
    }
    ney_data_free(own);
    return st;
}

void ney_path_free(ney_path *path)
{
    if (!path) {
        return;
    }
    const ney_env env = path->env;
    ney_path_stop_tracing(path);
    ney_offset_deinit(&path->offset);
    ney_release(&env, path->spare);
    for (int64_t k = 0; k < path->n_lines; k++) {
        ney_path_line_free(&env, &path->line[k]);
    }
    ney_release(&env, path->line);
    ney_release(&env, path->entry);
    ney_release(&env, path->choice);
    ney_data_free(path->data);
    ney_release(&env, path);
}

int64_t ney_path_lines(const ney_path *path)
{
    if (!path) {
        return 0;
    }
    return path->n_lines;
}

const ney_path_point *ney_path_points(const ney_path *path, int64_t line, int64_t *n_points)
{
    if (!path || !n_points || line < 0 || line >= path->n_lines) {
        return NULL;
    }
    *n_points = path->line[line].n_points;
    return path->line[line].point;
}

const ney_data *ney_path_data(const ney_path *path)
{
    if (!path) {
        return NULL;
    }
    return path->data;
}

/* ---- operating points */

const ney_choice *ney_path_choices(const ney_path *path, int64_t *n_choices, double *share_pos)
{
    if (!path || !n_choices) {
        return NULL;
    }
    *n_choices = path->n_choices;
    if (share_pos) {
        *share_pos = path->share_pos;
    }
    return path->choice;
}

ney_status ney_path_set_choices(ney_path *path, const ney_choice *choices, int64_t n_choices,
                                double share_pos, ney_error *err)
{
    NEY_REQUIRE(path && n_choices >= 0 && (choices || n_choices == 0), err);
    for (int64_t k = 0; k < n_choices; k++) {
        if (!(choices[k].fpr >= (k > 0 ? choices[k - 1].fpr : 0) && choices[k].fpr <= 1)) {
            return ney_fail(err, NEY_EINVAL, "choice %lld: fpr %g, expected ascending, from 0 to 1",
                            (long long)k, choices[k].fpr);
        }
    }
    ney_choice *const copy = ney_alloc(&path->env, n_choices, sizeof *copy);
    if (!copy) {
        return ney_no_memory(err, n_choices, "choices");
    }
    for (int64_t k = 0; k < n_choices; k++) {
        copy[k] = choices[k];
    }
    ney_release(&path->env, path->choice);
    path->choice = copy;
    path->n_choices = n_choices;
    path->share_pos = share_pos;
    return NEY_OK;
}

int64_t ney_path_cheapest(const ney_path *path, double cost_fn, double cost_fp)
{
    if (!path) {
        return -1;
    }
    int64_t best = -1;
    double least = (double)INFINITY;
    for (int64_t k = 0; k < path->n_choices; k++) {
        const double cost = path->share_pos * cost_fn * (1 - path->choice[k].tpr) +
                            (1 - path->share_pos) * cost_fp * path->choice[k].fpr;
        if (cost < least) {
            least = cost;
            best = k;
        }
    }
    return best;
}

int64_t ney_path_within(const ney_path *path, double max_fpr)
{
    if (!path) {
        return -1;
    }
    int64_t best = -1;
    for (int64_t k = 0; k < path->n_choices; k++) {
        if (path->choice[k].fpr <= max_fpr &&
            (best < 0 || path->choice[k].tpr >= path->choice[best].tpr)) {
            best = k;
        }
    }
    return best;
}
