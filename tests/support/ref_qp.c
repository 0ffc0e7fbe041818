#include "support/ref_qp.h"

#include "support/kkt.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECES = 2 * REF_QP_MOST };

/* ---------------------------------------------------------------- values from their definitions */

static long double value(const ref_qp *p, int64_t i, long double v)
{
    const long double m = p->middle[i], a = p->slope_low[i], b = p->slope_high[i];
    const long double at_0 = m >= 0 ? -a * m : -b * m; /* of the function that is 0 at the middle */
    return (v <= m ? a : b) * (v - m) - at_0;
}

static void products(const ref_qp *p, const long double *v, long double *f)
{
    for (int64_t i = 0; i < p->n; i++) {
        f[i] = 0;
        for (int64_t j = 0; j < p->n; j++) {
            f[i] += p->k[i * p->n + j] * v[j];
        }
    }
}

long double ref_qp_dual(const ref_qp *p, const long double *v)
{
    long double f[REF_QP_MOST], sum = 0;
    products(p, v, f);
    for (int64_t i = 0; i < p->n; i++) {
        sum += value(p, i, v[i]) - v[i] * f[i] / 2;
    }
    return sum;
}

/* The maximum is at a corner: three of them to try. */
static long double primal_of_f(const ref_qp *p, const long double *v, const long double *f,
                               long double b)
{
    long double sum = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const long double corner[] = {p->low[i], p->middle[i], p->high[i]};
        long double most = -HUGE_VALL;
        for (int k = 0; k < 3; k++) {
            most = fmaxl(most, value(p, i, corner[k]) - corner[k] * (f[i] + b));
        }
        sum += most + v[i] * f[i] / 2;
    }
    return sum;
}

long double ref_qp_primal(const ref_qp *p, const long double *v, long double b)
{
    long double f[REF_QP_MOST];
    products(p, v, f);
    return primal_of_f(p, v, f, b);
}

long double ref_qp_best_b(const ref_qp *p, const long double *v)
{
    long double f[REF_QP_MOST] = {0}, best = HUGE_VALL, at = 0;
    products(p, v, f);
    for (int64_t k = 0; k < 2 * p->n; k++) {
        const int64_t i = k / 2;
        const long double b = (k % 2 ? p->slope_high[i] : p->slope_low[i]) - f[i];
        const long double primal = primal_of_f(p, v, f, b);
        if (primal < best) {
            best = primal;
            at = b;
        }
    }
    return at;
}

long double ref_qp_violation(const ref_qp *p, const long double *v)
{
    long double f[REF_QP_MOST], highest = -HUGE_VALL, lowest = HUGE_VALL;
    products(p, v, f);
    for (int64_t i = 0; i < p->n; i++) {
        if (v[i] < p->high[i]) {
            highest =
                fmaxl(highest, (v[i] < p->middle[i] ? p->slope_low[i] : p->slope_high[i]) - f[i]);
        }
        if (v[i] > p->low[i]) {
            lowest =
                fminl(lowest, (v[i] > p->middle[i] ? p->slope_high[i] : p->slope_low[i]) - f[i]);
        }
    }
    return isfinite(highest) && isfinite(lowest) ? highest - lowest : 0;
}

/* ---------------------------------------------------------------- the interior-point method */

/* v_i = low_i + its pieces x_k in [0, width_k]; concavity fills the first piece before the second.
 *
 *     min 1/2 v'Kv - slope'x   s.t.  sum x = -sum low,  0 <= x <= width
 *
 * with multipliers z of x >= 0, t of x <= width and b of the equality. */
typedef struct interior {
    const ref_qp *p;
    int64_t m;
    int64_t row[PIECES]; /* the variable that a piece belongs to */
    long double width[PIECES], slope[PIECES], x[PIECES], z[PIECES], t[PIECES];
    long double b, total;
    long double *matrix; /* m x m */
} interior;

static void add_piece(interior *s, int64_t i, double width, double slope)
{
    if (width > 0) {
        s->row[s->m] = i;
        s->width[s->m] = width;
        s->slope[s->m] = slope;
        s->x[s->m] = (long double)width / 2;
        s->m++;
    }
}

static void point(const interior *s, long double *v)
{
    for (int64_t i = 0; i < s->p->n; i++) {
        v[i] = s->p->low[i];
    }
    for (int64_t k = 0; k < s->m; k++) {
        v[s->row[k]] += s->x[k];
    }
}

/* K + diag in place of `matrix`, as LL'. */
static void factor(interior *s)
{
    const int64_t m = s->m;
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j <= i; j++) {
            long double sum = s->p->k[s->row[i] * s->p->n + s->row[j]];
            if (i == j) {
                sum += s->z[i] / s->x[i] + s->t[i] / (s->width[i] - s->x[i]);
            }
            const long double least = 1e-18L * sum;
            for (int64_t k = 0; k < j; k++) {
                sum -= s->matrix[i * m + k] * s->matrix[j * m + k];
            }
            s->matrix[i * m + j] =
                i == j ? sqrtl(fmaxl(sum, fmaxl(least, 1e-300L))) : sum / s->matrix[j * m + j];
        }
    }
}

static void solve_factored(const interior *s, const long double *rhs, long double *out)
{
    const int64_t m = s->m;
    for (int64_t i = 0; i < m; i++) {
        out[i] = rhs[i];
        for (int64_t k = 0; k < i; k++) {
            out[i] -= s->matrix[i * m + k] * out[k];
        }
        out[i] /= s->matrix[i * m + i];
    }
    for (int64_t i = m - 1; i >= 0; i--) {
        for (int64_t k = i + 1; k < m; k++) {
            out[i] -= s->matrix[k * m + i] * out[k];
        }
        out[i] /= s->matrix[i * m + i];
    }
}

/* The longest step, not above 1, that keeps x + step dx positive. */
static long double longest(long double x, long double dx, long double step)
{
    return dx < 0 ? fminl(step, -0.995L * x / dx) : step;
}

/* One Newton step towards complementarity `mu`. */
static void step_towards(interior *s, long double mu)
{
    long double v[REF_QP_MOST], f[REF_QP_MOST], rhs[PIECES], one[PIECES], dx[PIECES],
        inverse[PIECES];
    long double need = s->total, dot = 0, ones = 0, length = 1;
    point(s, v);
    products(s->p, v, f);
    factor(s);
    for (int64_t k = 0; k < s->m; k++) {
        const long double room = s->width[k] - s->x[k];
        rhs[k] = s->slope[k] - f[s->row[k]] - s->b + mu / s->x[k] - mu / room;
        one[k] = 1;
        need -= s->x[k];
    }
    solve_factored(s, rhs, dx);
    solve_factored(s, one, inverse);
    for (int64_t k = 0; k < s->m; k++) {
        dot += dx[k];
        ones += inverse[k];
    }
    const long double db = (dot - need) / ones;
    for (int64_t k = 0; k < s->m; k++) {
        const long double room = s->width[k] - s->x[k];
        dx[k] -= db * inverse[k];
        rhs[k] = (mu - s->z[k] * dx[k]) / s->x[k] - s->z[k];
        one[k] = (mu + s->t[k] * dx[k]) / room - s->t[k];
        length = longest(s->x[k], dx[k], longest(room, -dx[k], length));
        length = longest(s->z[k], rhs[k], longest(s->t[k], one[k], length));
    }
    for (int64_t k = 0; k < s->m; k++) {
        s->x[k] = fminl(s->x[k] + length * dx[k], s->width[k] * (1 - 1e-19L));
        s->z[k] += length * rhs[k];
        s->t[k] += length * one[k];
    }
    s->b += length * db;
}

static long double complementarity(const interior *s)
{
    long double sum = 0;
    for (int64_t k = 0; k < s->m; k++) {
        sum += s->z[k] * s->x[k] + s->t[k] * (s->width[k] - s->x[k]);
    }
    return sum / (long double)(2 * s->m);
}

/* Keep the best ends seen: the last steps may be only rounding. */
static void note(const interior *s, ref_qp_answer *a)
{
    long double v[REF_QP_MOST], left = 0;
    point(s, v);
    for (int64_t i = 0; i < s->p->n; i++) {
        left += v[i];
    }
    for (int64_t i = 0; i < s->p->n && left != 0; i++) { /* exactly on the plane */
        const long double to = fminl(fmaxl(v[i] - left, s->p->low[i]), s->p->high[i]);
        left += to - v[i];
        v[i] = to;
    }
    const long double b = ref_qp_best_b(s->p, v);
    a->upper = fminl(a->upper, ref_qp_primal(s->p, v, b));
    const long double dual = ref_qp_dual(s->p, v);
    if (dual > a->lower) {
        a->lower = dual;
        a->b = b;
        memcpy(a->v, v, sizeof v);
    }
}

void ref_qp_solve(const ref_qp *p, ref_qp_answer *a)
{
    interior s = {.p = p};
    long double least = 0, most = 0, scale = 0;
    *a = (ref_qp_answer){.lower = -HUGE_VALL, .upper = HUGE_VALL};
    for (int64_t i = 0; i < p->n; i++) {
        add_piece(&s, i, p->middle[i] - p->low[i], p->slope_low[i]);
        add_piece(&s, i, p->high[i] - p->middle[i], p->slope_high[i]);
        least += p->low[i];
        most += p->high[i];
        scale = fmaxl(scale, fmaxl(fabsl(p->slope_low[i]), fabsl(p->slope_high[i])));
    }
    a->feasible = least <= 0 && most >= 0;
    s.total = -least;
    if (!a->feasible) {
        return;
    }
    if (least == 0 || most == 0) { /* a single point, without an inside */
        for (int64_t k = 0; k < s.m; k++) {
            s.x[k] = least == 0 ? 0 : s.width[k];
        }
        note(&s, a);
        return;
    }
    s.matrix = malloc((size_t)(s.m * s.m) * sizeof *s.matrix);
    for (int64_t k = 0; k < s.m; k++) {
        s.z[k] = s.t[k] = scale + 1;
    }
    for (int step = 0; step < 200; step++) {
        step_towards(&s, 0.1L * complementarity(&s));
        note(&s, a);
        if (a->upper - a->lower <= 1e-15L * fabsl(a->upper)) {
            break;
        }
    }
    free(s.matrix);
}

/* ---------------------------------------------------------------- kernels */

long double ref_kernel(const ney_matrix *x, int64_t i, int64_t j, const ney_kernel *kernel)
{
    long double dot = 0, square = 0;
    for (int64_t c = 0; c < x->cols; c++) {
        const long double a = kkt_entry(x, i, c), b = kkt_entry(x, j, c);
        dot += a * b;
        square += (a - b) * (a - b);
    }
    switch ((ney_kernel_kind)kernel->kind) {
    case NEY_KERNEL_RBF:
        return expl(-kernel->gamma * square);
    case NEY_KERNEL_POLY:
        return powl(kernel->gamma * dot + kernel->coef0, (long double)kernel->degree);
    case NEY_KERNEL_SIGMOID:
        return tanhl(kernel->gamma * dot + kernel->coef0);
    case NEY_KERNEL_LINEAR:
        break;
    }
    return dot;
}

void ref_kernel_matrix(const ney_matrix *x, const ney_kernel *kernel, long double *k)
{
    for (int64_t i = 0; i < x->rows; i++) {
        for (int64_t j = 0; j <= i; j++) {
            k[i * x->rows + j] = k[j * x->rows + i] = ref_kernel(x, i, j, kernel);
        }
    }
}
