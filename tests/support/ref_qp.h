/* An independent judge of quadratic programs: a dense interior-point method in long double, which
 * shares no code with src/. It answers with an interval that the optimum is certain to lie in, both
 * ends computed from their definitions, so that a mistake of its own shows as a wide interval. */
#ifndef TESTS_SUPPORT_REF_QP_H
#define TESTS_SUPPORT_REF_QP_H

#include <neyman/experimental.h>

enum { REF_QP_MOST = 64 };

/* max D(v) = -1/2 v'Kv + sum_i p_i(v_i)  s.t.  sum v = 0, low <= v <= high;  p_i is concave with
 * p_i(0) = 0, of slope slope_low up to middle and slope_high from there on. K is semidefinite. */
typedef struct ref_qp {
    int64_t n;            /* at most REF_QP_MOST */
    const long double *k; /* n x n */
    const double *low, *middle, *high, *slope_low, *slope_high;
} ref_qp;

typedef struct ref_qp_answer {
    bool feasible;            /* the box has a point with sum v = 0 */
    long double lower, upper; /* D of a feasible point; P of its w with the best b */
    long double v[REF_QP_MOST], b;
} ref_qp_answer;

void ref_qp_solve(const ref_qp *p, ref_qp_answer *answer);

long double ref_qp_dual(const ref_qp *p, const long double *v);
/* P(w, b) = 1/2 |w|^2 + sum_i max over v in the box of (p_i(v) - v (f_i + b)), w given by v. */
long double ref_qp_primal(const ref_qp *p, const long double *v, long double b);
/* The b that makes it least, looked for among all the places where its slope can change. */
long double ref_qp_best_b(const ref_qp *p, const long double *v);
/* max_i (up_i - f_i) - min_i (down_i - f_i): not above 0 where v is optimal. */
long double ref_qp_violation(const ref_qp *p, const long double *v);

/* k(x_i, x_j), from the stored floats. */
long double ref_kernel(const ney_matrix *x, int64_t i, int64_t j, const ney_kernel *kernel);
/* The whole matrix, x->rows x x->rows. */
void ref_kernel_matrix(const ney_matrix *x, const ney_kernel *kernel, long double *k);

#endif
