#include "learn/method.h"

#include "base/text.h"
#include "learn/goal.h"

#include <string.h>

#define ROW(name, help, traits, ...) {name, help, traits, {__VA_ARGS__}},

static const ney_method_row rows[] = {NEY_METHODS(ROW)};

_Static_assert((int)NEY_METHOD_ONLINE < (int)NEY_N_METHODS,
               "every constant of ney_method has a row");

const ney_method_row *ney_method_at(int64_t k)
{
    return k >= 0 && k < NEY_N_METHODS ? &rows[k] : NULL;
}

const ney_learner *ney_method_learner(const ney_method_row *method, ney_goal_kind goal)
{
    return method == &rows[NEY_METHOD_AUTO] ? ney_goal_at(goal)->learner : method->of_goal[goal];
}

bool ney_method_get(int64_t k, ney_method_info *info, size_t size)
{
    const ney_method_row *const row = ney_method_at(k);
    if (!row) {
        return false;
    }
    ney_method_info all = {.name = row->name,
                           .help = row->help,
                           .linear_only = (row->traits & NEY_METHOD_IS_LINEAR) != 0,
                           .is_baseline = (row->traits & NEY_METHOD_IS_BASELINE) != 0};
    for (int goal = 0; goal < NEY_N_GOALS; goal++) {
        const ney_learner *const learner = ney_method_learner(row, (ney_goal_kind)goal);
        all.serves[goal] = learner != NULL;
        all.reads_costs[goal] = learner && ney_is_listed(learner->reads, "cost-fp");
    }
    memset(info, 0, size);
    memcpy(info, &all, size < sizeof all ? size : sizeof all);
    return true;
}
