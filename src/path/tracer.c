#include "path/tracer.h"

#include <string.h>

/* ---- starting */

static ney_status allocate_rows(ney_tracer *t, ney_error *err)
{
    const int64_t n = t->n, arrays = ney_tracer_has_weights(t) ? 9 : 12;
    ney_real *const block = ney_alloc_zeroed(&t->env, arrays * n, sizeof *block);
    t->weight = block;
    t->near = ney_alloc(&t->env, n, sizeof *t->near);
    t->side = ney_alloc_zeroed(&t->env, 2 * n, sizeof *t->side);
    if (!block || !t->near || !t->side) {
        return ney_no_memory(err, n, "rows of a path");
    }
    t->reach = block + n;
    t->score = block + 2 * n;
    t->seen = block + 3 * n;
    t->base = block + 4 * n;
    t->toward = block + 5 * n;
    t->spare = block + 6 * n;
    if (ney_tracer_has_weights(t)) {
        t->kernel_row = block + 8 * n;
    } else {
        t->left[0] = block + 8 * n;
        t->left[1] = block + 9 * n;
        t->rest[0] = block + 10 * n;
        t->rest[1] = block + 11 * n;
    }
    t->stalled_events = t->side + n;
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

/* The sums over L as weights of the columns. */
static void add_left_rows(ney_tracer *t)
{
    memset(t->left_weight, 0, sizeof t->left_weight);
    ney_weights_clear(&t->linear);
    for (int64_t i = 0; i < t->n; i++) {
        if (t->side[i] == NEY_SIDE_LEFT) {
            ney_tracer_left(t, i, NULL, 1);
        }
    }
}

/* Sums over L, and what else follows from the sides, from the beginning. */
static ney_status sum_left(ney_tracer *t, ney_error *err)
{
    if (ney_tracer_has_weights(t)) {
        add_left_rows(t);
        return NEY_OK;
    }
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
static ney_status start_at_zero(ney_tracer *t, ney_error *err)
{
    const ney_real share[2] = {t->class_weight[1] / t->class_weight[0], 1};
    int64_t first = -1;
    ney_real most = 0;
    bool taken;
    ney_status st = sum_left(t, err);
    if (st != NEY_OK) {
        return st;
    }
    if (ney_tracer_has_weights(t)) {
        ney_weights_lead(&t->linear, share, t->linear.w);
    }
    for (int64_t i = 0; i < t->n; i++) {
        const ney_real h = ney_tracer_has_weights(t) ? ney_weights_dot(&t->linear, i, t->linear.w)
                                                     : t->left[1][i] + share[0] * t->left[0][i];
        if (t->side[i] == NEY_SIDE_LEFT && t->label[i] > 0 && (first < 0 || h > most)) {
            first = i;
            most = h;
        }
    }
    const ney_real *const row = ney_tracer_kernel_row(t, first);
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
    const bool by_weights = kernel->kind == NEY_KERNEL_LINEAR && x->cols <= x->rows;
    if ((by_weights && (st = ney_weights_init(&t->linear, env, x, err)) != NEY_OK) ||
        (st = allocate_rows(t, err)) != NEY_OK ||
        (st = ney_kernel_rows_init(&t->rows, env, x, kernel, by_weights ? 0 : bytes, err)) !=
            NEY_OK) {
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
    st = ney_margin_init(&t->margin, env, t->n, mean > 0 ? mean : 1, !by_weights, err);
    return st == NEY_OK ? start_at_zero(t, err) : st;
}

void ney_tracer_deinit(ney_tracer *t)
{
    ney_margin_deinit(&t->margin);
    ney_kernel_rows_deinit(&t->rows);
    ney_weights_deinit(&t->linear);
    ney_release(&t->env, t->weight);
    ney_release(&t->env, t->near);
    ney_release(&t->env, t->side);
    *t = (ney_tracer){0};
}

const ney_real *ney_tracer_kernel_row(ney_tracer *t, int64_t i)
{
    if (!ney_tracer_has_weights(t)) {
        return ney_kernel_rows_get(&t->rows, i);
    }
    ney_weights_products(&t->linear, i, &t->margin, t->kernel_row);
    return t->kernel_row;
}

void ney_tracer_left(ney_tracer *t, int64_t i, const ney_real *kernel_row, ney_real sign)
{
    const int own = ney_class(t, i);
    const ney_real w = t->label[i] > 0 ? t->weight[i] : -t->weight[i];
    if (ney_tracer_has_weights(t)) {
        t->left_weight[own] += sign * t->weight[i];
        ney_weights_add(&t->linear, own, i, sign * w);
        return;
    }
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
            const ney_real *const row = ney_tracer_kernel_row(t, i);
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
        return ney_fail(err, NEY_EINVAL, "no row on the margin, expected at least one");
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

/* Where a cost becomes 0, so do all the boxes of its class, and all remaining events coincide: the
 * last part of the line is skipped. */
static const double THE_END = 1e-12;

/* The rates of v_M and b, and how fast w moves; v_M and b are brought up to date. */
static void find_direction(ney_tracer *t)
{
    ney_margin *const g = &t->margin;
    ney_real *const r = t->spare;
    if (ney_tracer_has_weights(t)) {
        ney_weights_lead(&t->linear, t->rate, t->linear.rate);
    }
    for (int64_t k = 0; k < g->m; k++) {
        const int64_t i = g->row[k];
        r[k] = ney_tracer_has_weights(t)
                   ? -ney_weights_dot(&t->linear, i, t->linear.rate)
                   : -(t->rate[0] * t->left[0][i] + t->rate[1] * t->left[1][i]);
    }
    t->b_rate = ney_margin_solve(g, r, -ney_tracer_left_sum(t, t->rate), t->fresh);
    t->fresh = false;
    for (int64_t k = 0; k < g->m; k++) {
        g->rate[g->slot[k]] = r[k];
    }
    ney_tracer_repair(t);
    const ney_real reach = t->blur * ney_tracer_sum_of_sizes(g->rate, g->width); /* of rounding */
    t->speed =
        ney_real_sqrt(ney_tracer_square(t, t->rate, g->rate, t->b_rate, true) + reach) * (1 + 1e-9);
}

static void advance_to(ney_tracer *t, const ney_real from[2], const double to[2], ney_real theta,
                       ney_real tau)
{
    ney_margin *const g = &t->margin;
    for (int k = 0; k < 2; k++) {
        t->c[k] = theta < 1 ? from[k] * (1 - theta) + to[k] * theta : to[k];
    }
    for (int64_t k = 0; k < g->width; k++) {
        g->v[k] += tau * g->rate[k];
    }
    if (ney_tracer_has_weights(t)) {
        ney_real_axpy(tau, t->linear.rate, t->linear.w, t->linear.x->cols);
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
    t->usual_step = 0;
    memset(t->stalled_events, 0, (size_t)t->n);
    for (;;) {
        find_direction(t);
        const ney_event event = 1 - theta > THE_END ? ney_tracer_next(t, 1 - theta)
                                                    : (ney_event){.tau = 1 - theta, .row = -1};
        if ((event.tau > 0 || event.row < 0) && recorder &&
            (st = recorder->point(recorder->user, t, (double)theta, err)) != NEY_OK) {
            return st;
        }
        if (event.tau > 0) {
            theta = event.row < 0 ? 1 : ney_real_min(1, theta + event.tau);
            advance_to(t, from, to, theta, event.tau);
        }
        if (event.tau > NEY_ROUNDING(1e-15) * theta && t->stalled > 0) {
            t->stalled = 0;
            memset(t->stalled_events, 0, (size_t)t->n);
        }
        if (event.row >= 0 &&
            (st = ney_tracer_apply(t, &event, recorder, (double)theta, err)) != NEY_OK) {
            return st;
        }
        if (event.row < 0) {
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
