/* neyman asymmetry: the training costs that are best for given test costs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "asymmetry.h"
#include "commands.h"
#include "groups.h"
#include "labelled.h"
#include "learning.h"
#include "mixture_json.h"
#include "plotting.h"
#include "result.h"
#include "tsv.h"

enum { LOSS_SQUARE, LOSS_ERF, LOSS_HINGE };
#define LOSS_NAMES "square erf hinge"

typedef struct asymmetry_args {
    int loss;
    const char *gamma, *output, *save;
    double cost_fn, cost_fp;
    sample_opts sample;
    int scale;
} asymmetry_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(asymmetry_args, field)
    /* name         flag kind             offset          default low    high   arg      choices help */
    {"loss",         0,  NEY_KIND_CHOICE, AT(loss),       0,   0,     0,     "LOSS",  LOSS_NAMES,
        "training loss, evaluated on the densities; hinge on DATA is evaluated on held-out rows"},
    {"gamma",        0,  NEY_KIND_TEXT,   AT(gamma),      0,   0,     0,     "G1,G2,...", NULL,
        "training asymmetries C+ / (C+ + C-) to compute, 0 to 1; default: about 100 values, 31 for hinge on DATA"},
    {"for-cost-fn",  0,  NEY_KIND_REAL,   AT(cost_fn),    NAN, 1e-12, 1e12,  "X",     NULL,
        "test cost of a false negative; default 1 if only one cost is given"},
    {"for-cost-fp",  0,  NEY_KIND_REAL,   AT(cost_fp),    NAN, 1e-12, 1e12,  "Y",     NULL,
        "test cost of a false positive; default 1 if only one cost is given"},
    {"output",      'o', NEY_KIND_TEXT,   AT(output),     0,   0,     0,     "FILE",  NULL,
        "file for the curve as TSV; -: standard output"},
    {"save-mixture", 0,  NEY_KIND_TEXT,   AT(save),       0,   0,     0,     "FILE",  NULL,
        "file for the mixture that was fitted to DATA, as JSON"},
    {"C",           'C', NEY_KIND_REAL,   AT(sample.C),   1,   1e-12, 1e12,  "X",     NULL,
        "weight of the hinge loss: C+ = 2 X gamma, C- = 2 X (1 - gamma)"},
    {"splits",       0,  NEY_KIND_INT,    AT(sample.splits), 10, 1,   1000,  "N",     NULL,
        "number of random halves of DATA to train on; the other halves are for evaluation"},
    SCALE_ROW(AT(scale)),
#undef AT
};
/* clang-format on */

static const option_set own_options = {.title = "Costs and curves",
                                       .topics = scale_topics,
                                       .rows = own_rows,
                                       .n_rows = COUNT(own_rows),
                                       .bytes = sizeof(asymmetry_args)};

static const option_set fit_options = {
    .title = "Densities of DATA", .from = ney_mixture_params, .bytes = sizeof(ney_mixture_opts)};

/* ------------------------------------------------------------------ the gammas */

enum { MOST_GAMMAS = 100000 };

/* Numbers separated by commas. NULL after a report; *n is their number. */
static double *parse_gammas(session *s, const char *text, int64_t *n)
{
    double *list = malloc((strlen(text) / 2 + 1) * sizeof *list);

    *n = 0;
    for (const char *at = text; list; at++) {
        char *end;
        const double value = strtod(at, &end);
        if (end == at || (*end && *end != ',') || !(value >= 0 && value <= 1) ||
            *n == MOST_GAMMAS) {
            session_misused(s, "--gamma = %.60s, expected numbers from 0 to 1 separated by commas",
                            text);
            free(list);
            return NULL;
        }
        list[(*n)++] = value;
        at = end;
        if (!*end) {
            return list;
        }
    }
    session_fail(s, out_of_memory(&s->err, "the values of --gamma"));
    return NULL;
}

/* 0.01 to 0.99 in steps of 0.01, and values near 0 and 1; from data, even steps of log odds from
 * -4.6 to 4.6. */
static double *default_gammas(session *s, bool from_data, int64_t *n)
{
    static const double ends[] = {1e-12, 1e-9, 1e-6, 1e-4, 1e-3};
    const int64_t n_ends = COUNT(ends), n_data = 31;
    double *list = malloc((size_t)(99 + 2 * n_ends) * sizeof *list);

    if (!list) {
        session_fail(s, out_of_memory(&s->err, "the values of gamma"));
        return NULL;
    }
    if (from_data) {
        for (int64_t k = 0; k < n_data; k++) {
            list[k] = 1 / (1 + exp(-log(99) * (2 * (double)k / (double)(n_data - 1) - 1)));
        }
        *n = n_data;
        return list;
    }
    *n = 99 + 2 * n_ends;
    for (int64_t k = 0; k < 99; k++) {
        list[n_ends + k] = (double)(k + 1) / 100;
    }
    for (int64_t k = 0; k < n_ends; k++) {
        list[k] = ends[k];
        list[*n - 1 - k] = 1 - ends[k];
    }
    return list;
}

/* ------------------------------------------------------------------ running */

static int check_args(session *s, const asymmetry_args *args)
{
    const bool out_stdout = args->output && output_is_stdout(args->output);
    ney_status st = NEY_OK;

    if (out_stdout && s->common->json) {
        return session_misused(s, "--json and the curve cannot share standard output");
    }
    if ((args->output && (st = output_check(args->output, &s->err)) != NEY_OK) ||
        (args->save && (st = output_check(args->save, &s->err)) != NEY_OK)) {
        return session_fail(s, st);
    }
    return plotting_check(s);
}

/* The test costs: 1:9 and 9:1, unless some are given. */
static void set_test_costs(findings *f, const asymmetry_args *args)
{
    if (isnan(args->cost_fn) && isnan(args->cost_fp)) {
        f->advice[0] = (training_advice){.cost_fn = 1, .cost_fp = 9};
        f->advice[1] = (training_advice){.cost_fn = 9, .cost_fp = 1};
        f->n_advice = 2;
        return;
    }
    f->advice[0] = (training_advice){.cost_fn = isnan(args->cost_fn) ? 1 : args->cost_fn,
                                     .cost_fp = isnan(args->cost_fp) ? 1 : args->cost_fp};
    f->n_advice = 1;
}

static int read_data(session *s, const asymmetry_args *args, ney_data **data)
{
    const ney_read_opts *read = options_of(s->call, &read_options);
    const char *path = s->call->operands[0];

    int code = learning_check_missing(s);
    if (code != EXIT_OK) {
        return code;
    }
    ney_status st = ney_data_read_with(data, &s->env, path, read, NULL, &s->err);
    if (st != NEY_OK) {
        return session_fail(s, st);
    }
    code = groups_refuse(s, *data, "its half splits are drawn row by row");
    if (code != EXIT_OK || (code = learning_check(s, path, *data)) != EXIT_OK) {
        return code;
    }
    if (args->loss != LOSS_HINGE) { /* of which each half is scaled separately */
        st = ney_data_prepare(*data, learning_scaling(args->scale, *data), NULL, 0, &s->err);
    }
    return st == NEY_OK ? EXIT_OK : session_fail(s, st);
}

/* Options have been checked: what is still invalid is in the data. */
int findings_refuse(session *s, ney_status st)
{
    char why[sizeof s->err.message];

    if (st != NEY_EINVAL) {
        return session_fail(s, st);
    }
    snprintf(why, sizeof why, "%s", s->err.message);
    return session_bad_input(s, s->call->operands[0], "%s", why);
}

static int compute(findings *f, session *s, const asymmetry_args *args, const ney_data *data,
                   const double *gamma, int64_t n_gammas)
{
    static const ney_theory_loss losses[] = {NEY_LOSS_SQUARE, NEY_LOSS_ERF, NEY_LOSS_HINGE};
    const ney_mixture_opts *fit = options_of(s->call, &fit_options);
    ney_status st;

    if (data && args->loss == LOSS_HINGE) {
        return findings_sample(f, s, data, &args->sample, learning_scaling(args->scale, data),
                               fit->seed, gamma, n_gammas);
    }
    if (data) {
        if ((st = ney_mixture_fit_with(&f->mixture, &s->env, data, fit, &s->err)) != NEY_OK) {
            return findings_refuse(s, st);
        }
        if (args->save && (st = findings_save_mixture(f->mixture, args->save, &s->err)) != NEY_OK) {
            return session_fail(s, st);
        }
    }
    return findings_from_densities(f, s, losses[args->loss], plotting_is_asked(s->call), gamma,
                                   n_gammas);
}

/* Write the files, then print the result. */
static int write_results(session *s, const findings *f, const asymmetry_args *args,
                         const ney_data *data)
{
    const class_counts n = data ? count_classes(data) : (class_counts){0, 0};
    ney_status st = NEY_OK;

    if ((plotting_is_asked(s->call) && (st = findings_plot(f, s)) != NEY_OK) ||
        (args->output && (st = findings_write_curve(f, args->output, &s->err)) != NEY_OK)) {
        return session_fail(s, st);
    }
    if (!args->output || !output_is_stdout(args->output)) {
        findings_report(s, f, args->gamma != NULL, &n);
    }
    return EXIT_OK;
}

static int run(session *s)
{
    static const char *const names[] = {"square", "erf", "hinge"};
    const asymmetry_args *args = options_of(s->call, &own_options);
    const char *path = s->call->operands[0];
    const bool is_mixture = is_json_file(path);
    findings f = {.loss = names[args->loss]};
    ney_data *data = NULL;
    double *gamma = NULL;
    int64_t n_gammas;
    int code = check_args(s, args);

    if (code != EXIT_OK) {
        return code;
    }
    gamma = args->gamma ? parse_gammas(s, args->gamma, &n_gammas)
                        : default_gammas(s, !is_mixture && args->loss == LOSS_HINGE, &n_gammas);
    if (!gamma) {
        return s->err.code == NEY_ENOMEM ? EXIT_FAILED : EXIT_USAGE;
    }
    set_test_costs(&f, args);
    code = is_mixture ? mixture_read(&f.mixture, s, path) : read_data(s, args, &data);
    if (code == EXIT_OK) {
        code = compute(&f, s, args, data, gamma, n_gammas);
    }
    if (code == EXIT_OK) {
        code = write_results(s, &f, args, data);
    }
    free(gamma);
    findings_deinit(&f);
    ney_data_free(data);
    return code;
}

static bool has_data(const invocation *call)
{
    return !is_json_file(call->operands[0]);
}

static bool has_hinge(const invocation *call)
{
    return ((const asymmetry_args *)options_of(call, &own_options))->loss == LOSS_HINGE;
}

static bool has_half_splits(const invocation *call)
{
    return has_data(call) && has_hinge(call);
}

static bool has_fit(const invocation *call)
{
    return has_data(call) && !has_hinge(call);
}

static bool has_choice(const invocation *call)
{
    return has_fit(call) &&
           ((const ney_mixture_opts *)options_of(call, &fit_options))->components == 0;
}

static const option_rule rules[] = {
    PLOT_RULE,
    {"C splits", has_half_splits, "--loss hinge on DATA"},
    {"save-mixture components ridge max-rows", has_fit, "DATA with --loss square or erf"},
    {"max-components", has_choice,
     "DATA with --loss square or erf, where --components leaves the number open"},
    {"scale seed format label positive weight id ignore words missing rest negative na score "
     "delimiter decimal "
     "no-header zero-based "
     "max-categories max-columns max-line",
     has_data, "DATA, not to MIXTURE.json"},
    {NULL, NULL, NULL}};

const command command_asymmetry = {
    .name = "asymmetry",
    .operands = "MIXTURE.json|DATA",
    .group = "Trade-off of the two errors",
    .summary = "find the training costs that are best for given test costs",
    .description =
        "A classifier that is trained with the costs of the test is not always the best one for "
        "them: training minimises a convex loss, the test counts errors. For extreme costs the "
        "difference can be large. This command computes the training costs that are best for "
        "given test costs, and the training costs whose classifiers are optimal for no test "
        "costs. Costs are written as false negative : false positive.",
    .details =
        "gamma = C+ / (C+ + C-) stands for the training costs, and beta for the test costs in the "
        "same form. The curve has, for each gamma, the beta for which its classifier is "
        "optimal.\n\n"
        "MIXTURE.json holds the densities of both classes, mixtures of Gaussians: {\"p_pos\": "
        "0.5, \"positive\": [{\"weight\": 1, \"mean\": [0, 0], \"cov\": [[1, 0], [0, 1]]}], "
        "\"negative\": [...]}. From DATA they are fitted by expectation-maximisation, the number "
        "of components chosen by the Bayesian information criterion. Curves and answers are exact "
        "for the densities, down to gamma = 1e-12.\n\n"
        "With --loss hinge on DATA no density is assumed: support vector machines are trained at "
        "every gamma on random halves of DATA and evaluated on the other halves.",
    .everyday = "for-cost-fn for-cost-fp loss plot output label positive scale json help",
    .examples = {{"A false positive costs nine times a false negative:",
                  "neyman asymmetry mixture.json --for-cost-fn 1 --for-cost-fp 9"},
                 {"From data, with a chart:",
                  "neyman asymmetry train.svm --loss erf --plot roc.svg"},
                 {"From held-out rows, without densities:",
                  "neyman asymmetry train.svm --loss hinge"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_INTERRUPTED},
    .sets = {&own_options, &plot_options, &fit_options, &read_options},
    .omit = "decoys",
    .rules = rules,
    .run = run,
};
