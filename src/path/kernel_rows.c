#include "path/kernel_rows.h"

#include "linalg/block.h"

#include <string.h>

static ney_status compute_all(ney_kernel_rows *r, ney_error *err)
{
    for (int64_t first = 0; first < r->n; first += NEY_KERNEL_BLOCK) {
        int64_t row[NEY_KERNEL_BLOCK], few = 0;
        double *out[NEY_KERNEL_BLOCK];
        for (; few < NEY_KERNEL_BLOCK && first + few < r->n; few++) {
            row[few] = first + few;
            out[few] = r->all + (first + few) * r->n;
        }
        if (!ney_gram_doubles(&r->gram, row, few, out)) {
            return ney_no_memory(err, few, "kernel rows");
        }
        if (!ney_poll(&r->gram.env, "kernel", (double)first, (double)r->n)) {
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
    if (st != NEY_OK) {
        return st;
    }
    if ((double)r->n * (double)r->n * (double)sizeof *r->all <= bytes) {
        r->all = ney_alloc(env, r->n * r->n, sizeof *r->all); /* refused: rows when asked for */
    }
    if (!r->all) {
        r->block = ney_alloc(env, NEY_KERNEL_BLOCK * r->n, sizeof *r->block);
        return r->block ? NEY_OK : ney_no_memory(err, r->n, "kernel rows");
    }
    return compute_all(r, err);
}

void ney_kernel_rows_deinit(ney_kernel_rows *r)
{
    ney_release(&r->gram.env, r->all);
    ney_release(&r->gram.env, r->block);
    ney_gram_deinit(&r->gram);
    *r = (ney_kernel_rows){0};
}

const double *ney_kernel_rows_get(ney_kernel_rows *r, int64_t i)
{
    if (r->all) {
        return r->all + i * r->n;
    }
    double *const out[] = {r->block};
    return ney_gram_doubles(&r->gram, &i, 1, out) ? r->block : NULL;
}

static void add_row(const double *row, int64_t i, int64_t n, const double *const factor[2],
                    double *const sum[2], double *const rest[2])
{
    for (int k = 0; k < 2; k++) {
        if (factor[k][i] != 0) {
            ney_block_axpy_exact(factor[k][i], row, n, sum[k], rest[k]);
        }
    }
}

ney_status ney_kernel_rows_sums(ney_kernel_rows *r, const double *const factor[2],
                                double *const sum[2], double *const rest[2], ney_error *err)
{
    for (int k = 0; k < 2; k++) {
        memset(sum[k], 0, (size_t)r->n * sizeof *sum[k]);
        memset(rest[k], 0, (size_t)r->n * sizeof *rest[k]);
    }
    for (int64_t i = 0; i < r->n;) {
        int64_t row[NEY_KERNEL_BLOCK], few = 0;
        double *out[NEY_KERNEL_BLOCK];
        for (; i < r->n && few < NEY_KERNEL_BLOCK; i++) {
            if (factor[0][i] != 0 || factor[1][i] != 0) {
                out[few] = r->all ? r->all + i * r->n : r->block + few * r->n;
                row[few++] = i;
            }
        }
        if (!r->all && few > 0 && !ney_gram_doubles(&r->gram, row, few, out)) {
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
