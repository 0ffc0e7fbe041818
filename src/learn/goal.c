#include "learn/goal.h"

static const ney_goal *const goals[NEY_GOALS] = {
    [NEY_GOAL_COST] = &ney_goal_cost,     [NEY_GOAL_RATE] = &ney_goal_rate,
    [NEY_GOAL_RATES] = &ney_goal_rates,   [NEY_GOAL_FDR] = &ney_goal_fdr,
    [NEY_GOAL_REJECT] = &ney_goal_reject,
};

const ney_goal *ney_goal_at(ney_goal_kind kind)
{
    return goals[kind];
}

/* Goals that ask for more come first; costs are what is left. */
ney_goal_kind ney_goal_of(const ney_train_opts *o)
{
    static const ney_goal_kind order[] = {NEY_GOAL_FDR, NEY_GOAL_RATES, NEY_GOAL_RATE,
                                          NEY_GOAL_REJECT};
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        if (goals[order[k]]->is_asked(o)) {
            return order[k];
        }
    }
    return NEY_GOAL_COST;
}

ney_goal_kind ney_train_goal(const ney_train_opts *opts)
{
    return ney_goal_of(opts);
}
