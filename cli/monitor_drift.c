/* 'monitor --drift': have scores changed since training? Labels are not read. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "interrupt.h"
#include "monitor.h"
#include "result.h"
#include "summary.h"

enum { SEED = 1 }; /* of the random numbers that break ties: fixed, so that runs can be repeated */

typedef struct drift_run {
    session *s;
    const ney_model *model;
    const monitor_args *args;
    ney_drift *test;
    double *reference; /* of the file; the model's own are only borrowed here */
    int64_t n_reference, cap, n_read;
    int64_t n_high, n_reference_high; /* rows at or above the model's threshold */
    double low, high;
    evidence_trace trace;
} drift_run;

/* ------------------------------------------------------------------ scores */

typedef ney_status take_scores(drift_run *r, const double *score, int64_t n);

/* All scores of a file, batch after batch. */
static ney_status read_scores(drift_run *r, const char *path, take_scores *take)
{
    const ney_score_stream_opts opts = monitor_stream_opts(r->args);
    session *s = r->s;
    ney_score_stream *stream = NULL;
    ney_status st = ney_score_stream_open_with(&stream, &s->env, path,
                                               ney_model_preprocessing(r->model), &opts, &s->err);
    int64_t n = 1;

    while (st == NEY_OK && n > 0 &&
           !(r->test && r->args->stop && ney_drift_look(r->test).alarm_row > 0)) {
        const double *score;
        const int8_t *label;
        st = ney_score_stream_next(stream, &score, &label, &n, &s->err);
        if (st == NEY_OK && ney_score_stream_seen(stream) > 0) {
            st = monitor_refuse_seen(&s->err);
        }
        if (st == NEY_OK) {
            st = take(r, score, n);
        }
    }
    ney_score_stream_close(stream);
    return st;
}

static ney_status take_reference(drift_run *r, const double *score, int64_t n)
{
    if (r->n_reference + n > r->cap) {
        const int64_t cap = 2 * (r->n_reference + n);
        double *more = realloc(r->reference, (size_t)cap * sizeof *more);
        if (!more) {
            return out_of_memory(&r->s->err, "the reference scores");
        }
        r->reference = more;
        r->cap = cap;
    }
    for (int64_t i = 0; i < n; i++) {
        r->reference[r->n_reference++] = score[i];
    }
    return NEY_OK;
}

static ney_status take_rows(drift_run *r, const double *score, int64_t n)
{
    const bool stop = r->args->stop;

    for (int64_t at = 0, taken; at < n; at += taken) {
        const int64_t before = ney_drift_look(r->test).alarm_row;
        const int64_t most = trace_stride(&r->trace, ney_drift_look(r->test).n, n - at);
        const ney_status st = ney_drift_add(r->test, score + at, most, &taken, &r->s->err);
        const ney_drift_info i = ney_drift_look(r->test);
        trace_add(&r->trace, i.n, &(double[TRACE_TESTS]){i.log_evidence}[0]);
        r->n_read += taken;
        for (int64_t k = 0; k < taken; k++) {
            r->n_high += score[at + k] >= r->high;
        }
        if (i.alarm_row != before) {
            session_say(r->s, NEY_LOG_WARNING,
                        "alarm at row %lld: with confidence %.6g the scores no longer come from "
                        "the distribution of the reference rows",
                        (long long)i.alarm_row, 1 - i.delta);
        }
        if (st != NEY_OK || (stop && i.alarm_row > 0)) {
            return st;
        }
    }
    return NEY_OK;
}

/* ------------------------------------------------------------------ the test */

static int begin_test(drift_run *r, const double *reference, int64_t n)
{
    session *s = r->s;
    ney_drift_opts o = {.delta = ney_delta_of_confidence(monitor_confidence(r->model, r->args)),
                        .seed = SEED};
    ney_status st = ney_model_fingerprint(r->model, &o.fingerprint, &s->err);

    for (int64_t i = 0; i < n; i++) {
        r->n_reference_high += reference[i] >= r->high;
    }
    if (st == NEY_OK) {
        st = ney_drift_new(&r->test, &s->env, reference, n, &o, &s->err);
    }
    if (st == NEY_OK && r->args->state) {
        st = ney_drift_open(r->test, r->args->state, &s->err);
    }
    return st == NEY_EINVAL ? session_misused(s, "%s", s->err.message)
           : st == NEY_OK   ? EXIT_OK
                            : session_fail(s, st);
}

/* The reference is in a file or in the model. */
static int find_reference(drift_run *r)
{
    session *s = r->s;
    double *scores = NULL;
    int64_t n = 0;
    int code;

    if (r->args->reference) {
        const ney_status st = read_scores(r, r->args->reference, take_reference);
        if (st == NEY_OK && r->n_reference == 0) {
            return session_bad_input(s, r->args->reference, "has no rows, expected scores");
        }
        return st == NEY_OK ? begin_test(r, r->reference, r->n_reference) : session_fail(s, st);
    }
    const ney_status st = ney_model_reference(r->model, &scores, &n, &s->err);
    if (st != NEY_OK) {
        return session_fail(s, st);
    }
    code = scores ? begin_test(r, scores, n)
                  : session_misused(s, "the model has no reference scores; train it with "
                                       "--calibrate SHARE, without groups, or name scores of rows "
                                       "that were not trained on with --reference");
    ney_reference_free(r->model, scores);
    return code;
}

/* ------------------------------------------------------------------ the result */

static void add_bins(const drift_run *r, ney_result *root)
{
    ney_result *list = ney_result_add_array(root, "intervals");
    double high, expected, observed;

    for (int64_t k = 0; ney_drift_bin(r->test, k, &high, &expected, &observed); k++) {
        ney_result *row = ney_result_add_object(list, NULL);
        if (isfinite(high)) {
            ney_result_add_real(row, "score_up_to", high);
        } else {
            ney_result_add_text(row, "score_up_to", NULL);
        }
        ney_result_add_real(row, "reference_share", expected);
        if (isnan(observed)) {
            ney_result_add_text(row, "share", NULL);
        } else {
            ney_result_add_real(row, "share", observed);
        }
    }
}

static void add_headline(const drift_run *r, ney_result *root, const ney_drift_info *i)
{
    char model[SHELL_WORD];

    if (i->alarm_row > 0) {
        ney_result_headline(root,
                            "Alarm: scores have changed. With confidence %.6g, rows up to row %lld "
                            "and the %lld reference rows do not come from one distribution.",
                            1 - i->delta, (long long)i->alarm_row, (long long)i->n_reference);
        ney_result_headline(root, "This does not show that an error rate has changed: label a "
                                  "random sample of new rows and test the bounds on it.");
        shell_word(model, r->s->call->operands[0]);
        summary_next(r->s, root, "neyman monitor %s < LABELLED  (LABELLED: label and score)",
                     model);
    } else {
        ney_result_headline(root,
                            "No alarm: after %lld rows there is no evidence, at confidence %.6g, "
                            "that scores have changed since training.",
                            (long long)i->n, 1 - i->delta);
    }
    if (r->n_read > 0) {
        ney_result_headline(root,
                            "Classified as positive: %.3g %% of the rows of this run, %.3g %% of "
                            "the reference rows.",
                            100 * (double)r->n_high / (double)r->n_read,
                            100 * (double)r->n_reference_high / (double)i->n_reference);
    }
}

static void print_result(const drift_run *r)
{
    const ney_drift_info i = ney_drift_look(r->test);
    ney_result *root = result_new();

    ney_result_add_text(root, "verdict",
                        i.alarm_row > 0 ? "alarm: the distribution of scores has changed"
                                        : "no alarm: no evidence that scores have changed");
    ney_result_add_int(root, "n", i.n);
    ney_result_add_int(root, "rows_read", r->n_read);
    ney_result_add_int(root, "n_reference", i.n_reference);
    ney_result_add_text(root, "reference", r->args->reference ? r->args->reference : "model");
    ney_result_add_real(root, "confidence", 1 - i.delta);
    ney_result_add_real(root, "delta", i.delta);
    ney_result_add_bool(root, "alarm", i.alarm_row > 0);
    if (i.alarm_row > 0) {
        ney_result_add_int(root, "alarm_row", i.alarm_row);
    }
    ney_result_add_real(root, "log_evidence", i.log_evidence);
    ney_result_add_real(root, "log_needed", -log(i.delta));
    ney_result_add_text(root, "assumption",
                        "reference rows and new rows are drawn independently, regardless of their "
                        "class, and none of them was trained on");
    add_bins(r, root);
    if (r->args->state) {
        ney_result_add_text(root, "state", r->args->state);
    }
    ney_result_add_real(root, "seconds", session_seconds(r->s));
    add_headline(r, root, &i);
    result_print(r->s, root);
}

static int test_scores(drift_run *r)
{
    session *s = r->s;
    const int64_t before = ney_drift_look(r->test).alarm_row;
    ney_status st = NEY_OK;

    if (before > 0) {
        session_say(s, NEY_LOG_WARNING, "the alarm at row %lld of an earlier run is permanent",
                    (long long)before);
    }
    if (!(before > 0 && r->args->stop)) {
        st = read_scores(r, monitor_path(s), take_rows);
        st = st == NEY_ECANCELLED && interrupted() ? NEY_OK : st; /* the rows so far are reported */
    }
    if (st == NEY_OK && r->n_read == 0 && before == 0 && !interrupted()) {
        return session_bad_input(s, monitor_title(s), "found no rows, so nothing was tested");
    }
    if (st == NEY_OK && r->trace.kept) {
        st = trace_plot(&r->trace, s, "Evidence that scores have changed");
    }
    if (st == NEY_OK && r->args->state) {
        st = ney_drift_save(r->test, &s->err);
    }
    if (st != NEY_OK) {
        return session_fail(s, st);
    }
    print_result(r);
    return interrupted()                           ? EXIT_INTERRUPTED
           : ney_drift_look(r->test).alarm_row > 0 ? EXIT_ALARM
                                                   : EXIT_OK;
}

int monitor_drift(session *s, const ney_model *model, const monitor_args *args)
{
    drift_run r = {.s = s, .model = model, .args = args};
    int code;

    ney_model_thresholds(model, &r.low, &r.high);
    trace_init(&r.trace, s);
    r.trace.n_tests = 1;
    r.trace.needed[0] = -log(ney_delta_of_confidence(monitor_confidence(model, args)));
    if ((code = find_reference(&r)) == EXIT_OK) {
        code = test_scores(&r);
    }
    ney_drift_free(r.test);
    free(r.reference);
    return code;
}
