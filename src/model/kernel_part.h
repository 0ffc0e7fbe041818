/* The kernel family's own object, and how it scores. */
#ifndef NEY_MODEL_KERNEL_PART_H
#define NEY_MODEL_KERNEL_PART_H

#include "base/env.h"

/* A matrix and the arrays it points to. */
typedef struct ney_own_matrix {
    ney_matrix x;
    float *dense;
    int64_t *start;
    int32_t *index;
    float *value;
} ney_own_matrix;

/* f(x) = sum_i coefficient_i k(z_i, x) + intercept, and what is computed once to make that quick.
 * The support vectors z_i are kept as they were given; `used` lists the columns in which any of
 * them may differ from zero, and scoring reads those only: a sparse model needs memory for what
 * it stores, however large its column numbers. */
typedef struct ney_kernel_part {
    ney_kernel kernel;
    double intercept;
    ney_own_matrix support;
    double *coefficient;

    int32_t *used; /* ascending; NULL for all columns */
    int64_t n_used;
    int32_t *place; /* of each entry of sparse support vectors: where its column is in `used` */
    double *norm;   /* |z_i|^2 */
    double *weight; /* linear: sum_i coefficient_i z_i over the used columns */

    /* rbf: support vectors in single precision, all but those too far from the centre for it.
     * A row of `near` is (z - centre, -gamma |z - centre|^2, 1), so that its product with
     * (2 gamma (x - centre), 1, -gamma |x - centre|^2) is the exponent itself. */
    ney_own_matrix near;
    double *near_coefficient;
    float
        *centre; /* one number per column; NULL for sparse support vectors: zeros must stay zeros */
    int64_t *far; /* those left out */
    int64_t n_far;
    double reach; /* largest gamma |z - centre|^2 of `near` */
    double noise; /* length of near_coefficient, in units of single rounding */
} ney_kernel_part;

/* A sum of kernels over rows of a matrix; everything is borrowed. */
typedef struct ney_kernel_sum {
    const ney_kernel *kernel;
    const ney_matrix *x;
    const int64_t *row;        /* which rows; NULL: 0, 1, ... */
    const double *coefficient; /* of each of them */
    int64_t n;
    double intercept;
} ney_kernel_sum;

/* A new part from such a sum; NULL without memory. `free` of ney_family_kernel is due. */
ney_kernel_part *ney_kernel_part_new(const ney_env *env, const ney_kernel_sum *sum);

void ney_own_matrix_free(const ney_env *env, ney_own_matrix *m);

/* Compute what scoring needs from the part's first four fields; false without memory. */
bool ney_kernel_prepare(const ney_env *env, ney_kernel_part *part);

/* Largest gamma |z - centre|^2 of rows and support vectors in single precision. */
#define NEY_KERNEL_REACH 32.0

/* The position of a column among the used ones, -1 when it is none of them. */
int64_t ney_kernel_place(const ney_kernel_part *p, int32_t column);

/* As the functions of ney_family (family.h). */
int64_t ney_kernel_scratch(const void *part);
double ney_kernel_work(const void *part);
void ney_kernel_score(const void *part, const ney_matrix *x, int64_t first, int64_t n, double *out,
                      void *bytes);

#endif
