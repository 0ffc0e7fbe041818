#include "learn/request.h"

#include "base/text.h"
#include "learn/goal.h"
#include "learn/method.h"
#include "learn/rejection.h"
#include "model/family.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- goal, method, family */

static bool is_set(const ney_train_opts *o, const char *option)
{
    int64_t n;
    const ney_param *const row = ney_train_params(&n);
    for (int64_t k = 0; k < n; k++) {
        if (strcmp(row[k].name, option) == 0) {
            return !ney_param_is_default(&row[k], o);
        }
    }
    return false;
}

static const ney_family *family_of(const ney_train_opts *o)
{
    int64_t k = 0;
    while (ney_family_at(k)->option && !is_set(o, ney_family_at(k)->option)) {
        k++;
    }
    return ney_family_at(k);
}

static bool trains_family(const ney_method_row *method, ney_goal_kind kind,
                          const ney_family *family)
{
    const ney_learner *const learner = ney_method_learner(method, kind);
    return learner && (!family->option || ney_is_listed(learner->reads, family->option));
}

/* Where no method is named: the goal's usual one if it trains the family, else the first that does
 * for this goal, else the usual one, which refuses the family's option. */
static int method_of(const ney_train_opts *o, ney_goal_kind kind, const ney_family *family)
{
    const int usual = (int)ney_goal_at(kind)->usual;
    if (o->method != NEY_METHOD_AUTO) {
        return (int)o->method;
    }
    if (trains_family(ney_method_at(usual), kind, family)) {
        return usual;
    }
    for (int k = 0; ney_method_at(k); k++) {
        if (trains_family(ney_method_at(k), kind, family)) {
            return k;
        }
    }
    return usual;
}

/* A bound of 1 on the only rate allows every error: there is nothing to certify. */
static double confidence_of(const ney_train_opts *o, const ney_request *r)
{
    const bool is_vacuous = !ney_request_bounds_both(r) && r->rate >= 1;
    return ney_request_bounds_any(r) && !is_vacuous ? o->confidence : (double)NAN;
}

ney_request ney_request_of(const ney_train_opts *o)
{
    const ney_goal_kind kind = ney_goal_of(o);
    ney_request r = {
        .kind = kind,
        .family = family_of(o),
        .max_rate = {[NEY_FALSE_POSITIVES] = o->max_fpr, [NEY_FALSE_NEGATIVES] = o->max_fnr},
        .goal_option = ney_goal_value(o, kind),
        .holdout = o->holdout,
        .calibrates = o->conformal && o->conformal_folds == 0,
        .conformal_folds = o->conformal_folds,
        .calibrate = o->calibrate,
        .calibrate_folds = o->calibrate_folds,
        .seed = (uint64_t)o->seed};
    r.bounded = isnan(o->max_fnr) ? NEY_FALSE_POSITIVES : NEY_FALSE_NEGATIVES;
    r.bounded_class = r.bounded == NEY_FALSE_POSITIVES ? -1 : 1;
    r.rate = r.max_rate[r.bounded];
    r.goal = ney_goal_at(r.kind);
    r.method = ney_method_at(method_of(o, r.kind, r.family));
    r.learner = r.method ? ney_method_learner(r.method, r.kind) : NULL;
    r.max_fdr = o->max_fdr;
    r.costs = ney_rejection_costs(o, r.kind);
    r.has_reject_cost = !isnan(o->reject_cost) || !isnan(o->reject_cost_fn);
    r.confidence = confidence_of(o, &r);
    return r;
}

bool ney_request_bounds(const ney_request *r, ney_error_kind kind)
{
    return !isnan(r->max_rate[kind]);
}

bool ney_request_bounds_any(const ney_request *r)
{
    return ney_request_bounds(r, NEY_FALSE_POSITIVES) || ney_request_bounds(r, NEY_FALSE_NEGATIVES);
}

bool ney_request_bounds_both(const ney_request *r)
{
    return ney_request_bounds(r, NEY_FALSE_POSITIVES) && ney_request_bounds(r, NEY_FALSE_NEGATIVES);
}

bool ney_request_certifies(const ney_request *r)
{
    return !isnan(r->confidence);
}

bool ney_train_bounds(const ney_train_opts *opts, ney_error_kind kind)
{
    const ney_request r = ney_request_of(opts);
    return ney_request_bounds(&r, kind);
}

/* ---------------------------------------------------------------- resolving */

static ney_status check_family(const ney_train_opts *o, const ney_request *r, ney_error *err)
{
    for (int64_t k = 0; ney_family_at(k)->option; k++) {
        const ney_family *const other = ney_family_at(k);
        /* a kernel may go with another family: a bounded FDR trains an SVM first */
        if (other != r->family && other != &ney_family_kernel && is_set(o, other->option)) {
            return ney_fail(err, NEY_EINVAL, "--%s and --%s exclude each other", r->family->option,
                            other->option);
        }
    }
    if ((r->method->traits & NEY_METHOD_IS_EXACT) && o->kernel == NEY_KERNEL_SIGMOID) {
        return ney_fail(err, NEY_EINVAL,
                        "the method %s needs a positive definite kernel, and sigmoid is not one",
                        r->method->name);
    }
    return NEY_OK;
}

static ney_status check_calibration(const ney_request *r, ney_error *err)
{
    if (r->conformal_folds == 1) {
        return ney_fail(err, NEY_EINVAL, "conformal-folds = 1, expected 2 or more");
    }
    if (r->calibrate_folds == 1) {
        return ney_fail(err, NEY_EINVAL, "calibrate-folds = 1, expected 2 or more");
    }
    if (r->calibrate_folds > 0 && !isnan(r->calibrate)) {
        return ney_fail(err, NEY_EINVAL, "--calibrate or --calibrate-folds, not both at once");
    }
    if (r->calibrate <= 0 || r->calibrate >= 1) {
        return ney_fail(err, NEY_EINVAL, "calibrate = %g, expected a share between 0 and 1",
                        r->calibrate);
    }
    if (r->calibrates && (r->holdout <= 0 || r->holdout >= 1)) {
        return ney_fail(err, NEY_EINVAL, "holdout = %g, expected a share between 0 and 1",
                        r->holdout);
    }
    return NEY_OK;
}

static ney_status check_confidence(const ney_request *r, ney_error *err)
{
    return r->confidence >= 1 ? ney_fail(err, NEY_EINVAL,
                                         "confidence = 1 cannot be certified by any number of "
                                         "rows, expected one from 0.5 to below 1, such as 0.95")
                              : NEY_OK;
}

bool ney_request_chooses_kernel(const ney_train_opts *o)
{
    return (int)o->kernel == NEY_KERNEL_AUTO;
}

bool ney_request_chooses(const ney_train_opts *o)
{
    const ney_request r = ney_request_of(o);
    return (!(o->C > 0) || ney_request_chooses_kernel(o)) && r.kind == NEY_GOAL_RATE && r.learner &&
           !r.learner->make;
}

ney_status ney_request_check_kernel(const ney_train_opts *o, const char *also, ney_error *err)
{
    const bool trains = ney_is_listed(also, "C");
    if (!ney_request_chooses_kernel(o)) {
        return NEY_OK;
    }
    if (!ney_is_listed(also, NEY_AUTO_KERNEL) || (trains && !ney_request_chooses(o))) {
        return ney_fail(err, NEY_EINVAL,
                        "kernel = auto applies to tuning, and to training with max-fpr or max-fnr "
                        "by a method other than online; expected linear, rbf, poly or sigmoid");
    }
    if (trains && o->C > 0 && is_set(o, "C")) {
        return ney_fail(err, NEY_EINVAL,
                        "C = %g with kernel = auto, which chooses C too: expected no C, or a named "
                        "kernel",
                        o->C);
    }
    return NEY_OK;
}

/* A penalty of 0 stands for auto: a search has "C" in `also`. */
static ney_status check_penalty(const ney_train_opts *o, const char *also, ney_error *err)
{
    if (o->C > 0 || (ney_is_listed(also, "C") && ney_request_chooses(o))) {
        return NEY_OK;
    }
    return ney_fail(err, NEY_EINVAL,
                    "C = auto applies to training with max-fpr or max-fnr by a method other than "
                    "online; expected a number above 0 (tuning chooses C by its grid)");
}

ney_status ney_request_resolve(ney_train_opts *o, const ney_train_opts *opts, const char *also,
                               ney_error *err)
{
    int64_t n;
    const ney_param *const params = ney_train_params(&n);
    ney_status st;
    if (opts) {
        *o = *opts;
    } else {
        ney_params_init(params, n, o);
    }
    if ((st = ney_params_check(params, n, o, err)) != NEY_OK ||
        (st = check_penalty(o, also, err)) != NEY_OK ||
        (st = ney_request_check(o, also, err)) != NEY_OK) {
        return st;
    }
    const ney_request r = ney_request_of(o);
    o->confidence = r.confidence;
    if (o->method == NEY_METHOD_AUTO && r.method != ney_method_at((int64_t)r.goal->usual)) {
        o->method = (ney_method)method_of(o, r.kind, r.family);
    }
    if ((st = check_family(o, &r, err)) == NEY_OK && r.goal->check &&
        (st = r.goal->check(&r, o, err)) != NEY_OK) {
        return st;
    }
    if (st == NEY_OK && r.learner->check) {
        st = r.learner->check(&r, err);
    }
    if (st == NEY_OK && (st = check_confidence(&r, err)) == NEY_OK) {
        st = check_calibration(&r, err);
    }
    return st;
}
