#include "explain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "importance.h"

enum { TILE = 64, NAME = 128, CELL = NAME + 32 };

/* What is computed with: the row, copies of it that lack one column each, and their scores. */
typedef struct workspace {
    const ney_env *env;
    const ney_model *model;
    int64_t n_columns, cols;
    column_span *span;
    float *row, *copies; /* TILE copies */
    int64_t which[TILE]; /* the column that a copy lacks */
    double score[TILE + 1];
    double *contribution; /* of trees: of TILE rows */
} workspace;

static bool workspace_init(workspace *w, const ney_env *env, const ney_model *model)
{
    const ney_preprocessing *p = ney_model_preprocessing(model);

    *w = (workspace){.env = env,
                     .model = model,
                     .n_columns = column_count(p),
                     .cols = ney_preprocessing_cols(p)};
    w->span = malloc(((size_t)w->n_columns + 1) * sizeof *w->span);
    w->row = malloc(((size_t)w->cols + 1) * sizeof *w->row);
    w->copies = malloc(((size_t)(w->cols * TILE) + 1) * sizeof *w->copies);
    w->contribution = malloc(((size_t)(w->cols * TILE) + 1) * sizeof *w->contribution);
    if (!w->span || !w->row || !w->copies || !w->contribution) {
        return false;
    }
    column_spans(p, w->span);
    return true;
}

static void workspace_deinit(workspace *w)
{
    free(w->span);
    free(w->row);
    free(w->copies);
    free(w->contribution);
}

/* Put a contribution among the k largest of a row, unless it is too small. */
static void offer(const explanation *e, int64_t row, int64_t column, double value)
{
    int64_t *const columns = e->column + row * e->k;
    double *const values = e->value + row * e->k;
    int64_t at = e->k;

    while (at > 0 && (columns[at - 1] < 0 || fabs(values[at - 1]) < fabs(value))) {
        at--;
    }
    if (at == e->k || value == 0) {
        return;
    }
    memmove(columns + at + 1, columns + at, (size_t)(e->k - 1 - at) * sizeof *columns);
    memmove(values + at + 1, values + at, (size_t)(e->k - 1 - at) * sizeof *values);
    columns[at] = column;
    values[at] = value;
}

/* Offer the sum over the features of each column of value times feature; `feature` NULL: 1. */
static void explain_sums(const explanation *e, const workspace *w, int64_t row, const double *value,
                         const float *feature)
{
    for (int64_t c = 0; c < w->n_columns; c++) {
        double sum = 0;
        for (int64_t j = w->span[c].first; j < w->span[c].first + w->span[c].n; j++) {
            sum += (feature ? (double)feature[j] : 1) * value[j];
        }
        offer(e, row, c, sum);
    }
}

/* Shapley values of TILE rows at a time; those of the words of a column are added up. */
static ney_status explain_trees(const explanation *e, workspace *w, const ney_matrix *x,
                                ney_error *err)
{
    ney_status st = NEY_OK;

    for (int64_t first = 0; first < x->rows && st == NEY_OK; first += TILE) {
        const int64_t n = x->rows - first < TILE ? x->rows - first : TILE;
        const ney_matrix rows = {.rows = n, .cols = w->cols, .dense = w->copies};
        double expected;
        for (int64_t i = 0; i < n; i++) {
            copy_features(x, first + i, w->cols, w->copies + i * w->cols);
        }
        st = ney_model_contributions(w->model, w->env, &rows, w->contribution, &expected, err);
        for (int64_t i = 0; i < n && st == NEY_OK; i++) {
            explain_sums(e, w, first + i, w->contribution + i * w->cols, NULL);
        }
    }
    return st;
}

static ney_status score_copies(const explanation *e, workspace *w, int64_t row, int64_t n,
                               double whole, ney_error *err)
{
    const ney_matrix x = {.rows = n, .cols = w->cols, .dense = w->copies};
    const ney_status st = ney_model_score(w->model, w->env, &x, w->score, err);

    for (int64_t k = 0; st == NEY_OK && k < n; k++) {
        offer(e, row, w->which[k], whole - w->score[k]);
    }
    return st;
}

static bool has_feature(const workspace *w, int64_t c)
{
    for (int64_t j = w->span[c].first; j < w->span[c].first + w->span[c].n; j++) {
        if (w->row[j] != 0) {
            return true;
        }
    }
    return false;
}

static ney_status explain_other(const explanation *e, workspace *w, int64_t row, ney_error *err)
{
    const ney_matrix one = {.rows = 1, .cols = w->cols, .dense = w->row};
    double whole;
    int64_t n = 0;
    ney_status st = ney_model_score(w->model, w->env, &one, &whole, err);

    for (int64_t c = 0; c < w->n_columns && st == NEY_OK; c++) {
        if (has_feature(w, c)) {
            float *const copy = w->copies + n * w->cols;
            memcpy(copy, w->row, (size_t)w->cols * sizeof *copy);
            memset(copy + w->span[c].first, 0, (size_t)w->span[c].n * sizeof *copy);
            w->which[n++] = c;
        }
        if (n == TILE || (c == w->n_columns - 1 && n > 0)) {
            st = score_copies(e, w, row, n, whole, err);
            n = 0;
        }
    }
    return st;
}

static bool reserve(explanation *out, int64_t rows, int64_t k)
{
    const size_t n = (size_t)(rows * k) + 1;

    *out = (explanation){.k = k, .column = malloc(n * sizeof *out->column)};
    out->value = calloc(n, sizeof *out->value);
    for (size_t i = 0; out->column && i < n; i++) {
        out->column[i] = -1;
    }
    return out->column && out->value;
}

ney_status explain_rows(explanation *out, const ney_env *env, const ney_model *model,
                        const ney_matrix *x, int64_t k, ney_error *err)
{
    workspace w = {0};
    ney_status st = reserve(out, x->rows, k) && workspace_init(&w, env, model)
                        ? NEY_OK
                        : out_of_memory(err, "the explanations");

    if (st == NEY_OK && strcmp(ney_model_family(model), "trees") == 0) {
        st = explain_trees(out, &w, x, err);
        workspace_deinit(&w);
        return st;
    }
    for (int64_t i = 0; i < x->rows && st == NEY_OK; i++) {
        copy_features(x, i, w.cols, w.row);
        if (ney_model_weights(model, NULL)) {
            explain_sums(out, &w, i, ney_model_weights(model, NULL), w.row);
        } else {
            st = explain_other(out, &w, i, err);
        }
    }
    workspace_deinit(&w);
    return st;
}

void explanation_deinit(explanation *e)
{
    free(e->column);
    free(e->value);
}

char *explanation_text(const explanation *e, const ney_model *model, int64_t row)
{
    const size_t room = (size_t)e->k * CELL + 1;
    char *const text = malloc(room);
    size_t used = 0;

    if (!text) {
        return NULL;
    }
    text[0] = '\0';
    for (int64_t j = row * e->k; j < (row + 1) * e->k && e->column[j] >= 0; j++) {
        char name[NAME];
        importance_name(model, e->column[j], name, sizeof name);
        used += (size_t)snprintf(text + used, room - used, "%s%s %+.4g", used ? "; " : "", name,
                                 e->value[j]);
    }
    return text;
}
