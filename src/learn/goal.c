#include "learn/goal.h"

#include <math.h>

#define ADDRESS(x) &ney_goal_##x,
#define OPTION_BIT(x, ...) | 1 << NEY_GOAL_AT_##x

static const ney_goal *const goals[] = {NEY_GOALS(ADDRESS, NEY_GOAL_NOTHING)};
enum { WITH_OPTION = 0 NEY_GOALS(NEY_GOAL_NOTHING, OPTION_BIT) }; /* goals, as a set */

_Static_assert((int)NEY_GOAL_COST == (int)NEY_GOAL_AT_cost &&
                   (int)NEY_GOAL_REJECT == (int)NEY_GOAL_AT_reject &&
                   (int)NEY_GOAL_RATE == (int)NEY_GOAL_AT_rate &&
                   (int)NEY_GOAL_RATES == (int)NEY_GOAL_AT_rates &&
                   (int)NEY_GOAL_FDR == (int)NEY_GOAL_AT_fdr,
               "the constants of ney_goal_kind are the first rows of NEY_GOALS");
_Static_assert((int)NEY_N_GOALS <= (int)NEY_MAX_GOALS, "arrays by ney_goal_kind hold every goal");

const ney_goal *ney_goal_at(ney_goal_kind kind)
{
    return goals[kind];
}

double ney_goal_value(const ney_train_opts *o, ney_goal_kind kind)
{
    return (WITH_OPTION >> kind & 1) != 0 ? o->goal_option[kind] : (double)NAN;
}

static bool is_asked(int kind, const ney_train_opts *o)
{
    return goals[kind]->is_asked ? goals[kind]->is_asked(o)
                                 : !isnan(ney_goal_value(o, (ney_goal_kind)kind));
}

ney_goal_kind ney_goal_of(const ney_train_opts *o)
{
    int k = NEY_N_GOALS - 1;
    while (k > 0 && !is_asked(k, o)) {
        k--;
    }
    return (ney_goal_kind)k;
}

ney_goal_kind ney_train_goal(const ney_train_opts *opts)
{
    return ney_goal_of(opts);
}
