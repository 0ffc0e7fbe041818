#include "data/apply_preprocessing.h"

#include "data/rows.h"
#include "data/scale.h"

#include <math.h>
#include <string.h>

/* The same columns in the same order: a cache keeps features, not the cells they came from. */
static bool same_inputs(const ney_preprocessing *a, const ney_preprocessing *b)
{
    if (!a->input || !b->input) {
        return true; /* numbered features are what they are */
    }
    if (a->n_input != b->n_input) {
        return false;
    }
    for (int64_t i = 0; i < a->n_input; i++) {
        const ney_input *p = &a->input[i], *q = &b->input[i];
        if (strcmp(p->name, q->name) != 0 || p->n_category != q->n_category ||
            !p->category != !q->category) {
            return false;
        }
        for (int64_t k = 0; p->category && k < p->n_category; k++) {
            if (strcmp(p->category[k], q->category[k]) != 0) {
                return false;
            }
        }
    }
    return true;
}

/* The model's names decide which class is positive. */
static void apply_labels(ney_data *d, const ney_preprocessing *given)
{
    const ney_preprocessing *own = d->preprocessing;
    bool same = true, crossed = true;
    for (int sign = 0; sign < 2; sign++) {
        if (own->label[sign] && given->label[0] && given->label[1]) {
            same = same && ney_same_label(own->label[sign], given->label[sign]);
            crossed = crossed && ney_same_label(own->label[sign], given->label[1 - sign]);
        }
    }
    if (same || !d->label) {
        return;
    }
    for (int64_t i = 0; crossed && i < d->x.rows; i++) {
        d->label[i] = (int8_t)-d->label[i];
    }
    if (!crossed) {
        ney_fail(&d->no_label, NEY_EPARSE,
                 "the labels are '%.40s' and '%.40s', expected '%.40s' and '%.40s' as in training",
                 ney_preprocessing_label(own, -1), ney_preprocessing_label(own, 1),
                 ney_preprocessing_label(given, -1), ney_preprocessing_label(given, 1));
        ney_release(&d->env, d->label);
        d->label = NULL;
    }
}

/* Whether stored + shift is the number of the table exactly: whole numbers under a whole shift, as
 * ney_column_shift() chooses them. */
static bool known_exactly(float stored, double shift)
{
    return isnan(stored) || (shift == rint(shift) && stored == rintf(stored) &&
                             fabs((double)stored) < NEY_WHOLE_FLOATS);
}

/* stored + own shift - given shift: the first step of the given preprocessing, to the bit, or
 * refused. */
static ney_status apply_shift(ney_data *d, const ney_preprocessing *given, ney_error *err)
{
    const double *from = d->preprocessing->shift, *to = given->shift;
    bool moved = false;
    for (int64_t c = 0; (from || to) && c < d->x.cols; c++) {
        moved = moved || (from ? from[c] : 0) != (to ? to[c] : 0);
    }
    if (!moved) {
        return NEY_OK;
    }
    if (!ney_data_to_dense(d)) {
        return ney_no_memory(err, d->x.rows, "dense rows");
    }
    for (int64_t c = 0; c < d->x.cols; c++) {
        const double own = from ? from[c] : 0, other = to ? to[c] : 0;
        for (int64_t i = 0; i < d->x.rows && own != other; i++) {
            float *v = &d->value[i * d->x.cols + c];
            if (!known_exactly(*v, own)) {
                char name[100];
                ney_preprocessing_feature(given, c, name, sizeof name);
                return ney_fail(
                    err, NEY_EPARSE,
                    "column '%s' is stored as the difference from %g, in the model from "
                    "%g, and scores would differ from those of the table: use the "
                    "table that the cache was made from",
                    name, own, other);
            }
            *v = (float)((double)*v + own - other);
        }
    }
    return NEY_OK;
}

static ney_status match_columns(ney_data *d, const ney_preprocessing *given, ney_error *err)
{
    if (!same_inputs(d->preprocessing, given)) {
        return ney_fail(
            err, NEY_EPARSE,
            "the data were converted with other columns than the model's: use the table "
            "they came from");
    }
    return ney_data_set_cols(d, ney_preprocessing_stored(given))
               ? NEY_OK
               : ney_no_memory(err, d->x.rows, "rows");
}

void ney_remark_names(const ney_env *env, const ney_preprocessing *given, bool named)
{
    if (named != (given->input != NULL)) {
        ney_log(env, NEY_LOG_WARNING,
                "the %s has column names, the %s has none: columns are matched by number, not by "
                "name",
                named ? "data" : "model", named ? "model" : "data");
    }
}

bool ney_remark_columns(const ney_data *d, const ney_preprocessing *given, ney_origin origin)
{
    const int64_t cols = ney_preprocessing_stored(given);
    const bool beyond =
        (origin == NEY_ORIGIN_SVMLIGHT || origin == NEY_ORIGIN_CACHE) && d->x.cols > cols;
    if (beyond) {
        ney_log(&d->env, NEY_LOG_INFO, "columns beyond the model's %lld are ignored",
                (long long)cols);
    }
    return beyond;
}

static void take_word(const ney_env *env, char **to, char **from)
{
    ney_release(env, *to);
    *to = *from;
    *from = NULL;
}

ney_status ney_preprocessing_apply_cells(ney_data *d, const ney_preprocessing *given,
                                         ney_origin origin, int64_t rows_before, ney_error *err)
{
    ney_status st;

    apply_labels(d, given);
    const bool table = origin == NEY_ORIGIN_TABLE;
    if (table && !ney_data_set_cols(d, ney_preprocessing_stored(
                                           given))) { /* of a table: numbered features may differ */
        return ney_no_memory(err, d->x.rows, "rows");
    }
    if ((!table && origin != NEY_ORIGIN_ARRAY && (st = match_columns(d, given, err)) != NEY_OK) ||
        (origin == NEY_ORIGIN_CACHE && (st = apply_shift(d, given, err)) != NEY_OK)) {
        return st;
    }
    return ney_data_check_cells(d, given, (ney_place){.line = rows_before},
                                "train with --missing mean to allow missing values", err);
}

ney_status ney_preprocessing_of_rows(ney_preprocessing **out, const ney_env *env,
                                     const ney_preprocessing *given, ney_preprocessing *own,
                                     ney_error *err)
{
    *out = NULL;
    if (own->prepared) {
        return ney_fail(
            err, NEY_EPARSE,
            "the data were scaled before they were written: use the file they came from");
    }
    const ney_status st = ney_preprocessing_copy(out, env, given, err);
    if (st == NEY_OK) {
        (*out)->format = own->format;
        /* the notes are in the file's own order */
        take_word(&(*out)->env, &(*out)->note_columns, &own->note_columns);
        take_word(&(*out)->env, &(*out)->id_column, &own->id_column);
        take_word(&(*out)->env, &(*out)->group_column, &own->group_column);
        take_word(&(*out)->env, &(*out)->kept_columns, &own->kept_columns);
    }
    return st;
}

ney_status ney_preprocessing_apply(ney_data *d, const ney_preprocessing *given, ney_origin origin,
                                   ney_error *err)
{
    ney_preprocessing *copy;
    ney_status st = ney_preprocessing_of_rows(&copy, &d->env, given, d->preprocessing, err);

    if (st != NEY_OK) {
        return st;
    }
    if (origin != NEY_ORIGIN_ARRAY) {
        ney_remark_names(&d->env, given, origin == NEY_ORIGIN_TABLE || d->preprocessing->input);
        (void)ney_remark_columns(d, given, origin);
    }
    if ((st = ney_preprocessing_apply_cells(d, given, origin, 0, err)) != NEY_OK) {
        ney_preprocessing_free(copy);
        return st;
    }
    ney_preprocessing_free(d->preprocessing);
    d->preprocessing = copy;
    return given->prepared ? ney_scale_apply(d, err) : NEY_OK;
}
