#include "path/tracer.h"

#include <string.h>

/* |w|^2 = |sum over L|^2 + sum_M v_k (2 lead_k + (K_MM v)_k), lead being what L gives row k, at the
 * costs c and the variables v; K_MM v = known_k - lead_k - b. At large C these terms are many
 * orders of magnitude larger than their sum. */
static ney_real square_of_w(const ney_tracer *t, const ney_real c[2], const ney_real *v, ney_real b,
                            bool of_rates)
{
    const ney_margin *const g = &t->margin;
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

static ney_real sum_of_left(const ney_tracer *t, const ney_real c[2])
{
    return c[1] * t->left_weight[1] - c[0] * t->left_weight[0];
}

/* ---- starting */

static ney_status allocate(ney_tracer *t, ney_error *err)
{
    const int64_t n = t->n;
    ney_real *const block = ney_alloc_zeroed(&t->env, 12 * n, sizeof *block);
    t->weight = block;
    t->near = ney_alloc(&t->env, n, sizeof *t->near);
    t->side = ney_alloc_zeroed(&t->env, 2 * n, sizeof *t->side);
    if (!block || !t->near || !t->side) {
        return ney_no_memory(err, n, "rows of a path");
    }
    t->reach = block + n;
    t->left[0] = block + 2 * n;
    t->left[1] = block + 3 * n;
    t->score = block + 4 * n;
    t->seen = block + 5 * n;
    t->rest[0] = block + 6 * n;
    t->rest[1] = block + 7 * n;
    t->base = block + 8 * n;
    t->toward = block + 9 * n;
    t->spare = block + 10 * n;
    t->turns = t->side + n;
    return NEY_OK;
}

void ney_tracer_set_side(ney_tracer *t, int64_t i, ney_side side)
{
    const ney_real y = (ney_real)t->label[i];
    t->count[t->side[i]]--;
    t->count[side]++;
    t->side[i] = (int8_t)side;
    t->base[i] = side == NEY_SIDE_LEFT ? 1 : side == NEY_SIDE_RIGHT ? -1 : (ney_real)INFINITY;
    t->toward[i] = side == NEY_SIDE_LEFT ? y : side == NEY_SIDE_RIGHT ? -y : 0;
}

/* Sums over L, and what else follows from the sides, from the beginning. */
static ney_status sum_left(ney_tracer *t, ney_error *err)
{
    ney_real *const factor[2] = {t->spare, t->spare + t->n};
    memset(t->spare, 0, 2 * (size_t)t->n * sizeof *t->spare);
    memset(t->left_weight, 0, sizeof t->left_weight);
    memset(t->square, 0, sizeof t->square);
    for (int64_t i = 0; i < t->n; i++) {
        if (t->side[i] == NEY_SIDE_LEFT) {
            factor[ney_class(t, i)][i] = t->label[i] > 0 ? t->weight[i] : -t->weight[i];
            t->left_weight[ney_class(t, i)] += t->weight[i];
        }
    }
    const ney_real *const known[2] = {factor[0], factor[1]};
    const ney_status st = ney_kernel_rows_sums(&t->rows, known, t->left, t->rest, err);
    for (int64_t i = 0; i < t->n && st == NEY_OK; i++) {
        t->square[0] += factor[0][i] * ney_left_of(t, 0, i);
        t->square[1] += factor[0][i] * ney_left_of(t, 1, i);
        t->square[2] += factor[1][i] * ney_left_of(t, 1, i);
    }
    return st;
}

/* No score is known yet: any distance may have been travelled. */
static void forget_scores(ney_tracer *t)
{
    t->travelled = 0;
    for (int64_t i = 0; i < t->n; i++) {
        t->seen[i] = -(ney_real)INFINITY;
    }
}

/* All rows left at C+ = C- = 0. On n+ C+ = n- C- with small C the scores are C+ h, and b is free in
 * [-1 + C+ m-, 1 - C+ m+]; the positive row with the largest h marks its upper end. */
static ney_status enter(ney_tracer *t, ney_error *err)
{
    const ney_real ratio = t->class_weight[1] / t->class_weight[0];
    int64_t first = -1;
    ney_real most = 0;
    bool taken;
    ney_status st = sum_left(t, err);
    if (st != NEY_OK) {
        return st;
    }
    for (int64_t i = 0; i < t->n; i++) {
        const ney_real h = t->left[1][i] + ratio * t->left[0][i];
        if (t->side[i] == NEY_SIDE_LEFT && t->label[i] > 0 && (first < 0 || h > most)) {
            first = i;
            most = h;
        }
    }
    const ney_real *const row = ney_kernel_rows_get(&t->rows, first);
    if (!row) {
        return ney_no_memory(err, 1, "kernel rows");
    }
    if ((st = ney_margin_append(&t->margin, first, row, 0, 0, &taken, err)) != NEY_OK) {
        return st;
    }
    ney_tracer_left(t, first, row, -1);
    ney_tracer_set_side(t, first, NEY_SIDE_MARGIN);
    t->b = 1;
    t->fresh = true;
    forget_scores(t);
    return NEY_OK;
}

ney_status ney_tracer_init(ney_tracer *t, const ney_env *env, const ney_matrix *x,
                           const int8_t *label, const float *weight, const ney_kernel *kernel,
                           double bytes, ney_error *err)
{
    *t = (ney_tracer){.env = *env, .n = x->rows, .label = label};
    ney_real mean = 0;
    ney_status st;
    if ((st = allocate(t, err)) != NEY_OK ||
        (st = ney_kernel_rows_init(&t->rows, env, x, kernel, bytes, err)) != NEY_OK) {
        return st;
    }
    for (int64_t i = 0; i < t->n; i++) {
        const ney_real k = ney_gram_diagonal(&t->rows.gram, i);
        t->weight[i] = weight ? (ney_real)weight[i] : 1;
        t->class_weight[ney_class(t, i)] += t->weight[i];
        t->count[NEY_SIDE_OUT]++;
        ney_tracer_set_side(t, i, t->weight[i] > 0 ? NEY_SIDE_LEFT : NEY_SIDE_OUT);
        t->heaviest = fmax(t->heaviest, (double)t->weight[i]);
        t->reach[i] = ney_real_sqrt(ney_real_max(0, k));
        t->longest = ney_real_max(t->longest, t->reach[i]);
        mean += k / (ney_real)t->n;
    }
    if (!(t->class_weight[0] > 0 && t->class_weight[1] > 0)) {
        return ney_fail(err, NEY_EINVAL, "a class has no row with a weight, expected both");
    }
    st = ney_margin_init(&t->margin, env, t->n, mean > 0 ? mean : 1, err);
    return st == NEY_OK ? enter(t, err) : st;
}

void ney_tracer_deinit(ney_tracer *t)
{
    ney_margin_deinit(&t->margin);
    ney_kernel_rows_deinit(&t->rows);
    ney_release(&t->env, t->weight);
    ney_release(&t->env, t->near);
    ney_release(&t->env, t->side);
    *t = (ney_tracer){0};
}

void ney_tracer_left(ney_tracer *t, int64_t i, const ney_real *kernel_row, ney_real sign)
{
    const int own = ney_class(t, i);
    const ney_real w = t->label[i] > 0 ? t->weight[i] : -t->weight[i];
    if (sign < 0) { /* what is left of the sums is needed below */
        ney_real_axpy_exact(-w, kernel_row, t->n, t->left[own], t->rest[own]);
    }
    t->left_weight[own] += sign * t->weight[i];
    t->square[own ? 2 : 0] +=
        sign * w * (2 * ney_left_of(t, own, i) + w * (ney_real_sum)kernel_row[i]);
    t->square[1] += sign * w * ney_left_of(t, 1 - own, i);
    if (sign > 0) {
        ney_real_axpy_exact(w, kernel_row, t->n, t->left[own], t->rest[own]);
    }
}

/* ---- the point */

/* [PATH.2]: score and intercept meet the label for every row of M, and the variables add up to 0;
 * of the rates, both are 0. What is wrong with that, in the order of the factor. */
typedef struct wrongs {
    ney_real *score, *rate; /* a number a row */
    ney_real worst_score, worst_rate;
    ney_real sum, rate_sum;
} wrongs;

static void measure(const ney_tracer *t, wrongs *w)
{
    const ney_margin *const g = &t->margin;
    w->score = t->spare;
    w->rate = t->spare + t->n;
    w->worst_score = w->worst_rate = 0;
    w->sum = -sum_of_left(t, t->c);
    w->rate_sum = -sum_of_left(t, t->rate);
    for (int64_t k = 0; k < g->m; k++) {
        const int64_t i = g->row[k];
        const ney_real_sum minus = ney_left_of(t, 0, i), plus = ney_left_of(t, 1, i);
        ney_real sum[2];
        ney_real_dots(ney_margin_panel(g, i), g->v, g->rate, g->width, sum);
        w->score[k] = (ney_real)(t->label[i] - t->b - t->c[0] * minus - t->c[1] * plus -
                                 (ney_real_sum)sum[0]);
        w->rate[k] =
            (ney_real)(-t->b_rate - t->rate[0] * minus - t->rate[1] * plus - (ney_real_sum)sum[1]);
        w->sum -= g->v[g->slot[k]];
        w->rate_sum -= g->rate[g->slot[k]];
        w->worst_score = ney_real_max(w->worst_score, ney_real_abs(w->score[k]));
        w->worst_rate = ney_real_max(w->worst_rate, ney_real_abs(w->rate[k]));
    }
}

static ney_real sum_of_sizes(const ney_real *x, int64_t n)
{
    ney_real sum = 0;
    for (int64_t k = 0; k < n; k++) {
        sum += ney_real_abs(x[k]);
    }
    return sum;
}

static ney_real mass(const ney_tracer *t, const ney_real c[2], const ney_real *v)
{
    return ney_real_abs(c[0]) * t->left_weight[0] + ney_real_abs(c[1]) * t->left_weight[1] +
           sum_of_sizes(v, t->margin.width);
}

/* Take out what is wrong with the variables. */
static void mend_variables(ney_tracer *t, const wrongs *w)
{
    ney_margin *const g = &t->margin;
    t->b += ney_margin_solve(g, w->score, w->sum, t->fresh);
    t->fresh = false;
    for (int64_t k = 0; k < g->m; k++) {
        g->v[g->slot[k]] += w->score[k];
        t->travelled += ney_real_abs(w->score[k]) * t->reach[g->row[k]];
    }
}

static void mend_rates(ney_tracer *t, const wrongs *w)
{
    ney_margin *const g = &t->margin;
    t->b_rate += ney_margin_solve(g, w->rate, w->rate_sum, t->fresh);
    t->fresh = false;
    for (int64_t k = 0; k < g->m; k++) {
        g->rate[g->slot[k]] += w->rate[k];
    }
}

/* Where rows of M are all but dependent, what rounding leaves in the scores would become large
 * changes of the variables: nothing is touched that is good enough. */
void ney_tracer_repair(ney_tracer *t)
{
    enum { ROUNDS = 3 };
    const ney_real square = t->longest * t->longest, largest = ney_real_max(t->c[0], t->c[1]);
    const ney_real fine =
        NEY_ROUNDING(1e-12) + NEY_ROUNDING(1e-15) * square * mass(t, t->c, t->margin.v);
    const ney_real fine_rate = NEY_ROUNDING(1e-14) * square * mass(t, t->rate, t->margin.rate);
    ney_real before = (ney_real)INFINITY, rate_before = (ney_real)INFINITY;
    wrongs w;
    for (int round = 0;; round++) {
        measure(t, &w);
        const bool scores = w.worst_score > fine && w.worst_score < before / 2;
        const bool sums = ney_real_abs(w.sum) > NEY_ROUNDING(1e-13) * largest;
        const bool rates = w.worst_rate > fine_rate && w.worst_rate < rate_before / 2;
        if (round == ROUNDS || (!scores && !sums && !rates)) {
            break;
        }
        if (rates) {
            rate_before = w.worst_rate;
            mend_rates(t, &w);
        }
        if (scores || sums) {
            before = w.worst_score;
            if (!scores) {
                memset(w.score, 0, (size_t)t->margin.m * sizeof *w.score);
            }
            mend_variables(t, &w);
        }
    }
    t->misfit = w.worst_score;
    t->blur = ney_real_max(fine_rate, 8 * w.worst_rate);
}

ney_real ney_tracer_evaluate(ney_tracer *t, int64_t i)
{
    const ney_margin *const g = &t->margin;
    ney_real sum[2];
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
    return (double)(gain - square_of_w(t, t->c, g->v, t->b, false) / 2);
}

/* What is to be expected of a score where every kernel value is off by a random rounding error:
 * the unit times |phi_i| (sum_j v_j^2 |phi_j|^2)^1/2, with v_j^2 <= max C_i |v_j| and |phi_j|^2
 * about its mean. */
static ney_real rounding_of_scores(const ney_tracer *t)
{
    const ney_real largest = t->heaviest * ney_real_max(t->c[0], t->c[1]);
    const ney_real squares = largest * mass(t, t->c, t->margin.v) * t->margin.rho;
    return ney_kernel_rows_rounding(&t->rows) * t->longest * ney_real_sqrt(squares);
}

double ney_tracer_residual(const ney_tracer *t)
{
    const ney_margin *const g = &t->margin;
    ney_real outside = 0, sum = sum_of_left(t, t->c), largest = ney_real_max(t->c[0], t->c[1]);
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

ney_status ney_tracer_restore(ney_tracer *t, const int8_t *side, const double c[2], ney_error *err)
{
    ney_margin *const g = &t->margin;
    ney_status st;
    for (int64_t i = 0; i < t->n; i++) {
        ney_tracer_set_side(t, i, (ney_side)side[i]);
    }
    t->c[0] = c[0];
    t->c[1] = c[1];
    if ((st = sum_left(t, err)) != NEY_OK) {
        return st;
    }
    ney_margin_clear(g);
    for (int64_t i = 0; i < t->n; i++) {
        bool taken = true;
        if (t->side[i] == NEY_SIDE_MARGIN) {
            const ney_real *const row = ney_kernel_rows_get(&t->rows, i);
            st = row ? ney_margin_append(g, i, row, 0, 0, &taken, err)
                     : ney_no_memory(err, 1, "kernel rows");
        }
        if (st != NEY_OK) {
            return st;
        }
        if (!taken) {
            return ney_fail(err, NEY_ENUMERIC, "row %lld depends on others on the margin",
                            (long long)i + 1);
        }
    }
    if (g->m == 0) {
        return ney_fail(err, NEY_EINVAL, "no row on the margin, expected one at least");
    }
    t->b = t->b_rate = 0;
    t->rate[0] = t->rate[1] = 0;
    t->fresh = true;
    t->speed = 0;
    forget_scores(t);
    ney_tracer_repair(t);
    (void)ney_tracer_next(t, 0);
    return NEY_OK;
}

/* ---- the line */

/* Where a cost becomes 0, so do all the boxes of its class, and everything that is left to happen
 * happens at once: the last of the line is passed over. */
static const double THE_END = 1e-12;

/* The rates of v_M and b, and how fast w moves; v_M and b are brought up to date. */
static void find_direction(ney_tracer *t)
{
    ney_margin *const g = &t->margin;
    ney_real *const r = t->spare;
    for (int64_t k = 0; k < g->m; k++) {
        const int64_t i = g->row[k];
        r[k] = -(t->rate[0] * t->left[0][i] + t->rate[1] * t->left[1][i]);
    }
    t->b_rate = ney_margin_solve(g, r, -sum_of_left(t, t->rate), t->fresh);
    t->fresh = false;
    for (int64_t k = 0; k < g->m; k++) {
        g->rate[g->slot[k]] = r[k];
    }
    ney_tracer_repair(t);
    const ney_real reach = t->blur * sum_of_sizes(g->rate, g->width); /* of rounding */
    t->speed =
        ney_real_sqrt(square_of_w(t, t->rate, g->rate, t->b_rate, true) + reach) * (1 + 1e-9);
}

static void advance(ney_tracer *t, const ney_real from[2], const double to[2], ney_real theta,
                    ney_real tau)
{
    ney_margin *const g = &t->margin;
    for (int k = 0; k < 2; k++) {
        t->c[k] = theta < 1 ? from[k] * (1 - theta) + to[k] * theta : to[k];
    }
    for (int64_t k = 0; k < g->width; k++) {
        g->v[k] += tau * g->rate[k];
    }
    t->b += tau * t->b_rate;
    t->travelled += tau * t->speed;
}

ney_status ney_tracer_follow(ney_tracer *t, const double to[2], const ney_recorder *recorder,
                             ney_error *err)
{
    const ney_real from[2] = {t->c[0], t->c[1]};
    ney_real theta = 0;
    ney_status st = NEY_OK;
    t->rate[0] = to[0] - from[0];
    t->rate[1] = to[1] - from[1];
    t->stalled = 0;
    memset(t->turns, 0, (size_t)t->n);
    for (;;) {
        find_direction(t);
        const ney_turn turn = 1 - theta > THE_END ? ney_tracer_next(t, 1 - theta)
                                                  : (ney_turn){.tau = 1 - theta, .row = -1};
        if ((turn.tau > 0 || turn.row < 0) && recorder &&
            (st = recorder->point(recorder->user, t, (double)theta, err)) != NEY_OK) {
            return st;
        }
        if (turn.tau > 0) {
            theta = turn.row < 0 ? 1 : ney_real_min(1, theta + turn.tau);
            advance(t, from, to, theta, turn.tau);
        }
        if (turn.tau > NEY_ROUNDING(1e-15) * theta && t->stalled > 0) {
            t->stalled = 0;
            memset(t->turns, 0, (size_t)t->n);
        }
        if (turn.row >= 0 &&
            (st = ney_tracer_turn(t, &turn, recorder, (double)theta, err)) != NEY_OK) {
            return st;
        }
        if (turn.row < 0) {
            break;
        }
        if (!ney_poll(&t->env, "following the path", (double)theta, 1)) {
            return ney_fail(err, NEY_ECANCELLED, "cancelled at %g of the line", (double)theta);
        }
    }
    find_direction(t);
    (void)ney_tracer_next(t, 0); /* evaluates every row that may be violated here */
    return recorder ? recorder->point(recorder->user, t, 1, err) : NEY_OK;
}
