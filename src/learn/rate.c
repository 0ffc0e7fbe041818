#include "learn/rate.h"

#include "learn/threshold.h"

#include <math.h>

static bool is_asked(const ney_train_opts *o)
{
    return !isnan(o->max_fpr) || !isnan(o->max_fnr);
}

ney_status ney_rate_decide(const ney_task *t, ney_model *m, ney_train_info *info, ney_error *err)
{
    return ney_threshold_set(m, t, t->request.bounded, t->request.rate, &info->counts, err);
}

static ney_status describe(const ney_task *t, ney_model *m, ney_error *err)
{
    const bool fpr = t->request.bounded == NEY_FALSE_POSITIVES;
    return ney_model_set_number(m, NEY_METADATA_SUMMARY, fpr ? "max_fpr" : "max_fnr",
                                t->request.rate, err);
}

const ney_goal ney_goal_rate = {.name = "np",
                                .options = "--max-fpr|--max-fnr",
                                .criterion = NEY_CRITERION_EXPECTED,
                                .usual = NEY_METHOD_ANNEALED,
                                .is_asked = is_asked,
                                .decide = ney_rate_decide,
                                .describe = describe};
