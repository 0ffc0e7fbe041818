/* An ONNX graph under construction: operators and constants, added to one buffer in any order that
 * has a value before its use. Values are known by their names. */
#ifndef NEY_MODEL_ONNX_GRAPH_H
#define NEY_MODEL_ONNX_GRAPH_H

#include "model/model.h"

typedef struct ney_onnx ney_onnx;

/* Put the score function: from `feature`, double [rows, cols], to `raw`, double [rows, 1]. */
typedef ney_status ney_onnx_put_score(ney_onnx *g, ney_error *err);

struct ney_onnx {
    const ney_model *model;
    ney_text *text;
    int64_t cols;
    ney_onnx_put_score *put_score;
    bool uses_ml; /* operators of ai.onnx.ml are among those put */
};

/* NULL for a family without a form in ONNX. */
ney_onnx_put_score *ney_onnx_score_writer(const ney_family *family);
ney_onnx_put_score ney_onnx_put_trees;

/* Ranks and asinh of columns, from value `in`; the name of the result, `in` where there are none.
 */
const char *ney_onnx_put_maps(ney_onnx *g, const char *in);

/* Lines of the map of a column, at most; 0 without maps. */
int64_t ney_onnx_segments(const ney_preprocessing *preprocessing);

/* Element types of ONNX. */
enum { NEY_ONNX_FLOAT = 1, NEY_ONNX_INT64 = 7, NEY_ONNX_STRING = 8, NEY_ONNX_DOUBLE = 11 };

/* An operator: `in` and `out` are names separated by spaces. */
void ney_onnx_node(ney_onnx *g, const char *op, const char *in, const char *out);

/* The same with an attribute that is a whole number. */
void ney_onnx_node_with(ney_onnx *g, const char *op, const char *in, const char *out,
                        const char *attribute, int64_t value);

/* An operator of ai.onnx.ml whose attributes are put between the two calls. */
int64_t ney_onnx_begin_ml_node(ney_onnx *g, const char *op, const char *in, const char *out);
void ney_onnx_end_node(ney_onnx *g, int64_t node);
void ney_onnx_attribute_int(ney_onnx *g, const char *name, int64_t value);

/* An attribute that is a list, whose members are put between the two calls. */
enum { NEY_ONNX_FLOATS = 6, NEY_ONNX_INTS = 7, NEY_ONNX_STRINGS = 8 };
typedef struct ney_onnx_list {
    int64_t attribute, packed;
    int kind;
} ney_onnx_list;
ney_onnx_list ney_onnx_begin_list(ney_onnx *g, const char *name, int kind);
void ney_onnx_list_int(ney_onnx *g, int64_t value); /* not negative */
void ney_onnx_list_float(ney_onnx *g, float value);
void ney_onnx_list_string(ney_onnx *g, const char *words);
void ney_onnx_end_list(ney_onnx *g, ney_onnx_list list);

/* Constants: a matrix of doubles (rows 0: a vector of `cols`), one number, whole numbers, a text.
 */
void ney_onnx_doubles(ney_onnx *g, const char *name, const double *value, int64_t rows,
                      int64_t cols);
void ney_onnx_double(ney_onnx *g, const char *name, double value);
void ney_onnx_float(ney_onnx *g, const char *name, float value);
void ney_onnx_ints(ney_onnx *g, const char *name, const int64_t *value, int64_t n);
void ney_onnx_string(ney_onnx *g, const char *name, const char *words);

/* A constant of doubles whose bytes are added by the caller, `rows * cols` times ney_onnx_cell(),
 * between the two calls. */
typedef struct ney_onnx_open {
    int64_t tensor, raw;
} ney_onnx_open;
ney_onnx_open ney_onnx_begin_doubles(ney_onnx *g, const char *name, int64_t rows, int64_t cols);
void ney_onnx_cell(ney_onnx *g, double value);
void ney_onnx_end_doubles(ney_onnx *g, ney_onnx_open open);

/* An input or output of the graph: a vector of `rows` elements, or with cols > 0 a matrix. */
void ney_onnx_value(ney_onnx *g, bool is_input, const char *name, int type, int64_t cols);

#endif
