/* The method that Neyman-Pearson training is compared with: an SVM at asymmetric costs (the costs
 * are the user's or tuning's to choose), whose threshold alone keeps the rate. */
#include "learn/goal.h"
#include "learn/rate.h"

#include <math.h>

static bool asked(const ney_train_opts *o)
{
    return ney_rate_is_bounded(o) && o->method == NEY_METHOD_CONVEX;
}

static const char *method(const ney_train_opts *o)
{
    (void)o;
    return "convex";
}

static ney_status learn(ney_task *t, ney_answer *a, ney_train_info *info, ney_error *err)
{
    return ney_goal_cost.learn(t, a, info, err);
}

static ney_status tell(const ney_task *t, const ney_train_info *info, ney_model *m, ney_error *err)
{
    const ney_status st = ney_rate_tell(t, m, err);
    return st == NEY_OK ? ney_goal_cost.tell(t, info, m, err) : st;
}

const ney_goal ney_goal_convex = {.name = "np",
                                  .criterion = NEY_CRITERION_RATE,
                                  .asked = asked,
                                  .check = ney_rate_check,
                                  .learn = learn,
                                  .decide = ney_rate_decide,
                                  .method = method,
                                  .tell = tell};
