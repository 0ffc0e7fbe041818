#include "learn/make.h"

#include "learn/goal.h"
#include "linalg/rows.h"

#include <math.h>

/* The rows that carry the score function of a kernel model. */
static ney_status make_kernel(ney_model **out, const ney_env *env, const ney_data *data,
                              const ney_kernel *kernel, const ney_answer *a, ney_error *err)
{
    const int64_t n = ney_data_matrix(data)->rows;
    int64_t *rows = ney_alloc(env, n, sizeof *rows), m = 0;
    double *coefficient = ney_alloc(env, n, sizeof *coefficient);
    ney_data *support = NULL;
    ney_status st;

    if (!rows || !coefficient) {
        st = ney_no_memory(err, n, "support vectors");
        goto done;
    }
    for (int64_t i = 0; i < n; i++) {
        if (a->v[i] != 0) {
            rows[m] = i;
            coefficient[m++] = a->v[i];
        }
    }
    if ((st = ney_data_take(&support, data, rows, m, err)) == NEY_OK) {
        st = ney_model_new_kernel(out, env, ney_data_preprocessing(data), kernel,
                                  ney_data_matrix(support), coefficient, a->intercept, err);
    }

done:
    ney_data_free(support);
    ney_release(env, coefficient);
    ney_release(env, rows);
    return st;
}

static ney_status make_linear(ney_model **out, const ney_env *env, const ney_data *data,
                              const ney_answer *a, ney_error *err)
{
    const ney_matrix *const x = ney_data_matrix(data);
    const ney_preprocessing *const preprocessing = ney_data_preprocessing(data);
    if (a->w) {
        return ney_model_new_linear(out, env, preprocessing, a->w, a->intercept, err);
    }
    double *w = ney_alloc_zeroed(env, x->cols, sizeof *w);
    if (!w) {
        return ney_no_memory(err, x->cols, "weights");
    }
    for (int64_t i = 0; i < x->rows; i++) {
        if (a->v[i] != 0) {
            ney_row_add(x, i, a->v[i], w);
        }
    }
    const ney_status st = ney_model_new_linear(out, env, preprocessing, w, a->intercept, err);
    ney_release(env, w);
    return st;
}

ney_status ney_answer_weights(ney_answer *a, const ney_task *t, const double *w, int sign,
                              ney_error *err)
{
    if (!w) {
        return NEY_OK;
    }
    a->w = ney_alloc(&t->env, t->x->cols, sizeof *a->w);
    if (!a->w) {
        return ney_no_memory(err, t->x->cols, "weights");
    }
    for (int64_t c = 0; c < t->x->cols; c++) {
        a->w[c] = sign * w[c];
    }
    return NEY_OK;
}

/* The error of a value of float kernel rows is at most 4e-6 with few columns (kernel/gram.c), more
 * where products have many terms; errors of values have independent signs. Those of the solver's f
 * are shares of its tolerance, or of v. */
ney_status ney_answer_scores(ney_answer *a, const ney_task *t, const double *f, double tol,
                             ney_error *err)
{
    const int64_t n = t->x->rows;
    double square = 0, sum = 0;
    if (t->kernel.kind != NEY_KERNEL_RBF) {
        return NEY_OK;
    }
    a->score = ney_alloc(&t->env, n, sizeof *a->score);
    if (!a->score) {
        return ney_no_memory(err, n, "scores");
    }
    for (int64_t i = 0; i < n; i++) {
        a->score[i] = f[i] + a->intercept;
        square += a->v[i] * a->v[i];
        sum += fabs(a->v[i]);
    }
    const double value = 4e-6 * (1 + 0.25 * sqrt((double)t->x->cols));
    a->score_error = 2 * value * sqrt(square) + 0.02 * tol + 1e-14 * sum;
    return NEY_OK;
}

ney_status ney_answer_solve(ney_answer *a, ney_task *t, const ney_qp *p, double *f,
                            ney_train_info *info, ney_error *err)
{
    ney_qp_info found;
    const ney_status st = ney_task_solve(t, p, t->o.tol, a->v, f, &found, err);
    if (st != NEY_OK) {
        return st;
    }
    a->intercept = found.intercept;
    *info = (ney_train_info){.stop = found.stop,
                             .iterations = t->iterations,
                             .objective = found.primal,
                             .convex_objective = found.primal,
                             .dual_objective = found.dual,
                             .gap = fmax(0, found.primal - found.dual)};
    return ney_answer_weights(a, t, t->solver.w, 1, err);
}

ney_status ney_make_model(ney_model **out, const ney_env *env, const ney_data *data,
                          const ney_kernel *kernel, const ney_answer *a, ney_error *err)
{
    return kernel->kind == NEY_KERNEL_LINEAR ? make_linear(out, env, data, a, err)
                                             : make_kernel(out, env, data, kernel, a, err);
}

ney_status ney_set_metadata(ney_model *m, const ney_metadata_value *items, size_t n, ney_error *err)
{
    ney_status st = NEY_OK;
    for (size_t i = 0; i < n && st == NEY_OK; i++) {
        if (!items[i].text && isnan(items[i].value)) {
            continue;
        }
        st = items[i].text
                 ? ney_model_set_text(m, NEY_METADATA_SUMMARY, items[i].key, items[i].text, err)
                 : ney_model_set_number(m, NEY_METADATA_SUMMARY, items[i].key, items[i].value, err);
    }
    return st;
}

/* A count below 0 says that there is none. */
static double count_or_none(int64_t n)
{
    return n < 0 ? (double)NAN : (double)n;
}

ney_status ney_make_summary(ney_model *m, const ney_task *t, const ney_train_info *info,
                            ney_error *err)
{
    const ney_request *const r = &t->request;
    const ney_metadata_value requested[] = {
        {"goal", r->goal->name, 0},
        {"method", r->method->name, 0},
        {"n", NULL, (double)(t->n_pos + t->n_neg)},
        {"n_pos", NULL, (double)t->n_pos},
        {"n_neg", NULL, (double)t->n_neg},
        {"c", NULL, t->o.C},
    };
    const ney_metadata_value found[] = {
        {"tol", NULL, ney_request_reads(&t->o, "tol") ? t->o.tol : (double)NAN},
        {"objective", NULL, info->objective},
        {"dual_objective", NULL, info->dual_objective},
        {"gap", NULL, info->gap},
        {"converged", NULL, info->stop == NEY_STOP_CONVERGED},
        {"stop", ney_stop_text(info->stop), 0},
        {"iterations", NULL, count_or_none(info->iterations)},
        {"support_vectors", NULL, count_or_none(info->support_vectors)},
    };
    ney_status st = ney_set_metadata(m, requested, sizeof requested / sizeof *requested, err);
    if (st == NEY_OK && r->goal->describe) {
        st = r->goal->describe(t, m, err);
    }
    if (st == NEY_OK && r->learner->describe) {
        st = r->learner->describe(t, info, m, err);
    }
    return st == NEY_OK ? ney_set_metadata(m, found, sizeof found / sizeof *found, err) : st;
}
