/* The online method as a learner: which options it reads, and how tuning gets a model from it. */
#include "learn/method.h"
#include "learn/online/online.h"

#include <math.h>

/* Fits of a search hold nothing out to certify, and keep no checkpoint: a search keeps results. */
static ney_status make(ney_model **out, ney_task *t, ney_train_info *info, ney_error *err)
{
    ney_train_opts o = t->o;
    o.confidence = o.holdout = (double)NAN;
    o.checkpoint = NULL;
    o.resume = false;
    ney_partition all = {.env = t->env, .data = t->data}; /* all rows are learned from */
    return ney_online_train(out, &all, &o, info, err);
}

static bool is_random(const ney_request *r)
{
    (void)r;
    return true;
}

#define READS                                                                                      \
    "gamma max-iter epochs network activation batch features validation checkpoint "               \
    "checkpoint-every resume "

const ney_learner ney_learner_online = {.reads = READS "eta loss",
                                        .is_random = is_random,
                                        .shared = true,
                                        .make = make,
                                        .train = ney_online_train};

/* Costs, costs with rejection, and both rates bounded. */
const ney_learner ney_learner_online_costs = {.reads = READS "cost-fn cost-fp",
                                              .is_random = is_random,
                                              .shared = true,
                                              .make = make,
                                              .train = ney_online_train};
