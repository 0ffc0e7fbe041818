/* Sparse matrices as SciPy stores them. */
#include "data/npy_arrays.h"

#include <stdlib.h>

typedef struct entry {
    int64_t column, place;
} entry;

static int by_column(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    return (x->column > y->column) - (x->column < y->column);
}

/* SciPy does not keep the columns of a row in order. */
static ney_status copy_row(ney_npy_csr *n, const ney_npy_arrays *in, int64_t rows_before, int64_t r,
                           entry *scratch, ney_error *err)
{
    const int64_t begin = n->start[r], end = n->start[r + 1];
    for (int64_t k = begin; k < end; k++) {
        scratch[k - begin] = (entry){ney_npy_integer(&in->indices.array, k), k};
    }
    qsort(scratch, (size_t)(end - begin), sizeof *scratch, by_column);
    for (int64_t k = begin; k < end; k++) {
        const entry e = scratch[k - begin];
        if (e.column < 0 || e.column >= in->cols ||
            (k > begin && e.column == scratch[k - begin - 1].column)) {
            return ney_fail_at(err, NEY_EFORMAT, (ney_place){.file = in->file},
                               "row %lld (from 0) has column %lld%s, expected different columns "
                               "below %lld%s",
                               (long long)(rows_before + r), (long long)e.column,
                               e.column >= 0 && e.column < in->cols ? " twice" : "",
                               (long long)in->cols,
                               e.column >= 0 && e.column < in->cols ? ": X.sum_duplicates()" : "");
        }
        n->index[k] = (int32_t)e.column;
        n->value[k] = ney_npy_number(&in->data.array, e.place);
    }
    return NEY_OK;
}

ney_status ney_npy_fail_start(const char *file, int64_t found, int64_t row, int64_t entries,
                              ney_error *err)
{
    return ney_fail_at(err, NEY_EFORMAT, (ney_place){.file = file},
                       "array 'indptr' holds %lld for row %lld, expected ascending numbers from 0 "
                       "to %lld",
                       (long long)found, (long long)row, (long long)entries);
}

static ney_status copy_offsets(ney_npy_csr *n, const ney_npy_arrays *in, int64_t *longest,
                               ney_error *err)
{
    const int64_t entries = in->data.array.n;
    *longest = 0;
    for (int64_t r = 0; r <= in->rows; r++) {
        n->start[r] = ney_npy_integer(&in->indptr.array, r);
        const int64_t before = r > 0 ? n->start[r - 1] : 0;
        if (n->start[r] < before || n->start[r] > entries || (r == 0 && n->start[0] != 0)) {
            return ney_npy_fail_start(in->file, n->start[r], r, entries, err);
        }
        *longest = n->start[r] - before > *longest ? n->start[r] - before : *longest;
    }
    return NEY_OK;
}

ney_status ney_npy_csr_copy(ney_npy_csr *n, const ney_npy_arrays *in, int64_t rows_before,
                            ney_error *err)
{
    const int64_t entries = in->data.array.n;
    int64_t longest = 0;
    n->value = ney_alloc(&in->env, entries, sizeof *n->value);
    n->index = ney_alloc(&in->env, entries, sizeof *n->index);
    n->start = ney_alloc(&in->env, in->rows + 1, sizeof *n->start);
    if (!n->value || !n->index || !n->start) {
        return ney_no_memory(err, entries, "entries");
    }
    ney_status st = copy_offsets(n, in, &longest, err);
    entry *const scratch = st == NEY_OK ? ney_alloc(&in->env, longest, sizeof *scratch) : NULL;
    if (st == NEY_OK && !scratch) {
        st = ney_no_memory(err, longest, "entries");
    }
    for (int64_t r = 0; st == NEY_OK && r < in->rows; r++) {
        st = copy_row(n, in, rows_before, r, scratch, err);
    }
    ney_release(&in->env, scratch);
    return st;
}
