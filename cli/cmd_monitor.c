/* neyman monitor: test the error rates of a model while labels arrive. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "groups.h"
#include "interrupt.h"
#include "model_json.h"
#include "monitor.h"
#include "output.h"
#include "plotting.h"
#include "rates.h"
#include "result.h"

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(monitor_args, field)
    /* name        flag kind           offset          default     low  high      arg      choices help */
    {"max-fpr",     0,  NEY_KIND_REAL, AT(max_fpr),    (double)NAN, 0,   1,        "RATE",  NULL, "bound on the false-positive rate; default: the bounds for which the model was trained"},
    {"max-fnr",     0,  NEY_KIND_REAL, AT(max_fnr),    (double)NAN, 0,   1,        "RATE",  NULL, "bound on the false-negative rate; default: the bounds for which the model was trained"},
    {"confidence",  0,  NEY_KIND_REAL, AT(confidence), (double)NAN, 0.5, 1,        "P",     NULL, "P: the probability of a false alarm, over all rows, is at most 1 - P; also the confidence of a renewed certificate; default: that of the model's certificate, otherwise 0.95"},
    {"state",       0,  NEY_KIND_TEXT, AT(state),      0,          0,   0,        "FILE",  NULL, "continue the test saved in FILE and save it there at the end, so that 1 - P covers all runs together"},
    {"by",          0,  NEY_KIND_TEXT, AT(by),         0,          0,   0,        "COLUMN", NULL, "also test the bounds for each value of this column of the score file; 1 - P covers all values together"},
    {"drift",       0,  NEY_KIND_FLAG, AT(drift),      0,          0,   1,        NULL,    NULL, "test whether scores have changed since training, without labels, instead of the bounds: compare them with the calibration rows of the model (train --calibrate)"},
    {"reference",   0,  NEY_KIND_TEXT, AT(reference),  0,          0,   0,        "SCORES", NULL, "with --drift, compare with the scores in this file: of rows that were not trained on and drawn regardless of their class"},
    {"stop",        0,  NEY_KIND_FLAG, AT(stop),       0,          0,   1,        NULL,    NULL, "stop reading at the alarm"},
    {"output",     'o', NEY_KIND_TEXT, AT(output),     0,          0,   0,        "OUT",   NULL, "after an alarm, certify new thresholds on the rows that follow it and write the model to OUT"},
    {"window",      0,  NEY_KIND_INT,  AT(window),     0,          0,   1e9,      "N",     NULL, "number of rows of each bounded class after the alarm on which new thresholds are certified; 0: 10 times the smallest number that can certify the bound"},
    {"score",      0,  NEY_KIND_TEXT,  AT(score),      0,          0,   0,        "COLUMN", NULL, "column that holds the scores, by name or number; default: the column named score"},
    {"label",      0,  NEY_KIND_TEXT,  AT(label),      0,          0,   0,        "COLUMN", NULL, "column that holds the true label, by name or number; default: the column named label"},
    {"delimiter",  0,  NEY_KIND_TEXT,  AT(delimiter),  0,          0,   0,        "CHAR",  NULL, "character between the fields, or tab or space; default: recognised"},
    {"decimal",    0,  NEY_KIND_TEXT,  AT(decimal),    0,          0,   0,        "MARK",  NULL, "decimal mark of the scores, '.' or ','; default: '.'"},
#undef AT
};
/* clang-format on */

static const option_topic topics[] = {{"Scores", "score label delimiter decimal"}, {NULL, NULL}};

static const option_set own_options = {.title = "Monitoring",
                                       .topics = topics,
                                       .rows = own_rows,
                                       .n_rows = COUNT(own_rows),
                                       .bytes = sizeof(monitor_args)};

/* ------------------------------------------------------------------ bounds */

/* The bound that a model was trained for; NAN without a bound. A rate of 1 bounds nothing. */
static double model_bound(const ney_model *model, const char *certified, const char *trained)
{
    const double certificate = model_number(model, NEY_METADATA_CERTIFICATE, certified);
    const double bound =
        isnan(certificate) ? model_number(model, NEY_METADATA_SUMMARY, trained) : certificate;

    return bound < 1 ? bound : (double)NAN;
}

/* The confidence of the model's certificate; with two rates each has a share. */
static double model_confidence(const ney_model *model)
{
    const double fpr = model_number(model, NEY_METADATA_CERTIFICATE, "fpr_delta");
    const double fnr = model_number(model, NEY_METADATA_CERTIFICATE, "fnr_delta");

    if (isnan(fpr) && isnan(fnr)) {
        return 0.95;
    }
    return (isnan(fpr) ? 1 : 1 - fpr) * (isnan(fnr) ? 1 : 1 - fnr);
}

double monitor_confidence(const ney_model *model, const monitor_args *args)
{
    return isnan(args->confidence) ? model_confidence(model) : args->confidence;
}

static int set_bounds(watch *w)
{
    const monitor_args *a = w->args;
    const double fpr = model_bound(w->model, "fpr_max_rate", "max_fpr");
    const double fnr = model_bound(w->model, "fnr_max_rate", "max_fnr");
    const bool given = !isnan(a->max_fpr) || !isnan(a->max_fnr);
    ney_monitor_opts *o = &w->opts;

    o->max_fpr = given ? a->max_fpr : fpr;
    o->max_fnr = given ? a->max_fnr : fnr;
    o->delta = ney_delta_of_confidence(monitor_confidence(w->model, a));
    o->window = a->window;
    ney_model_thresholds(w->model, &o->low, &o->high);
    if (isnan(o->max_fpr) && isnan(o->max_fnr)) {
        return session_misused(
            w->s, "the model was not trained for a bounded rate; expected --max-fpr or --max-fnr");
    }
    if (!a->output) {
        return EXIT_OK;
    }
    if ((isnan(o->max_fpr) && !isnan(fpr)) || (isnan(o->max_fnr) && !isnan(fnr))) {
        return session_misused(w->s,
                               "-o would drop the model's bound on the false-%s rate; expected "
                               "--max-fpr and --max-fnr, or neither",
                               isnan(o->max_fpr) ? "positive" : "negative");
    }
    if (o->low < o->high && (isnan(o->max_fpr) || isnan(o->max_fnr))) {
        return session_misused(w->s, "-o would drop the model's rejection band; expected both "
                                     "--max-fpr and --max-fnr");
    }
    return EXIT_OK;
}

/* Options that --drift gives a meaning or takes it from. */
static int check_drift(session *s, const monitor_args *a)
{
    const char *const without = !isnan(a->max_fpr)   ? "--max-fpr"
                                : !isnan(a->max_fnr) ? "--max-fnr"
                                : a->by              ? "--by"
                                : a->label           ? "--label"
                                : a->output          ? "-o"
                                : a->window > 0      ? "--window"
                                                     : NULL;
    if (a->drift && without) {
        return session_misused(s,
                               "%s is about error rates, which need labels, and --drift tests "
                               "scores without them: run them separately",
                               without);
    }
    if (a->reference && !a->drift) {
        return session_misused(s, "--reference applies to --drift");
    }
    if (a->by && a->output) {
        return session_misused(s, "-o certifies thresholds for all rows together and cannot be "
                                  "combined with --by");
    }
    return EXIT_OK;
}

static int check_options(session *s, const monitor_args *a)
{
    const int code = check_drift(s, a);

    if (code != EXIT_OK) {
        return code;
    }
    if (a->stop && a->output) {
        return session_misused(s, "--stop ends at the alarm, and -o needs the rows after it: "
                                  "expected one of the two");
    }
    if (a->window > 0 && !a->output && !a->state) {
        return session_misused(s, "--window applies to -o and --state");
    }
    if (a->output && output_is_stdout(a->output)) {
        return session_misused(
            s, "-o - and the result cannot share standard output; name a file with -o");
    }
    if (a->state && (strcmp(a->state, "-") == 0 || strcmp(a->state, s->call->operands[0]) == 0 ||
                     (a->output && strcmp(a->state, a->output) == 0))) {
        return session_misused(s, "--state %s: expected a file that is neither the model nor -o",
                               a->state);
    }
    return EXIT_OK;
}

/* Identify the state with the model and its thresholds. */
static ney_status identify_model(watch *w)
{
    ney_model_thresholds(w->model, &w->opts.low, &w->opts.high);
    return ney_model_fingerprint(w->model, &w->opts.fingerprint, &w->s->err);
}

static int open_monitor(watch *w)
{
    session *s = w->s;
    int code = set_bounds(w);
    ney_status st;

    if (code != EXIT_OK) {
        return code;
    }
    if ((st = identify_model(w)) != NEY_OK ||
        (st = ney_monitor_new(&w->monitor, &s->env, &w->opts, &s->err)) != NEY_OK ||
        (w->args->by && (st = ney_monitor_watch_by(w->monitor, w->args->by, &s->err)) != NEY_OK)) {
        return st == NEY_EINVAL ? session_misused(s, "%s", s->err.message) : session_fail(s, st);
    }
    if ((w->args->output && (st = output_check(w->args->output, &s->err)) != NEY_OK) ||
        (w->args->state &&
         (st = ney_monitor_open(w->monitor, w->args->state, &s->err)) != NEY_OK)) {
        return session_fail(s, st);
    }
    return EXIT_OK;
}

/* ------------------------------------------------------------------ the end */

/* Write the renewed model; a state belongs to it from then on. */
static ney_status write_renewed_model(watch *w)
{
    session *s = w->s;
    ney_status st = ney_model_renew(w->model, w->monitor, &w->certified, &s->err);

    if (st != NEY_OK || (st = ney_model_write(w->model, w->args->output, &s->err)) != NEY_OK) {
        return st;
    }
    w->renewed = true;
    if ((st = identify_model(w)) != NEY_OK) {
        return st;
    }
    return ney_monitor_restart(w->monitor, &w->opts, &s->err);
}

static void say_renewal(watch *w, const ney_monitor_info *i)
{
    const char *path = w->args->output;

    if (w->renewed) {
        session_say(w->s, NEY_LOG_WARNING,
                    "%s is written with new thresholds; they are valid if the rate changed "
                    "before the alarm and has been constant since",
                    path);
    } else if (i->alarm_row == 0) {
        session_say(w->s, NEY_LOG_INFO, "there was no alarm: %s is not written", path);
    } else if (!i->renewable) {
        session_say(w->s, NEY_LOG_WARNING,
                    "%s is not written: %lld negatives and %lld positives are missing after the "
                    "alarm",
                    path, (long long)(i->fpr.window - i->fpr.collected),
                    (long long)(i->fnr.window - i->fnr.collected));
    }
}

static int finish(watch *w)
{
    session *s = w->s;
    const ney_monitor_info i = ney_monitor_look(w->monitor);
    const bool alarm = monitor_has_alarm(w);
    ney_status st = NEY_OK;

    if (w->args->output && i.renewable && !interrupted()) {
        st = write_renewed_model(w);
        if (st == NEY_EGOAL) { /* the alarm is still the result */
            session_say(s, NEY_LOG_WARNING, "%s is not written: %s", w->args->output,
                        s->err.message);
            st = NEY_OK;
        }
    }
    if (st == NEY_OK && w->trace.kept) {
        st = trace_plot(&w->trace, s, "Evidence that a bound is exceeded");
    }
    if (st == NEY_OK && w->args->state) {
        st = ney_monitor_save(w->monitor, &s->err);
    }
    if (st != NEY_OK) {
        return session_fail(s, st);
    }
    if (w->args->output) {
        say_renewal(w, &i);
    }
    monitor_report(w, &i);
    return interrupted() ? EXIT_INTERRUPTED : alarm ? EXIT_ALARM : EXIT_OK;
}

static int test_rows(watch *w)
{
    const ney_monitor_info before = ney_monitor_look(w->monitor);

    if (before.alarm_row > 0) {
        session_say(w->s, NEY_LOG_WARNING, "the alarm at row %lld of an earlier run is permanent",
                    (long long)before.alarm_row);
    } else if (monitor_has_alarm(w)) {
        session_say(w->s, NEY_LOG_WARNING,
                    "the alarm of a subgroup in an earlier run is permanent");
    }
    if (!monitor_is_over(w)) {
        const ney_status st = monitor_read_rows(w);
        if (st != NEY_OK) {
            return session_fail(w->s, st);
        }
        const int code = monitor_check_rows(w, &before);
        if (code != EXIT_OK) {
            return code;
        }
    }
    return finish(w);
}

static int run(session *s)
{
    watch w = {.s = s, .args = options_of(s->call, &own_options)};
    int code = check_options(s, w.args);

    if (code != EXIT_OK || (code = plotting_check(s)) != EXIT_OK) {
        return code;
    }
    trace_init(&w.trace, s);
    if (ney_model_read(&w.model, &s->env, s->call->operands[0], &s->err) != NEY_OK) {
        return session_fail(s, s->err.code);
    }
    if (groups_certified(w.model)) {
        code = session_misused(s, "the model is certified with the group as the unit, and monitor "
                                  "tests single rows: its alarm would not be valid");
    } else if (w.args->drift) {
        code = monitor_drift(s, w.model, w.args);
    } else if ((code = open_monitor(&w)) == EXIT_OK) {
        code = test_rows(&w);
    }
    ney_monitor_free(w.monitor);
    ney_model_free(w.model);
    return code;
}

static const option_rule rules[] = {PLOT_RULE, {NULL, NULL, NULL}};

const command command_monitor = {
    .name = "monitor",
    .operands = "MODEL [SCORES]",
    .group = "Using a model",
    .summary = "raise an alarm when an error rate exceeds its bound, or scores change",
    .description =
        "Reads a score file, by default standard input while it grows: the true label and the "
        "score of each row, as 'neyman predict --scores' writes them. Tests every rate that the "
        "model "
        "bounds, after every row. While the bounds are met, the probability that an alarm is ever "
        "raised is at most 1 - P, where P is --confidence. An alarm is reported at once, and "
        "the exit code is 6. No alarm does not mean that a bound is met.",
    .details =
        "The alarm is a sequential test: if each row of a bounded class is misclassified with "
        "probability at most the bound, given the rows before it, the probability that an alarm "
        "is ever raised is at most 1 - P; with two bounds each has half of 1 - P. Rows may depend "
        "on "
        "each other. They must be all rows of the class, or a sample drawn regardless of the "
        "labels: rows that are labelled only because the model classified them as positive do not "
        "qualify.\n\n"
        "If the input has a column seen, as 'neyman predict --seen' writes it, and it marks a row "
        "as used in training, the exit code is 4 and the state is unchanged.\n\n"
        "With --state the test continues over several runs. The file belongs to one model and one "
        "choice of options and is saved when the run ends, also by Ctrl-C; a run that fails "
        "leaves it unchanged. An alarm is permanent: every further run ends with exit code 6.\n\n"
        "With -o the run continues after the alarm until --window rows of each bounded class have "
        "arrived, certifies new thresholds on these rows alone, for all bounds of the model and "
        "with the same confidence, and ends. The new certificate is valid if the rate changed "
        "before the alarm and the rows since then are drawn from the same distribution as future "
        "rows. If the input ends earlier, nothing is written; with --state a later run continues "
        "collecting. After a renewal the state belongs to the new model.\n\n"
        "With --by each value of the column is tested against the same bounds, as all rows are: 1 "
        "- P covers all of these tests. All rows together have half of it, the k-th value to "
        "arrive 1 / (2 k (k + 1)).\n\n"
        "With --drift labels are not needed. The test compares scores with those of reference "
        "rows: the calibration rows of a model trained with --calibrate, or a score file. If "
        "reference rows and new rows are independent draws from one distribution, the probability "
        "that an alarm is ever raised is at most 1 - P. An alarm of drift does not show that an "
        "error rate "
        "has changed.",
    .everyday = "max-fpr max-fnr confidence by drift state output plot json help",
    .examples = {{"Is the filter still within its bound?",
                  "neyman predict spam.model today.csv --scores | neyman monitor spam.model"},
                 {"A weekly job; one test over all weeks:",
                  "neyman monitor spam.model --state spam.state < week.tsv"},
                 {"Have scores changed since training? No labels needed:",
                  "neyman predict spam.model today.csv --scores | neyman monitor spam.model "
                  "--drift --state drift.state"},
                 {"After an alarm, certify new thresholds on the next 5000 negatives:",
                  "neyman monitor spam.model --window 5000 -o new.model < outcomes.tsv"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_GOAL, EXIT_ALARM, EXIT_INTERRUPTED},
    .sets = {&own_options, &plot_options},
    .rules = rules,
    .run = run,
};
