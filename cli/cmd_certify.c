/* neyman certify: a threshold with a guarantee, from held-out scores. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "groups.h"
#include "output.h"
#include "rates.h"
#include "result.h"
#include "summary.h"

typedef struct certify_args {
    const char *model, *output;
} certify_args;

typedef struct score_args {
    const char *label, *positive, *negative, *group, *score, *delimiter, *decimal;
    bool rest;
    int64_t max_columns, max_line;
} score_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(certify_args, field)
    /* name    flag kind           offset      default low high arg    choices help */
    {"model",   0,  NEY_KIND_TEXT, AT(model),  0, 0, 0, "MODEL", NULL, "model that computed the scores: it is written to -o with the thresholds and the certificate"},
    {"output", 'o', NEY_KIND_TEXT, AT(output), 0, 0, 0, "OUT",   NULL, "file for the certified model; may be MODEL itself"},
#undef AT
};

static const ney_param score_rows[] = {
#define AT(field) offsetof(score_args, field)
    {"label",    0, NEY_KIND_TEXT, AT(label),    0, 0, 0, "COLUMN", NULL, "column that holds the true label, by name or number; default: the column named label"},
    {"positive", 0, NEY_KIND_TEXT, AT(positive), 0, 0, 0, "VALUE",  NULL, "label value of the positive class; default: that of the model, or the larger of the two"},
    {"rest",     0, NEY_KIND_FLAG, AT(rest),     0, 0, 1, NULL,     NULL, "the class of --positive against all other labels, which are called rest"},
    {"negative", 0, NEY_KIND_TEXT, AT(negative), 0, 0, 0, "VALUES", NULL, "label values of the negative class, separated by commas; with --positive, where there are more than two"},
    {"score",    0, NEY_KIND_TEXT, AT(score),    0, 0, 0, "COLUMN", NULL, "column that holds the scores, by name or number; default: the column named score"},
    {"delimiter", 0, NEY_KIND_TEXT, AT(delimiter), 0, 0, 0, "CHAR", NULL, "character between the fields, or tab or space; default: recognised"},
    {"decimal",  0, NEY_KIND_TEXT, AT(decimal),  0, 0, 0, "MARK",   NULL, "decimal mark of the scores, '.' or ','; default: '.'"},
    {"group",    0, NEY_KIND_TEXT, AT(group),    0, 0, 0, "COLUMN", NULL, "column that names the group of each row, such as a patient: the unit of the certificate is then the group"},
    {"max-columns", 0, NEY_KIND_INT, AT(max_columns), 0, 0, INT32_MAX, "N", NULL, "most columns that SCORES may have; 0: 2,000,000"},
    {"max-line", 0, NEY_KIND_INT, AT(max_line), 64, 1, 2000, "MB", NULL, "longest line of text that is read, in MB"},
#undef AT
};

static const option_set own_options = {
    .title = "Model", .rows = own_rows, .n_rows = COUNT(own_rows), .bytes = sizeof(certify_args)};

static const option_set score_options = {
    .title = "Scores", .rows = score_rows, .n_rows = COUNT(score_rows), .bytes = sizeof(score_args)};
/* clang-format on */

/* ------------------------------------------------------------------ the result */

static void add_hash(ney_result *in, const ney_certificate *c)
{
    char hex[32];

    snprintf(hex, sizeof hex, "%016llx", (unsigned long long)c->hash);
    ney_result_add_text(in, "calibration_hash", hex);
}

static void add_rate_certificate(ney_result *list, const char *rate, const ney_certificate *c)
{
    ney_result *row = ney_result_add_object(list, NULL);

    ney_result_add_text(row, "rate", rate);
    ney_result_add_real(row, "max_rate", c->max_rate);
    ney_result_add_real(row, "bound", c->bound);
    ney_result_add_real(row, "delta", c->delta);
    ney_result_add_int(row, "n", c->n);
    if (c->n_groups > 0) {
        ney_result_add_int(row, "n_groups", c->n_groups);
        ney_result_add_real(row, "group_rate", c->group_rate);
    }
    ney_result_add_int(row, "rank", c->rank);
    ney_result_add_int(row, "misclassified", c->misclassified);
    ney_result_add_real(row, "threshold", c->threshold);
    add_hash(row, c);
}

/* The certificate. */
static void add_claim(ney_result *root, const rate_opts *rate, const ney_certified *c)
{
    const bool both = c->has_fpr && c->has_fnr;
    const ney_certificate *one = c->has_fpr ? &c->fpr : &c->fnr;

    ney_result_add_text(root, "goal", both ? "two-sided" : "np");
    ney_result_add_bool(root, "certified", true);
    if (both) {
        ney_result_add_real(root, "threshold_low", c->low);
        ney_result_add_real(root, "threshold_high", c->high);
    } else {
        ney_result_add_real(root, "threshold", c->high);
    }
    if (c->has_fpr) {
        ney_result_add_real(root, "max_fpr", rate->max_fpr);
    }
    if (c->has_fnr) {
        ney_result_add_real(root, "max_fnr", rate->max_fnr);
    }
    ney_result_add_real(root, "confidence", rate->confidence);
    ney_result_add_real(root, "delta", ney_delta_of_confidence(rate->confidence));
    ney_result_add_real(root, "delta_share", one->delta);
    ney_result_add_text(root, "delta_sharing",
                        both && one->n_groups > 0 ? "either rate gets half of delta"
                        : both ? "each rate gets the share d with (1 - d)^2 = 1 - delta"
                               : "the one rate gets all of delta");
    if (both) {
        if (one->n_groups > 0) {
            ney_result_define_groups(root, -1);
        }
        ney_result *list = ney_result_add_array(root, "certificates");
        add_rate_certificate(list, "fpr", &c->fpr);
        add_rate_certificate(list, "fnr", &c->fnr);
        return;
    }
    ney_result_add_real(root, "bound", one->bound);
    if (one->n_groups > 0) {
        ney_result_define_groups(root, one->n_groups);
        ney_result_add_real(root, "group_rate", one->group_rate);
    }
    ney_result_add_int(root, "rank", one->rank);
    ney_result_add_int(root, "misclassified", one->misclassified);
    add_hash(root, one);
}

/* A share of rows. It has an exact interval where the rows are independent and did not set the
 * threshold; else an interval would claim that they are new, and the guarantee is what is known. */
static void add_rate(ney_result *root, const char *key, int64_t hits, int64_t n, bool has_interval)
{
    char interval_key[64];

    if (has_interval) {
        result_rate(root, key, hits, n);
        return;
    }
    snprintf(interval_key, sizeof interval_key, "%s_interval", key);
    ney_result_add_real(root, key, n > 0 ? (double)hits / (double)n : (double)NAN);
    ney_result_add_text(root, interval_key, NULL);
}

/* Rates on the rows of the file. */
static void add_outcomes(ney_result *root, const ney_certified *c)
{
    const ney_counts *k = &c->counts;
    const int64_t n_pos = k->tp + k->fn + k->rejected_pos, n_neg = k->fp + k->tn + k->rejected_neg;
    const int64_t rejected = k->rejected_pos + k->rejected_neg;
    const bool grouped = (c->has_fpr ? &c->fpr : &c->fnr)->n_groups > 0;

    ney_result_add_text(root, "positive", c->name[1]);
    ney_result_add_text(root, "negative", c->name[0]);
    ney_result_add_int(root, "n", n_pos + n_neg);
    ney_result_add_int(root, "n_pos", n_pos);
    ney_result_add_int(root, "n_neg", n_neg);
    ney_result_add_text(root, "rates_on",
                        grouped ? "calibration rows, each counted once whatever its group"
                                : "calibration rows");
    add_rate(root, "fpr", k->fp, n_neg, !grouped && !c->has_fpr);
    add_rate(root, "fnr", k->fn, n_pos, !grouped && !c->has_fnr);
    add_rate(root, "tpr", k->tp, n_pos, !grouped && !c->has_fnr);
    add_rate(root, "reject_rate", rejected, n_pos + n_neg, false);
}

/* Warn of thresholds that are of no use: the rows of the class that is not bounded are as good as
 * new. */
static void warn_useless(ney_result *root, const rate_opts *rate, const ney_certified *c)
{
    const ney_counts *k = &c->counts;
    const bool fpr = c->has_fpr;
    const int64_t n = fpr ? k->tp + k->fn : k->tn + k->fp;
    const int64_t n_groups = c->n_groups[fpr];

    if (c->has_fpr && c->has_fnr) {
        ney_warn_rejection(root, k, "calibration rows");
        return;
    }
    ney_warn_detection(root, &(ney_detection){.fpr = fpr,
                                              .bound = fpr ? rate->max_fpr : rate->max_fnr,
                                              .detected = fpr ? k->tp : k->tn,
                                              .n = n,
                                              .corrected = -1,
                                              .n_units = n_groups > 0 ? n_groups : n,
                                              .rows = "rows of this file"});
}

static ney_guarantee guarantee_of(const rate_opts *rate, const ney_certified *c)
{
    return (ney_guarantee){.fpr = c->has_fpr ? &c->fpr : NULL,
                           .fnr = c->has_fnr ? &c->fnr : NULL,
                           .confidence = rate->confidence,
                           .negative = c->name[0][0] ? c->name[0] : NULL,
                           .positive = c->name[1][0] ? c->name[1] : NULL,
                           .evidence = "calibration"};
}

static void add_guarantee(ney_result *root, const rate_opts *rate, const ney_certified *c)
{
    const ney_guarantee g = guarantee_of(rate, c);
    char text[NEY_GUARANTEE_TEXT];

    ney_guarantee_text(text, &g);
    ney_result_add_text(root, "guarantee", text);
}

/* The class that is not bounded had no part in the threshold: its rate has an exact interval, where
 * the unit is the row. */
static void summarise_price(ney_result *root, const ney_certified *c)
{
    const ney_counts *k = &c->counts;
    const bool fpr = c->has_fpr, grouped = (fpr ? &c->fpr : &c->fnr)->n_groups > 0;
    const int64_t hits = fpr ? k->tp : k->tn, n = fpr ? k->tp + k->fn : k->tn + k->fp;
    const int64_t rejected = k->rejected_pos + k->rejected_neg;
    double bounds[2];

    if (c->has_fpr && c->has_fnr) {
        ney_result_headline(
            root, "Rejects %.3g %% of the calibration rows, which set the thresholds.",
            100 * (double)rejected / (double)(rejected + k->tp + k->fn + k->tn + k->fp));
        return;
    }
    if (n == 0) {
        return;
    }
    ney_interval(hits, n, 0.95, &bounds[0], &bounds[1]);
    ney_result_headline_share(root, &(ney_class_share){.verb = fpr ? "Detects" : "Classifies",
                                                       .outcome = fpr ? "" : " as negative",
                                                       .positive = fpr,
                                                       .name = c->name[fpr],
                                                       .share = (double)hits / (double)n,
                                                       .bounds = grouped ? NULL : bounds,
                                                       .rows = ", calibration rows"});
}

static void add_summary(ney_result *root, const session *s, const ney_certified *c)
{
    const certify_args *args = options_of(s->call, &own_options);
    const ney_guarantee g = guarantee_of(options_of(s->call, &rate_options), c);
    char claim[NEY_GUARANTEE_TEXT], model[SHELL_WORD];

    ney_guarantee_claim(claim, &g);
    ney_result_headline(root, "%s.", claim);
    summarise_price(root, c);
    if (args->model) {
        shell_word(model, args->output);
        summary_next(s, root, "neyman predict %s NEW  (NEW: rows to classify)", model);
    } else if (c->has_fpr && c->has_fnr) {
        summary_next(s, root,
                     "classify scores of at least %.17g as positive, scores below %.17g as "
                     "negative, and reject the others",
                     c->high, c->low);
    } else {
        summary_next(s, root, "classify scores of at least %.17g as positive", c->high);
    }
}

/* The scores of any program are taken; those of a model whose training rows are known could have
 * been checked. */
static void warn_unchecked(ney_result *root, const ney_model *model, const ney_certified *c)
{
    int64_t rows, hashes;

    if (model && c->n_seen < 0 && ney_model_training_rows(model, &rows, &hashes)) {
        ney_result_warn(root,
                        "it was not checked whether the model was trained on these rows: SCORES "
                        "has no column seen, which 'neyman predict MODEL DATA --seen' writes");
    }
}

static void report(const session *s, const ney_model *model, const ney_certified *c)
{
    const certify_args *args = options_of(s->call, &own_options);
    ney_result *root = result_new();

    add_claim(root, options_of(s->call, &rate_options), c);
    add_guarantee(root, options_of(s->call, &rate_options), c);
    add_outcomes(root, c);
    warn_useless(root, options_of(s->call, &rate_options), c);
    warn_unchecked(root, model, c);
    ney_result_add_real(root, "seconds", session_seconds(s));
    if (args->model) {
        ney_result_add_text(root, "model", args->output);
    }
    add_summary(root, s, c);
    result_print(s, root);
}

/* ------------------------------------------------------------------ running */

/* Report that there are too few rows, with the command for 'plan'. */
static int refuse_goal(session *s, const ney_shortage *lack)
{
    const rate_opts *rate = options_of(s->call, &rate_options);
    const bool fpr = !isnan(rate->max_fpr);
    const double p = fpr && !isnan(rate->max_fnr) ? sqrt(rate->confidence) : rate->confidence;
    char hint[128];
    ney_result *facts = result_new();

    if (lack->needed > 0) {
        ney_result_add_text(facts, "rate", lack->kind == NEY_FALSE_POSITIVES ? "fpr" : "fnr");
        ney_result_add_int(facts, lack->groups ? "n_groups" : "n", lack->n);
        ney_result_add_real(facts, "needed", lack->needed);
        ney_result_add_real(facts, "tightest_rate", lack->tightest_rate);
    }
    snprintf(hint, sizeof hint, "neyman plan --max-%s %.6g --confidence %.6g", fpr ? "fpr" : "fnr",
             fpr ? rate->max_fpr : rate->max_fnr, p);
    return report_error_with(&s->err, EXIT_GOAL, s->common->json, hint, facts);
}

/* The classes of the scores must be those of the model. */
static int check_names(session *s, const char *path, const ney_model *model, const ney_certified *c)
{
    const ney_preprocessing *preprocessing = ney_model_preprocessing(model);

    for (int i = 0; i < 2; i++) {
        char known[sizeof c->name[i]]; /* cut as the other one is */
        snprintf(known, sizeof known, "%s", ney_preprocessing_label(preprocessing, i ? 1 : -1));
        if (c->name[i][0] && strcmp(c->name[i], known) != 0) {
            return session_bad_input(
                s, path,
                "the %s class is '%s' here and '%s' in the model; expected the "
                "scores that 'neyman predict MODEL DATA --scores' gives",
                i ? "positive" : "negative", c->name[i], known);
        }
    }
    return EXIT_OK;
}

static int certify(session *s, ney_model *model)
{
    const certify_args *args = options_of(s->call, &own_options);
    const rate_opts *rate = options_of(s->call, &rate_options);
    const char *path = s->call->operands[0];
    const score_args *scores = options_of(s->call, &score_options);
    ney_read_opts read;
    ney_certified c;
    int64_t n_params;
    const ney_param *params = ney_read_params(&n_params);

    ney_params_init(params, n_params, &read);
    read.label = scores->label;
    read.positive = scores->positive;
    read.rest = scores->rest;
    read.negative = scores->negative;
    read.group = scores->group;
    read.score = scores->score;
    read.delimiter = scores->delimiter;
    read.decimal = scores->decimal;
    read.max_columns = scores->max_columns;
    read.max_line = scores->max_line;
    if (model && !read.positive) {
        read.positive = ney_preprocessing_label(ney_model_preprocessing(model), 1);
    }
    ney_status st = ney_certify_file_with(&c, &s->env, path, &read, rate->max_fpr, rate->max_fnr,
                                          ney_delta_of_confidence(rate->confidence), &s->err);
    if (st == NEY_OK || st == NEY_EGOAL) { /* the user must see which class is bounded */
        session_say(s, NEY_LOG_INFO, "positive: %s, negative: %s", c.name[1][0] ? c.name[1] : "-",
                    c.name[0][0] ? c.name[0] : "-");
    }
    if (st != NEY_OK) {
        return st == NEY_EGOAL && c.n_seen <= 0 ? refuse_goal(s, &c.shortage) : session_fail(s, st);
    }
    if (model) {
        const int code = check_names(s, path, model, &c);
        if (code != EXIT_OK) {
            return code;
        }
        if ((st = ney_model_certify(model, &c, &s->err)) != NEY_OK ||
            (st = session_write_model(s, model, args->output)) != NEY_OK) {
            return session_fail(s, st);
        }
    }
    if (!model || !output_is_stdout(args->output)) {
        report(s, model, &c);
    }
    return EXIT_OK;
}

static int run(session *s)
{
    const certify_args *args = options_of(s->call, &own_options);
    ney_model *model = NULL;
    ney_status st;
    int code = rates_check(s);

    if (code != EXIT_OK) {
        return code;
    }
    if (!args->model != !args->output) {
        return session_misused(s, "--model MODEL and -o OUT go together; one of them is missing");
    }
    if (args->model && strcmp(args->model, "-") == 0 && strcmp(s->call->operands[0], "-") == 0) {
        return session_misused(s, "standard input can be read only once: SCORES or --model");
    }
    if (args->output && (code = output_check_json(s, args->output, "a model")) != EXIT_OK) {
        return code;
    }
    if (args->model && ((st = output_check(args->output, &s->err)) != NEY_OK ||
                        (st = ney_model_read(&model, &s->env, args->model, &s->err)) != NEY_OK)) {
        return session_fail(s, st);
    }
    code = certify(s, model);
    ney_model_free(model);
    return code;
}

const command command_certify = {
    .name = "certify",
    .operands = "SCORES",
    .group = "Thresholds and q-values from scores",
    .summary = "find a threshold that bounds an error rate, with stated confidence",
    .description =
        "Finds the threshold at which the false-positive rate (--max-fpr) or the false-negative "
        "rate (--max-fnr) of new data is at most the bound, with confidence P (--confidence). "
        "SCORES is a score file of any program: TSV or CSV whose header names label and score, or "
        "two columns in that order, compressed or not; - is standard input. Its rows must be "
        "drawn from the same distribution as new data, and must not have been used to train the "
        "score function.\n\n"
        "With too few rows nothing is certified: the exit code is 4, and the message states how "
        "many rows are needed and which bound these rows can certify.",
    .details =
        "The threshold is an order statistic of the scores of the bounded class. For any score "
        "function, ties included, the probability that these rows lead to a threshold whose true "
        "rate exceeds the bound is at most 1 - P. 'bound' is the smallest rate that the same "
        "threshold certifies.\n\n"
        "With --max-fpr and --max-fnr there are two thresholds, and rows between them are "
        "rejected, as few as possible. Both bounds hold together with confidence P, each by "
        "itself with the square root of P, because positives and negatives are independent "
        "samples.\n\n"
        "The rates in the result are those of the calibration rows. The threshold was fitted to "
        "the bounded class, so the rate of this class is optimistic: quote the bound. The "
        "interval of the other class is valid.\n\n"
        "Where SCORES has a column seen, as 'neyman predict --seen' writes it, and it marks rows "
        "as used in training, nothing is certified: the exit code is 4.",
    .everyday = "max-fpr max-fnr confidence model output label positive score group json help",
    .examples =
        {{"At most 1 % of negatives flagged, with 95 % confidence:",
          "neyman certify scores.tsv --max-fpr 0.01 --confidence 0.95"},
         {"From held-out rows to a certified model:",
          "neyman predict spam.model held.csv --seen -o held.tsv && neyman certify held.tsv "
          "--max-fpr 0.01 --model spam.model -o certified.model"},
         {"Both rates bounded, rows between the thresholds rejected:",
          "neyman certify scores.tsv --max-fpr 0.01 --max-fnr 0.05"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_GOAL, EXIT_INTERRUPTED},
    .sets = {&rate_options, &own_options, &score_options},
    .run = run,
};
