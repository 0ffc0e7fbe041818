/* What the kernel family computes once, before it scores: used columns, norms, weights of a linear
 * kernel, support vectors of an rbf kernel in single precision. */
#include "linalg/rows.h"
#include "model/kernel_part.h"

#include <math.h>
#include <string.h>

/* The columns that occur, ascending, each once; false without memory. */
static bool find_used(const ney_env *env, ney_kernel_part *p)
{
    const ney_matrix *const x = &p->support.x;
    p->n_used = x->cols;
    if (x->dense) {
        return true;
    }
    const int64_t n = x->start[x->rows];
    int32_t *merged = ney_alloc(env, n, sizeof *merged);
    p->used = ney_alloc(env, n, sizeof *p->used);
    p->n_used = 0;
    if (!merged || !p->used) {
        ney_release(env, merged);
        return false;
    }
    /* Sort by bytes, the lowest first: linear in the entries whatever the columns. */
    int64_t place[257];
    const int32_t *from = x->index;
    for (int shift = 0; shift < 32; shift += 8) {
        int32_t *const to = shift % 16 == 0 ? merged : p->used;
        memset(place, 0, sizeof place);
        for (int64_t k = 0; k < n; k++) {
            place[((uint32_t)from[k] >> shift & 255) + 1]++;
        }
        for (int b = 0; b < 256; b++) {
            place[b + 1] += place[b];
        }
        for (int64_t k = 0; k < n; k++) {
            to[place[(uint32_t)from[k] >> shift & 255]++] = from[k];
        }
        from = to;
    }
    for (int64_t k = 0; k < n; k++) {
        if (p->n_used == 0 || p->used[p->n_used - 1] != p->used[k]) {
            p->used[p->n_used++] = p->used[k];
        }
    }
    ney_release(env, merged);
    return true;
}

int64_t ney_kernel_place(const ney_kernel_part *p, int32_t column)
{
    if (!p->used) {
        return column < p->n_used ? column : -1;
    }
    int64_t low = 0, high = p->n_used;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (p->used[middle] < column) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < p->n_used && p->used[low] == column ? low : -1;
}

static bool find_places(const ney_env *env, ney_kernel_part *p)
{
    const ney_matrix *const x = &p->support.x;
    if (x->dense) {
        return true;
    }
    const int64_t n = x->start[x->rows];
    p->place = ney_alloc(env, n, sizeof *p->place);
    for (int64_t k = 0; p->place && k < n; k++) {
        p->place[k] = (int32_t)ney_kernel_place(p, x->index[k]);
    }
    return p->place;
}

static bool find_weights(const ney_env *env, ney_kernel_part *p)
{
    const ney_matrix *const x = &p->support.x;
    if (!(p->weight = ney_alloc_zeroed(env, p->n_used, sizeof *p->weight))) {
        return false;
    }
    for (int64_t i = 0; i < x->rows; i++) {
        if (x->dense) {
            ney_row_add(x, i, p->coefficient[i], p->weight);
            continue;
        }
        for (int64_t k = x->start[i]; k < x->start[i + 1]; k++) {
            p->weight[p->place[k]] += p->coefficient[i] * (double)x->value[k];
        }
    }
    return true;
}

/* The mean of the support vectors: distances do not change when it is taken off, rounding does. */
static bool find_centre(const ney_env *env, ney_kernel_part *p)
{
    const ney_matrix *const x = &p->support.x;
    if (!x->dense) {
        return true;
    }
    double *sum = ney_alloc_zeroed(env, x->cols, sizeof *sum);
    p->centre = ney_alloc(env, x->cols, sizeof *p->centre);
    for (int64_t i = 0; sum && i < x->rows; i++) {
        ney_row_add(x, i, 1.0 / (double)x->rows, sum);
    }
    for (int64_t c = 0; sum && p->centre && c < x->cols; c++) {
        p->centre[c] = (float)sum[c];
    }
    const bool done = sum && p->centre;
    ney_release(env, sum);
    return done;
}

static double reach_of(const ney_kernel_part *p, int64_t row)
{
    const ney_matrix *const x = &p->support.x;
    double sum = p->norm[row];
    if (x->dense) {
        sum = 0;
        for (int64_t c = 0; c < x->cols; c++) {
            const double apart = (double)x->dense[row * x->cols + c] - (double)p->centre[c];
            sum += apart * apart;
        }
    }
    return p->kernel.gamma * sum;
}

/* Append a support vector to those in single precision. */
static void put_near(ney_kernel_part *p, int64_t row, double reach)
{
    const ney_matrix *const x = &p->support.x;
    ney_own_matrix *const near = &p->near;
    const int64_t at = near->x.rows++;
    p->near_coefficient[at] = p->coefficient[row];
    p->reach = reach > p->reach ? reach : p->reach;
    if (x->dense) {
        float *const to = near->dense + at * near->x.cols;
        for (int64_t c = 0; c < x->cols; c++) {
            to[c] = x->dense[row * x->cols + c] - p->centre[c];
        }
        to[x->cols] = (float)-reach;
        to[x->cols + 1] = 1;
        return;
    }
    int64_t n = near->start[at];
    for (int64_t k = x->start[row]; k < x->start[row + 1]; k++, n++) {
        near->index[n] = p->place[k];
        near->value[n] = x->value[k];
    }
    near->index[n] = (int32_t)p->n_used;
    near->value[n++] = (float)-reach;
    near->index[n] = (int32_t)p->n_used + 1;
    near->value[n++] = 1;
    near->start[at + 1] = n;
}

static bool new_near(const ney_env *env, ney_kernel_part *p)
{
    const ney_matrix *const x = &p->support.x;
    ney_own_matrix *const near = &p->near;
    const int64_t stored = ney_matrix_stored(x);
    near->x.cols = p->n_used + 2;
    p->far = ney_alloc(env, x->rows, sizeof *p->far);
    p->near_coefficient = ney_alloc(env, x->rows, sizeof *p->near_coefficient);
    if (!p->far || !p->near_coefficient) {
        return false;
    }
    if (x->dense) {
        near->x.dense = near->dense = ney_alloc(env, stored + 2 * x->rows, sizeof *near->dense);
        return near->dense;
    }
    near->x.start = near->start = ney_alloc_zeroed(env, x->rows + 1, sizeof *near->start);
    near->x.index = near->index = ney_alloc(env, stored + 2 * x->rows, sizeof *near->index);
    near->x.value = near->value = ney_alloc(env, stored + 2 * x->rows, sizeof *near->value);
    return near->start && near->index && near->value;
}

static bool find_near(const ney_env *env, ney_kernel_part *p)
{
    const double gamma = p->kernel.gamma;
    double square = 0;
    if (!find_centre(env, p) || !new_near(env, p)) {
        return false;
    }
    for (int64_t i = 0; i < p->support.x.rows; i++) {
        const double reach = reach_of(p, i);
        /* 2 gamma x must be a number that single precision holds well, too. */
        if (reach <= NEY_KERNEL_REACH && gamma > 1e-20 && gamma < 1e20) {
            square += p->coefficient[i] * p->coefficient[i];
            put_near(p, i, reach);
        } else {
            p->far[p->n_far++] = i;
        }
    }
    p->noise = 0x1p-24 * sqrt(square);
    return true;
}

bool ney_kernel_prepare(const ney_env *env, ney_kernel_part *p)
{
    const int64_t rows = p->support.x.rows;
    p->norm = ney_alloc(env, rows, sizeof *p->norm);
    if (!p->norm || !find_used(env, p) || !find_places(env, p)) {
        return false;
    }
    for (int64_t i = 0; i < rows; i++) {
        p->norm[i] = ney_row_square(&p->support.x, i);
    }
    switch (p->kernel.kind) {
    case NEY_KERNEL_LINEAR:
        return find_weights(env, p);
    case NEY_KERNEL_RBF:
        return find_near(env, p);
    case NEY_KERNEL_POLY:
    case NEY_KERNEL_SIGMOID:
        break;
    }
    return true;
}
