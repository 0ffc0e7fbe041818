/* Both error rates bounded: rows of both classes are held out and certify a threshold each, and
 * what lies between the two is rejected. The score function is that of the double hinge, which
 * tells apart what is worth telling apart: rows between the thresholds and beyond. Whatever orders
 * rows by their probability abstains least, so its costs only say where the order counts most. */
#include "learn/batch/reject.h"
#include "learn/goal.h"
#include "learn/rate.h"

#include <math.h>

/* Of a rejected row, in units of the cheaper error, where no cost is told. */
static const double USUAL_COST = 0.2;

static bool asked(const ney_train_opts *o)
{
    return !isnan(o->max_fpr) && !isnan(o->max_fnr);
}

static ney_status check(const ney_train_opts *o, ney_error *err)
{
    if (isnan(o->confidence)) {
        return ney_fail(err, NEY_EINVAL,
                        "max-fpr and max-fnr at once need a confidence: both thresholds are "
                        "certified on rows held out");
    }
    if (o->max_fpr >= 1 || o->max_fnr >= 1) {
        return ney_fail(err, NEY_EINVAL,
                        "a bound of 1 allows every error: leave it out and bound the other rate "
                        "alone");
    }
    const ney_status st = ney_reject_check_method(o, err);
    return st == NEY_OK ? ney_rate_check_confidence(o, err) : st;
}

static ney_train_opts with_cost(const ney_train_opts *o)
{
    ney_train_opts with = *o;
    with.reject_cost =
        isnan(o->reject_cost) ? USUAL_COST * fmin(o->cost_fn, o->cost_fp) : o->reject_cost;
    return with;
}

static ney_status learn(ney_task *t, ney_answer *a, ney_train_info *info, ney_error *err)
{
    const ney_train_opts own = t->o;
    t->o = with_cost(&own);
    const ney_status st = ney_reject_learn(t, a, info, err);
    t->o = own;
    return st;
}

static ney_status tell(const ney_task *t, const ney_train_info *info, ney_model *m, ney_error *err)
{
    (void)info;
    const ney_status st = ney_model_set_number(m, NEY_LIST_SUMMARY, "max_fpr", t->o.max_fpr, err);
    return st == NEY_OK ? ney_model_set_number(m, NEY_LIST_SUMMARY, "max_fnr", t->o.max_fnr, err)
                        : st;
}

const ney_goal ney_goal_bounded = {.name = "bounded",
                                   .criterion = NEY_CRITERION_REJECTS,
                                   .asked = asked,
                                   .check = check,
                                   .learn = learn,
                                   .method = ney_reject_method,
                                   .tell = tell};
