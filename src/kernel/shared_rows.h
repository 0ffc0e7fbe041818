/* Kernel rows of a whole data set, for solvers that each see a part of it: what one has computed is
 * there for the others, on whatever threads they run. All rows are kept, which suits some thousands
 * of them.
 *
 * A value is the same to the last bit as if the solver had computed it from its own part. */
#ifndef NEY_KERNEL_SHARED_ROWS_H
#define NEY_KERNEL_SHARED_ROWS_H

#include "kernel/gram.h"

#include <pthread.h>

typedef struct ney_shared_rows {
    ney_env env;
    const ney_matrix *x; /* borrowed */
    ney_kernel kernel;
    float *row;     /* one after the other */
    uint8_t *state; /* of each row; under the lock */
    pthread_mutex_t lock;
    pthread_cond_t computed;
} ney_shared_rows;

/* ney_shared_rows_deinit() is due in either case. The rows must stay where they are. */
ney_status ney_shared_rows_init(ney_shared_rows *s, const ney_env *env, const ney_matrix *x,
                                const ney_kernel *kernel, ney_error *err);
void ney_shared_rows_deinit(ney_shared_rows *s);

/* The rows as one solver sees them. */
typedef struct ney_row_view {
    ney_shared_rows *shared; /* borrowed; NULL: no view */
    const int64_t *at;       /* where each row of the part is in the whole; borrowed */
    int64_t n;
    ney_gram maker; /* of the whole: rows are computed on the threads of the first caller */
} ney_row_view;

/* ney_row_view_deinit() is due in either case. */
ney_status ney_row_view_init(ney_row_view *v, const ney_env *env, ney_shared_rows *shared,
                             const int64_t *at, int64_t n, ney_error *err);
void ney_row_view_deinit(ney_row_view *v);

/* As ney_gram_rows() for the part. */
bool ney_row_view_get(ney_row_view *v, const int64_t *row, int64_t n_rows, float *const *out);

#endif
