#include "learn/rate.h"

#include "learn/threshold.h"

#include <math.h>

bool ney_rate_is_bounded(const ney_train_opts *o)
{
    return !isnan(o->max_fpr) || !isnan(o->max_fnr);
}

double ney_rate_of(const ney_train_opts *o)
{
    return isnan(o->max_fnr) ? o->max_fpr : o->max_fnr;
}

ney_error_kind ney_rate_kind(const ney_train_opts *o)
{
    return isnan(o->max_fnr) ? NEY_FALSE_POSITIVES : NEY_FALSE_NEGATIVES;
}

ney_status ney_rate_check_confidence(const ney_train_opts *o, ney_error *err)
{
    if (o->confidence >= 1) {
        return ney_fail(err, NEY_EINVAL,
                        "confidence = 1 is beyond any number of rows, expected one from 0.5 to "
                        "below 1, such as 0.95");
    }
    return NEY_OK;
}

ney_status ney_rate_check(const ney_train_opts *o, ney_error *err)
{
    return ney_rate_check_confidence(o, err);
}

ney_status ney_rate_decide(const ney_task *t, ney_model *m, ney_train_info *info, ney_error *err)
{
    return ney_threshold_set(m, t, ney_rate_kind(&t->o), ney_rate_of(&t->o), &info->counts, err);
}

ney_status ney_rate_tell(const ney_task *t, ney_model *m, ney_error *err)
{
    return ney_model_set_number(m, NEY_LIST_SUMMARY, isnan(t->o.max_fnr) ? "max_fpr" : "max_fnr",
                                ney_rate_of(&t->o), err);
}
