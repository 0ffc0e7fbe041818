/* The network family: one or two hidden layers, as linalg/network.h says. */
#include "linalg/layer.h"
#include "linalg/rows.h"
#include "model/model.h"
#include "model/numbers.h"
#include "model/online.h"

#include <string.h>

typedef struct network {
    ney_network shape;
    double *weight, *bias; /* as linalg/network.h says */
} network;

static void network_free(const ney_env *env, void *part)
{
    network *const net = part;
    if (net) {
        ney_release(env, net->weight);
        ney_release(env, net->bias);
        ney_release(env, net);
    }
}

static network *network_new(const ney_env *env, const ney_network *shape)
{
    network *net = ney_alloc_zeroed(env, 1, sizeof *net);
    if (!net) {
        return NULL;
    }
    net->shape = *shape;
    net->weight = ney_alloc_zeroed(env, ney_network_weights(shape), sizeof *net->weight);
    net->bias = ney_alloc_zeroed(env, ney_network_biases(shape), sizeof *net->bias);
    if (!net->weight || !net->bias) {
        network_free(env, net);
        return NULL;
    }
    return net;
}

static void put_numbers(ney_text *text, const double *value, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        ney_text_field_number(text, value[k]);
    }
    ney_text_put(text, "\n");
}

/* Tanh is not named: files of one layer of it are those of version 1. */
static void format_shape(const ney_network *shape, ney_text *text)
{
    ney_text_put(text, "units ");
    ney_text_int(text, shape->units[0]);
    if (shape->units[1] > 0) {
        ney_text_field_int(text, shape->units[1]);
    }
    ney_text_put(text, shape->activation == NEY_ACTIVATION_RELU ? "\nactivation relu" : "");
}

static void network_format(const void *part, ney_text *text)
{
    const network *const net = part;
    const ney_network *const shape = &net->shape;
    const int L = ney_network_layers(shape);
    format_shape(shape, text);
    ney_text_put(text, "\nintercept ");
    ney_text_number(text, net->bias[ney_network_units(shape)]);
    ney_text_put(text, "\nbiases");
    put_numbers(text, net->bias, ney_network_units(shape));
    ney_text_put(text, "output");
    put_numbers(text, net->weight + ney_network_weight_at(shape, L), ney_network_inputs(shape, L));
    for (int l = 0; l < L; l++) {
        const double *const weight = net->weight + ney_network_weight_at(shape, l);
        ney_text_line_int(text, l == 0 ? "weights" : "weights_2", ney_network_inputs(shape, l));
        for (int64_t c = 0; c < ney_network_inputs(shape, l); c++) {
            put_numbers(text, weight + c * shape->units[l], shape->units[l]);
        }
    }
}

static void read_numbers(ney_fields *f, const char *what, double *value, int64_t n)
{
    for (int64_t k = 0; k < n && f->status == NEY_OK; k++) {
        value[k] = ney_finite(f, what);
    }
    ney_fields_end(f);
}

static void read_layer(ney_fields *f, network *net, int l)
{
    const int64_t H = net->shape.units[l], inputs = ney_network_inputs(&net->shape, l);
    double *const weight = net->weight + ney_network_weight_at(&net->shape, l);
    const int64_t n = ney_fields_int_line(f, l == 0 ? "weights" : "weights_2", 0, INT64_MAX);
    if (f->status == NEY_OK && n != inputs) {
        ney_fields_fail(f, "weights of %lld %s, expected %lld", (long long)n,
                        l == 0 ? "columns" : "units", (long long)inputs);
    }
    for (int64_t c = 0; c < inputs && f->status == NEY_OK; c++) {
        read_numbers(f, "weight", weight + c * H, H);
    }
}

static void read_layers(ney_fields *f, network *net)
{
    const ney_network *const shape = &net->shape;
    const int L = ney_network_layers(shape);
    ney_fields_key(f, "intercept");
    read_numbers(f, "intercept", net->bias + ney_network_units(shape), 1);
    ney_fields_key(f, "biases");
    read_numbers(f, "bias", net->bias, ney_network_units(shape));
    ney_fields_key(f, "output");
    read_numbers(f, "weight", net->weight + ney_network_weight_at(shape, L),
                 ney_network_inputs(shape, L));
    for (int l = 0; l < L; l++) {
        read_layer(f, net, l);
    }
}

static void read_shape(ney_fields *f, ney_network *shape)
{
    static const char *const names[] = {"tanh", "relu"};
    ney_fields_key(f, "units");
    shape->units[0] = ney_fields_int(f, 1, INT32_MAX);
    if (f->status == NEY_OK && !ney_fields_at_end(f)) {
        shape->units[1] = ney_fields_int(f, 1, INT32_MAX);
    }
    ney_fields_end(f);
    if (f->status == NEY_OK && ney_fields_is(f, "activation")) {
        ney_fields_key(f, "activation");
        shape->activation = (ney_activation)ney_fields_choice(f, names, 2);
        ney_fields_end(f);
    }
}

/* Numbers of the file, two bytes each at least, in double: counts may be beyond all sizes. */
static double least_bytes(const ney_network *shape)
{
    const double first = (double)shape->units[0], second = (double)shape->units[1];
    return 2 * (first * (double)(shape->cols + 1) + second * (first + 1) +
                (second > 0 ? second : first) + 1);
}

static void *network_parse(ney_fields *f, int64_t cols)
{
    ney_network shape = {.cols = cols};
    read_shape(f, &shape);
    if (f->status == NEY_OK && least_bytes(&shape) > (double)(f->end - f->at)) {
        ney_fields_fail(f, "expected %lld units, the file is shorter",
                        (long long)(shape.units[0] + shape.units[1]));
    }
    if (f->status != NEY_OK) {
        return NULL;
    }
    network *net = network_new(f->env, &shape);
    if (!net) {
        f->status = ney_no_memory(f->err, shape.units[0], "units");
        return NULL;
    }
    read_layers(f, net);
    if (f->status != NEY_OK) {
        network_free(f->env, net);
        return NULL;
    }
    return net;
}

enum { TILE = 16, PANEL = 512 }; /* rows scored at once, and columns of them that are doubles */

static int64_t network_scratch(const void *part)
{
    const network *const net = part;
    const int64_t cols = net->shape.cols < PANEL ? net->shape.cols : PANEL;
    return TILE * (ney_network_units(&net->shape) + cols) * (int64_t)sizeof(double);
}

static double network_work(const void *part)
{
    const ney_network *const shape = &((const network *)part)->shape;
    return (double)shape->units[0] * (double)(shape->cols + 20) +
           (double)shape->units[1] * (double)(shape->units[0] + 20);
}

/* sum += W'x of dense rows, all of them at once; `work` is a workspace of TILE * PANEL numbers, or
 * TILE times the columns if these are fewer. */
static void add_dense(const network *net, const ney_matrix *x, int64_t first, int64_t n,
                      double *sum, double *work)
{
    const int64_t cols = x->cols < net->shape.cols ? x->cols : net->shape.cols;
    for (int64_t begin = 0; begin < cols; begin += PANEL) {
        const int64_t wide = cols - begin < PANEL ? cols - begin : PANEL;
        for (int64_t i = 0; i < n; i++) {
            const float *const from = x->dense + (first + i) * x->cols + begin;
            for (int64_t c = 0; c < wide; c++) {
                work[i * wide + c] = (double)from[c];
            }
        }
        const ney_submatrix rows = {work, wide, 1};
        const ney_submatrix weight = {net->weight + begin * net->shape.units[0],
                                      net->shape.units[0], 1};
        ney_layer_product(rows, weight, n, wide, net->shape.units[0], sum, net->shape.units[0]);
    }
}

static void add_sparse(const network *net, const ney_matrix *x, int64_t row, double *sum)
{
    const ney_entries e =
        ney_entries_of(x, row, net->shape.cols, NULL, NULL); /* sparse: stay in place */
    ney_layer_sparse(e.index, e.value, e.n, net->weight, net->shape.units[0], sum);
}

/* The first hidden layer, before its activation. */
static void add_inputs(const network *net, const ney_matrix *x, int64_t first, int64_t n,
                       double *sum, double *work)
{
    const int64_t H = net->shape.units[0];
    for (int64_t i = 0; i < n; i++) {
        memcpy(sum + i * H, net->bias, (size_t)H * sizeof *sum);
        if (!x->dense) {
            add_sparse(net, x, first + i, sum + i * H);
        }
    }
    if (x->dense) {
        add_dense(net, x, first, n, sum, work);
    }
}

/* The second one. */
static void add_hidden(const network *net, const double *hidden, int64_t n, double *sum)
{
    const int64_t before = net->shape.units[0], H = net->shape.units[1];
    const ney_submatrix units = {hidden, before, 1};
    const ney_submatrix weight = {net->weight + ney_network_weight_at(&net->shape, 1), H, 1};
    for (int64_t i = 0; i < n; i++) {
        memcpy(sum + i * H, net->bias + before, (size_t)H * sizeof *sum);
    }
    ney_layer_product(units, weight, n, before, H, sum, H);
}

static void score_tile(const network *net, const ney_matrix *x, int64_t first, int64_t n,
                       double *out, double *work)
{
    const ney_network *const shape = &net->shape;
    const int L = ney_network_layers(shape);
    const int64_t H = ney_network_inputs(shape, L);
    const double *const top = net->weight + ney_network_weight_at(shape, L);
    double *hidden = work;
    add_inputs(net, x, first, n, hidden, work + n * ney_network_units(shape));
    ney_layer_activate(shape->activation, hidden, n * shape->units[0]);
    if (L > 1) {
        hidden = work + n * shape->units[0];
        add_hidden(net, work, n, hidden);
        ney_layer_activate(shape->activation, hidden, n * H);
    }
    for (int64_t i = 0; i < n; i++) {
        double f = net->bias[ney_network_units(shape)];
        for (int64_t k = 0; k < H; k++) {
            f += top[k] * hidden[i * H + k];
        }
        out[i] = f;
    }
}

static void network_score_block(const void *part, const ney_matrix *x, int64_t first, int64_t n,
                                double *out, void *work)
{
    for (int64_t i = 0; i < n; i += TILE) {
        score_tile(part, x, first + i, n - i < TILE ? n - i : TILE, out + i, work);
    }
}

const ney_family ney_family_network = {
    .name = "network",
    .option = "network",
    .format = network_format,
    .parse = network_parse,
    .scratch = network_scratch,
    .work = network_work,
    .score_block = network_score_block,
    .free = network_free,
};

ney_status ney_model_new_network(ney_model **out, const ney_env *env,
                                 const ney_preprocessing *preprocessing, const ney_network *shape,
                                 const double *weight, const double *bias, ney_error *err)
{
    const int64_t n = ney_network_weights(shape), m = ney_network_biases(shape);
    ney_status st;

    *out = NULL;
    if ((st = ney_check_finite(weight, n, "weight", err)) != NEY_OK ||
        (st = ney_check_finite(bias, m, "bias", err)) != NEY_OK) {
        return st;
    }
    network *const net = network_new(env, shape);
    if (!net) {
        return ney_no_memory(err, ney_network_units(shape), "units");
    }
    memcpy(net->weight, weight, (size_t)n * sizeof *weight);
    memcpy(net->bias, bias, (size_t)m * sizeof *bias);
    return ney_model_with_part(out, env, preprocessing, &ney_family_network, net, err);
}

bool ney_model_network(const ney_model *m, ney_network *shape, const double **weight,
                       const double **bias)
{
    if (m->family != &ney_family_network) {
        return false;
    }
    const network *const net = m->part;
    *shape = net->shape;
    *weight = net->weight;
    *bias = net->bias;
    return true;
}
