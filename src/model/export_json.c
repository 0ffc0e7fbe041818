/* A model as JSON: everything that its own file holds, under names that other programs can read.
 *
 * doc/reference/formats.md describes the keys and how a score is computed from them. */
#include "base/file.h"
#include "model/folds.h"
#include "model/model.h"
#include "model/online.h"
#include "model/trees.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    VERSION = 2,
    MOST_NAMES = 1000000 /* numbered features that are listed without being scaled */
};

static const char *const scaling_name[] = {"none", "standard", "minmax", "unit",
                                           "rank", "asinh",    "auto"};

/* ---------------------------------------------------------------- pieces of JSON */

typedef struct json {
    ney_text *text;
    bool not_utf8; /* a name that JSON cannot hold was met */
} json;

static void put_string(json *j, const char *words)
{
    if (!ney_text_json(j->text, words)) {
        j->not_utf8 = true;
    }
}

/* JSON has no infinite numbers: they are the texts "inf" and "-inf". */
static void put_number(json *j, double value)
{
    if (isnan(value)) {
        ney_text_put(j->text, "null");
    } else if (isinf(value)) {
        ney_text_put(j->text, value > 0 ? "\"inf\"" : "\"-inf\"");
    } else {
        ney_text_number(j->text, value);
    }
}

/* The next key of an object; `open` is what comes before it. */
static void put_key(json *j, const char *before, const char *key)
{
    ney_text_put(j->text, before);
    put_string(j, key);
    ney_text_put(j->text, ": ");
}

static void put_string_key(json *j, const char *before, const char *key, const char *words)
{
    put_key(j, before, key);
    put_string(j, words);
}

static void put_number_key(json *j, const char *before, const char *key, double value)
{
    put_key(j, before, key);
    put_number(j, value);
}

/* value[0], value[step], ...: n numbers. */
static void put_numbers(json *j, const double *value, int64_t n, int64_t step)
{
    ney_text_put(j->text, "[");
    for (int64_t k = 0; k < n; k++) {
        ney_text_put(j->text, k ? ", " : "");
        put_number(j, value[k * step]);
    }
    ney_text_put(j->text, "]");
}

static void put_floats(json *j, const float *value, int64_t n)
{
    ney_text_put(j->text, "[");
    for (int64_t k = 0; k < n; k++) {
        ney_text_put(j->text, k ? ", " : "");
        put_number(j, (double)value[k]);
    }
    ney_text_put(j->text, "]");
}

/* ---------------------------------------------------------------- families */

/* Each writes the keys of one score function, the first after `before`. */

static void put_linear(json *j, const char *before, const ney_model *m)
{
    double intercept;
    const double *const weight = ney_model_weights(m, &intercept);
    put_number_key(j, before, "intercept", intercept);
    put_key(j, ",\n  ", "weights");
    put_numbers(j, weight, m->preprocessing->cols, 1);
}

static void put_vector(json *j, const ney_matrix *x, int64_t row, double coefficient)
{
    const int64_t begin = x->dense ? row * x->cols : x->start[row];
    const int64_t end = x->dense ? begin + x->cols : x->start[row + 1];
    put_number_key(j, "    {", "coefficient", coefficient);
    for (int values = 0; values < 2; values++) {
        bool first = true;
        put_key(j, ", ", values ? "values" : "columns");
        ney_text_put(j->text, "[");
        for (int64_t k = begin; k < end; k++) {
            const float value = x->dense ? x->dense[k] : x->value[k];
            if (value == 0) {
                continue;
            }
            ney_text_put(j->text, first ? "" : ", ");
            first = false;
            if (values) {
                put_number(j, (double)value);
            } else {
                ney_text_int(j->text, (x->dense ? k - begin : x->index[k]) + 1);
            }
        }
        ney_text_put(j->text, "]");
    }
    ney_text_put(j->text, "}");
}

static void put_kernel(json *j, const char *before, const ney_model *m)
{
    ney_kernel kernel;
    ney_matrix x;
    const double *coefficient;
    double intercept;
    (void)ney_model_kernel(m, &kernel, &x, &coefficient, &intercept);
    put_string_key(j, before, "kernel", ney_kernel_text(kernel.kind));
    put_number_key(j, ",\n  ", "gamma", kernel.gamma);
    put_number_key(j, ",\n  ", "coef0", kernel.coef0);
    put_number_key(j, ",\n  ", "degree", (double)kernel.degree);
    put_number_key(j, ",\n  ", "support_vectors", (double)x.rows);
    put_number_key(j, ",\n  ", "intercept", intercept);
    put_key(j, ",\n  ", "support");
    ney_text_put(j->text, "[");
    for (int64_t i = 0; i < x.rows; i++) {
        ney_text_put(j->text, i ? ",\n" : "\n");
        put_vector(j, &x, i, coefficient[i]);
    }
    ney_text_put(j->text, "]");
}

static void put_features(json *j, const char *before, const ney_model *m)
{
    ney_fourier map;
    const double *weight;
    double gamma, intercept;
    (void)ney_model_features(m, &map, &gamma, &weight, &intercept);
    put_number_key(j, before, "gamma", gamma);
    put_number_key(j, ",\n  ", "intercept", intercept);
    put_key(j, ",\n  ", "weights_cos");
    put_numbers(j, weight, map.D, 1);
    put_key(j, ",\n  ", "weights_sin");
    put_numbers(j, weight + map.D, map.D, 1);
    put_key(j, ",\n  ", "frequencies");
    ney_text_put(j->text, "[");
    for (int64_t d = 0; d < map.D; d++) {
        ney_text_put(j->text, d ? ",\n    " : "\n    ");
        put_floats(j, map.value + d * map.cols, map.cols);
    }
    ney_text_put(j->text, "]");
}

/* One array of weights per unit, one number per input. */
static void put_layer(json *j, const ney_network *shape, int l, const double *weight,
                      const double *bias)
{
    const int64_t H = shape->units[l];
    put_key(j, ",\n  ", l == 0 ? "hidden_intercepts" : "hidden_intercepts_2");
    put_numbers(j, bias + ney_network_bias_at(shape, l), H, 1);
    put_key(j, ",\n  ", l == 0 ? "hidden_weights" : "hidden_weights_2");
    ney_text_put(j->text, "[");
    for (int64_t h = 0; h < H; h++) {
        ney_text_put(j->text, h ? ",\n    " : "\n    ");
        put_numbers(j, weight + ney_network_weight_at(shape, l) + h, ney_network_inputs(shape, l),
                    H);
    }
    ney_text_put(j->text, "]");
}

static void put_network(json *j, const char *before, const ney_model *m)
{
    ney_network shape;
    const double *weight, *bias;
    (void)ney_model_network(m, &shape, &weight, &bias);
    const int L = ney_network_layers(&shape);
    put_number_key(j, before, "units", (double)shape.units[0]);
    if (L > 1) {
        put_number_key(j, ",\n  ", "units_2", (double)shape.units[1]);
    }
    put_string_key(j, ",\n  ", "activation",
                   shape.activation == NEY_ACTIVATION_RELU ? "relu" : "tanh");
    put_number_key(j, ",\n  ", "intercept", bias[ney_network_units(&shape)]);
    put_key(j, ",\n  ", "output_weights");
    put_numbers(j, weight + ney_network_weight_at(&shape, L), ney_network_inputs(&shape, L), 1);
    put_layer(j, &shape, 0, weight, bias);
    if (L > 1) {
        put_layer(j, &shape, 1, weight, bias);
    }
}

/* One array per member of a node; columns count from 1, a leaf has column 0. */
static void put_nodes(json *j, const ney_trees *t, int64_t first, int64_t end)
{
    static const char *const names[] = {"column",       "right", "value",
                                        "missing_left", "cover", "gain"};
    for (int member = 0; member < 6; member++) {
        put_key(j, member ? ", " : "{", names[member]);
        ney_text_put(j->text, "[");
        for (int64_t i = first; i < end; i++) {
            const ney_tree_node *const node = &t->node[i];
            const bool is_leaf = node->column == NEY_LEAF;
            const double value[] = {
                (double)node->column + 1, is_leaf ? 0 : (double)(node->right - first),
                (double)node->value,      node->missing_left,
                (double)node->cover,      (double)node->gain};
            ney_text_put(j->text, i > first ? ", " : "");
            put_number(j, value[member]);
        }
        ney_text_put(j->text, "]");
    }
    ney_text_put(j->text, "}");
}

static void put_trees(json *j, const char *before, const ney_model *m)
{
    const ney_trees *const t = ney_model_trees(m);
    put_number_key(j, before, "intercept", t->intercept);
    put_key(j, ",\n  ", "trees");
    ney_text_put(j->text, "[");
    for (int64_t k = 0; k < t->n; k++) {
        ney_text_put(j->text, k ? ",\n    " : "\n    ");
        put_nodes(j, t, t->start[k], t->start[k + 1]);
    }
    ney_text_put(j->text, "]");
}

typedef struct part_writer {
    const ney_family *family;
    void (*put)(json *j, const char *before, const ney_model *m);
} part_writer;

static const part_writer part_writers[] = {
    {&ney_family_linear, put_linear},     {&ney_family_kernel, put_kernel},
    {&ney_family_features, put_features}, {&ney_family_network, put_network},
    {&ney_family_trees, put_trees},
};

/* NULL for a family that has no place in the format. */
static const part_writer *writer_of(const ney_family *family)
{
    for (size_t k = 0; k < sizeof part_writers / sizeof *part_writers; k++) {
        if (part_writers[k].family == family) {
            return &part_writers[k];
        }
    }
    return NULL;
}

/* ---------------------------------------------------------------- preprocessing */

static void put_inputs(json *j, const ney_preprocessing *r)
{
    put_key(j, ",\n  ", "inputs");
    ney_text_put(j->text, "[");
    for (int64_t i = 0; i < r->n_input; i++) {
        const ney_input *const in = &r->input[i];
        put_string_key(j, i ? ",\n    {" : "\n    {", "name", in->name);
        for (int64_t k = 0; in->category && k < in->n_category; k++) {
            if (k == 0) {
                put_key(j, ", ", "categories");
            }
            ney_text_put(j->text, k ? ", " : "[");
            put_string(j, in->category[k]);
        }
        ney_text_put(j->text, in->category ? "]}" : "}");
    }
    ney_text_put(j->text, "]");
}

/* The knots of a ranked column. */
static void put_ranks(json *j, const ney_ranks *r, int64_t c)
{
    if (ney_ranks_has(r, c)) {
        put_key(j, ", ", "rank_value");
        put_numbers(j, r->value + r->first[c], r->n[c], 1);
        put_key(j, ", ", "rank");
        put_numbers(j, r->rank + r->first[c], r->n[c], 1);
    }
}

static void put_preprocessing(json *j, const ney_preprocessing *r)
{
    const bool changed = r->shift || r->fill || r->offset || r->factor;
    if (r->label_column) {
        put_string_key(j, ",\n  ", "label_column", r->label_column);
    }
    if (r->weight_column) {
        put_string_key(j, ",\n  ", "weight_column", r->weight_column);
    }
    if (r->input) {
        put_inputs(j, r);
    }
    if (!r->input && !changed && r->cols > MOST_NAMES) {
        return;
    }
    put_key(j, ",\n  ", "features");
    ney_text_put(j->text, "[");
    for (int64_t c = 0; c < r->cols; c++) {
        char name[2200]; /* of a column and a category; longer ones are in `inputs` */
        ney_preprocessing_feature(r, c, name, sizeof name);
        put_string_key(j, c ? ",\n    {" : "\n    {", "name", name);
        if (r->shift) {
            put_number_key(j, ", ", "shift", r->shift[c]);
        }
        if (r->fill) {
            put_number_key(j, ", ", "fill", r->fill[c]);
        }
        put_number_key(j, ", ", "offset", r->offset ? r->offset[c] : 0);
        put_number_key(j, ", ", "factor", r->factor ? r->factor[c] : 1);
        put_ranks(j, r->ranks, c);
        if (c >= ney_preprocessing_stored(r)) {
            put_number_key(j, ", ", "indicator_of",
                           (double)r->indicator[c - ney_preprocessing_stored(r)]);
        }
        ney_text_put(j->text, "}");
    }
    ney_text_put(j->text, "]");
}

/* ---------------------------------------------------------------- what goes with a model */

static void put_metadata(json *j, const char *key, const ney_metadata *list)
{
    put_key(j, ",\n  ", key);
    ney_text_put(j->text, "{");
    for (int64_t k = 0; k < list->n; k++) {
        const ney_metadata_item *const item = &list->item[k];
        put_key(j, k ? ",\n    " : "\n    ", item->key);
        if (item->text) {
            put_string(j, item->text);
        } else if (strcmp(item->key, "converged") == 0) {
            ney_text_put(j->text, item->value != 0 ? "true" : "false");
        } else {
            put_number(j, item->value);
        }
    }
    ney_text_put(j->text, "}");
}

static void put_calibration(json *j, const ney_calibration *c)
{
    put_key(j, ",\n  ", "calibration");
    put_key(j, "{", "positive");
    put_numbers(j, c[1].score, c[1].n, 1);
    put_key(j, ",\n    ", "negative");
    put_numbers(j, c[0].score, c[0].n, 1);
    ney_text_put(j->text, "}");
}

static void put_folds(json *j, const ney_model_folds *f, const part_writer *writer)
{
    char hex[24];
    put_key(j, ",\n  ", "folds");
    put_string_key(j, "{", "columns", f->columns);
    put_key(j, ",\n  ", "models");
    ney_text_put(j->text, "[");
    for (int k = 0; k < f->n; k++) {
        writer->put(j, k ? ",\n  {" : "{", f->model[k]);
        ney_text_put(j->text, "}");
    }
    ney_text_put(j->text, "]");
    put_key(j, ",\n  ", "keys");
    ney_text_put(j->text, "[");
    for (int64_t i = 0; i < f->n_keys; i++) {
        snprintf(hex, sizeof hex, "%s\"%016llx\"", i ? ", " : "", (unsigned long long)f->key[i]);
        ney_text_put(j->text, hex);
    }
    ney_text_put(j->text, "]");
    put_key(j, ",\n  ", "fold_of_key");
    ney_text_put(j->text, "[");
    for (int64_t i = 0; i < f->n_keys; i++) {
        ney_text_put(j->text, i ? ", " : "");
        ney_text_int(j->text, f->fold[i]);
    }
    ney_text_put(j->text, "]}");
}

static void put_model(json *j, const ney_model *m, const part_writer *writer)
{
    const ney_preprocessing *const r = m->preprocessing;
    put_string_key(j, "{\n  ", "format", "neyman-model");
    put_number_key(j, ",\n  ", "version", VERSION);
    put_string_key(j, ",\n  ", "family", m->family->name);
    put_string_key(j, ",\n  ", "positive", ney_preprocessing_label(r, 1));
    put_string_key(j, ",\n  ", "negative", ney_preprocessing_label(r, -1));
    put_number_key(j, ",\n  ", "cols", (double)r->cols);
    put_string_key(j, ",\n  ", "scaling", scaling_name[r->scaling]);
    put_number_key(j, ",\n  ", "threshold", m->high);
    if (m->low < m->high) {
        put_number_key(j, ",\n  ", "threshold_low", m->low);
    }
    put_preprocessing(j, r);
    writer->put(j, ",\n  ", m);
    if (m->calibration[0].n > 0) {
        put_calibration(j, m->calibration);
    }
    if (m->folds) {
        put_folds(j, m->folds, writer);
    }
    put_metadata(j, "summary", &m->list[NEY_METADATA_SUMMARY]);
    put_metadata(j, "certificate", &m->list[NEY_METADATA_CERTIFICATE]);
    ney_text_put(j->text, "\n}\n");
}

ney_status ney_model_export_json(const ney_model *model, const char *path, ney_error *err)
{
    NEY_REQUIRE(model && path, err);
    const part_writer *const writer = writer_of(model->family);
    ney_text text;
    json j = {.text = &text};
    ney_status st;

    if (!writer) {
        return ney_fail(err, NEY_EINVAL, "JSON has no form for a model of family '%s'",
                        model->family->name);
    }
    ney_text_init(&text, &model->env);
    put_model(&j, model, writer);
    if (j.not_utf8) {
        st = ney_fail(err, NEY_EINVAL,
                      "a column name, category or label is not UTF-8, which JSON cannot hold: "
                      "convert the data to UTF-8 and train again");
    } else {
        st = text.failed ? ney_no_memory(err, text.length, "bytes of JSON")
                         : ney_file_write(&model->env, path, text.bytes, text.length, err);
    }
    ney_text_deinit(&text);
    return st;
}
