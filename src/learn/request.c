#include "learn/request.h"

#include "learn/calibration.h"
#include "learn/options.h"
#include "learn/rate.h"
#include "learn/rejection.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------- goal, method, family */

static ney_target target_of(const ney_train_opts *o)
{
    if (o->max_fdr) {
        return NEY_TARGET_FDR;
    }
    if (!isnan(o->max_fpr) && !isnan(o->max_fnr)) {
        return NEY_TARGET_RATES;
    }
    return ney_rate_is_bounded(o)   ? NEY_TARGET_RATE
           : ney_reject_is_asked(o) ? NEY_TARGET_REJECTION
                                    : NEY_TARGET_COSTS;
}

static ney_form form_of(const ney_train_opts *o)
{
    return o->network > 0                   ? NEY_FORM_NETWORK
           : o->features > 0                ? NEY_FORM_FEATURES
           : o->kernel != NEY_KERNEL_LINEAR ? NEY_FORM_KERNEL
                                            : NEY_FORM_LINEAR;
}

static ney_method method_of(const ney_train_opts *o, ney_target goal, ney_form family)
{
    const bool streams = family == NEY_FORM_NETWORK || family == NEY_FORM_FEATURES;
    if (o->method != NEY_METHOD_AUTO) {
        return (ney_method)o->method;
    }
    if (streams && (goal == NEY_TARGET_RATE || goal == NEY_TARGET_REJECTION)) {
        return NEY_METHOD_ONLINE;
    }
    return goal == NEY_TARGET_RATE || goal == NEY_TARGET_FDR ? NEY_METHOD_ANNEALED
                                                             : NEY_METHOD_AUTO;
}

ney_request ney_request_of(const ney_train_opts *o)
{
    const ney_target goal = target_of(o);
    const ney_form family = form_of(o);
    return (ney_request){
        .goal = goal, .method = method_of(o, goal, family), .family = family, .opts = o};
}

/* ---------------------------------------------------------------- learners */

/* A learner is a goal with the methods that read the same options for it. Sets of learners are sums
 * of these. */
enum {
    COSTS = 1 << 0,          /* the SVM at given costs */
    RAMP = 1 << 1,           /* one rate: annealed, uzawa */
    MOVED = 1 << 2,          /* one rate: convex */
    MOMENTS = 1 << 3,        /* one rate: generative, chebyshev */
    PERF = 1 << 4,           /* one rate: SVMperf */
    ONLINE = 1 << 5,         /* one rate */
    RATES = 1 << 6,          /* both rates */
    FDR = 1 << 7,            /* annealed, and L-BFGS for a network */
    FDR_ONLINE = 1 << 8,     /* its SVM stage runs too */
    REJECT = 1 << 9,         /* the double hinge */
    REJECT_ONLINE = 1 << 10, /* the same, one row at a time */

    BATCH_RATE = RAMP | MOVED | MOMENTS | PERF,
    ONE_RATE = BATCH_RATE | ONLINE,
    ANY_FDR = FDR | FDR_ONLINE,
    ANY_REJECT = REJECT | REJECT_ONLINE,
    ANY_ONLINE = ONLINE | REJECT_ONLINE,
    ALL = COSTS | ONE_RATE | RATES | ANY_FDR | ANY_REJECT
};

/* Methods by their number: which goals they serve, by which learner. */
static const struct method_row {
    unsigned of_goal[NEY_TARGET_REJECTION + 1]; /* the learner; 0: not this goal */
    const char *where;
} methods[] = {
    [NEY_METHOD_AUTO] = {{COSTS, 0, RATES, 0, REJECT}, NULL},
    [NEY_METHOD_ANNEALED] = {{0, RAMP, 0, FDR, 0}, "--max-fpr, --max-fnr or --max-fdr"},
    [NEY_METHOD_UZAWA] = {{0, RAMP, 0, 0, 0}, "--max-fpr or --max-fnr"},
    [NEY_METHOD_CONVEX] = {{0, MOVED, 0, 0, 0}, "--max-fpr or --max-fnr"},
    [NEY_METHOD_GENERATIVE] = {{0, MOMENTS, 0, 0, 0}, "--max-fpr or --max-fnr"},
    [NEY_METHOD_CHEBYSHEV] = {{0, MOMENTS, 0, 0, 0}, "--max-fpr or --max-fnr"},
    [NEY_METHOD_PERF] = {{0, PERF, 0, 0, 0}, "--max-fpr or --max-fnr"},
    [NEY_METHOD_ACTIVESET] = {{COSTS, 0, RATES, 0, REJECT},
                              "costs, --reject-cost, or --max-fpr with --max-fnr"},
    [NEY_METHOD_ONLINE] = {{0, ONLINE, 0, FDR_ONLINE, REJECT_ONLINE},
                           "--max-fpr, --max-fnr, --max-fdr or --reject-cost"},
};

static unsigned learner_of(const ney_request *r)
{
    return methods[r->method].of_goal[r->goal];
}

/* ---------------------------------------------------------------- when an option is read */

static bool has_kernel(const ney_request *r)
{
    return r->opts->kernel != NEY_KERNEL_LINEAR;
}

static bool has_gamma(const ney_request *r)
{
    return has_kernel(r) || r->family == NEY_FORM_FEATURES;
}

static bool has_degree(const ney_request *r)
{
    return r->opts->kernel == NEY_KERNEL_POLY;
}

static bool has_coef0(const ney_request *r)
{
    return has_degree(r) || r->opts->kernel == NEY_KERNEL_SIGMOID;
}

static bool has_network(const ney_request *r)
{
    return r->family == NEY_FORM_NETWORK;
}

static bool has_checkpoint(const ney_request *r)
{
    return r->opts->checkpoint != NULL;
}

static bool has_delta0(const ney_request *r)
{
    return r->opts->rule == NEY_RULE_BARTLETT_WEGKAMP;
}

static bool has_holdout(const ney_request *r)
{
    const bool bounds = r->goal == NEY_TARGET_RATE || r->goal == NEY_TARGET_RATES;
    return (bounds && !isnan(r->opts->confidence)) || ney_calibration_holds_out(r->opts);
}

static bool has_common_cost(const ney_request *r)
{
    return isnan(r->opts->reject_cost_fn) || isnan(r->opts->reject_cost_fp);
}

static bool is_random(const ney_request *r)
{
    const unsigned learner = learner_of(r);
    return (learner & (ANY_ONLINE | ANY_FDR)) != 0 || ((learner & MOMENTS) != 0 && has_kernel(r)) ||
           has_holdout(r) || r->opts->conformal_folds > 0;
}

static const char WITH_COSTS[] =
    "costs, --reject-cost, --max-fpr with --max-fnr, or --method convex";
static const char WITH_REJECTION[] = "costs, or to --max-fpr with --max-fnr";
static const char WITH_ONLINE[] = "--method online with --max-fpr, --max-fnr or --reject-cost";
static const char WITH_CHECKPOINT[] = "--checkpoint";
static const char WITH_FDR[] = "--max-fdr";

/* One entry for every row of ney_train_params(), in any order: the learners that read it, a further
 * condition or NULL, and what it applies to, NULL where that is everything. */
static const struct use {
    const char *name;
    unsigned learners;
    bool (*when)(const ney_request *r);
    const char *where;
} uses[] = {
    {"C", ALL, NULL, NULL},
    {"cost-fn", COSTS | MOVED | RATES | ANY_REJECT, NULL, WITH_COSTS},
    {"cost-fp", COSTS | MOVED | RATES | ANY_REJECT, NULL, WITH_COSTS},
    {"reject-cost", RATES | ANY_REJECT, has_common_cost,
     "costs, or to --max-fpr with --max-fnr, unless --reject-cost-fn and --reject-cost-fp are both "
     "given"},
    {"reject-cost-fn", RATES | ANY_REJECT, NULL, WITH_REJECTION},
    {"reject-cost-fp", RATES | ANY_REJECT, NULL, WITH_REJECTION},
    {"rule", ANY_REJECT, NULL, "--reject-cost"},
    {"delta0", ANY_REJECT, has_delta0, "--rule bartlett-wegkamp"},
    {"conformal", COSTS | BATCH_RATE | RATES | REJECT, NULL,
     "all methods but online, and not to --max-fdr"},
    {"conformal-folds", COSTS | BATCH_RATE | RATES | REJECT, NULL,
     "all methods but online, and not to --max-fdr"},
    {"max-fpr", ONE_RATE | RATES, NULL, NULL},
    {"max-fnr", ONE_RATE | RATES, NULL, NULL},
    {"max-fdr", ANY_FDR, NULL, NULL},
    {"fdr-convention", ANY_FDR, NULL, WITH_FDR},
    {"compete", ANY_FDR, NULL, WITH_FDR},
    {"no-compete", ANY_FDR, NULL, WITH_FDR},
    {"size-correct", ANY_FDR, NULL, WITH_FDR},
    {"plus-one", ANY_FDR, NULL, WITH_FDR},
    {"no-plus-one", ANY_FDR, NULL, WITH_FDR},
    {"spectrum", ANY_FDR, NULL, WITH_FDR},
    {"confidence", ONE_RATE | RATES, NULL, "--max-fpr or --max-fnr"},
    {"holdout", ALL & ~ANY_FDR, has_holdout, "--confidence or --conformal, which hold rows out"},
    {"method", ALL, NULL, NULL},
    {"at-k", PERF, NULL, "--method perf"},
    {"eta", RAMP | ONLINE | ANY_FDR, NULL,
     "--max-fdr, and to --max-fpr or --max-fnr with --method annealed, uzawa or online"},
    {"kernel", ALL & ~(PERF | ANY_ONLINE | FDR_ONLINE), NULL, "all methods but online and perf"},
    {"gamma", ALL & ~PERF, has_gamma, "--kernel rbf, poly or sigmoid, or to --features"},
    {"degree", ALL & ~PERF, has_degree, "--kernel poly"},
    {"coef0", ALL & ~PERF, has_coef0, "--kernel poly or sigmoid"},
    {"tol", ALL & ~(MOMENTS | ANY_ONLINE), NULL,
     "all methods but online, generative and chebyshev"},
    {"max-iter", ALL & ~MOMENTS, NULL, "all methods but generative and chebyshev"},
    {"max-time", ALL, NULL, NULL},
    {"cache", ALL, NULL, NULL},
    {"seed", ALL, is_random,
     "what is random: rows held out by --confidence or --conformal, --max-fdr, --method online, "
     "and --method generative or chebyshev with a kernel"},
    {"start", RAMP, NULL, "--max-fpr or --max-fnr with --method annealed or uzawa"},
    {"loss", ONLINE, NULL, "--method online with --max-fpr or --max-fnr"},
    {"epochs", ANY_ONLINE | FDR_ONLINE, NULL, "--method online"},
    {"network", ANY_ONLINE | ANY_FDR, NULL,
     "--max-fpr, --max-fnr, --max-fdr or --reject-cost, with --method online or auto"},
    {"batch", ANY_ONLINE, has_network, "--network with --max-fpr, --max-fnr or --reject-cost"},
    {"features", ANY_ONLINE, NULL,
     "--max-fpr, --max-fnr or --reject-cost, with --method online or auto"},
    {"validation", ANY_ONLINE, NULL, WITH_ONLINE},
    {"memory", ALL, NULL, NULL},
    {"no-fingerprint", ALL, NULL, NULL},
    {"checkpoint", ANY_ONLINE, NULL, WITH_ONLINE},
    {"checkpoint-every", ANY_ONLINE, has_checkpoint, WITH_CHECKPOINT},
    {"resume", ANY_ONLINE, has_checkpoint, WITH_CHECKPOINT},
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

static bool is_read(const ney_request *r, const struct use *use)
{
    return use && (learner_of(r) & use->learners) != 0 && (!use->when || use->when(r));
}

bool ney_request_reads(const ney_train_opts *o, const char *name)
{
    const ney_request r = ney_request_of(o);
    return is_read(&r, use_of(name));
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

/* Whether a word stands in a list of words separated by single spaces. */
static bool is_listed(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; at && (at = strstr(at, word)); at += length) {
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

static ney_status check_method(const ney_request *r, ney_error *err)
{
    int64_t n;
    const ney_param *row = ney_train_params(&n);
    if (learner_of(r) != 0) {
        return NEY_OK;
    }
    while (strcmp(row->name, "method") != 0) {
        row++;
    }
    const char *word = row->choices;
    for (int k = 0; k < (int)r->method; k++) {
        word += strcspn(word, " ") + 1;
    }
    return ney_fail(err, NEY_EINVAL, "--method %.*s applies to %s", (int)strcspn(word, " "), word,
                    methods[r->method].where);
}

ney_status ney_request_check(const ney_train_opts *o, const char *also, ney_error *err)
{
    const ney_request r = ney_request_of(o);
    int64_t n;
    const ney_param *const row = ney_train_params(&n);
    const ney_status st = check_method(&r, err);
    for (int64_t k = 0; k < n && st == NEY_OK; k++) {
        const struct use *const use = use_of(row[k].name);
        if (!ney_param_is_default(&row[k], o) && !is_read(&r, use) &&
            !is_listed(also, row[k].name)) {
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
        if (!ney_param_is_default(&row[k], o) && !is_listed(names, name) &&
            !is_listed(also, name)) {
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
        if (!is_read(&r, use_of(row[k].name))) {
            ney_params_init(&row[k], 1, o);
        }
    }
}

/* ---------------------------------------------------------------- results */

void ney_request_clear_info(const ney_train_opts *o, ney_train_info *info)
{
    const ney_request r = ney_request_of(o);
    const unsigned learner = learner_of(&r);
    const bool has_expansion =
        (learner & MOMENTS) ? r.family == NEY_FORM_KERNEL : (learner & (PERF | ANY_ONLINE)) == 0;
    if ((learner & (RAMP | ONLINE | ANY_FDR)) == 0) {
        info->lambda = (double)NAN;
    }
    if ((learner & (RAMP | ONLINE)) == 0) {
        info->ramp_fpr = info->ramp_fnr = (double)NAN;
    }
    if ((learner & (MOMENTS | ANY_ONLINE)) != 0) {
        info->convex_objective = info->dual_objective = info->gap = (double)NAN;
    }
    if ((learner & MOMENTS) != 0) {
        info->iterations = -1;
    }
    if (!has_expansion) {
        info->support_vectors = -1;
    }
}
