/* ROC curves from the classifiers of an exploration: averages, envelope, areas. */
#include "path/explore.h"

#include <math.h>
#include <stdlib.h>

ney_curve_point ney_curve_average(const ney_exploration *e, ney_cost_pair c, double threshold)
{
    double sum[2] = {0, 0}, squares[2] = {0, 0}, n = (double)e->n_splits;
    for (int64_t k = 0; k < e->n_splits; k++) {
        double rate[2];
        ney_path_split_rates(&e->split[k], threshold, &rate[0], &rate[1]);
        for (int r = 0; r < 2; r++) {
            sum[r] += rate[r];
            squares[r] += rate[r] * rate[r];
        }
    }
    ney_curve_point p = {.choice = {c, threshold, sum[0] / n, sum[1] / n},
                         .fpr_error = (double)NAN,
                         .tpr_error = (double)NAN,
                         .test_fpr = (double)NAN,
                         .test_tpr = (double)NAN};
    if (e->n_splits > 1) {
        p.fpr_error = sqrt(fmax(0, squares[0] - sum[0] * sum[0] / n) / (n - 1) / n);
        p.tpr_error = sqrt(fmax(0, squares[1] - sum[1] * sum[1] / n) / (n - 1) / n);
    }
    return p;
}

ney_status ney_curve_add(ney_exploration *e, ney_curve_kind kind, const ney_curve_point *p,
                         ney_error *err)
{
    ney_curve *const c = &e->curve[kind];
    if (!ney_grow(&e->env, &c->point, &e->curve_capacity[kind], c->n_points + 1,
                  sizeof *c->point)) {
        return ney_no_memory(err, c->n_points, "points of a curve");
    }
    c->point[c->n_points++] = *p;
    return NEY_OK;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Thresholds at even shares of all scores of the last evaluation; returns their number. */
static int64_t score_quantiles(const ney_exploration *e, int64_t most, double *pool,
                               double *threshold)
{
    int64_t n = 0, m = 0;
    for (int64_t h = 0; h < e->n_splits; h++) {
        for (int c = 0; c < 2; c++) {
            for (int64_t k = 0; k < e->split[h].n[c]; k++) {
                pool[n++] = e->split[h].sorted[c][k];
            }
        }
    }
    qsort(pool, (size_t)n, sizeof *pool, ascending);
    const int64_t steps = most < n ? most : n;
    for (int64_t k = 0; k < steps; k++) {
        const double t = pool[k * n / steps];
        if (m == 0 || t != threshold[m - 1]) {
            threshold[m++] = t;
        }
    }
    return m;
}

ney_status ney_curve_add_thresholds(ney_exploration *e, ney_curve_kind kind, ney_cost_pair c,
                                    int64_t most, ney_error *err)
{
    int64_t rows = 0;
    ney_status st = NEY_OK;
    for (int64_t h = 0; h < e->n_splits; h++) {
        rows += e->split[h].n[0] + e->split[h].n[1];
    }
    const int64_t capacity = e->n_splits > 1 ? most : rows; /* one split: its full curve */
    double *const pool = ney_alloc(&e->env, rows + capacity, sizeof *pool);
    if (!pool) {
        return ney_no_memory(err, rows, "thresholds");
    }
    const int64_t n = score_quantiles(e, capacity, pool, pool + rows);
    for (int64_t k = n - 1; k >= 0 && st == NEY_OK; k--) {
        const ney_curve_point p = ney_curve_average(e, c, pool[rows + k]);
        st = ney_curve_add(e, kind, &p, err);
    }
    ney_release(&e->env, pool);
    return st;
}

static int by_rates(const void *a, const void *b)
{
    const ney_choice *const x = &((const ney_curve_point *)a)->choice;
    const ney_choice *const y = &((const ney_curve_point *)b)->choice;
    const int first = (x->fpr > y->fpr) - (x->fpr < y->fpr);
    return first ? first : (x->tpr > y->tpr) - (x->tpr < y->tpr);
}

/* (0, 0) and (1, 1): every classifier reaches them. */
static ney_status add_ends(ney_exploration *e, ney_curve_kind kind, ney_error *err)
{
    const ney_cost_pair c = ney_cost_pair_of(e->best, e->centre);
    const double end = (double)INFINITY, nan = (double)NAN;
    const double error = e->n_splits > 1 ? 0 : nan;
    const ney_curve_point none = {
        {c, end, 0, 0}, error, error, e->has_test ? 0 : nan, e->has_test ? 0 : nan};
    const ney_curve_point every = {
        {c, -end, 1, 1}, error, error, e->has_test ? 1 : nan, e->has_test ? 1 : nan};
    const ney_status st = ney_curve_add(e, kind, &none, err);
    return st == NEY_OK ? ney_curve_add(e, kind, &every, err) : st;
}

/* Keep the vertices of the upper convex envelope, of points that ascend in fpr. */
static void keep_envelope(ney_curve *c)
{
    int64_t n = 0;
    for (int64_t k = 0; k < c->n_points; k++) {
        const ney_choice *const p = &c->point[k].choice;
        while (n > 1) { /* the first is (0, 0) */
            const ney_choice *const a = &c->point[n - 2].choice, *const b = &c->point[n - 1].choice;
            if ((b->fpr - a->fpr) * (p->tpr - a->tpr) < (b->tpr - a->tpr) * (p->fpr - a->fpr)) {
                break;
            }
            n--;
        }
        c->point[n++] = c->point[k];
    }
    c->n_points = n;
}

static double area_under(const ney_curve *c, bool test)
{
    double sum = 0;
    for (int64_t k = 1; k < c->n_points; k++) {
        const ney_curve_point *const a = &c->point[k - 1], *const b = &c->point[k];
        sum += test ? (b->test_fpr - a->test_fpr) * (a->test_tpr + b->test_tpr) / 2
                    : (b->choice.fpr - a->choice.fpr) * (a->choice.tpr + b->choice.tpr) / 2;
    }
    return sum;
}

/* Rates of every point on the test rows. Consecutive points of one classifier share a scoring. */
static ney_status test_curve(ney_exploration *e, ney_curve *c, ney_path_split *split,
                             ney_error *err)
{
    ney_cost_pair last = {-1, -1};
    ney_status st = NEY_OK;
    for (int64_t k = 0; k < c->n_points && st == NEY_OK; k++) {
        ney_curve_point *const p = &c->point[k];
        if (isinf(p->choice.threshold)) {
            continue;
        }
        if (p->choice.c.plus != last.plus || p->choice.c.minus != last.minus) {
            last = p->choice.c;
            st = ney_path_split_evaluate(split, &e->env, last, err);
        }
        if (st == NEY_OK) {
            ney_path_split_rates(split, p->choice.threshold, &p->test_fpr, &p->test_tpr);
        }
    }
    return st;
}

ney_status ney_curves_finish(ney_exploration *e, ney_error *err)
{
    ney_status st = NEY_OK;
    for (int k = 0; k < NEY_N_CURVES && st == NEY_OK; k++) {
        ney_curve *const c = &e->curve[k];
        if ((st = add_ends(e, (ney_curve_kind)k, err)) != NEY_OK) {
            return st;
        }
        qsort(c->point, (size_t)c->n_points, sizeof *c->point, by_rates);
        if (k == NEY_CURVE_BOTH) {
            keep_envelope(c);
        }
        c->auc = area_under(c, false);
        c->test_auc = (double)NAN;
        if (e->has_test && (st = test_curve(e, c, &e->total, err)) == NEY_OK) {
            c->test_auc = area_under(c, true);
        }
    }
    return st;
}
