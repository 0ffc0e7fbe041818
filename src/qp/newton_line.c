/* The line search of newton.c: sums over all rows at a point of the line w + step * direction. */
#include "base/parallel.h"
#include "linalg/vector.h"
#include "qp/newton.h"

#include <math.h>

typedef struct probe {
    ney_newton *t;
    double step, b;
    ney_clipped_sums sum;
} probe;

static void probe_block(void *context, int64_t block, int thread)
{
    const probe *at = context;
    const ney_newton *t = at->t;
    (void)thread;
    ney_loop_clipped(&t->line, t->q->f, t->change, at->step, at->b,
                     ney_newton_block_begin(t, block), ney_newton_block_end(t, block),
                     &t->sums[block]);
}

static void probe_all(probe *at)
{
    const ney_newton *t = at->t;
    at->sum = (ney_clipped_sums){0};
    ney_parallel_for(&t->q->env, ney_newton_blocks(t), probe_block, at);
    if (t->q->blocks) {
        _Static_assert(sizeof at->sum == 5 * sizeof(double), "five sums and nothing else");
        ney_sum_blocks(t->q->blocks, &t->sums->value, &at->sum.value, 5);
        return;
    }
    for (int64_t block = 0; block < ney_newton_blocks(t); block++) {
        at->sum.value += t->sums[block].value;
        at->sum.along += t->sums[block].along;
        at->sum.s0 += t->sums[block].s0;
        at->sum.s1 += t->sums[block].s1;
        at->sum.s2 += t->sums[block].s2;
    }
}

/* b with sum v = 0, from a guess: the sum falls with b along a broken line. */
static void balance(probe *at)
{
    double low = -(double)INFINITY, high = (double)INFINITY, reach = 1 / at->t->tau;
    for (int trial = 0; trial < 60; trial++) {
        probe_all(at);
        const double sum = at->sum.value;
        if (fabs(sum) <= 1e-13 * at->t->width) {
            return;
        }
        if (sum > 0) {
            low = at->b;
        } else {
            high = at->b;
        }
        double next = at->sum.s0 > 0 ? at->b + sum / at->sum.s0 : (double)INFINITY;
        if (!(next > low && next < high)) {
            next = isinf(low) || isinf(high) ? at->b + (sum > 0 ? reach : -reach)
                                             : low + (high - low) / 2;
            reach *= 4;
        }
        if (next <= low || next >= high) { /* as near as numbers go */
            return;
        }
        at->b = next;
    }
}

void ney_newton_balance(ney_newton *t)
{
    probe at = {.t = t, .b = t->b};
    balance(&at);
    t->b = at.b;
}

static void move_block(void *context, int64_t block, int thread)
{
    const probe *at = context;
    (void)thread;
    for (int64_t i = ney_newton_block_begin(at->t, block); i < ney_newton_block_end(at->t, block);
         i++) {
        at->t->q->f[i] += at->step * at->t->change[i];
    }
}

/* How b follows a step along the line while no response changes its piece. */
static double drift(const ney_clipped_sums *s)
{
    return s->s0 > 0 ? -s->s1 / s->s0 : 0;
}

/* A step along the direction, the slope of [NEWTON.1] there with the best b, and how b drifts. */
typedef struct end {
    double step, slope, b;
} end;

/* The next step between two ends, the slope of the lower one being negative: a Newton step of
 * the last probe where it falls between them, else where a straight line puts the slope at 0, else
 * half way. */
static double next_step(end low, end high, const probe *at, double slope, double curve, int trial)
{
    const double width = high.step - low.step, newton = at->step - slope / curve;
    if (isinf(high.step)) {
        return curve > 0 ? ney_smaller(newton, 10 * at->step) : 10 * at->step;
    }
    if (curve > 0 && newton > low.step + 0.01 * width && newton < high.step - 0.01 * width) {
        return newton;
    }
    const double line = low.step - low.slope * width / (high.slope - low.slope);
    const bool inner = line > low.step + 0.01 * width && line < high.step - 0.01 * width;
    return inner && trial % 3 != 2 ? line : low.step + width / 2;
}

bool ney_newton_search_line(ney_newton *t)
{
    enum { TRIALS = 60 };
    const int64_t cols = t->q->x->cols;
    const double square = ney_dot(t->direction, t->direction, cols);
    const double across = ney_dot(t->q->w, t->direction, cols);
    const double before = ney_dot(t->gradient, t->direction, cols);
    end low = {.slope = before, .b = t->b}, high = {.step = (double)INFINITY};
    probe at = {.t = t, .b = t->b};

    if (!(before < 0)) {
        return false;
    }
    probe_all(&at);
    at.b += drift(&at.sum);
    at.step = 1;
    for (int trial = 0; trial < TRIALS; trial++) {
        balance(&at);
        const end here = {at.step, across + at.step * square - at.sum.along, at.b};
        if (here.slope < 0) {
            low = here;
        } else {
            high = here;
        }
        if (fabs(here.slope) <= 0.3 * fabs(before)) {
            low = here;
            break;
        }
        const double curve = square + at.sum.s2 + drift(&at.sum) * at.sum.s1;
        const double next = next_step(low, high, &at, here.slope, curve, trial);
        at.b += drift(&at.sum) * (next - at.step);
        at.step = next;
    }
    at.step = low.step; /* the last one that goes down for certain, if none was near enough */
    for (int64_t c = 0; c < cols; c++) {
        t->q->w[c] += at.step * t->direction[c];
    }
    ney_parallel_for(&t->q->env, ney_newton_blocks(t), move_block, &at);
    t->b = low.b;
    t->largest = ney_larger(t->largest, ney_dot(t->q->w, t->q->w, cols));
    return low.step > 0;
}
