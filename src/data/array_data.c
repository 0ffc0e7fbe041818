/* Data sets from arrays. */
#include "base/parallel.h"
#include "data/apply_preprocessing.h"
#include "data/array.h"
#include "data/column_statistics.h"

#include <math.h>
#include <string.h>

enum { BLOCK_COLUMNS = 16 };

typedef struct column_survey {
    const ney_array *x;
    double *shift;
} column_survey;

static void survey_columns(void *context, int64_t block, int thread)
{
    const column_survey *const s = context;
    const ney_array *const x = s->x;
    const int64_t first = block * BLOCK_COLUMNS;
    const int64_t n = first + BLOCK_COLUMNS < x->cols ? BLOCK_COLUMNS : x->cols - first;
    ney_column_statistics statistics[BLOCK_COLUMNS] = {{0}};
    (void)thread;

    for (int64_t r = 0; r < x->rows; r++) {
        for (int64_t c = 0; c < n; c++) {
            const double value = ney_array_value(x, r * ney_array_row_stride(x) +
                                                        (first + c) * ney_array_col_stride(x));
            if (isfinite(value)) {
                ney_column_statistics_add(&statistics[c], value);
            }
        }
    }
    for (int64_t c = 0; c < n; c++) {
        const bool is_number = !x->category || !x->category[first + c].value;
        s->shift[first + c] = is_number ? ney_column_shift(&statistics[c]) : 0;
    }
}

/* As of a table: columns of doubles that need more digits than single precision has are held less
 * a constant. */
static ney_status choose_shift(ney_preprocessing *r, const ney_array *x, ney_error *err)
{
    if (x->start || x->value_type == NEY_FLOAT32) {
        return NEY_OK;
    }
    column_survey s = {.x = x, .shift = ney_alloc_zeroed(&r->env, x->cols, sizeof *s.shift)};
    if (!s.shift) {
        return ney_no_memory(err, x->cols, "columns");
    }
    ney_parallel_for(&r->env, (x->cols + BLOCK_COLUMNS - 1) / BLOCK_COLUMNS, survey_columns, &s);
    ney_status st = NEY_OK;
    if (ney_array_is_shifted(&(ney_array_map){.cols = x->cols, .shift = s.shift})) {
        r->shift = ney_alloc_zeroed(&r->env, r->cols, sizeof *r->shift);
        st = r->shift ? NEY_OK : ney_no_memory(err, r->cols, "columns");
    }
    for (int64_t c = 0; r->shift && c < x->cols; c++) {
        r->shift[r->input ? r->input[c].first : c] = s.shift[c];
    }
    ney_release(&r->env, s.shift);
    return st;
}

static ney_status copy_names(ney_preprocessing *r, const ney_array *x, ney_error *err)
{
    ney_array_names names = {0};
    const ney_status st = ney_array_names_init(&names, &r->env, x, err);
    ney_array_names_deinit(&names, &r->env);
    if (st != NEY_OK) {
        return st;
    }
    r->input = ney_alloc_zeroed(&r->env, x->cols, sizeof *r->input);
    for (int64_t c = 0; r->input && c < x->cols; c++) {
        ney_input *const in = &r->input[r->n_input++];
        in->first = c;
        in->name = ney_strdup(&r->env, x->name[c], strlen(x->name[c]));
        if (!in->name) {
            return ney_no_memory(err, x->cols, "column names");
        }
    }
    return r->input ? NEY_OK : ney_no_memory(err, x->cols, "column names");
}

static ney_status new_preprocessing(ney_preprocessing **out, const ney_env *env, const ney_array *x,
                                    ney_format format, ney_array_gap *gap, ney_error *err)
{
    *gap = (ney_array_gap){.row = -1};
    ney_status st = ney_preprocessing_new(out, env, format, err);
    if (st == NEY_OK) {
        (*out)->cols = x->cols;
        if (x->name) {
            st = copy_names(*out, x, err);
        }
        if (st == NEY_OK && x->category) {
            st = ney_array_list_categories(*out, x, gap, err);
        }
    }
    return st == NEY_OK && format == NEY_FORMAT_CSV ? choose_shift(*out, x, err) : st;
}

static ney_status unlabelled(ney_error *err)
{
    return ney_fail(err, NEY_EINVAL,
                    "the rows have no labels: set them with ney_data_set_labels()");
}

ney_status ney_data_from_array(ney_data **out, const ney_env *env, const ney_array *x,
                               const ney_preprocessing *preprocessing, ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out, err);
    return ney_array_to_data(out, env, x, preprocessing, false, err);
}

ney_status ney_array_to_data(ney_data **out, const ney_env *env, const ney_array *x,
                             const ney_preprocessing *preprocessing, bool keeps_infinite,
                             ney_error *err)
{
    const ney_env e = ney_env_of(env);
    /* a dense array is a table, CSR rows are numbered features as in svmlight text */
    const ney_format format = x && x->start ? NEY_FORMAT_SVMLIGHT : NEY_FORMAT_CSV;
    ney_array_map map = {.env = e};
    ney_array_gap gap = {.row = -1};
    ney_preprocessing *own = NULL;
    ney_data *d = NULL;
    ney_status st;

    *out = NULL;
    if ((st = ney_array_check(x, err)) == NEY_OK &&
        (st = preprocessing ? ney_preprocessing_new(&own, &e, format, err)
                            : new_preprocessing(&own, &e, x, format, &gap, err)) == NEY_OK &&
        (st = ney_array_map_init(&map, &e, x, preprocessing || !x->category ? preprocessing : own,
                                 err)) == NEY_OK) {
        map.gaps = map.gaps || !preprocessing;
        map.keeps_infinite = keeps_infinite;
        map.shift = preprocessing ? preprocessing->shift : own->shift;
        st = ney_array_take(&d, x, &map, 0, x->rows, err);
    }
    ney_array_map_deinit(&map);
    if (st != NEY_OK) {
        ney_preprocessing_free(own);
        return st;
    }
    d->preprocessing = own;
    d->from_array = true;
    d->gap_row = gap.row + 1;
    d->gap_column = gap.column;
    (void)unlabelled(&d->no_label);
    if (preprocessing) {
        own->cols = ney_preprocessing_stored(preprocessing);
        st = ney_preprocessing_apply(d, preprocessing, NEY_ORIGIN_ARRAY, err);
    }
    if (st != NEY_OK) {
        ney_data_free(d);
        return st;
    }
    *out = d;
    return NEY_OK;
}

ney_status ney_data_new(ney_data **out, const ney_env *env, const ney_matrix *x,
                        const int8_t *label, const float *weight, ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out && x, err);
    const ney_env e = ney_env_of(env);
    const ney_array array = {.rows = x->rows,
                             .cols = x->cols,
                             .value = x->dense ? x->dense : x->value,
                             .value_type = NEY_FLOAT32,
                             .start = x->dense ? NULL : x->start,
                             .start_type = NEY_INT64,
                             .index = x->index,
                             .index_type = NEY_INT32};
    ney_array_map map = {.env = e, .cols = x->cols}; /* no gaps */
    ney_array_gap gap;
    ney_data *d = NULL;
    ney_status st;

    *out = NULL;
    if ((st = ney_array_check(&array, err)) != NEY_OK ||
        (st = ney_array_take(&d, &array, &map, 0, x->rows, err)) != NEY_OK ||
        (st = new_preprocessing(&d->preprocessing, &e, &array, NEY_FORMAT_SVMLIGHT, &gap, err)) !=
            NEY_OK ||
        (st = ney_data_set_labels(d, label, NULL, NULL, err)) != NEY_OK ||
        (st = ney_data_set_weights(d, weight, err)) != NEY_OK) {
        ney_data_free(d);
        return st;
    }
    *out = d;
    return NEY_OK;
}
