/* A tracer of either precision, behind one set of functions. */
#ifndef NEY_PATH_TRACE_H
#define NEY_PATH_TRACE_H

#include "base/env.h"

/* Where a tracer is. */
typedef struct ney_trace_point {
    double c[2]; /* C-, C+ */
    double objective, intercept, residual;
    int64_t margin, left, right;     /* numbers of rows */
    const int8_t *side;              /* of each row, an ney_side; the tracer's own */
    double class_weight[2], longest; /* sums of weights, largest |phi_i|: of the problem */
} ney_trace_point;

/* What is reported along a line. `side` is an ney_side. */
typedef struct ney_trace_recorder {
    void *user;
    ney_status (*point)(void *user, const ney_trace_point *point, ney_error *err);
    ney_status (*event)(void *user, double theta, int64_t row, int64_t side, ney_error *err);
} ney_trace_recorder;

/* The problem that is traced; everything is borrowed. `bytes`: for kernel rows. */
typedef struct ney_trace_problem {
    const ney_matrix *x;
    const int8_t *label;
    const float *weight;
    const ney_kernel *kernel;
    double bytes;
} ney_trace_problem;

/* See tracer.h for what these do. */
typedef struct ney_trace_kind {
    ney_status (*create)(void **tracer, const ney_env *env, const ney_trace_problem *problem,
                         ney_error *err);
    void (*destroy)(void *tracer);
    ney_status (*follow)(void *tracer, const double to[2], const ney_trace_recorder *recorder,
                         ney_error *err);
    ney_status (*restore)(void *tracer, const int8_t *side, const double c[2], ney_error *err);
    void (*point)(const void *tracer, ney_trace_point *point);
    void (*duals)(const void *tracer, double *v);
    /* Weights of the columns, for a linear kernel. */
    ney_status (*weights)(const void *tracer, double *w, ney_error *err);
} ney_trace_kind;

extern const ney_trace_kind ney_trace_double, ney_trace_wide;

#endif
