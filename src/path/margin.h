/* The rows on the margin, whose dual variables are neither at 0 nor at C: an active set with its
 * factorisation. For K, the kernel matrix of these rows, it solves
 *
 *     K x + s 1 = r,   1'x = t                                                      [PATH.3]
 *
 * through A = K + rho 11', rho > 0. On 1'd = 0 both are the same, and A is positive definite
 * exactly where [PATH.3] has one solution, also where K alone is singular: d + 1 rows in d columns.
 */
#ifndef NEY_PATH_MARGIN_H
#define NEY_PATH_MARGIN_H

#include "base/env.h"
#include "path/precision.h"

typedef struct ney_margin {
    ney_env env;
    int64_t n;      /* rows of the data */
    int64_t m;      /* rows on the margin */
    int64_t *row;   /* which, in the order of the factor; m of them */
    int64_t *slot;  /* their columns of the panel, in the same order */
    int64_t *place; /* of each row of the data: in that order, or -1 */
    int64_t *hole;  /* columns of the panel that are free */
    int64_t n_holes;
    int64_t width;      /* columns of the panel that are or were in use */
    int64_t cap;        /* capacity in columns */
    bool has_panel;     /* whether kernel values of all rows are kept */
    ney_real *panel;    /* n x cap: kernel of every row with those on the margin */
    ney_real *factor;   /* of A, packed */
    ney_real *v, *rate; /* dual variables and their rates, by column of the panel; 0 in holes */
    ney_real *ones;     /* A^-1 1, in the order of the factor */
    ney_real ones_sum;
    ney_real *spare; /* 4 cap numbers */
    ney_real rho;
} ney_margin;

ney_status ney_margin_init(ney_margin *g, const ney_env *env, int64_t n, ney_real rho,
                           bool has_panel, ney_error *err);
void ney_margin_deinit(ney_margin *g);
void ney_margin_clear(ney_margin *g);

/* Add row i with value v; kernel_row is its row of the kernel matrix, of which without a panel only
 * the entries of M and of i are read. The row is refused, and
 * *taken is false, when its pivot is at most `least` times its diagonal: numerically it is a
 * combination of the others, see ney_margin_combination(). */
ney_status ney_margin_append(ney_margin *g, int64_t i, const ney_real *kernel_row, ney_real v,
                             ney_real least, bool *taken, ney_error *err);

/* Of the row refused last: the x that gives K x = its column and 1'x = 1, in the order of the
 * factor. */
void ney_margin_combination(const ney_margin *g, ney_real *x);

/* Remove the row at a place of the order. */
void ney_margin_remove(ney_margin *g, int64_t place);

/* The column of the panel of the row at a place, as a kernel row of n numbers. */
void ney_margin_column(const ney_margin *g, int64_t place, ney_real *kernel_row);

/* Solve [PATH.3]; r, in the order of the factor, becomes x. Returns s. `fresh`: rows came or went
 * since the last call. */
ney_real ney_margin_solve(ney_margin *g, ney_real *r, ney_real t, bool fresh);

static inline const ney_real *ney_margin_panel(const ney_margin *g, int64_t i)
{
    return g->panel + i * g->cap;
}

#endif
