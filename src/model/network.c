/* The network family: f(x) = sum_k w_k tanh(W_k'x + b_k) + b, one hidden layer. */
#include "linalg/layer.h"
#include "linalg/rows.h"
#include "model/model.h"
#include "model/numbers.h"
#include "model/online.h"

#include <string.h>

typedef struct network {
    int64_t cols, units;
    double *weight; /* column after column, `units` each; then w_k */
    double *bias;   /* b_k, then b */
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

static network *network_new(const ney_env *env, int64_t cols, int64_t units)
{
    network *net = ney_alloc_zeroed(env, 1, sizeof *net);
    if (!net) {
        return NULL;
    }
    net->cols = cols;
    net->units = units;
    net->weight = ney_alloc_zeroed(env, (cols + 1) * units, sizeof *net->weight);
    net->bias = ney_alloc_zeroed(env, units + 1, sizeof *net->bias);
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

static void network_format(const void *part, ney_text *text)
{
    const network *const net = part;
    const int64_t H = net->units;
    ney_text_put(text, "units ");
    ney_text_int(text, H);
    ney_text_put(text, "\nintercept ");
    ney_text_number(text, net->bias[H]);
    ney_text_put(text, "\nbiases");
    put_numbers(text, net->bias, H);
    ney_text_put(text, "output");
    put_numbers(text, net->weight + net->cols * H, H);
    ney_text_line_int(text, "weights", net->cols);
    for (int64_t c = 0; c < net->cols; c++) {
        put_numbers(text, net->weight + c * H, H);
    }
}

static void read_numbers(ney_fields *f, const char *what, double *value, int64_t n)
{
    for (int64_t k = 0; k < n && f->status == NEY_OK; k++) {
        value[k] = ney_finite(f, what);
    }
    ney_fields_end(f);
}

static void read_layers(ney_fields *f, network *net, int64_t cols)
{
    const int64_t H = net->units;
    ney_fields_key(f, "intercept");
    read_numbers(f, "intercept", net->bias + H, 1);
    ney_fields_key(f, "biases");
    read_numbers(f, "bias", net->bias, H);
    ney_fields_key(f, "output");
    read_numbers(f, "weight", net->weight + cols * H, H);
    const int64_t n = ney_fields_int_line(f, "weights", 0, INT64_MAX);
    if (f->status == NEY_OK && n != cols) {
        ney_fields_fail(f, "weights of %lld columns, expected %lld", (long long)n, (long long)cols);
    }
    for (int64_t c = 0; c < cols && f->status == NEY_OK; c++) {
        read_numbers(f, "weight", net->weight + c * H, H);
    }
}

static void *network_parse(ney_fields *f, int64_t cols)
{
    const int64_t H = ney_fields_int_line(f, "units", 1, INT32_MAX);
    if (f->status == NEY_OK && (double)H * (double)(cols + 2) > (double)(f->end - f->at) / 2) {
        ney_fields_fail(f, "expected %lld units, the file is shorter", (long long)H);
    }
    if (f->status != NEY_OK) {
        return NULL;
    }
    network *net = network_new(f->env, cols, H);
    if (!net) {
        f->status = ney_no_memory(f->err, H, "units");
        return NULL;
    }
    read_layers(f, net, cols);
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
    const int64_t cols = net->cols < PANEL ? net->cols : PANEL;
    return TILE * (net->units + cols) * (int64_t)sizeof(double);
}

static double network_work(const void *part)
{
    const network *const net = part;
    return (double)net->units * (double)(net->cols + 20);
}

/* sum += W'x of dense rows, all of them at once; `work` is a workspace of TILE * PANEL numbers, or
 * TILE times the columns if these are fewer. */
static void add_dense(const network *net, const ney_matrix *x, int64_t first, int64_t n,
                      double *sum, double *work)
{
    const int64_t cols = x->cols < net->cols ? x->cols : net->cols;
    for (int64_t begin = 0; begin < cols; begin += PANEL) {
        const int64_t wide = cols - begin < PANEL ? cols - begin : PANEL;
        for (int64_t i = 0; i < n; i++) {
            const float *const from = x->dense + (first + i) * x->cols + begin;
            for (int64_t c = 0; c < wide; c++) {
                work[i * wide + c] = (double)from[c];
            }
        }
        const ney_submatrix rows = {work, wide, 1};
        const ney_submatrix weight = {net->weight + begin * net->units, net->units, 1};
        ney_layer_product(rows, weight, n, wide, net->units, sum, net->units);
    }
}

static void add_sparse(const network *net, const ney_matrix *x, int64_t row, double *sum)
{
    const ney_entries e = ney_entries_of(x, row, net->cols, NULL, NULL); /* sparse: stay in place */
    ney_layer_sparse(e.index, e.value, e.n, net->weight, net->units, sum);
}

static void score_tile(const network *net, const ney_matrix *x, int64_t first, int64_t n,
                       double *out, double *work)
{
    const int64_t H = net->units;
    const double *const top = net->weight + net->cols * H;
    for (int64_t i = 0; i < n; i++) {
        memcpy(work + i * H, net->bias, (size_t)H * sizeof *work);
        if (!x->dense) {
            add_sparse(net, x, first + i, work + i * H);
        }
    }
    if (x->dense) {
        add_dense(net, x, first, n, work, work + n * H);
    }
    ney_layer_tanh(work, n * H);
    for (int64_t i = 0; i < n; i++) {
        double f = net->bias[H];
        for (int64_t k = 0; k < H; k++) {
            f += top[k] * work[i * H + k];
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
                                 const ney_preprocessing *preprocessing, int64_t units,
                                 const double *weight, const double *bias, ney_error *err)
{
    const int64_t cols = ney_preprocessing_cols(preprocessing);
    ney_status st;

    *out = NULL;
    if ((st = ney_check_finite(weight, (cols + 1) * units, "weight", err)) != NEY_OK ||
        (st = ney_check_finite(bias, units + 1, "bias", err)) != NEY_OK) {
        return st;
    }
    network *const net = network_new(env, cols, units);
    if (!net) {
        return ney_no_memory(err, units, "units");
    }
    memcpy(net->weight, weight, (size_t)((cols + 1) * units) * sizeof *weight);
    memcpy(net->bias, bias, (size_t)(units + 1) * sizeof *bias);
    return ney_model_with_part(out, env, preprocessing, &ney_family_network, net, err);
}

bool ney_model_network(const ney_model *m, int64_t *units, const double **weight,
                       const double **bias)
{
    if (m->family != &ney_family_network) {
        return false;
    }
    const network *const net = m->part;
    *units = net->units;
    *weight = net->weight;
    *bias = net->bias;
    return true;
}
