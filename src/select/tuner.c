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

const ney_data *ney_tuner_rows(const ney_tuner *t, int fold)
{
    const ney_fold *const f = &t->folds.fold[fold];
    return t->on_parts && f->part ? f->part : f->learn;
}

static bool is_among(const ney_tuner *t, const ney_point *p, const ney_point *points, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        if (memcmp(points[k].at, p->at, (size_t)t->grid.n * sizeof *p->at) == 0) {
            return true;
        }
    }
    return false;
}

static ney_status add_point(ney_tuner *t, const ney_point *like, ney_error *err)
{
    ney_point p = *like;
    p.missing = 0;
    if (!ney_grow(&t->env, &t->point, &t->cap, t->n_points + 1, sizeof *t->point) ||
        !(p.of_fold = ney_alloc(&t->env, t->folds.n, sizeof *p.of_fold))) {
        return ney_no_memory(err, t->n_points, "points of a grid");
    }
    const ney_train_opts o = ney_tuner_opts(t, &p);
    for (int f = 0; f < t->folds.n; f++) {
        const ney_fold_result like_this =
            ney_fold_result_of(&o, f, ney_data_matrix(ney_tuner_rows(t, f))->rows);
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
    do { /* points that were searched on a part of the rows are not fitted to all of them here */
        if (!is_among(t, &p, t->point, t->first_new) &&
            !is_among(t, &p, t->searched, t->n_searched)) {
            st = add_point(t, &p, err);
        }
    } while (st == NEY_OK && next_point(&t->grid, around, reach, &p));
    return st;
}

static bool is_chosen(const ney_chosen *c, const ney_point *p)
{
    for (int k = 0; k < c->n; k++) {
        if (c->point[k] == p) {
            return true;
        }
    }
    return false;
}

ney_status ney_tuner_begin_comparison(ney_tuner *t, const ney_chosen *a, const ney_chosen *b,
                                      ney_error *err)
{
    ney_status st = NEY_OK;
    t->searched = t->point;
    t->n_searched = t->n_points;
    t->point = NULL;
    t->n_points = t->cap = t->first_new = 0;
    t->on_parts = false;
    t->best = (double)NAN;
    for (int64_t k = 0; k < t->n_searched && st == NEY_OK; k++) {
        if (is_chosen(a, &t->searched[k]) || is_chosen(b, &t->searched[k])) {
            st = add_point(t, &t->searched[k], err);
        }
    }
    t->n_compared = t->n_points;
    return st;
}

static void release_points(ney_tuner *t, ney_point *p, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        ney_release(&t->env, p[k].of_fold);
    }
    ney_release(&t->env, p);
}

void ney_tuner_undo_comparison(ney_tuner *t)
{
    if (t->searched) {
        release_points(t, t->point, t->n_points);
        t->point = t->searched;
        t->n_points = t->cap = t->n_searched;
        t->searched = NULL;
        t->n_searched = t->n_compared = 0;
    }
}

int64_t ney_tuner_count_points(const ney_tuner *t)
{
    int64_t n = t->n_searched;
    for (int64_t k = 0; k < t->n_points; k++) {
        n += !is_among(t, &t->point[k], t->searched, t->n_searched);
    }
    return n;
}

void ney_tuner_release_points(ney_tuner *t)
{
    release_points(t, t->point, t->n_points);
    release_points(t, t->searched, t->n_searched);
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
        for (int64_t i = 0; i < t->n_searched; i++) {
            t->searched[i].at[k] *= 2;
        }
    }
}

void ney_point_set_loss(const ney_tuner *t, ney_point *p, int fold)
{
    double sum = 0;
    for (int f = 0; f < t->folds.n; f++) {
        sum += f == fold ? 0 : p->of_fold[f];
    }
    p->loss = sum / (t->folds.n - (fold >= 0));
}

void ney_tuner_set_losses(ney_tuner *t, int fold)
{
    for (int64_t k = 0; k < t->n_points; k++) {
        if (t->point[k].missing == 0) {
            ney_point_set_loss(t, &t->point[k], fold);
        }
    }
}

/* The squared distance of a point from a place of the grid. */
static double squared_distance(const ney_tuner *t, const ney_point *p, const double *place)
{
    double sum = 0;
    for (int k = 0; k < t->grid.n; k++) {
        sum += (p->at[k] - place[k]) * (p->at[k] - place[k]);
    }
    return sum;
}

static double least_loss(const ney_tuner *t)
{
    double least = (double)INFINITY;
    for (int64_t k = 0; k < t->n_points; k++) {
        least = t->point[k].missing == 0 ? fmin(least, t->point[k].loss) : least;
    }
    return least;
}

/* The mean place of all points of the least loss. */
static void centre_of_best(const ney_tuner *t, double least, double centre[NEY_MOST_AXES])
{
    int64_t n = 0;
    memset(centre, 0, NEY_MOST_AXES * sizeof *centre);
    for (int64_t i = 0; i < t->n_points; i++) {
        const ney_point *const p = &t->point[i];
        for (int k = 0; k < t->grid.n && p->missing == 0 && p->loss <= least; k++) {
            centre[k] += p->at[k];
        }
        n += p->missing == 0 && p->loss <= least;
    }
    for (int k = 0; k < t->grid.n && n > 0; k++) {
        centre[k] /= (double)n;
    }
}

const ney_point *ney_tuner_best(const ney_tuner *t)
{
    const double least = least_loss(t);
    const ney_point *best = NULL;
    double centre[NEY_MOST_AXES], nearest = (double)INFINITY;
    centre_of_best(t, least, centre);
    for (int64_t k = 0; k < t->n_points; k++) {
        const ney_point *const p = &t->point[k];
        const double distance = squared_distance(t, p, centre);
        if (p->missing == 0 && p->loss <= least && (!best || distance < nearest)) {
            best = p;
            nearest = distance;
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

static bool is_same_kernel(const ney_train_opts *a, const ney_train_opts *b)
{
    return a->kernel == b->kernel && a->gamma == b->gamma && a->degree == b->degree &&
           a->coef0 == b->coef0;
}

/* Whether p comes before q: by loss; of equal ones the nearer to the best, then the earlier. */
static bool is_before(const ney_tuner *t, const ney_point *best, const ney_point *p,
                      const ney_point *q)
{
    double place[NEY_MOST_AXES] = {0};
    for (int k = 0; k < t->grid.n; k++) {
        place[k] = best->at[k];
    }
    return p->loss < q->loss ||
           (p->loss == q->loss && squared_distance(t, p, place) < squared_distance(t, q, place));
}

/* Insert by that order. Beyond `most` the last is dropped. */
static void insert_point(ney_chosen *c, const ney_tuner *t, const ney_point *best,
                         const ney_point *p, int most)
{
    int k = c->n < most ? c->n++ : most;
    for (; k > 0 && is_before(t, best, p, c->point[k - 1]); k--) {
        if (k < most) {
            c->point[k] = c->point[k - 1];
        }
    }
    if (k < most) {
        c->point[k] = p;
    }
}

/* The best points of one search under a kernel, or under any if that is NULL, in order; *tried
 * counts all of them. */
static ney_chosen choose_of(const ney_tuner *t, const ney_train_opts *kernel, int most,
                            int64_t *tried)
{
    const ney_point *const best = ney_tuner_best(t);
    ney_chosen c = {0};
    for (int64_t k = 0; best && k < t->n_points; k++) {
        const ney_train_opts o = ney_tuner_opts(t, &t->point[k]);
        if (t->point[k].missing == 0 && (!kernel || is_same_kernel(&o, kernel))) {
            insert_point(&c, t, best, &t->point[k], most);
            *tried += k >= t->n_compared;
        }
    }
    for (int64_t k = 0; k < t->n_searched; k++) { /* those compared among them */
        const ney_train_opts o = ney_tuner_opts(t, &t->searched[k]);
        *tried += !kernel || is_same_kernel(&o, kernel);
    }
    for (int k = 0; k < c.n; k++) {
        c.of[k] = t;
    }
    return c;
}

ney_chosen ney_tuner_choose(const ney_tuner *t, int most)
{
    int64_t tried = 0;
    return choose_of(t, NULL, most, &tried);
}

/* Both lists in order of loss, of equal ones those of `a` first. */
static ney_chosen merge_chosen(const ney_chosen *a, const ney_chosen *b, int most)
{
    ney_chosen c = {0};
    int i = 0, j = 0;
    while (c.n < most && (i < a->n || j < b->n)) {
        const bool first = j == b->n || (i < a->n && a->point[i]->loss <= b->point[j]->loss);
        const ney_chosen *const from = first ? a : b;
        int *const at = first ? &i : &j;
        c.of[c.n] = from->of[*at];
        c.point[c.n++] = from->point[(*at)++];
    }
    return c;
}

/* The best points of all searches under a kernel, in order. */
static ney_chosen choose_under(const ney_tuner *t, int n, const ney_train_opts *kernel, int most,
                               int64_t *tried)
{
    ney_chosen c = {0};
    *tried = 0;
    for (int k = 0; k < n; k++) {
        const ney_chosen own = choose_of(&t[k], kernel, most, tried);
        c = merge_chosen(&c, &own, most);
    }
    return c;
}

static double mean_loss(const ney_chosen *c)
{
    double sum = 0;
    for (int k = 0; k < c->n; k++) {
        sum += c->point[k]->loss;
    }
    return c->n > 0 ? sum / c->n : (double)INFINITY;
}

/* Whether no earlier point of the search with a result of all folds has the kernel of point i. */
static bool is_first_of_kernel(const ney_tuner *t, int64_t i)
{
    bool found = t->point[i].missing > 0;
    for (int64_t k = 0; k < i && !found; k++) {
        found = t->point[k].missing == 0 && ney_tuner_same_kernel(t, &t->point[k], &t->point[i]);
    }
    return !found;
}

/* The search with the best point of all, the first of several; NULL: none has a result. */
static const ney_tuner *best_search(const ney_tuner *t, int n)
{
    const ney_tuner *best = NULL;
    for (int k = 0; k < n; k++) {
        const ney_point *const p = ney_tuner_best(&t[k]);
        if (p && (!best || p->loss < ney_tuner_best(best)->loss)) {
            best = &t[k];
        }
    }
    return best;
}

/* The kernel whose best points, at most `n_best` of all searches, have the least mean loss; of
 * equal ones that of the best point. The least loss alone is that of a lucky point where rows are
 * few, and the whole model has its kernel. */
static ney_train_opts best_kernel(const ney_tuner *t, int n, int n_best, const ney_tuner *first)
{
    ney_train_opts kernel = ney_tuner_opts(first, ney_tuner_best(first));
    int64_t tried;
    ney_chosen c = choose_under(t, n, &kernel, n_best, &tried);
    double least = mean_loss(&c);
    for (int k = 0; k < n; k++) {
        for (int64_t i = 0; i < t[k].n_points; i++) {
            if (!is_first_of_kernel(&t[k], i)) {
                continue;
            }
            const ney_train_opts o = ney_tuner_opts(&t[k], &t[k].point[i]);
            c = choose_under(t, n, &o, n_best, &tried);
            if (mean_loss(&c) < least) {
                least = mean_loss(&c);
                kernel = o;
            }
        }
    }
    return kernel;
}

ney_chosen ney_tuners_choose(const ney_tuner *t, int n, int most)
{
    enum { N_BEST = 5 };
    const ney_tuner *const first = best_search(t, n);
    int64_t tried;
    if (!first) {
        return (ney_chosen){0};
    }
    const ney_train_opts kernel = best_kernel(t, n, most < N_BEST ? most : N_BEST, first);
    ney_chosen c = choose_under(t, n, &kernel, most, &tried);
    const int half = (int)((tried + 1) / 2);
    c.n = c.n < half ? c.n : half;
    return c;
}

ney_tuner *ney_tuner_of_choice(ney_tuner *t, const ney_chosen *choice)
{
    return &t[choice->of[0] - t];
}

void ney_chosen_opts(const ney_chosen *c, ney_train_opts *o)
{
    for (int k = 0; k < c->n; k++) {
        o[k] = ney_tuner_opts(c->of[k], c->point[k]);
    }
}
