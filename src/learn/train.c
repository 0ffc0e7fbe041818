/* Training the asymmetric-cost SVM: options, the problem, its solution, and the model. */
#include "base/env.h"
#include "linalg/rows.h"
#include "qp/solver.h"

#include <math.h>
#include <stddef.h>
#include <unistd.h>

#define AT(field) offsetof(ney_train_opts, field)

/* clang-format off */
static const ney_param params[] = {
    /* name      flag kind             field         initial low  high  arg   choices */
    {"C",        'C', NEY_KIND_REAL,   AT(C),        1,    1e-12, 1e12, "X",       NULL,
     "weight of one example's loss"},
    {"cost-fn",  0,   NEY_KIND_REAL,   AT(cost_fn),  1,    1e-12, 1e12, "X",       NULL,
     "cost of a false negative: C times this for positives"},
    {"cost-fp",  0,   NEY_KIND_REAL,   AT(cost_fp),  1,    1e-12, 1e12, "Y",       NULL,
     "cost of a false positive: C times this for negatives"},
    {"kernel",   0,   NEY_KIND_CHOICE, AT(kernel),   0,    0,     3,    "KERNEL",  "linear rbf poly sigmoid",
     "x'z, exp(-gamma |x-z|^2), (gamma x'z + coef0)^degree or tanh(gamma x'z + coef0)"},
    {"gamma",    0,   NEY_KIND_REAL,   AT(gamma),    0,    0,     1e12, "X",       "scale",
     "gamma of the kernel; scale (or 0) is 1 / (columns * variance of all entries)"},
    {"degree",   0,   NEY_KIND_INT,    AT(degree),   3,    1,     100,  "N",       NULL,
     "degree of the poly kernel"},
    {"coef0",    0,   NEY_KIND_REAL,   AT(coef0),    0,   -1e12,  1e12, "X",       NULL,
     "coef0 of the poly and sigmoid kernels"},
    {"tol",      0,   NEY_KIND_REAL,   AT(tol),      1e-3, 1e-12, 1,    "X",       NULL,
     "stop when no optimality condition is violated by more"},
    {"max-iter", 0,   NEY_KIND_INT,    AT(max_iter), 0,    0,     1e15, "N",       NULL,
     "stop after N steps of the solver; 0: no limit"},
    {"max-time", 0,   NEY_KIND_REAL,   AT(max_time), 0,    0,     1e9,  "SECONDS", NULL,
     "stop after so much time; 0: no limit"},
    {"cache",    0,   NEY_KIND_REAL,   AT(cache),    0,    0,     1e9,  "MB",      NULL,
     "memory for kernel rows; 0: a quarter of what the machine has. Results change within "
     "--tol only"},
};
/* clang-format on */

enum { N_PARAMS = sizeof params / sizeof *params };

const ney_param *ney_train_params(int64_t *n_params)
{
    *n_params = N_PARAMS;
    return params;
}

const char *ney_stop_text(ney_stop stop)
{
    static const char *const text[] = {
        [NEY_STOP_CONVERGED] = "converged", [NEY_STOP_ITERATIONS] = "iterations",
        [NEY_STOP_TIME] = "time",           [NEY_STOP_CANCELLED] = "cancelled",
        [NEY_STOP_PRECISION] = "precision",
    };
    const size_t at = (size_t)stop;
    return at < sizeof text / sizeof *text ? text[at] : "unknown";
}

/* ---------------------------------------------------------------- the problem */

typedef struct classes {
    int64_t n_pos, n_neg;
} classes;

static ney_status count_classes(classes *c, const ney_data *data, ney_error *err)
{
    const int64_t rows = ney_data_matrix(data)->rows;
    const int8_t *const label = ney_data_label(data);
    *c = (classes){0};
    if (!label) {
        return ney_fail(err, NEY_EINVAL, "the data have no labels");
    }
    for (int64_t i = 0; i < rows; i++) {
        c->n_pos += label[i] > 0;
    }
    c->n_neg = rows - c->n_pos;
    if (c->n_pos == 0 || c->n_neg == 0) {
        return ney_fail(err, NEY_EINVAL, "%lld rows and none of them %s, expected both classes",
                        (long long)rows, c->n_pos == 0 ? "positive" : "negative");
    }
    return NEY_OK;
}

/* The hinge loss as [QP.1]: v_i = y_i a_i with 0 <= a_i <= C_i and slope y_i, where C_i = C * the
 * cost of the class * the example's weight. */
typedef struct problem {
    double *low, *high, *slope; /* one block */
    ney_qp qp;
} problem;

static bool problem_init(problem *p, const ney_env *env, const ney_data *data,
                         const ney_train_opts *o)
{
    const int64_t n = ney_data_matrix(data)->rows;
    const int8_t *const label = ney_data_label(data);
    const float *const weight = ney_data_weight(data);
    p->low = ney_alloc(env, 3 * n, sizeof *p->low);
    if (!p->low) {
        return false;
    }
    p->high = p->low + n;
    p->slope = p->low + 2 * n;
    for (int64_t i = 0; i < n; i++) {
        const double box =
            o->C * (label[i] > 0 ? o->cost_fn : o->cost_fp) * (weight ? (double)weight[i] : 1);
        p->low[i] = label[i] > 0 ? 0 : -box;
        p->high[i] = label[i] > 0 ? box : 0;
        p->slope[i] = label[i];
    }
    p->qp = (ney_qp){.n = n,
                     .low = p->low,
                     .middle = p->high,
                     .high = p->high,
                     .slope_low = p->slope,
                     .slope_high = p->slope};
    return true;
}

/* ---------------------------------------------------------------- the solution */

typedef struct solution {
    double *v, *f;
    ney_solver solver;
    ney_qp_info info;
} solution;

static bool solution_init(solution *s, const ney_env *env, const ney_matrix *x)
{
    s->v = ney_alloc_zeroed(env, x->rows, sizeof *s->v);
    s->f = ney_alloc_zeroed(env, x->rows, sizeof *s->f);
    return s->v && s->f;
}

static void solution_deinit(solution *s, const ney_env *env)
{
    ney_release(env, s->v);
    ney_release(env, s->f);
    ney_solver_deinit(&s->solver);
}

/* 1 / (columns * variance of all entries, zeros included); 1 for data without variance. */
static double gamma_scale(const ney_matrix *x)
{
    const int64_t stored = ney_matrix_stored(x);
    const float *const value = x->dense ? x->dense : x->value;
    const double cells = (double)x->rows * (double)x->cols;
    double sum = 0, squares = 0;
    for (int64_t k = 0; k < stored; k++) {
        sum += (double)value[k];
    }
    const double mean = cells > 0 ? sum / cells : 0;
    for (int64_t k = 0; k < stored; k++) {
        squares += ((double)value[k] - mean) * ((double)value[k] - mean);
    }
    squares += (cells - (double)stored) * mean * mean;
    return squares > 0 ? (double)x->rows / squares : 1;
}

static double cache_bytes(const ney_train_opts *o)
{
    const double memory = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    return o->cache > 0 ? o->cache * 1e6 : memory / 4;
}

static ney_kernel kernel_of(const ney_train_opts *o, const ney_matrix *x)
{
    return (ney_kernel){.kind = o->kernel,
                        .gamma = o->gamma > 0 || o->kernel == NEY_KERNEL_LINEAR ? o->gamma
                                                                                : gamma_scale(x),
                        .coef0 = o->coef0,
                        .degree = o->degree};
}

static ney_status solve(solution *s, const ney_env *env, const ney_matrix *x, const problem *p,
                        const ney_train_opts *o, ney_error *err)
{
    const ney_qp_opts qo = {.tol = o->tol, .max_time = o->max_time, .max_iter = o->max_iter};
    const ney_kernel kernel = kernel_of(o, x);
    ney_status st = ney_solver_init(&s->solver, env, x, &kernel, cache_bytes(o), err);
    if (st == NEY_OK) {
        st = ney_solver_run(&s->solver, &p->qp, &qo, s->v, s->f, &s->info, err);
    }
    return st;
}

/* ---------------------------------------------------------------- the model */

/* What the model's file tells about its making. No timings: they would differ from run to run. */
static ney_status set_summary(ney_model *m, const classes *c, const ney_train_opts *o,
                              const ney_train_info *info, ney_error *err)
{
    const struct {
        const char *key, *text;
        double value;
    } facts[] = {
        {"goal", "cost", 0},
        {"method", "auto", 0},
        {"n", NULL, (double)(c->n_pos + c->n_neg)},
        {"n_pos", NULL, (double)c->n_pos},
        {"n_neg", NULL, (double)c->n_neg},
        {"c", NULL, o->C},
        {"cost_fn", NULL, o->cost_fn},
        {"cost_fp", NULL, o->cost_fp},
        {"tol", NULL, o->tol},
        {"objective", NULL, info->objective},
        {"dual_objective", NULL, info->dual_objective},
        {"gap", NULL, info->gap},
        {"converged", NULL, info->stop == NEY_STOP_CONVERGED},
        {"stop", ney_stop_text(info->stop), 0},
        {"iterations", NULL, (double)info->iterations},
        {"support_vectors", NULL, (double)info->support_vectors},
    };
    ney_status st = NEY_OK;
    for (size_t i = 0; i < sizeof facts / sizeof *facts && st == NEY_OK; i++) {
        st = facts[i].text
                 ? ney_model_set_text(m, NEY_LIST_SUMMARY, facts[i].key, facts[i].text, err)
                 : ney_model_set_number(m, NEY_LIST_SUMMARY, facts[i].key, facts[i].value, err);
    }
    return st;
}

/* The rows that carry the score function of a kernel model. */
static ney_status make_kernel_model(ney_model **out, const ney_env *env, const ney_data *data,
                                    const ney_kernel *kernel, const solution *s, ney_error *err)
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
        if (s->v[i] != 0) {
            rows[m] = i;
            coefficient[m++] = s->v[i];
        }
    }
    if ((st = ney_data_take(&support, data, rows, m, err)) == NEY_OK) {
        st = ney_model_new_kernel(out, env, ney_data_recipe(data), kernel, ney_data_matrix(support),
                                  coefficient, s->info.intercept, err);
    }

done:
    ney_data_free(support);
    ney_release(env, coefficient);
    ney_release(env, rows);
    return st;
}

static ney_status make_model(ney_model **out, const ney_env *env, const ney_data *data,
                             const ney_train_opts *o, const solution *s, ney_error *err)
{
    const ney_kernel kernel = kernel_of(o, ney_data_matrix(data));
    if (o->kernel == NEY_KERNEL_LINEAR) {
        return ney_model_new_linear(out, env, ney_data_recipe(data), s->solver.w, s->info.intercept,
                                    err);
    }
    return make_kernel_model(out, env, data, &kernel, s, err);
}

static ney_train_info tell(const solution *s, int64_t n)
{
    ney_train_info info = {.stop = s->info.stop,
                           .iterations = s->info.iterations,
                           .objective = s->info.primal,
                           .dual_objective = s->info.dual,
                           .gap = fmax(0, s->info.primal - s->info.dual)};
    for (int64_t i = 0; i < n; i++) {
        info.support_vectors += s->v[i] != 0;
    }
    return info;
}

ney_status ney_train(ney_model **out, const ney_env *env, const ney_data *data,
                     const ney_train_opts *opts, ney_train_info *info, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    const ney_matrix *const x = ney_data_matrix(data);
    ney_train_opts o;
    ney_train_info ended;
    classes c;
    problem p = {0};
    solution s = {0};
    ney_model *m = NULL;
    ney_status st;

    *out = NULL;
    ney_params_init(params, N_PARAMS, &o);
    if (opts) {
        o = *opts;
    }
    if ((st = ney_params_check(params, N_PARAMS, &o, err)) != NEY_OK ||
        (st = count_classes(&c, data, err)) != NEY_OK) {
        return st;
    }
    if (!problem_init(&p, &e, data, &o) || !solution_init(&s, &e, x)) {
        st = ney_no_memory(err, x->rows, "dual variables");
        goto done;
    }
    if ((st = solve(&s, &e, x, &p, &o, err)) != NEY_OK) {
        goto done;
    }
    ended = tell(&s, x->rows);
    if ((st = make_model(&m, &e, data, &o, &s, err)) != NEY_OK ||
        (st = set_summary(m, &c, &o, &ended, err)) != NEY_OK) {
        goto done;
    }
    if (info) {
        *info = ended;
    }
    *out = m;
    m = NULL;

done: /* reached on success and on failure; releasing nothing is harmless */
    ney_model_free(m);
    solution_deinit(&s, &e);
    ney_release(&e, p.low);
    return st;
}
