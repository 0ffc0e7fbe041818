/* neyman evaluate: the error rates of a model, or of any scores, on labelled rows. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "band.h"
#include "commands.h"
#include "communication.h"
#include "curve_plot.h"
#include "evaluate.h"
#include "evidence.h"
#include "groups.h"
#include "model_json.h"
#include "output.h"
#include "plotting.h"
#include "rates.h"
#include "result.h"
#include "summary.h"

typedef struct evaluate_args {
    double threshold; /* NAN when not given */
    const char *thresholds;
    double cost_fn, cost_fp, reject_cost, reject_cost_fn, reject_cost_fp; /* NAN when not given */
    double partial;
    int curve; /* curve_kind */
    const char *output;
    bool conformal;
    double confidence;
    double prevalence; /* NAN when not given */
    const char *by;
} evaluate_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(evaluate_args, field)
    /* name         flag kind             offset          default      low       high     arg     choices help */
    {"threshold",   0,  NEY_KIND_REAL,   AT(threshold),  (double)NAN, -DBL_MAX, DBL_MAX, "T",    NULL, "classify scores of at least T as positive; default: the threshold of the model, 0 for a score file"},
    {"thresholds",  0,  NEY_KIND_TEXT,   AT(thresholds), 0,           0,        0,       "LOW,HIGH", NULL, "reject option: positive from HIGH, negative below LOW, rejected between"},
    {"cost-fn",     0,  NEY_KIND_REAL,   AT(cost_fn),    (double)NAN, 0,        1e12,    "COST", NULL, "cost of a false negative; with any cost the result has the mean cost per row; default 1, or the cost in a model with a reject option"},
    {"cost-fp",     0,  NEY_KIND_REAL,   AT(cost_fp),    (double)NAN, 0,        1e12,    "COST", NULL, "cost of a false positive; default as for --cost-fn"},
    {"reject-cost", 0,  NEY_KIND_REAL,   AT(reject_cost), (double)NAN, 0,       1e12,    "COST", NULL, "cost of a rejected row; default 0, or the cost in a model with a reject option"},
    {"reject-cost-fn", 0, NEY_KIND_REAL, AT(reject_cost_fn), (double)NAN, 0,    1e12,    "COST", NULL, "cost of a rejected positive row, if it differs from --reject-cost"},
    {"reject-cost-fp", 0, NEY_KIND_REAL, AT(reject_cost_fp), (double)NAN, 0,    1e12,    "COST", NULL, "cost of a rejected negative row, if it differs from --reject-cost"},
    {"partial",     0,  NEY_KIND_REAL,   AT(partial),    (double)NAN, DBL_MIN,  1,       "RATE", NULL, "also report the area under the ROC curve for false-positive rates from 0 to RATE"},
    {"curve",       0,  NEY_KIND_CHOICE, AT(curve),      CURVE_NONE,  0,        0,       "KIND", CURVE_NAMES, "write a curve as TSV (17 digits) instead of the summary"},
    {"output",      'o', NEY_KIND_TEXT,  AT(output),     0,           0,        0,       "FILE", NULL, "file for the curve; default: standard output"},
    {"conformal",   0,   NEY_KIND_FLAG,  AT(conformal),  0,           0,        0,       NULL,   NULL, "also report how often the sets of 'predict --conformal' contain the true class, and their sizes"},
    {"confidence",  0,   NEY_KIND_REAL,  AT(confidence), 0.95,        0,        1,       "P",    NULL, "confidence of these sets"},
    {"prevalence",  0,   NEY_KIND_REAL,  AT(prevalence), (double)NAN, 0,        1,       "P",    NULL, "share of positives where the model is used: predictive values, F1, MCC and cost are those at this share instead of that of the rows"},
    {"by",          0,   NEY_KIND_TEXT,  AT(by),         0,           0,        0,       "COLUMN", NULL, "also report FPR and FNR for each value of this column of DATA, which is not a feature of the model, or of the score file, and flag values whose rate exceeds the model's bound (Holm's correction)"},
#undef AT
};
/* clang-format on */

static const option_set own_options = {.title = "Decisions, costs and curves",
                                       .rows = own_rows,
                                       .n_rows = COUNT(own_rows),
                                       .bytes = sizeof(evaluate_args)};

/* The costs given, else those of a model with a reject option, else 1. */
static ney_costs choose_costs(const evaluate_args *args, const evidence *in)
{
    const ney_model *m = in->of_model.model;
    const double fn = summary_number(m, "reject_cost_fn"), fp = summary_number(m, "reject_cost_fp");
    const bool rejects = !isnan(fn);

    return (ney_costs){
        .fn = first_given(args->cost_fn, rejects ? summary_number(m, "cost_fn") : NAN, 1),
        .fp = first_given(args->cost_fp, rejects ? summary_number(m, "cost_fp") : NAN, 1),
        .reject_fn = first_given(first_given(args->reject_cost_fn, args->reject_cost, fn), 0, 0),
        .reject_fp = first_given(first_given(args->reject_cost_fp, args->reject_cost, fp), 0, 0)};
}

static bool wants_cost(const session *s, const evidence *in)
{
    static const char *const names[] = {"cost-fn", "cost-fp", "reject-cost", "reject-cost-fn",
                                        "reject-cost-fp"};
    bool given = !isnan(summary_number(in->of_model.model, "reject_cost_fn"));

    for (int64_t k = 0; k < COUNT(names); k++) {
        given = given || option_given(s->call, names[k]);
    }
    return given;
}

/* Scores that the threshold of score files, 0, does not divide, such as probabilities. */
static void warn_one_sided(ney_result *root, const evidence *in, const band *b)
{
    double low = (double)INFINITY, high = -(double)INFINITY;

    for (int64_t i = 0; i < in->n; i++) {
        low = fmin(low, in->score[i]);
        high = fmax(high, in->score[i]);
    }
    if (in->n > 0 && b->low == b->high && (low >= b->high || high < b->low)) {
        ney_result_warn(root,
                        "all scores are from %.6g to %.6g, %s the default threshold %g: "
                        "state --threshold%s",
                        low, high, high < b->low ? "below" : "at or above", b->high,
                        low >= 0 && high <= 1 ? " (0.5 for probabilities)" : "");
    }
}

/* `c` is the curve, or NULL; it is part of the result unless a file has it. */
static ney_status report(session *s, const evidence *in, const ney_roc *roc, const curve *c,
                         const band *b)
{
    const evaluate_args *args = options_of(s->call, &own_options);
    ney_result *root = result_new();
    char kind[32];
    const ney_costs costs = choose_costs(args, in);
    const figure_opts opts = {.costs = wants_cost(s, in) ? &costs : NULL,
                              .partial = args->partial,
                              .conformal = args->conformal,
                              .confidence = args->confidence,
                              .prevalence = args->prevalence};
    ney_status st = add_figures(s, root, in, roc, b, &opts);

    if (st == NEY_OK && args->by) {
        st = add_subgroups(s, root, in, args->by, b);
    }

    if (st != NEY_OK) {
        ney_result_free(root);
        return st;
    }
    if (!in->group) {
        groups_warn_missing(root, in->of_model.model);
    }
    if (in->of_model.out_of_fold > 0 || in->of_model.in_sample) {
        mark_training_rows(root, in);
    }
    if (in->of_model.partly_seen) {
        ney_warn_reuse(root, &in->of_model.reuse, "rows", "training");
    }
    if (in->n_seen > 0) {
        ney_result_warn(
            root,
            "%lld of %lld rows are marked in column seen as used in training: their rates "
            "are optimistic",
            (long long)in->n_seen, (long long)in->n);
    }
    if (in->of_model.reuse.reused) {
        ney_result_add_int(root, "rows_seen", count_reused(&in->of_model.reuse));
    }
    ney_result_add_real(root, "seconds", session_seconds(s));
    communication_add(s, root);
    if (c && word_at(CURVE_NAMES, (int)c->kind, kind, sizeof kind)) {
        ney_result_add_text(root, "curve_kind", kind);
        ney_result_add_int(root, "curve_points", c->n);
    }
    if (c && output_is_stdout(args->output)) {
        curve_add(c, root);
    } else if (c) {
        ney_result_add_text(root, "output", args->output);
    }
    add_evaluation_headline(root, in, s, b);
    if (isnan(args->threshold) && !args->thresholds) { /* the decisions are the model's */
        add_verdicts(root, in);
        if (!in->of_model.model) {
            warn_one_sided(root, in, b);
        }
    }
    result_print(s, root);
    return NEY_OK;
}

static bool is_certified(const ney_model *model)
{
    return !isnan(model_number(model, NEY_METADATA_CERTIFICATE, "fpr_max_rate")) ||
           !isnan(model_number(model, NEY_METADATA_CERTIFICATE, "fnr_max_rate"));
}

static ney_status draw_chart(session *s, const evidence *in, const ney_roc *roc, const band *b)
{
    const evaluate_args *args = options_of(s->call, &own_options);
    const scored *const m = &in->of_model;
    const bool own = m->model && isnan(args->threshold) && !args->thresholds;
    const curve_kind kind = args->curve != CURVE_NONE ? (curve_kind)args->curve : curve_to_plot(b);
    curve c;
    ney_status st = curve_init(&c, kind, s, in, roc, b);

    if (st == NEY_OK) {
        const curve_chart chart = {.curve = &c,
                                   .at = ney_count(in->score, in->label, in->n, b->low, b->high),
                                   .max_fpr = summary_number(m->model, "max_fpr"),
                                   .max_fnr = summary_number(m->model, "max_fnr"),
                                   .certified = own && is_certified(m->model),
                                   .is_sample = !in->group && !m->in_sample && !m->partly_seen &&
                                                m->out_of_fold == 0 && in->n_seen <= 0};
        st = curve_plot(s, &chart);
    }
    curve_deinit(&c);
    return st;
}

/* With TSV on standard output no summary is printed. */
static ney_status write_curve(session *s, const evidence *in, const ney_roc *roc, const band *b)
{
    const evaluate_args *args = options_of(s->call, &own_options);
    const bool to_stdout = output_is_stdout(args->output);
    curve c;
    ney_status st = curve_init(&c, (curve_kind)args->curve, s, in, roc, b);

    if (st == NEY_OK && (!to_stdout || !s->common->json)) {
        st = curve_write(&c, args->output, &s->err);
    }
    if (st == NEY_OK && (!to_stdout || s->common->json)) {
        st = report(s, in, roc, &c, b);
    }
    curve_deinit(&c);
    return st;
}

/* The rows of a curve are written, unless a chart of it is all that is asked for. */
static bool writes_curve(const invocation *call)
{
    const evaluate_args *args = options_of(call, &own_options);

    return args->curve != CURVE_NONE && (args->output || !plotting_is_asked(call));
}

static int evaluate(session *s, const evidence *in)
{
    const evaluate_args *args = options_of(s->call, &own_options);
    ney_roc *roc;
    band b;
    const ney_costs costs = choose_costs(args, in);
    const int code = band_choose(s, &b, in, args->threshold, args->thresholds, &costs);
    int64_t n_pos, n_neg;

    if (code != EXIT_OK) {
        return code;
    }
    if (in->group && !isnan(args->prevalence)) {
        return session_misused(s, "--prevalence assumes independent rows, and these have groups: "
                                  "leave --prevalence out");
    }
    if (args->conformal &&
        !(in->of_model.model && ney_model_calibrated(in->of_model.model, &n_pos, &n_neg))) {
        return session_misused(s, "--conformal needs a model of 'neyman train --conformal'");
    }
    if (!(b.low < b.high) && (!isnan(args->reject_cost) || !isnan(args->reject_cost_fn) ||
                              !isnan(args->reject_cost_fp))) {
        return session_misused(s, "--%s applies to models that reject rows, or to --thresholds",
                               !isnan(args->reject_cost)      ? "reject-cost"
                               : !isnan(args->reject_cost_fn) ? "reject-cost-fn"
                                                              : "reject-cost-fp");
    }
    const bool plots = plotting_is_asked(s->call);
    const bool roc_alone = plots && args->curve == CURVE_NONE && !(b.low < b.high);
    if (((args->curve != CURVE_NONE && args->curve < CURVE_RISK_COVERAGE) || roc_alone) &&
        (in->n_pos == 0 || in->n_neg == 0)) {
        return refuse_one_class(s, in);
    }
    ney_status st = ney_roc_new(&roc, &s->env, in->score, in->label, in->n, &s->err);
    if (st == NEY_OK && plots) {
        st = draw_chart(s, in, roc, &b);
    }
    if (st == NEY_OK && writes_curve(s->call)) {
        st = write_curve(s, in, roc, &b);
    } else if (st == NEY_OK) {
        st = report(s, in, roc, NULL, &b);
    }
    ney_roc_free(roc);
    return st == NEY_OK ? EXIT_OK : session_fail(s, st);
}

static int run(session *s)
{
    const evaluate_args *args = options_of(s->call, &own_options);
    evidence in = {0};

    if (args->by) { /* the column is read as ids are: not a feature, its text kept */
        ((ney_read_opts *)options_edit(s->call, &read_options))->id = args->by;
    }
    const ney_status st = output_check(args->output, &s->err);
    int code = st == NEY_OK ? plotting_check(s) : session_fail(s, st);
    if (code == EXIT_OK) {
        code = evidence_read(&in, s, args->by != NULL);
    }
    if (code == EXIT_OK) {
        communication_count(s);
    }
    if (code == EXIT_OK && session_writes()) { /* it has the scores of all processes */
        code = evaluate(s, &in);
    }
    evidence_deinit(&in);
    return code;
}

static bool has_conformal(const invocation *call)
{
    return ((const evaluate_args *)options_of(call, &own_options))->conformal;
}

static bool has_curve(const invocation *call)
{
    return ((const evaluate_args *)options_of(call, &own_options))->curve != CURVE_NONE;
}

/* Whether a summary is printed. */
static bool has_summary(const invocation *call)
{
    const evaluate_args *args = options_of(call, &own_options);
    const common_opts *common = options_of(call, &common_options);

    return !writes_curve(call) || common->json || !output_is_stdout(args->output);
}

/* The curve error-reject depends on the costs. */
static bool has_costs(const invocation *call)
{
    const evaluate_args *args = options_of(call, &own_options);

    return has_summary(call) || plotting_is_asked(call) || args->curve == CURVE_ERROR_REJECT;
}

static bool has_operating_point(const invocation *call)
{
    const evaluate_args *args = options_of(call, &own_options);

    return has_summary(call) || plotting_is_asked(call) || args->curve >= CURVE_RISK_COVERAGE;
}

static bool has_common_cost(const invocation *call)
{
    const evaluate_args *args = options_of(call, &own_options);

    return isnan(args->reject_cost_fn) || isnan(args->reject_cost_fp);
}

static bool has_data(const invocation *call)
{
    return call->n_operands > 0;
}

static const option_rule rules[] = {
    {"output", has_curve, "--curve"},
    {"partial conformal", has_summary, "the summary: with --curve, add -o FILE or --json"},
    {"confidence", has_conformal, "--conformal"},
    {"cost-fn cost-fp", has_costs, "the summary: with --curve, add -o FILE or --json"},
    {"reject-cost-fn reject-cost-fp", has_summary,
     "the summary: with --curve, add -o FILE or --json"},
    {"reject-cost", has_common_cost,
     "rejected rows unless --reject-cost-fn and --reject-cost-fp are both given"},
    {"threshold thresholds", has_operating_point,
     "the summary, --plot and the curves risk-coverage and error-reject"},
    {"prevalence by", has_summary, "the summary: with --curve, add -o FILE or --json"},
    {"format na no-header zero-based", has_data, "MODEL DATA, not to --from-scores"},
    PLOT_RULE,
    {NULL, NULL, NULL}};

const command command_evaluate = {
    .name = "evaluate",
    .operands = "[MODEL DATA...]",
    .group = "Using a model",
    .summary = "measure the error rates of a model, or of any scores, on labelled rows",
    .description =
        "Scores the rows of DATA with MODEL, or reads scores by --from-scores, and compares the "
        "decisions with the labels: counts, false-positive rate (FPR), false-negative rate (FNR), "
        "true-positive rate (TPR), sensitivity, specificity, predictive values, error rate, "
        "false-discovery rate (FDR), share of rejected "
        "rows, area under the ROC curve. Each rate has an exact 95 % interval (Clopper-Pearson). "
        "The result says where rows were used in training.",
    .details =
        "The interval of the area under the ROC curve is approximate. Rows on which a model of "
        "'neyman train --max-fdr' was trained are scored by the fold model that was trained "
        "without them; the threshold was chosen on them, so their rates have no intervals.\n\n"
        "Rejected rows are not errors but count in the denominators. The cost is the mean cost "
        "per row. Where rows are rejected, the result also has the share of rejected rows in each "
        "class, sensitivity and positive predictive value among the classified rows, the share of "
        "rejected rows that would have been errors (error_reject_ratio), and a table of the three "
        "outcomes.\n\n"
        "Sensitivity, specificity and predictive values are proportions with exact intervals. "
        "Likelihood ratios, F1 and MCC are functions of sensitivity and specificity: their ranges "
        "are over the joint 95 % Clopper-Pearson rectangle of the two, which contains the true "
        "value with at least 95 % confidence at the share of positives of these rows, or at "
        "--prevalence. Rejected rows are left out of these figures.\n\n"
        "If the model was trained for a bound on a rate and none of the rows was used in "
        "training, the result says whether the bound is confirmed (the 95 % interval is within "
        "it), refuted (the interval is beyond it) or open. If the model has calibrated "
        "probabilities, the result has their Brier score, log loss and reliability curve.\n\n"
        "--curve writes one line per threshold: roc and hull (threshold fpr tpr fp tp), pr "
        "(threshold recall precision), det (threshold fpr fnr and their normal quantiles), cost "
        "(the lowest normalised expected cost as a function of the positives' share of "
        "probability times cost, with its threshold), risk-coverage (error rate among the rows "
        "farthest from the threshold), error-reject (error rate and share of rejected rows as the "
        "rejection band grows: distance 1 is the band of the model; ratio is the share of errors "
        "among the next rows to be rejected, mean_ratio among all rejected so far). With -o the "
        "summary is printed too; with --json the columns are arrays in 'curve'.",
    .everyday =
        "from-scores threshold thresholds cost-fn cost-fp curve output plot label positive group "
        "json help",
    .examples = {{"Rates with intervals:", "neyman evaluate spam.model test.csv"},
                 {"The false-positive rate, for a script:",
                  "neyman evaluate spam.model test.csv --json | jq .fpr"},
                 {"Scores of another program, with costs:",
                  "neyman evaluate --from-scores scores.tsv --threshold 0.5 --cost-fp 10"},
                 {"With a rejection band:",
                  "neyman evaluate --from-scores scores.tsv --thresholds 0.2,0.8"},
                 {"Error rate against reject rate:",
                  "neyman evaluate careful.model test.csv --curve error-reject -o curve.tsv"},
                 {"The ROC curve, to plot:",
                  "neyman evaluate spam.model test.csv --curve roc -o roc.tsv"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_INTERRUPTED},
    .sets = {&source_options, &own_options, &plot_options, &read_options, &target_options},
    .omit = "weight id keep ignore words missing max-categories",
    .rules = rules,
    .distributed = true,
    .run = run,
};
