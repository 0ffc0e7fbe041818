/* Starts of a descent by Newton steps on the constrained problem, see smooth.h: the corner of the
 * ramp is wide at first and made narrow in the end, where a convex problem takes over. */
#include "learn/batch/descent_run.h"
#include "learn/batch/smooth.h"
#include "learn/shared.h"

#include <math.h>

enum {
    SAMPLE = 5000,   /* rows of each class that starts are compared on */
    MOST_STEPS = 60, /* of one width */
    FIXED_STEPS = 6  /* with what is clipped fixed */
};

/* The SVM at the same C, the caller's start, the best of the starts before. */
enum origin { FROM_SVM, FROM_BOUND, FROM_BEST };

/* Where a start begins, how much of what A allows is clipped for the first steps (-1: no such
 * steps), and the width of the corner over eta. */
struct start {
    enum origin origin;
    double share, width;
};

static const struct start STARTS[] = {{FROM_SVM, -1, 0.9},
                                      {FROM_SVM, 0, 0.9},
                                      {FROM_SVM, 0.5, 0.25},
                                      {FROM_BEST, 0.9, 0.9},
                                      {FROM_BEST, 0.5, 0.25}};
static const struct start STARTS_OF_SHARE[] = {
    {FROM_BOUND, -1, 0.9}, {FROM_BOUND, 0.5, 0.25}, {FROM_BEST, 0.9, 0.9}};
enum {
    N_STARTS = sizeof STARTS / sizeof *STARTS,
    N_STARTS_OF_SHARE = sizeof STARTS_OF_SHARE / sizeof *STARTS_OF_SHARE
};

static const double MIDDLE = 0.3, NARROW = 0.1, NARROWEST = 0.0037; /* widths over eta */
/* Relative falls of J that steps go on for: of a start, of a width, of the last width. */
static const double START_GAIN = 3e-4, WIDTH_GAIN = 1e-5, LAST_GAIN = 1e-8;
/* With fewer rows on the ramp than this, in all or per column, the sums over them are not smooth,
 * and descents by convex problems find better minima. */
static const double LEAST_ROWS = 100, LEAST_ROWS_OF_SHARE = 50, ROWS_PER_COLUMN = 2.5;

static void keep_better(const ney_smooth *s, ney_smooth_point *best)
{
    if (s->at.objective < best->objective) {
        best->objective = s->at.objective;
        best->b = s->at.b;
        ney_ramp_copy_weights(s->r, best->w, s->at.w);
    }
}

/* Steps with a corner of this width, over eta. */
static bool descend(ney_smooth *s, double width, double gain)
{
    s->width = width * s->r->eta;
    if (!ney_smooth_release(s)) {
        return false;
    }
    ney_smooth_descend(s, MOST_STEPS, gain);
    return true;
}

static void run_start(ney_smooth *s, const ney_bound *bound, const struct start *from,
                      ney_smooth_point *best)
{
    const ney_ramp *r = s->r;
    const double *const w[] = {r->w, bound->w, best->w};
    const double b[] = {r->intercept, bound->intercept, best->b};
    s->width = from->width * r->eta;
    if (!w[from->origin] || !ney_smooth_begin(s, w[from->origin], b[from->origin])) {
        return;
    }
    if (from->share >= 0) {
        ney_smooth_fix(s, from->share);
        ney_smooth_descend(s, FIXED_STEPS, START_GAIN);
    }
    if (descend(s, from->width, START_GAIN) && descend(s, fmin(MIDDLE, from->width), START_GAIN) &&
        descend(s, NARROW, START_GAIN)) {
        keep_better(s, best);
    }
}

/* The caller's score function itself is a start: no result is worse. */
static void keep_caller_point(ney_smooth *s, const ney_bound *bound, ney_smooth_point *best)
{
    s->width = NARROW * s->r->eta;
    if (bound->w && ney_smooth_begin(s, bound->w, bound->intercept)) {
        keep_better(s, best);
    }
}

static bool is_crowded(ney_smooth *s, const ney_smooth_point *at)
{
    int64_t m = 0;
    if (!ney_smooth_begin(s, at->w, at->b)) {
        return false;
    }
    for (int64_t k = 0; k < s->n; k++) {
        m += fabs(s->f[k] + s->at.b) < s->r->eta;
    }
    ney_comm_add_counts(ney_blocks_comm(s->blocks), &m, 1);
    const double least = ney_ramp_is_share(s->r) ? LEAST_ROWS_OF_SHARE : LEAST_ROWS;
    return (double)m >= fmax(least, ROWS_PER_COLUMN * (double)s->r->task->x->cols);
}

static ney_status find_best_start(ney_descent_run *d, ney_smooth_point *best, bool *done,
                                  ney_error *err)
{
    const bool is_share = ney_descent_is_share(d);
    const struct start *const start = is_share ? STARTS_OF_SHARE : STARTS;
    const int n = is_share ? N_STARTS_OF_SHARE : N_STARTS;
    ney_smooth s;
    const ney_status st = ney_smooth_init(&s, &d->ramp, d->search.aim, SAMPLE, err);
    if (st == NEY_OK) {
        keep_caller_point(&s, d->bound, best);
        for (int k = 0; k < n; k++) {
            run_start(&s, d->bound, &start[k], best);
        }
        *done = is_crowded(&s, best);
        d->starts += *done ? n + (d->bound->w != NULL) : 0;
        d->ramp.task->iterations += s.steps;
    }
    ney_smooth_deinit(&s);
    return st;
}

/* On all rows from a point, the corner made narrower and narrower. */
static ney_status make_narrow(ney_descent_run *d, const ney_smooth_point *from, ney_error *err)
{
    ney_ramp *r = &d->ramp;
    ney_smooth s;
    ney_status st = ney_smooth_init(&s, r, d->search.aim, r->n_bounded + r->n_free, err);
    if (st == NEY_OK) {
        s.width = NARROW * r->eta;
        bool goes_on = ney_smooth_begin(&s, from->w, from->b);
        for (double width = NARROW; goes_on && width >= NARROWEST; width /= 3) {
            goes_on = descend(&s, width, width / 3 >= NARROWEST ? WIDTH_GAIN : LAST_GAIN);
        }
        r->task->iterations += s.steps;
        r->near = s.width;
        st = ney_smooth_give(&s, err);
    }
    ney_smooth_deinit(&s);
    return st;
}

ney_status ney_descent_start_smoothly(ney_descent_run *d, bool *done, ney_error *err)
{
    ney_ramp *r = &d->ramp;
    const int64_t cols = r->task->x->cols;
    ney_smooth_point best = {.objective = (double)INFINITY};
    best.w = ney_alloc_zeroed(&r->task->env, cols, sizeof *best.w);
    ney_status st = ney_shared_agree(r->task->blocks,
                                     best.w ? NEY_OK : ney_no_memory(err, cols, "weights"), err);
    if (st == NEY_OK) {
        st = find_best_start(d, &best, done, err);
    }
    if (st == NEY_OK && *done && (st = make_narrow(d, &best, err)) == NEY_OK &&
        (st = ney_ramp_solve(r, d->tol, &d->now, err)) == NEY_OK) {
        ney_descent_evaluate(d, 0);
    }
    ney_release(&r->task->env, best.w);
    return st;
}
