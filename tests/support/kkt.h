/* An independent judge of trained linear SVMs: recomputes everything from the data in long double
 * and shares no code with src/. Slow, for small problems. */
#ifndef NEY_TESTS_SUPPORT_KKT_H
#define NEY_TESTS_SUPPORT_KKT_H

#include <neyman/experimental.h>

/* The problem  min 1/2 |w|^2 + sum_i box_i max(0, 1 - y_i (w'x_i + b)). */
typedef struct kkt_problem {
    const ney_matrix *x;
    const int8_t *y;
    const double *box;
} kkt_problem;

/* Entry (row, column) of a matrix, dense or sparse. */
double kkt_entry(const ney_matrix *x, int64_t row, int64_t column);

long double kkt_primal(const kkt_problem *p, const double *w, double b);

/* The least primal over b for this w: the least of its values at all breaks. */
long double kkt_primal_of_best_b(const kkt_problem *p, const double *w);

/* A lower bound of every primal value: the dual at a feasible point found by always taking the
 * best step of all pairs of rows. At most 64 rows. */
long double kkt_dual_bound(const kkt_problem *p);

#endif
