#include "predict_lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"

const char *line_name(const line_format *f, int sign)
{
    return sign == 0 ? f->rejected
                     : ney_preprocessing_label(ney_model_preprocessing(f->model), sign);
}

int line_decision(const line_format *f, double score)
{
    return score >= f->high ? 1 : score < f->low ? -1 : 0;
}

static void count(line_counts *counts, int sign)
{
    counts->n++;
    counts->pos += sign > 0;
    counts->neg += sign < 0;
}

/* The classes whose p-value exceeds 1 - confidence, as {a,b}. */
static void set_text(const line_format *f, const line_rows *rows, int64_t row, char text[SET_TEXT])
{
    const double e = ney_delta_of_confidence(f->confidence);
    const bool neg = rows->p_neg[row] > e, pos = rows->p_pos[row] > e;

    snprintf(text, SET_TEXT, "{%.100s%s%.100s}", neg ? line_name(f, -1) : "", neg && pos ? "," : "",
             pos ? line_name(f, 1) : "");
}

/* ------------------------------------------------------------------ ids and groups */

static ney_status add_note(line_format *f, const char *name, size_t length, ney_error *err)
{
    for (int k = 0; k < f->n_notes; k++) {
        if (strlen(f->note[k]) == length && memcmp(f->note[k], name, length) == 0) {
            return NEY_OK; /* one column may be several things */
        }
    }
    if (f->n_notes == MOST_NOTES) {
        *err = (ney_error){.code = NEY_EINVAL};
        snprintf(err->message, sizeof err->message, "--keep names too many columns; at most %d",
                 MOST_NOTES - 2);
        return NEY_EINVAL;
    }
    f->note[f->n_notes] = strndup(name, length);
    return f->note[f->n_notes++] ? NEY_OK : out_of_memory(err, "the names of columns");
}

ney_status line_format_name_notes(line_format *f, const ney_data *data, ney_error *err)
{
    const char *const own[] = {ney_data_id_column(data), ney_data_group_column(data)};
    const char *name;
    int64_t length;
    ney_status st = NEY_OK;

    for (int k = 0; k < COUNT(own) && st == NEY_OK; k++) {
        st = own[k] ? add_note(f, own[k], strlen(own[k]), err) : NEY_OK;
    }
    for (int64_t k = 0; st == NEY_OK && (name = ney_data_kept_column(data, k, &length)); k++) {
        st = add_note(f, name, (size_t)length, err);
    }
    return st;
}

void line_format_deinit(line_format *f)
{
    for (int k = 0; k < f->n_notes; k++) {
        free(f->note[k]);
    }
    f->n_notes = 0;
}

static ney_status open_notes(line_rows *rows, const line_format *f, const ney_data *data,
                             ney_error *err)
{
    const ney_status st = f->n_notes > 0 ? ney_notes_new(&rows->notes, data, err) : NEY_OK;

    for (int k = 0; k < f->n_notes; k++) {
        rows->column[k] = rows->notes ? ney_notes_find(rows->notes, f->note[k]) : -1;
    }
    return st;
}

static ney_status find_p_values(line_rows *rows, const line_format *f, ney_error *err)
{
    const int64_t n = rows->n;

    if (!(rows->p_pos = malloc((2 * (size_t)n + 1) * sizeof *rows->p_pos))) {
        return out_of_memory(err, "the p-values");
    }
    rows->p_neg = rows->p_pos + n;
    return ney_model_p_values(f->model, rows->score, n, rows->p_pos, rows->p_neg, err);
}

static ney_status find_probabilities(line_rows *rows, const line_format *f, ney_error *err)
{
    const ney_calibrator *const c = ney_model_calibrator(f->model);
    const int64_t n = rows->n;

    if (!(rows->probability = malloc((3 * (size_t)n + 1) * sizeof *rows->probability))) {
        return out_of_memory(err, "the probabilities");
    }
    rows->p_low = rows->probability + n;
    rows->p_high = rows->p_low + n;
    for (int64_t i = 0; i < n; i++) {
        ney_calibrator_interval(c, rows->score[i], &rows->p_low[i], &rows->p_high[i]);
        rows->probability[i] = ney_calibrator_probability(c, f->calibration, rows->score[i]);
    }
    return NEY_OK;
}

ney_status line_rows_open(line_rows *rows, const line_format *f, const ney_data *data,
                          ney_error *err)
{
    ney_status st = open_notes(rows, f, data, err);

    if (st == NEY_OK && f->conformal) {
        st = find_p_values(rows, f, err);
    }
    if (st == NEY_OK && f->explain > 0) {
        st = explain_rows(&rows->why, f->env, f->model, ney_data_matrix(data), f->explain, err);
    }
    return st == NEY_OK && f->probability ? find_probabilities(rows, f, err) : st;
}

void line_rows_close(line_rows *rows)
{
    free(rows->p_pos);
    free(rows->probability);
    explanation_deinit(&rows->why);
    ney_notes_free(rows->notes);
    free(rows->cell);
}

/* The cell of a note, until the next call. */
static const char *note_text(line_rows *rows, int64_t row, int k)
{
    int64_t length = 0;
    const char *const cell = ney_notes_text(rows->notes, row, rows->column[k], &length);

    if (length >= rows->cell_cap) {
        free(rows->cell);
        rows->cell_cap = 2 * length + 64;
        rows->cell = malloc((size_t)rows->cell_cap);
    }
    if (!rows->cell) {
        rows->cell_cap = 0;
        return "";
    }
    memcpy(rows->cell, cell ? cell : "", (size_t)length);
    rows->cell[length] = '\0';
    return rows->cell;
}

/* ------------------------------------------------------------------ lines */

void lines_write_header(const line_format *f, tsv *t)
{
    const struct {
        bool there;
        const char *name;
    } columns[] = {
        {true, "predicted"},       {f->scores, "score"},       {f->labelled && f->scores, "label"},
        {f->qvalues, "q"},         {f->seen, "seen"},          {f->conformal, "p_pos"},
        {f->conformal, "p_neg"},   {f->conformal, "set"},      {f->probability, "probability"},
        {f->probability, "p_low"}, {f->probability, "p_high"}, {f->explain > 0, "explanation"}};
    const char *names[COUNT(columns) + MOST_NOTES];
    int n = 0;

    for (size_t k = 0; k < COUNT(columns); k++) {
        if (columns[k].there) {
            names[n++] = columns[k].name;
        }
    }
    for (int k = 0; k < f->n_notes && f->scores; k++) {
        names[n++] = f->note[k];
    }
    if (f->scores || t->format == FORMAT_JSON_LINES) {
        tsv_header(t, names, n);
    }
}

/* The cells after predicted. */
static void write_cells(const line_format *f, line_rows *rows, int64_t row, tsv *t)
{
    tsv_real(t, rows->score[row]);
    if (f->labelled) {
        const int label = rows->label ? rows->label[row] : 0;
        tsv_text(t, label ? line_name(f, label) : "");
    }
    if (f->qvalues) {
        tsv_real(t, rows->q[row]);
    }
    if (f->seen) {
        tsv_text(t, rows->seen[row] < 0 ? "" : rows->seen[row] ? "1" : "0");
    }
    if (f->conformal) {
        char set[SET_TEXT];
        set_text(f, rows, row, set);
        tsv_real(t, rows->p_pos[row]);
        tsv_real(t, rows->p_neg[row]);
        tsv_text(t, set);
    }
    if (f->probability) {
        tsv_real(t, rows->probability[row]);
        tsv_real(t, rows->p_low[row]);
        tsv_real(t, rows->p_high[row]);
    }
    if (f->explain > 0) {
        char *const why = explanation_text(&rows->why, f->model, row);
        tsv_text(t, why ? why : "");
        free(why);
    }
    for (int k = 0; k < f->n_notes; k++) {
        tsv_text(t, note_text(rows, row, k));
    }
}

static bool is_chosen(const line_format *f, int sign)
{
    static const int sign_of[] = {[ONLY_POSITIVE] = 1, [ONLY_NEGATIVE] = -1, [ONLY_REJECTED] = 0};

    return f->only == ONLY_ALL || sign_of[f->only] == sign;
}

bool lines_write(const line_format *f, line_rows *rows, tsv *t, line_counts *counts)
{
    for (int64_t i = 0; i < rows->n; i++) {
        const int sign = line_decision(f, rows->score[i]);
        count(counts, sign);
        if (!is_chosen(f, sign)) {
            continue;
        }
        tsv_text(t, line_name(f, sign));
        if (f->scores) {
            write_cells(f, rows, i, t);
        }
        if (!tsv_end(t)) {
            return false;
        }
    }
    return true;
}

/* ------------------------------------------------------------------ an object */

static void add_p_values(ney_result *root, const line_format *f, const line_rows *rows)
{
    ney_result *pos = ney_result_add_array(root, "p_pos"),
               *neg = ney_result_add_array(root, "p_neg"),
               *sets = ney_result_add_array(root, "set");

    for (int64_t i = 0; i < rows->n; i++) {
        char set[SET_TEXT];
        set_text(f, rows, i, set);
        ney_result_add_real(pos, NULL, rows->p_pos[i]);
        ney_result_add_real(neg, NULL, rows->p_neg[i]);
        ney_result_add_text(sets, NULL, set);
    }
}

static void add_reals(ney_result *root, const char *key, const double *value, int64_t n)
{
    ney_result *list = ney_result_add_array(root, key);

    for (int64_t i = 0; i < n; i++) {
        ney_result_add_real(list, NULL, value[i]);
    }
}

static void add_notes(ney_result *root, const line_format *f, line_rows *rows, int k)
{
    ney_result *list = ney_result_add_array(root, f->note[k]);

    for (int64_t i = 0; i < rows->n; i++) {
        ney_result_add_text(list, NULL, note_text(rows, i, k));
    }
}

void lines_count(const line_format *f, const line_rows *rows, line_counts *counts)
{
    for (int64_t i = 0; i < rows->n; i++) {
        count(counts, line_decision(f, rows->score[i]));
    }
}

static void add_explanations(ney_result *root, const line_format *f, const line_rows *rows)
{
    ney_result *list = ney_result_add_array(root, "explanation");

    for (int64_t i = 0; i < rows->n; i++) {
        char *const why = explanation_text(&rows->why, f->model, i);
        ney_result_add_text(list, NULL, why ? why : "");
        free(why);
    }
}

void lines_add(const line_format *f, line_rows *rows, ney_result *root)
{
    ney_result *predicted = ney_result_add_array(root, "predicted");

    for (int64_t i = 0; i < rows->n; i++) {
        ney_result_add_text(predicted, NULL, line_name(f, line_decision(f, rows->score[i])));
    }
    if (!f->scores) {
        return;
    }
    add_reals(root, "score", rows->score, rows->n);
    if (f->explain > 0) {
        add_explanations(root, f, rows);
    }
    if (f->labelled) {
        ney_result *truth = ney_result_add_array(root, "label");
        for (int64_t i = 0; i < rows->n; i++) {
            ney_result_add_text(truth, NULL, line_name(f, rows->label[i]));
        }
    }
    if (f->qvalues) {
        add_reals(root, "q", rows->q, rows->n);
    }
    if (f->seen) {
        ney_result *seen = ney_result_add_array(root, "seen");
        for (int64_t i = 0; i < rows->n; i++) {
            ney_result_add_real(seen, NULL, rows->seen[i] < 0 ? (double)NAN : rows->seen[i]);
        }
    }
    if (f->conformal) {
        add_p_values(root, f, rows);
    }
    if (f->probability) {
        add_reals(root, "probability", rows->probability, rows->n);
        add_reals(root, "p_low", rows->p_low, rows->n);
        add_reals(root, "p_high", rows->p_high, rows->n);
    }
    for (int k = 0; k < f->n_notes; k++) {
        add_notes(root, f, rows, k);
    }
}
