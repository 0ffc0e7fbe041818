/* The online method as a goal among others: what it refuses, and how tuning gets a model of it. */
#include "learn/goal.h"
#include "learn/batch/reject.h"
#include "learn/online/online.h"
#include "learn/rate.h"

#include <math.h>

static bool asked(const ney_train_opts *o)
{
    return o->method == NEY_METHOD_ONLINE;
}

static ney_status check_family(const ney_train_opts *o, ney_error *err)
{
    return o->network > 0 && o->features > 0
               ? ney_fail(err, NEY_EINVAL, "a network or random features, not both at once")
               : NEY_OK;
}

static ney_status check(const ney_train_opts *o, ney_error *err)
{
    const ney_status st = check_family(o, err);
    return st == NEY_OK ? ney_rate_check(o, err) : st;
}

static bool reject_asked(const ney_train_opts *o)
{
    return asked(o) && ney_reject_is_asked(o) && !ney_rate_is_bounded(o);
}

static ney_status check_reject(const ney_train_opts *o, ney_error *err)
{
    const ney_status st = check_family(o, err);
    return st == NEY_OK ? ney_reject_check_costs(o, err) : st;
}

/* Fits of a search keep nothing out to certify, and no checkpoint: results are what it keeps. */
static ney_status make(ney_model **out, ney_task *t, ney_train_info *info, ney_error *err)
{
    ney_train_opts o = t->o;
    o.confidence = o.holdout = (double)NAN;
    o.checkpoint = NULL;
    o.resume = false;
    return ney_online_train(out, &t->env, t->data, &o, info, err);
}

const ney_goal ney_goal_online = {.name = "np",
                                  .criterion = NEY_CRITERION_RATE,
                                  .asked = asked,
                                  .check = check,
                                  .make = make,
                                  .train = ney_online_train};

const ney_goal ney_goal_online_reject = {.name = "reject",
                                         .criterion = NEY_CRITERION_COST,
                                         .asked = reject_asked,
                                         .check = check_reject,
                                         .make = make,
                                         .train = ney_online_train,
                                         .band = ney_reject_band};
