/* neyman update: continue training on new data. */
#include "commands.h"
#include "labelled.h"
#include "learning.h"
#include "output.h"
#include "result.h"

typedef struct update_args {
    const char *output;
} update_args;

/* clang-format off */
static const ney_param own_rows[] = {
    {"output", 'o', NEY_KIND_TEXT, offsetof(update_args, output), 0, 0, 0, "OUT", NULL, "file for the updated model; may be MODEL itself"},
};
/* clang-format on */

static const option_set own_options = {
    .title = "Output", .rows = own_rows, .n_rows = COUNT(own_rows), .bytes = sizeof(update_args)};

/* The family of the model and its preprocessing are given. */
static const option_set update_options = {
    .title = "Training",
    .topics = learning_topics,
    .from = ney_train_params,
    .bytes = sizeof(ney_train_opts),
    .only =
        "max-fpr max-fnr confidence holdout reject-cost reject-cost-fn reject-cost-fp rule delta0 "
        "max-iter max-time seed epochs batch validation no-fingerprint checkpoint checkpoint-every "
        "resume",
    .where = ney_train_where};

static int continue_training(session *s, const ney_model *from, const ney_data *data)
{
    const update_args *args = options_of(s->call, &own_options);
    learning_run run;
    ney_stop stop = NEY_STOP_CONVERGED;
    ney_status st = learning_start(&run, s);

    if (st == NEY_OK) {
        st = ney_fit_update(&run.model, &run.result, &s->env, from, data, run.options, &s->err);
    }
    if (st == NEY_OK) {
        stop = learning_stop(run.result, "stop");
    }
    st = learning_finish(&run, s, st, args->output);
    return st == NEY_OK ? learning_exit(s, stop, args->output) : session_fail(s, st);
}

static int run(session *s)
{
    const ney_read_opts *read = options_of(s->call, &read_options);
    const update_args *args = options_of(s->call, &own_options);
    const char *path = s->call->operands[1];
    ney_model *model = NULL;
    ney_data *data = NULL;
    ney_status st;
    int code = output_check_json(s, args->output, "a model");

    if (code != EXIT_OK) {
        return code;
    }
    if ((st = output_check(args->output, &s->err)) != NEY_OK ||
        (st = ney_model_read(&model, &s->env, s->call->operands[0], &s->err)) != NEY_OK ||
        (st = ney_data_read_with(&data, &s->env, path, read, ney_model_preprocessing(model),
                                 &s->err)) != NEY_OK) {
        code = session_fail(s, st);
    } else if ((code = check_both_classes(s, path, data)) == EXIT_OK) {
        code = continue_training(s, model, data);
    }
    ney_data_free(data);
    ney_model_free(model);
    return code;
}

const command command_update = {
    .name = "update",
    .operands = "MODEL DATA...",
    .required = "output",
    .group = "Training",
    .summary = "continue training a model on new data",
    .description =
        "Continues training from the weights, the learning rate and the multiplier of MODEL with "
        "the rows of DATA. Preprocessing is that of the model; so are bounds and costs, unless "
        "others are given. MODEL is linear, a network, or a model of random features, and not made "
        "for --max-fdr.\n\n"
        "An update keeps the setting of the model: a certified model is certified again, at its "
        "own confidence, on held-out rows of DATA; a model trained with --confidence none is not. "
        "--confidence overrides it. With too few rows to certify, the exit code is 4 and nothing "
        "is written.",
    .details =
        "Rows that were used in training cannot certify the model. If more rows of DATA equal "
        "training rows than chance repeats explain, by the model's fingerprint of its training "
        "rows, the exit code is 4 and nothing is written; with --confidence none they are "
        "accepted. The fingerprint of the new model covers DATA too; a model without a "
        "fingerprint gets none.",
    .everyday = "max-fpr max-fnr confidence epochs max-time output label json verbose help",
    .examples = {{"One pass over today's mail:",
                  "neyman update spam.model today.csv --epochs 1 -o spam.model"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_GOAL, EXIT_UNFINISHED, EXIT_INTERRUPTED},
    .sets = {&update_options, &own_options, &read_options, &target_options},
    .omit = "id keep ignore words missing max-categories",
    .run = run,
};
