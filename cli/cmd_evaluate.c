/* neyman evaluate: the errors of a model, or of any scores, on labelled rows. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "commands.h"
#include "curves.h"
#include "labelled.h"
#include "output.h"
#include "result.h"

typedef struct evaluate_args {
    double threshold; /* NAN when not given */
    const char *thresholds;
    double cost_fn, cost_fp, partial;
    int curve; /* curve_kind */
    const char *output;
} evaluate_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(evaluate_args, field)
    /* name         flag kind             offset          default      low       high     arg     choices help */
    {"threshold",   0,  NEY_KIND_REAL,   AT(threshold),  (double)NAN, -DBL_MAX, DBL_MAX, "T",    NULL, "positive is a score of at least T; default the model's threshold, 0 for a score file"},
    {"thresholds",  0,  NEY_KIND_TEXT,   AT(thresholds), 0,           0,        0,       "LOW,HIGH", NULL, "three outcomes: positive from HIGH on, negative below LOW, rejected between"},
    {"cost-fn",     0,  NEY_KIND_REAL,   AT(cost_fn),    1,           0,        1e12,    "COST", NULL, "cost of a false negative; either cost makes the mean cost part of the result"},
    {"cost-fp",     0,  NEY_KIND_REAL,   AT(cost_fp),    1,           0,        1e12,    "COST", NULL, "cost of a false positive"},
    {"partial",     0,  NEY_KIND_REAL,   AT(partial),    (double)NAN, DBL_MIN,  1,       "RATE", NULL, "also the area under the ROC curve from a false-positive rate of 0 to RATE"},
    {"curve",       0,  NEY_KIND_CHOICE, AT(curve),      CURVE_NONE,  0,        0,       "KIND", CURVE_NAMES, "write a curve as TSV, 17 digits, instead of the summary"},
    {"output",      'o', NEY_KIND_TEXT,  AT(output),     0,           0,        0,       "FILE", NULL, "file for the curve; standard output when left out"},
#undef AT
};
/* clang-format on */

static const option_set own_options = {
    .title = "Result", .rows = own_rows, .n_rows = COUNT(own_rows), .bytes = sizeof(evaluate_args)};

/* Where the decisions fall. */
typedef struct band {
    double low, high;
} band;

/* "LOW,HIGH" into two numbers in order. */
static bool parse_band(const char *text, band *b)
{
    char *end;

    b->low = strtod(text, &end);
    if (end == text || *end != ',') {
        return false;
    }
    text = end + 1;
    b->high = strtod(text, &end);
    return end != text && *end == '\0' && b->low <= b->high;
}

/* The thresholds named on the command line take the place of the model's. */
static int choose_band(session *s, const evaluate_args *args, const evidence *in, band *b)
{
    *b = (band){in->low, in->high};
    if (args->thresholds && !isnan(args->threshold)) {
        return session_misused(s, "--threshold and --thresholds exclude each other");
    }
    if (args->thresholds && !parse_band(args->thresholds, b)) {
        return session_misused(s,
                               "--thresholds = %.60s, expected two numbers LOW,HIGH with LOW at "
                               "most HIGH",
                               args->thresholds);
    }
    if (!isnan(args->threshold)) {
        *b = (band){args->threshold, args->threshold};
    }
    return EXIT_OK;
}

static void add_counts(cJSON *root, const evidence *in, const ney_counts *c, band b)
{
    result_name(root, "positive", in->positive);
    result_name(root, "negative", in->negative);
    json_int(root, "n", in->n);
    json_int(root, "n_pos", in->n_pos);
    json_int(root, "n_neg", in->n_neg);
    json_int(root, "tp", c->tp);
    json_int(root, "fp", c->fp);
    json_int(root, "tn", c->tn);
    json_int(root, "fn", c->fn);
    json_int(root, "rejected", c->rejected_pos + c->rejected_neg);
    json_int(root, "rejected_pos", c->rejected_pos);
    json_int(root, "rejected_neg", c->rejected_neg);
    json_real(root, "threshold", b.high);
    if (b.low < b.high) {
        json_real(root, "threshold_low", b.low);
    }
}

/* A rejected row is no error, but it stays in the denominator: the rates are those of the rows that
 * came in. */
static void add_rates(cJSON *root, const evidence *in, const ney_counts *c)
{
    result_rate(root, "fpr", c->fp, in->n_neg);
    result_rate(root, "fnr", c->fn, in->n_pos);
    result_rate(root, "tpr", c->tp, in->n_pos);
    result_rate(root, "error_rate", c->fp + c->fn, in->n);
    result_rate(root, "precision", c->tp, c->tp + c->fp);
    result_rate(root, "fdr", c->fp, c->tp + c->fp);
    result_rate(root, "reject_rate", c->rejected_pos + c->rejected_neg, in->n);
}

static void add_areas(cJSON *root, const evaluate_args *args, const ney_roc *roc)
{
    const ney_auc_result area = ney_roc_auc(roc, 0.95);

    json_real(root, "auc", area.auc);
    if (isnan(area.error)) {
        json_text(root, "auc_interval", NULL);
    } else {
        json_pair(root, "auc_interval", area.low, area.high);
    }
    json_real(root, "auc_error", area.error);
    if (!isnan(args->partial)) {
        json_real(root, "partial_auc", ney_roc_partial_auc(roc, args->partial));
        json_real(root, "partial_max_fpr", args->partial);
    }
}

/* `c` is the curve asked for, or NULL; it goes into the object unless a file has it. */
static void tell(const session *s, const evidence *in, const ney_roc *roc, const curve *c, band b)
{
    const evaluate_args *args = options_of(s->call, &own_options);
    const ney_counts count = ney_count(in->score, in->label, in->n, b.low, b.high);
    cJSON *root = json_new();
    char kind[32];

    add_counts(root, in, &count, b);
    add_rates(root, in, &count);
    add_areas(root, args, roc);
    if (option_given(s->call, "cost-fn") || option_given(s->call, "cost-fp")) {
        const double total = args->cost_fn * (double)count.fn + args->cost_fp * (double)count.fp;
        json_real(root, "cost", total / (double)in->n); /* null when there is no row */
    }
    json_real(root, "seconds", session_seconds(s));
    if (c && word_at(CURVE_NAMES, (int)c->kind, kind, sizeof kind)) {
        json_text(root, "curve_kind", kind);
        json_int(root, "curve_points", c->n);
    }
    if (c && output_is_stdout(args->output)) {
        curve_add(c, root);
    } else if (c) {
        json_text(root, "output", args->output);
    }
    result_print(s, root);
}

/* TSV on standard output leaves no place for a summary; a file or an object does. */
static ney_status give_curve(session *s, const evidence *in, const ney_roc *roc, band b)
{
    const evaluate_args *args = options_of(s->call, &own_options);
    const bool to_stdout = output_is_stdout(args->output);
    curve c;
    ney_status st = curve_init(&c, (curve_kind)args->curve, s, in, roc, b.high);

    if (st == NEY_OK && (!to_stdout || !s->common->json)) {
        st = curve_write(&c, args->output, &s->err);
    }
    if (st == NEY_OK && (!to_stdout || s->common->json)) {
        tell(s, in, roc, &c, b);
    }
    curve_deinit(&c);
    return st;
}

static int evaluate(session *s, const evidence *in)
{
    const evaluate_args *args = options_of(s->call, &own_options);
    ney_roc *roc;
    band b;
    const int code = choose_band(s, args, in, &b);

    if (code != EXIT_OK) {
        return code;
    }
    if (args->curve == CURVE_RISK_COVERAGE && b.low < b.high) {
        return session_misused(s, "the curve risk-coverage measures distances from one threshold, "
                                  "and here are two; name it with --threshold T");
    }
    if (args->curve != CURVE_NONE && args->curve != CURVE_RISK_COVERAGE &&
        (in->n_pos == 0 || in->n_neg == 0)) {
        return refuse_one_class(s, in);
    }
    ney_status st = ney_roc_new(&roc, &s->env, in->score, in->label, in->n, &s->err);
    if (st == NEY_OK && args->curve != CURVE_NONE) {
        st = give_curve(s, in, roc, b);
    } else if (st == NEY_OK) {
        tell(s, in, roc, NULL, b);
    }
    ney_roc_free(roc);
    return st == NEY_OK ? EXIT_OK : session_fail(s, st);
}

static int run(session *s)
{
    const evaluate_args *args = options_of(s->call, &own_options);
    evidence in = {0};

    if (args->output && args->curve == CURVE_NONE) {
        return session_misused(s, "-o is for a curve; name one with --curve KIND");
    }
    const ney_status st = output_check(args->output, &s->err);
    int code = st == NEY_OK ? evidence_read(&in, s) : session_fail(s, st);
    if (code == EXIT_OK) {
        code = evaluate(s, &in);
    }
    evidence_deinit(&in);
    return code;
}

const command command_evaluate = {
    .name = "evaluate",
    .operands = "[MODEL DATA]",
    .group = "Using a model",
    .summary = "count the errors of a model, or of any scores, on labelled rows",
    .description =
        "Scores the rows of DATA by MODEL, or takes the scores that --from-scores names, and "
        "compares with the labels: the counts, the rate of false alarms among the negatives "
        "(fpr), of misses (fnr) and of hits (tpr) among the positives, of all errors, of false "
        "ones among those called positive (fdr), of rejected rows. Each rate stands with its exact "
        "95 % interval (Clopper-Pearson), the area under the ROC curve with DeLong's.\n\n"
        "Rejected rows are no errors but stay in the denominators. The cost is the mean of "
        "one row.\n\n"
        "--curve writes what happens at every threshold: roc and hull (threshold fpr tpr fp tp), "
        "pr (threshold recall precision), det (threshold fpr fnr and their normal quantiles), "
        "cost (the least normalised expected cost over the positives' share of probability "
        "times cost, and the threshold that has it from there on), risk-coverage (errors among "
        "the rows farthest from the threshold). With -o the summary is printed besides; with "
        "--json the columns are arrays under 'curve'.",
    .examples = {{"A table:", "neyman evaluate spam.model test.csv"},
                 {"The false-alarm rate, for a script:",
                  "neyman evaluate spam.model test.csv --json | jq .fpr"},
                 {"Scores of another program, with costs:",
                  "neyman evaluate --from-scores scores.tsv --threshold 0.5 --cost-fp 10"},
                 {"Three outcomes:",
                  "neyman evaluate --from-scores scores.tsv --thresholds 0.2,0.8"},
                 {"The ROC curve, to plot:",
                  "neyman evaluate spam.model test.csv --curve roc -o roc.tsv"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_INTERRUPTED},
    .sets = {&source_options, &own_options, &read_options},
    .run = run,
};
