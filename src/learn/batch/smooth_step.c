/* A Newton step of smooth.h: gradient, system, line search. */
#include "learn/batch/smooth_run.h"

#include "base/parallel.h"
#include "linalg/cholesky.h"
#include "linalg/rows.h"
#include "linalg/vector.h"
#include "qp/linear.h"

#include <assert.h>
#include <math.h>
#include <string.h>

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
    for (int64_t k = block * NEY_SMOOTH_BLOCK; k < ney_smooth_block_end(at->s, block); k++) {
        at->to[k] = ney_linear_score(at->s->r->task->x, at->s->row[k], at->w);
    }
}

void ney_smooth_score(ney_smooth *s, const double *w, double *to)
{
    scored at = {.s = s, .w = w, .to = to};
    ney_parallel_for(&s->r->task->solver.env, ney_smooth_blocks(s), score_block, &at);
}

/* ---- gradient */

/* Parts of the rows add up slopes times rows, of either class, and note curvatures. */
static void slope_part(void *context, int64_t part, int thread)
{
    ney_smooth *s = context;
    const ney_matrix *x = s->r->task->x;
    double *const to = s->parts + part * ney_smooth_part_size(s);
    (void)thread;
    memset(to, 0, 2 * (size_t)x->cols * sizeof *to);
    for (int64_t k = s->n * part / s->n_parts; k < s->n * (part + 1) / s->n_parts; k++) {
        const int side = s->side[k];
        const ney_corner c = ney_corner_at(s, k, side * (s->f[k] + s->at.b));
        s->curve[k] = (c.is_round - c.is_concave) * s->unit[k] / (2 * s->width);
        if (c.slope != 0) {
            ney_row_add(x, s->row[k], s->unit[k] * side * c.slope, to + (side > 0) * x->cols);
        }
    }
}

/* The sum over parts of one number of each. */
static double sum_of_parts(const ney_smooth *s, int64_t at)
{
    double sum = 0;
    for (int64_t part = 0; part < s->n_parts; part++) {
        sum += s->parts[part * ney_smooth_part_size(s) + at];
    }
    return sum;
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
    ney_parallel_for(&s->r->task->solver.env, s->n_parts, slope_part, s);
    for (int64_t c = 0; c < cols; c++) {
        const double of[2] = {sum_of_parts(s, c), sum_of_parts(s, cols + c)};
        const double bounded = ney_smooth_bounded(s, of);
        s->mean[c] = bounded / rise;
        s->gradient[c] = s->at.w[c] + of[1] + s->lambda * bounded;
    }
    return true;
}

/* ---- system */

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
        for (int64_t b = 0; b <= a; b++) {
            to[a * x->cols + b] += t * moved[b];
        }
    }
}

/* The same for the few entries of a sparse row, which m would fill; `line` += weight * row. */
static void add_entries(const ney_matrix *x, int64_t row, double weight, double *to, double *line)
{
    const int64_t begin = x->start[row], end = x->start[row + 1];
    for (int64_t a = begin; a < end; a++) {
        const double t = weight * (double)x->value[a];
        double *const at = to + x->index[a] * x->cols;
        line[x->index[a]] += t;
        for (int64_t b = begin; b <= a; b++) {
            at[x->index[b]] += t * (double)x->value[b];
        }
    }
}

static void system_part(void *context, int64_t part, int thread)
{
    ney_smooth *s = context;
    const ney_matrix *x = s->r->task->x;
    const int64_t cols = x->cols, size = cols * cols;
    double *const to = s->system + 2 * part * size;
    double *const line = s->parts + part * ney_smooth_part_size(s) + 2 * cols;
    (void)thread;
    memset(to, 0, 2 * (size_t)size * sizeof *to);
    memset(line, 0, (2 * (size_t)cols + 2) * sizeof *line);
    for (int64_t k = s->n * part / s->n_parts; k < s->n * (part + 1) / s->n_parts; k++) {
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
static void shift_system(ney_smooth *s, int negative, double *sum)
{
    const int64_t cols = s->r->task->x->cols;
    const double *const m = s->mean;
    double *const line = s->direction, total = sum_of_parts(s, 4 * cols + negative);
    for (int64_t c = 0; c < cols; c++) {
        line[c] = sum_of_parts(s, (2 + negative) * cols + c);
    }
    for (int64_t a = 0; a < cols; a++) {
        for (int64_t b = 0; b <= a; b++) {
            sum[a * cols + b] += total * m[a] * m[b] - line[a] * m[b] - m[a] * line[b];
        }
    }
}

/* Sums over the parts follow the parts: positive curvatures, negative ones. */
static void take_system(ney_smooth *s)
{
    const int64_t size = s->r->task->x->cols * s->r->task->x->cols;
    double *const sum = s->system + 2 * s->n_parts * size;
    ney_parallel_for(&s->r->task->solver.env, s->n_parts, system_part, s);
    memcpy(sum, s->system, 2 * (size_t)size * sizeof *sum);
    for (int64_t part = 1; part < s->n_parts; part++) {
        for (int64_t k = 0; k < 2 * size; k++) {
            sum[k] += s->system[2 * part * size + k];
        }
    }
    for (int negative = 0; negative < 2 && !s->r->task->x->dense; negative++) {
        shift_system(s, negative, sum + negative * size);
    }
}

/* The direction with a share of the negative curvatures. */
static bool find_direction(ney_smooth *s, double share)
{
    const int64_t cols = s->r->task->x->cols, size = cols * cols;
    const double *const sum = s->system + 2 * s->n_parts * size;
    double *const h = s->system + (2 * s->n_parts + 2) * size;
    for (int64_t a = 0; a < cols; a++) {
        for (int64_t b = 0; b <= a; b++) {
            h[a * cols + b] = sum[a * cols + b] - share * sum[size + a * cols + b] + (a == b);
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

/* A limit that is reached here is seen again by the next convex problem. */
static bool goes_on(const ney_smooth *s)
{
    const ney_task *t = s->r->task;
    const double spent = (double)(t->iterations + s->steps);
    return !(t->o.max_time > 0 && ney_task_seconds(t) > t->o.max_time) &&
           !(t->o.max_iter > 0 && spent >= (double)t->o.max_iter) &&
           ney_poll(&t->env, "training", spent, 0);
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
