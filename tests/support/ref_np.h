/* An independent judge of Neyman-Pearson models: recomputes scores, rates, Lagrangian and the last
 * convex problem from model and data alone, in long double. Shares no code with src/. Slow. */
#ifndef NEY_TESTS_SUPPORT_REF_NP_H
#define NEY_TESTS_SUPPORT_REF_NP_H

#include <neyman/experimental.h>

typedef struct ref_np {
    long double P, Q;         /* ramp rates of the bounded and the free class */
    long double square;       /* |w|^2 */
    long double lagrangian;   /* 1/2 |w|^2 + C W (Q + lambda (P - A)) */
    long double primal, dual; /* of the convex problem whose clipped examples are those of the model
                                 itself; dual NAN for a linear model, which has no coefficients */
    long double outside;      /* how far a coefficient lies outside its box, at most */
    long double sum;          /* of the coefficients */
    long double kink;         /* what primal and dual may be off by: rows at z = -eta, to within the
                                 tolerance, may be clipped or not; they are left out of `outside` */
    int64_t fp, fn;           /* at the model's threshold */
} ref_np;

/* `data` dense, rows all different; lambda as reported. */
ref_np ref_np_judge(const ney_model *m, const ney_data *data, const ney_train_opts *o,
                    double lambda);

/* The training objective 1/2 |w|^2 + C * (weighted ramp loss of the free class) of any linear or
 * kernel model, its score shifted to where the weighted ramp rate of the bounded class is the one
 * allowed (half a row where that is less than one row). `data` dense. */
long double ref_np_objective(const ney_model *m, const ney_data *data, const ney_train_opts *o);

/* The same where the share s P / (1 - Q) is to be at most q, P the ramp rate of the negatives and Q
 * that of the positives: the score is shifted up as far as that share allows. */
long double ref_fdr_objective(const ney_model *m, const ney_data *data, const ney_train_opts *o,
                              double q, double s);

/* The least value of ref_np_objective() over all linear score functions, by exhaustive search: one
 * or two columns. */
long double ref_np_global(const ney_data *data, const ney_train_opts *o);

#endif
