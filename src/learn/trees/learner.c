/* The methods that train boosted trees, one learner per goal.
 *
 *   boosting    the logistic loss at the weights of the classes, which are the stated costs: tuning
 *               chooses that of a bounded rate
 *   lagrangian  from there on the sigmoid loss of [NP.2], the multiplier updated between rounds */
#include "learn/trees/boosting.h"

#include "learn/make.h"
#include "model/family.h"

#include <math.h>

static ney_boost_loss stated_loss(const ney_task *t)
{
    return (ney_boost_loss){.weight = {t->o.cost_fp, t->o.cost_fn},
                            .is_lagrangian = t->request.learner == &ney_learner_lagrangian};
}

/* ---------------------------------------------------------------- the model */

/* Scores are log-odds where costs decide. */
static ney_status make_mean(ney_model **out, const ney_boost *b, const ney_committee *c,
                            ney_error *err)
{
    const ney_task *const t = b->t;
    const bool by_costs = t->request.kind == NEY_GOAL_COST || t->request.kind == NEY_GOAL_REJECT;
    ney_trees *mean = NULL;
    const ney_status st = ney_committee_mean(&mean, c, b, by_costs, err);
    return st == NEY_OK
               ? ney_model_new_trees(out, &t->env, ney_data_preprocessing(t->data), mean, err)
               : st;
}

/* Those that were not stopped before their first tree. */
static int count_boosters(const ney_boost *b, const ney_committee *c)
{
    int n = 0;
    for (int k = 0; k < b->n_folds; k++) {
        n += c->trees[k]->n > 0;
    }
    return n;
}

static ney_status describe_trees(const ney_boost *b, const ney_committee *c, ney_model *m,
                                 ney_error *err)
{
    const ney_metadata_value items[] = {
        {"trees", NULL, (double)ney_model_trees(m)->n},
        {"depth", NULL, (double)b->shape.depth},
        {"learning_rate", NULL, b->shape.learning_rate},
        {"min_child", NULL, b->shape.min_child},
        {"subsample", NULL, b->t->o.subsample},
        {"boosters", NULL, count_boosters(b, c)},
        {"weight_fn", NULL, c->loss.weight[1]},
        {"weight_fp", NULL, c->loss.weight[0]},
        {"lambda", NULL, ney_committee_info(c, b).lambda},
    };
    return ney_set_metadata(m, items, sizeof items / sizeof *items, err);
}

static ney_status make(ney_model **out, ney_task *t, ney_train_info *info, ney_error *err)
{
    ney_boost b;
    ney_committee c = {0};
    const ney_boost_loss loss = stated_loss(t);
    ney_status st = ney_boost_init(&b, t, err);
    *out = NULL;
    if (st == NEY_OK && (st = ney_committee_fit_all(&c, &b, &loss, err)) == NEY_OK &&
        (st = make_mean(out, &b, &c, err)) == NEY_OK) {
        *info = ney_committee_info(&c, &b);
        st = describe_trees(&b, &c, *out, err);
    }
    ney_committee_deinit(&c, &b);
    ney_boost_deinit(&b);
    if (st != NEY_OK) {
        ney_model_free(*out);
        *out = NULL;
    }
    return st;
}

/* ---------------------------------------------------------------- learners */

static bool is_random(const ney_request *r)
{
    (void)r;
    return true;
}

ney_status ney_trees_check_family(const ney_request *r, ney_error *err)
{
    return r->family == &ney_family_trees
               ? NEY_OK
               : ney_fail(err, NEY_EINVAL, "--method %s applies to --trees", r->method->name);
}

#define READS_TREES                                                                                \
    "trees depth learning-rate subsample min-child conformal conformal-folds calibrate-folds "     \
    "cost-fn cost-fp"

const ney_learner ney_learner_boosting = {.reads = READS_TREES,
                                          .finds = NEY_FINDS_ITERATIONS,
                                          .is_random = is_random,
                                          .check = ney_trees_check_family,
                                          .make = make};

const ney_learner ney_learner_lagrangian = {.reads = READS_TREES " eta",
                                            .finds = NEY_FINDS_ITERATIONS | NEY_FINDS_MULTIPLIER,
                                            .is_random = is_random,
                                            .check = ney_trees_check_family,
                                            .make = make};
