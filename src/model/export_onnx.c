/* A model as an ONNX file: the preprocessing, the score function and the decision as operators.
 *
 * Input `x` is double [rows, columns], a row as its cells stand in a data file; a column of words
 * takes the position of the word. Outputs: `score`, double; `decision`, 1, -1 or 0 for rejected;
 * `label`, the name of the class. Features are rounded to single precision as in preprocessing.h;
 * everything else is computed in double. */
#include "base/file.h"
#include "model/exchange.h"
#include "model/onnx_graph.h"
#include "model/protobuf.h"
#include "model/trees.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { IR_VERSION = 8, OPSET = 18, ML_OPSET = 3 };
enum {
    MODEL_IR = 1,
    MODEL_PRODUCER,
    MODEL_VERSION,
    MODEL_GRAPH = 7,
    MODEL_OPSET,
    MODEL_PROPS = 14
};
enum { OPSET_DOMAIN = 1, OPSET_VERSION = 2, PROP_KEY = 1, PROP_VALUE = 2, GRAPH_NAME = 2 };

static const double most_bytes = 2e9; /* a protobuf message has less than 2^31 */

/* ---------------------------------------------------------------- what can be said */

static bool is_utf8(const char *words)
{
    for (int n; *words; words += n) {
        if ((n = ney_utf8_length(words)) == 0) {
            return false;
        }
    }
    return true;
}

static ney_status check_names(const ney_preprocessing *r, ney_error *err)
{
    bool good = is_utf8(ney_preprocessing_label(r, 1)) && is_utf8(ney_preprocessing_label(r, -1));
    for (int64_t i = 0; r->input && i < r->n_input; i++) {
        const ney_input *const in = &r->input[i];
        good = good && is_utf8(in->name);
        for (int64_t k = 0; in->category && k < in->n_category; k++) {
            good = good && is_utf8(in->category[k]);
        }
    }
    return good ? NEY_OK
                : ney_fail(err, NEY_EINVAL,
                           "a name, category or label is not UTF-8, which an ONNX file must hold");
}

static double numbers_of(const ney_model *m)
{
    ney_kernel kernel;
    ney_matrix z;
    const double *coefficient;
    double intercept;
    const bool is_kernel = ney_model_kernel(m, &kernel, &z, &coefficient, &intercept);
    const ney_trees *const trees = ney_model_trees(m);
    return trees       ? 6 * (double)trees->start[trees->n] /* 48 bytes per node */
           : is_kernel ? (double)z.rows * (double)(z.cols + 2)
                       : (double)m->preprocessing->cols;
}

static ney_status check_model(ney_onnx *g, ney_error *err)
{
    const ney_model *const m = g->model;
    const ney_status st = ney_export_check(m, "an ONNX file", err);
    if (st != NEY_OK) {
        return st;
    }
    g->put_score = ney_onnx_score_writer(m->family);
    if (!g->put_score) {
        return ney_fail(err, NEY_EINVAL, "models of the family '%s' have no form in an ONNX file",
                        m->family->name);
    }
    if (g->cols == 0) {
        return ney_fail(err, NEY_EINVAL, "a model without features has no form in an ONNX file");
    }
    const ney_preprocessing *const r = m->preprocessing;
    if (8 * (numbers_of(m) + 4 * (double)r->cols * (double)ney_onnx_segments(r)) > most_bytes) {
        return ney_fail(err, NEY_EINVAL, "an ONNX file of this model would exceed 2 GB");
    }
    return check_names(m->preprocessing, err);
}

/* ---------------------------------------------------------------- features */

/* Of each feature its column, and the position of its word there, or NAN for a number; 1 for an
 * indicator of missing cells. */
static ney_status put_feature_tables(ney_onnx *g, ney_error *err)
{
    const ney_preprocessing *const r = g->model->preprocessing;
    const ney_env *const env = &g->model->env;
    int64_t *const column = ney_alloc(env, g->cols, sizeof *column);
    double *const place = ney_alloc(env, g->cols, sizeof *place);
    double *const mark = ney_alloc_zeroed(env, g->cols, sizeof *mark);
    const int64_t stored = ney_preprocessing_stored(r);
    const bool has_memory = column && place && mark;

    for (int64_t j = 0; has_memory && j < g->cols; j++) {
        column[j] = j;
        place[j] = (double)NAN;
        mark[j] = j >= stored;
    }
    for (int64_t i = 0, j = 0; has_memory && i < r->n_input; i++) {
        const ney_input *const in = &r->input[i];
        for (int64_t k = 0; k < (in->category ? in->n_category : 1); k++, j++) {
            column[j] = i;
            place[j] = in->category ? (double)k : (double)NAN;
        }
    }
    for (int64_t k = 0; has_memory && k < r->n_indicator; k++) {
        column[stored + k] = column[r->indicator[k]];
    }
    if (has_memory) {
        ney_onnx_ints(g, "column", column, g->cols);
        ney_onnx_doubles(g, "place", place, 0, g->cols);
        ney_onnx_node_with(g, "Gather", "x column", "cell", "axis", 1);
        ney_onnx_node(g, "IsNaN", "place", "is_number");
    }
    if (has_memory && r->n_indicator > 0) {
        ney_onnx_doubles(g, "mark", mark, 0, g->cols);
        ney_onnx_double(g, "one_mark", 1);
        ney_onnx_node(g, "Equal", "mark one_mark", "is_indicator");
    }
    ney_release(env, mark);
    ney_release(env, column);
    ney_release(env, place);
    return has_memory ? NEY_OK : ney_no_memory(err, g->cols, "features to export");
}

/* One step of a chain: `op` of `in` and the constant of the same name as `array`. */
static const char *put_step(ney_onnx *g, const char *op, const char *in, const char *array,
                            const double *value, const char *out)
{
    char names[120];
    if (!value) {
        return in;
    }
    snprintf(names, sizeof names, "%s %s", in, array);
    ney_onnx_doubles(g, array, value, 0, g->cols);
    ney_onnx_node(g, op, names, out);
    return out;
}

/* To single precision and back, what is beyond it to its end. The limits keep optimizers from
 * removing the pair of casts. */
static void put_rounding(ney_onnx *g, const char *in, const char *out)
{
    char rounded[80], above[80], within[80], names[120];
    snprintf(rounded, sizeof rounded, "%s_float", out);
    snprintf(above, sizeof above, "%s_above", out);
    snprintf(within, sizeof within, "%s_within", out);
    ney_onnx_node_with(g, "Cast", in, rounded, "to", NEY_ONNX_FLOAT);
    snprintf(names, sizeof names, "%s lowest", rounded);
    ney_onnx_node(g, "Max", names, above);
    snprintf(names, sizeof names, "%s highest", above);
    ney_onnx_node(g, "Min", names, within);
    ney_onnx_node_with(g, "Cast", within, out, "to", NEY_ONNX_DOUBLE);
}

/* Which rows have no score: a number that is infinite, beyond single precision, or missing without
 * leave. */
static void put_validity(ney_onnx *g, const char *shifted, bool may_miss)
{
    ney_onnx_double(g, "float_limit", 0x1.ffffffp127); /* what rounds to the largest float */
    ney_onnx_node(g, "Abs", shifted, "size");
    ney_onnx_node(g, "Less", "size float_limit", "is_finite");
    if (may_miss) {
        ney_onnx_node(g, "IsNaN", shifted, "is_missing");
        ney_onnx_node(g, "Or", "is_finite is_missing", "is_valid");
    }
    ney_onnx_node(g, "Not", may_miss ? "is_valid" : "is_finite", "is_bad_cell");
    ney_onnx_node_with(g, "Cast", "is_bad_cell", "bad_cell", "to", NEY_ONNX_DOUBLE);
    ney_onnx_node(g, "ReduceSum", "bad_cell axis_1", "bad_cells");
    ney_onnx_double(g, "one_half", 0.5);
    ney_onnx_node(g, "Greater", "bad_cells one_half", "is_bad");
}

/* The three steps of preprocessing.h; `last` is what the result is called. */
static void put_numbers(ney_onnx *g, const char *cell, const char *last)
{
    const ney_preprocessing *const r = g->model->preprocessing;
    const char *at = put_step(g, "Sub", cell, "shift", r->shift, "shifted");
    put_validity(g, at, ney_preprocessing_allows_missing(r));
    ney_onnx_float(g, "lowest", -FLT_MAX);
    ney_onnx_float(g, "highest", FLT_MAX);
    put_rounding(g, at, "stored");
    at = "stored";
    if (r->fill) {
        ney_onnx_doubles(g, "fill", r->fill, 0, g->cols);
        ney_onnx_node(g, "Where", "is_missing fill stored", "filled");
        at = "filled";
    }
    at = ney_onnx_put_maps(g, at);
    at = put_step(g, "Sub", at, "offset", r->offset, "moved");
    at = put_step(g, "Mul", at, "factor", r->factor, "scaled");
    if (r->missing != NEY_MISSING_KEEP) {
        put_rounding(g, at, last);
        return;
    }
    put_rounding(g, at, "known"); /* limits need not leave NaN as it is */
    ney_onnx_double(g, "no_number", (double)NAN);
    ney_onnx_node(g, "Where", "is_missing no_number known", last);
}

static void put_unit_length(ney_onnx *g)
{
    ney_onnx_double(g, "no_length", 0);
    ney_onnx_double(g, "length_1", 1);
    ney_onnx_node(g, "Mul", "part part", "part_squares");
    ney_onnx_node(g, "ReduceSum", "part_squares axis_1", "square_length");
    ney_onnx_node(g, "Sqrt", "square_length", "length");
    ney_onnx_node(g, "Greater", "length no_length", "has_length");
    ney_onnx_node(g, "Where", "has_length length length_1", "divisor");
    ney_onnx_node(g, "Div", "part divisor", "unit");
    put_rounding(g, "unit", "feature");
}

static ney_status put_features(ney_onnx *g, ney_error *err)
{
    const ney_preprocessing *const r = g->model->preprocessing;
    const bool unit = r->scaling == NEY_SCALING_UNIT;
    const char *const last = unit ? "part" : "feature";
    const int64_t axis = 1;
    const char *const cells = r->n_indicator > 0 ? "cells" : last;
    bool words = false;
    for (int64_t i = 0; r->input && i < r->n_input; i++) {
        words = words || r->input[i].category;
    }
    ney_onnx_value(g, true, "x", NEY_ONNX_DOUBLE,
                   r->input ? r->n_input : ney_preprocessing_stored(r));
    ney_onnx_ints(g, "axis_1", &axis, 1);
    if (words || r->n_indicator > 0) {
        const ney_status st = put_feature_tables(g, err);
        if (st != NEY_OK) {
            return st;
        }
        put_numbers(g, "cell", "number");
        ney_onnx_node(g, "Equal", "cell place", "is_word");
        ney_onnx_node_with(g, "Cast", "is_word", "word", "to", NEY_ONNX_DOUBLE);
        ney_onnx_node(g, "Where", "is_number number word", cells);
    } else {
        put_numbers(g, "x", last);
    }
    if (r->n_indicator > 0) {
        ney_onnx_node_with(g, "Cast", "is_missing", "missing", "to", NEY_ONNX_DOUBLE);
        ney_onnx_node(g, "Where", "is_indicator missing cells", last);
    }
    if (unit) {
        put_unit_length(g);
    }
    return NEY_OK;
}

/* ---------------------------------------------------------------- decision */

static void put_choice(ney_onnx *g, const char *names[3], const char *between, const char *out)
{
    char in[120];
    snprintf(in, sizeof in, "is_negative %s %s", names[1], names[2]);
    ney_onnx_node(g, "Where", in, between);
    snprintf(in, sizeof in, "is_positive %s %s", names[0], between);
    ney_onnx_node(g, "Where", in, out);
}

static void put_decision(ney_onnx *g)
{
    const ney_preprocessing *const r = g->model->preprocessing;
    const int64_t sign[3] = {1, -1, 0};
    ney_onnx_double(g, "no_score", (double)NAN);
    ney_onnx_double(g, "high", g->model->high);
    ney_onnx_double(g, "low", g->model->low);
    ney_onnx_node(g, "Where", "is_bad no_score raw", "score_column");
    ney_onnx_node(g, "Squeeze", "score_column axis_1", "score");
    ney_onnx_node(g, "GreaterOrEqual", "score high", "is_positive");
    ney_onnx_node(g, "Less", "score low", "is_negative");
    ney_onnx_ints(g, "positive", &sign[0], 1);
    ney_onnx_ints(g, "negative", &sign[1], 1);
    ney_onnx_ints(g, "rejected", &sign[2], 1);
    put_choice(g, (const char *[]){"positive", "negative", "rejected"}, "decision_1", "decision");
    ney_onnx_string(g, "positive_label", ney_preprocessing_label(r, 1));
    ney_onnx_string(g, "negative_label", ney_preprocessing_label(r, -1));
    ney_onnx_string(g, "rejected_label", "reject");
    put_choice(g, (const char *[]){"positive_label", "negative_label", "rejected_label"}, "label_1",
               "label");
    ney_onnx_value(g, false, "score", NEY_ONNX_DOUBLE, 0);
    ney_onnx_value(g, false, "decision", NEY_ONNX_INT64, 0);
    ney_onnx_value(g, false, "label", NEY_ONNX_STRING, 0);
}

/* ---------------------------------------------------------------- the file */

static void put_property(ney_onnx *g, const char *key, const char *value)
{
    const int64_t at = ney_protobuf_begin(g->text, MODEL_PROPS);
    ney_protobuf_text(g->text, PROP_KEY, key);
    ney_protobuf_text(g->text, PROP_VALUE, value);
    ney_protobuf_end(g->text, at);
}

/* [{"name": "age"}, {"name": "town", "categories": ["Rome", ...]}, ...] */
static ney_status put_columns(ney_onnx *g, ney_error *err)
{
    const ney_preprocessing *const r = g->model->preprocessing;
    ney_text json;
    ney_text_init(&json, &g->model->env);
    ney_text_put(&json, "[");
    for (int64_t i = 0; r->input && i < r->n_input; i++) {
        const ney_input *const in = &r->input[i];
        ney_text_put(&json, i > 0 ? ", {\"name\": " : "{\"name\": ");
        (void)ney_text_json(&json, in->name);
        for (int64_t k = 0; in->category && k < in->n_category; k++) {
            ney_text_put(&json, k > 0 ? ", " : ", \"categories\": [");
            (void)ney_text_json(&json, in->category[k]);
        }
        ney_text_put(&json, in->category && in->n_category > 0 ? "]}" : "}");
    }
    ney_text_put(&json, "]");
    const bool failed = json.failed;
    if (!failed) {
        put_property(g, "columns", json.bytes);
    }
    ney_text_deinit(&json);
    return failed ? ney_no_memory(err, r->n_input, "columns to export") : NEY_OK;
}

static void put_opset(ney_text *t, const char *domain, int64_t version)
{
    const int64_t opset = ney_protobuf_begin(t, MODEL_OPSET);
    ney_protobuf_text(t, OPSET_DOMAIN, domain);
    ney_protobuf_int(t, OPSET_VERSION, version);
    ney_protobuf_end(t, opset);
}

static ney_status put_model(ney_onnx *g, ney_error *err)
{
    ney_text *const t = g->text;
    ney_status st;
    ney_protobuf_int(t, MODEL_IR, IR_VERSION);
    ney_protobuf_text(t, MODEL_PRODUCER, "neyman");
    ney_protobuf_text(t, MODEL_VERSION, ney_version());
    const int64_t graph = ney_protobuf_begin(t, MODEL_GRAPH);
    ney_protobuf_text(t, GRAPH_NAME, g->model->family->name);
    if ((st = put_features(g, err)) != NEY_OK || (st = g->put_score(g, err)) != NEY_OK) {
        return st;
    }
    put_decision(g);
    ney_protobuf_end(t, graph);
    put_opset(t, "", OPSET);
    if (g->uses_ml) {
        put_opset(t, "ai.onnx.ml", ML_OPSET);
    }
    put_property(g, "family", g->model->family->name);
    put_property(g, "positive", ney_preprocessing_label(g->model->preprocessing, 1));
    put_property(g, "negative", ney_preprocessing_label(g->model->preprocessing, -1));
    return put_columns(g, err);
}

ney_status ney_model_export_onnx(const ney_model *model, const char *path, ney_error *err)
{
    NEY_REQUIRE(model && path, err);
    ney_text text;
    ney_onnx g = {.model = model, .text = &text, .cols = model->preprocessing->cols};
    ney_status st;

    ney_text_init(&text, &model->env);
    if ((st = check_model(&g, err)) == NEY_OK && (st = put_model(&g, err)) == NEY_OK) {
        st = text.failed ? ney_no_memory(err, text.length, "bytes of ONNX")
                         : ney_file_write(&model->env, path, text.bytes, text.length, err);
    }
    ney_text_deinit(&text);
    return st;
}
