/* neyman monitor: watch the errors of a model as they become known. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "groups.h"
#include "interrupt.h"
#include "model_json.h"
#include "output.h"
#include "rates.h"
#include "result.h"

typedef struct monitor_args {
    const char *output;
    double max_fpr, max_fnr, confidence;
    int64_t window;
    bool stop;
} monitor_args;

/* clang-format off */
static const ney_param own_rows[] = {
#define AT(field) offsetof(monitor_args, field)
    /* name        flag kind           offset          default     low  high      arg      choices help */
    {"max-fpr",     0,  NEY_KIND_REAL, AT(max_fpr),    (double)NAN, 0,   1,        "RATE",  NULL, "the rate that false positives may have; default: the one the model was made for"},
    {"max-fnr",     0,  NEY_KIND_REAL, AT(max_fnr),    (double)NAN, 0,   1,        "RATE",  NULL, "the rate that false negatives may have; default: the one the model was made for"},
    {"confidence",  0,  NEY_KIND_REAL, AT(confidence), 0.95,       0.5, 1,        "P",     NULL, "a false alarm is ever raised with probability 1 - P at most, however long the watch"},
    {"stop",        0,  NEY_KIND_FLAG, AT(stop),       0,          0,   1,        NULL,    NULL, "end at the alarm instead of at the end of the input"},
    {"output",     'o', NEY_KIND_TEXT, AT(output),     0,          0,   0,        "OUT",   NULL, "recalibrate: write the model with a threshold certified on the outcomes seen last"},
    {"window",      0,  NEY_KIND_INT,  AT(window),     100000,     1,   1e9,      "N",     NULL, "outcomes of the bounded class that recalibration looks back on"},
#undef AT
};
/* clang-format on */

static const option_set own_options = {
    .title = "Watch", .rows = own_rows, .n_rows = COUNT(own_rows), .bytes = sizeof(monitor_args)};

typedef struct watch {
    session *s;
    const monitor_args *args;
    ney_model *model;
    ney_monitor monitor;
    bool fpr;         /* false positives are watched, not false negatives */
    double rate;      /* the bound */
    double low, high; /* the model's thresholds */
    int64_t rows, n_pos, n_neg;
    int64_t line;
    int label_column, score_column;
    double *recent; /* scores of the bounded class, the last ones, in a ring */
    int64_t n_recent;
} watch;

/* ------------------------------------------------------------------ what is bounded */

static double first_of(double a, double b, double c)
{
    return !isnan(a) ? a : !isnan(b) ? b : c;
}

static int find_bound(watch *w)
{
    const monitor_args *a = w->args;
    const bool given = !isnan(a->max_fpr) || !isnan(a->max_fnr);
    const double fpr =
        first_of(a->max_fpr, model_number(w->model, NEY_LIST_CERTIFICATE, "fpr_max_rate"),
                 model_number(w->model, NEY_LIST_SUMMARY, "max_fpr"));
    const double fnr =
        first_of(a->max_fnr, model_number(w->model, NEY_LIST_CERTIFICATE, "fnr_max_rate"),
                 model_number(w->model, NEY_LIST_SUMMARY, "max_fnr"));

    if (!isnan(a->max_fpr) && !isnan(a->max_fnr)) {
        return session_misused(w->s, "--max-fpr and --max-fnr: one rate is watched at a time");
    }
    w->fpr = given ? !isnan(a->max_fpr) : !isnan(fpr);
    w->rate = w->fpr ? fpr : fnr;
    if (isnan(w->rate)) {
        return session_misused(
            w->s, "the model was not made for a bounded rate; expected --max-fpr or --max-fnr");
    }
    if (ney_monitor_init(&w->monitor, w->rate, ney_delta_of_confidence(a->confidence),
                         &w->s->err) != NEY_OK) {
        return session_misused(w->s, "%s", w->s->err.message);
    }
    return EXIT_OK;
}

/* ------------------------------------------------------------------ lines */

enum { MOST_FIELDS = 16 };

/* Cut a line at tabs, commas or spaces; the fields are ended where they stand. */
static int cut_line(char *line, char *field[MOST_FIELDS])
{
    static const char between[] = "\t, \r\n";
    int n = 0;

    for (char *at = line + strspn(line, between); *at && n < MOST_FIELDS;) {
        const size_t length = strcspn(at, between);
        const bool last = at[length] == '\0';
        field[n++] = at;
        at[length] = '\0';
        at += length + (last ? 0 : 1);
        at += strspn(at, between);
    }
    return n;
}

/* The first line may name its columns, as what `predict --scores` writes does. */
static bool is_header(watch *w, char *const *field, int n)
{
    int label = -1, score = -1;

    for (int k = 0; k < n; k++) {
        label = strcmp(field[k], "label") == 0 ? k : label;
        score = strcmp(field[k], "score") == 0 ? k : score;
    }
    if (label < 0 || score < 0) {
        return false;
    }
    w->label_column = label;
    w->score_column = score;
    return true;
}

/* +1 or -1; 0 for a label that the model does not know. */
static int sign_of(const watch *w, const char *label)
{
    const ney_recipe *recipe = ney_model_recipe(w->model);

    for (int sign = -1; sign <= 1; sign += 2) {
        const char *const name = ney_recipe_label(recipe, sign);
        char *end_a, *end_b;
        const double a = strtod(label, &end_a), b = strtod(name, &end_b);
        if (strcmp(label, name) == 0 || (*label && *name && !*end_a && !*end_b && a == b)) {
            return sign;
        }
    }
    return 0;
}

static int refuse_line(watch *w, const char *what)
{
    const ney_recipe *recipe = ney_model_recipe(w->model);

    w->s->err = (ney_error){.code = NEY_EPARSE, .line = w->line};
    snprintf(w->s->err.file, sizeof w->s->err.file, "standard input");
    snprintf(w->s->err.message, sizeof w->s->err.message,
             "%s, expected a label ('%.60s' or '%.60s') and a score", what,
             ney_recipe_label(recipe, -1), ney_recipe_label(recipe, 1));
    return session_fail(w->s, NEY_EPARSE);
}

/* ------------------------------------------------------------------ outcomes */

static void raise_alarm(watch *w)
{
    const ney_monitor *m = &w->monitor;

    session_say(w->s, NEY_LOG_WARNING,
                "alarm at line %lld: %lld of %lld %s are mistaken, more than the rate %g allows; "
                "with confidence %g the rate has left its bound",
                (long long)w->line, (long long)m->mistaken, (long long)m->n,
                w->fpr ? "negatives" : "positives", w->rate, w->args->confidence);
}

static void see(watch *w, int sign, double score)
{
    const bool before = w->monitor.alarm;

    w->rows++;
    *(sign > 0 ? &w->n_pos : &w->n_neg) += 1;
    if (sign != (w->fpr ? -1 : 1)) {
        return;
    }
    w->recent[w->n_recent++ % w->args->window] = score;
    if (ney_monitor_see(&w->monitor, w->fpr ? score >= w->high : score < w->low) && !before) {
        raise_alarm(w);
    }
}

static int read_line(watch *w, char *line)
{
    char *field[MOST_FIELDS], *end;
    const int n = cut_line(line, field);

    w->line++;
    if (n == 0 || (w->rows == 0 && is_header(w, field, n))) {
        return EXIT_OK;
    }
    if (n <= w->label_column || n <= w->score_column) {
        return refuse_line(w, "too few fields");
    }
    const double score = strtod(field[w->score_column], &end);
    const int sign = sign_of(w, field[w->label_column]);
    if (*end || isnan(score)) {
        return refuse_line(w, "a score that is no number");
    }
    if (sign == 0) {
        return refuse_line(w, "a label that the model does not know");
    }
    see(w, sign, score);
    return EXIT_OK;
}

static int read_all(watch *w)
{
    char *line = NULL;
    size_t room = 0;
    int code = EXIT_OK;

    while (code == EXIT_OK && !(w->args->stop && w->monitor.alarm) && !interrupted() &&
           getline(&line, &room, stdin) >= 0) {
        code = read_line(w, line);
    }
    free(line);
    if (code == EXIT_OK && ferror(stdin) && !interrupted()) {
        w->s->err = (ney_error){.code = NEY_EIO, .message = "standard input cannot be read"};
        return session_fail(w->s, NEY_EIO);
    }
    return code;
}

/* ------------------------------------------------------------------ the end */

static ney_status recalibrate(watch *w, ney_certified *c)
{
    const int64_t n = w->n_recent < w->args->window ? w->n_recent : w->args->window;
    ney_certificate *one = w->fpr ? &c->fpr : &c->fnr;
    session *s = w->s;

    *c = (ney_certified){.has_fpr = w->fpr, .has_fnr = !w->fpr};
    ney_status st =
        ney_certify(one, &s->env, w->fpr ? NEY_FALSE_POSITIVES : NEY_FALSE_NEGATIVES, w->recent, n,
                    w->rate, ney_delta_of_confidence(w->args->confidence), &s->err);
    if (st == NEY_OK) {
        c->low = c->high = one->threshold;
        st = ney_model_certify(w->model, c, &s->err);
    }
    return st == NEY_OK ? ney_model_write(w->model, w->args->output, &s->err) : st;
}

static void tell(watch *w, const ney_certified *c)
{
    const ney_monitor *m = &w->monitor;
    cJSON *root = json_new();

    json_int(root, "n", w->rows);
    json_int(root, "n_pos", w->n_pos);
    json_int(root, "n_neg", w->n_neg);
    json_real(root, w->fpr ? "max_fpr" : "max_fnr", w->rate);
    json_int(root, "mistaken", m->mistaken);
    result_rate(root, w->fpr ? "fpr" : "fnr", m->mistaken, m->n);
    json_bool(root, "alarm", m->alarm);
    json_real(root, "evidence", exp(m->evidence));
    json_real(root, "needed", 1 / m->delta);
    if (m->alarm) {
        json_int(root, "alarm_at", m->alarm_at);
    }
    json_real(root, "threshold", w->high);
    if (w->args->output) {
        json_real(root, "new_threshold", c->high);
        json_int(root, "calibrated_on", w->fpr ? c->fpr.n : c->fnr.n);
        json_text(root, "model", w->args->output);
    }
    result_print(w->s, root);
}

static int finish(watch *w)
{
    ney_certified c = {0};

    if (w->args->output) {
        const ney_status st = recalibrate(w, &c);
        if (st != NEY_OK) {
            return session_fail(w->s, st);
        }
    }
    tell(w, &c);
    return interrupted() ? EXIT_INTERRUPTED : w->monitor.alarm ? EXIT_GOAL : EXIT_OK;
}

static int run(session *s)
{
    watch w = {.s = s, .args = options_of(s->call, &own_options), .score_column = 1};
    int code;

    if (ney_model_read(&w.model, &s->env, s->call->operands[0], &s->err) != NEY_OK) {
        return session_fail(s, s->err.code);
    }
    if (groups_certified(w.model)) {
        code = session_misused(s, "the model is certified with the group as the unit, and monitor "
                                  "bets on every row as if rows were independent: its alarm would "
                                  "not be valid");
        ney_model_free(w.model);
        return code;
    }
    ney_model_thresholds(w.model, &w.low, &w.high);
    w.recent = malloc((size_t)w.args->window * sizeof *w.recent);
    if (!w.recent) {
        s->err = (ney_error){.code = NEY_ENOMEM, .message = "no memory for the scores"};
        code = session_fail(s, NEY_ENOMEM);
    } else if ((code = find_bound(&w)) == EXIT_OK && (code = read_all(&w)) == EXIT_OK) {
        code = finish(&w);
    }
    free(w.recent);
    ney_model_free(w.model);
    return code;
}

const command command_monitor = {
    .name = "monitor",
    .operands = "MODEL",
    .group = "Using a model",
    .summary = "watch whether a bounded rate is still kept",
    .description =
        "Reads outcomes from standard input as they become known, one a line: the true label and "
        "the score that the model gave, as 'neyman predict --scores' writes them (a header naming "
        "label and score, or the two in that order, between tabs, commas or spaces). Each is "
        "looked "
        "at as it comes.\n\n"
        "The alarm is raised once the rate of mistakes has left its bound. It may be looked at "
        "after "
        "every line: while the bound is kept, it is ever raised with probability 1 - P at most, P "
        "being --confidence, however long the watch lasts. The exit code is 4 then.\n\n"
        "With -o the threshold is certified anew on the outcomes of the bounded class that were "
        "seen last, and the model written with it.",
    .examples = {{"Is the filter still within its bound?",
                  "neyman predict spam.model today.csv --scores | neyman monitor spam.model"},
                 {"Watch until the alarm, then take a new threshold:",
                  "neyman monitor spam.model --stop --window 5000 -o new.model < outcomes.tsv"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_GOAL, EXIT_INTERRUPTED},
    .sets = {&own_options},
    .run = run,
};
