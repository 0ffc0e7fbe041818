/* The free rows of an active set, with the Cholesky factor of their kernel matrix plus a constant:
 * LL' = K_hh + shift 11'. */
#ifndef NEY_QP_FREE_ROWS_H
#define NEY_QP_FREE_ROWS_H

#include "base/env.h"
#include "base/error.h"

typedef struct ney_free_rows {
    ney_env env;
    int64_t *row, n, cap; /* in the order of the factor */
    double shift;         /* above 0 */
    double *l;            /* the factor, packed */
    double *x, *y, *work; /* cap, cap and 2 cap numbers for the caller */
} ney_free_rows;

void ney_free_rows_deinit(ney_free_rows *set);

/* A number of a fine kernel row (kernel/gram.h) of n rows. */
static inline double ney_fine_entry(const float *kernel, int64_t n, int64_t i)
{
    return (double)kernel[i] + (double)kernel[n + i];
}

/* Add row i, whose fine kernel row of n rows is given. A row that is nearly a combination of the
 * others gets a little more on the diagonal. */
ney_status ney_free_rows_add(ney_free_rows *set, int64_t i, const float *kernel, int64_t n,
                             ney_error *err);

/* Remove the row at place k of the order. */
void ney_free_rows_remove(ney_free_rows *set, int64_t k);

#endif
