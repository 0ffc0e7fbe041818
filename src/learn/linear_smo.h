/* The dual of the linear SVM by sequential minimal optimisation; linear_smo.c has the mathematics.
 * The caller owns the loop: it asks for the violation, decides whether to go on, and asks for a
 * round. Nothing is allocated after init. */
#ifndef NEY_LEARN_LINEAR_SMO_H
#define NEY_LEARN_LINEAR_SMO_H

#include "decide/order.h"

typedef struct ney_smo {
    const ney_env *env;
    const ney_matrix *x;
    const int8_t *y;
    const double *box;
    void *block;              /* all arrays below */
    double *beta, *level, *w; /* rows, rows, cols */
    bool w_is_exact;          /* computed from beta at once, not by many small changes */

    /* The working set: `size` rows of at most `cap`. */
    int64_t *set;
    double *set_beta, *set_level, *gram;
    double *scatter; /* cols */
    int64_t size, cap;
    ney_ranked *ranked; /* 2 rows */
} ney_smo;

/* `box` holds C_i; it, the matrix and the labels are borrowed until deinit. Starts at zero. */
ney_status ney_smo_init(ney_smo *s, const ney_env *env, const ney_matrix *x, const int8_t *y,
                        const double *box, ney_error *err);
void ney_smo_deinit(ney_smo *s);

/* The largest violation of the optimality conditions, 0 when there is none. */
double ney_smo_violation(ney_smo *s);

/* Improve the point until no violation within the working set exceeds `tol`, by at most `max_steps`
 * pair steps. Returns their number. */
int64_t ney_smo_round(ney_smo *s, double tol, int64_t max_steps);

/* Take rounding out of w and out of the equality constraint. */
void ney_smo_refresh(ney_smo *s);

/* The value of the dual at the current point. */
double ney_smo_dual(const ney_smo *s);

int64_t ney_smo_support_vectors(const ney_smo *s);

/* The intercept that is best for w, and the value of the primal with it. To be asked after
 * ney_smo_violation(), which brings the levels up to date. */
double ney_smo_intercept(ney_smo *s);
double ney_smo_primal(const ney_smo *s, double intercept);

#endif
