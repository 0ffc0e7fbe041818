#include "qp/free_rows.h"

#include "linalg/cholesky.h"

#include <math.h>
#include <string.h>

enum { FIRST_CAPACITY = 64 };

static const double DEPENDENT = 1e-10;

void ney_free_rows_deinit(ney_free_rows *set)
{
    ney_release_all(&set->env, set->row, set->l, set->x);
}

/* Reserve memory for one more row; the factor is moved to its new memory. */
static ney_status grow_factor(ney_free_rows *set, ney_error *err)
{
    if (set->n < set->cap) {
        return NEY_OK;
    }
    const int64_t cap = set->cap > 0 ? 2 * set->cap : FIRST_CAPACITY, size = ney_packed_row(cap);
    int64_t *row = ney_alloc(&set->env, cap, sizeof *row);
    double *l = ney_alloc(&set->env, size, sizeof *l);
    double *x = ney_alloc(&set->env, 4 * cap, sizeof *x);
    if (!row || !l || !x) {
        ney_release(&set->env, row);
        ney_release(&set->env, l);
        ney_release(&set->env, x);
        return ney_no_memory(err, size, "numbers of a factor");
    }
    for (int64_t k = 0; k < set->n; k++) {
        row[k] = set->row[k];
    }
    if (set->n > 0) {
        memcpy(l, set->l, (size_t)ney_packed_row(set->n) * sizeof *l);
    }
    ney_release(&set->env, set->row);
    ney_release(&set->env, set->l);
    ney_release(&set->env, set->x);
    set->row = row;
    set->l = l;
    set->x = x;
    set->y = x + cap;
    set->work = x + 2 * cap;
    set->cap = cap;
    return NEY_OK;
}

ney_status ney_free_rows_add(ney_free_rows *set, int64_t i, const float *kernel, int64_t n,
                             ney_error *err)
{
    const ney_status st = grow_factor(set, err);
    if (st != NEY_OK) {
        return st;
    }
    double *const last = set->l + ney_packed_row(set->n);
    set->row[set->n] = i;
    for (int64_t k = 0; k <= set->n; k++) {
        last[k] = ney_fine_entry(kernel, n, set->row[k]) + set->shift;
    }
    const double least = DEPENDENT * (fabs(last[set->n]) + set->shift);
    if (!(ney_packed_append(set->l, set->n, least) > least)) {
        last[set->n] = sqrt(least);
    }
    set->n++;
    return NEY_OK;
}

void ney_free_rows_remove(ney_free_rows *set, int64_t k)
{
    ney_packed_remove(set->l, set->n, k, set->work);
    memmove(set->row + k, set->row + k + 1, (size_t)(set->n - k - 1) * sizeof *set->row);
    set->n--;
}
