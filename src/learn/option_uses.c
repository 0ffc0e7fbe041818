/* Which option is read for which goal, method and family: one entry per option. An option that is
 * set and not read is refused. */
#include "base/text.h"
#include "learn/goal.h"
#include "learn/method.h"
#include "model/family.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- when an option is read */

/* The arguments of the conditions below. */
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
    return has_kernel(q) || q->r->family == &ney_family_features;
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
    return q->r->family == &ney_family_network;
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
           q->r->conformal_folds > 0 || !isnan(q->r->calibrate) || q->r->calibrate_folds > 0 ||
           ney_request_chooses(q->o); /* folds of the search */
}

/* Goals as a set. */
enum {
    COST = 1 << NEY_GOAL_COST,
    RATE = 1 << NEY_GOAL_RATE,
    RATES = 1 << NEY_GOAL_RATES,
    FDR = 1 << NEY_GOAL_FDR,
    REJECT = 1 << NEY_GOAL_REJECT,
    ALL = (1 << NEY_N_GOALS) - 1
};

static const char WITH_COSTS[] = "goals with costs, --max-fpr with --max-fnr, or --method convex";
static const char WITH_REJECTION[] = "goals with costs, or to --max-fpr with --max-fnr";
static const char WITH_ONLINE[] = "--method online, but not to --max-fdr";
static const char WITH_CHECKPOINT[] = "--checkpoint";
static const char WITH_TREES[] = "--trees";
static const char WITH_FDR[] = "--max-fdr";

/* Which methods read an option: all; those whose learner lists it; the same, and a refusal names
 * those of the goal at hand. */
typedef enum readers { ALL_METHODS, BY_LEARNER, BY_METHOD } readers;

#define GOAL_OPTION(x, name, ...) {name, 1 << NEY_GOAL_AT_##x, ALL_METHODS, NULL, NULL},

/* One entry for every row of ney_train_params(), in any order: the goals and methods that read it,
 * a further condition or NULL, and what it applies to, NULL where that is everything. */
static const struct use {
    const char *name;
    unsigned goals;
    readers methods;
    bool (*when)(const reading *q);
    const char *where;
} uses[] = {
    {"C", ALL, ALL_METHODS, NULL, NULL},
    {"cost-fn", ALL, BY_LEARNER, NULL, WITH_COSTS},
    {"cost-fp", ALL, BY_LEARNER, NULL, WITH_COSTS},
    {"reject-cost", RATES | REJECT, ALL_METHODS, has_common_cost,
     "goals with costs, or to --max-fpr with --max-fnr, unless --reject-cost-fn and "
     "--reject-cost-fp are both given"},
    {"reject-cost-fn", RATES | REJECT, ALL_METHODS, NULL, WITH_REJECTION},
    {"reject-cost-fp", RATES | REJECT, ALL_METHODS, NULL, WITH_REJECTION},
    {"rule", REJECT, ALL_METHODS, NULL, "--reject-cost"},
    {"delta0", REJECT, ALL_METHODS, has_delta0, "--rule bartlett-wegkamp"},
    {"conformal", ALL, BY_METHOD, NULL, "all methods but online, and not to --max-fdr"},
    {"conformal-folds", ALL, BY_METHOD, NULL, "all methods but online, and not to --max-fdr"},
    {"calibrate", ALL & ~FDR, ALL_METHODS, NULL, "all goals but --max-fdr"},
    {"calibrate-folds", ALL, BY_METHOD, NULL, "all methods but online, and not to --max-fdr"},
    {"max-fpr", RATE | RATES, ALL_METHODS, NULL, NULL},
    {"max-fnr", RATE | RATES, ALL_METHODS, NULL, NULL},
    {"max-fdr", FDR, ALL_METHODS, NULL, NULL},
    {"fdr-convention", FDR, ALL_METHODS, NULL, WITH_FDR},
    {"compete", FDR, ALL_METHODS, NULL, WITH_FDR},
    {"no-compete", FDR, ALL_METHODS, NULL, WITH_FDR},
    {"size-correct", FDR, ALL_METHODS, NULL, WITH_FDR},
    {"plus-one", FDR, ALL_METHODS, NULL, WITH_FDR},
    {"no-plus-one", FDR, ALL_METHODS, NULL, WITH_FDR},
    {"spectrum", FDR, ALL_METHODS, NULL, WITH_FDR},
    {"peptide", FDR, ALL_METHODS, NULL, WITH_FDR},
    {"init-weights", FDR, ALL_METHODS, NULL, WITH_FDR},
    {"training-rows", FDR, ALL_METHODS, NULL, WITH_FDR},
    {"confidence", RATE | RATES, ALL_METHODS, NULL, "--max-fpr or --max-fnr"},
    {"holdout", ALL & ~FDR, ALL_METHODS, has_holdout,
     "--confidence or --conformal, which hold rows out"},
    {"method", ALL, ALL_METHODS, NULL, NULL},
    {"at-k", ALL, BY_LEARNER, NULL, "--method perf"},
    {"eta", ALL, BY_LEARNER, NULL,
     "--max-fdr, --method ramp, and to --max-fpr or --max-fnr with --method annealed, uzawa or "
     "online"},
    {"kernel", ALL, BY_METHOD, NULL, "methods that are neither online nor linear only"},
    {"gamma", ALL, BY_LEARNER, has_gamma, "--kernel rbf, poly or sigmoid, or to --features"},
    {"degree", ALL, BY_LEARNER, has_degree, "--kernel poly"},
    {"coef0", ALL, BY_LEARNER, has_coef0, "--kernel poly or sigmoid"},
    {"tol", ALL, BY_METHOD, NULL, "methods that solve an optimisation problem to a tolerance"},
    {"max-iter", ALL, BY_METHOD, NULL, "iterative methods"},
    {"max-time", ALL, ALL_METHODS, NULL, NULL},
    {"cache", ALL, ALL_METHODS, NULL, NULL},
    {"seed", ALL, ALL_METHODS, is_random,
     "random choices: rows held out by --confidence, --conformal or --calibrate, -C auto, "
     "--max-fdr, "
     "--method online, "
     "and --method generative or chebyshev with a kernel"},
    {"start", ALL, BY_LEARNER, NULL, "--max-fpr or --max-fnr with --method annealed or uzawa"},
    {"loss", ALL, BY_LEARNER, NULL, "--method online with --max-fpr or --max-fnr"},
    {"epochs", ALL, BY_LEARNER, NULL, "--method online"},
    {"network", ALL, BY_LEARNER, NULL, "--method online or auto"},
    {"activation", ALL, BY_LEARNER, has_network, "--network, but not with --max-fdr"},
    {"batch", ALL, BY_LEARNER, has_network, "--network, but not with --max-fdr"},
    {"features", ALL, BY_LEARNER, NULL, "--method online or auto, but not to --max-fdr"},
    {"trees", ALL, BY_LEARNER, NULL, "--method boosting, lagrangian or auto"},
    {"depth", ALL, BY_LEARNER, NULL, WITH_TREES},
    {"learning-rate", ALL, BY_LEARNER, NULL, WITH_TREES},
    {"subsample", ALL, BY_LEARNER, NULL, WITH_TREES},
    {"min-child", ALL, BY_LEARNER, NULL, WITH_TREES},
    {"validation", ALL, BY_LEARNER, NULL, WITH_ONLINE},
    {"memory", ALL, ALL_METHODS, NULL, NULL},
    {"no-fingerprint", ALL, ALL_METHODS, NULL, NULL},
    {"checkpoint", ALL, BY_LEARNER, NULL, WITH_ONLINE},
    {"checkpoint-every", ALL, BY_LEARNER, has_checkpoint, WITH_CHECKPOINT},
    {"resume", ALL, BY_LEARNER, has_checkpoint, WITH_CHECKPOINT},
    NEY_GOALS(NEY_GOAL_NOTHING, GOAL_OPTION)};

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
           (use->methods == ALL_METHODS || ney_is_listed(learner->reads, use->name)) &&
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

/* Alternatives, each ended by '|' or the end of its text. */
typedef struct alternatives {
    const char *item[2 * NEY_N_GOALS + NEY_N_METHODS];
    int n;
} alternatives;

/* The options of the goals that a method serves. */
static alternatives goals_of(const ney_method_row *method)
{
    alternatives a = {0};
    for (int goal = 0; goal < NEY_N_GOALS; goal++) {
        const ney_goal_kind kind = (ney_goal_kind)goal;
        const char *at = ney_method_learner(method, kind) ? ney_goal_at(kind)->options : NULL;
        for (; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
            a.item[a.n++] = at;
        }
    }
    return a;
}

/* The methods that read an option for this goal. */
static alternatives methods_reading(const ney_request *r, const char *option)
{
    alternatives a = {0};
    for (int k = 0; ney_method_at(k); k++) {
        const ney_learner *const learner = ney_method_learner(ney_method_at(k), r->kind);
        if (learner && ney_is_listed(learner->reads, option)) {
            a.item[a.n++] = ney_method_at(k)->name;
        }
    }
    return a;
}

/* "--option value applies to PREFIX a, b or c" */
static ney_status refuse_alternatives(const char *option, const char *prefix, const alternatives *a,
                                      ney_error *err)
{
    const ney_env env = ney_env_of(NULL);
    ney_text text;
    ney_text_init(&text, &env);
    for (int k = 0; k < a->n; k++) {
        ney_text_put(&text, k == 0 ? "" : k + 1 < a->n ? ", " : " or ");
        ney_text_add(&text, a->item[k], (int64_t)strcspn(a->item[k], "|"));
    }
    const ney_status st = ney_fail(err, NEY_EINVAL, "--%s applies to %s%s", option, prefix,
                                   text.bytes ? text.bytes : "others");
    ney_text_deinit(&text);
    return st;
}

static ney_status check_method(const ney_request *r, ney_error *err)
{
    char option[64];
    if (r->learner) {
        return NEY_OK;
    }
    snprintf(option, sizeof option, "method %s", r->method->name);
    const alternatives goals = goals_of(r->method);
    return refuse_alternatives(option, "", &goals, err);
}

/* Names what reads the option: methods of this goal, or what it applies to. */
static ney_status refuse_option(const ney_request *r, const char *name, const struct use *use,
                                ney_error *err)
{
    const alternatives methods = methods_reading(r, name);
    if (use && use->methods == BY_METHOD && methods.n > 0 &&
        !ney_is_listed(r->learner->reads, name)) {
        return refuse_alternatives(name, "--method ", &methods, err);
    }
    if (!use || !use->where) { /* it asks for another goal */
        return ney_fail(err, NEY_EINVAL, "--%s and %s exclude each other: give one of them", name,
                        r->goal->options);
    }
    return ney_fail(err, NEY_EINVAL, "--%s applies to %s", name, use->where);
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
            return refuse_option(&r, row[k].name, use, err);
        }
    }
    return st == NEY_OK ? ney_request_check_kernel(o, also, err) : st;
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
