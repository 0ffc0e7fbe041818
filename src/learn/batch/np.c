/* Neyman-Pearson: the least rate of one error while the other keeps to a bound [NP.2], by
 * descent on the constrained problem (descent.h) or by Uzawa's method (uzawa.h). */
#include "learn/batch/descent.h"
#include "learn/batch/uzawa.h"
#include "learn/make.h"

/* A rate of 1 allows everything: the score is eta everywhere, at no cost. */
static void allow_all(ney_task *t, ney_answer *a, ney_train_info *info)
{
    const bool fpr = t->request.bounded == NEY_FALSE_POSITIVES;
    a->intercept = fpr ? t->o.eta : -t->o.eta;
    *info = (ney_train_info){.stop = NEY_STOP_CONVERGED,
                             .constraint = NEY_CONSTRAINT_SLACK,
                             .ramp_fpr = fpr ? 1 : 0,
                             .ramp_fnr = fpr ? 0 : 1};
}

static ney_status learn_annealed(ney_task *t, ney_answer *a, ney_train_info *info, ney_error *err)
{
    const ney_bound bound = {.sign = -t->request.bounded_class, .rate = t->request.rate};
    if (bound.rate >= 1) {
        allow_all(t, a, info);
        return NEY_OK;
    }
    return ney_descent(t, &bound, a, info, err);
}

static ney_status learn_uzawa(ney_task *t, ney_answer *a, ney_train_info *info, ney_error *err)
{
    if (t->request.rate >= 1) {
        allow_all(t, a, info);
        return NEY_OK;
    }
    return ney_uzawa(t, -t->request.bounded_class, t->request.rate, a, info, err);
}

static ney_status describe(const ney_task *t, const ney_train_info *info, ney_model *m,
                           ney_error *err)
{
    const ney_metadata_value items[] = {
        {"eta", NULL, t->o.eta},
        {"lambda", NULL, info->lambda},
        {"constraint", ney_constraint_status_text(info->constraint), 0},
        {"ramp_fpr", NULL, info->ramp_fpr},
        {"ramp_fnr", NULL, info->ramp_fnr},
        {"steps", NULL, (double)info->steps},
        {"starts", NULL, (double)info->starts},
    };
    return ney_set_metadata(m, items, sizeof items / sizeof *items, err);
}

enum {
    FINDS = NEY_FINDS_MULTIPLIER | NEY_FINDS_RAMP_RATES | NEY_FINDS_GAP | NEY_FINDS_ITERATIONS |
            NEY_FINDS_EXPANSION
};

const ney_learner ney_learner_annealed = {.reads = NEY_READS_KERNEL "tol max-iter eta start",
                                          .finds = FINDS,
                                          .shared = true,
                                          .learn = learn_annealed,
                                          .describe = describe};

const ney_learner ney_learner_uzawa = {.reads = NEY_READS_KERNEL "tol max-iter eta start",
                                       .finds = FINDS,
                                       .learn = learn_uzawa,
                                       .describe = describe};
