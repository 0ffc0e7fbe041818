/* Messages of ONNX (onnx.proto), by their field numbers. */
#include "model/onnx_graph.h"
#include "model/protobuf.h"

#include <string.h>

enum { GRAPH_NODE = 1, GRAPH_INITIALIZER = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };
enum { NODE_INPUT = 1, NODE_OUTPUT, NODE_NAME, NODE_OP, NODE_ATTRIBUTE, NODE_DOMAIN = 7 };
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_I = 3, ATTRIBUTE_TYPE = 20, ATTRIBUTE_IS_INT = 2 };
enum { ATTRIBUTE_FLOATS = 7, ATTRIBUTE_INTS, ATTRIBUTE_STRINGS };
enum { TENSOR_DIMS = 1, TENSOR_TYPE = 2, TENSOR_STRING = 6, TENSOR_NAME = 8, TENSOR_RAW = 9 };
enum { VALUE_NAME = 1, VALUE_TYPE = 2, TYPE_TENSOR = 1, TENSOR_ELEMENT = 1, TENSOR_SHAPE = 2 };
enum { SHAPE_DIM = 1, DIM_VALUE = 1, DIM_PARAM = 2 };

static void put_names(ney_text *t, int field, const char *names)
{
    while (*names) {
        const size_t n = strcspn(names, " ");
        ney_protobuf_bytes(t, field, names, (int64_t)n);
        names += n + (names[n] == ' ');
    }
}

static int64_t begin_node(ney_onnx *g, const char *op, const char *in, const char *out)
{
    ney_text *const t = g->text;
    const int64_t node = ney_protobuf_begin(t, GRAPH_NODE);
    put_names(t, NODE_INPUT, in);
    put_names(t, NODE_OUTPUT, out);
    ney_protobuf_text(t, NODE_NAME, out);
    ney_protobuf_text(t, NODE_OP, op);
    return node;
}

void ney_onnx_end_node(ney_onnx *g, int64_t node)
{
    ney_protobuf_end(g->text, node);
}

void ney_onnx_attribute_int(ney_onnx *g, const char *name, int64_t value)
{
    const int64_t at = ney_protobuf_begin(g->text, NODE_ATTRIBUTE);
    ney_protobuf_text(g->text, ATTRIBUTE_NAME, name);
    ney_protobuf_int(g->text, ATTRIBUTE_I, value);
    ney_protobuf_int(g->text, ATTRIBUTE_TYPE, ATTRIBUTE_IS_INT);
    ney_protobuf_end(g->text, at);
}

void ney_onnx_node_with(ney_onnx *g, const char *op, const char *in, const char *out,
                        const char *attribute, int64_t value)
{
    const int64_t node = begin_node(g, op, in, out);
    if (attribute) {
        ney_onnx_attribute_int(g, attribute, value);
    }
    ney_onnx_end_node(g, node);
}

int64_t ney_onnx_begin_ml_node(ney_onnx *g, const char *op, const char *in, const char *out)
{
    const int64_t node = begin_node(g, op, in, out);
    ney_protobuf_text(g->text, NODE_DOMAIN, "ai.onnx.ml");
    return node;
}

/* Numbers are packed into one field; each text is a field. */
ney_onnx_list ney_onnx_begin_list(ney_onnx *g, const char *name, int kind)
{
    ney_onnx_list list = {.attribute = ney_protobuf_begin(g->text, NODE_ATTRIBUTE), .kind = kind};
    ney_protobuf_text(g->text, ATTRIBUTE_NAME, name);
    if (kind != NEY_ONNX_STRINGS) {
        list.packed =
            ney_protobuf_begin(g->text, kind == NEY_ONNX_INTS ? ATTRIBUTE_INTS : ATTRIBUTE_FLOATS);
    }
    return list;
}

void ney_onnx_list_int(ney_onnx *g, int64_t value)
{
    ney_protobuf_varint(g->text, (uint64_t)value);
}

void ney_onnx_list_float(ney_onnx *g, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    ney_protobuf_little(g->text, bits, 4);
}

void ney_onnx_list_string(ney_onnx *g, const char *words)
{
    ney_protobuf_text(g->text, ATTRIBUTE_STRINGS, words);
}

void ney_onnx_end_list(ney_onnx *g, ney_onnx_list list)
{
    if (list.kind != NEY_ONNX_STRINGS) {
        ney_protobuf_end(g->text, list.packed);
    }
    ney_protobuf_int(g->text, ATTRIBUTE_TYPE, list.kind);
    ney_protobuf_end(g->text, list.attribute);
}

void ney_onnx_node(ney_onnx *g, const char *op, const char *in, const char *out)
{
    ney_onnx_node_with(g, op, in, out, NULL, 0);
}

static int64_t begin_tensor(ney_onnx *g, const char *name, int type, int64_t rows, int64_t cols)
{
    const int64_t tensor = ney_protobuf_begin(g->text, GRAPH_INITIALIZER);
    if (rows > 0) {
        ney_protobuf_int(g->text, TENSOR_DIMS, rows);
    }
    ney_protobuf_int(g->text, TENSOR_DIMS, cols);
    ney_protobuf_int(g->text, TENSOR_TYPE, type);
    ney_protobuf_text(g->text, TENSOR_NAME, name);
    return tensor;
}

ney_onnx_open ney_onnx_begin_doubles(ney_onnx *g, const char *name, int64_t rows, int64_t cols)
{
    ney_onnx_open open;
    open.tensor = begin_tensor(g, name, NEY_ONNX_DOUBLE, rows, cols);
    open.raw = ney_protobuf_begin(g->text, TENSOR_RAW);
    return open;
}

void ney_onnx_cell(ney_onnx *g, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    ney_protobuf_little(g->text, bits, 8);
}

void ney_onnx_end_doubles(ney_onnx *g, ney_onnx_open open)
{
    ney_protobuf_end(g->text, open.raw);
    ney_protobuf_end(g->text, open.tensor);
}

void ney_onnx_doubles(ney_onnx *g, const char *name, const double *value, int64_t rows,
                      int64_t cols)
{
    const ney_onnx_open open = ney_onnx_begin_doubles(g, name, rows, cols);
    for (int64_t k = 0; k < (rows > 0 ? rows : 1) * cols; k++) {
        ney_onnx_cell(g, value[k]);
    }
    ney_onnx_end_doubles(g, open);
}

void ney_onnx_double(ney_onnx *g, const char *name, double value)
{
    ney_onnx_doubles(g, name, &value, 0, 1);
}

void ney_onnx_float(ney_onnx *g, const char *name, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    const int64_t tensor = begin_tensor(g, name, NEY_ONNX_FLOAT, 0, 1);
    const int64_t raw = ney_protobuf_begin(g->text, TENSOR_RAW);
    ney_protobuf_little(g->text, bits, 4);
    ney_protobuf_end(g->text, raw);
    ney_protobuf_end(g->text, tensor);
}

void ney_onnx_ints(ney_onnx *g, const char *name, const int64_t *value, int64_t n)
{
    const int64_t tensor = begin_tensor(g, name, NEY_ONNX_INT64, 0, n);
    const int64_t raw = ney_protobuf_begin(g->text, TENSOR_RAW);
    for (int64_t k = 0; k < n; k++) {
        ney_protobuf_little(g->text, (uint64_t)value[k], 8);
    }
    ney_protobuf_end(g->text, raw);
    ney_protobuf_end(g->text, tensor);
}

void ney_onnx_string(ney_onnx *g, const char *name, const char *words)
{
    const int64_t tensor = begin_tensor(g, name, NEY_ONNX_STRING, 0, 1);
    ney_protobuf_text(g->text, TENSOR_STRING, words);
    ney_protobuf_end(g->text, tensor);
}

void ney_onnx_value(ney_onnx *g, bool is_input, const char *name, int type, int64_t cols)
{
    ney_text *const t = g->text;
    const int64_t value = ney_protobuf_begin(t, is_input ? GRAPH_INPUT : GRAPH_OUTPUT);
    ney_protobuf_text(t, VALUE_NAME, name);
    const int64_t of = ney_protobuf_begin(t, VALUE_TYPE);
    const int64_t tensor = ney_protobuf_begin(t, TYPE_TENSOR);
    ney_protobuf_int(t, TENSOR_ELEMENT, type);
    const int64_t shape = ney_protobuf_begin(t, TENSOR_SHAPE);
    const int64_t rows = ney_protobuf_begin(t, SHAPE_DIM);
    ney_protobuf_text(t, DIM_PARAM, "rows");
    ney_protobuf_end(t, rows);
    if (cols > 0) {
        const int64_t columns = ney_protobuf_begin(t, SHAPE_DIM);
        ney_protobuf_int(t, DIM_VALUE, cols);
        ney_protobuf_end(t, columns);
    }
    ney_protobuf_end(t, shape);
    ney_protobuf_end(t, tensor);
    ney_protobuf_end(t, of);
    ney_protobuf_end(t, value);
}
