/* neyman evaluate: the errors of a model on labelled rows. */
#include "commands.h"
#include "labelled.h"
#include "result.h"

typedef struct evaluate_args {
    double cost_fn, cost_fp;
} evaluate_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(evaluate_args, field)
    /* name      flag kind        offset       default low high  arg    choices help */
    {"cost-fn",  0, NEY_KIND_REAL, AT(cost_fn), 1, 0, 1e12, "COST", NULL, "cost of a false negative; either cost makes the mean cost part of the result"},
    {"cost-fp",  0, NEY_KIND_REAL, AT(cost_fp), 1, 0, 1e12, "COST", NULL, "cost of a false positive"},
#undef AT
};
/* clang-format on */

static const option_set own_options = {
    .title = "Costs", .rows = own_rows, .n_rows = COUNT(own_rows), .bytes = sizeof(evaluate_args)};

static void add_counts(cJSON *root, const scored *in, const ney_counts *c, class_counts n)
{
    const ney_recipe *recipe = ney_model_recipe(in->model);

    json_text(root, "positive", ney_recipe_label(recipe, 1));
    json_text(root, "negative", ney_recipe_label(recipe, -1));
    json_int(root, "n", n.pos + n.neg);
    json_int(root, "n_pos", n.pos);
    json_int(root, "n_neg", n.neg);
    json_int(root, "tp", c->tp);
    json_int(root, "fp", c->fp);
    json_int(root, "tn", c->tn);
    json_int(root, "fn", c->fn);
    json_int(root, "rejected", c->rejected_pos + c->rejected_neg);
    json_int(root, "rejected_pos", c->rejected_pos);
    json_int(root, "rejected_neg", c->rejected_neg);
    json_real(root, "threshold", in->high);
    if (in->low < in->high) {
        json_real(root, "threshold_low", in->low);
    }
}

/* A rejected row is no error, but it stays in the denominator: the rates are those of the rows that
 * came in. */
static void add_rates(cJSON *root, const ney_counts *c, class_counts n)
{
    const int64_t rows = n.pos + n.neg;

    result_rate(root, "fpr", c->fp, n.neg);
    result_rate(root, "fnr", c->fn, n.pos);
    result_rate(root, "error_rate", c->fp + c->fn, rows);
    result_rate(root, "precision", c->tp, c->tp + c->fp);
    result_rate(root, "fdr", c->fp, c->tp + c->fp);
    result_rate(root, "reject_rate", c->rejected_pos + c->rejected_neg, rows);
}

static ney_status tell(session *s, const scored *in)
{
    const evaluate_args *args = options_of(s->call, &own_options);
    const int8_t *label = ney_data_label(in->data);
    const class_counts n = count_classes(in->data);
    const int64_t rows = n.pos + n.neg;
    const ney_counts c = ney_count(in->score, label, rows, in->low, in->high);
    double auc;
    const ney_status st = ney_auc(&s->env, in->score, label, rows, &auc, &s->err);

    if (st != NEY_OK) {
        return st;
    }
    cJSON *root = json_new();
    add_counts(root, in, &c, n);
    add_rates(root, &c, n);
    json_real(root, "auc", auc);
    if (option_given(s->call, "cost-fn") || option_given(s->call, "cost-fp")) {
        const double total = args->cost_fn * (double)c.fn + args->cost_fp * (double)c.fp;
        json_real(root, "cost", total / (double)rows); /* null when there is no row */
    }
    json_real(root, "seconds", session_seconds(s));
    result_print(s, root);
    return NEY_OK;
}

static int run(session *s)
{
    const char *model = s->call->operands[0], *data = s->call->operands[1];
    scored in = {0};
    ney_status st = scored_read(&in, s, model, data);
    int code = EXIT_OK;

    if (st == NEY_OK && !ney_data_label(in.data)) {
        code = refuse_unlabelled(s, data, in.data, false);
    } else if (st == NEY_OK) {
        st = tell(s, &in);
    }
    scored_deinit(&in);
    return st == NEY_OK ? code : session_fail(s, st);
}

const command command_evaluate = {
    .name = "evaluate",
    .operands = "MODEL DATA",
    .group = "Using a model",
    .summary = "count the errors of a model on labelled rows",
    .description =
        "Scores the rows of DATA and compares with their labels: the counts, the rate of "
        "false alarms among the negatives (fpr), of misses among the positives (fnr), of all "
        "errors, of false ones among those called positive (fdr), of rejected rows, and the "
        "area under the ROC curve. Each rate stands with its exact 95 % interval "
        "(Clopper-Pearson).\n\n"
        "Rejected rows are no errors but stay in the denominators. The cost is the mean of "
        "one row.",
    .examples = {{"A table:", "neyman evaluate spam.model test.csv"},
                 {"The false-alarm rate, for a script:",
                  "neyman evaluate spam.model test.csv --json | jq .fpr"},
                 {"With costs:", "neyman evaluate spam.model test.csv --cost-fp 10"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_INTERRUPTED},
    .sets = {&own_options, &read_options},
    .run = run,
};
