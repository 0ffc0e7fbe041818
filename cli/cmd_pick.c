/* neyman pick: extract a model from a path. */
#include <math.h>
#include <string.h>

#include "commands.h"
#include "model_json.h"
#include "output.h"
#include "path_data.h"
#include "result.h"
#include "summary.h"

typedef struct pick_args {
    double cost_fn, cost_fp, max_fpr, max_fnr;
    const char *at, *output;
    bool no_fingerprint;
} pick_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(pick_args, field)
#define NONE ((double)NAN)
    /* name     flag kind           offset       default low    high  arg      choices help */
    {"cost-fn", 0,   NEY_KIND_REAL, AT(cost_fn), NONE,   1e-12, 1e12, "X",     NULL, "cost of a false negative: pick the classifier with the lowest cost; default 1 if only one cost is given"},
    {"cost-fp", 0,   NEY_KIND_REAL, AT(cost_fp), NONE,   1e-12, 1e12, "Y",     NULL, "cost of a false positive; default 1 if only one cost is given"},
    {"max-fpr", 0,   NEY_KIND_REAL, AT(max_fpr), NONE,   0,     1,    "RATE",  NULL, "pick the classifier with the highest TPR whose FPR was at most RATE on the rows that chose; not a certificate"},
    {"max-fnr", 0,   NEY_KIND_REAL, AT(max_fnr), NONE,   0,     1,    "RATE",  NULL, "pick the classifier with the lowest FPR whose FNR was at most RATE on the rows that chose; not a certificate"},
    {"at",      0,   NEY_KIND_TEXT, AT(at),      0,      0,     0,    "C+ C-", NULL, "pick the solution at these costs, which must lie on one of the lines"},
    {"output", 'o',  NEY_KIND_TEXT, AT(output),  0,      0,     0,    "MODEL", NULL, "file for the model; -: standard output"},
    {"no-fingerprint", 0, NEY_KIND_FLAG, AT(no_fingerprint), 0, 0, 0, NULL, NULL, "store no hashes of training rows in the model, as for 'neyman train'"},
#undef NONE
#undef AT
};
/* clang-format on */

static const option_set own_options = {.title = "Choice of the model",
                                       .rows = own_rows,
                                       .n_rows = COUNT(own_rows),
                                       .bytes = sizeof(pick_args)};

static double or_one(double value)
{
    return isnan(value) ? 1 : value;
}

/* The choices go up the envelope: the first one with an FNR within the bound has the lowest FPR. */
static int64_t find_within_fnr(const ney_choice *choice, int64_t n, double max_fnr)
{
    for (int64_t k = 0; k < n; k++) {
        if (1 - choice[k].tpr <= max_fnr) {
            return k;
        }
    }
    return -1;
}

static bool has_bound(const pick_args *args)
{
    return !isnan(args->max_fpr) || !isnan(args->max_fnr);
}

static const char *bound_name(const pick_args *args)
{
    return isnan(args->max_fpr) ? "fnr" : "fpr";
}

static double bound_of(const pick_args *args)
{
    return isnan(args->max_fpr) ? args->max_fnr : args->max_fpr;
}

/* The index of the choice; -1 after a report that there is none. */
static int64_t find_choice(session *s, const ney_path *path, int *code)
{
    const pick_args *args = options_of(s->call, &own_options);
    int64_t n;
    double share;
    const ney_choice *choice = ney_path_choices(path, &n, &share);

    if (n == 0) {
        *code =
            session_bad_input(s, s->call->operands[0],
                              "has no choices, because it was made by 'neyman path'; expected a "
                              "path of 'neyman roc --save-path', or --at C+ C-");
        return -1;
    }
    const int64_t k = !isnan(args->max_fnr) ? find_within_fnr(choice, n, args->max_fnr)
                      : !isnan(args->max_fpr)
                          ? ney_path_within(path, args->max_fpr)
                          : ney_path_cheapest(path, or_one(args->cost_fn), or_one(args->cost_fp));
    if (k < 0) {
        s->err = (ney_error){.code = NEY_EGOAL};
        snprintf(s->err.message, sizeof s->err.message,
                 "no classifier of the path has a false-%s rate of %g or less",
                 isnan(args->max_fpr) ? "negative" : "positive", bound_of(args));
        *code = report_error(&s->err, EXIT_GOAL, s->common->json, NULL);
        return -1;
    }
    session_say(s, NEY_LOG_INFO,
                "choice %lld of %lld: FPR %.4g, TPR %.4g on the rows that chose it",
                (long long)k + 1, (long long)n, choice[k].fpr, choice[k].tpr);
    return k;
}

static void add_headline(const session *s, ney_result *root, const ney_choice *choice)
{
    const pick_args *args = options_of(s->call, &own_options);
    double plus = 0, minus = 0;
    char model[SHELL_WORD];

    (void)ney_result_get_real(root, "c_plus", &plus);
    (void)ney_result_get_real(root, "c_minus", &minus);
    ney_result_headline(root, "Picked the %s, trained at C+ = %.4g, C- = %.4g.",
                        !choice                ? "solution at these costs"
                        : !has_bound(args)     ? "classifier with the lowest cost"
                        : isnan(args->max_fpr) ? "classifier with the lowest FPR within the bound"
                                               : "classifier with the highest TPR within the bound",
                        plus, minus);
    if (choice) {
        ney_result_headline(root,
                            "On the rows that chose it (optimistic): flags %.3g %% of negatives, "
                            "detects %.3g %% of positives.",
                            100 * choice->fpr, 100 * choice->tpr);
    }
    shell_word(model, args->output);
    summary_next(s, root, "neyman evaluate %s TEST  (TEST: labelled rows not used in training)",
                 model);
}

/* What a random choice between this classifier and the next of the envelope would reach at the
 * bound. A model is one classifier: see doc/adr/0062. */
static void add_mixture(const session *s, ney_result *root, const ney_choice *choice,
                        const ney_choice *next)
{
    const pick_args *args = options_of(s->call, &own_options);
    const bool by_fpr = !isnan(args->max_fpr);
    const double from = by_fpr ? choice->fpr : 1 - choice->tpr;
    const double to = by_fpr ? next->fpr : 1 - next->tpr;
    const double share = (bound_of(args) - from) / (to - from);

    if (!(share > 1e-9 && share < 1)) { /* rounding of rates makes less of a bound that is met */
        return;
    }
    const double fpr = choice->fpr + share * (next->fpr - choice->fpr);
    const double tpr = choice->tpr + share * (next->tpr - choice->tpr);
    ney_result_add_real(root, "mixture_share", share);
    ney_result_add_real(root, "mixture_fpr", fpr);
    ney_result_add_real(root, "mixture_fnr", 1 - tpr);
    ney_result_headline(root,
                        "A random %.3g %% of rows left to the next classifier would give %.3g %% "
                        "of negatives flagged and %.3g %% of positives detected. No such model is "
                        "made: a row has one answer, not one that chance decides.",
                        100 * share, 100 * fpr, 100 * tpr);
}

static void report(const session *s, const ney_model *model, const ney_choice *choice,
                   const ney_choice *next)
{
    const pick_args *args = options_of(s->call, &own_options);
    ney_result *root = result_new();

    add_summary(root, model);
    path_warn_residual(root, model_number(model, NEY_METADATA_SUMMARY, "kkt_residual"));
    double low, high;
    ney_model_thresholds(model, &low, &high);
    ney_result_add_real(root, "threshold", high);
    if (choice && has_bound(args)) {
        ney_result_warn(
            root,
            "the bound of %g is met on the rows that chose this classifier only: on new data "
            "the %s may exceed it. To certify it on held-out rows: neyman "
            "predict %s HELD --seen -o held.tsv && neyman certify held.tsv --max-%s %g "
            "--model %s -o CERTIFIED",
            bound_of(args), isnan(args->max_fpr) ? "FNR" : "FPR", args->output, bound_name(args),
            bound_of(args), args->output);
    } else if (choice) {
        ney_result_warn(root, "fpr and fnr are of the rows that chose this classifier: they are "
                              "optimistic; use 'neyman evaluate' on other rows");
    }
    if (choice) {
        ney_result_add_text(root, "rates_on", "the rows that the choice was made by");
        ney_result_add_real(root, "fpr", choice->fpr);
        ney_result_add_real(root, "fnr", 1 - choice->tpr);
        if (!(choice->tpr > choice->fpr)) {
            ney_result_warn(
                root,
                "detects %.3g %% of positives and flags %.3g %% of negatives of the rows "
                "that the choice was made by: no better than chance; other features, a "
                "kernel or a looser bound may help",
                100 * choice->tpr, 100 * choice->fpr);
        }
    }
    ney_result_add_real(root, "seconds", session_seconds(s));
    ney_result_add_text(root, "model", args->output);
    add_headline(s, root, choice);
    if (next) {
        add_mixture(s, root, choice, next);
    }
    result_print(s, root);
}

static int pick(session *s, ney_path *path)
{
    const pick_args *args = options_of(s->call, &own_options);
    ney_model *model = NULL;
    ney_choice choice = {.threshold = 0};
    const ney_choice *next = NULL; /* on the other side of the bound */
    double at[2];
    int code = EXIT_OK;

    if (args->at) {
        ney_error why;
        if (!option_pair(args->at, "at", at, &why)) {
            return session_misused(s, "%s", why.message);
        }
        choice.c = (ney_cost_pair){at[0], at[1]};
    } else {
        const int64_t k = find_choice(s, path, &code);
        if (k < 0) {
            return code;
        }
        int64_t n;
        double share;
        const ney_choice *const all = ney_path_choices(path, &n, &share);
        const int64_t beyond = isnan(args->max_fpr) ? k - 1 : k + 1;
        choice = all[k];
        next = has_bound(args) && beyond >= 0 && beyond < n ? &all[beyond] : NULL;
    }
    ney_status st = ney_path_model(&model, path, choice.c, &s->err);
    if (st == NEY_OK) {
        st = ney_model_set_thresholds(model, choice.threshold, choice.threshold, &s->err);
    }
    if (st == NEY_OK && !args->no_fingerprint) {
        st = ney_model_add_training_rows(model, ney_path_data(path), &s->err);
    }
    if (st == NEY_OK) {
        st = session_write_model(s, model, args->output);
    }
    if (st != NEY_OK) {
        code = session_fail(s, st);
    } else {
        code = path_exit(model_number(model, NEY_METADATA_SUMMARY, "kkt_residual"));
        if (!output_is_stdout(args->output)) {
            report(s, model, args->at ? NULL : &choice, next);
        }
    }
    ney_model_free(model);
    return code;
}

static int run(session *s)
{
    const pick_args *args = options_of(s->call, &own_options);
    const bool costs = !isnan(args->cost_fn) || !isnan(args->cost_fp);
    ney_path *path = NULL;
    ney_status st;

    if (costs + !isnan(args->max_fpr) + !isnan(args->max_fnr) + (args->at != NULL) != 1) {
        return session_misused(
            s, "expected one of --cost-fn/--cost-fp, --max-fpr, --max-fnr and --at");
    }
    int code = output_check_json(s, args->output, "a model");
    if (code != EXIT_OK) {
        return code;
    }
    if ((st = output_check(args->output, &s->err)) != NEY_OK ||
        (st = ney_path_read(&path, &s->env, s->call->operands[0], &s->err)) != NEY_OK) {
        return session_fail(s, st);
    }
    code = pick(s, path);
    ney_path_free(path);
    return code;
}

const command command_pick = {
    .name = "pick",
    .operands = "PATH",
    .required = "output",
    .group = "Trade-off of the two errors",
    .summary = "extract a model from a path, without training",
    .description =
        "PATH is a file of 'neyman path' or of 'neyman roc --save-path'. With --at C+ C- the "
        "model is the solution at these costs, which must lie on one of its lines. A path of "
        "'neyman roc' also has choices: with costs the classifier with the lowest cost on the "
        "validation rows is picked, with --max-fpr or --max-fnr the best one that met the bound on "
        "these rows.",
    .details =
        "The choices are the vertices of the upper convex envelope of all classifiers in the ROC "
        "plane, measured on the validation rows. The classifier with the lowest cost need not "
        "have been trained at these costs. Rates on the rows that chose are optimistic and have "
        "no interval: use 'neyman evaluate' on other rows, or 'neyman certify' for a bound that "
        "holds on new data. Between two vertices the envelope is a random choice between two "
        "classifiers; a model is one score function with one threshold and cannot be that, so "
        "the vertex that keeps the bound is picked.",
    .examples = {{"A false negative costs five false positives:",
                  "neyman pick all.path --cost-fn 5 --cost-fp 1 -o five.model"},
                 {"An FPR of at most 1 % on the rows that chose:",
                  "neyman pick all.path --max-fpr 0.01 -o careful.model"},
                 {"One point of a line:", "neyman pick c.path --at 3 3 -o three.model"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_GOAL, EXIT_UNFINISHED, EXIT_INTERRUPTED},
    .sets = {&own_options},
    .run = run,
};
