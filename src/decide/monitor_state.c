/* The state file of a monitor: lines of text that give back the same monitor, to the last bit.
 *
 *   neyman-monitor 1
 *   model HASH                  the caller's fingerprint of what is watched, 16 hexadecimal digits
 *   bounds FPR FNR DELTA        nan where a rate is not watched
 *   thresholds LOW HIGH
 *   window N                    rows to renew on, of false positives, and of false negatives;
 *   window M                    0 where the rate is not watched
 *   rows NEG POS
 *   fpr ERRORS ALARM E...       errors in all, row of the alarm or 0, errors before each start
 *   fnr ...                     likewise; a rate that is not watched has no line
 *   scores N M                  of negatives and of positives since the alarm, in their order, one
 *                               per line
 *   end CHECKSUM
 *
 * Everything up to the rows must be what the monitor at hand has: the guarantee is about one model
 * and options that were fixed before the first row. */
#include "decide/monitor.h"

#include "base/checksum.h"
#include "base/file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char MAGIC[] = "neyman-monitor";

enum { VERSION = 1 };

/* More rows than a stream can have, and few enough to be added up. */
static const int64_t MOST_ROWS = INT64_C(1) << 60;

static const char *const RATE_NAMES[2] = {"fpr", "fnr"};

/* ---------------------------------------------------------------- writing */

/* What must be the same in every run. */
static void format_identity(const ney_monitor *m, ney_text *t)
{
    const ney_monitor_opts *o = &m->opts;

    ney_text_put(t, "model");
    ney_text_field_hex(t, o->fingerprint);
    ney_text_put(t, "\nbounds");
    ney_text_field_number(t, o->max_fpr);
    ney_text_field_number(t, o->max_fnr);
    ney_text_field_number(t, o->delta);
    ney_text_put(t, "\nthresholds ");
    ney_text_number(t, o->low);
    ney_text_field_number(t, o->high);
    for (int k = 0; k < 2; k++) {
        ney_text_put(t, "\nwindow ");
        ney_text_int(t, m->rate[k].window);
    }
    ney_text_put(t, "\n");
}

static void format_rate(const ney_watched *w, const char *name, ney_text *t)
{
    ney_text_put(t, name);
    ney_text_field_int(t, w->martingale.errors);
    ney_text_field_int(t, w->alarm_row);
    for (int k = 0; k < w->martingale.n_starts; k++) {
        ney_text_field_int(t, w->martingale.errors_before[k]);
    }
    ney_text_put(t, "\n");
}

static void format_scores(const ney_monitor *m, ney_text *t)
{
    ney_text_put(t, "scores ");
    ney_text_int(t, m->rate[0].n_collected);
    ney_text_field_int(t, m->rate[1].n_collected);
    ney_text_put(t, "\n");
    for (int k = 0; k < 2; k++) {
        for (int64_t i = 0; i < m->rate[k].n_collected; i++) {
            ney_text_field_number(t, m->rate[k].score[i]);
            ney_text_put(t, "\n");
        }
    }
}

static void format_state(const ney_monitor *m, ney_text *t)
{
    ney_text_line_int(t, MAGIC, VERSION);
    format_identity(m, t);
    ney_text_put(t, "rows ");
    ney_text_int(t, m->n_class[0]);
    ney_text_field_int(t, m->n_class[1]);
    ney_text_put(t, "\n");
    for (int k = 0; k < 2; k++) {
        if (m->rate[k].watched) {
            format_rate(&m->rate[k], RATE_NAMES[k], t);
        }
    }
    format_scores(m, t);
    ney_checksum_append(t);
}

ney_status ney_monitor_save(const ney_monitor *m, ney_error *err)
{
    NEY_REQUIRE(m, err);
    ney_text t;

    if (!m->state) {
        return ney_fail(err, NEY_EINVAL, "the monitor has no state file");
    }
    ney_text_init(&t, &m->env);
    format_state(m, &t);
    const ney_status st = t.failed ? ney_no_memory(err, t.length, "bytes of a state")
                                   : ney_file_write(&m->env, m->state, t.bytes, t.length, err);
    ney_text_deinit(&t);
    return st;
}

/* ---------------------------------------------------------------- reading */

/* The lines that this monitor would write must stand there as they are. */
static void parse_identity(ney_fields *f, const ney_monitor *m)
{
    static const char *const what[] = {"of another model", "of other bounds or another confidence",
                                       "of other thresholds", "of another --window",
                                       "of another --window"};
    ney_text t;

    ney_text_init(&t, f->env);
    format_identity(m, &t);
    if (t.failed && f->status == NEY_OK) {
        f->status = ney_no_memory(f->err, t.length, "bytes of a state");
    }
    const char *line = t.bytes;
    for (int k = 0; f->status == NEY_OK && *line; k++) {
        const int64_t length = strchr(line, '\n') + 1 - line;
        if (f->end - f->at < length || memcmp(f->at, line, (size_t)length) != 0) {
            ney_fields_fail(f,
                            "the state is %s; expected the model and options it was begun with, or "
                            "a new file",
                            what[k]);
        }
        f->at += f->status == NEY_OK ? length : 0;
        f->line++;
        line += length;
    }
    ney_text_deinit(&t);
}

/* Errors before each start: none lost between two of them, and no more than there were rows. */
static void parse_starts(ney_fields *f, ney_martingale *g)
{
    g->n_starts = ney_martingale_starts(g->n);
    for (int k = 0; k < g->n_starts; k++) {
        const int64_t before = k > 0 ? g->errors_before[k - 1] : 0;
        const int64_t rows = k > 0 ? ney_martingale_start(k) - ney_martingale_start(k - 1) : 0;
        const int64_t most = before + rows < g->errors ? before + rows : g->errors;
        g->errors_before[k] = ney_fields_int(f, before, most);
    }
    const int last = g->n_starts - 1;
    if (g->errors - g->errors_before[last] > g->n - ney_martingale_start(last)) {
        ney_fields_fail(f, "%lld errors, expected fewer since row %lld of the class",
                        (long long)g->errors, (long long)ney_martingale_start(last));
    }
}

static void parse_rate(ney_fields *f, const ney_monitor *m, ney_watched *w, int k)
{
    ney_martingale *const g = &w->martingale;

    ney_fields_key(f, RATE_NAMES[k]);
    g->n = m->n_class[k];
    g->errors = ney_fields_int(f, 0, g->n);
    w->alarm_row = ney_fields_int(f, 0, g->errors > 0 ? ney_monitor_rows(m) : 0);
    parse_starts(f, g);
    ney_fields_end(f);
}

/* Scores of one class, n of them. */
static void parse_class(ney_fields *f, const ney_env *env, ney_watched *w, int64_t n)
{
    for (int64_t i = 0; i < n && f->status == NEY_OK; i++) {
        const double score = ney_fields_number(f);
        if (isnan(score)) {
            ney_fields_fail(f, "found a score that is not a number");
        } else if (!ney_grow(env, &w->score, &w->cap, i + 1, sizeof *w->score)) {
            f->status = ney_no_memory(f->err, i + 1, "scores after the alarm");
        } else {
            w->score[i] = score;
            w->n_collected = i + 1;
        }
        ney_fields_end(f);
    }
}

/* There are scores after an alarm only, and no more than rows have come since. */
static void parse_scores(ney_fields *f, ney_monitor *m)
{
    const int64_t alarm_row = ney_monitor_alarm_row(m);
    const int64_t since = alarm_row > 0 ? ney_monitor_rows(m) - alarm_row : 0;
    int64_t n[2] = {0, 0};

    ney_fields_key(f, "scores");
    for (int k = 0; k < 2; k++) {
        const ney_watched *const w = &m->rate[k];
        const int64_t most = since - n[0] < m->n_class[k] ? since - n[0] : m->n_class[k];
        n[k] = ney_fields_int(f, 0, most < w->window ? most : w->window);
    }
    ney_fields_end(f);
    parse_class(f, &m->env, &m->rate[0], n[0]);
    parse_class(f, &m->env, &m->rate[1], n[1]);
}

ney_status ney_monitor_parse(ney_monitor *m, const char *name, const char *text, int64_t n_text,
                             ney_error *err)
{
    const ney_martingale fresh[2] = {m->rate[0].martingale, m->rate[1].martingale};
    ney_fields f;

    ney_fields_init(&f, &m->env, name, text, n_text, err);
    ney_checksum_begin(&f, MAGIC, "the state of a monitor", VERSION);
    parse_identity(&f, m);
    ney_fields_key(&f, "rows");
    m->n_class[0] = ney_fields_int(&f, 0, MOST_ROWS);
    m->n_class[1] = ney_fields_int(&f, 0, MOST_ROWS);
    ney_fields_end(&f);
    for (int k = 0; k < 2; k++) {
        if (m->rate[k].watched) {
            parse_rate(&f, m, &m->rate[k], k);
        }
    }
    parse_scores(&f, m);
    ney_fields_finish(&f, "the state of a monitor");
    for (int k = 0; k < 2 && f.status != NEY_OK; k++) { /* as if nothing had been read */
        m->n_class[k] = m->rate[k].alarm_row = m->rate[k].n_collected = 0;
        m->rate[k].martingale = fresh[k];
    }
    return f.status;
}

static ney_status read_state(ney_monitor *m, ney_error *err)
{
    static const char *const begins[] = {MAGIC, NULL};
    char *text = NULL;
    int64_t n;
    ney_status st = ney_file_read(&text, &n, &m->env, m->state, begins, err);

    if (st == NEY_OK) {
        st = ney_monitor_parse(m, m->state, text, n, err);
        ney_release(&m->env, text);
    }
    return st;
}

ney_status ney_monitor_open(ney_monitor *m, const char *path, ney_error *err)
{
    NEY_REQUIRE(m && path && *path, err);
    struct stat info;
    ney_status st;

    if (m->state || ney_monitor_rows(m) > 0) {
        return ney_fail(err, NEY_EINVAL, "the monitor is in use, expected a new one");
    }
    if ((st = ney_lock_take(&m->lock, &m->env, path, err)) != NEY_OK) {
        return st;
    }
    if (!(m->state = ney_strdup(&m->env, path, strlen(path)))) {
        return ney_no_memory(err, (int64_t)strlen(path), "bytes of a path");
    }
    if (lstat(path, &info) != 0 && errno == ENOENT) {
        return ney_monitor_save(m,
                                err); /* fail before the run starts if the file cannot be written */
    }
    if (!S_ISREG(info.st_mode)) {
        return ney_fail_at(err, NEY_EIO, (ney_place){.file = path},
                           "is not a regular file, expected one or none");
    }
    return read_state(m, err);
}
