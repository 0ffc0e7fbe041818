#include "path/weights.h"

#include <string.h>

ney_status ney_weights_init(ney_weights *s, const ney_env *env, const ney_matrix *x, ney_error *err)
{
    const int64_t d = x->cols;
    ney_real *const block = ney_alloc_zeroed(env, 7 * d, sizeof *block);
    *s = (ney_weights){.env = *env};
    if (!block) {
        return ney_no_memory(err, d, "weights");
    }
    s->x = x;
    s->left[0] = block;
    s->left[1] = block + d;
    s->rest[0] = block + 2 * d;
    s->rest[1] = block + 3 * d;
    s->w = block + 4 * d;
    s->rate = block + 5 * d;
    s->dense = block + 6 * d;
    return NEY_OK;
}

void ney_weights_deinit(ney_weights *s)
{
    ney_release(&s->env, s->left[0]);
    *s = (ney_weights){0};
}

void ney_weights_clear(ney_weights *s)
{
    memset(s->left[0], 0, 4 * (size_t)s->x->cols * sizeof *s->left[0]);
}

/* v += factor x_row */
static void add_scaled_row(const ney_weights *s, int64_t row, ney_real factor, ney_real *v)
{
    const ney_matrix *const x = s->x;
    if (x->dense) {
        ney_real_axpy_mixed(factor, x->dense + row * x->cols, v, x->cols);
        return;
    }
    for (int64_t e = x->start[row]; e < x->start[row + 1]; e++) {
        v[x->index[e]] += factor * (ney_real)x->value[e];
    }
}

static void spread_row(ney_weights *s, int64_t row)
{
    memset(s->dense, 0, (size_t)s->x->cols * sizeof *s->dense);
    add_scaled_row(s, row, 1, s->dense);
}

void ney_weights_add(ney_weights *s, int of_class, int64_t row, ney_real factor)
{
    spread_row(s, row);
    ney_real_axpy_exact(factor, s->dense, s->x->cols, s->left[of_class], s->rest[of_class]);
}

/* What L gives column j. */
static ney_real_sum lead_of(const ney_weights *s, const ney_real c[2], int64_t j)
{
    const ney_real_sum minus = (ney_real_sum)s->left[0][j] + s->rest[0][j];
    const ney_real_sum plus = (ney_real_sum)s->left[1][j] + s->rest[1][j];
    return c[0] * minus + c[1] * plus;
}

void ney_weights_lead(const ney_weights *s, const ney_real c[2], ney_real *to)
{
    for (int64_t j = 0; j < s->x->cols; j++) {
        to[j] = (ney_real)lead_of(s, c, j);
    }
}

void ney_weights_update(ney_weights *s, const ney_margin *g, const ney_real c[2],
                        const ney_real rate[2])
{
    memset(s->w, 0, 2 * (size_t)s->x->cols * sizeof *s->w); /* the rate is behind it */
    for (int64_t k = 0; k < g->m; k++) {
        add_scaled_row(s, g->row[k], g->v[g->slot[k]], s->w);
        add_scaled_row(s, g->row[k], g->rate[g->slot[k]], s->rate);
    }
    for (int64_t j = 0; j < s->x->cols; j++) {
        s->w[j] = (ney_real)(s->w[j] + lead_of(s, c, j));
        s->rate[j] = (ney_real)(s->rate[j] + lead_of(s, rate, j));
    }
}

ney_real ney_weights_dot(const ney_weights *s, int64_t row, const ney_real *v)
{
    const ney_matrix *const x = s->x;
    if (x->dense) {
        return ney_real_dot_mixed(x->dense + row * x->cols, v, x->cols);
    }
    ney_real sum = 0;
    for (int64_t e = x->start[row]; e < x->start[row + 1]; e++) {
        sum += (ney_real)x->value[e] * v[x->index[e]];
    }
    return sum;
}

void ney_weights_dots(const ney_weights *s, int64_t row, ney_real out[2])
{
    const ney_matrix *const x = s->x;
    if (x->dense) {
        ney_real_dots_mixed(x->dense + row * x->cols, s->w, s->rate, x->cols, out);
        return;
    }
    ney_real w = 0, rate = 0;
    for (int64_t e = x->start[row]; e < x->start[row + 1]; e++) {
        const ney_real value = x->value[e];
        w += value * s->w[x->index[e]];
        rate += value * s->rate[x->index[e]];
    }
    out[0] = w;
    out[1] = rate;
}

void ney_weights_products(ney_weights *s, int64_t row, const ney_margin *g, ney_real *kernel_row)
{
    spread_row(s, row);
    for (int64_t k = 0; k < g->m; k++) {
        kernel_row[g->row[k]] = ney_weights_dot(s, g->row[k], s->dense);
    }
    kernel_row[row] = ney_weights_dot(s, row, s->dense);
}
