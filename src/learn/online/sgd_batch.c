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
    const int64_t H = s->units, columns = dense ? s->cols : 0;
    *b = (ney_sgd_batch){.env = s->env, .most = most, .cols = s->cols};
    b->place = ney_alloc(&s->env, most, sizeof *b->place);
    b->live = ney_alloc(&s->env, most, sizeof *b->live);
    b->block = ney_alloc(&s->env, 2 * most + 2 * most * most + 2 * most * H + columns * (most + H),
                         sizeof *b->block);
    if (!b->place || !b->live || !b->block) {
        return ney_no_memory(err, most, "rows of a batch");
    }
    b->score = b->block;
    b->move = b->score + most;
    b->gram = b->move + most;
    b->inner = b->gram + most * most;
    b->hidden = b->inner + most * most;
    b->back = b->hidden + most * H;
    b->x = b->back + most * H;
    b->moved = b->x + most * columns;
    return dense ? NEY_OK : shared_init(&b->shared, &s->env, s->cols, err);
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

/* hidden = X v, of all units. */
static void add_inputs(ney_sgd_batch *b, const ney_sgd *s)
{
    const int64_t H = s->units;
    memset(b->hidden, 0, (size_t)(b->n * H) * sizeof *b->hidden);
    if (b->place[0].x->dense) {
        const ney_submatrix x = {b->x, b->cols, 1}, v = {s->v, H, 1};
        ney_layer_product(x, v, b->n, b->cols, H, b->hidden, H);
        return;
    }
    for (int64_t i = 0; i < b->n; i++) {
        const ney_matrix *x = b->place[i].x;
        const int64_t at = x->start[b->place[i].row], end = x->start[b->place[i].row + 1];
        ney_layer_sparse(x->index + at, x->value + at, end - at, s->v, H, b->hidden + i * H);
    }
}

static void activate_units(ney_sgd_batch *b, const ney_sgd *s)
{
    const int64_t H = s->units;
    const double *const top = s->v + s->cols * H;
    for (int64_t i = 0; i < b->n; i++) {
        double *const hidden = b->hidden + i * H, *const back = b->back + i * H;
        double f = s->b[H];
        for (int64_t k = 0; k < H; k++) {
            hidden[k] = s->b[k] + s->scale * hidden[k];
        }
        ney_layer_tanh(hidden, H);
        for (int64_t k = 0; k < H; k++) {
            const double w = s->scale * top[k];
            back[k] = w * (1 - hidden[k] * hidden[k]);
            f += w * hidden[k];
        }
        b->score[i] = f;
    }
}

void ney_sgd_batch_score(ney_sgd_batch *b, const ney_sgd *s)
{
    add_inputs(b, s);
    activate_units(b, s);
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

/* Only live rows are needed from here on: they move to the front. */
static void move_up(ney_sgd_batch *b, int64_t H)
{
    const bool dense = b->place[0].x->dense != NULL;
    for (int64_t i = 0; i < b->n_live; i++) {
        const int64_t from = b->live[i];
        b->place[i] = b->place[from];
        if (from > i) {
            memcpy(b->hidden + i * H, b->hidden + from * H, (size_t)H * sizeof *b->hidden);
            memcpy(b->back + i * H, b->back + from * H, (size_t)H * sizeof *b->back);
        }
        if (from > i && dense) {
            memcpy(b->x + i * b->cols, b->x + from * b->cols, (size_t)b->cols * sizeof *b->x);
        }
    }
}

void ney_sgd_batch_relate(ney_sgd_batch *b, const ney_sgd *s)
{
    const size_t bytes = (size_t)(b->n_live * b->most) * sizeof *b->gram;
    move_up(b, s->units);
    memset(b->gram, 0, bytes);
    memset(b->inner, 0, bytes);
    if (b->place[0].x->dense) {
        add_products(b, b->x, b->cols, b->gram);
    } else {
        add_sparse_products(b, b->gram);
    }
    add_products(b, b->back, s->units, b->inner);
    for (int64_t i = 0; i < b->n_live; i++) {
        for (int64_t j = i; j < b->n_live; j++) {
            double *const g = &b->gram[i * b->most + j];
            *g = 1 + b->inner[i * b->most + j] * (*g + 1);
        }
    }
    add_products(b, b->hidden, s->units, b->gram);
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

static void move_inputs(ney_sgd_batch *b, ney_sgd *s)
{
    const int64_t H = s->units;
    if (b->place[0].x->dense) {
        const ney_submatrix x = {b->x, 1, b->cols}, back = {b->back, H, 1};
        memset(b->moved, 0, (size_t)(b->cols * H) * sizeof *b->moved);
        ney_layer_product(x, back, b->cols, b->n_live, H, b->moved, H);
        move_weights(s, 0, b->moved, b->cols * H, 1);
        return;
    }
    for (int64_t i = 0; i < b->n_live; i++) {
        const ney_matrix *x = b->place[i].x;
        const int64_t at = x->start[b->place[i].row], n = x->start[b->place[i].row + 1] - at;
        double *const back = b->back + i * H;
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

void ney_sgd_batch_step(ney_sgd_batch *b, ney_sgd *s, double shrink)
{
    const int64_t H = s->units;
    ney_sgd_shrink(s, shrink);
    for (int64_t i = 0; i < b->n_live; i++) {
        const double t = b->move[i] / s->scale;
        if (t != 0) {
            move_weights(s, s->cols * H, b->hidden + i * H, H, t);
            ney_vector_axpy(b->move[i], b->back + i * H, s->b, H);
            s->b[H] += b->move[i];
        }
        for (int64_t k = 0; k < H; k++) { /* from here on a row's share of the step */
            b->back[i * H + k] *= t;
        }
    }
    if (b->n_live > 0) {
        move_inputs(b, s);
    }
    ney_sgd_count(s);
    ney_sgd_batch_clear(b);
}

void ney_sgd_batch_clear(ney_sgd_batch *b)
{
    b->n = b->n_live = b->shared.n = 0;
}
