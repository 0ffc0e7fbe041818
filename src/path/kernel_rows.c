#include "path/kernel_rows.h"

#include "linalg/rows.h"

#include <string.h>

#ifdef NEY_PATH_WIDE

/* (sum, rest) += x y of two floats, whose product is exact. */
static void add_product(double product, double *sum, double *rest)
{
    const double next = *sum + product, part = next - *sum;
    *rest += (*sum - (next - part)) + (product - part);
    *sum = next;
}

static ney_real product_of(const ney_matrix *x, int64_t j, const double *dense_row)
{
    double sum = 0, rest = 0;
    if (x->dense) {
        for (int64_t c = 0; c < x->cols; c++) {
            add_product(dense_row[c] * (double)x->dense[j * x->cols + c], &sum, &rest);
        }
    } else {
        for (int64_t e = x->start[j]; e < x->start[j + 1]; e++) {
            add_product(dense_row[x->index[e]] * (double)x->value[e], &sum, &rest);
        }
    }
    return (ney_real)sum + (ney_real)rest;
}

static bool compute_rows(ney_kernel_rows *r, const int64_t *row, int64_t n_rows,
                         ney_real *const *out)
{
    const ney_matrix *const x = r->gram.x;
    const bool linear = r->gram.kernel.kind == NEY_KERNEL_LINEAR;
    for (int64_t k = 0; k < n_rows; k++) {
        double *const values = r->spare + x->cols;
        memset(r->spare, 0, (size_t)x->cols * sizeof *r->spare);
        if (linear) {
            ney_row_add(x, row[k], 1, r->spare);
        } else if (!ney_gram_doubles(&r->gram, row + k, 1, &values)) {
            return false;
        }
        for (int64_t j = 0; j < r->n; j++) {
            out[k][j] = linear ? product_of(x, j, r->spare) : (ney_real)values[j];
        }
    }
    return true;
}

static ney_status allocate_spare(ney_kernel_rows *r, ney_error *err)
{
    r->spare = ney_alloc(&r->gram.env, r->gram.x->cols + r->n, sizeof *r->spare);
    return r->spare ? NEY_OK : ney_no_memory(err, r->n, "kernel rows");
}

static void release_spare(ney_kernel_rows *r)
{
    ney_release(&r->gram.env, r->spare);
}

double ney_kernel_rows_rounding(const ney_kernel_rows *r)
{
    return r->gram.kernel.kind == NEY_KERNEL_LINEAR ? 0x1p-104 : 0x1p-53;
}

#else

static bool compute_rows(ney_kernel_rows *r, const int64_t *row, int64_t n_rows,
                         ney_real *const *out)
{
    return ney_gram_doubles(&r->gram, row, n_rows, out);
}

static ney_status allocate_spare(ney_kernel_rows *r, ney_error *err)
{
    (void)r;
    (void)err;
    return NEY_OK;
}

static void release_spare(ney_kernel_rows *r)
{
    (void)r;
}

double ney_kernel_rows_rounding(const ney_kernel_rows *r)
{
    (void)r;
    return 0x1p-53;
}

#endif

static ney_status compute_all(ney_kernel_rows *r, ney_error *err)
{
    for (int64_t first = 0; first < r->n; first += NEY_KERNEL_BLOCK) {
        int64_t row[NEY_KERNEL_BLOCK], few = 0;
        ney_real *out[NEY_KERNEL_BLOCK];
        for (; few < NEY_KERNEL_BLOCK && first + few < r->n; few++) {
            row[few] = first + few;
            out[few] = r->all + (first + few) * r->n;
        }
        if (!compute_rows(r, row, few, out)) {
            return ney_no_memory(err, few, "kernel rows");
        }
        if (!ney_poll(&r->gram.env, "kernel", (double)(first + few), (double)r->n)) {
            return ney_fail(err, NEY_ECANCELLED, "cancelled while computing the kernel matrix");
        }
    }
    return NEY_OK;
}

ney_status ney_kernel_rows_init(ney_kernel_rows *r, const ney_env *env, const ney_matrix *x,
                                const ney_kernel *kernel, double bytes, ney_error *err)
{
    *r = (ney_kernel_rows){.n = x->rows};
    ney_status st = ney_gram_init(&r->gram, env, x, kernel, true, err);
    if (st != NEY_OK || (st = allocate_spare(r, err)) != NEY_OK) {
        return st;
    }
    if ((double)r->n * (double)r->n * (double)sizeof *r->all <= bytes) {
        r->all = ney_alloc(env, r->n * r->n,
                           sizeof *r->all); /* no memory: rows are computed on demand */
    }
    return r->all ? compute_all(r, err) : NEY_OK;
}

void ney_kernel_rows_deinit(ney_kernel_rows *r)
{
    ney_release(&r->gram.env, r->all);
    ney_release(&r->gram.env, r->block);
    release_spare(r);
    ney_gram_deinit(&r->gram);
    *r = (ney_kernel_rows){0};
}

/* Memory for rows on demand, from the first one on. */
static bool has_block(ney_kernel_rows *r)
{
    if (!r->block) {
        r->block = ney_alloc(&r->gram.env, NEY_KERNEL_BLOCK * r->n, sizeof *r->block);
    }
    return r->block;
}

const ney_real *ney_kernel_rows_get(ney_kernel_rows *r, int64_t i)
{
    if (r->all) {
        return r->all + i * r->n;
    }
    if (!has_block(r)) {
        return NULL;
    }
    ney_real *const out[] = {r->block};
    return compute_rows(r, &i, 1, out) ? r->block : NULL;
}

static void add_row(const ney_real *row, int64_t i, int64_t n, const ney_real *const factor[2],
                    ney_real *const sum[2], ney_real *const rest[2])
{
    for (int k = 0; k < 2; k++) {
        if (factor[k][i] != 0) {
            ney_real_axpy_exact(factor[k][i], row, n, sum[k], rest[k]);
        }
    }
}

ney_status ney_kernel_rows_sums(ney_kernel_rows *r, const ney_real *const factor[2],
                                ney_real *const sum[2], ney_real *const rest[2], ney_error *err)
{
    for (int k = 0; k < 2; k++) {
        memset(sum[k], 0, (size_t)r->n * sizeof *sum[k]);
        memset(rest[k], 0, (size_t)r->n * sizeof *rest[k]);
    }
    if (!r->all && !has_block(r)) {
        return ney_no_memory(err, NEY_KERNEL_BLOCK, "kernel rows");
    }
    for (int64_t i = 0; i < r->n;) {
        int64_t row[NEY_KERNEL_BLOCK], few = 0;
        ney_real *out[NEY_KERNEL_BLOCK];
        for (; i < r->n && few < NEY_KERNEL_BLOCK; i++) {
            if (factor[0][i] != 0 || factor[1][i] != 0) {
                out[few] = r->all ? r->all + i * r->n : r->block + few * r->n;
                row[few++] = i;
            }
        }
        if (!r->all && few > 0 && !compute_rows(r, row, few, out)) {
            return ney_no_memory(err, few, "kernel rows");
        }
        for (int64_t k = 0; k < few; k++) {
            add_row(out[k], row[k], r->n, factor, sum, rest);
        }
        if (!ney_poll(&r->gram.env, "kernel", (double)i, (double)r->n)) {
            return ney_fail(err, NEY_ECANCELLED, "cancelled while summing kernel rows");
        }
    }
    return NEY_OK;
}
