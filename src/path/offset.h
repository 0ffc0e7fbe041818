/* Rows without their common offset. A linear or rbf solution does not depend on it but for the
 * intercept, and its numbers do: products of rows at 1e6 +- 1 leave double no digits for the
 * difference. */
#ifndef NEY_PATH_OFFSET_H
#define NEY_PATH_OFFSET_H

#include "base/env.h"

typedef struct ney_offset {
    ney_env env;
    ney_matrix x;         /* the shifted rows; index and start are borrowed */
    float *value;         /* its numbers; NULL: nothing is shifted, and x is as given */
    double *of;           /* what each column is shifted by */
    long double *product; /* of each shifted row with `of` */
} ney_offset;

/* A column is shifted by about its mean where that makes it smaller, where every row has an entry,
 * and where no digit of it is lost. `none`: no column is. */
ney_status ney_offset_init(ney_offset *s, const ney_env *env, const ney_matrix *x, bool none,
                           ney_error *err);
void ney_offset_deinit(ney_offset *s);

/* What the intercept of a linear solution of the shifted rows is too large by, from the dual
 * variables or from the weights of the columns. */
double ney_offset_of_duals(const ney_offset *s, const double *v);
double ney_offset_of_weights(const ney_offset *s, const double *w);

#endif
