/* The score function of a model as C99 source, one form per family. */
#include "model/export_c.h"
#include "model/online.h"
#include "model/trees.h"

#include <stdio.h>
#include <string.h>

static const char *feature_call(const ney_c_plan *p)
{
    return p->unit ? "@_feature(x, j, length)" : "@_feature(x, j)";
}

static void put_score_head(const ney_c_plan *p)
{
    ney_c_put(&p->c, "double @_score(const double *x)\n{\n");
    ney_c_put(&p->c, p->unit ? "    const double length = @_length(x);\n" : "");
}

static void put_score_end(const ney_c_plan *p, double intercept)
{
    ney_c_put(&p->c, "    return sum + ");
    ney_c_put(&p->c, intercept < 0 ? "(" : "");
    ney_c_double(&p->c, intercept);
    ney_c_put(&p->c, intercept < 0 ? ")" : "");
    ney_c_put(&p->c, ";\n}\n\n");
}

static void put_linear(const ney_c_plan *p)
{
    double intercept;
    const double *const weight = ney_model_weights(p->model, &intercept);

    ney_c_doubles(&p->c, "weight", weight, p->cols);
    put_score_head(p);
    ney_c_put(&p->c, "    double sum = 0.0;\n    long j;\n\n    for (j = 0; j < ");
    ney_c_int(&p->c, p->cols);
    ney_c_put(&p->c, "; j++) {\n        sum += (double)");
    ney_c_put(&p->c, feature_call(p));
    ney_c_put(&p->c, " * @_weight[j];\n    }\n");
    put_score_end(p, intercept);
}

/* The kernel of what the sums over the columns gave: `value` is |x - z|^2 for rbf, x'z else. */
static void put_kernel(const ney_c_plan *p, const ney_kernel *k)
{
    ney_c_put(&p->c, "static double @_kernel(double value)\n{\n");
    switch (k->kind) {
    case NEY_KERNEL_LINEAR:
        ney_c_put(&p->c, "    return value;\n}\n\n");
        return;
    case NEY_KERNEL_RBF:
        ney_c_put(&p->c, "    return value > 0.0 ? exp(-value * ");
        ney_c_double(&p->c, k->gamma);
        ney_c_put(&p->c, ") : 1.0;\n}\n\n");
        return;
    case NEY_KERNEL_POLY:
    case NEY_KERNEL_SIGMOID:
        break;
    }
    const bool poly = k->kind == NEY_KERNEL_POLY;
    ney_c_put(&p->c, poly ? "    double base = value * " : "    return tanh(value * ");
    ney_c_double(&p->c, k->gamma);
    ney_c_put(&p->c, " + (");
    ney_c_double(&p->c, k->coef0);
    if (!poly) {
        ney_c_put(&p->c, "));\n}\n\n");
        return;
    }
    ney_c_put(&p->c, "), power = 1.0;\n    long n;\n\n    for (n = ");
    ney_c_int(&p->c, k->degree);
    ney_c_put(&p->c, "; n > 0; n /= 2) {\n"
                     "        power = n % 2 ? power * base : power;\n"
                     "        base *= base;\n    }\n    return power;\n}\n\n");
}

static void put_support(const ney_c_plan *p, const ney_matrix *z, const double *coefficient)
{
    ney_c_put(&p->c, "/* The support vectors and their coefficients. */\n");
    ney_c_doubles(&p->c, "coefficient", coefficient, z->rows);
    if (z->dense) {
        ney_c_floats(&p->c, "support", z->dense, z->rows * z->cols);
        return;
    }
    const int64_t entries = z->start[z->rows];
    ney_c_longs(&p->c, "start", z->start, z->rows + 1);
    ney_c_floats(&p->c, "support", z->value, entries);
    ney_c_indices(&p->c, "index", z->index, entries);
}

/* The loop over one support vector: for rbf |x - z|^2, which for a sparse one is
 * |x|^2 + sum z_j (z_j - 2 x_j) over its entries. */
static void put_inner_loop(const ney_c_plan *p, const ney_matrix *z, bool rbf, const char *feature)
{
    ney_c_put(&p->c, rbf && !z->dense ? "        double value = square;\n\n"
                                      : "        double value = 0.0;\n\n");
    if (z->dense) {
        ney_c_put(&p->c, "        for (j = 0; j < ");
        ney_c_int(&p->c, z->cols);
        ney_c_put(&p->c, "; j++) {\n            const double z = (double)@_support[i * ");
        ney_c_int(&p->c, z->cols);
        ney_c_put(&p->c, " + j];\n");
    } else {
        ney_c_put(&p->c, "        for (k = @_start[i]; k < @_start[i + 1]; k++) {\n"
                         "            const long j = @_index[k];\n"
                         "            const double z = (double)@_support[k];\n");
    }
    ney_c_put(&p->c, "            const double v = (double)");
    ney_c_put(&p->c, feature);
    ney_c_put(&p->c, ";\n\n            value += ");
    ney_c_put(&p->c, !rbf ? "v * z" : z->dense ? "(v - z) * (v - z)" : "z * (z - 2.0 * v)");
    ney_c_put(&p->c, ";\n        }\n");
}

static void put_kernel_sum(const ney_c_plan *p, const ney_kernel *kernel, const ney_matrix *z,
                           double intercept)
{
    const bool kept = p->cols <= NEY_C_MOST_ON_STACK, rbf = kernel->kind == NEY_KERNEL_RBF;
    put_score_head(p);
    if (kept) {
        ney_c_put(&p->c, "    float feature[");
        ney_c_int(&p->c, p->cols > 0 ? p->cols : 1);
        ney_c_put(&p->c, "];\n");
    }
    ney_c_put(&p->c, z->dense ? "    double square = 0.0, sum = 0.0;\n    long i, j;\n\n"
                              : "    double square = 0.0, sum = 0.0;\n    long i, k, n;\n\n");
    ney_c_put(&p->c, z->dense ? "    for (j = 0; j < " : "    for (n = 0; n < ");
    ney_c_int(&p->c, p->cols);
    ney_c_put(&p->c, z->dense ? "; j++) {\n" : "; n++) {\n        const long j = n;\n");
    ney_c_put(&p->c, "        const float v = ");
    ney_c_put(&p->c, feature_call(p));
    ney_c_put(&p->c, kept ? ";\n\n        feature[j] = v;\n" : ";\n\n");
    ney_c_put(&p->c, "        square += (double)v * (double)v;\n    }\n"
                     "    if (square != square) {\n        return (double)NAN;\n    }\n"
                     "    for (i = 0; i < ");
    ney_c_int(&p->c, z->rows);
    ney_c_put(&p->c, "; i++) {\n");
    put_inner_loop(p, z, rbf, kept ? "feature[j]" : feature_call(p));
    ney_c_put(&p->c, "        sum += @_coefficient[i] * @_kernel(value);\n    }\n");
    put_score_end(p, intercept);
}

/* Open the score function with its row: `float feature[]` where that fits on the stack. Gives the
 * expression for feature j. */
static const char *put_row(const ney_c_plan *p)
{
    put_score_head(p);
    if (p->cols > NEY_C_MOST_ON_STACK) {
        ney_c_put(&p->c, "    double sum = 0.0;\n    long i, j;\n\n");
        return feature_call(p);
    }
    ney_c_put(&p->c, "    float feature[");
    ney_c_int(&p->c, p->cols > 0 ? p->cols : 1);
    ney_c_put(&p->c, "];\n    double sum = 0.0;\n    long i, j;\n\n    for (j = 0; j < ");
    ney_c_int(&p->c, p->cols);
    ney_c_put(&p->c, "; j++) {\n        feature[j] = ");
    ney_c_put(&p->c, feature_call(p));
    ney_c_put(&p->c, ";\n    }\n");
    return "feature[j]";
}

/* for (i = 0; i < n; i++) { double z = start; for (j ...) z += feature * factor; last } */
static void put_layer(const ney_c_plan *p, const char *feature, int64_t n, const char *start,
                      const char *factor, const char *last)
{
    ney_c_put(&p->c, "    for (i = 0; i < ");
    ney_c_int(&p->c, n);
    ney_c_put(&p->c, "; i++) {\n        double z = ");
    ney_c_put(&p->c, start);
    ney_c_put(&p->c, ";\n\n        for (j = 0; j < ");
    ney_c_int(&p->c, p->cols);
    ney_c_put(&p->c, "; j++) {\n            z += (double)");
    ney_c_put(&p->c, feature);
    ney_c_put(&p->c, " * ");
    ney_c_put(&p->c, factor);
    ney_c_put(&p->c, ";\n        }\n        ");
    ney_c_put(&p->c, last); /* a statement, or a block after one */
    ney_c_put(&p->c, last[strlen(last) - 1] == ' ' ? "" : ";\n");
    ney_c_put(&p->c, "    }\n");
}

static void put_kernel_score(const ney_c_plan *p)
{
    ney_kernel kernel;
    ney_matrix z;
    const double *coefficient;
    double intercept;
    (void)ney_model_kernel(p->model, &kernel, &z, &coefficient, &intercept);
    put_support(p, &z, coefficient);
    put_kernel(p, &kernel);
    put_kernel_sum(p, &kernel, &z, intercept);
}

static void put_features_score(const ney_c_plan *p)
{
    ney_fourier map;
    const double *weight;
    double gamma, intercept;
    (void)ney_model_features(p->model, &map, &gamma, &weight, &intercept);
    ney_c_put(
        &p->c,
        "/* Random Fourier features: frequencies, and the weights of cosines and sines. */\n");
    ney_c_floats(&p->c, "frequency", map.value, map.D * map.cols);
    ney_c_doubles(&p->c, "weight", weight, map.n);
    const char *const feature = put_row(p);
    char factor[80], last[160];
    snprintf(factor, sizeof factor, "(double)@_frequency[i * %lld + j]", (long long)map.cols);
    snprintf(last, sizeof last, "sum += @_weight[i] * cos(z) + @_weight[%lld + i] * sin(z)",
             (long long)map.D);
    put_layer(p, feature, map.D, "0.0", factor, last);
    ney_c_put(&p->c, "    sum /= sqrt((double)");
    ney_c_int(&p->c, map.D);
    ney_c_put(&p->c, ");\n");
    put_score_end(p, intercept);
}

/* Each unit of the first layer adds its share to all sums of the second. */
static void put_second_layer(const ney_c_plan *p, const ney_network *shape, char *last, size_t size)
{
    const long long H = shape->units[1];
    ney_c_put(&p->c, "    double second[");
    ney_c_int(&p->c, H);
    ney_c_put(&p->c, "];\n\n    for (i = 0; i < ");
    ney_c_int(&p->c, H);
    ney_c_put(&p->c, "; i++) {\n        second[i] = @_bias_2[i];\n    }\n");
    snprintf(last, size,
             "z = %s;\n        for (j = 0; j < %lld; j++) {\n"
             "            second[j] += z * @_weight_2[i * %lld + j];\n        }\n        ",
             shape->activation == NEY_ACTIVATION_RELU ? "z > 0.0 ? z : 0.0" : "tanh(z)", H, H);
}

static void put_network_tables(const ney_c_plan *p, const ney_network *shape, const double *weight,
                               const double *bias)
{
    const int L = ney_network_layers(shape);
    ney_c_put(&p->c, L > 1 ? "/* Two hidden layers" : "/* One hidden layer");
    ney_c_put(&p->c, ": weights of all units feature after feature, their intercepts, "
                     "and the\n * weights of the output. */\n");
    ney_c_doubles(&p->c, "weight", weight, p->cols * shape->units[0]);
    ney_c_doubles(&p->c, "bias", bias, shape->units[0]);
    if (L > 1) {
        ney_c_doubles(&p->c, "weight_2", weight + ney_network_weight_at(shape, 1),
                      shape->units[0] * shape->units[1]);
        ney_c_doubles(&p->c, "bias_2", bias + shape->units[0], shape->units[1]);
    }
    ney_c_doubles(&p->c, "output", weight + ney_network_weight_at(shape, L),
                  ney_network_inputs(shape, L));
}

static void put_network_score(const ney_c_plan *p)
{
    ney_network shape;
    const double *weight, *bias;
    char factor[80], last[240] = "";
    (void)ney_model_network(p->model, &shape, &weight, &bias);
    const bool is_relu = shape.activation == NEY_ACTIVATION_RELU;
    put_network_tables(p, &shape, weight, bias);
    const char *const feature = put_row(p);
    snprintf(factor, sizeof factor, "@_weight[j * %lld + i]", (long long)shape.units[0]);
    if (shape.units[1] == 0) {
        put_layer(p, feature, shape.units[0], "@_bias[i]", factor,
                  is_relu ? "sum += @_output[i] * (z > 0.0 ? z : 0.0)"
                          : "sum += @_output[i] * tanh(z)");
        put_score_end(p, bias[ney_network_units(&shape)]);
        return;
    }
    put_second_layer(p, &shape, last, sizeof last);
    put_layer(p, feature, shape.units[0], "@_bias[i]", factor, last);
    ney_c_put(&p->c, "    for (i = 0; i < ");
    ney_c_int(&p->c, shape.units[1]);
    ney_c_put(&p->c, is_relu
                         ? "; i++) {\n        sum += @_output[i] * (second[i] > 0.0 ? second[i] "
                           ": 0.0);\n    }\n"
                         : "; i++) {\n        sum += @_output[i] * tanh(second[i]);\n    }\n");
    put_score_end(p, bias[ney_network_units(&shape)]);
}

/* What makes the score NAN: a cell beyond single precision, and a missing one unless it is kept. */
static void put_refusals(const ney_c_plan *p, const char *feature)
{
    if (p->preprocessing->missing == NEY_MISSING_KEEP) {
        ney_c_put(&p->c, "    for (j = 0; j < ");
        ney_c_int(&p->c, p->inputs);
        ney_c_put(&p->c, "; j++) {\n        if (x[j] == x[j] && !(fabs(x[j]) < 0x1.ffffffp127)) {");
    } else {
        ney_c_put(&p->c, "    for (j = 0; j < ");
        ney_c_int(&p->c, p->cols);
        ney_c_put(&p->c, "; j++) {\n        const float v = ");
        ney_c_put(&p->c, feature);
        ney_c_put(&p->c, ";\n\n        if (v != v) {");
    }
    ney_c_put(&p->c, "\n            return (double)NAN;\n        }\n    }\n");
}

static void put_trees_arrays(const ney_c_plan *p, const ney_trees *t, int32_t *index, float *value)
{
    const int64_t n = t->start[t->n];
    ney_c_put(&p->c,
              "/* Trees: where each begins; of every node the column (-1: a leaf), the right "
              "child, whether a missing\n * value goes left, and the threshold or the value "
              "of the leaf. The left child is next. */\n");
    ney_c_longs(&p->c, "tree_start", t->start, t->n);
    for (int part = 0; part < 3; part++) {
        static const char *const names[] = {"tree_column", "tree_right", "tree_missing_left"};
        for (int64_t i = 0; i < n; i++) {
            const ney_tree_node *const node = &t->node[i];
            index[i] = part == 0 ? node->column : part == 1 ? node->right : node->missing_left;
            value[i] = node->value;
        }
        ney_c_indices(&p->c, names[part], index, n);
    }
    ney_c_floats(&p->c, "tree_value", value, n);
}

static void put_trees_score(const ney_c_plan *p)
{
    const ney_trees *const t = ney_model_trees(p->model);
    const ney_env *const env = &p->model->env;
    int32_t *const index = ney_alloc(env, t->start[t->n], sizeof *index);
    float *const value = ney_alloc(env, t->start[t->n], sizeof *value);
    if (!index || !value) {
        p->c.text->failed = true;
    } else {
        put_trees_arrays(p, t, index, value);
    }
    ney_release_all(env, value, index);
    const char *const feature = put_row(p);
    put_refusals(p, feature);
    ney_c_put(&p->c, "    sum = ");
    ney_c_double(&p->c, t->intercept);
    ney_c_put(&p->c, ";\n    for (i = 0; i < ");
    ney_c_int(&p->c, t->n);
    ney_c_put(&p->c, "; i++) {\n        long k = @_tree_start[i];\n\n"
                     "        while (@_tree_column[k] >= 0) {\n            float v;\n\n"
                     "            j = @_tree_column[k];\n            v = ");
    ney_c_put(&p->c, feature);
    ney_c_put(&p->c,
              ";\n            k = (v != v ? @_tree_missing_left[k] != 0 : v < @_tree_value[k]) "
              "? k + 1 : @_tree_right[k];\n        }\n"
              "        sum += (double)@_tree_value[k];\n    }\n");
    put_score_end(p, 0);
}

ney_c_put_score *ney_c_score_writer(const ney_family *family)
{
    static const struct {
        const ney_family *family;
        ney_c_put_score *put;
    } writers[] = {
        {&ney_family_linear, put_linear},           {&ney_family_kernel, put_kernel_score},
        {&ney_family_features, put_features_score}, {&ney_family_network, put_network_score},
        {&ney_family_trees, put_trees_score},
    };
    for (size_t k = 0; k < sizeof writers / sizeof *writers; k++) {
        if (writers[k].family == family) {
            return writers[k].put;
        }
    }
    return NULL;
}
