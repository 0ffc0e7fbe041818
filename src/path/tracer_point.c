/* One point of a path: its optimality conditions [PATH.2] restored to rounding, scores, dual
 * variables, objective and residual. */
#include "path/tracer.h"

#include <string.h>

/* [PATH.2]: score and intercept meet the label for every row of M, and the variables add up to 0;
 * of the rates, both are 0. How far they are violated, in the order of the factor. */
typedef struct violations {
    ney_real *score, *rate; /* one per row of M */
    ney_real worst_score, worst_rate;
    ney_real sum, rate_sum;
} violations;

ney_real ney_tracer_square(const ney_tracer *t, const ney_real c[2], const ney_real *v, ney_real b,
                           bool of_rates)
{
    const ney_margin *const g = &t->margin;
    if (ney_tracer_has_weights(t)) {
        const ney_real *const x = of_rates ? t->linear.rate : t->linear.w;
        ney_real sum[2];
        ney_real_dots(x, x, x, t->linear.x->cols, sum);
        return sum[0];
    }
    const ney_real_sum c0 = c[0], c1 = c[1];
    ney_real_sum sum = c0 * c0 * t->square[0] + 2 * c0 * c1 * t->square[1] + c1 * c1 * t->square[2];
    for (int64_t k = 0; k < g->m; k++) {
        const int64_t i = g->row[k];
        const ney_real_sum lead = c0 * ney_left_of(t, 0, i) + c1 * ney_left_of(t, 1, i);
        const ney_real_sum known = of_rates ? 0 : t->label[i];
        sum += v[g->slot[k]] * (lead + known - b);
    }
    return sum > 0 ? (ney_real)sum : 0;
}

ney_real ney_tracer_left_sum(const ney_tracer *t, const ney_real c[2])
{
    return c[1] * t->left_weight[1] - c[0] * t->left_weight[0];
}

/* The violations of the row at a place of M. */
static void measure_row(const ney_tracer *t, violations *w, int64_t k)
{
    const ney_margin *const g = &t->margin;
    const int64_t i = g->row[k];
    ney_real sum[2];
    if (ney_tracer_has_weights(t)) {
        ney_weights_dots(&t->linear, i, sum);
        w->score[k] = t->label[i] - t->b - sum[0];
        w->rate[k] = -t->b_rate - sum[1];
        return;
    }
    const ney_real_sum minus = ney_left_of(t, 0, i), plus = ney_left_of(t, 1, i);
    ney_real_dots(ney_margin_panel(g, i), g->v, g->rate, g->width, sum);
    w->score[k] =
        (ney_real)(t->label[i] - t->b - t->c[0] * minus - t->c[1] * plus - (ney_real_sum)sum[0]);
    w->rate[k] =
        (ney_real)(-t->b_rate - t->rate[0] * minus - t->rate[1] * plus - (ney_real_sum)sum[1]);
}

static void measure_violations(ney_tracer *t, violations *w)
{
    const ney_margin *const g = &t->margin;
    w->score = t->spare;
    w->rate = t->spare + t->n;
    w->worst_score = w->worst_rate = 0;
    w->sum = -ney_tracer_left_sum(t, t->c);
    w->rate_sum = -ney_tracer_left_sum(t, t->rate);
    if (ney_tracer_has_weights(t)) {
        ney_weights_update(&t->linear, g, t->c, t->rate);
    }
    for (int64_t k = 0; k < g->m; k++) {
        measure_row(t, w, k);
        w->sum -= g->v[g->slot[k]];
        w->rate_sum -= g->rate[g->slot[k]];
        w->worst_score = ney_real_max(w->worst_score, ney_real_abs(w->score[k]));
        w->worst_rate = ney_real_max(w->worst_rate, ney_real_abs(w->rate[k]));
    }
}

ney_real ney_tracer_sum_of_sizes(const ney_real *x, int64_t n)
{
    ney_real sum = 0;
    for (int64_t k = 0; k < n; k++) {
        sum += ney_real_abs(x[k]);
    }
    return sum;
}

static ney_real sum_of_duals(const ney_tracer *t, const ney_real c[2], const ney_real *v)
{
    return ney_real_abs(c[0]) * t->left_weight[0] + ney_real_abs(c[1]) * t->left_weight[1] +
           ney_tracer_sum_of_sizes(v, t->margin.width);
}

/* Remove the violations of the variables. */
static void correct_variables(ney_tracer *t, const violations *w)
{
    ney_margin *const g = &t->margin;
    t->b += ney_margin_solve(g, w->score, w->sum, t->fresh);
    t->fresh = false;
    for (int64_t k = 0; k < g->m; k++) {
        g->v[g->slot[k]] += w->score[k];
        t->travelled += ney_real_abs(w->score[k]) * t->reach[g->row[k]];
    }
}

static void correct_rates(ney_tracer *t, const violations *w)
{
    ney_margin *const g = &t->margin;
    t->b_rate += ney_margin_solve(g, w->rate, w->rate_sum, t->fresh);
    t->fresh = false;
    for (int64_t k = 0; k < g->m; k++) {
        g->rate[g->slot[k]] += w->rate[k];
    }
}

/* Where rows of M are all but dependent, what rounding leaves in the scores would become large
 * changes of the variables: values within tolerance are left alone. */
void ney_tracer_repair(ney_tracer *t)
{
    enum { ROUNDS = 3 };
    const ney_real square = t->longest * t->longest, largest = ney_real_max(t->c[0], t->c[1]);
    const ney_real fine =
        NEY_ROUNDING(1e-12) + NEY_ROUNDING(1e-15) * square * sum_of_duals(t, t->c, t->margin.v);
    const ney_real fine_rate =
        NEY_ROUNDING(1e-14) * square * sum_of_duals(t, t->rate, t->margin.rate);
    ney_real before = (ney_real)INFINITY, rate_before = (ney_real)INFINITY;
    violations w;
    for (int round = 0;; round++) {
        measure_violations(t, &w);
        const bool scores = w.worst_score > fine && w.worst_score < before / 2;
        const bool sums = ney_real_abs(w.sum) > NEY_ROUNDING(1e-13) * largest;
        const bool rates = w.worst_rate > fine_rate && w.worst_rate < rate_before / 2;
        if (round == ROUNDS || (!scores && !sums && !rates)) {
            break;
        }
        if (rates) {
            rate_before = w.worst_rate;
            correct_rates(t, &w);
        }
        if (scores || sums) {
            before = w.worst_score;
            if (!scores) {
                memset(w.score, 0, (size_t)t->margin.m * sizeof *w.score);
            }
            correct_variables(t, &w);
        }
    }
    t->misfit = w.worst_score;
    t->blur = ney_real_max(fine_rate, 8 * w.worst_rate);
}

ney_real ney_tracer_evaluate(ney_tracer *t, int64_t i)
{
    const ney_margin *const g = &t->margin;
    ney_real sum[2];
    if (ney_tracer_has_weights(t)) {
        ney_weights_dots(&t->linear, i, sum);
        t->score[i] = sum[0];
        t->seen[i] = t->travelled;
        return sum[1];
    }
    ney_real_dots(ney_margin_panel(g, i), g->v, g->rate, g->width, sum);
    t->score[i] = sum[0] + t->c[0] * t->left[0][i] + t->c[1] * t->left[1][i];
    t->seen[i] = t->travelled;
    return sum[1] + t->rate[0] * t->left[0][i] + t->rate[1] * t->left[1][i];
}

ney_real ney_tracer_dual(const ney_tracer *t, int64_t i)
{
    const int64_t place = t->margin.place[i];
    if (t->side[i] == NEY_SIDE_LEFT) {
        return t->label[i] > 0 ? ney_box(t, i) : -ney_box(t, i);
    }
    return place >= 0 ? t->margin.v[t->margin.slot[place]] : 0;
}

void ney_tracer_duals(const ney_tracer *t, ney_real *v)
{
    for (int64_t i = 0; i < t->n; i++) {
        v[i] = ney_tracer_dual(t, i);
    }
}

/* The dual value, and what the primal exceeds it by: rows of M that do not quite have z = 1. */
double ney_tracer_objective(const ney_tracer *t)
{
    const ney_margin *const g = &t->margin;
    ney_real gain = t->c[0] * t->left_weight[0] + t->c[1] * t->left_weight[1];
    for (int64_t k = 0; k < g->m; k++) {
        gain += (ney_real)t->label[g->row[k]] * g->v[g->slot[k]];
    }
    return (double)(gain - ney_tracer_square(t, t->c, g->v, t->b, false) / 2);
}

/* What is to be expected of a score where every kernel value is off by a random rounding error:
 * the unit times |phi_i| (sum_j v_j^2 |phi_j|^2)^1/2, with v_j^2 <= max C_i |v_j| and |phi_j|^2
 * about its mean. */
static ney_real rounding_of_scores(const ney_tracer *t)
{
    const ney_real largest = t->heaviest * ney_real_max(t->c[0], t->c[1]);
    const ney_real squares = largest * sum_of_duals(t, t->c, t->margin.v) * t->margin.rho;
    return ney_kernel_rows_rounding(&t->rows) * t->longest * ney_real_sqrt(squares);
}

double ney_tracer_residual(const ney_tracer *t)
{
    const ney_margin *const g = &t->margin;
    ney_real outside = 0, sum = ney_tracer_left_sum(t, t->c),
             largest = ney_real_max(t->c[0], t->c[1]);
    for (int64_t k = 0; k < g->m; k++) {
        const int64_t i = g->row[k];
        const ney_real v = g->v[g->slot[k]], a = t->label[i] > 0 ? v : -v;
        outside = ney_real_max(outside, ney_real_max(-a, a - ney_box(t, i)));
        sum += v;
    }
    const ney_real box = largest > 0 ? ney_real_max(outside, ney_real_abs(sum)) / largest : 0;
    const ney_real margin = ney_real_max(t->misfit, t->worst);
    return (double)ney_real_max(ney_real_max(margin, rounding_of_scores(t)), box);
}
