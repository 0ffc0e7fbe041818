/* neyman train: learn a model. */
#include "commands.h"
#include "learning.h"
#include "output.h"
#include "train_result.h"

static int learn(session *s, const ney_data *data)
{
    const model_args *args = options_of(s->call, &model_options);
    const ney_train_opts *opts = options_of(s->call, &learning_options);
    ney_train_info info = {0};
    ney_model *model = NULL;
    step_list list;
    const ney_env env = step_list_env(&list, s);
    ney_status st;

    if ((st = ney_train(&model, &env, data, opts, &info, &s->err)) == NEY_OK) {
        st = ney_model_write(model, args->output, &s->err);
    }
    if (st == NEY_OK) {
        const train_result result = {.data = data,
                                     .model = model,
                                     .opts = opts,
                                     .info = &info,
                                     .output = args->output,
                                     .steps = list.steps};
        train_say_bound(s, &result);
        st = output_is_stdout(args->output) ? NEY_OK : train_tell(s, &result);
    }
    cJSON_Delete(list.holder);
    ney_model_free(model);
    return st == NEY_OK ? learning_exit(s, info.stop, args->output) : learning_refuse(s, st);
}

static int run(session *s)
{
    ney_data *data;
    int code = learning_read(s, &data);

    if (code == EXIT_OK) {
        code = learn(s, data);
    }
    ney_data_free(data);
    return code;
}

const command command_train = {
    .name = "train",
    .operands = "DATA",
    .required = "output",
    .group = "Learning",
    .summary = "learn a model from labelled data",
    .description =
        "Learns a support vector machine, linear or with a kernel, for one of two goals. With "
        "--max-fpr RATE (or --max-fnr) one error is bounded and the other made as rare as possible "
        "(Neyman-Pearson). Else the two errors cost what you say: a false negative --cost-fn, a "
        "false positive --cost-fp.\n\n"
        "A bounded rate is kept on the training rows: exactly, never more. With --confidence P it "
        "is certified for rows to come: a part of the bounded class is held out of training and "
        "decides the threshold, and the rate exceeds the bound with probability 1 - P at most, "
        "whatever the data. With too few rows for that the exit code is 4, the message says how "
        "many it takes, and no model is written.\n\n"
        "DATA is svmlight/LIBSVM text, CSV or TSV with a header, Percolator PIN or a cache made by "
        "'neyman convert', as it is or compressed by gzip or zstd; - is standard input. The labels "
        "have exactly two values. The larger one, or the one named by --positive, is the positive "
        "class; which one it is and how many rows it has is printed at the start.\n\n"
        "The objective is printed with a duality gap: of the whole problem for costs, of the last "
        "convex step for a bounded rate. The rates are those of the training rows and flatter the "
        "model: use 'neyman evaluate' on rows it has not seen.\n\n"
        "Ctrl-C ends training with the best model so far: it is written, marked as cancelled, and "
        "the exit code is 130. While DATA are still being read nothing is written.",
    .examples = {{"At most 1 % false alarms, 95 % sure:",
                  "neyman train --max-fpr 0.01 --confidence 0.95 mail.csv --label class --positive "
                  "spam -o spam.model"},
                 {"Miss at most 2 % of the positives of the training set, step by step:",
                  "neyman train --max-fnr 0.02 --kernel rbf train.svm -o careful.model -v"},
                 {"A false alarm costs ten times a miss:",
                  "neyman train train.svm --cost-fp 10 -C 0.1 -o careful.model"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_GOAL, EXIT_UNFINISHED, EXIT_INTERRUPTED},
    .sets = {&learning_options, &model_options, &read_options},
    .run = run,
};
