/* The number type of the tracer. margin.c, kernel_rows.c, weights.c, tracer.c, tracer_point.c and
 * events.c are compiled with double, and by wide.c once more with four times the digits of a float:
 * for data whose scale or offset double cannot resolve. There is one algorithm; what differs is
 * here and in kernel_rows.c. */
#ifndef NEY_PATH_PRECISION_H
#define NEY_PATH_PRECISION_H

#include "linalg/cholesky.h"
#include "linalg/solver_loops.h"
#include "linalg/vector.h"

#include <float.h>
#include <math.h>

#ifndef NEY_PATH_WIDE

typedef double ney_real;
typedef long double ney_real_sum; /* of terms that all but cancel */

/* A tolerance that allows for rounding in double, in the precision of this file. */
#define NEY_ROUNDING(x) (x)

#define ney_real_abs fabs
#define ney_real_max fmax
#define ney_real_min fmin
#define ney_real_sqrt sqrt
#define ney_real_dots ney_vector_dot_pair
#define ney_real_dot_mixed ney_vector_dot_mixed
#define ney_real_dots_mixed ney_vector_dot_pair_mixed
#define ney_real_axpy ney_vector_axpy
#define ney_real_axpy_mixed ney_vector_axpy_mixed
#define ney_real_axpy_exact ney_vector_axpy_compensated
#define ney_real_near ney_near
#define ney_real_find_near ney_loop_near
#define ney_real_append ney_packed_append
#define ney_real_remove ney_packed_remove
#define ney_real_solve ney_packed_solve
#define ney_real_solve_two ney_packed_solve_two
#define ney_real_back ney_packed_back

#else

#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 ney_real;
#define NEY_ROUNDING(x) ((ney_real)(x) * (ney_real)0x1p-60)
#else
typedef long double ney_real;
#define NEY_ROUNDING(x) ((ney_real)(x) * (ney_real)(LDBL_EPSILON / DBL_EPSILON))
#endif
typedef ney_real ney_real_sum;

#define ney_margin ney_wide_margin
#define ney_margin_init ney_wide_margin_init
#define ney_margin_deinit ney_wide_margin_deinit
#define ney_margin_clear ney_wide_margin_clear
#define ney_margin_append ney_wide_margin_append
#define ney_margin_combination ney_wide_margin_combination
#define ney_margin_remove ney_wide_margin_remove
#define ney_margin_column ney_wide_margin_column
#define ney_margin_solve ney_wide_margin_solve
#define ney_kernel_rows ney_wide_kernel_rows
#define ney_kernel_rows_init ney_wide_kernel_rows_init
#define ney_kernel_rows_deinit ney_wide_kernel_rows_deinit
#define ney_kernel_rows_get ney_wide_kernel_rows_get
#define ney_kernel_rows_sums ney_wide_kernel_rows_sums
#define ney_kernel_rows_rounding ney_wide_kernel_rows_rounding
#define ney_weights ney_wide_weights
#define ney_weights_init ney_wide_weights_init
#define ney_weights_deinit ney_wide_weights_deinit
#define ney_weights_clear ney_wide_weights_clear
#define ney_weights_add ney_wide_weights_add
#define ney_weights_lead ney_wide_weights_lead
#define ney_weights_update ney_wide_weights_update
#define ney_weights_dot ney_wide_weights_dot
#define ney_weights_dots ney_wide_weights_dots
#define ney_weights_products ney_wide_weights_products
#define ney_tracer ney_wide_tracer
#define ney_tracer_init ney_wide_tracer_init
#define ney_tracer_deinit ney_wide_tracer_deinit
#define ney_tracer_follow ney_wide_tracer_follow
#define ney_tracer_restore ney_wide_tracer_restore
#define ney_tracer_dual ney_wide_tracer_dual
#define ney_tracer_duals ney_wide_tracer_duals
#define ney_tracer_objective ney_wide_tracer_objective
#define ney_tracer_residual ney_wide_tracer_residual
#define ney_tracer_repair ney_wide_tracer_repair
#define ney_tracer_evaluate ney_wide_tracer_evaluate
#define ney_tracer_next ney_wide_tracer_next
#define ney_tracer_apply ney_wide_tracer_apply
#define ney_tracer_set_side ney_wide_tracer_set_side
#define ney_tracer_left ney_wide_tracer_left
#define ney_tracer_left_sum ney_wide_tracer_left_sum
#define ney_tracer_kernel_row ney_wide_tracer_kernel_row
#define ney_tracer_square ney_wide_tracer_square
#define ney_tracer_sum_of_sizes ney_wide_tracer_sum_of_sizes
#define ney_trace_double ney_trace_wide

static inline ney_real ney_real_abs(ney_real x)
{
    return x < 0 ? -x : x;
}

static inline ney_real ney_real_max(ney_real x, ney_real y)
{
    return x > y ? x : y;
}

static inline ney_real ney_real_min(ney_real x, ney_real y)
{
    return x < y ? x : y;
}

/* Newton's steps double the digits of the root in double. */
static inline ney_real ney_real_sqrt(ney_real x)
{
    ney_real root = (ney_real)sqrt((double)x);
    for (int step = 0; step < 2 && root > 0; step++) {
        root = (root + x / root) / 2;
    }
    return root;
}

static inline ney_real ney_real_dot(const ney_real *x, const ney_real *y, int64_t n)
{
    ney_real sum = 0;
    for (int64_t k = 0; k < n; k++) {
        sum += x[k] * y[k];
    }
    return sum;
}

static inline void ney_real_dots(const ney_real *row, const ney_real *a, const ney_real *b,
                                 int64_t n, ney_real out[2])
{
    out[0] = ney_real_dot(row, a, n);
    out[1] = ney_real_dot(row, b, n);
}

static inline ney_real ney_real_dot_mixed(const float *x, const ney_real *v, int64_t n)
{
    ney_real sum = 0;
    for (int64_t k = 0; k < n; k++) {
        sum += (ney_real)x[k] * v[k];
    }
    return sum;
}

static inline void ney_real_dots_mixed(const float *row, const ney_real *a, const ney_real *b,
                                       int64_t n, ney_real out[2])
{
    out[0] = ney_real_dot_mixed(row, a, n);
    out[1] = ney_real_dot_mixed(row, b, n);
}

static inline void ney_real_axpy_mixed(ney_real t, const float *x, ney_real *v, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        v[k] += t * (ney_real)x[k];
    }
}

static inline void ney_real_axpy(ney_real t, const ney_real *x, ney_real *v, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        v[k] += t * x[k];
    }
}

static inline void ney_real_axpy_exact(ney_real t, const ney_real *x, int64_t n, ney_real *y,
                                       ney_real *rest)
{
    (void)rest; /* stays 0 */
    ney_real_axpy(t, x, y, n);
}

typedef struct ney_real_near {
    const ney_real *base, *toward, *at, *reach, *seen;
    ney_real shift, drift, speed, travelled, ahead;
} ney_real_near;

static inline int64_t ney_real_find_near(const ney_real_near *q, int64_t n, int64_t *out)
{
    int64_t found = 0;
    for (int64_t i = 0; i < n; i++) {
        const ney_real distance = q->base[i] - q->toward[i] * (q->at[i] + q->shift);
        const ney_real left = distance - q->reach[i] * (q->travelled - q->seen[i]);
        const ney_real nearer = (q->reach[i] * q->speed + q->toward[i] * q->drift) * q->ahead;
        if (!(left > nearer && left > 0)) {
            out[found++] = i;
        }
    }
    return found;
}

static inline void ney_real_back(const ney_real *l, int64_t n, ney_real *x)
{
    for (int64_t i = n - 1; i >= 0; i--) {
        const ney_real *const row = l + ney_packed_row(i);
        x[i] /= row[i];
        ney_real_axpy(-x[i], row, x, i);
    }
}

static inline void ney_real_forward(const ney_real *l, int64_t n, ney_real *x)
{
    for (int64_t i = 0; i < n; i++) {
        const ney_real *const row = l + ney_packed_row(i);
        x[i] = (x[i] - ney_real_dot(row, x, i)) / row[i];
    }
}

static inline void ney_real_solve(const ney_real *l, int64_t n, ney_real *x)
{
    ney_real_forward(l, n, x);
    ney_real_back(l, n, x);
}

static inline void ney_real_solve_two(const ney_real *l, int64_t n, ney_real *x, ney_real *y)
{
    ney_real_solve(l, n, x);
    ney_real_solve(l, n, y);
}

static inline ney_real ney_real_append(ney_real *l, int64_t n, ney_real least)
{
    ney_real *const r = l + ney_packed_row(n);
    ney_real_forward(l, n, r);
    const ney_real pivot = r[n] - ney_real_dot(r, r, n);
    if (pivot > least) {
        r[n] = ney_real_sqrt(pivot);
    }
    return pivot;
}

/* Row r > at loses column `at`: rotations of columns r - 1 and r bring it back to a triangle, and
 * act on all rows below. */
static inline void ney_real_remove(ney_real *l, int64_t n, int64_t at, ney_real *spare)
{
    (void)spare;
    for (int64_t k = at; k + 1 < n; k++) {
        const ney_real *const corner = l + ney_packed_row(k + 1);
        const ney_real a = corner[k], b = corner[k + 1], length = ney_real_sqrt(a * a + b * b);
        for (int64_t r = k + 1; r < n; r++) {
            ney_real *const row = l + ney_packed_row(r);
            const ney_real x = row[k], y = row[k + 1];
            row[k] = (a * x + b * y) / length;
            row[k + 1] = (a * y - b * x) / length;
        }
    }
    for (int64_t r = at + 1; r < n; r++) { /* each row moves up by one */
        const ney_real *const row = l + ney_packed_row(r);
        ney_real *const higher = l + ney_packed_row(r - 1);
        for (int64_t k = 0; k < r; k++) {
            higher[k] = row[k];
        }
    }
}

#endif
#endif
