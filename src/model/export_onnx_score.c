/* The score function of a model as ONNX operators, one form per family. All are sums in double
 * precision: MatMul, Exp, Tanh, Sin and Pow have double forms in onnxruntime (Cos has not). */
#include "model/online.h"
#include "model/onnx_graph.h"

#include <math.h>
#include <stdio.h>

/* A row of a matrix, dense or sparse, as `cols` doubles. */
static void copy_row(const ney_matrix *x, int64_t i, double *to)
{
    for (int64_t c = 0; c < x->cols; c++) {
        to[c] = x->dense ? (double)x->dense[i * x->cols + c] : 0;
    }
    for (int64_t k = x->dense ? 0 : x->start[i]; !x->dense && k < x->start[i + 1]; k++) {
        to[x->index[k]] = (double)x->value[k];
    }
}

static void put_intercept(ney_onnx *g, const char *sum, double intercept)
{
    char in[80];
    snprintf(in, sizeof in, "%s intercept", sum);
    ney_onnx_double(g, "intercept", intercept);
    ney_onnx_node(g, "Add", in, "raw");
}

static ney_status put_linear(ney_onnx *g, ney_error *err)
{
    double intercept;
    const double *const weight = ney_model_weights(g->model, &intercept);
    (void)err;
    ney_onnx_doubles(g, "weight", weight, g->cols, 1);
    ney_onnx_node(g, "MatMul", "feature weight", "sum");
    put_intercept(g, "sum", intercept);
    return NEY_OK;
}

/* The support vectors, relative to `center` where that is not NULL, as a matrix whose columns they
 * are, and the squares of their lengths. */
static ney_status put_support(ney_onnx *g, const ney_matrix *z, const double *center,
                              ney_error *err)
{
    const ney_env *const env = &g->model->env;
    double *const row = ney_alloc(env, z->cols, sizeof *row);
    double *const square = ney_alloc_zeroed(env, z->rows, sizeof *square);
    const bool has_memory = row && square;
    if (has_memory) {
        const ney_onnx_open open = ney_onnx_begin_doubles(g, "support_rows", z->rows, z->cols);
        for (int64_t i = 0; i < z->rows; i++) {
            copy_row(z, i, row);
            for (int64_t c = 0; c < z->cols; c++) {
                const double v = row[c] - (center ? center[c] : 0);
                square[i] += v * v;
                ney_onnx_cell(g, v);
            }
        }
        ney_onnx_end_doubles(g, open);
        ney_onnx_doubles(g, "support_square", square, 1, z->rows);
        ney_onnx_node(g, "Transpose", "support_rows", "support");
    }
    ney_release(env, row);
    ney_release(env, square);
    return has_memory ? NEY_OK : ney_no_memory(err, z->rows, "support vectors to export");
}

/* |x - z|^2 from products of what is left of both after the mean of the support vectors is taken
 * away: that is what keeps the digits of rows far from the origin. */
static ney_status put_distances(ney_onnx *g, const ney_matrix *z, ney_error *err)
{
    const ney_env *const env = &g->model->env;
    double *const center = ney_alloc_zeroed(env, z->cols, sizeof *center);
    double *const row = ney_alloc(env, z->cols, sizeof *row);
    ney_status st = NEY_OK;
    if (!center || !row) {
        st = ney_no_memory(err, z->cols, "features to export");
    }
    for (int64_t i = 0; st == NEY_OK && i < z->rows; i++) {
        copy_row(z, i, row);
        for (int64_t c = 0; c < z->cols; c++) {
            center[c] += row[c] / (double)z->rows;
        }
    }
    if (st == NEY_OK && (st = put_support(g, z, center, err)) == NEY_OK) {
        ney_onnx_doubles(g, "center", center, 0, z->cols);
        ney_onnx_double(g, "two", 2);
        ney_onnx_double(g, "zero", 0);
        ney_onnx_node(g, "Sub", "feature center", "centered");
        ney_onnx_node(g, "Mul", "centered centered", "centered_squares");
        ney_onnx_node(g, "ReduceSum", "centered_squares axis_1", "row_square");
        ney_onnx_node(g, "MatMul", "centered support", "product");
        ney_onnx_node(g, "Mul", "product two", "product_2");
        ney_onnx_node(g, "Add", "row_square support_square", "squares");
        ney_onnx_node(g, "Sub", "squares product_2", "distance_raw");
        ney_onnx_node(g, "Max", "distance_raw zero", "distance");
    }
    ney_release(env, center);
    ney_release(env, row);
    return st;
}

static void put_kernel_values(ney_onnx *g, const ney_kernel *k)
{
    const bool rbf = k->kind == NEY_KERNEL_RBF, poly = k->kind == NEY_KERNEL_POLY;
    ney_onnx_double(g, "gamma", rbf ? -k->gamma : k->gamma);
    ney_onnx_node(g, "Mul", rbf ? "distance gamma" : "product gamma", "scaled_product");
    if (rbf) {
        ney_onnx_node(g, "Exp", "scaled_product", "kernel");
        return;
    }
    ney_onnx_double(g, "coef0", k->coef0);
    ney_onnx_node(g, "Add", "scaled_product coef0", "base");
    if (poly) {
        ney_onnx_double(g, "degree", (double)k->degree);
    }
    ney_onnx_node(g, poly ? "Pow" : "Tanh", poly ? "base degree" : "base", "kernel");
}

static ney_status put_kernel(ney_onnx *g, ney_error *err)
{
    ney_kernel kernel;
    ney_matrix z;
    const double *coefficient;
    double intercept;
    ney_status st;
    (void)ney_model_kernel(g->model, &kernel, &z, &coefficient, &intercept);
    if (z.rows == 0) {
        return ney_fail(err, NEY_EINVAL,
                        "a kernel model without support vectors has no form in an ONNX file");
    }
    if (kernel.kind == NEY_KERNEL_RBF) {
        st = put_distances(g, &z, err);
    } else {
        st = put_support(g, &z, NULL, err);
        ney_onnx_node(g, "MatMul", "feature support", "product");
    }
    if (st != NEY_OK) {
        return st;
    }
    const bool linear = kernel.kind == NEY_KERNEL_LINEAR;
    if (!linear) {
        put_kernel_values(g, &kernel);
    }
    ney_onnx_doubles(g, "coefficient", coefficient, z.rows, 1);
    ney_onnx_node(g, "MatMul", linear ? "product coefficient" : "kernel coefficient", "sum");
    put_intercept(g, "sum", intercept);
    return NEY_OK;
}

/* cos a = sin(a + pi / 2). */
static ney_status put_features(ney_onnx *g, ney_error *err)
{
    ney_fourier map;
    const double *weight;
    double gamma, intercept;
    (void)err;
    (void)ney_model_features(g->model, &map, &gamma, &weight, &intercept);
    const ney_onnx_open open = ney_onnx_begin_doubles(g, "frequency_rows", map.D, map.cols);
    for (int64_t k = 0; k < map.D * map.cols; k++) {
        ney_onnx_cell(g, (double)map.value[k]);
    }
    ney_onnx_end_doubles(g, open);
    ney_onnx_doubles(g, "weight_cos", weight, map.D, 1);
    ney_onnx_doubles(g, "weight_sin", weight + map.D, map.D, 1);
    ney_onnx_double(g, "quarter_turn", acos(-1.0) / 2);
    ney_onnx_double(g, "norm", sqrt((double)map.D));
    ney_onnx_node(g, "Transpose", "frequency_rows", "frequency");
    ney_onnx_node(g, "MatMul", "feature frequency", "angle");
    ney_onnx_node(g, "Sin", "angle", "sine");
    ney_onnx_node(g, "Add", "angle quarter_turn", "angle_cos");
    ney_onnx_node(g, "Sin", "angle_cos", "cosine");
    ney_onnx_node(g, "MatMul", "cosine weight_cos", "sum_cos");
    ney_onnx_node(g, "MatMul", "sine weight_sin", "sum_sin");
    ney_onnx_node(g, "Add", "sum_cos sum_sin", "sum_both");
    ney_onnx_node(g, "Div", "sum_both norm", "sum");
    put_intercept(g, "sum", intercept);
    return NEY_OK;
}

static ney_status put_network(ney_onnx *g, ney_error *err)
{
    ney_network shape;
    const double *weight, *bias;
    (void)err;
    (void)ney_model_network(g->model, &shape, &weight, &bias);
    const int L = ney_network_layers(&shape);
    const char *const activation = shape.activation == NEY_ACTIVATION_RELU ? "Relu" : "Tanh";
    ney_onnx_doubles(g, "weight", weight, g->cols, shape.units[0]);
    ney_onnx_doubles(g, "bias", bias, 0, shape.units[0]);
    ney_onnx_node(g, "MatMul", "feature weight", "product");
    ney_onnx_node(g, "Add", "product bias", "unit_input");
    ney_onnx_node(g, activation, "unit_input", "unit_output");
    if (L > 1) {
        ney_onnx_doubles(g, "weight_2", weight + ney_network_weight_at(&shape, 1), shape.units[0],
                         shape.units[1]);
        ney_onnx_doubles(g, "bias_2", bias + shape.units[0], 0, shape.units[1]);
        ney_onnx_node(g, "MatMul", "unit_output weight_2", "product_2");
        ney_onnx_node(g, "Add", "product_2 bias_2", "unit_input_2");
        ney_onnx_node(g, activation, "unit_input_2", "unit_output_2");
    }
    ney_onnx_doubles(g, "output_weight", weight + ney_network_weight_at(&shape, L),
                     ney_network_inputs(&shape, L), 1);
    ney_onnx_node(g, "MatMul", L > 1 ? "unit_output_2 output_weight" : "unit_output output_weight",
                  "sum");
    put_intercept(g, "sum", bias[ney_network_units(&shape)]);
    return NEY_OK;
}

ney_onnx_put_score *ney_onnx_score_writer(const ney_family *family)
{
    static const struct {
        const ney_family *family;
        ney_onnx_put_score *put;
    } writers[] = {
        {&ney_family_linear, put_linear},        {&ney_family_kernel, put_kernel},
        {&ney_family_features, put_features},    {&ney_family_network, put_network},
        {&ney_family_trees, ney_onnx_put_trees},
    };
    for (size_t k = 0; k < sizeof writers / sizeof *writers; k++) {
        if (writers[k].family == family) {
            return writers[k].put;
        }
    }
    return NULL;
}
