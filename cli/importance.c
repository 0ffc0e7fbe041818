#include "importance.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double most_cells = 5e7; /* of the rows as a dense table */

/* ------------------------------------------------------------------ columns */

/* The features of a column of the data. */
static int64_t features_of(const ney_preprocessing *p, int64_t column)
{
    const char *const *category = NULL;
    int64_t n_category = 0;

    (void)ney_preprocessing_input(p, column, &category, &n_category);
    return category ? n_category : 1;
}

/* The features after those of the columns: indicators of missing cells, a column each here. */
static int64_t n_indicators(const ney_preprocessing *p)
{
    int64_t n = ney_preprocessing_cols(p);

    for (int64_t k = 0; k < ney_preprocessing_inputs(p); k++) {
        n -= features_of(p, k);
    }
    return n;
}

int64_t column_count(const ney_preprocessing *p)
{
    const int64_t inputs = ney_preprocessing_inputs(p);

    return inputs > 0 ? inputs + n_indicators(p) : ney_preprocessing_cols(p);
}

void column_spans(const ney_preprocessing *p, column_span *to)
{
    const int64_t inputs = ney_preprocessing_inputs(p), n = column_count(p);
    int64_t first = 0;

    for (int64_t k = 0; k < n; k++) {
        to[k] = (column_span){first, k < inputs ? features_of(p, k) : 1};
        first += to[k].n;
    }
}

void importance_name(const ney_model *model, int64_t column, char *name, size_t n_name)
{
    const ney_preprocessing *p = ney_model_preprocessing(model);

    const int64_t inputs = ney_preprocessing_inputs(p);

    if (column < inputs) {
        const char *const *category;
        int64_t n_category;
        snprintf(name, n_name, "%s", ney_preprocessing_input(p, column, &category, &n_category));
    } else {
        ney_preprocessing_feature(
            p, inputs > 0 ? ney_preprocessing_cols(p) - column_count(p) + column : column, name,
            n_name);
    }
}

/* ------------------------------------------------------------------ permutations */

/* SplitMix64 (Steele, Lea and Flood 2014). */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* A part of the rows as a dense table, with one column that can be permuted. */
typedef struct table {
    int64_t rows, cols;
    float *cell;   /* row after row */
    float *before; /* the column that is permuted, as it was */
    int64_t *from; /* the row that a row's cell is taken from */
    int8_t *label;
    double *score;
    uint64_t state;
} table;

typedef struct figures {
    double auc, fpr, fnr;
} figures;

void copy_features(const ney_matrix *x, int64_t i, int64_t cols, float *to)
{
    memset(to, 0, (size_t)cols * sizeof *to);
    if (x->dense) {
        memcpy(to, x->dense + i * x->cols, (size_t)(x->cols < cols ? x->cols : cols) * sizeof *to);
        return;
    }
    for (int64_t k = x->start[i]; k < x->start[i + 1] && x->index[k] < cols; k++) {
        to[x->index[k]] = x->value[k];
    }
}

/* Rows at equal distances, so that both ends of a file are included. */
static bool table_init(table *t, const evidence *in)
{
    const ney_matrix *x = ney_data_matrix(in->of_model.data);
    const int64_t rows = x->rows < IMPORTANCE_ROWS ? x->rows : IMPORTANCE_ROWS;
    const int64_t cols = ney_preprocessing_cols(ney_model_preprocessing(in->of_model.model));

    *t = (table){.rows = rows, .cols = cols, .state = 1};
    t->cell = malloc(((size_t)(rows * cols) + 1) * sizeof *t->cell);
    t->before = malloc(((size_t)(rows * cols) + 1) * sizeof *t->before);
    t->from = malloc(((size_t)rows + 1) * sizeof *t->from);
    t->label = malloc((size_t)rows + 1);
    t->score = malloc(((size_t)rows + 1) * sizeof *t->score);
    if (!t->cell || !t->before || !t->from || !t->label || !t->score) {
        return false;
    }
    for (int64_t i = 0; i < rows; i++) {
        const int64_t from = (int64_t)((double)i * (double)x->rows / (double)rows);
        copy_features(x, from, cols, t->cell + i * cols);
        t->label[i] = in->label[from];
    }
    memcpy(t->before, t->cell, (size_t)(rows * cols) * sizeof *t->cell);
    return true;
}

static void table_deinit(table *t)
{
    free(t->cell);
    free(t->before);
    free(t->from);
    free(t->label);
    free(t->score);
}

static ney_status figures_of(session *s, const table *t, const ney_model *model, figures *f)
{
    const ney_matrix x = {.rows = t->rows, .cols = t->cols, .dense = t->cell};
    double low, high;
    ney_status st = ney_model_score(model, &s->env, &x, t->score, &s->err);

    if (st == NEY_OK) {
        st = ney_auc(&s->env, t->score, t->label, t->rows, &f->auc, &s->err);
    }
    if (st == NEY_OK) {
        ney_model_thresholds(model, &low, &high);
        const ney_counts c = ney_count(t->score, t->label, t->rows, low, high);
        int64_t pos = 0;
        for (int64_t i = 0; i < t->rows; i++) {
            pos += t->label[i] > 0;
        }
        f->fpr = (double)c.fp / (double)(t->rows - pos);
        f->fnr = (double)c.fn / (double)pos;
    }
    return st;
}

static void shuffle(table *t, column_span column)
{
    for (int64_t i = 0; i < t->rows; i++) {
        t->from[i] = i;
    }
    for (int64_t i = t->rows - 1; i > 0; i--) {
        const int64_t j = (int64_t)(draw(&t->state) % (uint64_t)(i + 1)), kept = t->from[i];
        t->from[i] = t->from[j];
        t->from[j] = kept;
    }
    for (int64_t i = 0; i < t->rows; i++) {
        memcpy(t->cell + i * t->cols + column.first,
               t->before + t->from[i] * t->cols + column.first, (size_t)column.n * sizeof *t->cell);
    }
}

static void restore(table *t, column_span column)
{
    for (int64_t i = 0; i < t->rows; i++) {
        memcpy(t->cell + i * t->cols + column.first, t->before + i * t->cols + column.first,
               (size_t)column.n * sizeof *t->cell);
    }
}

static loss loss_of(const double *value)
{
    double sum = 0, square = 0;

    for (int k = 0; k < IMPORTANCE_PERMUTATIONS; k++) {
        sum += value[k] / IMPORTANCE_PERMUTATIONS;
    }
    for (int k = 0; k < IMPORTANCE_PERMUTATIONS; k++) {
        square += (value[k] - sum) * (value[k] - sum);
    }
    return (loss){sum, sqrt(square / (IMPORTANCE_PERMUTATIONS - 1))};
}

static ney_status permute(session *s, table *t, const ney_model *model, const figures *whole,
                          column_span column, column_importance *out)
{
    double auc[IMPORTANCE_PERMUTATIONS], fpr[IMPORTANCE_PERMUTATIONS], fnr[IMPORTANCE_PERMUTATIONS];
    ney_status st = NEY_OK;

    for (int k = 0; k < IMPORTANCE_PERMUTATIONS && st == NEY_OK; k++) {
        figures f = {0};
        shuffle(t, column);
        st = figures_of(s, t, model, &f);
        auc[k] = whole->auc - f.auc;
        fpr[k] = f.fpr - whole->fpr;
        fnr[k] = f.fnr - whole->fnr;
    }
    restore(t, column);
    if (st == NEY_OK) {
        out->auc = loss_of(auc);
        out->fpr = loss_of(fpr);
        out->fnr = loss_of(fnr);
    }
    return st;
}

static ney_status permute_all(importance *out, session *s, const ney_model *model, table *t)
{
    column_span *at = malloc(((size_t)out->n + 1) * sizeof *at);
    figures whole = {0};
    ney_status st = at ? figures_of(s, t, model, &whole) : out_of_memory(&s->err, "the columns");

    if (at) {
        column_spans(ney_model_preprocessing(model), at);
    }
    for (int64_t k = 0; k < out->n && st == NEY_OK; k++) {
        out->list[k].column = k;
        st = permute(s, t, model, &whole, at[k], &out->list[k]);
    }
    out->rows = t->rows;
    out->auc = whole.auc;
    out->fpr = whole.fpr;
    out->fnr = whole.fnr;
    free(at);
    return st;
}

static bool has_both(const table *t)
{
    bool found[2] = {false, false};

    for (int64_t i = 0; i < t->rows; i++) {
        found[t->label[i] > 0] = true;
    }
    return found[0] && found[1];
}

ney_status importance_compute(importance *out, session *s, ney_result *root, const evidence *in)
{
    const ney_model *model = in->of_model.model;
    const ney_matrix *x = ney_data_matrix(in->of_model.data);
    const int64_t rows = x->rows < IMPORTANCE_ROWS ? x->rows : IMPORTANCE_ROWS;
    table t = {0};

    *out = (importance){.n = column_count(ney_model_preprocessing(model))};
    if ((double)x->cols * (double)rows > most_cells) {
        ney_result_warn(root,
                        "no importance was computed: %lld features are too many for permutations",
                        (long long)x->cols);
        return NEY_OK;
    }
    out->list = calloc((size_t)out->n + 1, sizeof *out->list);
    ney_status st =
        out->list && table_init(&t, in) ? NEY_OK : out_of_memory(&s->err, "the permuted rows");
    if (st == NEY_OK && has_both(&t)) {
        st = permute_all(out, s, model, &t);
    } else if (st == NEY_OK) {
        ney_result_warn(root, "no importance was computed: expected rows of both classes");
        importance_deinit(out);
    }
    table_deinit(&t);
    return st;
}

void importance_deinit(importance *imp)
{
    free(imp->list);
    imp->list = NULL;
}

/* ------------------------------------------------------------------ weights */

ney_status weights_per_deviation(session *s, const ney_model *model, const ney_data *data,
                                 double *out)
{
    const int64_t n = ney_preprocessing_cols(ney_model_preprocessing(model));
    const bool standard =
        ney_preprocessing_scaling(ney_model_preprocessing(model)) == NEY_SCALING_STANDARD;
    const double *w = ney_model_weights(model, NULL);
    ney_column_summary *columns = malloc(((size_t)n + 1) * sizeof *columns);
    ney_data_summary summary;
    ney_status st = columns ? NEY_OK : out_of_memory(&s->err, "the weights");

    if (st == NEY_OK && !standard) {
        st = ney_data_describe(data, &summary, columns, &s->err);
    }
    for (int64_t c = 0; c < n && st == NEY_OK; c++) {
        out[c] = w[c] * (standard ? 1 : columns[c].deviation);
    }
    free(columns);
    return st;
}

/* ------------------------------------------------------------------ gains */

/* Of trees: the share of each column in the gain of all splits. NULL for other families. */
static ney_status gain_shares(session *s, const ney_model *model, int64_t n, double **out)
{
    const ney_preprocessing *p = ney_model_preprocessing(model);
    const int64_t cols = ney_preprocessing_cols(p);
    column_span *span = malloc(((size_t)n + 1) * sizeof *span);
    double *gain = malloc(((size_t)cols + 1) * sizeof *gain), total = 0;
    double *share = calloc((size_t)n + 1, sizeof *share);
    const bool has_memory = span && gain && share;

    if (has_memory && ney_model_gains(model, gain)) {
        column_spans(p, span);
        for (int64_t k = 0; k < n; k++) {
            for (int64_t j = span[k].first; j < span[k].first + span[k].n; j++) {
                share[k] += gain[j];
                total += gain[j];
            }
        }
        for (int64_t k = 0; k < n; k++) {
            share[k] /= total > 0 ? total : 1;
        }
        *out = share;
        share = NULL;
    }
    free(span);
    free(gain);
    free(share);
    return has_memory ? NEY_OK : out_of_memory(&s->err, "the gains");
}

/* ------------------------------------------------------------------ the result */

static double both(const column_importance *c)
{
    return c->fpr.mean + c->fnr.mean;
}

/* The largest sum of losses first, of equal ones the larger loss of area, then the first column. */
static int by_rates(const void *a, const void *b)
{
    const column_importance *p = a, *q = b;
    const double x = both(p), y = both(q);

    if (x != y) {
        return x > y ? -1 : 1;
    }
    return p->auc.mean > q->auc.mean   ? -1
           : p->auc.mean < q->auc.mean ? 1
                                       : (p->column > q->column) - (p->column < q->column);
}

static void add_list(ney_result *of, const importance *imp, const ney_model *model,
                     const double *weight, const double *gain)
{
    ney_result *list = ney_result_add_array(of, "columns");

    for (int64_t k = 0; k < imp->n; k++) {
        const column_importance *c = &imp->list[k];
        ney_result *row = ney_result_add_object(list, NULL);
        char name[4096];
        importance_name(model, c->column, name, sizeof name);
        ney_result_add_text(row, "name", name);
        if (weight) {
            ney_result_add_real(row, "weight_per_deviation", weight[c->column]);
        }
        if (gain) {
            ney_result_add_real(row, "gain_share", gain[c->column]);
        }
        ney_result_add_real(row, "fpr_increase", c->fpr.mean);
        ney_result_add_real(row, "fpr_deviation", c->fpr.deviation);
        ney_result_add_real(row, "fnr_increase", c->fnr.mean);
        ney_result_add_real(row, "fnr_deviation", c->fnr.deviation);
        ney_result_add_real(row, "auc_loss", c->auc.mean);
        ney_result_add_real(row, "auc_deviation", c->auc.deviation);
    }
}

static ney_status add_all(session *s, ney_result *root, importance *imp, const evidence *in)
{
    ney_result *of = ney_result_add_object(root, "importance");
    const ney_model *model = in->of_model.model;
    const ney_preprocessing *p = ney_model_preprocessing(model);
    /* A column of words has a weight per word, which --columns lists. */
    const bool one_each = column_count(p) == ney_preprocessing_cols(p);
    double *weight = NULL, *gain = NULL;
    ney_status st = gain_shares(s, model, imp->n, &gain);

    if (st == NEY_OK && ney_model_weights(model, NULL) && one_each) {
        weight = malloc(((size_t)imp->n + 1) * sizeof *weight);
        st = weight ? weights_per_deviation(s, model, in->of_model.data, weight)
                    : out_of_memory(&s->err, "the weights");
    }
    if (st == NEY_OK) {
        qsort(imp->list, (size_t)imp->n, sizeof *imp->list, by_rates);
        ney_result_add_int(of, "rows", imp->rows);
        ney_result_add_int(of, "permutations", IMPORTANCE_PERMUTATIONS);
        ney_result_add_real(of, "fpr", imp->fpr);
        ney_result_add_real(of, "fnr", imp->fnr);
        ney_result_add_real(of, "auc", imp->auc);
        add_list(of, imp, model, weight, gain);
        if (imp->n > 0) {
            char name[200];
            importance_name(model, imp->list[0].column, name, sizeof name);
            ney_result_headline(root,
                                "With the cells of column '%.100s' permuted, FPR changes by %+.3g "
                                "and FNR by %+.3g on these rows.",
                                name, imp->list[0].fpr.mean, imp->list[0].fnr.mean);
        }
    }
    free(gain);
    free(weight);
    return st;
}

ney_status importance_add(session *s, ney_result *root, const evidence *in)
{
    importance imp;
    ney_status st = importance_compute(&imp, s, root, in);

    if (st == NEY_OK && imp.list) {
        st = add_all(s, root, &imp, in);
    }
    importance_deinit(&imp);
    return st;
}
