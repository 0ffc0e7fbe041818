#include "learn/goal.h"

/* In the order in which they are asked for: goals that ask for more come first. */
static const ney_goal *const goals[NEY_GOALS] = {&ney_goal_fdr, &ney_goal_rates, &ney_goal_rate,
                                                 &ney_goal_reject, &ney_goal_cost};

const ney_goal *ney_goal_at(ney_goal_kind kind)
{
    int k = 0;
    while (goals[k]->kind != kind) {
        k++;
    }
    return goals[k];
}

ney_goal_kind ney_goal_of(const ney_train_opts *o)
{
    int k = 0;
    while (!goals[k]->is_asked(o)) { /* costs always are */
        k++;
    }
    return goals[k]->kind;
}

ney_goal_kind ney_train_goal(const ney_train_opts *opts)
{
    return ney_goal_of(opts);
}
