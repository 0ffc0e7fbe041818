/* Both error rates bounded: rows of both classes are held out and certify a threshold each, and
 * rows between the two are rejected. The score function is that of the double hinge, which
 * separates well around the thresholds. Any score that orders rows by their probability rejects
 * least, so the costs only say where the order matters most. */
#include "learn/batch/reject.h"

#include <math.h>

static bool is_asked(const ney_train_opts *o)
{
    return !isnan(o->max_fpr) && !isnan(o->max_fnr);
}

static ney_status check(const ney_request *r, const ney_train_opts *o, ney_error *err)
{
    (void)o;
    if (!ney_request_certifies(r)) {
        return ney_fail(err, NEY_EINVAL,
                        "max-fpr and max-fnr at once need a confidence: both thresholds are "
                        "certified on rows held out");
    }
    if (r->max_rate[0] >= 1 || r->max_rate[1] >= 1) {
        return ney_fail(err, NEY_EINVAL,
                        "a bound of 1 allows every error: leave it out and bound the other rate "
                        "alone");
    }
    return NEY_OK;
}

static ney_status describe(const ney_task *t, ney_model *m, ney_error *err)
{
    const double *const max = t->request.max_rate;
    const ney_status st =
        ney_model_set_number(m, NEY_METADATA_SUMMARY, "max_fpr", max[NEY_FALSE_POSITIVES], err);
    return st == NEY_OK ? ney_model_set_number(m, NEY_METADATA_SUMMARY, "max_fnr",
                                               max[NEY_FALSE_NEGATIVES], err)
                        : st;
}

const ney_goal ney_goal_rates = {.name = "bounded",
                                 .options = "--max-fpr with --max-fnr",
                                 .criterion = NEY_CRITERION_REJECTS,
                                 .usual = NEY_METHOD_AUTO,
                                 .learner = &ney_learner_reject,
                                 .is_asked = is_asked,
                                 .check = check,
                                 .describe = describe};
