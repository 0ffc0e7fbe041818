#include "learn/request.h"

#include "base/text.h"
#include "learn/goal.h"
#include "learn/method.h"
#include "learn/rejection.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- goal, method, family */

static const struct family_row {
    ney_family_kind kind;
    bool is_online; /* trained one row at a time, except for a bounded FDR */
} families[] = {
    [NEY_FAMILY_LINEAR] = {NEY_FAMILY_LINEAR, false},
    [NEY_FAMILY_KERNEL] = {NEY_FAMILY_KERNEL, false},
    [NEY_FAMILY_FEATURES] = {NEY_FAMILY_FEATURES, true},
    [NEY_FAMILY_NETWORK] = {NEY_FAMILY_NETWORK, true},
};

static ney_family_kind family_of(const ney_train_opts *o)
{
    return o->network > 0                   ? NEY_FAMILY_NETWORK
           : o->features > 0                ? NEY_FAMILY_FEATURES
           : o->kernel != NEY_KERNEL_LINEAR ? NEY_FAMILY_KERNEL
                                            : NEY_FAMILY_LINEAR;
}

static int method_of(const ney_train_opts *o, const ney_goal *goal, ney_family_kind family)
{
    if (o->method != NEY_METHOD_AUTO) {
        return o->method;
    }
    return (int)(families[family].is_online ? goal->usual_online : goal->usual);
}

/* A bound of 1 on the only rate allows every error: there is nothing to certify. */
static double confidence_of(const ney_train_opts *o, const ney_request *r)
{
    const bool is_vacuous = !ney_request_bounds_both(r) && r->rate >= 1;
    return ney_request_bounds_any(r) && !is_vacuous ? o->confidence : (double)NAN;
}

ney_request ney_request_of(const ney_train_opts *o)
{
    ney_request r = {
        .kind = ney_goal_of(o),
        .family = family_of(o),
        .max_rate = {[NEY_FALSE_POSITIVES] = o->max_fpr, [NEY_FALSE_NEGATIVES] = o->max_fnr},
        .holdout = o->holdout,
        .calibrates = o->conformal && o->conformal_folds == 0,
        .conformal_folds = o->conformal_folds,
        .seed = (uint64_t)o->seed};
    r.bounded = isnan(o->max_fnr) ? NEY_FALSE_POSITIVES : NEY_FALSE_NEGATIVES;
    r.bounded_class = r.bounded == NEY_FALSE_POSITIVES ? -1 : 1;
    r.rate = r.max_rate[r.bounded];
    r.goal = ney_goal_at(r.kind);
    r.method = ney_method_at(method_of(o, r.goal, r.family));
    r.learner = r.method ? r.method->of_goal[r.kind] : NULL;
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

/* ---------------------------------------------------------------- when an option is read */

/* What the conditions below look at. */
typedef struct reading {
    const ney_request *r;
    const ney_train_opts *o;
} reading;

static bool has_kernel(const reading *q)
{
    return q->o->kernel != NEY_KERNEL_LINEAR;
}

static bool has_gamma(const reading *q)
{
    return has_kernel(q) || q->r->family == NEY_FAMILY_FEATURES;
}

static bool has_degree(const reading *q)
{
    return q->o->kernel == NEY_KERNEL_POLY;
}

static bool has_coef0(const reading *q)
{
    return has_degree(q) || q->o->kernel == NEY_KERNEL_SIGMOID;
}

static bool has_network(const reading *q)
{
    return q->r->family == NEY_FAMILY_NETWORK;
}

static bool has_checkpoint(const reading *q)
{
    return q->o->checkpoint != NULL;
}

static bool has_delta0(const reading *q)
{
    return q->o->rule == NEY_RULE_BARTLETT_WEGKAMP;
}

static bool has_holdout(const reading *q)
{
    return (ney_request_bounds_any(q->r) && !isnan(q->o->confidence)) || q->r->calibrates;
}

static bool has_common_cost(const reading *q)
{
    return isnan(q->o->reject_cost_fn) || isnan(q->o->reject_cost_fp);
}

static bool is_random(const reading *q)
{
    const ney_learner *const learner = q->r->learner;
    return (learner->is_random && learner->is_random(q->r)) || has_holdout(q) ||
           q->r->conformal_folds > 0;
}

/* Goals as a set. */
enum {
    COST = 1 << NEY_GOAL_COST,
    RATE = 1 << NEY_GOAL_RATE,
    RATES = 1 << NEY_GOAL_RATES,
    FDR = 1 << NEY_GOAL_FDR,
    REJECT = 1 << NEY_GOAL_REJECT,
    ALL = COST | RATE | RATES | FDR | REJECT
};

static const char WITH_COSTS[] = "goals with costs, --max-fpr with --max-fnr, or --method convex";
static const char WITH_REJECTION[] = "goals with costs, or to --max-fpr with --max-fnr";
static const char WITH_ONLINE[] = "--method online with --max-fpr, --max-fnr or --reject-cost";
static const char WITH_CHECKPOINT[] = "--checkpoint";
static const char WITH_FDR[] = "--max-fdr";

/* One entry for every row of ney_train_params(), in any order: the goals that read it; whether the
 * learner must list it among what it reads; a further condition or NULL; and what it applies to,
 * NULL where that is everything. */
static const struct use {
    const char *name;
    unsigned goals;
    bool by_learner;
    bool (*when)(const reading *q);
    const char *where;
} uses[] = {
    {"C", ALL, false, NULL, NULL},
    {"cost-fn", ALL, true, NULL, WITH_COSTS},
    {"cost-fp", ALL, true, NULL, WITH_COSTS},
    {"reject-cost", RATES | REJECT, false, has_common_cost,
     "goals with costs, or to --max-fpr with --max-fnr, unless --reject-cost-fn and "
     "--reject-cost-fp "
     "are both given"},
    {"reject-cost-fn", RATES | REJECT, false, NULL, WITH_REJECTION},
    {"reject-cost-fp", RATES | REJECT, false, NULL, WITH_REJECTION},
    {"rule", REJECT, false, NULL, "--reject-cost"},
    {"delta0", REJECT, false, has_delta0, "--rule bartlett-wegkamp"},
    {"conformal", ALL, true, NULL, "all methods but online, and not to --max-fdr"},
    {"conformal-folds", ALL, true, NULL, "all methods but online, and not to --max-fdr"},
    {"max-fpr", RATE | RATES, false, NULL, NULL},
    {"max-fnr", RATE | RATES, false, NULL, NULL},
    {"max-fdr", FDR, false, NULL, NULL},
    {"fdr-convention", FDR, false, NULL, WITH_FDR},
    {"compete", FDR, false, NULL, WITH_FDR},
    {"no-compete", FDR, false, NULL, WITH_FDR},
    {"size-correct", FDR, false, NULL, WITH_FDR},
    {"plus-one", FDR, false, NULL, WITH_FDR},
    {"no-plus-one", FDR, false, NULL, WITH_FDR},
    {"spectrum", FDR, false, NULL, WITH_FDR},
    {"confidence", RATE | RATES, false, NULL, "--max-fpr or --max-fnr"},
    {"holdout", ALL & ~FDR, false, has_holdout, "--confidence or --conformal, which hold rows out"},
    {"method", ALL, false, NULL, NULL},
    {"at-k", ALL, true, NULL, "--method perf"},
    {"eta", ALL, true, NULL,
     "--max-fdr, and to --max-fpr or --max-fnr with --method annealed, uzawa or online"},
    {"kernel", ALL, true, NULL, "all methods but online and perf"},
    {"gamma", ALL, true, has_gamma, "--kernel rbf, poly or sigmoid, or to --features"},
    {"degree", ALL, true, has_degree, "--kernel poly"},
    {"coef0", ALL, true, has_coef0, "--kernel poly or sigmoid"},
    {"tol", ALL, true, NULL, "all methods but online, generative and chebyshev"},
    {"max-iter", ALL, true, NULL, "all methods but generative and chebyshev"},
    {"max-time", ALL, false, NULL, NULL},
    {"cache", ALL, false, NULL, NULL},
    {"seed", ALL, false, is_random,
     "random choices: rows held out by --confidence or --conformal, --max-fdr, --method online, "
     "and --method generative or chebyshev with a kernel"},
    {"start", ALL, true, NULL, "--max-fpr or --max-fnr with --method annealed or uzawa"},
    {"loss", ALL, true, NULL, "--method online with --max-fpr or --max-fnr"},
    {"epochs", ALL, true, NULL, "--method online"},
    {"network", ALL, true, NULL,
     "--max-fpr, --max-fnr, --max-fdr or --reject-cost, with --method online or auto"},
    {"batch", ALL, true, has_network, "--network with --max-fpr, --max-fnr or --reject-cost"},
    {"features", ALL, true, NULL,
     "--max-fpr, --max-fnr or --reject-cost, with --method online or auto"},
    {"validation", ALL, true, NULL, WITH_ONLINE},
    {"memory", ALL, false, NULL, NULL},
    {"no-fingerprint", ALL, false, NULL, NULL},
    {"checkpoint", ALL, true, NULL, WITH_ONLINE},
    {"checkpoint-every", ALL, true, has_checkpoint, WITH_CHECKPOINT},
    {"resume", ALL, true, has_checkpoint, WITH_CHECKPOINT},
};

enum { N_USES = sizeof uses / sizeof *uses };

static const struct use *use_of(const char *name)
{
    for (int64_t k = 0; k < N_USES; k++) {
        if (strcmp(uses[k].name, name) == 0) {
            return &uses[k];
        }
    }
    return NULL;
}

static bool is_read(const reading *q, const struct use *use)
{
    const ney_learner *const learner = q->r->learner;
    return use && learner && (use->goals >> q->r->kind & 1) != 0 &&
           (!use->by_learner || ney_is_listed(learner->reads, use->name)) &&
           (!use->when || use->when(q));
}

bool ney_request_reads(const ney_train_opts *o, const char *name)
{
    const ney_request r = ney_request_of(o);
    return is_read(&(reading){&r, o}, use_of(name));
}

int64_t ney_request_entries(void)
{
    return N_USES;
}

const char *ney_request_entry(int64_t k)
{
    return uses[k].name;
}

const char *ney_train_where(const char *name)
{
    const struct use *const use = use_of(name);
    return use ? use->where : NULL;
}

/* ---------------------------------------------------------------- refusing */

/* The options of the goals that a method serves: "a, b or c". */
static void list_goals(ney_text *text, const ney_method_row *method)
{
    const char *item[2 * NEY_GOALS];
    int n = 0;
    for (int goal = 0; goal < NEY_GOALS; goal++) {
        const char *at = method->of_goal[goal] ? ney_goal_at((ney_goal_kind)goal)->options : NULL;
        for (; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
            item[n++] = at;
        }
    }
    for (int k = 0; k < n; k++) {
        ney_text_put(text, k == 0 ? "" : k + 1 < n ? ", " : " or ");
        ney_text_add(text, item[k], (int64_t)strcspn(item[k], "|"));
    }
}

static ney_status check_method(const ney_request *r, ney_error *err)
{
    const ney_env env = ney_env_of(NULL);
    ney_text goals;
    if (r->learner) {
        return NEY_OK;
    }
    ney_text_init(&goals, &env);
    list_goals(&goals, r->method);
    const ney_status st = ney_fail(err, NEY_EINVAL, "--method %s applies to %s", r->method->name,
                                   goals.bytes ? goals.bytes : "other goals");
    ney_text_deinit(&goals);
    return st;
}

ney_status ney_request_check(const ney_train_opts *o, const char *also, ney_error *err)
{
    const ney_request r = ney_request_of(o);
    const reading q = {&r, o};
    int64_t n;
    const ney_param *const row = ney_train_params(&n);
    const ney_status st = check_method(&r, err);
    for (int64_t k = 0; k < n && st == NEY_OK; k++) {
        const struct use *const use = use_of(row[k].name);
        if (!ney_param_is_default(&row[k], o) && !is_read(&q, use) &&
            !ney_is_listed(also, row[k].name)) {
            return ney_fail(err, NEY_EINVAL, "--%s applies to %s", row[k].name,
                            use && use->where ? use->where : "another goal");
        }
    }
    return st;
}

ney_status ney_request_check_only(const ney_train_opts *o, const char *names, const char *also,
                                  const char *reader, ney_error *err)
{
    int64_t n;
    const ney_param *const row = ney_train_params(&n);
    for (int64_t k = 0; k < n; k++) {
        const char *const name = row[k].name;
        if (!ney_param_is_default(&row[k], o) && !ney_is_listed(names, name) &&
            !ney_is_listed(also, name)) {
            return ney_fail(err, NEY_EINVAL, "--%s does not apply to %s", name, reader);
        }
    }
    return ney_request_check(o, also, err);
}

void ney_train_trim(ney_train_opts *o)
{
    int64_t n;
    const ney_param *const row = ney_train_params(&n);
    for (int64_t k = 0; k < n; k++) {
        const ney_request r = ney_request_of(o); /* one option may be the condition of another */
        if (!is_read(&(reading){&r, o}, use_of(row[k].name))) {
            ney_params_init(&row[k], 1, o);
        }
    }
}

/* ---------------------------------------------------------------- resolving */

static ney_status check_family(const ney_train_opts *o, const ney_request *r, ney_error *err)
{
    if (o->network > 0 && o->features > 0) {
        return ney_fail(err, NEY_EINVAL, "a network or random features, not both at once");
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
    if (r->calibrates && (r->holdout <= 0 || r->holdout >= 1)) {
        return ney_fail(err, NEY_EINVAL, "holdout = %g, expected a share between 0 and 1",
                        r->holdout);
    }
    return NEY_OK;
}

static ney_status check_confidence(const ney_request *r, ney_error *err)
{
    return r->confidence >= 1
               ? ney_fail(err, NEY_EINVAL,
                          "confidence = 1 is beyond any number of rows, expected one from 0.5 to "
                          "below 1, such as 0.95")
               : NEY_OK;
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
        (st = ney_request_check(o, also, err)) != NEY_OK) {
        return st;
    }
    const ney_request r = ney_request_of(o);
    o->confidence = r.confidence;
    if (o->method == NEY_METHOD_AUTO && families[r.family].is_online) {
        o->method = r.goal->usual_online == r.goal->usual ? o->method : (int)r.goal->usual_online;
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
