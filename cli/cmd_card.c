/* neyman card: a model card for an auditor, in Markdown or JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "card.h"
#include "commands.h"
#include "evaluate.h"
#include "model_json.h"
#include "report_parts.h"
#include "summary.h"

typedef struct card_args {
    const char *output, *purpose, *by;
} card_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(card_args, field)
    /* name    flag kind           offset      default low high arg  choices help */
    {"purpose", 0,  NEY_KIND_TEXT, AT(purpose), 0, 0, 0, "TEXT",   NULL, "what the model is for, and what not: copied into the card"},
    {"by",      0,  NEY_KIND_TEXT, AT(by),      0, 0, 0, "COLUMN", NULL, "also the rates for each value of this column of DATA, which is not a feature"},
    {"output", 'o', NEY_KIND_TEXT, AT(output),  0, 0, 0, "FILE",   NULL, "file for the card; default: standard output"},
#undef AT
};
/* clang-format on */

static const option_set own_options = {
    .title = "Card", .rows = own_rows, .n_rows = COUNT(own_rows), .bytes = sizeof(card_args)};

/* ------------------------------------------------------------------ sentences */

static void add_sentence(ney_result *list, const char *text)
{
    ney_result_add_text(list, NULL, text);
}

/* What the certificate takes for granted; nothing without one. */
static void add_assumptions(ney_result *root, const ney_model *model)
{
    const bool fpr = !isnan(model_number(model, NEY_METADATA_CERTIFICATE, "fpr_delta"));
    const bool fnr = !isnan(model_number(model, NEY_METADATA_CERTIFICATE, "fnr_delta"));
    const bool groups = !isnan(model_number(model, NEY_METADATA_CERTIFICATE, "fpr_n_groups")) ||
                        !isnan(model_number(model, NEY_METADATA_CERTIFICATE, "fnr_n_groups"));
    ney_result *list = ney_result_add_array(root, "assumptions");

    if (!fpr && !fnr) {
        add_sentence(list, "The model has no certificate: no bound on an error rate is guaranteed "
                           "for new data.");
        return;
    }
    add_sentence(list, groups ? "The groups that were held out are a random sample of the groups "
                                "that the model is used on: independent, of the same distribution."
                              : "The rows that were held out are a random sample of the rows that "
                                "the model is used on: independent, of the same distribution.");
    add_sentence(list, "The held-out rows had no part in training: the program drew them and did "
                       "not use them for anything else.");
    add_sentence(list, "The confidence is the share of such samples for which the statement is "
                       "true. It is about the draw of the held-out rows, not about single new "
                       "rows.");
    add_sentence(list, fpr && fnr ? "Both bounds hold at once with the stated confidence. Rejected "
                                    "rows are not errors."
                       : fpr      ? "The bound is about negatives alone. How many of the flagged "
                                    "cases are wrong also depends on how frequent positives are."
                                  : "The bound is about positives alone.");
}

static void add_limits(ney_result *root, const evidence *in)
{
    ney_result *list = ney_result_add_array(root, "limits");

    add_sentence(list, "The rates hold for data like those that they were measured on. If the "
                       "population, the measuring or the definition of a class changes, measure "
                       "again; 'neyman monitor' tests the bounds while labels arrive.");
    add_sentence(list, "Rates in a subgroup can differ from the rates overall: a certificate says "
                       "nothing about subgroups.");
    if (!in) {
        add_sentence(list, "No performance is reported: no labelled rows were given (DATA).");
    } else if (!is_new_evidence(in)) {
        add_sentence(list,
                     "Some rows of DATA were used in training: the performance is optimistic.");
    }
    add_sentence(list, "Scores are not probabilities unless the model was calibrated.");
}

/* ------------------------------------------------------------------ parts */

static void add_reproduction(ney_result *root, const session *s)
{
    char line[2048];
    const card_args *args = options_of(s->call, &own_options);
    const bool has_data = s->call->n_operands > 1;
    char data[SHELL_WORD] = "DATA";

    if (has_data) {
        shell_word(data, s->call->operands[1]);
    }
    snprintf(
        line, sizeof line,
        "Training is deterministic: the same rows, options and seed (under Training) give the "
        "same model on one machine and build. Performance: neyman evaluate %.500s %.500s%s%.200s",
        s->call->operands[0], data, args->by ? " --by " : "", args->by ? args->by : "");
    ney_result_add_text(root, "reproduce", line);
}

static void add_rows(ney_result *root, const evidence *in)
{
    ney_result *rows = ney_result_add_object(root, "rows");

    ney_result_add_text(rows, "file", in->path);
    ney_result_add_int(rows, "n", in->n);
    ney_result_add_int(rows, "n_pos", in->n_pos);
    ney_result_add_int(rows, "n_neg", in->n_neg);
}

static ney_status add_performance(session *s, ney_result *root, const evidence *in)
{
    const card_args *args = options_of(s->call, &own_options);
    const band b = {in->low, 0 > in->low && 0 < in->high ? 0 : (in->low + in->high) / 2, in->high};
    const figure_opts opts = {
        .partial = (double)NAN, .prevalence = (double)NAN, .confidence = 0.95};
    ney_result *of = ney_result_add_object(root, "performance");
    ney_roc *roc;
    ney_status st = ney_roc_new(&roc, &s->env, in->score, in->label, in->n, &s->err);

    if (st == NEY_OK) {
        st = add_figures(s, of, in, roc, &b, &opts);
    }
    if (st == NEY_OK && args->by) {
        st = add_subgroups(s, of, in, args->by, &b);
    }
    if (st == NEY_OK) {
        add_verdicts(of, in);
        if (!is_new_evidence(in)) {
            mark_training_rows(of, in);
        }
        add_rows(root, in);
    }
    ney_roc_free(roc);
    return st;
}

static void add_description(session *s, ney_result *root, const ney_model *model)
{
    const card_args *args = options_of(s->call, &own_options);

    ney_result_add_text(root, "kind", "model card");
    ney_result_add_text(root, "file", s->call->operands[0]);
    ney_result_add_text(root, "purpose", args->purpose ? args->purpose : "Not stated (--purpose).");
    report_add_claims(root, model, (double)NAN, (double)NAN);
    add_assumptions(root, model);
    ney_result *of = ney_result_add_object(root, "model");
    add_model(of, model);
    add_kernel(of, model);
    add_metadata(of, model);
}

static ney_status write_card(session *s, ney_result *root)
{
    const card_args *args = options_of(s->call, &own_options);
    output out = {0};
    ney_status st = output_open(&out, args->output, &s->err);

    if (st == NEY_OK) {
        card_write(&out, root);
        st = output_commit(&out, &s->err);
    }
    output_give_up(&out);
    return st;
}

/* ------------------------------------------------------------------ the command */

/* `in` has a model, and rows where DATA was given. */
static ney_status make_card(session *s, const evidence *in, bool has_data)
{
    ney_result *root = result_new();
    ney_status st = NEY_OK;

    add_description(s, root, in->of_model.model);
    if (has_data) {
        st = add_performance(s, root, in);
    }
    if (st == NEY_OK) {
        add_limits(root, has_data ? in : NULL);
        add_reproduction(root, s);
        report_add_provenance(s, root, in);
        if (s->common->json) {
            result_print(s, root);
            return NEY_OK;
        }
        st = write_card(s, root);
    }
    ney_result_free(root);
    return st;
}

static int run(session *s)
{
    const card_args *args = options_of(s->call, &own_options);
    const bool has_data = s->call->n_operands > 1;
    evidence in = {.path = has_data ? s->call->operands[1] : NULL};
    int code = EXIT_OK;

    if (args->by && !has_data) {
        return session_misused(s, "--by applies to DATA; name a file of labelled rows after MODEL");
    }
    if (args->by) { /* read as ids are: not a feature, its text kept */
        ((ney_read_opts *)options_edit(s->call, &read_options))->id = args->by;
    }
    ney_status st = output_check(args->output, &s->err);
    if (st == NEY_OK) {
        st = ney_model_read(&in.of_model.model, &s->env, s->call->operands[0], &s->err);
    }
    code = st == NEY_OK ? EXIT_OK : session_fail(s, st);
    if (code == EXIT_OK && has_data) {
        code = evidence_fill(&in, s);
    }
    if (code == EXIT_OK && in.group && args->by) {
        code = session_misused(s, "--by assumes independent rows, and these have groups: leave "
                                  "--by out");
    }
    if (code == EXIT_OK) {
        st = make_card(s, &in, has_data);
        code = st == NEY_OK ? EXIT_OK : session_fail(s, st);
    }
    evidence_deinit(&in);
    return code;
}

static bool is_markdown(const invocation *call)
{
    return !((const common_opts *)options_of(call, &common_options))->json;
}

static const option_rule rules[] = {{"output", is_markdown, "Markdown, not --json"},
                                    {NULL, NULL, NULL}};

const command command_card = {
    .name = "card",
    .operands = "MODEL [DATA...]",
    .group = "Using a model",
    .summary = "write a model card for an auditor",
    .description =
        "Writes a document for those who must approve or audit MODEL: its purpose, the guarantee "
        "with its confidence and assumptions, its performance on the labelled rows of DATA with "
        "intervals, the model and its training, limits, how to reproduce it, and hashes of the "
        "files. The format is Markdown, or with --json one JSON object.",
    .details =
        "The rows of DATA must be new to the model; where they are not, the card says so and "
        "has no intervals. --by COLUMN adds the rates of each value of a column, flagged "
        "where a test says that the bound of the model is exceeded ('neyman evaluate --by').",
    .everyday = "purpose by output label id json help",
    .examples = {{"A card:", "neyman card spam.model test.csv --purpose 'Flag spam for review' -o "
                             "card.md"},
                 {"By subgroup:", "neyman card spam.model test.csv --by region"},
                 {"For programs:", "neyman card spam.model test.csv --json"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_INTERRUPTED},
    .sets = {&own_options, &read_options},
    .omit = "decoys weight keep ignore words missing max-categories",
    .rules = rules,
    .run = run,
};
