/* The score function at a pair of costs: as a model, or applied to rows. */
#include "learn/make.h"
#include "model/kernel_part.h"
#include "model/model.h"
#include "path/position.h"

#include <math.h>

static ney_status refuse_point(const ney_path *p, ney_cost_pair c, ney_error *err)
{
    if (p->n_lines == 0) {
        return ney_fail(err, NEY_EINVAL, "the path has no line");
    }
    const ney_path_line *const l = &p->line[0];
    return ney_fail(
        err, NEY_EINVAL,
        "none of the %lld lines goes through C+ %.9g, C- %.9g; the first is from (%.9g, "
        "%.9g) to (%.9g, %.9g)",
        (long long)p->n_lines, c.plus, c.minus, l->from.plus, l->from.minus, l->to.plus,
        l->to.minus);
}

static ney_status set_metadata(ney_model *m, const ney_path *p, ney_cost_pair c, ney_error *err)
{
    const ney_trace_point t = ney_path_position(p);
    const struct {
        const char *key;
        double value;
    } items[] = {{"n", (double)ney_data_matrix(p->data)->rows},
                 {"c_plus", c.plus},
                 {"c_minus", c.minus},
                 {"objective", t.objective},
                 {"kkt_residual", t.residual},
                 {"converged", t.residual <= NEY_PATH_RESIDUAL}};
    ney_status st = ney_model_set_text(m, NEY_METADATA_SUMMARY, "goal", "cost", err);
    if (st == NEY_OK) {
        st = ney_model_set_text(m, NEY_METADATA_SUMMARY, "method", "path", err);
    }
    for (size_t k = 0; k < sizeof items / sizeof *items && st == NEY_OK; k++) {
        st = ney_model_set_number(m, NEY_METADATA_SUMMARY, items[k].key, items[k].value, err);
    }
    return st;
}

static bool all_finite(const double *x, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        if (!isfinite(x[k])) {
            return false;
        }
    }
    return true;
}

/* The weights for a linear kernel, the dual variables for others. */
static ney_status read_solution(const ney_path *p, ney_answer *answer, ney_error *err)
{
    const ney_matrix *const x = ney_data_matrix(p->data);
    const bool is_linear = p->kernel.kind == NEY_KERNEL_LINEAR;
    const int64_t n = is_linear ? x->cols : x->rows;
    double *const value = ney_alloc(&p->env, n, sizeof *value);
    ney_status st = NEY_OK;
    *answer = (ney_answer){.intercept = ney_path_position(p).intercept};
    if (!value) {
        return ney_no_memory(err, n, is_linear ? "weights" : "dual variables");
    }
    *(is_linear ? &answer->w : &answer->v) = value;
    if (!is_linear) {
        p->kind->duals(p->tracer, value);
    } else if ((st = p->kind->weights(p->tracer, value, err)) == NEY_OK) {
        answer->intercept -= ney_offset_of_weights(&p->offset, value);
    }
    if (st == NEY_OK && !(all_finite(value, n) && isfinite(answer->intercept))) {
        st = ney_fail(err, NEY_ENUMERIC, "the solution is not finite");
    }
    return st;
}

/* The solution at a pair of costs; release_solution() is due in either case. */
static ney_status solution_at(ney_path *path, ney_cost_pair c, ney_answer *answer, ney_error *err)
{
    double theta;
    const int64_t line = ney_path_find_line(path, c, &theta);
    *answer = (ney_answer){0};
    if (line < 0) {
        return refuse_point(path, c, err);
    }
    const ney_status st = ney_path_reach(path, line, theta, c, err);
    return st == NEY_OK ? read_solution(path, answer, err) : st;
}

static void release_solution(const ney_path *path, ney_answer *answer)
{
    ney_release(&path->env, answer->v);
    ney_release(&path->env, answer->w);
}

ney_status ney_path_model(ney_model **out, ney_path *path, ney_cost_pair c, ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out && path, err);
    ney_answer answer;
    ney_status st = solution_at(path, c, &answer, err);
    *out = NULL;
    if (st == NEY_OK &&
        (st = ney_make_model(out, &path->env, path->data, &path->kernel, &answer, err)) == NEY_OK &&
        (st = set_metadata(*out, path, c, err)) != NEY_OK) {
        ney_model_free(*out);
        *out = NULL;
    }
    release_solution(path, &answer);
    return st;
}

/* Sum of kernels over the support vectors; v is overwritten by their coefficients. */
static ney_status score_kernel(const ney_path *path, const ney_env *env, ney_answer *answer,
                               const ney_matrix *x, double *score, ney_error *err)
{
    const ney_matrix *const rows = ney_data_matrix(path->data);
    int64_t *const row = ney_alloc(env, rows->rows, sizeof *row);
    if (!row) {
        return ney_no_memory(err, rows->rows, "support vectors");
    }
    ney_kernel_sum sum = {.kernel = &path->kernel,
                          .x = rows,
                          .row = row,
                          .coefficient = answer->v,
                          .intercept = answer->intercept};
    for (int64_t i = 0; i < rows->rows; i++) {
        if (answer->v[i] != 0) {
            answer->v[sum.n] = answer->v[i];
            row[sum.n++] = i;
        }
    }
    ney_kernel_part *const part = ney_kernel_part_new(env, &sum);
    const ney_status st = part ? ney_family_score(&ney_family_kernel, part, env, x, score, err)
                               : ney_no_memory(err, sum.n, "support vectors");
    ney_family_kernel.free(env, part);
    ney_release(env, row);
    return st;
}

ney_status ney_path_score(ney_path *path, const ney_env *env, ney_cost_pair c, const ney_matrix *x,
                          double *score, ney_error *err)
{
    ney_answer answer;
    ney_status st = solution_at(path, c, &answer, err);
    if (st == NEY_OK && path->kernel.kind == NEY_KERNEL_LINEAR) {
        const ney_linear linear = {answer.intercept, answer.w, ney_data_matrix(path->data)->cols};
        st = ney_family_score(&ney_family_linear, &linear, env, x, score, err);
    } else if (st == NEY_OK) {
        st = score_kernel(path, env, &answer, x, score, err);
    }
    release_solution(path, &answer);
    return st;
}
