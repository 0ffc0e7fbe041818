/* neyman tune: choose C, gamma and the like, then learn a model with them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "labelled.h"
#include "learning.h"
#include "output.h"
#include "result.h"
#include "train_result.h"

typedef struct tune_args {
    const char *valid;
} tune_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(tune_args, field)
    /* name   flag kind           offset     default low high arg     choices help */
    {"valid", 0,   NEY_KIND_TEXT, AT(valid), 0, 0, 0,         "FILE", NULL, "labelled rows to choose by, instead of folds"},
#undef AT
};
/* clang-format on */

static const option_set own_options = {
    .title = "Validation", .rows = own_rows, .n_rows = COUNT(own_rows), .bytes = sizeof(tune_args)};

static const option_set tuning_options = {.title = "Tuning",
                                          .from = ney_tune_params,
                                          .bytes = sizeof(ney_tune_opts),
                                          .where = ney_tune_where};

/* Validation rows go through the recipe of the training rows. */
static int read_valid(session *s, const ney_data *data, ney_data **valid)
{
    const tune_args *args = options_of(s->call, &own_options);
    ney_status st;

    *valid = NULL;
    if (!args->valid) {
        return EXIT_OK;
    }
    if ((st = read_more(s, args->valid, ney_data_recipe(data), valid)) != NEY_OK) {
        return session_fail(s, st);
    }
    const class_counts n = count_classes(*valid);
    if (!ney_data_label(*valid)) {
        return refuse_unlabelled(s, args->valid, *valid, false);
    }
    if (n.pos == 0 || n.neg == 0) {
        return session_bad_input(s, args->valid, "all %lld rows are of one class, expected both",
                                 (long long)(n.pos + n.neg));
    }
    return EXIT_OK;
}

/* The table beside the model, unless there is a name for it or no file beside which it could be. */
static char *table_name(const ney_tune_opts *t, const char *model)
{
    const char *const ending = ".tune.tsv";
    if (t->table || output_is_stdout(model)) {
        return NULL;
    }
    const size_t n = strlen(model) + strlen(ending) + 1;
    char *name = malloc(n);
    if (name) {
        snprintf(name, n, "%s%s", model, ending);
    }
    return name;
}

/* Estimates: the same rows chose the point, and set the threshold where it is not that of training.
 * An interval would claim that they are new. */
static void add_valid_rates(ney_result *root, const ney_tune_info *info)
{
    const ney_counts *const c = &info->held_out;
    const double pos = (double)(c->fn + c->tp + c->rejected_pos);
    const double neg = (double)(c->fp + c->tn + c->rejected_neg);

    if (info->train.certified || info->best.max_fdr) {
        return;
    }
    ney_result_add_real(root, "valid_fpr", (double)c->fp / neg);
    ney_result_add_real(root, "valid_fnr", (double)c->fn / pos);
    if (c->rejected_pos + c->rejected_neg > 0) {
        ney_result_add_real(root, "valid_reject_rate",
                            (double)(c->rejected_pos + c->rejected_neg) / (pos + neg));
    }
    ney_result_add_text(root, "valid_rates_on",
                        info->calibrated
                            ? "rows that chose the point and set the threshold: estimates"
                            : "rows that chose the point: estimates");
}

static void add_choice(ney_result *root, const ney_tune_info *info, const char *table)
{
    const ney_train_opts *const o = &info->best;
    const bool bound = !isnan(o->max_fpr) || !isnan(o->max_fnr);

    ney_result_add_real(root, "C", o->C);
    if (o->kernel != NEY_KERNEL_LINEAR || o->features > 0) {
        ney_result_add_real(root, "gamma", o->gamma);
    }
    if (!o->max_fdr && (!bound || o->method == NEY_METHOD_CONVEX)) {
        ney_result_add_real(root, "cost_fn", o->cost_fn);
        ney_result_add_real(root, "cost_fp", o->cost_fp);
    }
    ney_result_add_text(root, "criterion", ney_criterion_text((ney_criterion)info->criterion));
    ney_result_add_real(root, "loss", info->loss);
    ney_result_add_real(root, "loss_error", info->error);
    ney_result_add_int(root, "points", info->points);
    ney_result_add_int(root, "fits", info->fits);
    ney_result_add_int(root, "reused", info->reused);
    ney_result_add_int(root, "extensions", info->extensions);
    ney_result_add_int(root, "averaged", info->averaged);
    ney_result_add_bool(root, "at_edge", info->at_edge);
    add_valid_rates(root, info);
    ney_result_add_text(root, "table", table);
}

static ney_status tell(session *s, const train_result *result, const ney_data *valid,
                       const ney_tune_info *info, const char *table)
{
    ney_result *root;
    ney_status st = train_facts(s, result, &root);

    if (st == NEY_OK) {
        add_choice(root, info, table);
        st = warn_shared(s, root, result->data, valid, "validation rows", "training");
        result_print(s, root);
    }
    return st;
}

static ney_status tune(session *s, const ney_data *data, const ney_data *valid,
                       const ney_tune_opts *how, ney_stop *stop)
{
    const model_args *args = options_of(s->call, &model_options);
    const ney_train_opts *opts = options_of(s->call, &learning_options);
    ney_tune_info info = {0};
    ney_model *model = NULL;
    step_list list;
    const ney_env env = step_list_env(&list, s);
    ney_status st = ney_tune(&model, &env, data, valid, opts, how, &info, &s->err);

    if (st == NEY_OK) {
        st = session_write_model(s, model, args->output);
    }
    if (st == NEY_OK) {
        const train_result result = {.data = data,
                                     .model = model,
                                     .opts = &info.best,
                                     .info = &info.train,
                                     .output = args->output,
                                     .steps = list.steps,
                                     .recount = info.calibrated,
                                     .valid = info.train.certified ? NULL : &info.held_out};
        if (info.train.certified || info.best.max_fdr) {
            train_say_bound(s, &result);
        }
        st = output_is_stdout(args->output) ? NEY_OK : tell(s, &result, valid, &info, how->table);
    }
    *stop = info.stop == NEY_STOP_CONVERGED ? info.train.stop : info.stop;
    ney_result_free(list.holder);
    ney_model_free(model);
    return st;
}

static int run_on(session *s, const ney_data *data, const ney_data *valid)
{
    const model_args *args = options_of(s->call, &model_options);
    ney_tune_opts how = *(const ney_tune_opts *)options_of(s->call, &tuning_options);
    char *const name = table_name(&how, args->output);
    ney_stop stop = NEY_STOP_CONVERGED;

    how.table = name ? name : how.table;
    const ney_status st = tune(s, data, valid, &how, &stop);
    if ((st == NEY_ECANCELLED || (st == NEY_EGOAL && stop == NEY_STOP_TIME)) && how.table) {
        session_say(s, NEY_LOG_INFO, "the results so far are in %s; the same command goes on",
                    how.table);
    }
    free(name);
    if (st == NEY_OK) {
        return learning_exit(s, stop, args->output);
    }
    /* rows would not help a search that had too little time */
    return stop == NEY_STOP_TIME ? session_fail(s, st) : learning_refuse(s, st);
}

static int run(session *s)
{
    ney_data *data, *valid = NULL;
    int code = learning_read(s, &data);

    if (code == EXIT_OK) {
        code = read_valid(s, data, &valid);
    }
    if (code == EXIT_OK) {
        code = run_on(s, data, valid);
    }
    ney_data_free(valid);
    ney_data_free(data);
    return code;
}

const command command_tune = {
    .name = "tune",
    .operands = "DATA",
    .required = "output",
    .group = "Learning",
    .summary = "choose C, gamma and the like, then learn a model",
    .description =
        "Tries every point of a grid of C and gamma (and of the costs, with --method convex) on "
        "rows "
        "that are held out in turn, or on those of --valid FILE; then learns a model from all "
        "training rows with what did best. The goal is given as for 'neyman train'.\n\n"
        "What is best: with a bounded rate A, the least max(0, P - A) / A + Q, where P is the "
        "bounded "
        "rate and Q the other one, at the threshold that makes this least; with costs, the cost of "
        "a row, with costs of rejection at the band that makes it least; with both rates bounded, "
        "the share of rows rejected. --criterion names another. Where the best point is at the "
        "edge of the grid, the grid "
        "grows there.\n\n"
        "A bounded rate is certified with 95 % confidence, or with that of --confidence P, on rows "
        "that take no part in the choice. With --confidence none the threshold is the one that "
        "keeps the rate on the validation rows: an estimate without a guarantee. So is the "
        "rejection band, the one that costs least on these rows.\n\n"
        "All results are written to a table beside the model as they come. A run that was stopped "
        "by "
        "Ctrl-C, or killed, goes on from there when the same command is given again; other data or "
        "options begin anew. The choice and the model do not depend on the number of threads.",
    .examples = {{"At most 1 % of negatives flagged, with 95 % confidence, C and gamma chosen:",
                  "neyman tune --max-fpr 0.01 --kernel rbf train.svm -o best.model"},
                 {"Choose by a file of your own, over a grid of your own:",
                  "neyman tune --max-fpr 0.05 --kernel rbf --grid 'C=0.1:1000:9 gamma=0.01:1:5' "
                  "--valid valid.svm train.svm -o best.model"},
                 {"A linear model by the area under the ROC curve:",
                  "neyman tune --criterion auc train.svm -o best.model"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_GOAL, EXIT_UNFINISHED, EXIT_INTERRUPTED},
    .sets = {&learning_options, &tuning_options, &own_options, &model_options, &read_options},
    .run = run,
};
