/* The options of every goal: one row each. */
#include "learn/options.h"

#include "learn/goal.h"

#include <math.h>
#include <stddef.h>

#define AT(field) offsetof(ney_train_opts, field)
#define NONE ((double)NAN)

/* clang-format off */
static const ney_param params[] = {
    /* name        flag kind             field           initial low  high  arg   choices */
    {"C",          'C', NEY_KIND_REAL,   AT(C),          1,    1e-12, 1e12, "X",       NULL,
     "weight of one example's loss; with a bounded rate, of one of the other class"},
    {"cost-fn",    0,   NEY_KIND_REAL,   AT(cost_fn),    1,    1e-12, 1e12, "X",       NULL,
     "cost of a false negative: C times this for positives"},
    {"cost-fp",    0,   NEY_KIND_REAL,   AT(cost_fp),    1,    1e-12, 1e12, "Y",       NULL,
     "cost of a false positive: C times this for negatives"},
    {"max-fpr",    0,   NEY_KIND_REAL,   AT(max_fpr),    NONE, 0,     1,    "RATE",    NULL,
     "the rate that false positives may have among the negatives"},
    {"max-fnr",    0,   NEY_KIND_REAL,   AT(max_fnr),    NONE, 0,     1,    "RATE",    NULL,
     "the rate that false negatives may have among the positives"},
    {"confidence", 0,   NEY_KIND_REAL,   AT(confidence), NONE, 0.5,   1,    "P",       NULL,
     "how sure to be that the rate holds for rows to come, below 1: the threshold is certified on rows held out"},
    {"holdout",    0,   NEY_KIND_REAL,   AT(holdout),    NONE, 0,     1,    "SHARE",   NULL,
     "share of the bounded class that is held out for --confidence; default: what it takes"},
    {"method",     0,   NEY_KIND_CHOICE, AT(method),     0,    0,     6,    "METHOD",  "auto annealed uzawa convex generative chebyshev perf",
     "how a bounded rate is sought: auto is annealed; convex moves the threshold of an SVM at the costs given; generative and chebyshev know the classes by mean and covariance; perf is SVMperf"},
    {"at-k",       0,   NEY_KIND_INT,    AT(at_k),       0,    0,     1e15, "K",       NULL,
     "how many rows perf is to call positive; 0: as many as are (with max-fnr: negative)"},
    {"eta",        0,   NEY_KIND_REAL,   AT(eta),        1,    1e-6,  1e6,  "X",       NULL,
     "half the width of the ramp loss of a bounded rate"},
    {"kernel",     0,   NEY_KIND_CHOICE, AT(kernel),     0,    0,     3,    "KERNEL",  "linear rbf poly sigmoid",
     "x'z, exp(-gamma |x-z|^2), (gamma x'z + coef0)^degree or tanh(gamma x'z + coef0)"},
    {"gamma",      0,   NEY_KIND_REAL,   AT(gamma),      0,    0,     1e12, "X",       "scale",
     "gamma of the kernel; scale (or 0) is 1 / (columns * variance of all entries)"},
    {"degree",     0,   NEY_KIND_INT,    AT(degree),     3,    1,     100,  "N",       NULL,
     "degree of the poly kernel"},
    {"coef0",      0,   NEY_KIND_REAL,   AT(coef0),      0,   -1e12,  1e12, "X",       NULL,
     "coef0 of the poly and sigmoid kernels"},
    {"tol",        0,   NEY_KIND_REAL,   AT(tol),        1e-3, 1e-12, 1,    "X",       NULL,
     "stop when no optimality condition is violated by more"},
    {"max-iter",   0,   NEY_KIND_INT,    AT(max_iter),   0,    0,     1e15, "N",       NULL,
     "stop after N steps of the solver; 0: no limit"},
    {"max-time",   0,   NEY_KIND_REAL,   AT(max_time),   0,    0,     1e9,  "SECONDS", NULL,
     "stop after so much time; 0: no limit"},
    {"cache",      0,   NEY_KIND_REAL,   AT(cache),      0,    0,     1e9,  "MB",      NULL,
     "memory for kernel rows; 0: a quarter of what the machine has. Results change within "
     "--tol only"},
    {"seed",       0,   NEY_KIND_INT,    AT(seed),       1,    0,     0x1p53, "N",     NULL,
     "seed of whatever is drawn at random"},
    {"start",      0,   NEY_KIND_INT,    AT(start),      0,    0,     0x1p53, "N",     NULL,
     "start a bounded rate from examples given up at random, N being the seed; 0: from none"},
};
/* clang-format on */

enum { N_PARAMS = sizeof params / sizeof *params };

const ney_param *ney_train_params(int64_t *n_params)
{
    *n_params = N_PARAMS;
    return params;
}

ney_status ney_train_opts_of(ney_train_opts *o, const ney_train_opts *opts, ney_error *err)
{
    ney_params_init(params, N_PARAMS, o);
    if (opts) {
        *o = *opts;
    }
    const ney_status st = ney_params_check(params, N_PARAMS, o, err);
    return st == NEY_OK ? ney_goal_of(o)->check(o, err) : st;
}

const char *ney_stop_text(ney_stop stop)
{
    static const char *const text[] = {
        [NEY_STOP_CONVERGED] = "converged", [NEY_STOP_ITERATIONS] = "iterations",
        [NEY_STOP_TIME] = "time",           [NEY_STOP_CANCELLED] = "cancelled",
        [NEY_STOP_PRECISION] = "precision",
    };
    const size_t at = (size_t)stop;
    return at < sizeof text / sizeof *text ? text[at] : "unknown";
}

const char *ney_end_text(ney_end end)
{
    static const char *const text[] = {
        [NEY_END_NONE] = "none",
        [NEY_END_ACTIVE] = "active",
        [NEY_END_SLACK] = "slack",
        [NEY_END_JUMP] = "jump",
    };
    const size_t at = (size_t)end;
    return at < sizeof text / sizeof *text ? text[at] : "unknown";
}
