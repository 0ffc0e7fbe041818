/* neyman train: learn a model. */
#include <math.h>
#include <stdlib.h>

#include "commands.h"
#include "interrupt.h"
#include "labelled.h"
#include "output.h"
#include "result.h"

typedef struct train_args {
    const char *output;
    int scale; /* 0: by format, else ney_scaling + 1 */
    int64_t seed;
} train_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(train_args, field)
    /* name    flag kind             offset      default low high    arg      choices help */
    {"output", 'o', NEY_KIND_TEXT,   AT(output), 0, 0, 0,            "MODEL", NULL, "file for the model, - for standard output"},
    {"scale",   0,  NEY_KIND_CHOICE, AT(scale),  0, 0, 0,            "HOW",   "auto none standard minmax unit",
        "how features are scaled; kept in the model; auto is standard for CSV, TSV and PIN, none otherwise"},
    {"seed",    0,  NEY_KIND_INT,    AT(seed),   1, 0, 0x1p53,       "N",     NULL, "seed of whatever is drawn at random; training so far draws nothing, and gives the same model for any"},
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

/* Rates on the very rows that were learned from: marked as such, and without intervals, which
 * would claim that these rows are new. Who interrupts does not wait for them: scoring asks before
 * it begins, and they are left out. */
static ney_status add_training_rates(session *s, cJSON *root, const ney_model *model,
                                     const ney_data *data)
{
    const ney_matrix *x = ney_data_matrix(data);
    double *score, low, high;

    ney_model_thresholds(model, &low, &high);
    json_real(root, "threshold", high);
    if (!(score = malloc((size_t)x->rows * sizeof *score))) {
        s->err = (ney_error){.code = NEY_ENOMEM, .message = "no memory for the scores"};
        return NEY_ENOMEM;
    }
    const ney_status st = ney_model_score(model, &s->env, x, score, &s->err);
    if (st == NEY_OK) {
        const class_counts n = count_classes(data);
        const ney_counts c = ney_count(score, ney_data_label(data), x->rows, low, high);
        json_real(root, "fpr", (double)c.fp / (double)n.neg);
        json_real(root, "fnr", (double)c.fn / (double)n.pos);
        json_text(root, "rates_on", "training rows");
    }
    free(score);
    return st == NEY_ECANCELLED ? NEY_OK : st;
}

static ney_status tell(session *s, const ney_data *data, const ney_model *model,
                       const ney_train_info *info)
{
    const train_args *args = options_of(s->call, &own_options);
    const ney_recipe *recipe = ney_model_recipe(model);
    const class_counts n = count_classes(data);
    cJSON *root = json_new();

    json_text(root, "goal", "cost");
    json_text(root, "method", "auto");
    json_text(root, "family", ney_model_family(model));
    json_text(root, "positive", ney_recipe_label(recipe, 1));
    json_text(root, "negative", ney_recipe_label(recipe, -1));
    json_int(root, "n", n.pos + n.neg);
    json_int(root, "n_pos", n.pos);
    json_int(root, "n_neg", n.neg);
    json_int(root, "cols", ney_recipe_cols(recipe));
    json_real(root, "objective", info->objective);
    json_real(root, "dual_objective", info->dual_objective);
    json_real(root, "gap", info->gap);
    json_real(root, "relative_gap", info->objective > 0 ? info->gap / info->objective : NAN);
    json_bool(root, "converged", info->stop == NEY_STOP_CONVERGED);
    json_text(root, "stop", ney_stop_text(info->stop));
    json_int(root, "iterations", info->iterations);
    json_int(root, "support_vectors", info->support_vectors);
    const ney_status st = add_training_rates(s, root, model, data);
    json_int(root, "seed", args->seed);
    json_real(root, "seconds", session_seconds(s));
    json_text(root, "model", args->output);
    if (st == NEY_OK) {
        result_print(s, root);
    } else {
        cJSON_Delete(root);
    }
    return st;
}

static int exit_of_stop(session *s, ney_stop stop, const char *path)
{
    if (stop == NEY_STOP_CONVERGED) {
        return interrupted() ? EXIT_INTERRUPTED : EXIT_OK; /* told without its rates */
    }
    session_say(s, NEY_LOG_WARNING, "not converged (%s); the best model so far is in %s",
                ney_stop_text(stop), output_is_stdout(path) ? "the output" : path);
    return stop == NEY_STOP_CANCELLED ? EXIT_INTERRUPTED : EXIT_UNFINISHED;
}

static int learn(session *s, const ney_data *data)
{
    const train_args *args = options_of(s->call, &own_options);
    const ney_train_opts *opts = options_of(s->call, &learning_options);
    ney_train_info info = {0};
    ney_model *model = NULL;
    ney_status st;

    if ((st = ney_train(&model, &s->env, data, opts, &info, &s->err)) == NEY_OK) {
        st = ney_model_write(model, args->output, &s->err);
    }
    if (st == NEY_OK && !output_is_stdout(args->output)) {
        st = tell(s, data, model, &info);
    }
    ney_model_free(model);
    return st == NEY_OK ? exit_of_stop(s, info.stop, args->output) : session_fail(s, st);
}

static int run(session *s)
{
    const train_args *args = options_of(s->call, &own_options);
    const ney_read_opts *read = options_of(s->call, &read_options);
    const char *path = s->call->operands[0];
    ney_data *data = NULL;
    ney_status st;
    int code = EXIT_OK;

    if (output_is_stdout(args->output) && s->common->json) {
        return session_misused(
            s, "--json and a model cannot share standard output; name a file with -o");
    }
    if (read->missing == NEY_MISSING_KEEP) {
        return session_misused(
            s, "--missing keep is for looking, not learning; expected error or mean");
    }
    if ((st = output_check(args->output, &s->err)) == NEY_OK) {
        st = ney_data_read(&data, &s->env, path, read, NULL, &s->err);
    }
    if (st == NEY_OK) {
        code = check_classes(s, path, data);
    }
    if (st == NEY_OK && code == EXIT_OK) {
        st = ney_data_prepare(data, scaling_for(args, data), NULL, 0, &s->err);
    }
    if (st != NEY_OK) {
        code = session_fail(s, st);
    } else if (code == EXIT_OK) {
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
        "Learns a support vector machine, linear or with a kernel, in which the two errors cost "
        "what "
        "you say: a false negative --cost-fn, a false positive --cost-fp. DATA is svmlight/LIBSVM "
        "text, "
        "CSV or TSV with a header, Percolator PIN or a cache made by 'neyman convert', as it "
        "is or compressed by gzip or zstd; - is standard input.\n\n"
        "The labels have exactly two values. The larger one, or the one named by --positive, "
        "is the positive class; which one it is and how many rows it has is printed at the "
        "start.\n\n"
        "The objective is printed with its duality gap, which bounds how far it is from the "
        "best possible. The rates are those of the training rows and flatter the model: use "
        "'neyman evaluate' on rows it has not seen.\n\n"
        "Ctrl-C ends training with the best model so far: it is written, marked as cancelled, and "
        "the exit code is 130. While DATA are still being read nothing is written.",
    .examples = {{"Equal costs:",
                  "neyman train mail.csv --label class --positive spam -o spam.model"},
                 {"A false alarm costs ten times a miss:",
                  "neyman train train.svm --cost-fp 10 -C 0.1 -o careful.model"},
                 {"From a pipe, for a script:",
                  "zcat train.svm.gz | neyman train - -o m.model --json"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_UNFINISHED, EXIT_INTERRUPTED},
    .sets = {&learning_options, &own_options, &read_options},
    .run = run,
};
