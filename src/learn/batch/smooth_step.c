/* A Newton step of smooth.h: gradient, system, line search. */
#include "learn/batch/smooth_run.h"

#include "base/parallel.h"
#include "linalg/cholesky.h"
#include "linalg/rows.h"
#include "linalg/vector.h"
#include "qp/linear.h"

#include <assert.h>
#include <math.h>

/* ---- scores */

typedef struct scored {
    const ney_smooth *s;
    const double *w;
    double *to;
} scored;

static void score_block(void *context, int64_t block, int thread)
{
    const scored *at = context;
    (void)thread;
    const int64_t end = ney_smooth_block_end(at->s, block);
    for (int64_t k = ney_smooth_block_begin(at->s, block); k < end; k++) {
        at->to[k] = ney_linear_score(at->s->r->task->x, at->s->row[k], at->w);
    }
}

void ney_smooth_score(ney_smooth *s, const double *w, double *to)
{
    scored at = {.s = s, .w = w, .to = to};
    ney_parallel_for(&s->r->task->solver.env, ney_smooth_blocks(s), score_block, &at);
}

/* ---- gradient */

/* Slopes times rows, of either class; curvatures are noted. */
static void add_slopes(ney_smooth *s, int64_t begin, int64_t end, double *to)
{
    const ney_matrix *x = s->r->task->x;
    for (int64_t k = begin; k < end; k++) {
        const int side = s->side[k];
        const ney_corner c = ney_corner_at(s, k, side * (s->f[k] + s->at.b));
        s->curve[k] = (c.is_round - c.is_concave) * s->unit[k] / (2 * s->width);
        if (c.slope != 0) {
            ney_row_add(x, s->row[k], s->unit[k] * side * c.slope, to + (side > 0) * x->cols);
        }
    }
}

/* lambda, m and the gradient. False where what is bounded does not rise with the intercept. */
static bool take_gradient(ney_smooth *s)
{
    const int64_t cols = s->r->task->x->cols;
    ney_smooth_probe at = {.s = s, .b = s->at.b};
    ney_smooth_probe_all(&at);
    const double rise = ney_smooth_bounded(s, at.sum.slope);
    if (!(rise > 0)) {
        return false;
    }
    s->lambda = ney_smooth_lambda(s, at.sum.slope);
    ney_smooth_sum(s, add_slopes, 2 * cols);
    for (int64_t c = 0; c < cols; c++) {
        const double of[2] = {s->sum[c], s->sum[cols + c]};
        const double bounded = ney_smooth_bounded(s, of);
        s->mean[c] = bounded / rise;
        s->gradient[c] = s->at.w[c] + of[1] + s->lambda * bounded;
    }
    return true;
}

/* ---- system */

/* Numbers of a system: the lower triangles of positive curvatures and of negative ones; of sparse
 * rows also curvatures times rows, and their sums. */
static int64_t system_size(const ney_smooth *s)
{
    const int64_t cols = s->r->task->x->cols;
    return 2 * (ney_smooth_triangle(cols) + (s->r->task->x->dense ? 0 : cols + 1));
}

/* Lower triangle of `to` += weight * row row', for the row less m. */
static void add_shifted(const ney_smooth *s, int64_t row, double weight, double *to)
{
    const ney_matrix *x = s->r->task->x;
    double moved[NEY_LINEAR_NARROW];
    assert(x->cols <= NEY_LINEAR_NARROW);
    for (int64_t a = 0; a < x->cols; a++) {
        moved[a] = -s->mean[a];
    }
    ney_row_add(x, row, 1, moved);
    for (int64_t a = 0; a < x->cols; a++) {
        const double t = weight * moved[a];
        double *const line = to + ney_smooth_triangle(a);
        for (int64_t b = 0; b <= a; b++) {
            line[b] += t * moved[b];
        }
    }
}

/* The same for the few entries of a sparse row, which m would fill; `line` += weight * row. */
static void add_entries(const ney_matrix *x, int64_t row, double weight, double *to, double *line)
{
    const int64_t begin = x->start[row], end = x->start[row + 1];
    for (int64_t a = begin; a < end; a++) {
        const double t = weight * (double)x->value[a];
        double *const at = to + ney_smooth_triangle(x->index[a]);
        line[x->index[a]] += t;
        for (int64_t b = begin; b <= a; b++) {
            at[x->index[b]] += t * (double)x->value[b];
        }
    }
}

static void add_system(ney_smooth *s, int64_t begin, int64_t end, double *to)
{
    const ney_matrix *x = s->r->task->x;
    const int64_t cols = x->cols, size = ney_smooth_triangle(cols);
    double *const line = to + 2 * size;
    for (int64_t k = begin; k < end; k++) {
        const int negative = s->curve[k] < 0;
        const double weight = fabs(s->curve[k]) * ney_smooth_class_weight(s, s->side[k] > 0);
        if (weight > 0 && x->dense) {
            add_shifted(s, s->row[k], weight, to + negative * size);
        } else if (weight > 0) {
            add_entries(x, s->row[k], weight, to + negative * size, line + negative * cols);
            line[2 * cols + negative] += weight;
        }
    }
}

/* From sums of c x x' to sums of c (x - m) (x - m)'. */
static void shift_system(ney_smooth *s, int negative)
{
    const int64_t cols = s->r->task->x->cols, size = ney_smooth_triangle(cols);
    const double *const m = s->mean, *const lines = s->sum + 2 * size;
    const double *const line = lines + negative * cols, total = lines[2 * cols + negative];
    double *sum = s->sum + negative * size;
    for (int64_t a = 0; a < cols; a++) {
        for (int64_t b = 0; b <= a; b++) {
            *sum++ += total * m[a] * m[b] - line[a] * m[b] - m[a] * line[b];
        }
    }
}

static void take_system(ney_smooth *s)
{
    ney_smooth_sum(s, add_system, system_size(s));
    for (int negative = 0; negative < 2 && !s->r->task->x->dense; negative++) {
        shift_system(s, negative);
    }
}

/* The direction with a share of the negative curvatures. */
static bool find_direction(ney_smooth *s, double share)
{
    const int64_t cols = s->r->task->x->cols;
    const double *const up = s->sum, *const down = up + ney_smooth_triangle(cols);
    double *const h = s->system;
    for (int64_t a = 0; a < cols; a++) {
        for (int64_t b = 0; b <= a; b++) {
            const int64_t at = ney_smooth_triangle(a) + b;
            h[a * cols + b] = up[at] - share * down[at] + (a == b);
        }
        s->direction[a] = -s->gradient[a];
    }
    if (!ney_cholesky_factor(h, cols)) {
        return false;
    }
    ney_cholesky_solve(h, cols, s->direction);
    return true;
}

/* ---- line search */

typedef struct line {
    double square, across, own; /* |d|^2, w'd, |w|^2 */
} line;

/* J at a step, and its slope; the intercept follows the bound. */
static double value_at(const ney_smooth_probe *at, const line *l)
{
    return 0.5 * l->own + at->step * (l->across + 0.5 * at->step * l->square) + at->sum.loss[1];
}

static double slope_at(const ney_smooth_probe *at, const line *l)
{
    const double *const along = at->sum.along;
    return l->across + at->step * l->square + along[1] +
           ney_smooth_lambda(at->s, at->sum.slope) * ney_smooth_bounded(at->s, along);
}

/* Steps between which a lower point lies, and slopes there. */
typedef struct bracket {
    double low, high, at_low, at_high;
} bracket;

static double next_step(const bracket *k, double step, bool is_higher)
{
    const double width = k->high - k->low;
    const double secant = k->low - k->at_low * width / (k->at_high - k->at_low);
    return isinf(k->high)      ? 2 * step
           : is_higher         ? k->low + 0.2 * width
           : !(k->at_high > 0) ? k->low + 0.3 * width
                               : fmin(fmax(secant, k->low + 0.1 * width), k->high - 0.1 * width);
}

/* The step of the lowest J met, 0 if none is lower; the search ends where its slope is small. Where
 * no intercept meets the bound the step is too long. */
static double search_line(ney_smooth *s)
{
    enum { TRIALS = 20 };
    const int64_t cols = s->r->task->x->cols;
    const line l = {.square = ney_dot(s->direction, s->direction, cols),
                    .across = ney_dot(s->at.w, s->direction, cols),
                    .own = ney_dot(s->at.w, s->at.w, cols)};
    const double before = ney_dot(s->gradient, s->direction, cols), value = s->at.objective;
    const double fall = ney_dot(s->mean, s->direction, cols); /* of the intercept, per step */
    bracket k = {.at_low = before, .high = (double)INFINITY};
    double best = 0;
    ney_smooth_probe at = {.s = s, .step = 1, .b = s->at.b - fall};
    const double start = s->at.b;
    for (int trial = 0; trial < TRIALS && before < 0; trial++) {
        if (!ney_smooth_find_intercept(&at)) {
            if (s->share[1] == 0) {
                break;
            }
            k.high = at.step;
            k.at_high = 0;
            at.step = next_step(&k, at.step, true);
            at.b = start - at.step * fall;
            continue;
        }
        const double now = value_at(&at, &l), slope = slope_at(&at, &l);
        const bool fell = now <= value + 1e-4 * at.step * before;
        if (now < s->at.objective) {
            best = at.step;
            s->at.objective = now;
            s->at.b = at.b;
        }
        if (fell && fabs(slope) <= 0.1 * fabs(before)) {
            break;
        }
        *(fell && slope < 0 ? &k.low : &k.high) = at.step;
        *(fell && slope < 0 ? &k.at_low : &k.at_high) = slope;
        at.step = next_step(&k, at.step, now > value);
    }
    return best;
}

static bool move_along(ney_smooth *s, double step)
{
    for (int64_t c = 0; c < s->r->task->x->cols; c++) {
        s->at.w[c] += step * s->direction[c];
    }
    for (int64_t k = 0; k < s->n; k++) {
        s->f[k] += step * s->change[k];
    }
    return step > 0;
}

/* With all of the curvature, or, where that leads nowhere, with what is positive. */
static bool take_step(ney_smooth *s)
{
    bool moved = false;
    if (!take_gradient(s)) {
        return false;
    }
    take_system(s);
    for (int share = 1; share >= 0 && !moved; share--) {
        if (find_direction(s, share)) {
            ney_smooth_score(s, s->direction, s->change);
            moved = move_along(s, search_line(s));
        }
    }
    return moved;
}

/* Whether no process has reached a limit. One that is reached here is seen again by the next convex
 * problem. */
static bool goes_on(const ney_smooth *s)
{
    const ney_task *t = s->r->task;
    const double spent = (double)(t->iterations + s->steps);
    return ney_smooth_all(s, !(t->o.max_time > 0 && ney_task_seconds(t) > t->o.max_time) &&
                                 !(t->o.max_iter > 0 && spent >= (double)t->o.max_iter) &&
                                 ney_poll(&t->env, "training", spent, 0));
}

void ney_smooth_descend(ney_smooth *s, int most, double gain)
{
    double before = (double)INFINITY;
    for (int k = 0; k < most && before - s->at.objective > gain * s->at.objective && goes_on(s);
         k++) {
        before = s->at.objective;
        s->steps++;
        if (!take_step(s)) {
            break;
        }
    }
}
