/* A score function in training: weights updated one row at a time, and their average.
 *
 *   linear    f(x) = w'x + b
 *   network   f(x) = w'a_L + b, a_l = activation(W_l'a_{l-1} + b_l)      linalg/network.h
 *
 * All weights are one vector w, regularised; all intercepts one vector b, which is not. A step
 *
 *     w <- (1 - shrink) w + delta df/dw,   b <- b + delta df/db                         [ONLINE.4]
 *
 * takes time in proportion to the row's entries, the regulariser and the average included:
 *
 *     w = scale * v;   the sum of all w since averaging began = u + mass * v            [ONLINE.5]
 *
 * To shrink is to change scale; to add d to v without a change of the sum is to take mass * d from
 * u; the next w joins the sum when scale is added to mass.
 *
 * Where rows are a small part of the columns, most of the time would go to u, which lies further
 * from the processor than v. There u is left alone for `every` visits, whose v all count as the
 * last of them, and then takes the sum over: u <- u + mass * v, mass <- 0. */
#ifndef NEY_LEARN_ONLINE_SGD_H
#define NEY_LEARN_ONLINE_SGD_H

#include "base/env.h"
#include "linalg/network.h"

typedef struct ney_sgd {
    ney_env env;
    ney_network shape;
    int64_t n, m;  /* numbers in w and b */
    double *block; /* one block of memory for what follows */
    double *v, *u, *b, *b_sum;
    double scale, mass, count; /* count: steps in the average */
    double *hidden, *back;     /* of the row scored last: a_1, and df / d(W_1'x + b_1) */
    int64_t every;             /* visits between two times at which u takes the sum over */
} ney_sgd;

ney_status ney_sgd_init(ney_sgd *s, const ney_env *env, const ney_network *shape, ney_error *err);
void ney_sgd_deinit(ney_sgd *s);

/* Where learning begins: zeros, and for a network weights drawn at random for columns whose mean
 * square over rows is `square` in sum: their variance is 1 / the sum of squares of a layer's
 * inputs, and twice that for ReLU. */
void ney_sgd_begin(ney_sgd *s, uint64_t seed, double square);

/* Where it goes on: from these weights and intercepts. */
void ney_sgd_set(ney_sgd *s, const double *w, const double *b);

/* Whether rows can be taken one by one, by the functions below; networks of several layers or of
 * ReLU are trained in batches (sgd_batch.h), of one row at least. */
bool ney_sgd_takes_rows(const ney_sgd *s);

double ney_sgd_score(ney_sgd *s, const ney_matrix *x, int64_t row);

/* Of the row scored last: the squared length of df/d(w, b). */
double ney_sgd_square(const ney_sgd *s, const ney_matrix *x, int64_t row);

/* [ONLINE.4] for the row scored last, and its place in the average. */
void ney_sgd_step(ney_sgd *s, const ney_matrix *x, int64_t row, double shrink, double delta);

/* Average sparse rows, `entries` of n columns each on average, over an epoch with this number of
 * visits: let u wait where that saves much of the time and leaves a hundred sums to take over. */
void ney_sgd_average_lazily(ney_sgd *s, double entries, double visits);

/* Its two ends: w <- (1 - shrink) w before weights are moved, and the average's share after. */
void ney_sgd_shrink(ney_sgd *s, double shrink);
void ney_sgd_count(ney_sgd *s);

/* v takes the scale over, and u the sum of the average. */
void ney_sgd_take_over(ney_sgd *s);

/* Forget the average and begin it anew. */
void ney_sgd_restart(ney_sgd *s);

/* The average, or the weights as they are where none has begun; w has s->n numbers, b s->m. */
void ney_sgd_average(const ney_sgd *s, double *w, double *b);

/* |w|^2 */
double ney_sgd_norm(const ney_sgd *s);

#endif
