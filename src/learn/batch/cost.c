/* The asymmetric-cost SVM: the hinge loss as one problem [QP.1], v_i = y_i a_i with 0 <= a_i <= C_i
 * and slope y_i, where C_i = C * the cost of the class * the example's weight. */
#include "learn/batch/cost.h"

#include "learn/goal.h"
#include "learn/make.h"
#include "learn/shared.h"

static void fill_boxes(const ney_task *t, double *low, double *high, double *slope)
{
    for (int64_t i = 0; i < t->x->rows; i++) {
        const bool positive = t->label[i] > 0;
        const double box =
            t->o.C * (positive ? t->o.cost_fn : t->o.cost_fp) * ney_task_weight(t, i);
        low[i] = positive ? 0 : -box;
        high[i] = positive ? box : 0;
        slope[i] = t->label[i];
    }
}

ney_status ney_cost_learn(ney_task *t, ney_answer *a, ney_train_info *info, ney_error *err)
{
    const int64_t n = t->x->rows;
    double *low = ney_alloc(&t->env, 4 * n, sizeof *low); /* one block */

    ney_status st =
        ney_shared_agree(t->blocks, low ? NEY_OK : ney_no_memory(err, n, "dual variables"), err);
    if (st != NEY_OK || !low) {
        ney_release(&t->env, low);
        return st;
    }
    double *high = low + n, *slope = low + 2 * n, *f = low + 3 * n;
    const ney_qp qp = {
        .n = n, .low = low, .middle = high, .high = high, .slope_low = slope, .slope_high = slope};
    fill_boxes(t, low, high, slope);
    st = ney_answer_solve(a, t, &qp, f, info, err);
    if (st == NEY_OK) {
        st = ney_answer_scores(a, t, f, t->o.tol, err);
    }
    ney_release(&t->env, low);
    return st;
}

ney_status ney_cost_describe(const ney_task *t, ney_model *m, ney_error *err)
{
    const ney_status st =
        ney_model_set_number(m, NEY_METADATA_SUMMARY, "cost_fn", t->o.cost_fn, err);
    return st == NEY_OK
               ? ney_model_set_number(m, NEY_METADATA_SUMMARY, "cost_fp", t->o.cost_fp, err)
               : st;
}

const ney_goal ney_goal_cost = {.name = "cost",
                                .options = "costs",
                                .criterion = NEY_CRITERION_COST,
                                .usual = NEY_METHOD_AUTO,
                                .learner = &ney_learner_cost,
                                .describe = ney_cost_describe};

const ney_learner ney_learner_cost = {.reads = NEY_READS_KERNEL "tol max-iter cost-fn cost-fp",
                                      .finds = NEY_FINDS_GAP | NEY_FINDS_ITERATIONS |
                                               NEY_FINDS_EXPANSION,
                                      .shared = true,
                                      .learn = ney_cost_learn};
