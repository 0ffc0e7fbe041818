#include "learn/goal.h"

/* What asks for less comes last: costs are what is left when nothing else is asked for. */
static const ney_goal *const goals[] = {&ney_goal_generative, &ney_goal_perf, &ney_goal_convex,
                                        &ney_goal_np, &ney_goal_cost};

const ney_goal *ney_goal_of(const ney_train_opts *o)
{
    size_t k = 0;
    while (k + 1 < sizeof goals / sizeof *goals && !goals[k]->asked(o)) {
        k++;
    }
    return goals[k];
}
