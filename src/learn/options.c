/* The options of training: one row each. */
#include "learn/goal.h"
#include "learn/method.h"
#include "model/family.h"

#include <math.h>
#include <stddef.h>

#define AT(field) offsetof(ney_train_opts, field)
#define NONE ((double)NAN)
#define NEY_CONFIDENCE 0.95

#define GOAL_OPTION(x, name, low, high, arg, help)                                                 \
    {name, 0, NEY_KIND_REAL, AT(goal_option[NEY_GOAL_AT_##x]), NONE, low, high, arg, NULL, help},

/* clang-format off */
static const ney_param params[] = {
    /* name        flag kind             field           initial low  high  arg   choices */
    {"C",          'C', NEY_KIND_REAL,   AT(C),          1,    0,     1e12, "X",       "auto",
     "penalty on training errors, above 0, as in LIBSVM; with one bounded rate, on errors of the class that is not bounded. auto (one bounded rate): a small search on the training rows chooses C, gamma and costs; so does 'neyman train' for a certified one"},
    {"cost-fn",    0,   NEY_KIND_REAL,   AT(cost_fn),    1,    1e-12, 1e12, "X",       NULL,
     "cost of a false negative: a positive example weighs C * X in training"},
    {"cost-fp",    0,   NEY_KIND_REAL,   AT(cost_fp),    1,    1e-12, 1e12, "Y",       NULL,
     "cost of a false positive: a negative example weighs C * Y in training"},
    {"reject-cost", 0,  NEY_KIND_REAL,   AT(reject_cost), NONE, 1e-12, 1e12, "R",      NULL,
     "reject option: cost of a rejected row (neither class), in units of --cost-fn and --cost-fp"},
    {"reject-cost-fn", 0, NEY_KIND_REAL, AT(reject_cost_fn), NONE, 1e-12, 1e12, "R",   NULL,
     "cost of rejecting a positive row, if it differs from --reject-cost"},
    {"reject-cost-fp", 0, NEY_KIND_REAL, AT(reject_cost_fp), NONE, 1e-12, 1e12, "R",   NULL,
     "cost of rejecting a negative row, if it differs from --reject-cost"},
    {"rule",       0,   NEY_KIND_CHOICE, AT(rule),       0,    0,     1,    "RULE",    "grandvalet bartlett-wegkamp",
     "rejection rule. grandvalet: reject where rejecting has the least expected cost by the estimated log-odds; bartlett-wegkamp: reject scores within --delta0 of 0 (equal costs only)"},
    {"delta0",     0,   NEY_KIND_REAL,   AT(delta0),     NONE, 0,     1,    "X",       NULL,
     "half the width of the rejection band as a share of the margin, from r to 1 - r where r is the cost of rejecting divided by the cost of an error; default 0.5"},
    {"conformal",  0,   NEY_KIND_FLAG,   AT(conformal),  0,    0,     0,    NULL,      NULL,
     "calibrate conformal p-values of each class for 'predict --conformal', on 25 % of each class, held out and separate from the rows that certify a rate"},
    {"conformal-folds", 0, NEY_KIND_INT, AT(conformal_folds), 0, 0,   100,  "K",       NULL,
     "calibrate conformal p-values on all rows by cross-conformal prediction with K folds instead of a hold-out; 0: do not"},
    {"calibrate",  0,   NEY_KIND_REAL,   AT(calibrate),  NONE, 0,     1,    "SHARE",   NULL,
     "hold out this share of all rows, drawn regardless of their class, and fit the probabilities of 'predict --probability' to their scores; these rows are separate from those that certify a rate"},
    {"calibrate-folds", 0, NEY_KIND_INT, AT(calibrate_folds), 0, 0,   100,  "K",       NULL,
     "fit probabilities to out-of-fold scores of K folds instead of held-out rows: no row is lost, and no statement of validity is made; 0: do not"},
    {"max-fpr",    0,   NEY_KIND_REAL,   AT(max_fpr),    NONE, 0,     1,    "RATE",    NULL,
     "bound on the false-positive rate, the share of negatives that are classified as positive"},
    {"max-fnr",    0,   NEY_KIND_REAL,   AT(max_fnr),    NONE, 0,     1,    "RATE",    NULL,
     "bound on the false-negative rate, the share of positives that are classified as negative"},
    {"max-fdr",    0,   NEY_KIND_TEXT,   AT(max_fdr),    0,    0,     0,    "Q[,Q...]", NULL,
     "bound on the false-discovery rate, the share of false ones among accepted targets; positives are targets, negatives are decoys"},
    {"fdr-convention", 0, NEY_KIND_CHOICE, AT(qvalue.kind), 0, 0,     1,    "KIND",    "targets all",
     "denominator of the false-discovery rate: accepted targets, or all accepted rows"},
    {"compete",    0,   NEY_KIND_FLAG,   AT(qvalue.compete), 0, 0,    1,    NULL,      NULL,
     "target-decoy competition with one decoy per target; the best match of each spectrum is kept where spectra are known. Default: decided from the data"},
    {"no-compete", 0,   NEY_KIND_FLAG,   AT(qvalue.no_compete), 0, 0, 1,    NULL,      NULL,
     "no target-decoy competition: every row counts"},
    {"size-correct", 0, NEY_KIND_FLAG,   AT(qvalue.size_correct), 0, 0, 1,  NULL,      NULL,
     "multiply the estimate by targets / (decoys + 1); the default without competition, refused with it"},
    {"plus-one",   0,   NEY_KIND_FLAG,   AT(qvalue.plus_one), 0, 0,   1,    NULL,      NULL,
     "count one decoy more than observed; the default"},
    {"no-plus-one", 0,  NEY_KIND_FLAG,   AT(qvalue.no_plus_one), 0, 0, 1,   NULL,      NULL,
     "do not count one decoy more than observed: no theorem bounds this estimate, and it is too low on small or weak data"},
    {"spectrum",   0,   NEY_KIND_TEXT,   AT(spectrum),   0,    0,     0,    "COLUMNS", NULL,
     "columns, separated by commas, that identify a spectrum, not features of a table: rows with equal values compete and stay in one fold. Default: file and ScanNr of a PIN file (for competition also ExpMass), otherwise every row is separate"},
    {"peptide",    0,   NEY_KIND_TEXT,   AT(peptide),    0,    0,     0,    "COLUMN", NULL,
     "column of the peptide, not a feature: the spectra of a peptide stay in one fold. Default: Peptide, where there is one"},
    {"init-weights", 0, NEY_KIND_TEXT,   AT(init_weights), 0,  0,     0,    "FILE",    NULL,
     "a weights file of Percolator, or a linear model, where the search for a score function begins if it accepts more targets than every single feature"},
    {"training-rows", 0, NEY_KIND_INT,   AT(training_rows), 0, 0,     1e15, "N",       NULL,
     "learn from about N rows, whole spectra drawn at random, and score all of them: for files of many millions of rows; 0: all"},
    {"confidence", 0,   NEY_KIND_REAL,   AT(confidence), NEY_CONFIDENCE, 0.5, 1, "P",   "none",
     "confidence with which the bound holds on new data, below 1: held-out rows of the bounded class determine the threshold. none: the bound holds on the training rows only"},
    {"holdout",    0,   NEY_KIND_REAL,   AT(holdout),    NONE, 0,     1,    "SHARE",   NULL,
     "share of the bounded class that is held out to certify the rate, default: a third of many rows, up to half of few. Without a certified rate: share of each class held out for --conformal, default 0.25"},
    {"method",     0,   NEY_KIND_CHOICE, AT(method),     0,    0,     NEY_N_METHODS - 1, "METHOD", &(NEY_METHODS(NEY_METHOD_WORD))[1],
     &(NEY_METHODS(NEY_METHOD_HELP))[2]},
    {"at-k",       0,   NEY_KIND_INT,    AT(at_k),       0,    0,     1e15, "K",       NULL,
     "number of rows to classify as positive (with --max-fnr: as negative) in precision at k; 0: the number of rows of that class"},
    {"eta",        0,   NEY_KIND_REAL,   AT(eta),        1,    1e-6,  1e6,  "X",       NULL,
     "half the width of the ramp loss"},
    {"kernel",     0,   NEY_KIND_CHOICE, AT(kernel),     0,    0,     4,    "KERNEL",  "linear rbf poly sigmoid auto",
     "linear x'z, rbf exp(-gamma |x-z|^2), poly (gamma x'z + coef0)^degree or sigmoid tanh(gamma x'z + coef0). auto (tuning, or one bounded rate): linear or rbf, chosen with C"},
    {"gamma",      0,   NEY_KIND_REAL,   AT(gamma),      0,    0,     1e12, "X",       "scale",
     "gamma of the kernel; scale: 1 / (columns * variance of all entries)"},
    {"degree",     0,   NEY_KIND_INT,    AT(degree),     3,    1,     100,  "N",       NULL,
     "degree of the poly kernel"},
    {"coef0",      0,   NEY_KIND_REAL,   AT(coef0),      0,   -1e12,  1e12, "X",       NULL,
     "coef0 of the poly and sigmoid kernels"},
    {"tol",        0,   NEY_KIND_REAL,   AT(tol),        1e-3, 1e-12, 1,    "X",       NULL,
     "tolerance: training stops when the largest violation of the optimality (KKT) conditions is at most X"},
    {"max-iter",   0,   NEY_KIND_INT,    AT(max_iter),   0,    0,     1e15, "N",       NULL,
     "at most N iterations of the solver; 0: 200,000 for a linear model, 1,000,000 plus 100,000 per row for a kernel"},
    {"max-time",   0,   NEY_KIND_REAL,   AT(max_time),   0,    0,     1e9,  "SECONDS", NULL,
     "at most SECONDS of wall-clock time; 0: no limit"},
    {"cache",      0,   NEY_KIND_REAL,   AT(cache),      0,    0,     1e9,  "MB",      NULL,
     "memory for kernel rows, in MB; 0: 25 % of RAM. Results differ within --tol only"},
    {"seed",       0,   NEY_KIND_INT,    AT(seed),       1,    0,     0x1p53, "N",     NULL,
     "seed of the random-number generator"},
    {"start",      0,   NEY_KIND_INT,    AT(start),      0,    0,     0x1p53, "N",     NULL,
     "seed of a random starting point, at which some examples are clipped; 0: no example is clipped at the start"},
    {"loss",       0,   NEY_KIND_CHOICE, AT(loss),       0,    0,     1,    "LOSS",    "ramp sigmoid",
     "loss that approximates the number of errors"},
    {"epochs",     0,   NEY_KIND_INT,    AT(epochs),     0,    0,     1e6,  "N",       NULL,
     "passes over the data; 0: until the validation checks no longer improve"},
    {"network",    0,   NEY_KIND_SIZES,  AT(network),    0,    0,     1e6,  "H[,H2]",  NULL,
     "neural network with one hidden layer of H units, or with a second one of H2 units; 0: none"},
    {"activation", 0,   NEY_KIND_CHOICE, AT(activation), 0,    0,     1,    "HOW",     "tanh relu",
     "activation function of the hidden units of a network: tanh, or relu, max(0, z)"},
    {"batch",      0,   NEY_KIND_INT,    AT(batch),      0,    0,     256,  "N",       NULL,
     "rows per mini-batch of a network, 1 to 256; 0: 32"},
    {"features",   0,   NEY_KIND_INT,    AT(features),   0,    0,     1e7,  "N",       NULL,
     "number of random Fourier features of the rbf kernel with --gamma, trained as a linear model; 0: none"},
    {"trees",      0,   NEY_KIND_INT,    AT(trees),      0,   -1,     1e5,  "N",       "auto",
     "boosted trees, N rounds; auto: until the held-out loss no longer improves. Training needs libxgboost; 0: none"},
    {"depth",      0,   NEY_KIND_INT,    AT(depth),      6,    1,     30,   "D",       NULL,
     "most splits between the root of a tree and a leaf"},
    {"learning-rate", 0, NEY_KIND_REAL,  AT(learning_rate), 0.1, 1e-4, 1,   "R",       NULL,
     "factor of each tree: smaller values need more rounds"},
    {"subsample",  0,   NEY_KIND_REAL,   AT(subsample),  0.8,  0.01,  1,    "S",       NULL,
     "share of the rows that each tree is grown on, drawn at random"},
    {"min-child",  0,   NEY_KIND_REAL,   AT(min_child),  0.05,    0,     1e9,  "W",       NULL,
     "least sum of the curvatures of the loss in a leaf: 0.25 for a row of probability 1/2, near 0 for one of probability near 0 or 1"},
    {"validation", 0,   NEY_KIND_REAL,   AT(validation), NONE, 0,     0.9,  "SHARE",   NULL,
     "share of the rows held out for validation checks during training; default: none of small data, about 5000 rows per class of large data"},
    {"memory",     0,   NEY_KIND_REAL,   AT(memory),     0,    0,     1e9,  "MB",      NULL,
     "memory in MB. --method online reads larger data in blocks from a temporary file; 0: 50 % of RAM. Other methods keep arrays beyond a quarter of it in temporary files and return their pages to the system when the process exceeds the limit, which it can do briefly; 0: no limit. Never changes a result"},
    {"no-fingerprint", 0, NEY_KIND_FLAG, AT(no_fingerprint), 0, 0,    1,    NULL,      NULL,
     "store no hashes of training rows in the model: update, certify and evaluate then do not recognise rows that were used in training"},
    {"checkpoint", 0,   NEY_KIND_TEXT,   AT(checkpoint), 0,    0,     0,    "FILE",    NULL,
     "save the state of the run in FILE at intervals, so that --resume can continue after an interruption"},
    {"checkpoint-every", 0, NEY_KIND_REAL, AT(checkpoint_every), 60, 0, 1e9, "SECONDS", NULL,
     "seconds between two checkpoints"},
    {"resume",     0,   NEY_KIND_FLAG,   AT(resume),     0,    0,     1,    NULL,      NULL,
     "continue from the checkpoint if it exists; the model equals that of an uninterrupted run"},
    NEY_GOALS(NEY_GOAL_NOTHING, GOAL_OPTION)
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
    return ney_request_resolve(&o, opts, "C " NEY_AUTO_KERNEL, err); /* ney_fit() chooses them */
}

ney_status ney_train_check_missing(const ney_train_opts *opts, ney_missing missing, ney_error *err)
{
    ney_train_opts o;
    const ney_status st = ney_request_resolve(&o, opts, NEY_AUTO_KERNEL, err);
    if (st != NEY_OK) {
        return st;
    }
    const ney_request r = ney_request_of(&o);
    return ney_request_check_missing(&r, missing, err);
}

ney_status ney_request_check_missing(const ney_request *r, ney_missing missing, ney_error *err)
{
    const ney_family *const family = r->family;
    const bool scores_gaps = /* a bounded FDR begins with an SVM */
        family && family->takes_missing && r->kind != NEY_GOAL_FDR;
    if (missing != NEY_MISSING_KEEP || scores_gaps) {
        return NEY_OK;
    }
    return ney_fail(
        err, NEY_EINVAL,
        "--missing keep applies to convert and to trees: a model of family '%s'%s needs "
        "a number in every cell; expected error, mean, median or indicator",
        family ? family->name : "linear", r->kind == NEY_GOAL_FDR ? " with --max-fdr" : "");
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
