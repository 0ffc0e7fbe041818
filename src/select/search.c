/* The search of one method: the grid, extended where the best point is at its edge, then finer
 * around the best point. */
#include "select/tuner.h"

#include <math.h>
#include <stdio.h>

void ney_tuner_log(const ney_tuner *t, const ney_point *p, const char *what)
{
    char text[256] = "";
    size_t used = 0;
    for (int k = 0; k < t->grid.n && used < sizeof text; k++) {
        const ney_axis *const a = &t->grid.axis[k];
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %.4g", k ? ", " : "",
                                 a->param->name, ney_axis_value(a, p->at[k]));
    }
    const bool expects = t->rule.criterion == NEY_CRITERION_EXPECTED;
    ney_log(&t->env, NEY_LOG_INFO, "%s %s: %s%s %.4g", what, text,
            ney_criterion_text(t->rule.criterion),
            !expects             ? ""
            : t->rule.bounds_fnr ? " FPR"
                                 : " FNR",
            p->loss);
}

/* Where the best point is at an end of an axis, move that end two places on; false when there is no
 * such end, or none that can move. */
static bool extend_grid(ney_tuner *t, const ney_point *best)
{
    bool moved = false;
    for (int k = 0; k < t->grid.n; k++) {
        ney_axis *const a = &t->grid.axis[k];
        if (a->high == a->low) {
            continue; /* a single value is not a range */
        }
        const bool up = best->at[k] == a->high, down = best->at[k] == a->low;
        for (int step = 0; step < 2 && (up || down) && ney_axis_can_extend(a, up); step++) {
            *(up ? &a->high : &a->low) += up ? 1 : -1;
            moved = true;
        }
    }
    return moved;
}

bool ney_tuner_is_at_edge(const ney_tuner *t, const ney_point *p)
{
    for (int k = 0; k < t->grid.n; k++) {
        const ney_axis *const a = &t->grid.axis[k];
        if (a->high > a->low && (p->at[k] == a->high || p->at[k] == a->low)) {
            return true;
        }
    }
    return false;
}

/* Half steps around the best point, `refine` times. */
static ney_status refine_grid(ney_tuner *t, const ney_tune_opts *o, ney_error *err)
{
    ney_status st = NEY_OK;
    for (int64_t k = 0; k < o->refine && st == NEY_OK && !t->stopped; k++) {
        if (!ney_tuner_best(t)) {
            return NEY_OK;
        }
        ney_tuner_refine(t);
        const ney_point around = *ney_tuner_best(t); /* points move when there are more */
        if ((st = ney_tuner_add(t, around.at, 1, err)) == NEY_OK) {
            st = ney_tuner_run(t, err);
        }
    }
    return st;
}

double ney_standard_error(const double *of_fold, double mean, int n)
{
    double squares = 0;
    for (int f = 0; f < n; f++) {
        squares += (of_fold[f] - mean) * (of_fold[f] - mean);
    }
    return n > 1 ? sqrt(squares / (n - 1) / n) : (double)NAN;
}

/* Whether the second point is better than the first by more than the folds' disagreement about
 * it: less is noise more often than not. With one fold there is no standard error, and any
 * gain counts. */
static bool is_gain(const ney_tuner *t, const double *before, const double *after)
{
    const int n = t->folds.n;
    double gain[NEY_MOST_FOLDS], mean = 0;
    for (int f = 0; f < n; f++) {
        gain[f] = before[f] - after[f];
        mean += gain[f] / n;
    }
    const double error = ney_standard_error(gain, mean, n);
    return mean > (isnan(error) ? 0 : error);
}

/* The grid grows where the best point is at its edge, and goes on growing as long as that pays:
 * beyond, losses are level or noise, and the least of many is often the farthest. */
static ney_status extend_while_it_pays(ney_tuner *t, const ney_tune_opts *o, int *extensions,
                                       ney_error *err)
{
    enum { MOST_EXTENSIONS = 3, REACH = 2 };
    const double *before = NULL; /* losses of the best point before the grid grew */
    ney_status st = NEY_OK;
    while (st == NEY_OK && !t->stopped) {
        const ney_point *const best = ney_tuner_best(t);
        if (!best || o->no_extend || *extensions == MOST_EXTENSIONS ||
            (before && !is_gain(t, before, best->of_fold)) || !extend_grid(t, best)) {
            break;
        }
        ++*extensions;
        before = best->of_fold;
        ney_tuner_log(t, best,
                      "the best point is at the edge of the grid, which is extended there:");
        const ney_point around = *best;
        if ((st = ney_tuner_add(t, around.at, REACH, err)) == NEY_OK) {
            st = ney_tuner_run(t, err);
        }
    }
    return st;
}

ney_status ney_tuner_search_around(ney_tuner *t, const ney_tune_opts *o, ney_tune_info *info,
                                   ney_error *err)
{
    int extensions = 0;
    ney_status st = extend_while_it_pays(t, o, &extensions, err);
    if (st == NEY_OK) {
        st = refine_grid(t, o, err);
    }
    info->extensions += extensions;
    return st;
}

ney_status ney_tuner_search(ney_tuner *t, const ney_tune_opts *o, ney_tune_info *info,
                            ney_error *err)
{
    ney_status st = ney_tuner_add(t, NULL, 0, err);
    if (st == NEY_OK) {
        st = ney_tuner_run(t, err);
    }
    if (st == NEY_OK && !t->on_parts) { /* else around the best point on all rows */
        st = ney_tuner_search_around(t, o, info, err);
    }
    info->points += t->n_points;
    info->fits += t->fits;
    info->reused += t->reused;
    return st;
}
