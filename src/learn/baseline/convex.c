/* The method that Neyman-Pearson training is compared with: an SVM at asymmetric costs (chosen by
 * the user or by tuning) whose threshold alone keeps the rate. */
#include "learn/batch/cost.h"

static ney_status describe(const ney_task *t, const ney_train_info *info, ney_model *m,
                           ney_error *err)
{
    (void)info;
    return ney_cost_describe(t, m, err);
}

const ney_learner ney_learner_convex = {.reads = NEY_READS_KERNEL "tol max-iter cost-fn cost-fp",
                                        .finds = NEY_FINDS_GAP | NEY_FINDS_ITERATIONS |
                                                 NEY_FINDS_EXPANSION,
                                        .learn = ney_cost_learn,
                                        .describe = describe};
