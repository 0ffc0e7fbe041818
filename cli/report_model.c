/* The model of a report: what it is, its most important features, the q-values of its rows. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "discoveries.h"
#include "importance.h"
#include "model_json.h"
#include "report_parts.h"

enum {
    N_FEATURES = 20, /* that are listed */
    N_CURVE = 500    /* points of the curve of q-values */
};

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
        if (permuted) {
            importance_name(model, f[k].column, name, sizeof name);
        } else {
            ney_preprocessing_feature(p, f[k].column, name, sizeof name);
        }
        ney_result_add_text(row, "name", name);
        ney_result_add_real(row, permuted ? "importance" : "weight", f[k].value);
        if (permuted) {
            ney_result_add_real(row, "deviation", f[k].deviation);
        }
    }
}

/* ------------------------------------------------------------------ weights */

static ney_status add_weights(session *s, ney_result *root, const evidence *in)
{
    const ney_model *model = in->of_model.model;
    const int64_t n = ney_preprocessing_cols(ney_model_preprocessing(model));
    double *weight = malloc(((size_t)n + 1) * sizeof *weight);
    feature *f = malloc(((size_t)n + 1) * sizeof *f);
    ney_status st = f && weight ? weights_per_deviation(s, model, in->of_model.data, weight)
                                : out_of_memory(&s->err, "the weights");

    if (st == NEY_OK) {
        for (int64_t c = 0; c < n; c++) {
            f[c] = (feature){.column = c, .value = weight[c]};
        }
        list_features(root, model, f, n, false);
    }
    free(f);
    free(weight);
    return st;
}

/* ------------------------------------------------------------------ permutations */

static ney_status add_importance(session *s, ney_result *root, const evidence *in)
{
    importance imp;
    ney_status st = importance_compute(&imp, s, root, in);
    feature *f = imp.list ? malloc(((size_t)imp.n + 1) * sizeof *f) : NULL;

    if (st == NEY_OK && imp.list && !f) {
        st = out_of_memory(&s->err, "the importance");
    }
    for (int64_t k = 0; f && st == NEY_OK && k < imp.n; k++) {
        f[k] = (feature){imp.list[k].column, imp.list[k].auc.mean, imp.list[k].auc.deviation};
    }
    if (f && st == NEY_OK) {
        list_features(root, in->of_model.model, f, imp.n, true);
    }
    free(f);
    importance_deinit(&imp);
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
    const discovery_rows rows = {.model = in->of_model.model,
                                 .score = in->score,
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

ney_status report_add_model(session *s, ney_result *root, const evidence *in, bool permutes)
{
    const ney_model *model = in->of_model.model;
    ney_result *of = ney_result_add_object(root, "model");
    ney_status st = NEY_OK;

    add_model(of, model);
    add_kernel(of, model);
    add_metadata(of, model);
    if (permutes) {
        st = add_importance(s, root, in);
    } else if (ney_model_weights(model, NULL)) {
        st = add_weights(s, root, in);
    }
    if (st == NEY_OK && is_fdr(model)) {
        st = add_discoveries(s, root, in);
    }
    return st;
}
