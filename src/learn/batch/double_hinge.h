/* The double hinge loss: what the costs of errors and of rejection make of the logistic loss. */
#ifndef NEY_LEARN_BATCH_DOUBLE_HINGE_H
#define NEY_LEARN_BATCH_DOUBLE_HINGE_H

#include <neyman/experimental.h>

typedef struct ney_double_hinge {
    bool pays;            /* whether rejecting ever does; if not, nothing below is set */
    double p_low, p_high; /* P- and P+: rejecting is cheapest where P(positive) lies between */
    double q_low, q_high; /* 1 - P-, 1 - P+ */
    double low, high;     /* their log-odds, delta- and delta+ */
    double tau_pos, tau_neg, rho; /* where the loss bends: tau of each class, and rho */
} ney_double_hinge;

ney_double_hinge ney_double_hinge_of(const ney_costs *costs);

/* H(p) = -p log p - q log q, q = 1 - p is passed so that no digit is lost. */
double ney_entropy(double p, double q);

#endif
