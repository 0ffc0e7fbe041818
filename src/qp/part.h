/* Some rows of a program [QP.1], the others left out: a smaller program over copies. */
#ifndef NEY_QP_PART_H
#define NEY_QP_PART_H

#include "qp/qp.h"

typedef struct ney_part {
    ney_env env;
    int64_t *row; /* of the whole, ascending */
    ney_matrix x; /* the rest is owned through it and `p` */
    ney_qp p;
    double *v, *f; /* of these rows, in the whole */
} ney_part;

/* The rows i with in[i]. */
ney_status ney_part_init(ney_part *part, const ney_env *env, const ney_matrix *x, const ney_qp *p,
                         const bool *in, ney_error *err);
void ney_part_deinit(ney_part *part);

/* v and f of the part, from those of the whole. */
void ney_part_load(ney_part *part, const double *v, const double *f);

#endif
