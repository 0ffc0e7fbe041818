/* Training that continues from a model. */
#include "learn/batch/reject.h"
#include "learn/goal.h"
#include "learn/learn.h"
#include "learn/online/online.h"
#include "learn/rejection.h"
#include "model/online.h"
#include "model/training_rows.h"

#include <math.h>
#include <string.h>

static double summary_number(const ney_model *m, const char *key)
{
    const ney_metadata *const list = &m->list[NEY_METADATA_SUMMARY];
    const int64_t at = ney_metadata_find(list, key);
    return at >= 0 && !list->item[at].text ? list->item[at].value : (double)NAN;
}

void ney_online_take_weights(ney_online *r)
{
    const double *w = NULL, *b = NULL;
    double intercept = 0, gamma;
    ney_fourier map;
    const ney_network *const shape = &r->learner.sgd.shape;
    ney_network own;

    if (!ney_model_network(r->from, &own, &w, &b) &&
        !ney_model_features(r->from, &map, &gamma, &w, &intercept)) {
        w = ney_model_weights(r->from, &intercept);
    }
    ney_sgd_set(&r->learner.sgd, w, b ? b : &intercept);
    for (int64_t k = ney_network_weight_at(shape, ney_network_layers(shape)); k < r->learner.sgd.n;
         k++) {
        r->learner.sgd.v[k] *= r->problem.sign; /* of a network, the output's weights alone */
    }
    r->learner.sgd.b[r->learner.sgd.m - 1] *= r->problem.sign;
}

ney_status ney_online_start_from_model(ney_online *r, ney_error *err)
{
    const double rate = summary_number(r->from, "last_rate");
    const double lambda = summary_number(r->from, "lambda");
    if (r->feed->cols != ney_preprocessing_cols(r->from->preprocessing)) {
        return ney_fail(err, NEY_EINVAL, "data of %lld columns, the model has %lld",
                        (long long)r->feed->cols,
                        (long long)ney_preprocessing_cols(r->from->preprocessing));
    }
    r->state.log_lambda =
        lambda > 0 && !r->problem.is_cost ? log(fmin(lambda, 2 / r->problem.rate)) : 0;
    if (rate > 0) { /* else ney_online_find_rate() finds one first */
        r->state.first_rate = rate;
        r->state.t0 = 1 / (r->problem.mu * rate);
        ney_online_take_weights(r);
    }
    return NEY_OK;
}

static bool is_certified_by_groups(const ney_model *m)
{
    const ney_metadata *const list = &m->list[NEY_METADATA_CERTIFICATE];
    const int64_t at = ney_metadata_find(list, "unit");
    return at >= 0 && list->item[at].text && strcmp(list->item[at].text, "group") == 0;
}

/* Two certificates hold at once with the product of their confidences; samples of groups are not
 * independent, and their errors add up. As ney_holdout_delta() divides them. */
static double joint_confidence(const ney_model *m, double delta, double other)
{
    return is_certified_by_groups(m) ? 1 - (delta + other) : (1 - delta) * (1 - other);
}

double ney_update_confidence(const ney_model *from)
{
    static const char *const key[] = {"fpr_delta", "fnr_delta"};
    const ney_metadata *const list = &from->list[NEY_METADATA_CERTIFICATE];
    const bool bounds =
        !isnan(summary_number(from, "max_fpr")) || !isnan(summary_number(from, "max_fnr"));
    double delta[2] = {0, 0};
    bool is_certified = false;
    for (int k = 0; k < 2; k++) {
        const int64_t at = ney_metadata_find(list, key[k]);
        delta[k] = at >= 0 ? list->item[at].value : 0;
        is_certified = is_certified || at >= 0;
    }
    if (is_certified) {
        return joint_confidence(from, delta[0], delta[1]);
    }
    ney_train_opts initial;
    int64_t n;
    const ney_param *const params = ney_train_params(&n);
    ney_params_init(params, n, &initial);
    return bounds ? (double)NAN : initial.confidence;
}

static const char *summary_text(const ney_model *m, const char *key)
{
    const ney_metadata *const list = &m->list[NEY_METADATA_SUMMARY];
    const int64_t at = ney_metadata_find(list, key);
    return at >= 0 && list->item[at].text ? list->item[at].text : "";
}

static void take_number(double *option, const ney_model *from, const char *key)
{
    const double value = summary_number(from, key);
    *option = isnan(value) ? *option : value;
}

/* Where the caller names no bound those of the model; of two that the model has, the caller may
 * name one anew. */
static void take_bounds(ney_train_opts *o, const ney_model *from)
{
    const double fpr = summary_number(from, "max_fpr"), fnr = summary_number(from, "max_fnr");
    const bool is_bounded = !isnan(o->max_fpr) || !isnan(o->max_fnr);
    if (!is_bounded || (!isnan(fpr) && !isnan(fnr))) {
        o->max_fpr = isnan(o->max_fpr) ? fpr : o->max_fpr;
        o->max_fnr = isnan(o->max_fnr) ? fnr : o->max_fnr;
    }
}

static void take_costs(ney_train_opts *o, const ney_model *from)
{
    const bool both = ney_train_goal(o) == NEY_GOAL_RATES;
    const bool is_stated = ney_rejection_is_asked(o);
    if (ney_train_goal(o) == NEY_GOAL_RATE) {
        return;
    }
    take_number(&o->cost_fn, from, both ? "training_cost_fn" : "cost_fn");
    take_number(&o->cost_fp, from, both ? "training_cost_fp" : "cost_fp");
    if (!is_stated) {
        take_number(&o->reject_cost_fn, from, both ? "training_reject_cost_fn" : "reject_cost_fn");
        take_number(&o->reject_cost_fp, from, both ? "training_reject_cost_fp" : "reject_cost_fp");
        if (!both && strcmp(summary_text(from, "rule"), "bartlett-wegkamp") == 0) {
            o->rule = NEY_RULE_BARTLETT_WEGKAMP;
            take_number(&o->delta0, from, "delta0");
        }
    }
}

/* The goal of the model, unless the caller names another. */
static ney_status take_goal(ney_train_opts *o, const ney_model *from, ney_error *err)
{
    const char *const goal = summary_text(from, "goal");
    if (strcmp(goal, ney_goal_fdr.name) == 0) {
        return ney_fail(err, NEY_EINVAL,
                        "a model for a bounded FDR cannot be updated: the FDR is that of one set "
                        "of rows, which must be complete; train on all rows");
    }
    take_bounds(o, from);
    take_costs(o, from);
    if (ney_train_goal(o) == NEY_GOAL_COST && strcmp(goal, ney_goal_cost.name) != 0) {
        return ney_fail(err, NEY_EINVAL,
                        "the model states neither a bounded rate nor costs; expected max-fpr, "
                        "max-fnr or reject-cost");
    }
    return NEY_OK;
}

/* Options that the caller leaves open are those of the model. */
ney_status ney_update_resolve(ney_train_opts *o, const ney_model *from, ney_error *err)
{
    const double *weight, *bias;
    double gamma, intercept;
    ney_fourier map = {0};
    const ney_status st = take_goal(o, from, err);

    if (st != NEY_OK) {
        return st;
    }
    const double eta = summary_number(from, "eta"), C = summary_number(from, "c");
    o->eta = eta > 0 && ney_train_goal(o) == NEY_GOAL_RATE ? eta : o->eta;
    o->C = C > 0 ? C : o->C;
    o->loss = strcmp(summary_text(from, "loss"), "sigmoid") == 0 ? NEY_LOSS_SIGMOID : NEY_LOSS_RAMP;
    o->method = NEY_METHOD_ONLINE;
    ney_network shape = {.cols = 0};
    if (!ney_model_network(from, &shape, &weight, &bias) &&
        !ney_model_features(from, &map, &gamma, &weight, &intercept) &&
        !ney_model_weights(from, &intercept)) {
        return ney_fail(err, NEY_EINVAL,
                        "a %s model cannot be updated, because all its training rows decide its "
                        "form: expected a linear one, a network or random features; train on the "
                        "old and the new rows together",
                        from->family->name);
    }
    o->features = map.n;
    memcpy(o->network, shape.units, sizeof o->network);
    o->activation = shape.activation;
    return NEY_OK;
}

ney_status ney_update(ney_model **out, const ney_env *env, const ney_model *from,
                      const ney_data *data, const ney_train_opts *opts, ney_train_info *info,
                      ney_error *err)
{
    const ney_env e = ney_env_of(env);
    ney_train_info ended = {0};
    ney_train_opts o;
    ney_feed feed;
    int64_t n;
    ney_status st;

    *out = NULL;
    if (opts) {
        o = *opts;
    } else {
        const ney_param *const params = ney_train_params(&n);
        ney_params_init(params, n, &o);
        o.confidence = ney_update_confidence(from);
    }
    if ((st = ney_update_resolve(&o, from, err)) != NEY_OK ||
        (st = ney_request_resolve(&o, &o, NULL, err)) != NEY_OK) {
        return st;
    }
    const ney_request r = ney_request_of(&o);
    if (ney_request_certifies(&r) && is_certified_by_groups(from) && !ney_data_group_column(data)) {
        return ney_fail(err, NEY_EINVAL,
                        "the model is certified with the group as the unit, and the data have no "
                        "groups: name their column under group%s%.60s",
                        from->preprocessing->group_column ? ", in training it was " : "",
                        from->preprocessing->group_column ? from->preprocessing->group_column : "");
    }
    if (ney_request_certifies(&r) && (st = ney_model_refuse_reuse(from, data, err)) != NEY_OK) {
        return st;
    }
    ney_feed_of_data(&feed, &e, data);
    st = ney_online_train_feed(out, &(ney_online_rows){.feed = &feed, .from = from}, &o, &ended,
                               err);
    if (st == NEY_OK && info) {
        *info = ended;
    }
    return st;
}
