/* Neyman-Pearson: the least rate of one error while the other keeps to a bound [NP.2], by
 * descent on the constrained problem (descent.h) or by Uzawa's method (uzawa.h). */
#include "learn/batch/descent.h"
#include "learn/batch/uzawa.h"
#include "learn/goal.h"
#include "learn/rate.h"

#include <math.h>

static bool asked(const ney_train_opts *o)
{
    return ney_rate_is_bounded(o);
}

/* A rate of 1 allows everything: the score is eta everywhere, at no cost. */
static void allow_all(ney_task *t, ney_answer *a, ney_train_info *info)
{
    const bool fpr = isnan(t->o.max_fnr);
    a->intercept = fpr ? t->o.eta : -t->o.eta;
    *info = (ney_train_info){.stop = NEY_STOP_CONVERGED,
                             .end = NEY_END_SLACK,
                             .ramp_fpr = fpr ? 1 : 0,
                             .ramp_fnr = fpr ? 0 : 1};
}

static ney_status learn(ney_task *t, ney_answer *a, ney_train_info *info, ney_error *err)
{
    const double rate = ney_rate_of(&t->o);
    if (rate >= 1) {
        allow_all(t, a, info);
        return NEY_OK;
    }
    const ney_bound bound = {.sign = isnan(t->o.max_fnr) ? 1 : -1, .rate = rate};
    return t->o.method == NEY_METHOD_UZAWA ? ney_uzawa(t, bound.sign, rate, a, info, err)
                                           : ney_descent(t, &bound, a, info, err);
}

static const char *method(const ney_train_opts *o)
{
    return o->method == NEY_METHOD_UZAWA ? "uzawa" : "annealed";
}

static ney_status tell(const ney_task *t, const ney_train_info *info, ney_model *m, ney_error *err)
{
    ney_status st;
    if ((st = ney_rate_tell(t, m, err)) == NEY_OK &&
        (st = ney_model_set_number(m, NEY_LIST_SUMMARY, "eta", t->o.eta, err)) == NEY_OK &&
        (st = ney_model_set_number(m, NEY_LIST_SUMMARY, "lambda", info->lambda, err)) == NEY_OK &&
        (st = ney_model_set_text(m, NEY_LIST_SUMMARY, "constraint", ney_end_text(info->end),
                                 err)) == NEY_OK &&
        (st = ney_model_set_number(m, NEY_LIST_SUMMARY, "ramp_fpr", info->ramp_fpr, err)) ==
            NEY_OK &&
        (st = ney_model_set_number(m, NEY_LIST_SUMMARY, "ramp_fnr", info->ramp_fnr, err)) ==
            NEY_OK &&
        (st = ney_model_set_number(m, NEY_LIST_SUMMARY, "steps", (double)info->steps, err)) ==
            NEY_OK) {
        st = ney_model_set_number(m, NEY_LIST_SUMMARY, "starts", (double)info->starts, err);
    }
    return st;
}

const ney_goal ney_goal_np = {.name = "np",
                              .criterion = NEY_CRITERION_RATE,
                              .asked = asked,
                              .check = ney_rate_check,
                              .learn = learn,
                              .decide = ney_rate_decide,
                              .method = method,
                              .tell = tell};
