#include "select/tuner.h"

#include <math.h>
#include <string.h>

ney_train_opts ney_tuner_opts(const ney_tuner *t, const ney_point *p)
{
    ney_train_opts o = t->o;
    o.max_time = 0; /* a limit of the whole search, not of a fit */
    for (int k = 0; k < t->grid.n; k++) {
        ney_axis_set(&t->grid.axis[k], p->at[k], &o);
    }
    return o;
}

static bool is_known(const ney_tuner *t, const ney_point *p)
{
    for (int64_t k = 0; k < t->first_new; k++) {
        if (memcmp(t->point[k].at, p->at, (size_t)t->grid.n * sizeof *p->at) == 0) {
            return true;
        }
    }
    return false;
}

static ney_status add_point(ney_tuner *t, const ney_point *like, ney_error *err)
{
    ney_point p = *like;
    if (!ney_grow(&t->env, &t->point, &t->cap, t->n_points + 1, sizeof *t->point) ||
        !(p.of_fold = ney_alloc(&t->env, t->folds.n, sizeof *p.of_fold))) {
        return ney_no_memory(err, t->n_points, "points of a grid");
    }
    const ney_train_opts o = ney_tuner_opts(t, &p);
    for (int f = 0; f < t->folds.n; f++) {
        const ney_fold_result like_this = ney_fold_result_of(&o, f);
        const ney_fold_result *const old = ney_fold_results_find(&t->results, &like_this);
        p.of_fold[f] = old ? old->found.loss : (double)NAN;
        p.missing += !old;
        t->reused += old != NULL;
    }
    t->point[t->n_points++] = p;
    return NEY_OK;
}

/* The range of places of an axis, all or those near `around`. */
static void range_of_axis(const ney_axis *a, const int *around, int reach, int *low, int *high)
{
    *low = around && *around - reach > a->low ? *around - reach : a->low;
    *high = around && *around + reach < a->high ? *around + reach : a->high;
}

/* The next point of the box, the last axis varies fastest; false after the last. */
static bool next_point(const ney_grid *g, const int *around, int reach, ney_point *p)
{
    for (int k = g->n - 1; k >= 0; k--) {
        int low, high;
        range_of_axis(&g->axis[k], around ? &around[k] : NULL, reach, &low, &high);
        if (p->at[k] < high) {
            p->at[k]++;
            return true;
        }
        p->at[k] = low;
    }
    return false;
}

ney_status ney_tuner_add(ney_tuner *t, const int *around, int reach, ney_error *err)
{
    ney_point p = {0};
    ney_status st = NEY_OK;
    for (int k = 0; k < t->grid.n; k++) {
        int high;
        range_of_axis(&t->grid.axis[k], around ? &around[k] : NULL, reach, &p.at[k], &high);
    }
    t->first_new = t->n_points;
    do {
        if (!is_known(t, &p)) {
            st = add_point(t, &p, err);
        }
    } while (st == NEY_OK && next_point(&t->grid, around, reach, &p));
    return st;
}

void ney_tuner_refine(ney_tuner *t)
{
    for (int k = 0; k < t->grid.n; k++) {
        ney_axis *const a = &t->grid.axis[k];
        if (a->is_list) {
            continue;
        }
        a->parts *= 2;
        a->low *= 2;
        a->high *= 2;
        for (int64_t i = 0; i < t->n_points; i++) {
            t->point[i].at[k] *= 2;
        }
    }
}

const ney_point *ney_tuner_best(const ney_tuner *t)
{
    const ney_point *best = NULL;
    for (int64_t k = 0; k < t->n_points; k++) {
        const ney_point *p = &t->point[k];
        if (p->missing == 0 && (!best || p->loss < best->loss)) {
            best = p;
        }
    }
    return best;
}

bool ney_tuner_same_kernel(const ney_tuner *t, const ney_point *a, const ney_point *b)
{
    for (int k = 0; k < t->grid.n; k++) {
        if (t->grid.axis[k].of_kernel && a->at[k] != b->at[k]) {
            return false;
        }
    }
    return true;
}

/* Insert by loss; of equal ones the earlier is first. Beyond `most` the worst is dropped. */
static void insert_by_loss(ney_chosen *c, const ney_point *p, int most)
{
    int k = c->n < most ? c->n++ : most;
    for (; k > 0 && p->loss < c->point[k - 1]->loss; k--) {
        if (k < most) {
            c->point[k] = c->point[k - 1];
        }
    }
    if (k < most) {
        c->point[k] = p;
    }
}

ney_chosen ney_tuner_choose(const ney_tuner *t, int most)
{
    const ney_point *const best = ney_tuner_best(t);
    ney_chosen c = {0};
    int64_t tried = 0;
    for (int64_t k = 0; best && k < t->n_points; k++) {
        const ney_point *const p = &t->point[k];
        if (p->missing == 0 && ney_tuner_same_kernel(t, p, best)) {
            insert_by_loss(&c, p, most);
            tried++;
        }
    }
    const int half = (int)((tried + 1) / 2);
    c.n = c.n < half ? c.n : half;
    for (int k = 0; k < c.n; k++) {
        c.loss += c.point[k]->loss / c.n;
    }
    return c;
}

void ney_chosen_opts(const ney_chosen *c, const ney_tuner *t, ney_train_opts *o)
{
    for (int k = 0; k < c->n; k++) {
        o[k] = ney_tuner_opts(t, c->point[k]);
    }
}
