#include "learn/online/sgd_batch.h"

#include "linalg/layer.h"
#include "linalg/vector.h"

#include <string.h>

/* Entries of a batch of sparse rows. Where rows have many, fewer of them make a batch, and each is
 * work enough. */
enum { MOST_ENTRIES = 1 << 13 };

/* ---- memory */

static ney_status shared_init(ney_shared_columns *h, const ney_env *env, int64_t cols,
                              ney_error *err)
{
    h->last = ney_alloc(env, cols + (int64_t)2 * MOST_ENTRIES, sizeof *h->last);
    h->value = ney_alloc(env, MOST_ENTRIES, sizeof *h->value);
    if (!h->last || !h->value) {
        return ney_no_memory(err, cols, "columns");
    }
    h->before = h->last + cols;
    h->row = h->before + MOST_ENTRIES;
    memset(h->last, -1, (size_t)cols * sizeof *h->last);
    return NEY_OK;
}

ney_status ney_sgd_batch_init(ney_sgd_batch *b, const ney_sgd *s, int64_t most, bool dense,
                              ney_error *err)
{
    const ney_network *const shape = &s->shape;
    const int L = ney_network_layers(shape);
    const int64_t columns = dense ? shape->cols : 0, square = most * most;
    const int64_t first = columns * shape->units[0], second = shape->units[0] * shape->units[1];
    *b = (ney_sgd_batch){.env = s->env, .most = most, .cols = shape->cols};
    b->place = ney_alloc(&s->env, most, sizeof *b->place);
    b->live = ney_alloc(&s->env, most, sizeof *b->live);
    b->block = ney_alloc(&s->env,
                         2 * most + (L + 1) * square + 2 * most * ney_network_units(shape) +
                             columns * most + (first > second ? first : second),
                         sizeof *b->block);
    if (!b->place || !b->live || !b->block) {
        return ney_no_memory(err, most, "rows of a batch");
    }
    b->score = b->block;
    b->move = b->score + most;
    b->gram = b->move + most;
    b->inner = b->gram + square;
    b->outer = b->inner + square;
    double *at = b->gram + (L + 1) * square;
    for (int l = 0; l < L; l++) {
        b->hidden[l] = at;
        b->back[l] = at + most * shape->units[l];
        at += 2 * most * shape->units[l];
    }
    b->x = at;
    b->moved = b->x + most * columns;
    return dense ? NEY_OK : shared_init(&b->shared, &s->env, shape->cols, err);
}

void ney_sgd_batch_deinit(ney_sgd_batch *b)
{
    ney_release(&b->env, b->place);
    ney_release(&b->env, b->live);
    ney_release(&b->env, b->block);
    ney_release(&b->env, b->shared.last);
    ney_release(&b->env, b->shared.value);
    *b = (ney_sgd_batch){0};
}

/* ---- forward */

bool ney_sgd_batch_take(ney_sgd_batch *b, const ney_matrix *x, int64_t row)
{
    const int64_t entries = x->dense ? 0 : x->start[row + 1] - x->start[row];
    if (b->n == b->most || (b->n > 0 && b->shared.n + entries > MOST_ENTRIES)) {
        return false;
    }
    if (x->dense) {
        const float *const from = x->dense + row * x->cols;
        double *const to = b->x + b->n * b->cols;
        for (int64_t c = 0; c < b->cols; c++) {
            to[c] = (double)from[c];
        }
    }
    b->shared.n += entries;
    b->place[b->n++] = (ney_row_at){.x = x, .row = row};
    return true;
}

/* a_1 = X v, of all units. */
static void add_inputs(ney_sgd_batch *b, const ney_sgd *s)
{
    const int64_t H = s->shape.units[0];
    memset(b->hidden[0], 0, (size_t)(b->n * H) * sizeof *b->hidden[0]);
    if (b->place[0].x->dense) {
        const ney_submatrix x = {b->x, b->cols, 1}, v = {s->v, H, 1};
        ney_layer_product(x, v, b->n, b->cols, H, b->hidden[0], H);
        return;
    }
    for (int64_t i = 0; i < b->n; i++) {
        const ney_matrix *x = b->place[i].x;
        const int64_t at = x->start[b->place[i].row], end = x->start[b->place[i].row + 1];
        ney_layer_sparse(x->index + at, x->value + at, end - at, s->v, H, b->hidden[0] + i * H);
    }
}

/* a_l = a_(l-1) v. */
static void add_hidden(ney_sgd_batch *b, const ney_sgd *s, int l)
{
    const int64_t H = s->shape.units[l], before = s->shape.units[l - 1];
    const ney_submatrix a = {b->hidden[l - 1], before, 1};
    const ney_submatrix v = {s->v + ney_network_weight_at(&s->shape, l), H, 1};
    memset(b->hidden[l], 0, (size_t)(b->n * H) * sizeof *b->hidden[l]);
    ney_layer_product(a, v, b->n, before, H, b->hidden[l], H);
}

/* From a_l = a_(l-1) v to the layer's units. */
static void activate_units(ney_sgd_batch *b, const ney_sgd *s, int l)
{
    const int64_t H = s->shape.units[l];
    const double *const bias = s->b + ney_network_bias_at(&s->shape, l);
    for (int64_t i = 0; i < b->n; i++) {
        double *const hidden = b->hidden[l] + i * H;
        for (int64_t k = 0; k < H; k++) {
            hidden[k] = bias[k] + s->scale * hidden[k];
        }
    }
    ney_layer_activate(s->shape.activation, b->hidden[l], b->n * H);
}

void ney_sgd_batch_score(ney_sgd_batch *b, const ney_sgd *s)
{
    const int L = ney_network_layers(&s->shape);
    const int64_t H = s->shape.units[L - 1];
    const double *const top = s->v + ney_network_weight_at(&s->shape, L);
    add_inputs(b, s);
    activate_units(b, s, 0);
    if (L > 1) {
        add_hidden(b, s, 1);
        activate_units(b, s, 1);
    }
    for (int64_t i = 0; i < b->n; i++) {
        const double *const hidden = b->hidden[L - 1] + i * H;
        double f = s->b[s->m - 1];
        for (int64_t k = 0; k < H; k++) {
            f += s->scale * top[k] * hidden[k];
        }
        b->score[i] = f;
    }
}

/* ---- what the rows have to do with each other */

/* out_ij += a_i'a_j for j >= i, the live rows of `a` having k numbers each. Some products below the
 * diagonal are made as well: tiles are square. */
static void add_products(const ney_sgd_batch *b, const double *a, int64_t k, double *out)
{
    enum { TILE = 16 };
    const int64_t n = b->n_live;
    for (int64_t i = 0; i < n; i += TILE) {
        const int64_t rows = n - i < TILE ? n - i : TILE;
        const ney_submatrix left = {a + i * k, k, 1}, right = {a + i * k, 1, k};
        ney_layer_product(left, right, rows, k, n - i, out + i * b->most + i, b->most);
    }
}

/* The same for sparse rows: an entry meets those of rows before it in its column. */
static void add_sparse_products(ney_sgd_batch *b, double *out)
{
    ney_shared_columns *const h = &b->shared;
    int64_t n = 0;
    for (int64_t i = 0; i < b->n_live; i++) {
        const ney_matrix *x = b->place[i].x;
        const int64_t begin = x->start[b->place[i].row], end = x->start[b->place[i].row + 1];
        for (int64_t k = begin; k < end; k++) {
            const double value = (double)x->value[k];
            out[i * b->most + i] += value * value;
            for (int32_t e = h->last[x->index[k]]; e >= 0; e = h->before[e]) {
                out[h->row[e] * b->most + i] += value * (double)h->value[e];
            }
        }
        for (int64_t k = begin; b->n_live > 1 && k < end; k++, n++) {
            h->before[n] = h->last[x->index[k]];
            h->row[n] = (int32_t)i;
            h->value[n] = x->value[k];
            h->last[x->index[k]] = (int32_t)n;
        }
    }
    for (int64_t i = 0; i < b->n_live; i++) {
        const ney_matrix *x = b->place[i].x;
        for (int64_t k = x->start[b->place[i].row]; k < x->start[b->place[i].row + 1]; k++) {
            h->last[x->index[k]] = -1;
        }
    }
}

/* ---- back through the layers, of live rows */

/* Only live rows are needed from here on: they move to the front. */
static void move_up(ney_sgd_batch *b, const ney_network *shape)
{
    const bool dense = b->place[0].x->dense != NULL;
    for (int64_t i = 0; i < b->n_live; i++) {
        const int64_t from = b->live[i];
        b->place[i] = b->place[from];
        for (int l = 0; from > i && l < ney_network_layers(shape); l++) {
            const int64_t H = shape->units[l];
            memcpy(b->hidden[l] + i * H, b->hidden[l] + from * H, (size_t)H * sizeof *b->hidden[l]);
        }
        if (from > i && dense) {
            memcpy(b->x + i * b->cols, b->x + from * b->cols, (size_t)b->cols * sizeof *b->x);
        }
    }
}

/* [BATCH.3] */
static void pass_back(ney_sgd_batch *b, const ney_sgd *s)
{
    const int L = ney_network_layers(&s->shape);
    const double *const top = s->v + ney_network_weight_at(&s->shape, L);
    for (int l = L - 1; l >= 0; l--) {
        const int64_t H = s->shape.units[l], n = b->n_live;
        double *const back = b->back[l];
        if (l == L - 1) {
            for (int64_t i = 0; i < n * H; i++) {
                back[i] = s->scale * top[i % H];
            }
        } else {
            const int64_t after = s->shape.units[l + 1];
            const ney_submatrix r = {b->back[l + 1], after, 1};
            const ney_submatrix v = {s->v + ney_network_weight_at(&s->shape, l + 1), 1, after};
            memset(back, 0, (size_t)(n * H) * sizeof *back);
            ney_layer_product(r, v, n, after, H, back, H);
            for (int64_t i = 0; i < n * H; i++) {
                back[i] *= s->scale;
            }
        }
        ney_layer_times_slope(s->shape.activation, b->hidden[l], back, n * H);
    }
}

static void clear_products(const ney_sgd_batch *b, double *out)
{
    memset(out, 0, (size_t)(b->n_live * b->most) * sizeof *out);
}

/* gram = 1 + inner (gram + 1) of the first layer; gram += inner (outer + 1) of the others. */
static void relate_layer(ney_sgd_batch *b, const ney_sgd *s, int l)
{
    double *const before = l == 0 ? b->gram : b->outer;
    clear_products(b, b->inner);
    clear_products(b, before);
    if (l > 0) {
        add_products(b, b->hidden[l - 1], s->shape.units[l - 1], before);
    } else if (b->place[0].x->dense) {
        add_products(b, b->x, b->cols, before);
    } else {
        add_sparse_products(b, before);
    }
    add_products(b, b->back[l], s->shape.units[l], b->inner);
    for (int64_t i = 0; i < b->n_live; i++) {
        for (int64_t j = i; j < b->n_live; j++) {
            const int64_t at = i * b->most + j;
            b->gram[at] = (l == 0 ? 1 : b->gram[at]) + b->inner[at] * (before[at] + 1);
        }
    }
}

void ney_sgd_batch_relate(ney_sgd_batch *b, const ney_sgd *s)
{
    const int L = ney_network_layers(&s->shape);
    move_up(b, &s->shape);
    pass_back(b, s);
    for (int l = 0; l < L; l++) {
        relate_layer(b, s, l);
    }
    add_products(b, b->hidden[L - 1], s->shape.units[L - 1], b->gram);
}

/* ---- backward */

/* v += d, and the sum that the average is made of stays as it was. */
static void move_weights(ney_sgd *s, int64_t at, const double *d, int64_t n, double t)
{
    ney_vector_axpy(t, d, s->v + at, n);
    if (s->count > 0) {
        ney_vector_axpy(-t * s->mass, d, s->u + at, n);
    }
}

/* v += a'r of n live rows: a of k numbers, r of H, which is the row's share of the step. */
static void move_layer(ney_sgd_batch *b, ney_sgd *s, int l, const double *a, int64_t k)
{
    const int64_t H = s->shape.units[l];
    const ney_submatrix inputs = {a, 1, k}, back = {b->back[l], H, 1};
    memset(b->moved, 0, (size_t)(k * H) * sizeof *b->moved);
    ney_layer_product(inputs, back, k, b->n_live, H, b->moved, H);
    move_weights(s, ney_network_weight_at(&s->shape, l), b->moved, k * H, 1);
}

static void move_inputs(ney_sgd_batch *b, ney_sgd *s)
{
    const int64_t H = s->shape.units[0];
    if (b->place[0].x->dense) {
        move_layer(b, s, 0, b->x, b->cols);
        return;
    }
    for (int64_t i = 0; i < b->n_live; i++) {
        const ney_matrix *x = b->place[i].x;
        const int64_t at = x->start[b->place[i].row], n = x->start[b->place[i].row + 1] - at;
        double *const back = b->back[0] + i * H;
        if (b->move[i] == 0) {
            continue;
        }
        ney_layer_spread(x->index + at, x->value + at, n, back, H, s->v);
        for (int64_t k = 0; k < H; k++) {
            back[k] *= -s->mass;
        }
        if (s->count > 0) {
            ney_layer_spread(x->index + at, x->value + at, n, back, H, s->u);
        }
    }
}

/* The intercepts of a layer; from here on r_l of a row is its share of the step. */
static void move_biases(ney_sgd_batch *b, ney_sgd *s, int l)
{
    const int64_t H = s->shape.units[l];
    double *const bias = s->b + ney_network_bias_at(&s->shape, l);
    for (int64_t i = 0; i < b->n_live; i++) {
        double *const back = b->back[l] + i * H;
        const double t = b->move[i] / s->scale;
        if (t != 0) {
            ney_vector_axpy(b->move[i], back, bias, H);
        }
        for (int64_t k = 0; k < H; k++) {
            back[k] *= t;
        }
    }
}

void ney_sgd_batch_step(ney_sgd_batch *b, ney_sgd *s, double shrink)
{
    const int L = ney_network_layers(&s->shape);
    const int64_t H = s->shape.units[L - 1], top = ney_network_weight_at(&s->shape, L);
    ney_sgd_shrink(s, shrink);
    for (int64_t i = 0; i < b->n_live; i++) {
        if (b->move[i] != 0) {
            move_weights(s, top, b->hidden[L - 1] + i * H, H, b->move[i] / s->scale);
            s->b[s->m - 1] += b->move[i];
        }
    }
    for (int l = 0; l < L; l++) {
        move_biases(b, s, l);
    }
    if (b->n_live > 0) {
        move_inputs(b, s);
        if (L > 1) {
            move_layer(b, s, 1, b->hidden[0], s->shape.units[0]);
        }
    }
    ney_sgd_count(s);
    ney_sgd_batch_clear(b);
}

void ney_sgd_batch_clear(ney_sgd_batch *b)
{
    b->n = b->n_live = b->shared.n = 0;
}
