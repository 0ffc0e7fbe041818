/* Repeated certified training on a population with known rates: how often the true rate exceeds the
 * bound. */
#ifndef TEST_CERTIFIED_H
#define TEST_CERTIFIED_H

#include <neyman/experimental.h>

#include "support/population.h"

typedef struct certified_claim {
    const char *claim;
    void (*choose)(ney_train_opts *o); /* what differs from the defaults */
    int points;                        /* of the population, per class; few: ties */
    bool weighted;
    int64_t n_neg, n_pos; /* rows of a run */
    int64_t runs;
    double least_power; /* the mean true detection rate that a useful model has at least */
} certified_claim;

/* The defaults of training. */
ney_train_opts certified_defaults(void);

/* Runs it all and checks it. `train` makes a model from a draw; NULL: ney_train(). */
void certified_check(const certified_claim *c, uint64_t stream,
                     ney_model *(*train)(const ney_env *env, const population *p, rnd *r,
                                         const ney_data *d, const ney_train_opts *o));

#endif
