/* The objective of an online run.
 *
 *     L(f, lambda) = (mu/2) |w|^2 + Q + lambda (P - A),   mu = 1 / (C W)                [ONLINE.1]
 *
 * P: the mean loss of the bounded class, Q: of the free class, whose weight is W. With costs, or
 * with both rates bounded, there is no lambda: the hinge times the costs or the double hinge
 * [REJ.3] takes the place of the loss, and the mean over all rows that of [ONLINE.1], mu = 1 / (C
 * weight of all rows). */
#ifndef NEY_LEARN_ONLINE_LOSS_H
#define NEY_LEARN_ONLINE_LOSS_H

#include "learn/batch/hinges.h"
#include "learn/online/window.h"

typedef struct ney_online_problem {
    int sign;             /* +1: the negatives are bounded, or none; -1: all signs are exchanged */
    double rate;          /* A, but at least half a row */
    double mu;            /* of [ONLINE.1] */
    double factor[2];     /* a_i of [ONLINE.2] for weight 1 and lambda 1, negatives and positives */
    bool is_cost;         /* training bounds no rate: the mean of `hinges` is minimised */
    ney_hinges hinges[2]; /* of negatives and positives */
    ney_loss loss;
    double eta;
} ney_online_problem;

/* What the options determine, and then what the rows determine. */
void ney_online_problem_init(ney_online_problem *p, const ney_request *r, const ney_train_opts *o);
void ney_online_problem_weigh(ney_online_problem *p, const ney_request *r, double C,
                              const ney_shuffle *shuffle);

/* The ramp or sigmoid loss at margin z, and minus its slope. @param is_convex  the ramp does not
 * clip: its slope goes on below -eta. */
static inline double ney_online_loss(const ney_online_problem *p, double z, bool is_convex,
                                     double *slope)
{
    if (p->loss == NEY_LOSS_SIGMOID) {
        const double phi = 1 / (1 + exp(z / p->eta));
        *slope = phi * (1 - phi) / p->eta;
        return phi;
    }
    const double phi = (p->eta - z) / (2 * p->eta);
    *slope = phi > 0 && (phi < 1 || is_convex) ? 0.5 / p->eta : 0;
    return phi < 0 ? 0 : phi > 1 ? 1 : phi;
}

/* The loss of a row of that label and score, whatever the goal. */
double ney_online_row_loss(const ney_online_problem *p, int label, double score);

#endif
