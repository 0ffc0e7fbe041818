#include "learning.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "communication.h"
#include "file_memory.h"
#include "interrupt.h"
#include "labelled.h"
#include "output.h"
#include "progress.h"
#include "rates.h"
#include "result.h"
#include "summary.h"
#include "train_stream.h"

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(model_args, field)
    /* name    flag kind             offset      default low high    arg      choices help */
    {"output", 'o', NEY_KIND_TEXT,   AT(output), 0, 0, 0,            "MODEL", NULL, "file for the model; -: standard output"},
    SCALE_ROW(AT(scale)),
    {"protein", 0, NEY_KIND_TEXT,    AT(protein), 0, 0, 0,           "COLUMN", NULL, "column of the proteins, not a feature of a table"},
#undef AT
};
/* clang-format on */

const option_topic scale_topics[] = {{"Data", "scale protein"}, {NULL, NULL}};

const option_set model_options = {.title = "Output",
                                  .topics = scale_topics,
                                  .rows = own_rows,
                                  .n_rows = COUNT(own_rows),
                                  .bytes = sizeof(model_args)};

const option_topic learning_topics[] = {
    {"Goal", "max-fpr max-fnr confidence holdout cost-fn cost-fp reject-cost max-fdr"},
    {"Model", "C kernel gamma degree coef0 network activation features"},
    {"Boosted trees", "trees depth learning-rate subsample min-child"},
    {"Reject option", "reject-cost-fn reject-cost-fp rule delta0"},
    {"Conformal prediction sets", "conformal conformal-folds"},
    {"Probabilities", "calibrate calibrate-folds"},
    {"False-discovery rate", "fdr-convention compete no-compete size-correct plus-one no-plus-one "
                             "spectrum peptide init-weights training-rows"},
    {"Method and solver", "method tol max-iter max-time cache seed eta start at-k"},
    {"Online training", "epochs batch loss validation memory checkpoint checkpoint-every resume"},
    {"Output", "no-fingerprint"},
    {NULL, NULL}};

const option_set learning_options = {.title = "Training",
                                     .topics = learning_topics,
                                     .from = ney_train_params,
                                     .bytes = sizeof(ney_train_opts),
                                     .where = ney_train_where};

ney_scaling learning_scaling(int scale, const ney_data *data)
{
    const ney_format format = ney_data_format(data);

    if (scale > 0) {
        return (ney_scaling)(scale - 1);
    }
    return format == NEY_FORMAT_CSV || format == NEY_FORMAT_TSV || format == NEY_FORMAT_PIN
               ? NEY_SCALING_STANDARD
               : NEY_SCALING_NONE;
}

int learning_check(session *s, const char *path, const ney_data *data)
{
    const ney_preprocessing *preprocessing = ney_data_preprocessing(data);
    const class_counts n = count_all_classes(s, data);
    const char *pos = ney_preprocessing_label(preprocessing, 1),
               *neg = ney_preprocessing_label(preprocessing, -1);

    if (n.pos + n.neg == 0 && ney_data_matrix(data)->rows == 0) {
        return session_bad_input(s, path, "has a header but no rows");
    }
    if (ney_preprocessing_cols(preprocessing) == 0 && ney_data_label(data)) {
        return session_bad_input(s, path,
                                 "has no feature: expected a column beside those of label and "
                                 "weight, or entries such as 1:0.5");
    }
    if (!ney_data_label(data)) {
        return refuse_unlabelled(s, path, data, true);
    }
    const ney_read_opts *read = options_of(s->call, &read_options);
    if (n.pos == 0 && (read->rest || read->negative)) {
        return session_bad_input(s, path,
                                 "has no row with the label '%s', which --positive names; 'neyman "
                                 "info' with --label lists the labels",
                                 read->positive);
    }
    if (n.pos == 0 || n.neg == 0) {
        return session_bad_input(s, path, "all %lld rows are of one class, '%s'; expected two (%s)",
                                 (long long)(n.pos + n.neg), n.pos ? pos : neg,
                                 ney_data_format(data) == NEY_FORMAT_PIN
                                     ? "files of decoys alone are named by --decoys"
                                     : "name another column with --label COLUMN, the positive "
                                       "value with --positive");
    }
    s->grouped = ney_data_group_column(data) != NULL;
    const bool chosen = option_given(s->call, "positive") || same_label(pos, "1") || n.pos <= n.neg;
    session_say(s, NEY_LOG_INFO, "positive: %s (%lld rows), negative: %s (%lld rows)%s", pos,
                (long long)n.pos, neg, (long long)n.neg,
                chosen ? "" : "; --positive VALUE makes the other class the positive one");
    return EXIT_OK;
}

int learning_refuse(session *s, ney_status st)
{
    const ney_train_opts *o = options_of(s->call, &learning_options);
    const bool both = !isnan(o->max_fpr) && !isnan(o->max_fnr);
    const bool fpr = isnan(o->max_fnr) || o->max_fpr < o->max_fnr; /* of both the harder one */
    const double rate = fpr ? o->max_fpr : o->max_fnr;
    const double delta = ney_delta_of_confidence(o->confidence);
    const double of_each = !both ? delta : s->grouped ? delta / 2 : ney_delta_of_each(delta);
    char hint[128];

    if (st != NEY_EGOAL || !(rate > 0) || isnan(o->confidence)) {
        return session_fail(s, st);
    }
    ney_result *facts = result_new();
    ney_result_add_text(facts, "rate", fpr ? "fpr" : "fnr");
    ney_result_add_real(facts, "needed", ney_rows_needed(rate, of_each));
    snprintf(hint, sizeof hint, "neyman plan --max-%s %.6g --confidence %.6g", fpr ? "fpr" : "fnr",
             rate, both ? 1 - of_each : o->confidence);
    return report_error_with(&s->err, EXIT_GOAL, s->common->json, hint, facts);
}

int learning_exit(session *s, ney_stop stop, const char *path)
{
    if (ney_stop_is_complete(stop)) {
        if (interrupted()) {
            session_say(s, NEY_LOG_INFO,
                        "interrupted after the end of training: the model is complete");
        }
        return EXIT_OK;
    }
    session_say(s, NEY_LOG_WARNING, "not converged (%s); the best model so far is in %s",
                ney_stop_text(stop), output_is_stdout(path) ? "the output" : path);
    return stop == NEY_STOP_CANCELLED ? EXIT_INTERRUPTED : EXIT_UNFINISHED;
}

/* Whether a number was given by the word that stands for its lowest value. */
static bool is_word(const ney_param *row, const void *at)
{
    if (!row->choices || strchr(row->choices, ' ')) {
        return false;
    }
    return (row->kind == NEY_KIND_INT && (double)*(const int64_t *)at == row->low) ||
           (row->kind == NEY_KIND_REAL && *(const double *)at == row->low &&
            strcmp(row->choices, "none") != 0);
}

/* One option from the struct that the command line filled. */
static ney_status copy_option(ney_options *options, const ney_param *row, const void *values,
                              ney_error *err)
{
    const void *at = (const char *)values + row->offset;
    char word[64];

    if (is_word(row, at)) {
        return ney_options_set(options, row->name, row->choices, err);
    }
    switch (row->kind) {
    case NEY_KIND_FLAG:
        return ney_options_set_bool(options, row->name, *(const bool *)at, err);
    case NEY_KIND_INT:
        return ney_options_set_int(options, row->name, *(const int64_t *)at, err);
    case NEY_KIND_REAL:
        return ney_options_set_double(options, row->name, *(const double *)at, err);
    case NEY_KIND_CHOICE:
        (void)word_at(row->choices, *(const int *)at, word, sizeof word);
        return ney_options_set(options, row->name, word, err);
    case NEY_KIND_TEXT:
        return ney_options_set(options, row->name, *(const char *const *)at, err);
    case NEY_KIND_SIZES:
        sizes_text(at, word, sizeof word);
        return ney_options_set(options, row->name, word, err);
    }
    return NEY_OK;
}

/* The options of the command line by name, as ney_fit() takes them. */
static ney_status set_options(session *s, ney_options **options)
{
    const option_set *set;
    char known[2];
    ney_status st = ney_options_new(options, &s->env, &s->err);

    for (int k = 0; st == NEY_OK && (set = command_set(s->call->command, k)); k++) {
        int64_t n;
        const ney_param *rows = set_rows(set, &n);
        for (int64_t r = 0; r < n && st == NEY_OK; r++) {
            if ((s->call->given[k] >> r & 1) != 0 &&
                ney_options_get(*options, rows[r].name, known, sizeof known)) {
                st = copy_option(*options, &rows[r], s->call->opts[k], &s->err);
            }
        }
    }
    if (st != NEY_OK) {
        ney_options_free(*options);
        *options = NULL;
    }
    return st;
}

ney_stop learning_stop(const ney_result *result, const char *key)
{
    const char *const text = ney_result_get_text(result, key);
    int stop = NEY_STOP_CONVERGED;

    for (int k = 0; text && k <= NEY_STOP_CHECKS; k++) {
        stop = strcmp(text, ney_stop_text((ney_stop)k)) == 0 ? k : stop;
    }
    return (ney_stop)stop;
}

int learning_check_missing(session *s)
{
    const ney_read_opts *read = options_of(s->call, &read_options);

    if (read->missing != NEY_MISSING_KEEP) {
        return EXIT_OK;
    }
    const ney_train_opts *train = options_of(s->call, &learning_options);
    if (!train) {
        return session_misused(s, "--missing keep applies to convert and to --trees; "
                                  "expected error, mean, median or indicator");
    }
    const ney_status st = ney_train_check_missing(train, read->missing, &s->err);
    return st == NEY_OK ? EXIT_OK : session_fail(s, st);
}

/* How to read rows: a family that takes missing values keeps them, unless the user says what to do
 * with them. The library decides in the same way. */
static ney_read_opts reading_of(const session *s, bool others)
{
    ney_read_opts read = *(const ney_read_opts *)options_of(s->call, &read_options);
    const ney_train_opts *train = options_of(s->call, &learning_options);
    ney_error ignored;

    if (train && !others && !option_given(s->call, "missing") &&
        ney_train_check_missing(train, NEY_MISSING_KEEP, &ignored) == NEY_OK) {
        read.missing = NEY_MISSING_KEEP;
    }
    return read;
}

int learning_begin(session *s)
{
    const model_args *args = options_of(s->call, &model_options);
    const ney_train_opts *train = options_of(s->call, &learning_options);
    int code = output_check_json(s, args->output, "a model");

    file_memory_limit(s, train && !stream_trains_online(train) ? train->memory : 0);
    if (code != EXIT_OK || (code = learning_check_missing(s)) != EXIT_OK) {
        return code;
    }
    const ney_status st = output_check(args->output, &s->err);
    return st == NEY_OK ? EXIT_OK : session_fail(s, st);
}

/* The columns of --keep, then those that identify a match, which a table may have: no features. To
 * be freed, NULL without memory. */
static char *list_kept(const session *s, const char *keep)
{
    const ney_train_opts *const o = options_of(s->call, &learning_options);
    const model_args *const args = options_of(s->call, &model_options);
    const char *const keys[] = {o->spectrum, o->peptide, args ? args->protein : NULL};
    size_t size = keep ? strlen(keep) + 2 : 1;

    for (int k = 0; k < COUNT(keys); k++) {
        size += keys[k] ? 2 * strlen(keys[k]) + 2 : 0;
    }
    char *const list = malloc(size);
    size_t used =
        list ? (size_t)snprintf(list, size, "%s%s", keep ? keep : "", keep ? "," : "") : 0;
    for (int k = 0; k < COUNT(keys) && list; k++) {
        const char *at = keys[k] ? keys[k] : "";
        while (*at) {
            const size_t length = strcspn(at, ",");
            const bool marked = length > 0 && at[length - 1] == '?';
            used += (size_t)snprintf(list + used, size - used, "\n%.*s,",
                                     (int)(marked ? length - 1 : length), at);
            at += length + (at[length] == ',');
        }
    }
    return list;
}

bool learning_has_fdr(const invocation *call)
{
    return ((const ney_train_opts *)options_of(call, &learning_options))->max_fdr != NULL;
}

/* A time limit is one of a single fit. Folds that calibrate are fitted as the model is: a mean
 * would be fitted once more for each of them. */
bool learning_chooses(const session *s)
{
    static const char *const stated[] = {"C",     "method",   "network",         "features",
                                         "trees", "max-time", "conformal-folds", "calibrate-folds"};
    const ney_train_opts *o = options_of(s->call, &learning_options);
    const double rate = isnan(o->max_fpr) ? o->max_fnr : o->max_fpr;

    for (size_t k = 0; k < COUNT(stated); k++) {
        if (option_given(s->call, stated[k])) {
            return false;
        }
    }
    return !session_processes() && ney_train_goal(o) == NEY_GOAL_RATE && rate > 0 && rate < 1 &&
           !isnan(o->confidence) && (o->kernel == NEY_KERNEL_LINEAR || o->kernel == NEY_KERNEL_RBF);
}

/* What is wrong with one cell of a file; 'info' says what is wrong with all of them. */
static int refuse_file(session *s)
{
    char name[SHELL_WORD], hint[SHELL_WORD + 16];
    const bool again = s->err.file[0] && access(s->err.file, R_OK) == 0;

    shell_word(name, s->err.file);
    snprintf(hint, sizeof hint, "neyman info %s", name);
    return report_error(&s->err, EXIT_INPUT, s->common->json, again ? hint : NULL);
}

int learning_read_rows(session *s, bool others, ney_data **data)
{
    const char *path = s->call->operands[0];
    ney_read_opts read = reading_of(s, others);
    char *const keep = list_kept(s, read.keep);

    read.keep = keep && *keep ? keep : NULL;
    ney_status st = keep ? ney_data_read_with(data, &s->env, path, &read, NULL, &s->err)
                         : out_of_memory(&s->err, "names of columns");
    free(keep);
    if (st == NEY_OK && read.missing == NEY_MISSING_KEEP) {
        st = ney_data_keep_missing(*data, &s->err);
    }
    if (st == NEY_EPARSE && !interrupted() && !session_processes()) {
        return refuse_file(s);
    }
    if (st != NEY_OK) {
        return learning_refuse(s, st);
    }
    communication_say(s, "reading");
    return learning_check(s, path, *data);
}

int learning_read(session *s, ney_data **data)
{
    const int code = learning_begin(s);

    *data = NULL;
    return code == EXIT_OK ? learning_read_rows(s, false, data) : code;
}

ney_status learning_rows_to_fit(session *s, const ney_data *whole, const ney_train_opts *o,
                                int64_t *rows, int64_t *n)
{
    ney_data *train = NULL;
    int64_t *inner = malloc((size_t)(*n + 1) * sizeof *inner), m = 0;
    ney_status st = inner ? ney_data_take(&train, whole, rows, *n, &s->err) : NEY_ENOMEM;

    if (st == NEY_OK) {
        st = ney_train_rows(train, o, inner, &m, &s->err);
    }
    for (int64_t k = 0; k < m && st == NEY_OK; k++) {
        rows[k] = rows[inner[k]]; /* ascending: inner[k] >= k */
    }
    *n = m;
    ney_data_free(train);
    free(inner);
    return st;
}

/* The command that comes next. */
static void add_next(const session *s, ney_result *result, const char *path)
{
    char model[SHELL_WORD];

    shell_word(model, path);
    if (ney_result_find(result, "max_fdr")) {
        summary_next(s, result, "neyman qvalues %s DATA", model);
    } else {
        summary_next(s, result,
                     "neyman evaluate %s TEST  (TEST: labelled rows not used in training; if there "
                     "are none: neyman cv)",
                     model);
    }
}

/* The first sentences of a result, for a run that does not print it as text. */
static void say_headline(session *s, const ney_result *result)
{
    const char *const guarantee = ney_result_get_text(result, "guarantee");
    const ney_result *sentence = ney_result_first(ney_result_find(result, headline_key));

    if (guarantee) { /* the first sentence, with its evidence */
        session_say(s, NEY_LOG_INFO, "certified: %s", guarantee);
        sentence = ney_result_next(sentence);
    }
    for (; sentence; sentence = ney_result_next(sentence)) {
        session_say(s, NEY_LOG_INFO, "%s", ney_result_get_text(sentence, ""));
    }
}

static void report_run(session *s, ney_result *result, const char *path)
{
    const bool to_stdout = output_is_stdout(path);

    if (ney_result_find(result, "rates_count")) {
        session_say(s, NEY_LOG_INFO,
                    "rates and certificates count every row once: weights apply to the loss "
                    "only");
    }
    if (s->common->json || to_stdout) {
        say_headline(s, result);
    }
    if (to_stdout) {
        ney_result_free(result);
        return;
    }
    ney_result_add_text(result, "model", path);
    add_next(s, result, path);
    result_print_fit(s, result);
}

/* Seconds of --max-time; 0: no limit. */
static double time_limit(const invocation *call)
{
    static const char name[] = "max-time";
    option_place at;
    double limit = 0;

    if (option_find(call->command, name, sizeof name - 1, '\0', &at)) {
        memcpy(&limit, (const char *)call->opts[at.set] + at.row->offset, sizeof limit);
    }
    return limit;
}

ney_status learning_start(learning_run *run, session *s)
{
    const double limit = time_limit(s->call);
    progress_limit(limit > 0 ? fmax(limit - session_seconds(s), 1e-3) : 0);
    *run = (learning_run){.options = NULL};
    const ney_status st = set_options(s, &run->options);

    if (st != NEY_OK || !(limit > 0)) {
        return st;
    }
    /* the time that reading took is part of the limit */
    return ney_options_set_double(run->options, "max-time", fmax(limit - session_seconds(s), 1e-3),
                                  &s->err);
}

ney_status learning_finish(learning_run *run, session *s, ney_status st, const char *path)
{
    if (st == NEY_OK) {
        st = session_write_model(s, run->model, path);
    }
    if (st == NEY_OK) {
        communication_count(s);
        communication_add(s, run->result);
        report_run(s, run->result, path);
    } else {
        ney_result_free(run->result);
    }
    ney_model_free(run->model);
    ney_options_free(run->options);
    return st;
}
