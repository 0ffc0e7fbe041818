#include "data/quantile_fit.h"

#include "data/asinh_fit.h"
#include "data/column_map.h"

#include <math.h>

/* Knots are this far apart in rank, or at neighbouring values. */
#define RANK_STEP (1.0 / 128)

typedef struct fitter {
    ney_preprocessing *r;
    bool centre;
    bool *is_category;   /* by feature, indicators included; NULL: none is */
    int64_t n_chosen[3]; /* columns by ney_column_map, with --scale auto */
} fitter;

static bool fills_medians(const ney_preprocessing *r)
{
    return r->fill && (r->missing == NEY_MISSING_MEDIAN || r->missing == NEY_MISSING_INDICATOR);
}

bool ney_quantile_fit_matters(const ney_preprocessing *r, ney_scaling scaling)
{
    return scaling >= NEY_SCALING_RANK || fills_medians(r);
}

static double count_values(const ney_value_run *run, int64_t n_runs)
{
    double n = 0;
    for (int64_t k = 0; k < n_runs; k++) {
        n += (double)run[k].n;
    }
    return n;
}

/* The middle value, or the mean of the two in the middle. */
static double median_of(const ney_value_run *run, int64_t n_runs, double n)
{
    double below = 0;
    for (int64_t k = 0; k < n_runs; k++) {
        below += (double)run[k].n;
        if (2 * below > n) {
            return (double)run[k].value;
        }
        if (2 * below == n) {
            return ((double)run[k].value + (double)run[k + 1].value) / 2;
        }
    }
    return 0;
}

/* ---- ranks */

/* A value becomes a knot when its mid-rank is a step above the last knot, the one before it too
 * when the step is between the two: the ranks of what lies before a frequent value stay right. */
static bool add_knots(ney_ranks *ranks, int64_t c, const ney_value_run *run, int64_t n_runs,
                      double n)
{
    double below = 0, last = -1, before = -1; /* mid-ranks */
    int64_t knot = -1;
    for (int64_t k = 0; k < n_runs; k++) {
        const double rank = (below + (double)run[k].n / 2) / n;
        below += (double)run[k].n;
        if (k > 0 && k + 1 < n_runs && rank - last < RANK_STEP) {
            before = rank;
            continue;
        }
        if (knot < k - 1 && rank - before >= RANK_STEP &&
            !ney_ranks_add(ranks, c, (double)run[k - 1].value, before)) {
            return false;
        }
        if (!ney_ranks_add(ranks, c, (double)run[k].value, rank)) {
            return false;
        }
        knot = k;
        last = before = rank;
    }
    return true;
}

/* The ranks to mean 0, or zero to zero, and to standard deviation 1. */
static void scale_ranks(const fitter *f, int64_t c, const ney_value_run *run, int64_t n_runs,
                        double n)
{
    ney_preprocessing *const r = f->r;
    double mean = 0, m2 = 0;
    for (int64_t k = 0; k < n_runs; k++) {
        mean += (double)run[k].n * ney_ranks_of(r->ranks, c, (double)run[k].value) / n;
    }
    for (int64_t k = 0; k < n_runs; k++) {
        const double apart = ney_ranks_of(r->ranks, c, (double)run[k].value) - mean;
        m2 += (double)run[k].n * apart * apart / n;
    }
    r->offset[c] = f->centre ? mean : ney_ranks_of(r->ranks, c, r->shift ? -r->shift[c] : 0);
    r->factor[c] = n_runs > 1 && m2 > 0 ? 1 / sqrt(m2) : 1;
}

static ney_column_map map_of(ney_scaling scaling, const ney_value_run *run, int64_t n_runs)
{
    return scaling == NEY_SCALING_AUTO    ? ney_column_map_choose(run, n_runs)
           : scaling == NEY_SCALING_ASINH ? NEY_MAP_ASINH
                                          : NEY_MAP_RANK;
}

static ney_status fit_column(void *context, int64_t c, const ney_value_run *run, int64_t n_runs,
                             ney_error *err)
{
    fitter *const f = context;
    ney_preprocessing *const r = f->r;
    const double n = count_values(run, n_runs);
    if (n_runs == 0 || (f->is_category && f->is_category[c])) {
        return NEY_OK;
    }
    if (fills_medians(r)) {
        r->fill[c] = median_of(run, n_runs, n);
    }
    if (!r->ranks) {
        return NEY_OK;
    }
    const ney_column_map map = map_of(r->scaling, run, n_runs);
    f->n_chosen[map]++;
    if (map == NEY_MAP_STANDARD) {
        return NEY_OK;
    }
    if (!(map == NEY_MAP_ASINH ? ney_asinh_knots(r->ranks, c, run, n_runs)
                               : add_knots(r->ranks, c, run, n_runs, n))) {
        return ney_no_memory(err, r->ranks->n_knots, "ranks");
    }
    scale_ranks(f, c, run, n_runs, n);
    return NEY_OK;
}

static bool mark_categories(fitter *f)
{
    const ney_preprocessing *const r = f->r;
    if (!r->input && r->n_indicator == 0) {
        return true;
    }
    f->is_category = ney_alloc_zeroed(&r->env, r->cols, sizeof *f->is_category);
    for (int64_t i = 0; f->is_category && i < r->n_input; i++) {
        for (int64_t k = 0; k < (r->input[i].category ? r->input[i].n_category : 0); k++) {
            f->is_category[r->input[i].first + k] = true;
        }
    }
    for (int64_t c = ney_preprocessing_stored(r); f->is_category && c < r->cols; c++) {
        f->is_category[c] = true;
    }
    return f->is_category != NULL;
}

/* Without a column that is mapped the preprocessing is that of --scale standard. */
static void report_choice(const fitter *f)
{
    ney_preprocessing *const r = f->r;
    if (r->ranks->n_knots == 0) {
        ney_ranks_free(r->ranks);
        r->ranks = NULL;
    }
    ney_log(&r->env, NEY_LOG_INFO, "--scale auto: %lld columns standard, %lld asinh, %lld rank",
            (long long)f->n_chosen[NEY_MAP_STANDARD], (long long)f->n_chosen[NEY_MAP_ASINH],
            (long long)f->n_chosen[NEY_MAP_RANK]);
}

ney_status ney_quantile_fit(ney_preprocessing *r, const ney_data *d, const int64_t *rows,
                            int64_t n_rows, bool centre, ney_error *err)
{
    fitter f = {.r = r, .centre = centre};
    if (r->scaling >= NEY_SCALING_RANK && !(r->ranks = ney_ranks_new(&r->env, r->cols))) {
        return ney_no_memory(err, r->cols, "ranks");
    }
    const ney_status st = mark_categories(&f)
                              ? ney_column_values(d, rows, n_rows, fit_column, &f, err)
                              : ney_no_memory(err, r->cols, "columns");
    ney_release(&r->env, f.is_category);
    if (st == NEY_OK && r->scaling == NEY_SCALING_AUTO) {
        report_choice(&f);
    }
    return st;
}
