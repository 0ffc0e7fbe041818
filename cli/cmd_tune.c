/* neyman tune: choose C, gamma and other settings, then train with them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "labelled.h"
#include "learning.h"
#include "output.h"
#include "plotting.h"
#include "result.h"
#include "tune_plot.h"

typedef struct tune_args {
    const char *valid;
} tune_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(tune_args, field)
    /* name   flag kind           offset     default low high arg     choices help */
    {"valid", 0,   NEY_KIND_TEXT, AT(valid), 0, 0, 0,         "FILE", NULL, "labelled rows for validation, instead of cross-validation"},
#undef AT
};
/* clang-format on */

static const option_set own_options = {.title = "Grid and validation",
                                       .rows = own_rows,
                                       .n_rows = COUNT(own_rows),
                                       .bytes = sizeof(tune_args)};

static const option_set tuning_options = {.title = "Grid and validation",
                                          .from = ney_tune_params,
                                          .bytes = sizeof(ney_tune_opts),
                                          .where = ney_tune_where};

/* The default name of the table of results; NULL where --table names one or the model is not a
 * file.
 */
static char *default_table(const ney_tune_opts *t, const char *model)
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

static ney_status tune_and_train(session *s, ney_data *data, ney_data *valid, const char *table,
                                 ney_stop *stop)
{
    const model_args *args = options_of(s->call, &model_options);
    learning_run run;
    ney_status st = learning_start(&run, s);

    if (st == NEY_OK && table) {
        st = ney_options_set(run.options, "table", table, &s->err);
    }
    if (st == NEY_OK) {
        st = ney_fit_tuned(&run.model, &run.result, &s->env, data, valid, run.options, &s->err);
    }
    if (st == NEY_OK) {
        *stop = learning_stop(run.result, "search_stop");
        *stop = *stop == NEY_STOP_CONVERGED ? learning_stop(run.result, "stop") : *stop;
    }
    if (st == NEY_OK && plotting_is_asked(s->call)) {
        double chosen = (double)NAN;
        (void)ney_result_get_real(run.result, "C", &chosen);
        st = session_follow(s, session_writes() ? tune_plot(s, table, chosen) : NEY_OK);
    }
    return learning_finish(&run, s, st, args->output);
}

static int run_search(session *s, ney_data *data, ney_data *valid)
{
    const model_args *args = options_of(s->call, &model_options);
    const ney_tune_opts *how = options_of(s->call, &tuning_options);
    const ney_train_opts *opts = options_of(s->call, &learning_options);
    char *const name = default_table(how, args->output);
    const char *const table = name ? name : how->table;
    ney_stop stop = NEY_STOP_CONVERGED;

    const ney_status st = tune_and_train(s, data, valid, table, &stop);
    /* a search that ran out of time: more rows would not help */
    const bool late = st == NEY_EGOAL && opts->max_time > 0 && session_seconds(s) >= opts->max_time;
    if ((st == NEY_ECANCELLED || late) && table) {
        session_say(s, NEY_LOG_INFO,
                    "the results so far are in %s; the same command continues from there", table);
    }
    free(name);
    if (st == NEY_OK) {
        return learning_exit(s, stop, args->output);
    }
    return late ? session_fail(s, st) : learning_refuse(s, st);
}

static bool has_table(const invocation *call)
{
    const ney_tune_opts *how = options_of(call, &tuning_options);
    const model_args *args = options_of(call, &model_options);

    return how->table || !output_is_stdout(args->output);
}

/* Of several processes each reads all rows: they share the work, not the rows. */
static int read_all_rows(session *s, ney_data **data, ney_data **valid)
{
    const tune_args *args = options_of(s->call, &own_options);
    const ney_comm *const comm = s->env.comm;

    s->env.comm = NULL;
    int code = learning_read(s, data);
    if (code == EXIT_OK && args->valid) {
        code = read_both_classes(s, args->valid, *data, valid);
    }
    s->env.comm = comm;
    return session_agree(s, code);
}

static int run(session *s)
{
    ney_data *data, *valid = NULL;
    int code = plotting_check(s);

    if (code == EXIT_OK && plotting_is_asked(s->call) && !has_table(s->call)) {
        return session_misused(s, "--plot draws the table of results: name one with --table, or a "
                                  "file with -o");
    }
    data = NULL;
    if (code == EXIT_OK && s->env.comm && strcmp(s->call->operands[0], "-") == 0) {
        return session_misused(s, "every process reads all rows, and standard input is one: name "
                                  "a file");
    }
    if (code == EXIT_OK) {
        code = read_all_rows(s, &data, &valid);
    }
    if (code == EXIT_OK) {
        code = run_search(s, data, valid);
    }
    ney_data_free(valid);
    ney_data_free(data);
    return code;
}

static const option_rule rules[] = {
    PLOT_RULE, {"protein", learning_has_fdr, "--max-fdr"}, {NULL, NULL, NULL}};

const command command_tune = {
    .name = "tune",
    .operands = "DATA...",
    .required = "output",
    .group = "Training",
    .summary = "choose C, gamma and other settings by validation, then train",
    .description =
        "Tries every point of a grid of C and gamma (with --method convex also of the costs) by "
        "cross-validation, or on the rows of --valid FILE, and trains a model on all training "
        "rows with the best point, or with the mean of the best points. The goal is stated as "
        "for 'neyman train'.\n\n"
        "A bound on a rate is certified as by 'neyman train', on rows that take no part in the "
        "choice.",
    .details =
        "The criterion: for one bounded rate, the expected value of the other rate when the "
        "threshold is set from the rows that certify it (with --confidence none: from the rows of "
        "all folds); for costs, the mean cost "
        "per row (with a reject option at the band that minimises it); for two bounded rates, the "
        "share of rejected rows; for --max-fdr, the number of discoveries. --criterion selects "
        "another. --kernel auto searches the linear and the rbf kernel and takes the better one. "
        "Where the best point is at the edge of the grid, the grid is extended.\n\n"
        "With --confidence none the threshold is the one that meets the bound on the validation "
        "rows: an estimate without a guarantee. So is the rejection band with the lowest cost on "
        "these rows.\n\n"
        "All results are written to a table beside the model during the search. After Ctrl-C or a "
        "crash the same command continues from the table; with other data or options the search "
        "starts over. The choice and the model do not depend on the number of threads.",
    .everyday =
        "max-fpr max-fnr confidence cost-fn cost-fp max-fdr kernel grid folds valid criterion "
        "output plot label positive scale json verbose help",
    .examples = {{"At most 1 % of negatives flagged, with 95 % confidence, C and gamma chosen:",
                  "neyman tune --max-fpr 0.01 --kernel rbf train.svm -o best.model"},
                 {"With a validation file and a grid:",
                  "neyman tune --max-fpr 0.05 --kernel rbf --grid 'C=0.1:1000:9 gamma=0.01:1:5' "
                  "--valid valid.svm train.svm -o best.model"},
                 {"A linear model with the largest area under the ROC curve:",
                  "neyman tune --criterion auc train.svm -o best.model"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_GOAL, EXIT_UNFINISHED, EXIT_INTERRUPTED},
    .sets = {&learning_options, &tuning_options, &own_options, &plot_options, &model_options,
             &read_options},
    .omit = "decoys",
    .rules = rules,
    .distributed = true,
    .run = run,
};
