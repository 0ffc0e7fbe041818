/* The multiplier lambda of the bounded rate. It follows the mean loss R of recent visits to the
 * bounded class:
 *
 *     log lambda <- log lambda + nu_t log(R / A)                                        [ONLINE.3]
 *
 * Gasso et al. 2011, algorithm 4, in a logarithm, so that a small A takes no longer. R averages
 * over enough visits to estimate A, but not more than a quarter of an epoch; one update takes log(R
 * / A) as at most 2. lambda is the slope of an ROC curve at A, which is at most 1 / A where the
 * curve is concave: the range ends at twice that. */
#ifndef NEY_LEARN_ONLINE_MULTIPLIER_UPDATE_H
#define NEY_LEARN_ONLINE_MULTIPLIER_UPDATE_H

#include <stdbool.h>
#include <stdint.h>

struct ney_online;

typedef struct ney_multiplier {
    double max_log; /* upper end of the range of log lambda */
    double root;    /* of lambda, during visits */
    /* of the visits begun: see ney_multiplier_begin() */
    double each;      /* rows of the bounded class over their weight */
    double back;      /* visits that R averages over at most */
    double move;      /* of log lambda by the next visit */
    int64_t n, often; /* visits to the bounded class; log(R / A) is taken anew after `often` */
    bool is_fixed;    /* while learning rates are tried */
} ney_multiplier;

void ney_multiplier_init(ney_multiplier *m, double rate);

/* log lambda within its range. */
double ney_multiplier_clamp(const ney_multiplier *m, double log_lambda);

/* Several processes: R after `visits` to the bounded class, `each` of a process, which moved the R
 * of a process by `change` on average. */
void ney_multiplier_join(struct ney_online *r, double visits, double each, double change);

/* Before visits, at most some hundred: what is the same for all of them. */
void ney_multiplier_begin(struct ney_online *r);

/* [ONLINE.3] after a visit of that loss and weight to the bounded class. log(R / A) and the root of
 * lambda are taken anew after every eighth, of networks after each. */
void ney_multiplier_update(struct ney_online *r, double loss, double weight);

#endif
