/* neyman report: one self-contained page about a model on labelled rows, or about any scores. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "band.h"
#include "commands.h"
#include "evaluate.h"
#include "groups.h"
#include "report.h"
#include "report_parts.h"
#include "report_path.h"
#include "summary.h"

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(report_args, field)
    /* name         flag kind             offset          default      low       high     arg     choices help */
    {"output",      'o', NEY_KIND_TEXT,  AT(output),     0,           0,        0,       "FILE", NULL, "the page, an HTML file; - is standard output"},
    {"empty",       0,   NEY_KIND_FLAG,  AT(empty),      0,           0,        0,       NULL,   NULL, "write the page without data: a tool that reads score files in the browser"},
    {"threshold",   0,   NEY_KIND_REAL,  AT(threshold),  (double)NAN, -DBL_MAX, DBL_MAX, "T",    NULL, "positive is a score of at least T, fixed before these rows were seen; default the model's threshold, none for a score file"},
    {"thresholds",  0,   NEY_KIND_TEXT,  AT(thresholds), 0,           0,        0,       "LOW,HIGH", NULL, "three outcomes: positive from HIGH on, negative below LOW, rejected between"},
    {"max-fpr",     0,   NEY_KIND_REAL,  AT(max_fpr),    (double)NAN, DBL_MIN,  1,       "RATE", NULL, "bound on the false-positive rate that the rows are compared with; default the model's"},
    {"max-fnr",     0,   NEY_KIND_REAL,  AT(max_fnr),    (double)NAN, DBL_MIN,  1,       "RATE", NULL, "bound on the false-negative rate; default the model's"},
    {"cost-fn",     0,   NEY_KIND_REAL,  AT(cost_fn),    (double)NAN, 0,        1e12,    "COST", NULL, "cost of a false negative that the page begins with; default the model's, or 1"},
    {"cost-fp",     0,   NEY_KIND_REAL,  AT(cost_fp),    (double)NAN, 0,        1e12,    "COST", NULL, "cost of a false positive that the page begins with; default the model's, or 1"},
    {"prevalence",  0,   NEY_KIND_REAL,  AT(prevalence), (double)NAN, 0,        1,       "SHARE", NULL, "share of positives among new rows, with which the page begins; default that of the rows"},
    {"test",        0,   NEY_KIND_TEXT,  AT(test),       0,           0,        0,       "ROWS", NULL, "test rows, where the first file is a path"},
    {"importance",  0,   NEY_KIND_FLAG,  AT(importance), 0,           0,        0,       NULL,   NULL, "permutation importance of the features"},
    {"no-rows",     0,   NEY_KIND_FLAG,  AT(no_rows),    0,           0,        0,       NULL,   NULL, "leave single rows and their ids out of the page"},
#undef AT
};
/* clang-format on */

static const option_set own_options = {
    .title = "Page", .rows = own_rows, .n_rows = COUNT(own_rows), .bytes = sizeof(report_args)};

/* ------------------------------------------------------------------ thresholds, costs, bounds */

static ney_costs choose_costs(const report_args *args, const ney_model *model)
{
    return (ney_costs){.fn = first_given(args->cost_fn, summary_number(model, "cost_fn"), 1),
                       .fp = first_given(args->cost_fp, summary_number(model, "cost_fp"), 1),
                       .reject_fn = first_given(summary_number(model, "reject_cost_fn"), 0.1, 0),
                       .reject_fp = first_given(summary_number(model, "reject_cost_fp"), 0.1, 0)};
}

static int choose_rule(session *s, const evidence *in, report_rule *rule)
{
    const report_args *args = options_of(s->call, &own_options);
    const ney_model *model = in->of_model.model;
    const bool given = args->thresholds || !isnan(args->threshold);
    const ney_costs costs = choose_costs(args, model);
    band b;
    const int code = band_choose(s, &b, in, args->threshold, args->thresholds, &costs);

    *rule = (report_rule){.low = b.low,
                          .high = b.high,
                          .center = b.center,
                          .is_fixed = given || model,
                          .of_model = !given && model,
                          .costs = costs};
    return code;
}

/* ------------------------------------------------------------------ the parts of the page */

/* What the rows are to the model; NULL: new, as far as is known. */
static const char *rows_are(const evidence *in)
{
    return in->of_model.in_sample                       ? "those that the model was trained on"
           : in->of_model.out_of_fold > 0               ? "training rows, scored out of fold"
           : in->of_model.partly_seen || in->n_seen > 0 ? "partly used in training"
                                                        : NULL;
}

static ney_status add_rows(session *s, ney_result *root, const evidence *in)
{
    ney_result *rows = ney_result_add_object(root, "rows");
    int64_t n_groups = 0;
    ney_status st = NEY_OK;

    ney_result_add_text(rows, "file", in->path);
    ney_result_add_int(rows, "n", in->n);
    ney_result_add_int(rows, "n_pos", in->n_pos);
    ney_result_add_int(rows, "n_neg", in->n_neg);
    result_name(rows, "positive", in->positive);
    result_name(rows, "negative", in->negative);
    ney_result_add_text(rows, "rates_on", rows_are(in));
    ney_result_add_text(rows, "unit", in->group ? "group" : "row");
    if (in->group) {
        st = report_count_groups(s, in, &n_groups);
        ney_result_add_int(rows, "n_groups", n_groups);
    } else {
        ney_result_add_null(rows, "n_groups");
    }
    return st;
}

static void add_rule(session *s, ney_result *root, const report_rule *rule)
{
    const report_args *args = options_of(s->call, &own_options);

    if (rule->is_fixed) {
        ney_result *t = ney_result_add_object(root, "threshold");
        ney_result_add_real(t, "low", rule->low);
        ney_result_add_real(t, "high", rule->high);
        ney_result_add_real(t, "center", rule->center);
        ney_result_add_text(t, "origin", rule->of_model ? "model" : "option");
    }
    ney_result *costs = ney_result_add_object(root, "costs");
    ney_result_add_real(costs, "fn", rule->costs.fn);
    ney_result_add_real(costs, "fp", rule->costs.fp);
    ney_result_add_real(costs, "reject_fn", rule->costs.reject_fn);
    ney_result_add_real(costs, "reject_fp", rule->costs.reject_fp);
    ney_result_add_real(root, "prevalence", args->prevalence); /* null: that of the rows */
}

/* What a reader must know before the figures. */
static void add_warnings(ney_result *root, const evidence *in, const report_rule *rule)
{
    const ney_counts c = ney_count(in->score, in->label, in->n, rule->low, rule->high);

    if (in->of_model.partly_seen) {
        ney_warn_reuse(root, &in->of_model.reuse, "rows", "training");
    }
    if (!in->group) {
        groups_warn_missing(root, in->of_model.model);
    }
    if (in->n_seen > 0) {
        ney_result_warn(root,
                        "%lld of %lld rows are marked in column seen as used in training: their "
                        "rates are optimistic",
                        (long long)in->n_seen, (long long)in->n);
    }
    if (!in->group && rule->of_model && rule->low < rule->high) {
        ney_warn_rejection(root, &c, "these rows");
    } else if (!in->group && rule->of_model && ney_result_find(root, "claims.0")) {
        ney_warn_chance(root, &c, "these rows");
    }
}

/* `path` is NULL but for a path. */
static ney_status build(session *s, ney_result *root, const evidence *in, const report_path *path,
                        const report_rule *rule)
{
    const report_args *args = options_of(s->call, &own_options);
    const ney_model *model = in->of_model.model;

    ney_result_add_int(root, "format", 1);
    ney_result_add_text(root, "version", ney_version());
    ney_result_add_text(root, "source", path ? "path" : model ? "model" : "scores");
    ney_status st = add_rows(s, root, in);
    add_rule(s, root, rule);
    report_add_claims(root, rule->of_model ? model : NULL, args->max_fpr, args->max_fnr);
    add_warnings(root, in, rule);
    if (st == NEY_OK && in->group && rule->is_fixed) {
        st = report_add_group_rates(s, root, in, rule);
    }
    if (st == NEY_OK && model) {
        st = report_add_model(s, root, in, args->importance);
    }
    if (st == NEY_OK && path) {
        st = report_add_path(s, root, path, in);
    }
    if (st == NEY_OK && !args->no_rows && rule->is_fixed) {
        st = report_add_rows(s, root, in, rule);
    }
    report_add_provenance(s, root, in);
    return st;
}

/* ------------------------------------------------------------------ the result of the command */

/* A bound against the rate of rows, or against the mean over groups. */
static ney_verdict check_claim(const ney_result *page, const char *rate, double bound,
                               const evidence *in, const ney_counts *c)
{
    const bool fpr = strcmp(rate, "fpr") == 0;
    char path[64];
    double low = 0, high = 1;

    if (!in->group) {
        return ney_check_bound(fpr ? c->fp : c->fn, fpr ? in->n_neg : in->n_pos, bound, 0.95);
    }
    snprintf(path, sizeof path, "group_rates.%s.low", rate);
    (void)ney_result_get_real(page, path, &low);
    snprintf(path, sizeof path, "group_rates.%s.high", rate);
    (void)ney_result_get_real(page, path, &high);
    return high <= bound  ? NEY_VERDICT_CONFIRMED
           : low <= bound ? NEY_VERDICT_OPEN
                          : NEY_VERDICT_REFUTED;
}

/* The bounds that are stated, against the rows: the worst verdict; NULL: nothing can be compared.
 */
static const char *verdict_of(const ney_result *page, const evidence *in, const report_rule *rule)
{
    const ney_counts c = ney_count(in->score, in->label, in->n, rule->low, rule->high);
    const ney_result *claims = ney_result_find(page, "claims");
    ney_verdict worst = NEY_VERDICT_CONFIRMED;

    if (ney_result_count(claims) == 0 || !rule->is_fixed || rows_are(in)) {
        return NULL;
    }
    for (const ney_result *claim = ney_result_first(claims); claim;
         claim = ney_result_next(claim)) {
        const char *rate = ney_result_get_text(claim, "rate");
        double bound, confidence;
        if ((in->group != NULL) != groups_certified(in->of_model.model) &&
            ney_result_get_real(claim, "confidence", &confidence) && !isnan(confidence)) {
            return NULL; /* what is promised of groups cannot be compared with rows, nor the reverse
                          */
        }
        if (rate && ney_result_get_real(claim, "max_rate", &bound)) {
            const ney_verdict v = check_claim(page, rate, bound, in, &c);
            worst = v > worst ? v : worst;
        }
    }
    return verdict_names[worst];
}

static void tell(session *s, const char *path, int64_t n_bytes, const evidence *in,
                 const packed_curve *scores, const char *verdict)
{
    ney_result *root = result_new();

    ney_result_add_text(root, "output", path);
    ney_result_add_int(root, "bytes", n_bytes);
    if (in) {
        ney_result_add_int(root, "n", in->n);
        ney_result_add_int(root, "n_pos", in->n_pos);
        ney_result_add_int(root, "n_neg", in->n_neg);
        ney_result_add_int(root, "thresholds", scores->n_kept);
        ney_result_add_real(root, "threshold_gap", scores->gap);
        ney_result_add_text(root, "verdict", verdict);
    }
    ney_result_add_real(root, "seconds", session_seconds(s));
    if (verdict) {
        ney_result_headline(root, "What is promised is %s by these rows.",
                            strcmp(verdict, "open") == 0 ? "neither confirmed nor refuted"
                                                         : verdict);
    }
    ney_result_headline(root, "The page is in %s; open it in a browser.", path);
    result_print(s, root);
}

static int finish(session *s, const evidence *in, const packed_curve *scores, ney_result *page,
                  const char *verdict)
{
    const report_args *args = options_of(s->call, &own_options);
    int64_t n_bytes;
    const ney_status st = report_write(args->output, page, scores, &n_bytes, &s->err);

    if (st != NEY_OK) {
        return session_fail(s, st);
    }
    if (!output_is_stdout(args->output)) {
        tell(s, args->output, n_bytes, in, scores, verdict);
    }
    return EXIT_OK;
}

static int report_evidence(session *s, const evidence *in, const report_path *path)
{
    report_rule rule;
    ney_roc *roc = NULL;
    packed_curve scores = {0};
    ney_result *page = NULL;
    int code = choose_rule(s, in, &rule);

    if (code != EXIT_OK) {
        return code;
    }
    if (in->n_pos == 0 || in->n_neg == 0) {
        return refuse_one_class(s, in);
    }
    ney_status st = ney_roc_new(&roc, &s->env, in->score, in->label, in->n, &s->err);
    if (st == NEY_OK) {
        st = curve_pack(&scores, roc, rule.low, rule.high, &s->err);
    }
    if (st == NEY_OK) {
        page = result_new();
        st = build(s, page, in, path, &rule);
    }
    if (st == NEY_OK) {
        code = finish(s, in, &scores, page, verdict_of(page, in, &rule));
    } else {
        ney_result_free(page);
        code = session_fail(s, st);
    }
    packed_curve_deinit(&scores);
    ney_roc_free(roc);
    return code;
}

static int report_empty(session *s)
{
    ney_result *page = result_new();

    if (s->call->n_operands > 0 || option_given(s->call, "from-scores")) {
        ney_result_free(page);
        return session_misused(s, "--empty writes a page without data, expected no file to read");
    }
    ney_result_add_int(page, "format", 1);
    ney_result_add_text(page, "version", ney_version());
    ney_result_add_text(page, "source", "empty");
    return finish(s, NULL, NULL, page, NULL);
}

static int report_on_path(session *s)
{
    const report_args *args = options_of(s->call, &own_options);
    const ney_costs costs = choose_costs(args, NULL);
    report_path path = {0};
    evidence in = {0};

    if (s->call->n_operands != 1) {
        return session_misused(s, "--test applies to a path: expected PATH --test ROWS");
    }
    int code = report_path_read(&path, s, s->call->operands[0], args->test, &costs, &in);
    if (code == EXIT_OK) {
        code = report_evidence(s, &in, &path);
    }
    evidence_deinit(&in);
    report_path_deinit(&path);
    return code;
}

static int run(session *s)
{
    const report_args *args = options_of(s->call, &own_options);
    evidence in = {0};
    const ney_status st = output_check(args->output, &s->err);

    if (st != NEY_OK) {
        return session_fail(s, st);
    }
    if (args->empty) {
        return report_empty(s);
    }
    if (args->test) {
        return report_on_path(s);
    }
    int code = evidence_read(&in, s, true);
    if (code == EXIT_OK) {
        code = report_evidence(s, &in, NULL);
    }
    evidence_deinit(&in);
    return code;
}

/* ------------------------------------------------------------------ options */

static bool has_data(const invocation *call)
{
    return call->n_operands > 0;
}

static bool has_rows(const invocation *call)
{
    return !((const report_args *)options_of(call, &own_options))->empty;
}

static bool has_threshold(const invocation *call)
{
    const report_args *args = options_of(call, &own_options);

    return has_rows(call) && (has_data(call) || args->thresholds || !isnan(args->threshold));
}

static const option_rule rules[] = {
    {"threshold thresholds cost-fn cost-fp prevalence", has_rows,
     "a page with data, not to --empty"},
    {"importance", has_data, "MODEL DATA, not to --from-scores"},
    {"max-fpr max-fnr", has_threshold, "MODEL DATA, or scores with --threshold or --thresholds"},
    {"no-rows", has_threshold, "MODEL DATA, or scores with --threshold or --thresholds"},
    {"label positive group max-columns max-line", has_rows, "a page with data, not to --empty"},
    {"format na no-header zero-based id", has_data, "MODEL DATA, not to --from-scores"},
    {NULL, NULL, NULL}};

const command command_report = {
    .name = "report",
    .operands = "[MODEL] [DATA...]",
    .required = "output",
    .group = "Using a model",
    .summary = "write an interactive page about a model, or about any scores",
    .description =
        "Scores the rows of DATA by MODEL, or takes the scores that --from-scores names, and "
        "writes "
        "one HTML file that needs neither a server nor a network. It begins with what the model "
        "promises and whether the rows confirm it (green), refute it (red) or leave it open "
        "(amber): the exact 95 % interval of the rate is compared with the bound. Then follow the "
        "ROC curve with a simultaneous band, the rates, counts and costs of any threshold at any "
        "prevalence, the scores of both classes, how many rows a certificate needs, other "
        "curves, the model, single rows, and the files and commands behind them. The page computes "
        "with the library's "
        "own code, compiled to WebAssembly, and reads other score files that are dropped on it.",
    .details =
        "At the threshold that was fixed before (the model's, or --threshold) rates have exact "
        "intervals. At any other threshold they have those of the simultaneous band, which holds "
        "at all thresholds at once.\n\n"
        "With a PATH of 'neyman roc --save-path' and --test ROWS the page also shows the plane of "
        "costs, the three curves on the test rows and the command that takes a model out of the "
        "path; the rest is about the cheapest classifier at --cost-fn and --cost-fp.\n\n"
        "--importance permutes each feature five times, in at most 4000 rows, and lists those "
        "whose permutation costs most area under the ROC curve; without it linear models show "
        "their weights, in units of the score per standard deviation of the feature.\n\n"
        "A page holds at most 1,000,000 thresholds; of more distinct scores it says how far a "
        "rate may be off. It names rows by number and --id; --no-rows leaves them out.",
    .everyday =
        "from-scores output empty test threshold max-fpr prevalence importance no-rows label "
        "positive group json help",
    .examples =
        {{"A model on test rows:", "neyman report spam.model test.csv -o report.html"},
         {"Scores of another program, with the bound that is promised:",
          "neyman report --from-scores scores.tsv --threshold 0.5 --max-fpr 0.05 -o report.html"},
         {"Without single rows:", "neyman report spam.model test.csv --no-rows -o report.html"},
         {"All costs and thresholds:", "neyman report all.path --test test.svm -o report.html"},
         {"A tool for score files:", "neyman report --empty -o explorer.html"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_INTERRUPTED},
    .sets = {&source_options, &own_options, &read_options},
    .omit = "decoys weight keep ignore words missing max-categories",
    .rules = rules,
    .run = run,
};
