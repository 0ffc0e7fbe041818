/* Random quadratic programs over random rows, with everything that makes them awkward. */
#ifndef TESTS_SUPPORT_RANDOM_QP_H
#define TESTS_SUPPORT_RANDOM_QP_H

#include "base/rng.h"
#include "qp/qp.h"
#include "support/ref_qp.h"

enum { QP_ROWS = 32, QP_COLS = 80, QP_WIDE = 300 };

typedef struct random_qp {
    int64_t rows, cols;
    float dense[QP_ROWS * QP_COLS], value[QP_ROWS * QP_COLS];
    int32_t index[QP_ROWS * QP_COLS];
    int64_t start[QP_ROWS + 1];
    double low[QP_ROWS], middle[QP_ROWS], high[QP_ROWS], slope_low[QP_ROWS], slope_high[QP_ROWS];
    double first[QP_ROWS]; /* a starting point, seldom feasible */
    long double k[QP_ROWS * QP_ROWS];
    double size; /* of the boxes */
} random_qp;

/* Sizes of boxes from 10^least to 10^most. Half of the programs are hinge losses of two classes,
 * the others have boxes that need not hold 0 and slopes of two pieces; all meet sum v = 0. */
void random_qp_make(random_qp *q, ney_rng *r, int least, int most);

ney_matrix random_qp_matrix(const random_qp *q, bool sparse);

/* The same rows, sparse, with empty columns behind them: QP_WIDE in all. */
ney_matrix random_qp_wide(const random_qp *q);
ney_qp random_qp_problem(const random_qp *q);

/* The same program for the judge; computes the kernel matrix. */
ref_qp random_qp_judged(random_qp *q, const ney_kernel *kernel);

/* Fail with a message unless v is in the box and sum v is 0 up to rounding. */
void assert_feasible(const ney_qp *p, const double *v, const char *what, int64_t seed);

#endif
