#include "path/trace.h"

#include "linalg/rows.h"
#include "path/tracer.h"

#include <string.h>

static ney_status trace_create(void **tracer, const ney_env *env, const ney_trace_problem *problem,
                               ney_error *err)
{
    ney_tracer *const t = ney_alloc(env, 1, sizeof *t);
    *tracer = NULL;
    if (!t) {
        return ney_no_memory(err, 1, "tracers");
    }
    const ney_status st = ney_tracer_init(t, env, problem->x, problem->label, problem->weight,
                                          problem->kernel, problem->bytes, err);
    if (st == NEY_OK) {
        *tracer = t;
    } else {
        ney_tracer_deinit(t);
        ney_release(env, t);
    }
    return st;
}

static void trace_destroy(void *tracer)
{
    ney_tracer *const t = tracer;
    if (t) {
        const ney_env env = t->env;
        ney_tracer_deinit(t);
        ney_release(&env, t);
    }
}

static void trace_point(const void *tracer, ney_trace_point *point)
{
    const ney_tracer *const t = tracer;
    *point =
        (ney_trace_point){.c = {(double)t->c[0], (double)t->c[1]},
                          .objective = ney_tracer_objective(t),
                          .intercept = (double)t->b,
                          .residual = ney_tracer_residual(t),
                          .margin = t->margin.m,
                          .left = t->count[NEY_SIDE_LEFT],
                          .right = t->count[NEY_SIDE_RIGHT],
                          .side = t->side,
                          .class_weight = {(double)t->class_weight[0], (double)t->class_weight[1]},
                          .longest = (double)t->longest};
}

static ney_status forward_point(void *user, const ney_tracer *t, double theta, ney_error *err)
{
    const ney_trace_recorder *const to = user;
    ney_trace_point point;
    (void)theta;
    trace_point(t, &point);
    return to->point(to->user, &point, err);
}

static ney_status forward_turn(void *user, double theta, int64_t row, ney_side side, ney_error *err)
{
    const ney_trace_recorder *const to = user;
    return to->event(to->user, theta, row, side, err);
}

static ney_status trace_follow(void *tracer, const double to[2], const ney_trace_recorder *recorder,
                               ney_error *err)
{
    ney_trace_recorder copy = recorder ? *recorder : (ney_trace_recorder){0};
    const ney_recorder forward = {&copy, forward_point, forward_turn};
    return ney_tracer_follow(tracer, to, recorder ? &forward : NULL, err);
}

static ney_status trace_restore(void *tracer, const int8_t *side, const double c[2], ney_error *err)
{
    return ney_tracer_restore(tracer, side, c, err);
}

static void trace_duals(const void *tracer, double *v)
{
    const ney_tracer *const t = tracer;
    for (int64_t i = 0; i < t->n; i++) {
        v[i] = (double)ney_tracer_dual(t, i);
    }
}

/* sum_i v_i x_i: at large C its terms are many orders of magnitude larger than their sum. */
static ney_status trace_weights(const void *tracer, double *w, ney_error *err)
{
    const ney_tracer *const t = tracer;
    const ney_matrix *const x = t->rows.gram.x;
    ney_real_sum *const sum = ney_alloc_zeroed(&t->env, x->cols, sizeof *sum);
    if (!sum) {
        return ney_no_memory(err, x->cols, "weights");
    }
    for (int64_t i = 0; i < t->n; i++) {
        const ney_real_sum v = ney_tracer_dual(t, i);
        const int64_t first = x->dense ? i * x->cols : x->start[i];
        const int64_t end = x->dense ? first + x->cols : x->start[i + 1];
        for (int64_t e = first; e < end && (v < 0 || v > 0); e++) {
            const int64_t c = x->dense ? e - first : x->index[e];
            sum[c] += v * (ney_real_sum)(x->dense ? x->dense[e] : x->value[e]);
        }
    }
    for (int64_t c = 0; c < x->cols; c++) {
        w[c] = (double)sum[c];
    }
    ney_release(&t->env, sum);
    return NEY_OK;
}

const ney_trace_kind ney_trace_double = {trace_create, trace_destroy, trace_follow, trace_restore,
                                         trace_point,  trace_duals,   trace_weights};
