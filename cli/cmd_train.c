/* neyman train: learn a model. */
#include <math.h>
#include <stdlib.h>

#include "commands.h"
#include "labelled.h"
#include "output.h"
#include "rates.h"
#include "train_result.h"
#include "train_stream.h"

typedef struct train_args {
    const char *output;
    int scale; /* 0: by format, else ney_scaling + 1 */
} train_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(train_args, field)
    /* name    flag kind             offset      default low high    arg      choices help */
    {"output", 'o', NEY_KIND_TEXT,   AT(output), 0, 0, 0,            "MODEL", NULL, "file for the model, - for standard output"},
    {"scale",   0,  NEY_KIND_CHOICE, AT(scale),  0, 0, 0,            "HOW",   "auto none standard minmax unit",
        "how features are scaled; kept in the model; auto is standard for CSV, TSV and PIN, none otherwise"},
#undef AT
};
/* clang-format on */

static const option_set own_options = {
    .title = "Model", .rows = own_rows, .n_rows = COUNT(own_rows), .bytes = sizeof(train_args)};

static const option_set learning_options = {
    .title = "Learning", .from = ney_train_params, .bytes = sizeof(ney_train_opts)};

static ney_scaling scaling_for(const train_args *args, const ney_data *data)
{
    const ney_format format = ney_data_format(data);

    if (args->scale > 0) {
        return (ney_scaling)(args->scale - 1);
    }
    return format == NEY_FORMAT_CSV || format == NEY_FORMAT_TSV || format == NEY_FORMAT_PIN
               ? NEY_SCALING_STANDARD
               : NEY_SCALING_NONE;
}

/* Both classes must be there, and the user must see which one is positive. */
static int check_classes(session *s, const char *path, const ney_data *data)
{
    const ney_recipe *recipe = ney_data_recipe(data);
    const class_counts n = count_classes(data);
    const char *pos = ney_recipe_label(recipe, 1), *neg = ney_recipe_label(recipe, -1);

    if (ney_data_matrix(data)->rows == 0) {
        return session_bad_input(s, path, "has a header but no rows");
    }
    if (ney_recipe_cols(recipe) == 0 && ney_data_label(data)) {
        return session_bad_input(s, path,
                                 "has no feature: expected a column beside those of label and "
                                 "weight, or entries such as 1:0.5");
    }
    if (!ney_data_label(data)) {
        return refuse_unlabelled(s, path, data, true);
    }
    if (n.pos == 0 || n.neg == 0) {
        return session_bad_input(s, path,
                                 "all %lld rows are of one class, '%s'; expected two (name another "
                                 "column with --label COLUMN, the positive value with --positive)",
                                 (long long)(n.pos + n.neg), n.pos ? pos : neg);
    }
    session_say(s, NEY_LOG_INFO, "positive: %s (%lld rows), negative: %s (%lld rows)", pos,
                (long long)n.pos, neg, (long long)n.neg);
    return EXIT_OK;
}

/* More rows are what helps a certificate; 'plan' tells what they would buy. */
static int refuse(session *s, ney_status st)
{
    const ney_train_opts *o = options_of(s->call, &learning_options);
    const bool fpr = isnan(o->max_fnr);
    const double rate = fpr ? o->max_fpr : o->max_fnr;
    char hint[128];

    if (st != NEY_EGOAL || !(rate > 0)) {
        return session_fail(s, st);
    }
    cJSON *facts = json_new();
    const double delta = delta_of(o->confidence);
    json_text(facts, "rate", fpr ? "fpr" : "fnr");
    json_real(facts, "needed", ney_rows_needed(rate, delta));
    snprintf(hint, sizeof hint, "neyman plan --max-%s %.6g --confidence %.6g", fpr ? "fpr" : "fnr",
             rate, o->confidence);
    return report_error_with(&s->err, EXIT_GOAL, s->common->json, hint, facts);
}

static int exit_of_stop(session *s, ney_stop stop, const char *path)
{
    if (stop == NEY_STOP_CONVERGED || stop == NEY_STOP_EPOCHS) {
        return EXIT_OK;
    }
    session_say(s, NEY_LOG_WARNING, "not converged (%s); the best model so far is in %s",
                ney_stop_text(stop), output_is_stdout(path) ? "the output" : path);
    return stop == NEY_STOP_CANCELLED ? EXIT_INTERRUPTED : EXIT_UNFINISHED;
}

/* From data in memory or, where there are none, from the rows of a cache. */
static int learn(session *s, const ney_data *data, const char *cache)
{
    const train_args *args = options_of(s->call, &own_options);
    const ney_train_opts *opts = options_of(s->call, &learning_options);
    ney_train_info info = {0};
    ney_model *model = NULL;
    step_list list;
    const ney_env env = step_list_env(&list, s);
    ney_status st = data ? ney_train(&model, &env, data, opts, &info, &s->err)
                         : ney_train_cache(&model, &env, cache, options_of(s->call, &read_options),
                                           args->scale - 1, opts, &info, &s->err);

    if (st == NEY_OK) {
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
    return st == NEY_OK ? exit_of_stop(s, info.stop, args->output) : refuse(s, st);
}

/* Scaling is fitted on the rows that are learned from: what is held out must not shape the score
 * function. */
static ney_status prepare(session *s, ney_data *data)
{
    const train_args *args = options_of(s->call, &own_options);
    const ney_train_opts *opts = options_of(s->call, &learning_options);
    int64_t n, *rows = malloc((size_t)ney_data_matrix(data)->rows * sizeof *rows);
    ney_status st;

    if (!rows) {
        s->err = (ney_error){.code = NEY_ENOMEM, .message = "no memory for the rows"};
        return NEY_ENOMEM;
    }
    if ((st = ney_train_rows(data, opts, rows, &n, &s->err)) == NEY_OK) {
        const bool all = n == ney_data_matrix(data)->rows;
        st = ney_data_prepare(data, scaling_for(args, data), all ? NULL : rows, all ? 0 : n,
                              &s->err);
    }
    free(rows);
    return st;
}

/* Rows that memory need not hold. */
static int learn_streamed(session *s, const char *path)
{
    const train_args *args = options_of(s->call, &own_options);
    const ney_read_opts *read = options_of(s->call, &read_options);
    char *cache = NULL;
    const ney_status st = stream_open(&cache, s, path, args->output, read);
    const int code = st == NEY_OK ? learn(s, NULL, cache) : session_fail(s, st);

    stream_close(cache, path);
    return code;
}

static int learn_in_memory(session *s, const char *path)
{
    ney_data *data = NULL;
    int code = EXIT_OK;
    ney_status st =
        ney_data_read(&data, &s->env, path, options_of(s->call, &read_options), NULL, &s->err);

    if (st == NEY_OK) {
        code = check_classes(s, path, data);
    }
    if (st == NEY_OK && code == EXIT_OK) {
        st = prepare(s, data);
    }
    if (st != NEY_OK) {
        code = refuse(s, st);
    } else if (code == EXIT_OK) {
        code = learn(s, data, NULL);
    }
    ney_data_free(data);
    return code;
}

static int run(session *s)
{
    const train_args *args = options_of(s->call, &own_options);
    const ney_read_opts *read = options_of(s->call, &read_options);
    const ney_train_opts *opts = options_of(s->call, &learning_options);
    const char *path = s->call->operands[0];

    if (output_is_stdout(args->output) && s->common->json) {
        return session_misused(
            s, "--json and a model cannot share standard output; name a file with -o");
    }
    if (read->missing == NEY_MISSING_KEEP) {
        return session_misused(
            s, "--missing keep is for looking, not learning; expected error or mean");
    }
    const ney_status st = output_check(args->output, &s->err);
    if (st != NEY_OK) {
        return session_fail(s, st);
    }
    return stream_wanted(path, opts) ? learn_streamed(s, path) : learn_in_memory(s, path);
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
        "With --method online rows are learned from one at a time, in memory that does not grow "
        "with "
        "them: linear, as a --network or by random --features. --checkpoint and --resume let a "
        "run survive whatever ends it.\n\n"
        "DATA is svmlight/LIBSVM text, CSV or TSV with a header, Percolator PIN or a cache made by "
        "'neyman convert', as it is or compressed by gzip or zstd; - is standard input. The labels "
        "have exactly two values. The larger one, or the one named by --positive, is the positive "
        "class; which one it is and how many rows it has is printed at the start.\n\n"
        "The objective is printed with a duality gap: of the whole problem for costs, of the last "
        "convex step for a bounded rate. The rates are those of the training rows and flatter the "
        "model: use 'neyman evaluate' on rows it has not seen.",
    .examples = {{"At most 1 % false alarms, 95 % sure:",
                  "neyman train --max-fpr 0.01 --confidence 0.95 mail.csv --label class --positive "
                  "spam -o spam.model"},
                 {"Miss at most 2 % of the positives of the training set, step by step:",
                  "neyman train --max-fnr 0.02 --kernel rbf train.svm -o careful.model -v"},
                 {"More rows than memory, safe against interruption:",
                  "neyman train --max-fpr 0.01 --confidence 0.95 --method online big.ney -o m "
                  "--checkpoint m.point --resume"},
                 {"A false alarm costs ten times a miss:",
                  "neyman train train.svm --cost-fp 10 -C 0.1 -o careful.model"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_GOAL, EXIT_UNFINISHED, EXIT_INTERRUPTED},
    .sets = {&learning_options, &own_options, &read_options},
    .run = run,
};
