/* The state file of a monitor: lines of text that give back the same monitor, to the last bit.
 *
 *   neyman-monitor 1
 *   model HASH                  the caller's fingerprint of what is watched, 16 hexadecimal digits
 *   bounds FPR FNR DELTA        nan where a rate is not watched
 *   thresholds LOW HIGH
 *   window N                    rows to renew on, of false positives, and of false negatives;
 *   window M                    0 where the rate is not watched
 *   by COLUMN                   version 2, where subgroups are watched
 *   rows NEG POS
 *   fpr ERRORS ALARM E...       errors in all, row of the alarm or 0, errors before each start
 *   fnr ...                     likewise; a rate that is not watched has no line
 *   scores N M                  of negatives and of positives since the alarm, in their order, one
 *                               per line
 *   subgroups N                 with --by only, as are the lines that follow; version 2
 *   subgroup NAME NEG POS       in the order of their first rows; then fpr and fnr as above
 *   end CHECKSUM
 *
 * Everything up to the rows must be what the monitor at hand has: the guarantee is about one model
 * and options that were fixed before the first row. */
#include "decide/monitor.h"

#include "base/checksum.h"

#include <math.h>

static const char MAGIC[] = "neyman-monitor";

enum { WITHOUT_SUBGROUPS = 1, VERSION = 2 };

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
    if (m->by) {
        ney_text_line_word(t, "by", m->by);
    }
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

static void format_rates(const ney_watched rate[2], ney_text *t)
{
    for (int k = 0; k < 2; k++) {
        if (rate[k].watched) {
            format_rate(&rate[k], RATE_NAMES[k], t);
        }
    }
}

static void format_subgroups(const ney_monitor *m, ney_text *t)
{
    ney_text_line_int(t, "subgroups", m->n_subgroups);
    for (int64_t k = 0; k < m->n_subgroups; k++) {
        const ney_subgroup *const g = &m->subgroup[k];
        ney_text_put(t, "subgroup");
        ney_text_field_word(t, g->name);
        ney_text_field_int(t, g->n_class[0]);
        ney_text_field_int(t, g->n_class[1]);
        ney_text_put(t, "\n");
        format_rates(g->rate, t);
    }
}

static void format_state(const ney_monitor *m, ney_text *t)
{
    ney_text_line_int(t, MAGIC, m->by ? VERSION : WITHOUT_SUBGROUPS);
    format_identity(m, t);
    ney_text_put(t, "rows ");
    ney_text_int(t, m->n_class[0]);
    ney_text_field_int(t, m->n_class[1]);
    ney_text_put(t, "\n");
    format_rates(m->rate, t);
    format_scores(m, t);
    if (m->by) {
        format_subgroups(m, t);
    }
    ney_checksum_append(t);
}

ney_status ney_monitor_save(const ney_monitor *m, ney_error *err)
{
    NEY_REQUIRE(m, err);
    ney_text t;

    ney_text_init(&t, &m->env);
    format_state(m, &t);
    const ney_status st = ney_state_file_write(&m->state, &m->env, &t, err);
    ney_text_deinit(&t);
    return st;
}

/* ---------------------------------------------------------------- reading */

/* The lines that this monitor would write must stand there as they are. */
static void parse_identity(ney_fields *f, const ney_monitor *m)
{
    static const char *const what[] = {
        "of another model",    "of other bounds or another confidence",
        "of other thresholds", "of another --window",
        "of another --window", "of another --by, or of none"};
    ney_text t;

    ney_text_init(&t, f->env);
    format_identity(m, &t);
    ney_state_file_match(f, &t, what);
    ney_text_deinit(&t);
    if (!m->by && f->status == NEY_OK && ney_fields_is(f, "by")) {
        ney_fields_fail(f,
                        "the state is of a run with --by; expected the same --by, or a new file");
    }
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

static void parse_rate(ney_fields *f, ney_watched *w, const char *name, int64_t n, int64_t rows)
{
    ney_martingale *const g = &w->martingale;

    ney_fields_key(f, name);
    g->n = n;
    g->errors = ney_fields_int(f, 0, g->n);
    w->alarm_row = ney_fields_int(f, 0, g->errors > 0 ? rows : 0);
    parse_starts(f, g);
    ney_fields_end(f);
}

/* Both rates, where they are watched; `rows` is the number of all rows. */
static void parse_rates(ney_fields *f, ney_watched rate[2], const int64_t n_class[2], int64_t rows)
{
    for (int k = 0; k < 2; k++) {
        if (rate[k].watched) {
            parse_rate(f, &rate[k], RATE_NAMES[k], n_class[k], rows);
        }
    }
}

/* A subgroup that is not there yet; `left` are the rows of no subgroup so far. */
static void parse_subgroup(ney_fields *f, ney_monitor *m, int64_t left[2])
{
    const int64_t before = m->n_subgroups;
    ney_subgroup *g = NULL;

    ney_fields_key(f, "subgroup");
    char *name = ney_fields_word(f);
    if (name) {
        f->status = ney_monitor_subgroup_of(m, name, &g, f->err);
    }
    if (g && m->n_subgroups == before) {
        ney_fields_fail(f, "found subgroup '%.40s' again, expected a new name", name);
    }
    ney_release(f->env, name);
    for (int k = 0; k < 2; k++) {
        const int64_t n = ney_fields_int(f, 0, left[k]);
        if (g) {
            g->n_class[k] = n;
        }
        left[k] -= n;
    }
    ney_fields_end(f);
    if (g && f->status == NEY_OK) {
        parse_rates(f, g->rate, g->n_class, ney_monitor_rows(m));
        m->subgroup_alarms += (g->rate[0].alarm_row > 0) + (g->rate[1].alarm_row > 0);
    }
}

/* Every row is of one subgroup. */
static void parse_subgroups(ney_fields *f, ney_monitor *m)
{
    const int64_t n = ney_fields_int_line(f, "subgroups", 0, NEY_MOST_SUBGROUPS);
    int64_t left[2] = {m->n_class[0], m->n_class[1]};

    for (int64_t k = 0; k < n && f->status == NEY_OK; k++) {
        parse_subgroup(f, m, left);
    }
    if (f->status == NEY_OK && (left[0] > 0 || left[1] > 0)) {
        ney_fields_fail(f, "%lld rows are of no subgroup, expected one for every row",
                        (long long)(left[0] + left[1]));
    }
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
    parse_rates(&f, m->rate, m->n_class, ney_monitor_rows(m));
    parse_scores(&f, m);
    if (m->by) {
        parse_subgroups(&f, m);
    }
    ney_fields_finish(&f, "the state of a monitor");
    for (int k = 0; k < 2 && f.status != NEY_OK; k++) { /* as if nothing had been read */
        m->n_class[k] = m->rate[k].alarm_row = m->rate[k].n_collected = 0;
        m->rate[k].martingale = fresh[k];
    }
    if (f.status != NEY_OK) {
        ney_monitor_forget_subgroups(m);
    }
    return f.status;
}

ney_status ney_monitor_open(ney_monitor *m, const char *path, ney_error *err)
{
    NEY_REQUIRE(m && path && *path, err);
    char *text = NULL;
    int64_t n;

    if (m->state.path || ney_monitor_rows(m) > 0) {
        return ney_fail(err, NEY_EINVAL, "the monitor is in use, expected a new one");
    }
    ney_status st = ney_state_file_open(&m->state, &m->env, path, MAGIC, &text, &n, err);
    if (st == NEY_OK) { /* fail before the run starts if the file cannot be written */
        st = text ? ney_monitor_parse(m, path, text, n, err) : ney_monitor_save(m, err);
    }
    ney_release(&m->env, text);
    return st;
}
