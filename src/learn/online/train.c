/* The ways into online training: from data in memory, from a cache that memory need not hold, and
 * from a model that is to learn on. */
#include "data/reader.h"
#include "learn/batch/reject.h"
#include "learn/method.h"
#include "learn/online/online.h"
#include "model/online.h"
#include "model/training_rows.h"

#include <math.h>
#include <string.h>

static ney_status train(ney_model **out, ney_feed *feed, const ney_train_opts *o,
                        const ney_model *from, ney_train_info *info, ney_error *err)
{
    ney_online r;
    ney_status st = ney_online_init(&r, feed, o, from, err);
    if (st == NEY_OK && (st = ney_online_run(&r, err)) == NEY_OK) {
        st = ney_online_finish(&r, out, info, err);
    }
    ney_online_deinit(&r);
    return st;
}

ney_status ney_online_train(ney_model **out, const ney_env *env, const ney_data *data,
                            const ney_train_opts *o, ney_train_info *info, ney_error *err)
{
    ney_feed feed;
    *out = NULL;
    ney_feed_of_data(&feed, env, data);
    return train(out, &feed, o, NULL, info, err);
}

static ney_scaling scaling_of(int scaling, ney_format format)
{
    if (scaling >= 0) {
        return (ney_scaling)scaling;
    }
    return format == NEY_FORMAT_CSV || format == NEY_FORMAT_TSV || format == NEY_FORMAT_PIN
               ? NEY_SCALING_STANDARD
               : NEY_SCALING_NONE;
}

ney_status ney_train_cache(ney_model **out, const ney_env *env, const char *path,
                           const ney_read_opts *read, int scaling, const ney_train_opts *opts,
                           ney_train_info *info, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    ney_train_info ended = {0};
    ney_train_opts o;
    ney_cache *cache = NULL;
    ney_feed feed = {0};
    ney_status st;

    *out = NULL;
    if ((st = ney_request_resolve(&o, opts, NULL, err)) != NEY_OK) {
        return st;
    }
    if (ney_request_of(&o).method != ney_method_at(NEY_METHOD_ONLINE)) {
        return ney_fail(err, NEY_EINVAL, "only the online method learns from a file");
    }
    const ney_read_opts r = ney_read_opts_or_default(read);
    if ((st = ney_cache_open(&cache, &e, path, err)) == NEY_OK &&
        (st = ney_feed_of_cache(&feed, &e, cache, &r, err)) == NEY_OK) {
        feed.scaling = scaling_of(scaling, feed.recipe->format);
        st = train(out, &feed, &o, NULL, &ended, err);
    }
    if (st == NEY_OK && info) {
        *info = ended;
    }
    ney_feed_deinit(&feed);
    ney_cache_close(cache);
    return st;
}

/* ---------------------------------------------------------------- learning on */

double ney_summary_number(const ney_model *m, const char *key)
{
    const ney_facts *const list = &m->list[NEY_LIST_SUMMARY];
    const int64_t at = ney_fact_find(list, key);
    return at >= 0 && !list->fact[at].text ? list->fact[at].value : (double)NAN;
}

void ney_online_take_weights(ney_online *r)
{
    const double *w = NULL, *b = NULL;
    double intercept = 0, gamma;
    ney_fourier map;
    int64_t units;

    if (!ney_model_network(r->from, &units, &w, &b) &&
        !ney_model_features(r->from, &map, &gamma, &w, &intercept)) {
        w = ney_model_weights(r->from, &intercept);
    }
    ney_sgd_set(&r->sgd, w, b ? b : &intercept);
    for (int64_t k = b ? r->sgd.cols * r->sgd.units : 0; k < r->sgd.n; k++) {
        r->sgd.v[k] *= r->sign; /* of a network, the output's weights alone */
    }
    r->sgd.b[r->sgd.m - 1] *= r->sign;
}

ney_status ney_online_go_on(ney_online *r, ney_error *err)
{
    const double rate = ney_summary_number(r->from, "last_rate");
    const double lambda = ney_summary_number(r->from, "lambda");
    if (r->feed->cols != ney_recipe_cols(r->from->recipe)) {
        return ney_fail(err, NEY_EINVAL, "data of %lld columns, the model has %lld",
                        (long long)r->feed->cols, (long long)ney_recipe_cols(r->from->recipe));
    }
    r->at.log_lambda = lambda > 0 && !r->by_cost ? log(fmin(lambda, 2 / r->rate)) : 0;
    if (rate > 0) { /* else it is to be found first */
        r->at.rate0 = rate;
        r->at.t0 = 1 / (r->mu * rate);
        ney_online_take_weights(r);
    }
    return NEY_OK;
}

double ney_update_confidence(const ney_model *from)
{
    static const char *const key[] = {"fpr_delta", "fnr_delta"};
    const ney_facts *const list = &from->list[NEY_LIST_CERTIFICATE];
    const bool bounds =
        !isnan(ney_summary_number(from, "max_fpr")) || !isnan(ney_summary_number(from, "max_fnr"));
    double confidence = 1;
    bool is_certified = false;
    for (int k = 0; k < 2; k++) { /* two certificates hold at once with the product */
        const int64_t at = ney_fact_find(list, key[k]);
        confidence *= at >= 0 ? 1 - list->fact[at].value : 1;
        is_certified = is_certified || at >= 0;
    }
    if (is_certified) {
        return confidence;
    }
    ney_train_opts initial;
    int64_t n;
    const ney_param *const params = ney_train_params(&n);
    ney_params_init(params, n, &initial);
    return bounds ? (double)NAN : initial.confidence;
}

/* What the model was made for, where the caller leaves it open. */
static ney_status settle(ney_train_opts *o, const ney_model *from, ney_error *err)
{
    const double *weight, *bias;
    double gamma, intercept;
    ney_fourier map = {0};
    const ney_facts *const list = &from->list[NEY_LIST_SUMMARY];
    const int64_t loss = ney_fact_find(list, "loss");

    if (!ney_train_bounds(o, NEY_FALSE_POSITIVES) && !ney_train_bounds(o, NEY_FALSE_NEGATIVES)) {
        o->max_fpr = ney_summary_number(from, "max_fpr");
        o->max_fnr = ney_summary_number(from, "max_fnr");
    }
    if (ney_train_goal(o) == NEY_GOAL_COST) {
        o->reject_cost_fn = ney_summary_number(from, "reject_cost_fn");
        o->reject_cost_fp = ney_summary_number(from, "reject_cost_fp");
        o->cost_fn =
            ney_train_goal(o) == NEY_GOAL_REJECT ? ney_summary_number(from, "cost_fn") : o->cost_fn;
        o->cost_fp =
            ney_train_goal(o) == NEY_GOAL_REJECT ? ney_summary_number(from, "cost_fp") : o->cost_fp;
    }
    if (ney_train_goal(o) == NEY_GOAL_COST) {
        return ney_fail(err, NEY_EINVAL,
                        "the model was made neither for a bounded rate nor for rejection; expected "
                        "max-fpr or max-fnr");
    }
    const double eta = ney_summary_number(from, "eta"), C = ney_summary_number(from, "c");
    o->eta = eta > 0 ? eta : o->eta;
    o->C = C > 0 ? C : o->C;
    o->loss = loss >= 0 && list->fact[loss].text && strcmp(list->fact[loss].text, "sigmoid") == 0
                  ? NEY_LOSS_SIGMOID
                  : NEY_LOSS_RAMP;
    o->method = NEY_METHOD_ONLINE;
    o->network = o->features = 0;
    if (!ney_model_network(from, &o->network, &weight, &bias) &&
        !ney_model_features(from, &map, &gamma, &weight, &intercept) &&
        !ney_model_weights(from, &intercept)) {
        return ney_fail(err, NEY_EINVAL,
                        "a %s model cannot learn on: expected a linear one, a network or random "
                        "features",
                        from->family->name);
    }
    o->features = map.n;
    return NEY_OK;
}

static bool is_certified_by_groups(const ney_model *m)
{
    const ney_facts *const list = &m->list[NEY_LIST_CERTIFICATE];
    const int64_t at = ney_fact_find(list, "unit");
    return at >= 0 && list->fact[at].text && strcmp(list->fact[at].text, "group") == 0;
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
    if ((st = settle(&o, from, err)) != NEY_OK ||
        (st = ney_request_resolve(&o, &o, NULL, err)) != NEY_OK) {
        return st;
    }
    if (!isnan(o.confidence) && is_certified_by_groups(from) && !ney_data_group_column(data)) {
        return ney_fail(err, NEY_EINVAL,
                        "the model is certified with the group as the unit, and the data have no "
                        "groups: name their column under group%s%.60s",
                        from->recipe->group_column ? ", in training it was " : "",
                        from->recipe->group_column ? from->recipe->group_column : "");
    }
    if (!isnan(o.confidence) && (st = ney_model_refuse_reuse(from, data, err)) != NEY_OK) {
        return st;
    }
    ney_feed_of_data(&feed, &e, data);
    st = train(out, &feed, &o, from, &ended, err);
    if (st == NEY_OK && info) {
        *info = ended;
    }
    return st;
}
