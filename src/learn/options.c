/* The options of every goal: one row each. */
#include "learn/method.h"

#include <math.h>
#include <stddef.h>

#define AT(field) offsetof(ney_train_opts, field)
#define NONE ((double)NAN)
#define NEY_CONFIDENCE 0.95

/* clang-format off */
static const ney_param params[] = {
    /* name        flag kind             field           initial low  high  arg   choices */
    {"C",          'C', NEY_KIND_REAL,   AT(C),          1,    1e-12, 1e12, "X",       NULL,
     "weight of one example's loss; with a bounded rate, of one of the other class"},
    {"cost-fn",    0,   NEY_KIND_REAL,   AT(cost_fn),    1,    1e-12, 1e12, "X",       NULL,
     "cost of a false negative: C times this for positives"},
    {"cost-fp",    0,   NEY_KIND_REAL,   AT(cost_fp),    1,    1e-12, 1e12, "Y",       NULL,
     "cost of a false positive: C times this for negatives"},
    {"reject-cost", 0,  NEY_KIND_REAL,   AT(reject_cost), NONE, 1e-12, 1e12, "R",      NULL,
     "cost of rejecting a row, in units of --cost-fn and --cost-fp: learn to say neither"},
    {"reject-cost-fn", 0, NEY_KIND_REAL, AT(reject_cost_fn), NONE, 1e-12, 1e12, "R",   NULL,
     "cost of rejecting a positive, where that is another"},
    {"reject-cost-fp", 0, NEY_KIND_REAL, AT(reject_cost_fp), NONE, 1e-12, 1e12, "R",   NULL,
     "cost of rejecting a negative, where that is another"},
    {"rule",       0,   NEY_KIND_CHOICE, AT(rule),       0,    0,     1,    "RULE",    "grandvalet bartlett-wegkamp",
     "which scores are rejected: those of log-odds at which rejecting is cheapest, or those within --delta0 of the margin (symmetric costs alone)"},
    {"delta0",     0,   NEY_KIND_REAL,   AT(delta0),     NONE, 0,     1,    "X",       NULL,
     "share of the margin that bartlett-wegkamp rejects, from r to 1 - r where r is the cost of rejecting over that of an error; default 0.5"},
    {"conformal",  0,   NEY_KIND_FLAG,   AT(conformal),  0,    0,     0,    NULL,      NULL,
     "calibrate p-values of either class, for predict --conformal, on held-out rows: a quarter of each class, apart from the rows that certify a rate"},
    {"conformal-folds", 0, NEY_KIND_INT, AT(conformal_folds), 0, 0,   100,  "K",       NULL,
     "calibrate p-values on all rows, held out in K turns, instead (cross-conformal)"},
    {"max-fpr",    0,   NEY_KIND_REAL,   AT(max_fpr),    NONE, 0,     1,    "RATE",    NULL,
     "the rate that false positives may have among the negatives"},
    {"max-fnr",    0,   NEY_KIND_REAL,   AT(max_fnr),    NONE, 0,     1,    "RATE",    NULL,
     "the rate that false negatives may have among the positives"},
    {"max-fdr",    0,   NEY_KIND_TEXT,   AT(max_fdr),    0,    0,     0,    "Q[,Q...]", NULL,
     "the share that false discoveries may have among what is accepted; positives are targets, negatives certain decoys"},
    {"fdr-convention", 0, NEY_KIND_CHOICE, AT(qvalue.kind), 0, 0,     1,    "KIND",    "targets all",
     "the false-discovery rate as decoys over targets, or as decoys over all accepted rows"},
    {"compete",    0,   NEY_KIND_FLAG,   AT(qvalue.compete), 0, 0,    1,    NULL,      NULL,
     "with --max-fdr: state that one decoy competed with each target; the best match of each spectrum is kept where spectra are known. Default: decided from the data"},
    {"no-compete", 0,   NEY_KIND_FLAG,   AT(qvalue.no_compete), 0, 0, 1,    NULL,      NULL,
     "with --max-fdr: no target-decoy competition: every row counts"},
    {"size-correct", 0, NEY_KIND_FLAG,   AT(qvalue.size_correct), 0, 0, 1,  NULL,      NULL,
     "multiply by targets / (decoys + 1); the default without competition, refused with it"},
    {"plus-one",   0,   NEY_KIND_FLAG,   AT(qvalue.plus_one), 0, 0,   1,    NULL,      NULL,
     "count one more decoy; the default"},
    {"no-plus-one", 0,  NEY_KIND_FLAG,   AT(qvalue.no_plus_one), 0, 0, 1,   NULL,      NULL,
     "do not count one more decoy: an estimate without the theorem's bound, too low on small or weak data"},
    {"spectrum",   0,   NEY_KIND_TEXT,   AT(spectrum),   0,    0,     0,    "COLUMNS", NULL,
     "with --max-fdr: rows that agree in these columns, separated by commas, stay in one fold and compete; default: file and ScanNr (competition: and ExpMass) of a PIN file, else each row for itself"},
    {"confidence", 0,   NEY_KIND_REAL,   AT(confidence), NEY_CONFIDENCE, 0.5, 1, "P",   "none",
     "with max-fpr or max-fnr: the confidence, below 1, with which the rate holds on new data; rows of the bounded class are held out and certify the threshold. none: the bound holds on the training rows only"},
    {"holdout",    0,   NEY_KIND_REAL,   AT(holdout),    NONE, 0,     1,    "SHARE",   NULL,
     "share of the bounded class that is held out to certify the rate, default: as many rows as are needed; where nothing is certified, share of each class for --conformal, default 0.25"},
    {"method",     0,   NEY_KIND_CHOICE, AT(method),     0,    0,     NEY_N_METHODS - 1, "METHOD", &(NEY_METHODS(NEY_METHOD_WORD))[1],
     &(NEY_METHODS(NEY_METHOD_HELP))[2]},
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
     "stop after N steps of the solver; 0: 200,000 for a linear model, 1,000,000 and 100,000 per row for a kernel"},
    {"max-time",   0,   NEY_KIND_REAL,   AT(max_time),   0,    0,     1e9,  "SECONDS", NULL,
     "stop after so much time; 0: no limit"},
    {"cache",      0,   NEY_KIND_REAL,   AT(cache),      0,    0,     1e9,  "MB",      NULL,
     "memory for kernel rows; 0: a quarter of what the machine has. Results change within "
     "--tol only"},
    {"seed",       0,   NEY_KIND_INT,    AT(seed),       1,    0,     0x1p53, "N",     NULL,
     "seed of whatever is drawn at random"},
    {"start",      0,   NEY_KIND_INT,    AT(start),      0,    0,     0x1p53, "N",     NULL,
     "with --max-fpr or --max-fnr: clip examples at random before the first step, N being the seed; 0: clip none"},
    {"loss",       0,   NEY_KIND_CHOICE, AT(loss),       0,    0,     1,    "LOSS",    "ramp sigmoid",
     "online: the loss that stands for a mistake"},
    {"epochs",     0,   NEY_KIND_INT,    AT(epochs),     0,    0,     1e6,  "N",       NULL,
     "online: passes over the data; 0: until checks no longer improve"},
    {"network",    0,   NEY_KIND_INT,    AT(network),    0,    0,     1e6,  "H",       NULL,
     "online: a network with one hidden layer of H units (tanh)"},
    {"batch",      0,   NEY_KIND_INT,    AT(batch),      0,    0,     256,  "N",       NULL,
     "online: rows that a network takes at once, 1 to 256; 0: 32"},
    {"features",   0,   NEY_KIND_INT,    AT(features),   0,    0,     1e7,  "N",       NULL,
     "online: N random Fourier features of the rbf kernel with --gamma, trained as linear"},
    {"validation", 0,   NEY_KIND_REAL,   AT(validation), NONE, 0,     0.9,  "SHARE",   NULL,
     "online: share of the rows kept out to check with; default: none of few rows, 5000 of many"},
    {"memory",     0,   NEY_KIND_REAL,   AT(memory),     0,    0,     1e9,  "MB",      NULL,
     "online: rows that would take more are read from a file, some at a time; 0: half of what the machine has. Never changes a result"},
    {"no-fingerprint", 0, NEY_KIND_FLAG, AT(no_fingerprint), 0, 0,    1,    NULL,      NULL,
     "keep no hashes of training rows in the model: rows that were used in training are then not recognised by update, certify and evaluate"},
    {"checkpoint", 0,   NEY_KIND_TEXT,   AT(checkpoint), 0,    0,     0,    "FILE",    NULL,
     "online: keep the state of the run in FILE, to go on from if it is interrupted or killed"},
    {"checkpoint-every", 0, NEY_KIND_REAL, AT(checkpoint_every), 60, 0, 1e9, "SECONDS", NULL,
     "online: how often the checkpoint is renewed"},
    {"resume",     0,   NEY_KIND_FLAG,   AT(resume),     0,    0,     1,    NULL,      NULL,
     "online: go on from the checkpoint, if it is there; the model is the one of an uninterrupted run"},
};
/* clang-format on */

enum { N_PARAMS = sizeof params / sizeof *params };

const ney_param *ney_train_params(int64_t *n_params)
{
    *n_params = N_PARAMS;
    return params;
}

ney_status ney_train_check(const ney_train_opts *opts, ney_error *err)
{
    ney_train_opts o;
    return ney_request_resolve(&o, opts, NULL, err);
}

const char *ney_stop_text(ney_stop stop)
{
    static const char *const text[] = {
        [NEY_STOP_CONVERGED] = "converged",
        [NEY_STOP_ITERATIONS] = "iterations",
        [NEY_STOP_TIME] = "time",
        [NEY_STOP_CANCELLED] = "cancelled",
        [NEY_STOP_PRECISION] = "precision",
        [NEY_STOP_EPOCHS] = "epochs",
        [NEY_STOP_MULTIPLIER] = "multiplier",
        [NEY_STOP_CHECKS] = "checks",
    };
    const size_t at = (size_t)stop;
    return at < sizeof text / sizeof *text ? text[at] : "unknown";
}

bool ney_stop_is_complete(ney_stop stop)
{
    return stop == NEY_STOP_CONVERGED || stop == NEY_STOP_EPOCHS || stop == NEY_STOP_CHECKS;
}

const char *ney_constraint_status_text(ney_constraint_status status)
{
    static const char *const text[] = {
        [NEY_CONSTRAINT_NONE] = "none",
        [NEY_CONSTRAINT_ACTIVE] = "active",
        [NEY_CONSTRAINT_SLACK] = "slack",
        [NEY_CONSTRAINT_DISCONTINUOUS] = "discontinuous",
        [NEY_CONSTRAINT_UNATTAINABLE] = "unattainable",
    };
    const size_t at = (size_t)status;
    return at < sizeof text / sizeof *text ? text[at] : "unknown";
}
