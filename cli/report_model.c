/* The model of a report: what it is, its most important features, the q-values of its rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "discoveries.h"
#include "model_json.h"
#include "report_parts.h"

enum {
    N_FEATURES = 20,    /* that are listed */
    N_PERMUTATIONS = 5, /* of each feature */
    MOST_ROWS = 4000,   /* that permutations are made of */
    N_CURVE = 500       /* points of the curve of q-values */
};
static const double most_cells = 5e7; /* of these rows as a dense table */

typedef struct feature {
    int64_t column;
    double value, deviation;
} feature;

/* The largest first, of equal ones the first column. */
static int by_size(const void *a, const void *b)
{
    const feature *f = a, *g = b;
    const double x = fabs(f->value), y = fabs(g->value);

    return x > y ? -1 : x < y ? 1 : (f->column > g->column) - (f->column < g->column);
}

static void list_features(ney_result *root, const ney_model *model, feature *f, int64_t n,
                          bool permuted)
{
    const ney_preprocessing *p = ney_model_preprocessing(model);
    ney_result *features = ney_result_add_object(root, "features");

    ney_result_add_text(features, "kind", permuted ? "permutation" : "weight");
    ney_result_add_text(features, "unit",
                        permuted ? "loss of area under the ROC curve"
                                 : "score per standard deviation");
    ney_result *list = ney_result_add_array(features, "list");
    qsort(f, (size_t)n, sizeof *f, by_size);
    for (int64_t k = 0; k < n && k < N_FEATURES && f[k].value != 0; k++) {
        char name[4096];
        ney_result *row = ney_result_add_object(list, NULL);
        ney_preprocessing_feature(p, f[k].column, name, sizeof name);
        ney_result_add_text(row, "name", name);
        ney_result_add_real(row, permuted ? "importance" : "weight", f[k].value);
        if (permuted) {
            ney_result_add_real(row, "deviation", f[k].deviation);
        }
    }
}

/* ------------------------------------------------------------------ weights */

/* The change of the score where a feature changes by one standard deviation: of the training rows
 * where scaling is by it, else of these rows. */
static ney_status add_weights(session *s, ney_result *root, const evidence *in, const double *w)
{
    const ney_model *model = in->of_model.model;
    const int64_t n = ney_data_matrix(in->of_model.data)->cols;
    const bool standard =
        ney_preprocessing_scaling(ney_model_preprocessing(model)) == NEY_SCALING_STANDARD;
    feature *f = malloc(((size_t)n + 1) * sizeof *f);
    ney_column_summary *columns = malloc(((size_t)n + 1) * sizeof *columns);
    ney_data_summary summary;
    ney_status st = f && columns ? NEY_OK : out_of_memory(&s->err, "the weights");

    if (st == NEY_OK && !standard) {
        st = ney_data_describe(in->of_model.data, &summary, columns, &s->err);
    }
    if (st == NEY_OK) {
        for (int64_t c = 0; c < n; c++) {
            f[c] = (feature){.column = c, .value = w[c] * (standard ? 1 : columns[c].deviation)};
        }
        list_features(root, model, f, n, false);
    }
    free(f);
    free(columns);
    return st;
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
    float *column; /* of the one that is permuted, as it was */
    int8_t *label;
    double *score;
    uint64_t state;
} table;

static void copy_row(const ney_matrix *x, int64_t i, float *to)
{
    if (x->dense) {
        memcpy(to, x->dense + i * x->cols, (size_t)x->cols * sizeof *to);
        return;
    }
    memset(to, 0, (size_t)x->cols * sizeof *to);
    for (int64_t k = x->start[i]; k < x->start[i + 1]; k++) {
        to[x->index[k]] = x->value[k];
    }
}

/* Every so many-th row, so that both ends of a file are in. */
static bool table_init(table *t, const evidence *in)
{
    const ney_matrix *x = ney_data_matrix(in->of_model.data);
    const int64_t rows = x->rows < MOST_ROWS ? x->rows : MOST_ROWS;

    *t = (table){.rows = rows, .cols = x->cols, .state = 1};
    t->cell = malloc(((size_t)(rows * x->cols) + 1) * sizeof *t->cell);
    t->column = malloc(((size_t)rows + 1) * sizeof *t->column);
    t->label = malloc((size_t)rows + 1);
    t->score = malloc(((size_t)rows + 1) * sizeof *t->score);
    if (!t->cell || !t->column || !t->label || !t->score) {
        return false;
    }
    for (int64_t i = 0; i < rows; i++) {
        const int64_t from = (int64_t)((double)i * (double)x->rows / (double)rows);
        copy_row(x, from, t->cell + i * x->cols);
        t->label[i] = in->label[from];
    }
    return true;
}

static void table_deinit(table *t)
{
    free(t->cell);
    free(t->column);
    free(t->label);
    free(t->score);
}

static ney_status area_of(session *s, const table *t, const ney_model *model, double *area)
{
    const ney_matrix x = {.rows = t->rows, .cols = t->cols, .dense = t->cell};
    ney_status st = ney_model_score(model, &s->env, &x, t->score, &s->err);

    if (st == NEY_OK) {
        st = ney_auc(&s->env, t->score, t->label, t->rows, area, &s->err);
    }
    return st;
}

/* The loss of area where the cells of a column are dealt to the rows at random. */
static ney_status permute(session *s, table *t, const ney_model *model, double whole, feature *f)
{
    double sum = 0, square = 0;
    ney_status st = NEY_OK;

    for (int64_t i = 0; i < t->rows; i++) {
        t->column[i] = t->cell[i * t->cols + f->column];
    }
    for (int k = 0; k < N_PERMUTATIONS && st == NEY_OK; k++) {
        double area = 0;
        for (int64_t i = t->rows - 1; i > 0; i--) {
            const int64_t j = (int64_t)(draw(&t->state) % (uint64_t)(i + 1));
            float *a = &t->cell[i * t->cols + f->column], *b = &t->cell[j * t->cols + f->column];
            const float kept = *a;
            *a = *b;
            *b = kept;
        }
        st = area_of(s, t, model, &area);
        sum += whole - area;
        square += (whole - area) * (whole - area);
    }
    for (int64_t i = 0; i < t->rows; i++) {
        t->cell[i * t->cols + f->column] = t->column[i];
    }
    f->value = sum / N_PERMUTATIONS;
    f->deviation = sqrt(fmax(0, square / N_PERMUTATIONS - f->value * f->value) * N_PERMUTATIONS /
                        (N_PERMUTATIONS - 1));
    return st;
}

static ney_status add_importance(session *s, ney_result *root, const evidence *in)
{
    const ney_model *model = in->of_model.model;
    const ney_matrix *x = ney_data_matrix(in->of_model.data);
    table t = {0};
    double whole;

    if ((double)x->cols * (double)(x->rows < MOST_ROWS ? x->rows : MOST_ROWS) > most_cells) {
        ney_result_warn(root,
                        "no importance of features was computed: %lld columns are too many for "
                        "permutations",
                        (long long)x->cols);
        return NEY_OK;
    }
    feature *f = malloc(((size_t)x->cols + 1) * sizeof *f);
    ney_status st = f && table_init(&t, in) ? NEY_OK : out_of_memory(&s->err, "the permuted rows");
    if (st == NEY_OK) {
        st = area_of(s, &t, model, &whole);
    }
    for (int64_t c = 0; c < x->cols && st == NEY_OK; c++) {
        f[c] = (feature){.column = c};
        st = permute(s, &t, model, whole, &f[c]);
    }
    if (st == NEY_OK) {
        list_features(root, model, f, x->cols, true);
    }
    table_deinit(&t);
    free(f);
    return st;
}

/* ------------------------------------------------------------------ q-values */

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Accepted targets at each q-value, of at most N_CURVE of them. */
static void add_curve(ney_result *of, const discoveries *d, const evidence *in, double *q)
{
    ney_result *value = ney_result_add_array(of, "q");
    ney_result *accepted = ney_result_add_array(of, "accepted");
    int64_t n = 0;

    for (int64_t i = 0; i < in->n; i++) {
        if (d->best[i] && in->label[i] > 0 && d->q[i] <= 0.1) {
            q[n++] = d->q[i];
        }
    }
    qsort(q, (size_t)n, sizeof *q, ascending);
    for (int64_t k = 0; k < n; k++) {
        const bool last = k == n - 1 || q[k + 1] > q[k];
        if (last && (n <= N_CURVE || k == n - 1 || k * N_CURVE / n != (k + 1) * N_CURVE / n)) {
            ney_result_add_real(value, NULL, q[k]);
            ney_result_add_int(accepted, NULL, k + 1);
        }
    }
}

static ney_status add_discoveries(session *s, ney_result *root, const evidence *in)
{
    const discovery_rows rows = {.score = in->score,
                                 .label = in->label,
                                 .n = in->n,
                                 .data = in->of_model.data,
                                 .in_sample = in->of_model.in_sample,
                                 .out_of_fold = in->of_model.out_of_fold};
    double *q = malloc(((size_t)in->n + 1) * sizeof *q);
    discoveries d = {0};
    ney_status st = q ? NEY_OK : out_of_memory(&s->err, "the q-values");

    if (st == NEY_OK) {
        st = discoveries_init(&d, s, &rows, NULL, NULL, NULL);
    }
    if (st == NEY_OK) {
        ney_result *of = ney_result_add_object(root, "discoveries");
        discoveries_add(of, &d);
        add_curve(of, &d, in, q);
    }
    discoveries_deinit(&d);
    free(q);
    return st;
}

/* ------------------------------------------------------------------ all of it */

/* Whether negatives are decoys: of a model that bounds the false-discovery rate. */
static bool is_fdr(const ney_model *model)
{
    const char *key, *text;
    double value;

    for (int64_t k = 0; ney_model_metadata(model, NEY_METADATA_SUMMARY, k, &key, &value, &text);
         k++) {
        if (text && strcmp(key, "goal") == 0) {
            return strcmp(text, "fdr") == 0;
        }
    }
    return false;
}

ney_status report_add_model(session *s, ney_result *root, const evidence *in, bool importance)
{
    const ney_model *model = in->of_model.model;
    ney_result *of = ney_result_add_object(root, "model");
    double intercept;
    const double *w = ney_model_weights(model, &intercept);
    ney_status st = NEY_OK;

    add_model(of, model);
    add_kernel(of, model);
    add_metadata(of, model);
    if (importance) {
        st = add_importance(s, root, in);
    } else if (w) {
        st = add_weights(s, root, in, w);
    }
    if (st == NEY_OK && is_fdr(model)) {
        st = add_discoveries(s, root, in);
    }
    return st;
}
