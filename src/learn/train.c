/* Training the asymmetric-cost SVM: options, bounds, the loop around the solver, and the model. */
#include "base/env.h"
#include "learn/linear_smo.h"

#include <math.h>
#include <stddef.h>
#include <time.h>

#define AT(field) offsetof(ney_train_opts, field)

/* clang-format off */
static const ney_param params[] = {
    /* name      flag kind           field         initial low  high  arg   choices */
    {"C",        'C', NEY_KIND_REAL, AT(C),        1,    1e-12, 1e12, "X",       NULL,
     "weight of one example's loss"},
    {"cost-fn",  0,   NEY_KIND_REAL, AT(cost_fn),  1,    1e-12, 1e12, "X",       NULL,
     "cost of a false negative: C times this for positives"},
    {"cost-fp",  0,   NEY_KIND_REAL, AT(cost_fp),  1,    1e-12, 1e12, "Y",       NULL,
     "cost of a false positive: C times this for negatives"},
    {"tol",      0,   NEY_KIND_REAL, AT(tol),      1e-3, 1e-12, 1,    "X",       NULL,
     "stop when no optimality condition is violated by more"},
    {"max-iter", 0,   NEY_KIND_INT,  AT(max_iter), 0,    0,     1e15, "N",       NULL,
     "stop after N steps of the solver; 0: no limit"},
    {"max-time", 0,   NEY_KIND_REAL, AT(max_time), 0,    0,     1e9,  "SECONDS", NULL,
     "stop after so much time; 0: no limit"},
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
        [NEY_STOP_CONVERGED] = "converged",
        [NEY_STOP_ITERATIONS] = "iterations",
        [NEY_STOP_TIME] = "time",
        [NEY_STOP_CANCELLED] = "cancelled",
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

/* C_i = C * the cost of the class * the example's weight. */
static void fill_box(double *box, const ney_data *data, const ney_train_opts *o)
{
    const int64_t rows = ney_data_matrix(data)->rows;
    const int8_t *const label = ney_data_label(data);
    const float *const weight = ney_data_weight(data);
    for (int64_t i = 0; i < rows; i++) {
        box[i] = o->C * (label[i] > 0 ? o->cost_fn : o->cost_fp) * (weight ? (double)weight[i] : 1);
    }
}

/* ---------------------------------------------------------------- the loop */

static double now_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Whether rounding has stopped the solver: over so many rounds neither has the violation become
 * clearly smaller nor the dual larger. Without this a tolerance beyond the precision of double
 * would never be reached, and never given up. */
typedef struct patience {
    double violation, dual;
    int64_t rounds;
} patience;

static bool is_stuck(patience *p, double violation, double dual)
{
    if (violation < 0.9 * p->violation || dual > p->dual + 1e-13 * fabs(p->dual)) {
        *p = (patience){.violation = fmin(violation, p->violation), .dual = fmax(dual, p->dual)};
    }
    return ++p->rounds > 200;
}

static bool poll_training(const ney_env *env, int64_t iterations, double violation)
{
    const ney_progress p = {.stage = "training", .done = (double)iterations, .value = violation};
    return !env->poll || env->poll(env->user, &p);
}

/* Rounds until a reason to stop; what is converged is so with w computed afresh. */
static void run(ney_smo *s, const ney_env *env, const ney_train_opts *o, ney_train_info *info)
{
    const double begin = now_seconds();
    patience p = {.violation = (double)INFINITY, .dual = -(double)INFINITY};

    for (;;) {
        const double violation = ney_smo_violation(s);
        if (violation <= o->tol) {
            if (s->w_is_exact) {
                info->stop = NEY_STOP_CONVERGED;
                return;
            }
            ney_smo_refresh(s);
            continue;
        }
        if (!poll_training(env, info->iterations, violation)) {
            info->stop = NEY_STOP_CANCELLED;
            return;
        }
        if (o->max_time > 0 && now_seconds() - begin >= o->max_time) {
            info->stop = NEY_STOP_TIME;
            return;
        }
        if (is_stuck(&p, violation, ney_smo_dual(s))) {
            ney_log(env, NEY_LOG_WARNING,
                    "training stopped at a violation of %g: the precision of double is exhausted",
                    violation);
            info->stop = NEY_STOP_ITERATIONS;
            return;
        }
        const int64_t left = o->max_iter > 0 ? o->max_iter - info->iterations : INT64_MAX;
        if (left <= 0) {
            info->stop = NEY_STOP_ITERATIONS;
            return;
        }
        info->iterations += ney_smo_round(s, fmax(o->tol, 0.1 * violation) / 2, left);
    }
}

/* Objective, dual and gap at the point reached; returns the intercept. */
static double certify(ney_smo *s, ney_train_info *info)
{
    if (!s->w_is_exact) {
        ney_smo_refresh(s);
        (void)ney_smo_violation(s);
    }
    const double intercept = ney_smo_intercept(s);
    info->support_vectors = ney_smo_support_vectors(s);
    info->objective = ney_smo_primal(s, intercept);
    info->dual_objective = ney_smo_dual(s);
    info->gap = fmax(0, info->objective - info->dual_objective); /* below zero by rounding only */
    return intercept;
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

ney_status ney_train(ney_model **out, const ney_env *env, const ney_data *data,
                     const ney_train_opts *opts, ney_train_info *info, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    const ney_matrix *const x = ney_data_matrix(data);
    ney_train_opts o;
    ney_train_info ended = {0};
    classes c;
    ney_smo s = {0};
    double *box = NULL;
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
    if (!(box = ney_alloc(&e, x->rows, sizeof *box))) {
        return ney_no_memory(err, x->rows, "bounds");
    }
    fill_box(box, data, &o);
    if ((st = ney_smo_init(&s, &e, x, ney_data_label(data), box, err)) != NEY_OK) {
        goto done;
    }
    run(&s, &e, &o, &ended);
    const double intercept = certify(&s, &ended);
    if ((st = ney_model_new_linear(&m, &e, ney_data_recipe(data), s.w, intercept, err)) != NEY_OK ||
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
    ney_smo_deinit(&s);
    ney_release(&e, box);
    return st;
}
