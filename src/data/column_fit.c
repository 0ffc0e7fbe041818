/* Fitting filling and scaling: statistics of the columns, and the offsets and factors they give. */
#include "data/scale.h"

#include "base/sum.h"

#include <math.h>

bool ney_column_fit_init(ney_column_fit *s, const ney_env *env, int64_t cols)
{
    double *numbers = ney_alloc_zeroed(env, 5 * cols, sizeof *numbers);
    int64_t *counts = ney_alloc_zeroed(env, 2 * cols, sizeof *counts);
    *s = (ney_column_fit){.cols = cols, .mean = numbers, .present = counts};
    if (!numbers || !counts) {
        return false;
    }
    s->m2 = numbers + cols;
    s->low = numbers + 2 * cols;
    s->high = numbers + 3 * cols;
    s->rest = numbers + 4 * cols;
    s->stored = counts + cols;
    return true;
}

void ney_column_fit_deinit(ney_column_fit *s, const ney_env *env)
{
    ney_release(env, s->mean);
    ney_release(env, s->present);
}

/* Call visit(context, column, value) for the stored cells of the chosen rows. */
typedef void visit_cell(ney_column_fit *s, int64_t column, float value);

static void visit_rows(const ney_data *d, const int64_t *rows, int64_t n_rows, ney_column_fit *s,
                       visit_cell *visit)
{
    for (int64_t i = 0; i < n_rows; i++) {
        const int64_t r = rows ? rows[i] : i;
        const int64_t begin = d->start ? d->start[r] : r * d->x.cols;
        const int64_t end = d->start ? d->start[r + 1] : begin + d->x.cols;
        for (int64_t k = begin; k < end; k++) {
            visit(s, d->start ? d->index[k] : k - begin, d->value[k]);
        }
    }
}

static void add_value(ney_column_fit *s, int64_t c, float value)
{
    const double v = (double)value;
    if (isnan(value)) {
        s->present[c]--;
        return;
    }
    if (s->stored[c]++ == 0) {
        s->low[c] = s->high[c] = v;
    }
    s->low[c] = v < s->low[c] ? v : s->low[c];
    s->high[c] = v > s->high[c] ? v : s->high[c];
    ney_sum_add(&s->mean[c], &s->rest[c], v);
}

static void add_square(ney_column_fit *s, int64_t c, float value)
{
    const double apart = (double)value - s->mean[c];
    if (!isnan(value)) {
        ney_sum_add(&s->m2[c], &s->rest[c], apart * apart);
    }
}

void ney_column_fit_values(ney_column_fit *s, const ney_data *d, const int64_t *rows,
                           int64_t n_rows)
{
    s->rows += n_rows;
    visit_rows(d, rows, n_rows, s, add_value);
}

void ney_column_fit_means(ney_column_fit *s)
{
    for (int64_t c = 0; c < s->cols; c++) {
        s->present[c] += s->rows;
        if (s->present[c] > s->stored[c]) { /* some cells are zero without being stored */
            s->low[c] = s->stored[c] && s->low[c] < 0 ? s->low[c] : 0;
            s->high[c] = s->stored[c] && s->high[c] > 0 ? s->high[c] : 0;
        }
        s->mean[c] = s->present[c] > 0 ? (s->mean[c] + s->rest[c]) / (double)s->present[c] : 0;
        s->rest[c] = 0;
    }
}

static bool has_categories(const ney_preprocessing *r)
{
    for (int64_t i = 0; i < r->n_input; i++) {
        if (r->input[i].category) {
            return true;
        }
    }
    return false;
}

/* Whether a scaling is fitted on the values of columns. */
static bool moves_columns(ney_scaling scaling)
{
    return scaling == NEY_SCALING_STANDARD || scaling == NEY_SCALING_MINMAX ||
           scaling >= NEY_SCALING_RANK;
}

bool ney_column_fit_matters(const ney_preprocessing *r, ney_scaling scaling)
{
    return r->fill || moves_columns(scaling) || has_categories(r);
}

void ney_column_fit_squares(ney_column_fit *s, const ney_data *d, const int64_t *rows,
                            int64_t n_rows)
{
    visit_rows(d, rows, n_rows, s, add_square);
}

/* Missing cells take the mean of the others. */
static ney_status fit_fill(const ney_column_fit *s, ney_preprocessing *r, ney_error *err)
{
    for (int64_t c = 0; c < s->cols; c++) {
        char name[100];
        ney_preprocessing_feature(r, c, name, sizeof name);
        if (!ney_preprocessing_allows_missing(r) && s->present[c] < s->rows) {
            return ney_fail(err, NEY_EPARSE,
                            "column '%s' has missing values, which training cannot use: fill them "
                            "with --missing mean",
                            name);
        }
        if (!isfinite(s->mean[c])) {
            return ney_fail(err, NEY_EPARSE,
                            "column '%s' holds an infinite value, which training cannot use: "
                            "correct it, or leave the column out with --ignore",
                            name);
        }
        if (r->fill && s->present[c] == 0 && s->rows > 0) {
            return ney_fail(err, NEY_EPARSE,
                            "column '%s' has no value in the training rows to fill missing cells "
                            "with: leave it out with --ignore",
                            name);
        }
        if (r->fill) {
            r->fill[c] = s->mean[c];
        }
    }
    return NEY_OK;
}

/* 1 / divisor; a constant column has none, and keeps its scale. */
static double inverse(double divisor)
{
    return divisor > 0 && isfinite(1 / divisor) ? 1 / divisor : 1;
}

/* Offset and factor of one column; see ney_data_prepare() for what is left alone. */
static void fit_column(ney_preprocessing *r, const ney_column_fit *s, int64_t c, bool centre)
{
    const double shift = r->shift ? r->shift[c] : 0;
    r->offset[c] = -shift; /* none and unit: back to the number in the file */
    r->factor[c] = 1;
    if (s->rows == 0) {
        return;
    }
    if (ney_scaling_has_squares(r->scaling)) {
        const int64_t kept = r->missing == NEY_MISSING_KEEP ? s->present[c] : s->rows;
        const double deviation = kept > 0 ? sqrt(s->m2[c] / (double)kept) : 0;
        /* A constant column has deviation 0, whatever rounding gives. */
        const bool constant = s->low[c] == s->high[c];
        r->factor[c] = constant ? 1 : inverse(deviation);
        r->offset[c] = centre ? s->mean[c] : -shift;
    } else if (r->scaling == NEY_SCALING_MINMAX) {
        r->factor[c] = inverse(s->high[c] - s->low[c]);
        r->offset[c] = centre ? s->low[c] : -shift;
    }
}

/* The columns of categories are left alone, but a category that no row fitted on has is as unknown
 * as one that is not in the file: its column is 0. Otherwise a held-out row with a category of its
 * own would differ from a new row with one. Indicators of missing cells likewise. Returns whether
 * there is such a category; with `factor` NULL that is all. */
static bool fit_categories(const ney_column_fit *s, const ney_preprocessing *r, double *offset,
                           double *factor)
{
    bool any = false;
    for (int64_t i = 0; i < r->n_input; i++) {
        const ney_input *in = &r->input[i];
        for (int64_t k = 0; in->category && k < in->n_category; k++) {
            const int64_t c = in->first + k;
            const bool unknown = s->rows > 0 && s->mean[c] == 0;
            any |= unknown;
            if (factor) {
                offset[c] = 0;
                factor[c] = unknown ? 0 : 1;
            }
        }
    }
    for (int64_t c = ney_preprocessing_stored(r); c < r->cols; c++) {
        const bool unknown = s->rows > 0 && s->mean[c] == 0;
        any |= unknown;
        if (factor) {
            offset[c] = 0;
            factor[c] = unknown ? 0 : 1;
        }
    }
    return any;
}

bool ney_may_centre(const ney_preprocessing *r, bool dense)
{
    return dense || (r->input && r->format != NEY_FORMAT_SVMLIGHT);
}

static ney_status fit_scaling(const ney_column_fit *s, ney_preprocessing *r, bool dense,
                              const ney_env *env, ney_error *err)
{
    const int64_t cols = s->cols;
    const bool wanted = moves_columns(r->scaling);
    const bool centre = ney_may_centre(r, dense);

    if (!wanted && !r->shift && !fit_categories(s, r, NULL, NULL)) {
        return NEY_OK;
    }
    r->offset = ney_alloc_zeroed(&r->env, cols, sizeof *r->offset);
    r->factor = ney_alloc(&r->env, cols, sizeof *r->factor);
    if (!r->offset || !r->factor) {
        return ney_no_memory(err, cols, "columns to scale");
    }
    for (int64_t c = 0; c < cols; c++) {
        fit_column(r, s, c, centre);
    }
    (void)fit_categories(s, r, r->offset, r->factor);
    if (wanted && !centre) {
        ney_log(env, NEY_LOG_INFO,
                r->scaling >= NEY_SCALING_RANK
                    ? "sparse data: columns are mapped relative to zero, so that zeros stay zeros"
                    : "sparse data: columns are divided but not shifted, so that zeros stay zeros");
    }
    return NEY_OK;
}

/* Missing words are not stored, so that the columns of categories lack no cell. */
ney_status ney_column_fit_indicators(const ney_column_fit *s, ney_preprocessing *r, ney_error *err)
{
    int64_t n = 0;
    for (int64_t c = 0; r->missing == NEY_MISSING_INDICATOR && c < s->cols; c++) {
        n += s->present[c] < s->rows;
    }
    if (n == 0) {
        return NEY_OK;
    }
    if (n > INT32_MAX - s->cols) {
        return ney_fail(err, NEY_EINVAL,
                        "%lld columns and %lld indicators of missing cells are more features than "
                        "2147483647: fill with --missing median",
                        (long long)s->cols, (long long)n);
    }
    int64_t *const column = ney_alloc(&r->env, n, sizeof *column);
    for (int64_t c = 0, k = 0; column && c < s->cols; c++) {
        if (s->present[c] < s->rows) {
            column[k++] = c;
        }
    }
    return column && ney_preprocessing_add_indicators(r, column, n)
               ? NEY_OK
               : ney_no_memory(err, n, "indicators of missing cells");
}

void ney_column_fit_forget(ney_preprocessing *r)
{
    ney_preprocessing_drop_indicators(r);
    ney_release(&r->env, r->offset);
    ney_release(&r->env, r->factor);
    r->offset = r->factor = NULL;
    ney_ranks_free(r->ranks);
    r->ranks = NULL;
    r->scaling = NEY_SCALING_NONE;
    r->prepared = false;
}

/* Squares of the cells that are zero without being stored. */
static void add_zeros(ney_column_fit *s)
{
    for (int64_t c = 0; c < s->cols; c++) {
        s->m2[c] += s->rest[c] + (double)(s->present[c] - s->stored[c]) * s->mean[c] * s->mean[c];
    }
}

ney_status ney_column_fit_finish(ney_column_fit *s, ney_preprocessing *r, bool dense,
                                 ney_scaling scaling, const ney_env *env, ney_error *err)
{
    ney_status st;
    add_zeros(s);
    r->scaling = scaling;
    if ((st = fit_fill(s, r, err)) == NEY_OK &&
        (st = fit_scaling(s, r, dense, env, err)) == NEY_OK) {
        r->prepared = true;
    } else {
        ney_column_fit_forget(r);
    }
    return st;
}

bool ney_column_fit_scaling(ney_column_fit *s, const ney_data *d, ney_preprocessing *only)
{
    add_zeros(s);
    const bool wanted = moves_columns(d->preprocessing->scaling);
    only->scaling = wanted ? d->preprocessing->scaling : NEY_SCALING_NONE;
    for (int64_t c = 0; c < s->cols; c++) {
        fit_column(only, s, c, ney_may_centre(d->preprocessing, !d->start));
    }
    return fit_categories(s, only, only->offset, only->factor) || wanted;
}
