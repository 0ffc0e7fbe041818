#include "data/preprocessing.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* More than any real table; keeps a damaged count from asking for the whole memory. */
enum { MOST_COLS = INT32_MAX };

static const char *const format_name[] = {"auto", "svmlight", "csv", "tsv", "pin", "cache"};
static const char *const scaling_name[] = {"none", "standard", "minmax", "unit",
                                           "rank", "asinh",    "auto"};
static const char *const missing_name[] = {"error", "mean", "keep", "median", "indicator"};

ney_status ney_preprocessing_new(ney_preprocessing **out, const ney_env *env, ney_format format,
                                 ney_error *err)
{
    *out = ney_alloc_zeroed(env, 1, sizeof **out);
    if (!*out) {
        return ney_no_memory(err, 1, "preprocessing");
    }
    (*out)->env = *env;
    (*out)->format = format;
    return NEY_OK;
}

void ney_preprocessing_free(ney_preprocessing *r)
{
    if (!r) {
        return;
    }
    const ney_env env = r->env;
    ney_ranks_free(r->ranks);
    for (int64_t i = 0; i < r->n_input; i++) {
        for (int64_t k = 0; r->input[i].category && k < r->input[i].n_category; k++) {
            ney_release(&env, r->input[i].category[k]);
        }
        ney_release(&env, r->input[i].category);
        ney_release(&env, r->input[i].name);
    }
    ney_release_all(&env, r->input, r->label_column, r->weight_column, r->note_columns,
                    r->id_column, r->group_column, r->kept_columns, r->na_words, r->pooled,
                    r->label[0], r->label[1], r->shift, r->fill, r->offset, r->factor, r->indicator,
                    r);
}

bool ney_preprocessing_set_missing(ney_preprocessing *r, ney_missing missing)
{
    const bool fills = missing != NEY_MISSING_ERROR && missing != NEY_MISSING_KEEP;
    if (fills && !r->fill && !(r->fill = ney_alloc_zeroed(&r->env, r->cols, sizeof *r->fill))) {
        return false;
    }
    r->missing = missing;
    return true;
}

/* More numbers after the first n; NULL stays NULL. */
static bool extend(const ney_env *env, double **array, int64_t n, int64_t more, double value)
{
    int64_t cap = n;
    if (!*array) {
        return true;
    }
    if (!ney_grow(env, array, &cap, n + more, sizeof **array)) {
        return false;
    }
    for (int64_t k = 0; k < more; k++) {
        (*array)[n + k] = value;
    }
    return true;
}

bool ney_preprocessing_add_indicators(ney_preprocessing *r, int64_t *column, int64_t n)
{
    const int64_t cols = r->cols;
    if (!extend(&r->env, &r->shift, cols, n, 0) || !extend(&r->env, &r->fill, cols, n, 0) ||
        !extend(&r->env, &r->offset, cols, n, 0) || !extend(&r->env, &r->factor, cols, n, 1) ||
        (r->ranks && !ney_ranks_extend(r->ranks, cols + n))) {
        ney_release(&r->env, column);
        return false;
    }
    r->indicator = column;
    r->n_indicator = n;
    r->cols += n;
    return true;
}

void ney_preprocessing_drop_indicators(ney_preprocessing *r)
{
    r->cols = ney_preprocessing_stored(r);
    ney_release(&r->env, r->indicator);
    r->indicator = NULL;
    r->n_indicator = 0;
}

static void format_word(ney_text *t, const char *key, const char *word)
{
    if (word) {
        ney_text_line_word(t, key, word);
    }
}

static void format_array(ney_text *t, const char *key, const double *array, int64_t n)
{
    if (!array) {
        return;
    }
    ney_text_put(t, key);
    for (int64_t i = 0; i < n; i++) {
        ney_text_field_number(t, array[i]);
    }
    ney_text_put(t, "\n");
}

void ney_preprocessing_format(const ney_preprocessing *r, ney_text *t)
{
    ney_text_put(t, "recipe ");
    ney_text_put(t, format_name[r->format]);
    ney_text_put(t, "\ncolumns ");
    ney_text_int(t, r->cols);
    ney_text_put(t, "\n");
    if (r->n_indicator > 0) {
        ney_text_put(t, "indicators");
        for (int64_t k = 0; k < r->n_indicator; k++) {
            ney_text_put(t, " ");
            ney_text_int(t, r->indicator[k] + 1);
        }
        ney_text_put(t, "\n");
    }
    format_word(t, "negative", r->label[0]);
    format_word(t, "positive", r->label[1]);
    format_word(t, "label-column", r->label_column);
    format_word(t, "weight-column", r->weight_column);
    format_word(t, "note-columns", r->note_columns);
    format_word(t, "id-column", r->id_column);
    format_word(t, "group-column", r->group_column);
    format_word(t, "kept-columns", r->kept_columns);
    format_word(t, "na-words", r->na_words);
    format_word(t, "pooled", r->pooled);
    if (r->input) {
        ney_text_line_int(t, "inputs", r->n_input);
    }
    for (int64_t i = 0; r->input && i < r->n_input; i++) {
        const ney_input *in = &r->input[i];
        const bool plain = in->form == NEY_NUMBER_PLAIN;
        ney_text_put(t, in->category ? "category " : plain ? "number " : "number-as ");
        if (!plain) {
            ney_text_put(t, ney_number_form_name(in->form));
            ney_text_put(t, " ");
        }
        ney_text_word(t, in->name);
        for (int64_t k = 0; in->category && k < in->n_category; k++) {
            ney_text_field_word(t, in->category[k]);
        }
        ney_text_put(t, "\n");
    }
    if (r->prepared) {
        ney_text_put(t, "scaling ");
        ney_text_put(t, scaling_name[r->scaling]);
        ney_text_put(t, "\n");
    }
    if (r->missing > NEY_MISSING_MEAN) {
        ney_text_line_word(t, "missing", missing_name[r->missing]);
    }
    format_array(t, "shift", r->shift, r->cols);
    format_array(t, "fill", r->fill, r->cols);
    format_array(t, "offset", r->offset, r->cols);
    format_array(t, "factor", r->factor, r->cols);
    ney_ranks_format(r->ranks, t);
    ney_text_put(t, "end-recipe\n");
}

static void parse_word(ney_fields *f, const char *key, char **word)
{
    if (ney_fields_is(f, key)) {
        ney_fields_key(f, key);
        *word = ney_fields_word(f);
        ney_fields_end(f);
    }
}

static void parse_array(ney_fields *f, const char *key, double **array, int64_t n)
{
    if (!ney_fields_is(f, key)) {
        return;
    }
    ney_fields_key(f, key);
    /* Every number takes two bytes at least: a damaged count cannot ask for more than the text. */
    if (n > f->end - f->at) {
        ney_fields_fail(f, "expected %lld numbers, the file is shorter", (long long)n);
        return;
    }
    if (!(*array = ney_alloc(f->env, n, sizeof **array))) {
        f->status = ney_no_memory(f->err, n, "numbers of preprocessing");
        return;
    }
    for (int64_t i = 0; i < n && f->status == NEY_OK; i++) {
        (*array)[i] = ney_fields_number(f);
        if (!isfinite((*array)[i])) {
            ney_fields_fail(f, "found a number that is not finite under '%s'", key);
        }
    }
    ney_fields_end(f);
}

static void parse_categories(ney_fields *f, ney_input *in)
{
    int64_t cap = 0;
    do {
        if (!ney_grow(f->env, &in->category, &cap, in->n_category + 1, sizeof *in->category)) {
            f->status = ney_no_memory(f->err, in->n_category + 1, "categories");
            return;
        }
        char *word = ney_fields_word(f);
        if (word) {
            in->category[in->n_category++] = word;
        }
    } while (!ney_fields_at_end(f));
}

/* Line "indicators COLUMN...", columns counted from 1 and ascending: the last features. */
static void parse_indicators(ney_fields *f, ney_preprocessing *r)
{
    int64_t cap = 0, last = 0;
    ney_fields_key(f, "indicators");
    do {
        if (!ney_grow(f->env, &r->indicator, &cap, r->n_indicator + 1, sizeof *r->indicator)) {
            f->status = ney_no_memory(f->err, r->n_indicator + 1, "indicators");
            return;
        }
        last = ney_fields_int(f, last + 1, r->cols);
        r->indicator[r->n_indicator++] = last - 1;
    } while (f->status == NEY_OK && !ney_fields_at_end(f));
    ney_fields_end(f);
    if (f->status == NEY_OK && last > ney_preprocessing_stored(r)) {
        ney_fields_fail(f, "found an indicator of column %lld, expected one of the first %lld",
                        (long long)last, (long long)ney_preprocessing_stored(r));
    }
}

static ney_number_form parse_form(ney_fields *f)
{
    const char *names[NEY_N_NUMBER_FORMS];
    for (int k = 0; k < NEY_N_NUMBER_FORMS; k++) {
        names[k] = ney_number_form_name((ney_number_form)k);
    }
    return (ney_number_form)ney_fields_choice(f, names, NEY_N_NUMBER_FORMS);
}

/* Lines "number NAME", "number-as FORM NAME" and "category NAME VALUE...", in the order of the
 * features. */
static void parse_inputs(ney_fields *f, ney_preprocessing *r)
{
    ney_fields_key(f, "inputs");
    const int64_t n = ney_fields_int(f, 0, f->end - f->at);
    ney_fields_end(f);
    if (f->status != NEY_OK) {
        return;
    }
    if (!(r->input = ney_alloc_zeroed(f->env, n, sizeof *r->input))) {
        f->status = ney_no_memory(f->err, n, "columns");
        return;
    }
    int64_t feature = 0;
    for (; r->n_input < n && f->status == NEY_OK; r->n_input++) {
        ney_input *in = &r->input[r->n_input];
        const bool is_category = ney_fields_is(f, "category");
        in->first = feature;
        if (ney_fields_is(f, "number-as")) {
            ney_fields_key(f, "number-as");
            in->form = parse_form(f);
        } else {
            ney_fields_key(f, is_category ? "category" : "number");
        }
        in->name = ney_fields_word(f);
        if (is_category && f->status == NEY_OK) {
            parse_categories(f, in);
        }
        feature += is_category ? in->n_category : 1;
        ney_fields_end(f);
    }
    if (f->status == NEY_OK && feature != ney_preprocessing_stored(r)) {
        ney_fields_fail(f, "the inputs make %lld features, expected %lld", (long long)feature,
                        (long long)ney_preprocessing_stored(r));
    }
}

/* "missing keep", "median" or "indicator"; a fill without it is of means. */
static void parse_missing(ney_fields *f, ney_preprocessing *r)
{
    if (ney_fields_is(f, "missing")) {
        ney_fields_key(f, "missing");
        r->missing = (ney_missing)ney_fields_choice(f, missing_name, NEY_MISSING_INDICATOR + 1);
        ney_fields_end(f);
    }
}

/* The numbers of the last steps. */
static void parse_numbers(ney_fields *f, ney_preprocessing *r)
{
    parse_missing(f, r);
    parse_array(f, "shift", &r->shift, r->cols);
    parse_array(f, "fill", &r->fill, r->cols);
    parse_array(f, "offset", &r->offset, r->cols);
    parse_array(f, "factor", &r->factor, r->cols);
    if (ney_fields_is(f, "rank") && (!r->offset || !r->factor)) {
        ney_fields_fail(f, "found ranks without offsets and factors");
    }
    r->ranks = ney_ranks_parse(f, r->cols);
    if (f->status == NEY_OK && r->n_indicator > 0 &&
        !(r->prepared && r->fill && r->missing == NEY_MISSING_INDICATOR)) {
        ney_fields_fail(f, "found indicators, expected 'scaling', 'missing indicator' and 'fill'");
    }
    r->missing = r->fill && r->missing == NEY_MISSING_ERROR ? NEY_MISSING_MEAN : r->missing;
}

ney_preprocessing *ney_preprocessing_parse(ney_fields *f)
{
    ney_preprocessing *r = NULL;
    ney_fields_key(f, "recipe");
    const int format = ney_fields_choice(f, format_name, NEY_FORMAT_CACHE + 1);
    ney_fields_end(f);
    if (f->status != NEY_OK) {
        return NULL;
    }
    f->status = ney_preprocessing_new(&r, f->env, (ney_format)format, f->err);
    if (!r) {
        return NULL;
    }
    r->cols = ney_fields_int_line(f, "columns", 0, MOST_COLS);
    if (ney_fields_is(f, "indicators")) {
        parse_indicators(f, r);
    }
    parse_word(f, "negative", &r->label[0]);
    parse_word(f, "positive", &r->label[1]);
    parse_word(f, "label-column", &r->label_column);
    parse_word(f, "weight-column", &r->weight_column);
    parse_word(f, "note-columns", &r->note_columns);
    parse_word(f, "id-column", &r->id_column);
    parse_word(f, "group-column", &r->group_column);
    parse_word(f, "kept-columns", &r->kept_columns);
    parse_word(f, "na-words", &r->na_words);
    parse_word(f, "pooled", &r->pooled);
    if (ney_fields_is(f, "inputs")) {
        parse_inputs(f, r);
    }
    if (ney_fields_is(f, "scaling")) {
        ney_fields_key(f, "scaling");
        r->scaling = (ney_scaling)ney_fields_choice(f, scaling_name, NEY_SCALING_AUTO + 1);
        ney_fields_end(f);
        r->prepared = true;
    }
    parse_numbers(f, r);
    ney_fields_key(f, "end-recipe");
    ney_fields_end(f);
    if (f->status != NEY_OK) {
        ney_preprocessing_free(r);
        return NULL;
    }
    return r;
}

/* Ranks are thousands of numbers, and every model of a search has a copy. */
static ney_status copy_ranks(ney_preprocessing *to, const ney_preprocessing *from, ney_error *err)
{
    if (from->ranks && from->ranks->n_knots > 0 &&
        !(to->ranks = ney_ranks_copy(from->ranks, &to->env))) {
        return ney_no_memory(err, from->ranks->n_knots, "knots of ranks");
    }
    return NEY_OK;
}

/* Except for ranks a copy is what a file would give back: one description of what preprocessing
 * holds is enough. */
ney_status ney_preprocessing_copy(ney_preprocessing **out, const ney_env *env,
                                  const ney_preprocessing *from, ney_error *err)
{
    ney_preprocessing unranked = *from;
    ney_text text;
    ney_fields fields;
    ney_status st;

    *out = NULL;
    unranked.ranks = NULL;
    ney_text_init(&text, env);
    ney_preprocessing_format(&unranked, &text);
    if (text.failed) {
        st = ney_no_memory(err, text.length, "bytes of preprocessing");
    } else {
        ney_fields_init(&fields, env, "recipe", text.bytes, text.length, err);
        *out = ney_preprocessing_parse(&fields);
        st = fields.status;
    }
    ney_text_deinit(&text);
    if (st == NEY_OK && (st = copy_ranks(*out, from, err)) != NEY_OK) {
        ney_preprocessing_free(*out);
        *out = NULL;
    }
    return st;
}

const char *ney_preprocessing_label(const ney_preprocessing *preprocessing, int sign)
{
    if (!preprocessing) {
        return "";
    }
    const char *name = preprocessing->label[sign > 0];
    return name ? name : "";
}

int64_t ney_preprocessing_cols(const ney_preprocessing *preprocessing)
{
    if (!preprocessing) {
        return 0;
    }
    return preprocessing->cols;
}

ney_scaling ney_preprocessing_scaling(const ney_preprocessing *preprocessing)
{
    if (!preprocessing) {
        return NEY_SCALING_NONE;
    }
    return preprocessing->scaling;
}

void ney_preprocessing_scale(const ney_preprocessing *preprocessing, int64_t column, double *offset,
                             double *factor)
{
    if (!preprocessing || !offset || !factor) {
        return;
    }
    const bool known = column >= 0 && column < preprocessing->cols;
    *offset = (known && preprocessing->shift ? preprocessing->shift[column] : 0) +
              (known && preprocessing->offset ? preprocessing->offset[column] : 0);
    *factor = known && preprocessing->factor ? preprocessing->factor[column] : 1;
}

/* The input that feature `column` belongs to: the last that begins at or before it. */
static const ney_input *input_of(const ney_preprocessing *r, int64_t column)
{
    int64_t low = 0, high = r->n_input;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (r->input[middle].first <= column) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return &r->input[low];
}

void ney_preprocessing_feature(const ney_preprocessing *preprocessing, int64_t column, char *name,
                               size_t n_name)
{
    if (!preprocessing || !name || column < 0 || column == INT64_MAX) {
        if (name && n_name > 0) {
            *name = '\0';
        }
        return;
    }
    const int64_t stored = ney_preprocessing_stored(preprocessing);
    if (column >= stored && column < preprocessing->cols) {
        char of[1024];
        ney_preprocessing_feature(preprocessing, preprocessing->indicator[column - stored], of,
                                  sizeof of);
        snprintf(name, n_name, "%s=missing", of);
        return;
    }
    if (!preprocessing->input || column >= preprocessing->cols) {
        snprintf(name, n_name, "c%lld", (long long)column + 1);
        return;
    }
    const ney_input *in = input_of(preprocessing, column);
    if (in->category) {
        snprintf(name, n_name, "%s=%s", in->name, in->category[column - in->first]);
    } else {
        snprintf(name, n_name, "%s", in->name);
    }
}

int64_t ney_preprocessing_inputs(const ney_preprocessing *preprocessing)
{
    if (!preprocessing) {
        return 0;
    }
    return preprocessing->n_input;
}

const char *ney_preprocessing_input(const ney_preprocessing *preprocessing, int64_t k,
                                    const char *const **category, int64_t *n_category)
{
    if (!preprocessing) {
        return NULL;
    }
    const bool exists = k >= 0 && k < preprocessing->n_input;
    const ney_input *const in = exists ? &preprocessing->input[k] : &(ney_input){0};
    if (category) {
        *category = (const char *const *)in->category;
    }
    if (n_category) {
        *n_category = in->n_category;
    }
    return in->name;
}
