/* The rows of a run of 'monitor', and the alarms that they raise. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "interrupt.h"
#include "monitor.h"

/* `of` is "" or names the subgroup. */
static void say_alarm(watch *w, const ney_monitor_rate *r, bool fpr, const char *of)
{
    session_say(w->s, NEY_LOG_WARNING,
                "alarm at row %lld: %lld of %lld %s%s are misclassified; with confidence %.6g the "
                "%s has been above its bound %.6g",
                (long long)r->alarm_row, (long long)r->errors, (long long)r->n,
                fpr ? "negatives" : "positives", of, 1 - w->opts.delta, fpr ? "FPR" : "FNR",
                r->max_rate);
}

/* Say the alarms that the row `row`, the last one, raised. */
static void say_alarms(watch *w, int64_t row)
{
    const ney_monitor_info i = ney_monitor_look(w->monitor);
    ney_subgroup_info g;
    char of[160];

    if (i.fpr.alarm_row == row) {
        say_alarm(w, &i.fpr, true, "");
    }
    if (i.fnr.alarm_row == row) {
        say_alarm(w, &i.fnr, false, "");
    }
    for (int64_t k = 0; ney_monitor_subgroup(w->monitor, k, &g); k++) {
        snprintf(of, sizeof of, " with %.60s = %.60s", w->args->by, g.name);
        if (g.fpr.alarm_row == row) {
            say_alarm(w, &g.fpr, true, of);
        }
        if (g.fnr.alarm_row == row) {
            say_alarm(w, &g.fnr, false, of);
        }
    }
}

bool monitor_has_alarm(const watch *w)
{
    bool alarm = ney_monitor_look(w->monitor).alarm_row > 0;
    ney_subgroup_info g;

    for (int64_t k = 0; !alarm && ney_monitor_subgroup(w->monitor, k, &g); k++) {
        alarm = g.fpr.alarm_row > 0 || g.fnr.alarm_row > 0;
    }
    return alarm;
}

bool monitor_is_over(const watch *w)
{
    const ney_monitor_info i = ney_monitor_look(w->monitor);

    return (w->args->stop && monitor_has_alarm(w)) || (w->args->output && i.renewable);
}

static int64_t rows_so_far(const watch *w)
{
    const ney_monitor_info i = ney_monitor_look(w->monitor);

    return i.n_pos + i.n_neg;
}

/* A point of the chart: the rates that are watched. */
static void trace_rates(watch *w, const ney_monitor_info *i)
{
    double evidence[TRACE_TESTS] = {0};
    int n = 0;

    if (w->trace.kept) {
        if (i->fpr.watched) {
            w->trace.name[n] = "FPR, on negatives";
            w->trace.needed[n] = -log(i->fpr.delta);
            evidence[n++] = i->fpr.log_evidence;
        }
        if (i->fnr.watched) {
            w->trace.name[n] = "FNR, on positives";
            w->trace.needed[n] = -log(i->fnr.delta);
            evidence[n++] = i->fnr.log_evidence;
        }
        w->trace.n_tests = n;
        trace_add(&w->trace, i->n_pos + i->n_neg, evidence);
    }
}

static ney_status add_rows(watch *w, const ney_labelled_scores *rows, const char *const *name)
{
    for (int64_t at = 0, taken; at < rows->n && !monitor_is_over(w); at += taken) {
        const ney_labelled_scores rest = {
            .score = rows->score + at,
            .label = rows->label + at,
            .n = trace_stride(&w->trace, rows_so_far(w), rows->n - at)};
        const ney_status st =
            ney_monitor_add_by(w->monitor, &rest, name ? name + at : NULL, &taken, &w->s->err);
        const ney_monitor_info i = ney_monitor_look(w->monitor);

        w->n_read += taken;
        if (taken > 0) {
            say_alarms(w, i.n_pos + i.n_neg);
            trace_rates(w, &i);
        }
        if (st != NEY_OK) {
            return st;
        }
    }
    return NEY_OK;
}

ney_status monitor_refuse_seen(ney_error *err)
{
    *err = (ney_error){.code = NEY_EGOAL,
                       .message = "rows are marked in column seen as used in training: they can "
                                  "neither test a bound nor certify one; expected new rows"};
    return NEY_EGOAL;
}

ney_score_stream_opts monitor_stream_opts(const monitor_args *args)
{
    return (ney_score_stream_opts){.by = args->by,
                                   .unlabelled = args->drift,
                                   .score = args->score,
                                   .label = args->label,
                                   .delimiter = args->delimiter,
                                   .decimal = args->decimal};
}

const char *monitor_path(const session *s)
{
    return s->call->n_operands > 1 ? s->call->operands[1] : "-";
}

const char *monitor_title(const session *s)
{
    const char *const path = monitor_path(s);

    return strcmp(path, "-") == 0 ? "standard input" : path;
}

ney_status monitor_read_rows(watch *w)
{
    session *s = w->s;
    ney_score_stream *stream = NULL;
    const ney_score_stream_opts opts = monitor_stream_opts(w->args);
    ney_status st = ney_score_stream_open_with(&stream, &s->env, monitor_path(s),
                                               ney_model_preprocessing(w->model), &opts, &s->err);
    ney_labelled_scores rows = {.n = 1};

    while (st == NEY_OK && rows.n > 0 && !monitor_is_over(w)) {
        st = ney_score_stream_next(stream, &rows.score, &rows.label, &rows.n, &s->err);
        if (st == NEY_OK && ney_score_stream_seen(stream) > 0) {
            st = monitor_refuse_seen(&s->err);
        }
        if (st == NEY_OK) {
            st = add_rows(w, &rows, ney_score_stream_names(stream));
        }
    }
    ney_score_stream_close(stream);
    return st == NEY_ECANCELLED && interrupted() ? NEY_OK : st; /* the rows so far are reported */
}

int monitor_check_rows(watch *w, const ney_monitor_info *before)
{
    const ney_monitor_info i = ney_monitor_look(w->monitor);
    const bool seen = i.fpr.n > before->fpr.n || i.fnr.n > before->fnr.n;

    if (seen || monitor_has_alarm(w) || interrupted()) {
        return EXIT_OK;
    }
    return session_bad_input(w->s, monitor_title(w->s), "found no %s, so no rate was tested",
                             w->n_read == 0 ? "rows"
                             : !i.fpr.watched
                                 ? "row of the positive class, whose errors are bounded"
                                 : "row of the negative class, whose errors are bounded");
}
