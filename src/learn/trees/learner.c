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

/* ---------------------------------------------------------------- fits side by side */

typedef struct fits {
    const ney_boost *b;
    ney_committee *committee;
} fits;

static ney_status fit_one(void *context, int64_t fold, int thread, ney_error *err)
{
    const fits *const f = context;
    (void)thread;
    return ney_committee_fit(f->committee, f->b, (int)fold, err);
}

static ney_status fit_committee(const ney_boost *b, ney_committee *c, ney_error *err)
{
    const ney_boost_loss loss = stated_loss(b->t);
    const ney_status st = ney_committee_init(c, b, &loss, err);
    fits f = {.b = b, .committee = c};
    ney_env env = b->inner;
    env.threads = b->t->env.threads;
    return st == NEY_OK ? ney_parallel_try(&env, b->n_folds, fit_one, &f, err) : st;
}

/* ---------------------------------------------------------------- the model */

/* The mean of the boosters, with scores that are log-odds where costs decide. */
static ney_status make_mean(ney_model **out, const ney_boost *b, const ney_committee *c,
                            ney_error *err)
{
    const ney_task *const t = b->t;
    const bool by_costs = t->request.kind == NEY_GOAL_COST || t->request.kind == NEY_GOAL_REJECT;
    double scale[NEY_BOOST_FOLDS], shift[NEY_BOOST_FOLDS], slope = 1, intercept = 0;
    const ney_trees *trees[NEY_BOOST_FOLDS] = {c->trees[0]};
    ney_trees *mean = NULL;
    int n = 0; /* boosters that were not stopped before their first tree */
    for (int k = 0; k < b->n_folds; k++) {
        trees[n] = c->trees[k];
        n += c->trees[k]->n > 0;
    }
    if (by_costs && b->n_folds > 1 && n == b->n_folds) {
        ney_committee_calibrate(c, b, &slope, &intercept);
    }
    n = n > 0 ? n : 1;
    for (int k = 0; k < n; k++) {
        scale[k] = slope / n;
        shift[k] = intercept / n;
    }
    const ney_status st = ney_trees_sum(&mean, &t->env, trees, scale, shift, n, err);
    return st == NEY_OK
               ? ney_model_new_trees(out, &t->env, ney_data_preprocessing(t->data), mean, err)
               : st;
}

static double mean_lambda(const ney_boost *b, const ney_committee *c)
{
    double sum = 0;
    for (int k = 0; k < b->n_folds; k++) {
        sum += c->lambda[k] / b->n_folds;
    }
    return sum;
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
        {"boosters", NULL, b->n_folds},
        {"weight_fn", NULL, c->loss.weight[1]},
        {"weight_fp", NULL, c->loss.weight[0]},
        {"lambda", NULL, mean_lambda(b, c)},
    };
    return ney_set_metadata(m, items, sizeof items / sizeof *items, err);
}

/* Boosters that were stopped make the run a stopped one. */
static ney_train_info info_of(const ney_boost *b, const ney_committee *c)
{
    ney_train_info info = {.stop = b->stops_early ? NEY_STOP_CHECKS : NEY_STOP_EPOCHS,
                           .objective = (double)NAN,
                           .lambda = mean_lambda(b, c)};
    for (int k = 0; k < b->n_folds; k++) {
        info.stop = c->stop[k] != NEY_STOP_CONVERGED ? c->stop[k] : info.stop;
        info.iterations += c->rounds[k];
    }
    return info;
}

static ney_status make(ney_model **out, ney_task *t, ney_train_info *info, ney_error *err)
{
    ney_boost b;
    ney_committee c = {0};
    ney_status st = ney_boost_init(&b, t, err);
    *out = NULL;
    if (st == NEY_OK && (st = fit_committee(&b, &c, err)) == NEY_OK &&
        (st = make_mean(out, &b, &c, err)) == NEY_OK) {
        *info = info_of(&b, &c);
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

static ney_status check(const ney_request *r, ney_error *err)
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
                                          .check = check,
                                          .make = make};

const ney_learner ney_learner_lagrangian = {.reads = READS_TREES " eta",
                                            .finds = NEY_FINDS_ITERATIONS | NEY_FINDS_MULTIPLIER,
                                            .is_random = is_random,
                                            .check = check,
                                            .make = make};
