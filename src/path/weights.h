/* Linear kernels: what the tracer knows of all rows is a vector with one number per column, so that
 * an event costs O(d m) for d columns and m rows on the margin, whatever the number of rows.
 *
 *     math      code        meaning
 *     u-, u+    left        sums of weight_i x_i over the negatives (less) and positives of L
 *     w         w           C+ u+ + C- u- + sum over M of v_k x_k
 *     w'        rate        its derivative by theta
 *
 * With C n large, w is a small difference of large sums: u is compensated, and w is summed in more
 * digits than it has. */
#ifndef NEY_PATH_WEIGHTS_H
#define NEY_PATH_WEIGHTS_H

#include "path/margin.h"

#include <neyman/experimental.h>

typedef struct ney_weights {
    ney_env env;
    const ney_matrix *x; /* borrowed; NULL: not in use */
    ney_real *left[2];   /* u-, u+ of the columns; one block holds these arrays */
    ney_real *rest[2];   /* what rounding took from them */
    ney_real *w, *rate;
    ney_real *dense; /* one row with its zeros */
} ney_weights;

ney_status ney_weights_init(ney_weights *s, const ney_env *env, const ney_matrix *x,
                            ney_error *err);
void ney_weights_deinit(ney_weights *s);

/* No row is in L. */
void ney_weights_clear(ney_weights *s);

/* u of a class += factor x_row. */
void ney_weights_add(ney_weights *s, int of_class, int64_t row, ney_real factor);

/* c[0] u- + c[1] u+, into `to`. */
void ney_weights_lead(const ney_weights *s, const ney_real c[2], ney_real *to);

/* w and w' at costs c that change by `rate`. */
void ney_weights_update(ney_weights *s, const ney_margin *g, const ney_real c[2],
                        const ney_real rate[2]);

/* x_row'v for a vector of the columns; with w and w' at once. */
ney_real ney_weights_dot(const ney_weights *s, int64_t row, const ney_real *v);
void ney_weights_dots(const ney_weights *s, int64_t row, ney_real out[2]);

/* The products of a row with those on the margin and with itself, into their places of
 * `kernel_row`.
 */
void ney_weights_products(ney_weights *s, int64_t row, const ney_margin *g, ney_real *kernel_row);

#endif
