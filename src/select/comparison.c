#include "select/comparison.h"

#include "learn/method.h"
#include "model/family.h"
#include "select/job_share.h"
#include "select/tune_options.h"

#include <math.h>

enum {
    LEAST_COMPARED = 5,  /* points, where one is chosen */
    LINEAR_ROWS = 2000,  /* of each class */
    ROWS_PER_COLUMN = 40 /* of each class */
};

/* ---------------------------------------------------------------- parts */

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t smaller_class(const ney_data *learn)
{
    const int8_t *const label = ney_data_label(learn);
    const int64_t n = ney_data_matrix(learn)->rows;
    int64_t positives = 0;
    for (int64_t i = 0; i < n; i++) {
        positives += label[i] > 0;
    }
    return smaller(positives, n - positives);
}

/* Rows of each class that make a part for a linear score: with many columns more. */
static int64_t default_part_rows(const ney_tuner *t)
{
    const int64_t columns = ney_data_matrix(t->learn)->cols;
    return columns * ROWS_PER_COLUMN > LINEAR_ROWS ? columns * ROWS_PER_COLUMN : LINEAR_ROWS;
}

static int64_t count_grid(const ney_tuner *t)
{
    int64_t n = 1;
    for (int k = 0; k < t->grid.n; k++) {
        n *= t->grid.axis[k].high - t->grid.axis[k].low + 1;
    }
    return n;
}

static int most_compared(int averaged)
{
    return averaged > LEAST_COMPARED ? averaged : LEAST_COMPARED;
}

/* Not with a kernel: gamma is that of the best five points on all rows, and of a gamma that does
 * worse on the part fewer are compared. */
static bool takes_parts_by_default(const ney_tuner *t, int averaged)
{
    const ney_request r = ney_request_of(&t->o);
    return r.family == &ney_family_linear &&
           4 * default_part_rows(t) <= ney_data_matrix(t->folds.fold[0].learn)->rows &&
           count_grid(t) > most_compared(averaged);
}

ney_status ney_comparison_draw_parts(ney_tuner *t, const ney_tune_opts *o, ney_error *err)
{
    const int most_averaged = (int)ney_tune_most_averaged(o, &t->o);
    const bool is_stated = o->search_rows > 1;
    const ney_data *const learn = t->folds.fold[0].learn;
    const int64_t usual = default_part_rows(t);
    const int64_t rare = smaller(smaller_class(learn), usual); /* the other class fills up */
    const int64_t most = is_stated ? o->search_rows : 2 * usual - rare;
    if (t->is_quick || o->search_rows == 1 || !ney_tune_takes_parts(&t->o) ||
        (!is_stated && !takes_parts_by_default(t, most_averaged))) {
        return NEY_OK;
    }
    return ney_folds_sample(&t->folds, most, (uint64_t)t->o.seed, &t->on_parts, err);
}

/* ---------------------------------------------------------------- comparison */

static bool is_on_parts(const ney_tuner *t, int n)
{
    for (int k = 0; k < n; k++) {
        if (t[k].on_parts) {
            return true;
        }
    }
    return false;
}

/* The points that are compared: the best of all, and of each search. Which method does better
 * depends on how many rows there are, with kernels more than which point of a method does. */
static ney_status compare(ney_tuner *t, const ney_tune_opts *o, const ney_chosen *best, int most,
                          ney_error *err)
{
    if (!t->on_parts) {
        return NEY_OK;
    }
    ney_log(&t->env, NEY_LOG_INFO,
            "%lld points were fitted to %lld of %lld rows; the best are compared on all",
            (long long)t->n_points, (long long)ney_data_matrix(ney_tuner_rows(t, 0))->rows,
            (long long)ney_data_matrix(t->folds.fold[0].learn)->rows);
    const ney_chosen own = ney_tuner_choose(t, ney_tuner_is_chained(t) ? most : (most + 1) / 2);
    ney_status st = ney_job_share_begin(t, o->table, t->key, false, err);
    if (st == NEY_OK && (st = ney_tuner_begin_comparison(t, best, &own, err)) == NEY_OK) {
        st = ney_tuner_run(t, err);
    }
    ney_fold_results_close(&t->results);
    return st;
}

static int64_t count_held_out(const ney_tuner *t)
{
    int64_t n = 0;
    for (int f = 0; f < t->folds.n; f++) {
        n += ney_data_matrix(t->folds.fold[f].held)->rows;
    }
    return n;
}

/* Whether the best point of a search is among the best, or within one standard error of a share of
 * the held-out rows. */
static bool is_near(const ney_tuner *t, double least)
{
    const ney_point *const best = ney_tuner_best(t);
    const double variance = fmax(0, least * (1 - least)) / (double)count_held_out(t);
    return best && best->loss <= least + sqrt(variance);
}

/* What suits a part differs a little from what suits all rows: the grid of a search is extended and
 * made finer around its best point on all rows. */
static ney_status search_around(ney_tuner *t, const ney_tune_opts *o, ney_tune_info *info,
                                ney_error *err)
{
    if (!t->searched) {
        return NEY_OK;
    }
    ney_status st = ney_job_share_begin(t, o->table, t->key, false, err);
    st = st == NEY_OK ? ney_tuner_search_around(t, o, info, err) : st;
    ney_fold_results_close(&t->results);
    return st;
}

ney_status ney_comparison_run(ney_tuner *t, int n, const ney_tune_opts *o, int most,
                              ney_tune_info *info, ney_error *err)
{
    const int compared = most_compared(most);
    ney_status st = NEY_OK;
    if (!is_on_parts(t, n) || info->stop != NEY_STOP_CONVERGED) {
        return NEY_OK;
    }
    for (int k = 0; k < n; k++) {
        info->fits -= t[k].fits;
        info->reused -= t[k].reused;
        info->points -= t[k].n_points;
    }
    const ney_chosen best = ney_tuners_choose(t, n, compared);
    for (int k = 0; k < n && st == NEY_OK && info->stop == NEY_STOP_CONVERGED; k++) {
        st = compare(&t[k], o, &best, compared, err);
        info->stop = t[k].stop;
    }
    for (int k = 0; k < n && info->stop == NEY_STOP_TIME; k++) {
        ney_tuner_undo_comparison(&t[k]);
    }
    const ney_chosen first = ney_tuners_choose(t, n, 1);
    const double least = first.n > 0 ? first.point[0]->loss : 0;
    for (int k = 0; k < n && st == NEY_OK && info->stop == NEY_STOP_CONVERGED; k++) {
        if (is_near(&t[k], least)) {
            st = search_around(&t[k], o, info, err);
            info->stop = t[k].stop;
        }
    }
    for (int k = 0; k < n; k++) {
        info->fits += t[k].fits;
        info->reused += t[k].reused;
        info->points += ney_tuner_count_points(&t[k]);
    }
    return st;
}
