/* Events along the line: which row reaches a bound or the margin next, and the change of the active
 * set. */
#include "path/tracer.h"

/* A row whose pivot is below this share of its diagonal is a combination of the others. */
static const ney_real LEAST_PIVOT = NEY_ROUNDING(4e-15);

/* An exchange for a row that has less of a share in the combination would leave M all but
 * dependent; the row waits where it is. */
static const double LEAST_SHARE = 1e-5;

/* After MANY_EVENTS events at one theta the row with the least index goes first, as in Bland's
 * rule, and a row that entered or left M MOST_STALLED times stays where it is. */
enum { MANY_EVENTS = 64, MOST_STALLED = 6 };

/* A step within which the next event is looked for first, in units of the mean of recent ones; and
 * the weight of a new one in that mean. */
static const double STEPS_AHEAD = 4, STEP_WEIGHT = 0.05;

static void offer_event(const ney_tracer *t, ney_event *best, ney_real tau, ney_real rate,
                        int64_t row, ney_side to)
{
    const bool careful = t->stalled > MANY_EVENTS;
    if (tau > best->tau) {
        return;
    }
    const bool first =
        tau < best->tau || best->row < 0 || (careful ? row < best->row : rate > best->rate);
    if (first) {
        *best = (ney_event){.tau = tau, .rate = rate, .row = row, .to = to};
    }
}

/* ---- the next event */

static ney_real largest_rate(const ney_margin *g)
{
    ney_real most = 0;
    for (int64_t k = 0; k < g->width; k++) {
        most = ney_real_max(most, ney_real_abs(g->rate[k]));
    }
    return most;
}

/* A variable on a bound does not leave it for a rate that may be rounding. */
static void offer_bound(const ney_tracer *t, ney_event *best, ney_real distance, ney_real rate,
                        ney_real box, ney_real noise, int64_t i, ney_side to)
{
    if (rate > 0 && (distance > NEY_ROUNDING(1e-12) * box || rate > noise ||
                     distance < -NEY_ROUNDING(1e-10) * box)) {
        offer_event(t, best, ney_real_max(0, distance) / rate, rate, i, to);
    }
}

static void next_on_margin(const ney_tracer *t, ney_event *best)
{
    const ney_margin *const g = &t->margin;
    const ney_real noise = NEY_ROUNDING(1e-11) * largest_rate(g);
    for (int64_t k = 0; k < g->m; k++) {
        const int64_t i = g->row[k];
        const ney_real y = (ney_real)t->label[i], box = ney_box(t, i);
        const ney_real a = y * g->v[g->slot[k]], rate = y * g->rate[g->slot[k]];
        const ney_real box_rate = t->weight[i] * t->rate[ney_class(t, i)];
        if (t->stalled_events[i] < MOST_STALLED) {
            offer_bound(t, best, a, -rate, box, noise, i, NEY_SIDE_RIGHT);
            offer_bound(t, best, box - a, rate - box_rate, box, noise, i, NEY_SIDE_LEFT);
        }
    }
}

/* Offer the rows off the margin that may be on it within `ahead`. */
static void offer_near(ney_tracer *t, ney_event *best, ney_real ahead)
{
    const ney_real_near query = {.base = t->base,
                                 .toward = t->toward,
                                 .at = t->score,
                                 .reach = t->reach,
                                 .seen = t->seen,
                                 .shift = t->b,
                                 .drift = t->b_rate,
                                 .speed = t->speed,
                                 .travelled = t->travelled,
                                 .ahead = ahead};
    const int64_t n = ney_real_find_near(&query, t->n, t->near);
    for (int64_t k = 0; k < n; k++) {
        const int64_t i = t->near[k];
        if (t->side[i] != NEY_SIDE_LEFT && t->side[i] != NEY_SIDE_RIGHT) {
            continue;
        }
        const ney_real rate = t->toward[i] * (ney_tracer_evaluate(t, i) + t->b_rate);
        const ney_real distance = t->base[i] - t->toward[i] * (t->score[i] + t->b);
        t->worst = -distance > t->worst ? -distance : t->worst;
        if (rate > t->blur && distance <= best->tau * rate && t->stalled_events[i] < MOST_STALLED) {
            offer_event(t, best, ney_real_max(0, distance) / rate, rate, i, NEY_SIDE_MARGIN);
        }
    }
}

/* Most events come soon: rows that could be on the margin within a few times the usual step are
 * evaluated first, others where no event is among these. */
static void next_off_margin(ney_tracer *t, ney_event *best)
{
    ney_real ahead = ney_real_min(best->tau, STEPS_AHEAD * t->usual_step);
    for (;;) {
        offer_near(t, best, ahead);
        if (ahead >= best->tau) {
            return;
        }
        ahead = ney_real_min(best->tau, ahead > 0 ? STEPS_AHEAD * ahead : best->tau);
    }
}

/* What happens at the limit itself is left to the segment that begins there; where a cost becomes
 * 0, everything does. */
ney_event ney_tracer_next(ney_tracer *t, ney_real limit)
{
    ney_event best = {.tau = limit * (1 - 1e-9), .row = -1};
    t->worst = 0;
    next_on_margin(t, &best);
    next_off_margin(t, &best);
    if (best.row < 0) {
        best.tau = limit;
    } else if (best.tau > 0) {
        t->usual_step += STEP_WEIGHT * (best.tau - t->usual_step);
    }
    return best;
}

/* ---- going there */

/* The kernel row of a row of M; valid until the next call. */
static const ney_real *row_of_margin(ney_tracer *t, int64_t place)
{
    if (t->rows.all) {
        return t->rows.all + t->margin.row[place] * t->n;
    }
    ney_margin_column(&t->margin, place, t->spare);
    return t->spare;
}

static void leave_margin(ney_tracer *t, int64_t place, ney_side to)
{
    const int64_t i = t->margin.row[place];
    if (to == NEY_SIDE_LEFT) {
        ney_tracer_left(t, i, ney_tracer_has_weights(t) ? NULL : row_of_margin(t, place), 1);
    }
    ney_tracer_set_side(t, i, to);
    ney_margin_remove(&t->margin, place);
    t->fresh = true;
    (void)ney_tracer_evaluate(t, i);
}

static ney_status join_margin(ney_tracer *t, int64_t i, const ney_real *kernel_row, ney_real v,
                              ney_real least, bool *taken, ney_error *err)
{
    const ney_status st = ney_margin_append(&t->margin, i, kernel_row, v, least, taken, err);
    if (st == NEY_OK && *taken) {
        if (t->side[i] == NEY_SIDE_LEFT) {
            ney_tracer_left(t, i, kernel_row, -1);
        }
        ney_tracer_set_side(t, i, NEY_SIDE_MARGIN);
        t->fresh = true;
    }
    return st;
}

static ney_real bound_of(const ney_tracer *t, int64_t i, ney_side side)
{
    return side == NEY_SIDE_LEFT ? (ney_real)t->label[i] * ney_box(t, i) : 0;
}

static ney_status get_row(ney_tracer *t, int64_t i, const ney_real **row, ney_error *err)
{
    *row = ney_tracer_kernel_row(t, i);
    return *row ? NEY_OK : ney_no_memory(err, 1, "kernel rows");
}

static ney_status record_event(const ney_recorder *recorder, double theta, int64_t row, ney_side to,
                               ney_error *err)
{
    return recorder ? recorder->event(recorder->user, theta, row, to, err) : NEY_OK;
}

/* A move along which no score changes: v_i by `sign` times the step, v_M by -sign x. */
typedef struct swap {
    const ney_real *x;
    ney_real sign, step;
    int64_t out; /* place in M of the variable that reaches a bound first; -1: v_i itself */
    ney_side to; /* which bound */
} swap;

/* How far the move can go. Of several variables that end it, the one that leaves most behind. */
static void measure_swap(const ney_tracer *t, swap *w)
{
    const ney_margin *const g = &t->margin;
    for (int64_t k = 0; k < g->m; k++) {
        const ney_real own = (ney_real)t->label[g->row[k]], change = -w->sign * w->x[k] * own;
        const ney_real a = own * g->v[g->slot[k]];
        const ney_real distance = change > 0 ? ney_box(t, g->row[k]) - a : a;
        const ney_real reached = ney_real_max(0, distance) / ney_real_abs(change);
        const bool larger = w->out >= 0 && ney_real_abs(w->x[k]) > ney_real_abs(w->x[w->out]);
        if (ney_real_abs(change) > 1e-9 && reached <= w->step * (larger ? 1 + 1e-9 : 1)) {
            w->step = ney_real_min(w->step, reached);
            w->out = k;
            w->to = change > 0 ? NEY_SIDE_LEFT : NEY_SIDE_RIGHT;
        }
    }
}

/* Row i is a combination x of M: moving v_i by s and the others by -s x leaves every score as it
 * is. So v_i moves off its bound until it, or a variable of M, reaches one, which then takes the
 * place of row i outside. */
static ney_status exchange_dependent(ney_tracer *t, int64_t i, const ney_recorder *recorder,
                                     double theta, ney_error *err)
{
    ney_margin *const g = &t->margin;
    ney_real *const x = t->spare + t->n;
    const ney_side side = (ney_side)t->side[i];
    const ney_real y = (ney_real)t->label[i];
    swap w = {.x = x,
              .sign = side == NEY_SIDE_LEFT ? -y : y,
              .step = ney_box(t, i),
              .out = -1,
              .to = side == NEY_SIDE_LEFT ? NEY_SIDE_RIGHT : NEY_SIDE_LEFT};
    const ney_real *row;
    bool taken;
    ney_status st;

    ney_margin_combination(g, x);
    measure_swap(t, &w);
    if (w.out >= 0 && ney_real_abs(x[w.out]) < LEAST_SHARE) {
        t->stalled_events[i] = MOST_STALLED;
        return NEY_OK;
    }
    for (int64_t k = 0; k < g->m; k++) {
        g->v[g->slot[k]] -= w.sign * x[k] * w.step;
    }
    if (w.out >= 0) {
        const int64_t gone = g->row[w.out];
        leave_margin(t, w.out, w.to);
        t->stalled_events[gone]++;
        if ((st = record_event(recorder, theta, gone, w.to, err)) != NEY_OK) {
            return st;
        }
    }
    if ((st = get_row(t, i, &row, err)) != NEY_OK) {
        return st;
    }
    if (w.out < 0) {
        ney_tracer_left(t, i, row, w.to == NEY_SIDE_LEFT ? 1 : -1);
        ney_tracer_set_side(t, i, w.to);
        return record_event(recorder, theta, i, w.to, err);
    }
    st = join_margin(t, i, row, bound_of(t, i, side) + w.sign * w.step, 0, &taken, err);
    if (st == NEY_OK && !taken) {
        return ney_fail(err, NEY_ENUMERIC, "row %lld cannot be exchanged at %g of the line",
                        (long long)i + 1, theta);
    }
    return st == NEY_OK ? record_event(recorder, theta, i, NEY_SIDE_MARGIN, err) : st;
}

static ney_status enter_margin(ney_tracer *t, int64_t i, const ney_recorder *recorder, double theta,
                               ney_error *err)
{
    const ney_real *row;
    bool taken;
    ney_status st = get_row(t, i, &row, err);
    if (st == NEY_OK) {
        st = join_margin(t, i, row, bound_of(t, i, (ney_side)t->side[i]), LEAST_PIVOT, &taken, err);
    }
    if (st != NEY_OK) {
        return st;
    }
    if (!taken) {
        return exchange_dependent(t, i, recorder, theta, err);
    }
    return record_event(recorder, theta, i, NEY_SIDE_MARGIN, err);
}

/* The last row of M leaves it: no variable is between its bounds, and b is free until the next row
 * is on the margin. It goes to the side where rows are whose variables can balance what is to come:
 * up if the variable that leaves is at its lower bound, for then others must fall. */
static ney_status move_intercept(ney_tracer *t, ney_side to, const ney_recorder *recorder,
                                 double theta, ney_error *err)
{
    const int64_t last = t->margin.row[0];
    const bool up = (t->label[last] > 0) == (to == NEY_SIDE_RIGHT);
    int64_t next = -1;
    ney_real nearest = up ? (ney_real)INFINITY : -(ney_real)INFINITY;
    for (int64_t i = 0; i < t->n; i++) {
        const bool falls = t->side[i] == (t->label[i] > 0 ? NEY_SIDE_LEFT : NEY_SIDE_RIGHT);
        if ((t->side[i] == NEY_SIDE_LEFT || t->side[i] == NEY_SIDE_RIGHT) && falls == up) {
            (void)ney_tracer_evaluate(t, i);
            const ney_real b = (ney_real)t->label[i] - t->score[i];
            if (up ? b < nearest : b > nearest) {
                nearest = b;
                next = i;
            }
        }
    }
    if (next < 0) {
        return ney_fail(err, NEY_ENUMERIC, "no row can balance the others at C+ %g, C- %g",
                        (double)t->c[1], (double)t->c[0]);
    }
    leave_margin(t, 0, to);
    t->b = nearest;
    const ney_status st = record_event(recorder, theta, last, to, err);
    return st == NEY_OK ? enter_margin(t, next, recorder, theta, err) : st;
}

ney_status ney_tracer_apply(ney_tracer *t, const ney_event *event, const ney_recorder *recorder,
                            double theta, ney_error *err)
{
    const int64_t i = event->row;
    t->stalled++;
    t->stalled_events[i]++;
    if (event->to == NEY_SIDE_MARGIN) {
        return enter_margin(t, i, recorder, theta, err);
    }
    if (t->margin.m == 1) {
        return move_intercept(t, event->to, recorder, theta, err);
    }
    leave_margin(t, t->margin.place[i], event->to);
    return record_event(recorder, theta, i, event->to, err);
}
