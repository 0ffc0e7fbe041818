#include "data/scale.h"

#include "base/options.h"
#include "base/parallel.h"
#include "data/quantile_fit.h"

#include <float.h>
#include <math.h>
#include <stddef.h>

static const ney_param preprocess_params[] = {
    {"scale", 0, NEY_KIND_CHOICE, offsetof(ney_preprocess_opts, scale), 0, 0, 0, "HOW",
     "default none standard minmax unit rank asinh auto",
     "scaling of the features, stored in the model; for columns with long tails: rank, each value "
     "by its rank among the training rows, asinh, which is linear near the median and "
     "logarithmic far from it, and auto, for each column the one of standard, asinh and rank "
     "that correlates most with the labels of the training rows; default: standard for CSV, TSV "
     "and PIN, none otherwise; auto for linear scores of dense rows with -C auto and in tune "
     "with a bounded rate"},
};

const ney_param *ney_preprocess_params(int64_t *n_params)
{
    *n_params = sizeof preprocess_params / sizeof *preprocess_params;
    return preprocess_params;
}

ney_scaling ney_scaling_of(int option, ney_format format)
{
    const bool table =
        format == NEY_FORMAT_CSV || format == NEY_FORMAT_TSV || format == NEY_FORMAT_PIN;
    return option > 0 ? (ney_scaling)(option - 1) : table ? NEY_SCALING_STANDARD : NEY_SCALING_NONE;
}

enum { BLOCK_ROWS = 1024 };

/* ---- applying */

float ney_scale_value(const ney_preprocessing *r, int64_t c, float stored)
{
    double v = isnan(stored) && r->fill ? r->fill[c] : (double)stored;
    if (ney_ranks_has(r->ranks, c)) {
        v = ney_ranks_of(r->ranks, c, v);
    }
    if (r->offset) {
        v -= r->offset[c];
    }
    v = r->factor ? v * r->factor[c] : v;
    /* A new file's value may lie so far out that its feature is no float: the largest one is. */
    if (v > (double)FLT_MAX) {
        return FLT_MAX;
    }
    return v < -(double)FLT_MAX ? -FLT_MAX : (float)v;
}

static void to_unit_length(float *row, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) {
        sum += isnan(row[i]) ? 0 : (double)row[i] * (double)row[i];
    }
    for (int64_t i = 0; i < n && sum > 0; i++) { /* a row of zeros stays one */
        row[i] = (float)((double)row[i] / sqrt(sum));
    }
}

static void apply_block(void *context, int64_t block, int thread)
{
    ney_data *d = context;
    const ney_preprocessing *r = d->preprocessing;
    const int64_t first = block * BLOCK_ROWS;
    const int64_t last = first + BLOCK_ROWS < d->x.rows ? first + BLOCK_ROWS : d->x.rows;
    (void)thread;

    for (int64_t i = first; i < last; i++) {
        const int64_t begin = d->start ? d->start[i] : i * d->x.cols;
        const int64_t end = d->start ? d->start[i + 1] : begin + d->x.cols;
        for (int64_t k = begin; k < end; k++) {
            d->value[k] = ney_scale_value(r, d->start ? d->index[k] : k - begin, d->value[k]);
        }
        if (r->scaling == NEY_SCALING_UNIT) {
            to_unit_length(d->value + begin, end - begin);
        }
    }
}

bool ney_scale_moves_zero(const ney_preprocessing *r)
{
    for (int64_t c = 0; r->offset && c < r->cols; c++) {
        if (ney_ranks_has(r->ranks, c) ? ney_ranks_of(r->ranks, c, 0) != r->offset[c]
                                       : r->offset[c] != 0) {
            return true;
        }
    }
    return false;
}

ney_status ney_scale_apply(ney_data *d, ney_error *err)
{
    if (ney_scale_moves_zero(d->preprocessing) && !ney_data_to_dense(d)) {
        return ney_no_memory(err, d->x.rows, "dense rows");
    }
    const ney_preprocessing *r = d->preprocessing;
    if (d->x.cols < r->cols && r->n_indicator > 0 && !ney_data_add_indicators(d)) {
        return ney_no_memory(err, d->x.rows, "indicators of missing cells");
    }
    if (r->fill || r->offset || r->factor || r->scaling == NEY_SCALING_UNIT) {
        ney_parallel_for(&d->env, (d->x.rows + BLOCK_ROWS - 1) / BLOCK_ROWS, apply_block, d);
    }
    return NEY_OK;
}

/* ---- again */

static ney_status apply_only(ney_data *d, ney_preprocessing *only, ney_error *err)
{
    ney_preprocessing *const own = d->preprocessing;
    d->preprocessing = only;
    const ney_status st = ney_scale_apply(d, err);
    d->preprocessing = own;
    return st;
}

/* asinh of asinh is another map, and a choice among maps needs what is mapped: features become
 * stored values again. Ranks of ranks are the ranks. */
static void undo_maps(ney_data *d)
{
    const ney_preprocessing *const r = d->preprocessing;
    for (int64_t i = 0; i < d->x.rows && r->ranks && r->scaling > NEY_SCALING_RANK; i++) {
        const int64_t begin = d->start ? d->start[i] : i * d->x.cols;
        const int64_t end = d->start ? d->start[i + 1] : begin + d->x.cols;
        for (int64_t k = begin; k < end; k++) {
            const int64_t c = d->start ? d->index[k] : k - begin;
            if (ney_ranks_has(r->ranks, c) && r->factor[c] != 0) {
                const double rank = (double)d->value[k] / r->factor[c] + r->offset[c];
                d->value[k] = (float)ney_ranks_value(r->ranks, c, rank);
            }
        }
    }
}

ney_status ney_scale_again(ney_data *learn, ney_data *held, bool *changed, ney_error *err)
{
    const ney_env *const env = &learn->env;
    const int64_t cols = learn->x.cols;
    double *const numbers = ney_alloc_zeroed(env, 2 * cols, sizeof *numbers);
    ney_preprocessing only = {.env = *env,
                              .cols = cols,
                              .input = learn->preprocessing->input,
                              .n_input = learn->preprocessing->n_input,
                              .indicator = learn->preprocessing->indicator,
                              .n_indicator = learn->preprocessing->n_indicator,
                              .offset = numbers,
                              .factor = numbers ? numbers + cols : NULL};
    ney_status st = NEY_OK;
    ney_column_fit s;
    *changed = false;
    if (!ney_column_fit_init(&s, env, cols) || !numbers) {
        st = ney_no_memory(err, cols, "columns to scale");
        goto done;
    }
    only.env.log = NULL; /* the whole fit has reported its choice of maps */
    undo_maps(learn);
    undo_maps(held);
    ney_column_fit_values(&s, learn, NULL, learn->x.rows);
    ney_column_fit_means(&s);
    ney_column_fit_squares(&s, learn, NULL, learn->x.rows);
    *changed = ney_column_fit_scaling(&s, learn, &only);
    if (only.scaling >= NEY_SCALING_RANK) {
        st = ney_quantile_fit(&only, learn, NULL, learn->x.rows,
                              ney_may_centre(learn->preprocessing, !learn->start), err);
    }
    if (st == NEY_OK && *changed && (st = apply_only(learn, &only, err)) == NEY_OK) {
        st = apply_only(held, &only, err);
    }

done:
    ney_column_fit_deinit(&s, env);
    ney_ranks_free(only.ranks);
    ney_release(env, numbers);
    return st;
}

/* ---- all at once */

/* Statistics of the columns, as far as they are needed. Where the scaling needs none, they are used
 * for error messages only. */
static ney_status fit_columns(const ney_data *d, ney_scaling scaling, const int64_t *rows,
                              int64_t n_rows, ney_column_fit *s, ney_error *err)
{
    int64_t row, column;
    double matters = ney_column_fit_matters(d->preprocessing, scaling) ||
                     ney_data_find_fault(d, false, &row, &column);
    if (d->blocks) {
        ney_comm_maximum(d->blocks->comm, &matters, 1);
    }
    if (d->blocks && matters > 0) {
        return ney_column_fit_shared(s, d, rows, n_rows, scaling == NEY_SCALING_STANDARD, err);
    }
    if (matters > 0) {
        ney_column_fit_values(s, d, rows, n_rows);
    }
    ney_column_fit_means(s);
    if (ney_scaling_has_squares(scaling)) {
        ney_column_fit_squares(s, d, rows, n_rows);
    }
    return NEY_OK;
}

static ney_status refuse_quantiles(ney_error *err)
{
    return ney_fail(err, NEY_EINVAL,
                    "scale = auto, rank or asinh and missing = median or indicator need all values of a "
                    "column in one place: rows of several processes are scaled by standard, minmax "
                    "or unit and filled by the mean");
}

static ney_status fit_and_apply(ney_data *d, ney_scaling scaling, const int64_t *rows,
                                int64_t n_rows, ney_column_fit *s, ney_error *err)
{
    ney_status st;
    if (d->blocks && ney_quantile_fit_matters(d->preprocessing, scaling)) {
        return refuse_quantiles(err);
    }
    if ((st = fit_columns(d, scaling, rows, n_rows, s, err)) != NEY_OK) {
        return st;
    }
    if ((st = ney_column_fit_finish(s, d->preprocessing, d->x.dense != NULL, scaling, &d->env,
                                    err)) != NEY_OK) {
        return st;
    }
    if (ney_quantile_fit_matters(d->preprocessing, scaling) &&
        (st = ney_quantile_fit(d->preprocessing, d, rows, n_rows,
                               ney_may_centre(d->preprocessing, d->x.dense != NULL), err)) !=
            NEY_OK) {
        ney_column_fit_forget(d->preprocessing);
        return st;
    }
    if ((st = ney_column_fit_indicators(s, d->preprocessing, err)) != NEY_OK ||
        (rows && (st = ney_data_check_cells(d, d->preprocessing, (ney_place){0}, NEY_FILL_GAPS,
                                            err)) != NEY_OK) ||
        (st = ney_scale_apply(d, err)) != NEY_OK) {
        ney_column_fit_forget(d->preprocessing);
    }
    return st;
}

ney_status ney_column_fit_remember(ney_data *d, ney_scaling scaling, const int64_t *rows,
                                   int64_t n_rows, ney_error *err)
{
    if (!ney_column_fit_matters(d->preprocessing, scaling)) {
        return NEY_OK;
    }
    d->fitted_on = ney_alloc_zeroed(&d->env, d->x.rows, sizeof *d->fitted_on);
    if (!d->fitted_on) {
        return ney_no_memory(err, d->x.rows, "rows fitted on");
    }
    for (int64_t i = 0; i < (rows ? n_rows : d->x.rows); i++) {
        d->fitted_on[rows ? rows[i] : i] = true;
    }
    return NEY_OK;
}

ney_status ney_data_prepare(ney_data *d, ney_scaling scaling, const int64_t *rows, int64_t n_rows,
                            ney_error *err)
{
    NEY_REQUIRE(d, err);
    ney_column_fit s;
    if (d->preprocessing->prepared) {
        return ney_fail(err, NEY_EINVAL, "the data have been prepared already");
    }
    if (scaling < NEY_SCALING_NONE || scaling > NEY_SCALING_AUTO) {
        return ney_fail(err, NEY_EINVAL, "there is no scaling %d", (int)scaling);
    }
    if (scaling == NEY_SCALING_AUTO && !d->label) {
        return ney_fail(err, NEY_EINVAL,
                        "scale auto chooses by labels, and the data have none: expected another "
                        "scaling");
    }
    if (d->gap_row > 0 && !ney_preprocessing_allows_missing(d->preprocessing)) {
        return ney_fail(err, NEY_EPARSE,
                        "row %lld, column %lld ('%.100s'), counted from 0, is missing, expected a "
                        "value (or allow missing values with missing = mean)",
                        (long long)d->gap_row - 1, (long long)d->gap_column,
                        d->preprocessing->input[d->gap_column].name);
    }
    for (int64_t i = 0; rows && i < n_rows; i++) {
        if (rows[i] < 0 || rows[i] >= d->x.rows) {
            return ney_fail(err, NEY_EINVAL, "row %lld, expected one from 0 to %lld",
                            (long long)rows[i], (long long)d->x.rows - 1);
        }
    }
    ney_status st = NEY_OK;
    if (!ney_column_fit_init(&s, &d->env, d->x.cols)) {
        st = ney_no_memory(err, d->x.cols, "columns");
    } else if ((st = ney_column_fit_remember(d, scaling, rows, n_rows, err)) == NEY_OK &&
               (st = fit_and_apply(d, scaling, rows, rows ? n_rows : d->x.rows, &s, err)) !=
                   NEY_OK) {
        ney_release(&d->env, d->fitted_on);
        d->fitted_on = NULL;
    }
    ney_column_fit_deinit(&s, &d->env);
    return d->blocks ? ney_comm_agree(d->blocks->comm, st, err) : st;
}

ney_status ney_data_check_raw(ney_scaling *scaling, const ney_data *data,
                              const ney_options *options, ney_error *err)
{
    const ney_preprocess_opts *const o = ney_options_values(options, ney_preprocess_params);
    const ney_status st = ney_data_check_complete(data, err);
    *scaling = ney_scaling_of(o ? o->scale : 0, data->preprocessing->format);
    if (st == NEY_OK && data->preprocessing->prepared && o && o->scale != 0) {
        return ney_fail(err, NEY_EINVAL,
                        "scale applies to raw data; these have been filled and scaled already");
    }
    return st;
}
