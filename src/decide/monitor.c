/* Watching the bounded rates of a model, and renewing its thresholds after an alarm.
 *
 * Each rate has a test martingale. With two of them either has half of delta: by the union bound
 * the chance that any alarm is ever false is at most delta, however the two depend on each other.
 *                                                                                  [MONITOR.2]
 * The alarm is raised at a stopping time, so the distribution of the rows after it does not depend
 * on the monitoring. The umbrella rule on the next N of each bounded class, N fixed before the
 * watch, holds if these are drawn alike; rows up to the alarm mix both sides of a change and are
 * not used.                                                                 [MONITOR.3]
 * Subgroups (monitor_by.c) share the other half of delta.                   [MONITOR.4] */
#include "decide/monitor.h"

#include "decide/certify.h"

#include <math.h>

enum { COMFORT = 10 }; /* times the fewest rows that can certify */

static const ney_error_kind KINDS[2] = {NEY_FALSE_POSITIVES, NEY_FALSE_NEGATIVES};

static double max_rate_of(const ney_monitor_opts *o, int k)
{
    return k == 0 ? o->max_fpr : o->max_fnr;
}

static bool bounds_both(const ney_monitor_opts *o)
{
    return !isnan(o->max_fpr) && !isnan(o->max_fnr);
}

/* Of the certificate of one rate, as in any certificate of one or two. */
static double certificate_delta(const ney_monitor_opts *o)
{
    return bounds_both(o) ? ney_delta_of_each(o->delta) : o->delta;
}

static ney_status check(const ney_monitor_opts *o, ney_error *err)
{
    if (isnan(o->max_fpr) && isnan(o->max_fnr)) {
        return ney_fail(err, NEY_EINVAL, "no rate to watch, expected a bound on one or both");
    }
    if (!(o->delta > 0 && o->delta <= 0.5)) {
        return ney_fail(err, NEY_EINVAL, "a confidence of %g, expected one from 0.5 to below 1",
                        1 - o->delta);
    }
    if (!(o->low <= o->high)) {
        return ney_fail(err, NEY_EINVAL,
                        "thresholds %g and %g, expected the first not above the "
                        "second",
                        o->low, o->high);
    }
    return NEY_CHECK_RESERVED(o, "ney_monitor_opts", err);
}

/* The window of one rate: as requested, or a multiple of the fewest rows that can certify. */
static ney_status set_window(ney_watched *w, const ney_monitor_opts *o, ney_error *err)
{
    const double max_rate = w->martingale.max_rate, share = certificate_delta(o);
    const double needed = ney_rows_needed(max_rate, share);
    const double window = o->window > 0 ? (double)o->window : COMFORT * needed;

    if (o->window > 0 && window < needed) {
        return ney_fail(err, NEY_EGOAL,
                        "a window of %.0f rows cannot certify a rate of %g with confidence %g: at "
                        "least %.0f are needed",
                        window, max_rate, 1 - share, needed);
    }
    w->window = window < 0x1p53 ? (int64_t)window : INT64_C(1) << 53;
    return NEY_OK;
}

ney_status ney_watched_init(ney_watched *w, const ney_monitor_opts *o, int k, double share,
                            ney_error *err)
{
    w->kind = KINDS[k];
    w->watched = !isnan(max_rate_of(o, k));
    w->alarm_row = w->n_collected = w->window = 0;
    if (!w->watched) {
        return NEY_OK;
    }
    w->delta = share * (bounds_both(o) ? o->delta / 2 : o->delta);
    return ney_martingale_init(&w->martingale, max_rate_of(o, k), err);
}

/* With subgroups, all rows together have half of delta [MONITOR.4]. */
static ney_status set_rate(ney_watched *w, const ney_monitor *m, const ney_monitor_opts *o, int k,
                           ney_error *err)
{
    const ney_status st = ney_watched_init(w, o, k, m->by ? 0.5 : 1, err);
    return st == NEY_OK && w->watched ? set_window(w, o, err) : st;
}

ney_status ney_monitor_restart(ney_monitor *m, const ney_monitor_opts *opts, ney_error *err)
{
    NEY_REQUIRE(m && opts, err);
    ney_watched fresh[2] = {m->rate[0], m->rate[1]};
    ney_status st = check(opts, err);

    for (int k = 0; k < 2 && st == NEY_OK; k++) {
        st = set_rate(&fresh[k], m, opts, k, err);
    }
    if (st != NEY_OK) {
        return st;
    }
    m->opts = *opts;
    m->rate[0] = fresh[0];
    m->rate[1] = fresh[1];
    m->n_class[0] = m->n_class[1] = 0;
    ney_monitor_forget_subgroups(m);
    return NEY_OK;
}

ney_status ney_monitor_new(ney_monitor **out, const ney_env *env, const ney_monitor_opts *opts,
                           ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out && opts, err);
    const ney_env e = ney_env_of(env);
    ney_monitor *m = ney_alloc_zeroed(&e, 1, sizeof *m);

    *out = NULL;
    if (!m) {
        return ney_no_memory(err, 1, "monitor");
    }
    m->env = e;
    const ney_status st = ney_monitor_restart(m, opts, err);
    if (st != NEY_OK) {
        ney_monitor_free(m);
        return st;
    }
    *out = m;
    return NEY_OK;
}

void ney_monitor_free(ney_monitor *m)
{
    if (!m) {
        return;
    }
    const ney_env env = m->env;
    ney_state_file_close(&m->state, &env);
    ney_monitor_forget_subgroups(m);
    for (int k = 0; k < 2; k++) {
        ney_release(&env, m->rate[k].score);
    }
    ney_release(&env, m->subgroup);
    ney_release(&env, m->by);
    ney_release(&env, m);
}

int64_t ney_monitor_alarm_row(const ney_monitor *m)
{
    const int64_t a = m->rate[0].alarm_row, b = m->rate[1].alarm_row;
    return a > 0 && (b == 0 || a < b) ? a : b;
}

static bool is_complete(const ney_monitor *m)
{
    return m->rate[0].n_collected == m->rate[0].window &&
           m->rate[1].n_collected == m->rate[1].window;
}

void ney_watched_add(ney_watched *w, const ney_monitor_opts *o, double score, int64_t row)
{
    const bool error = w->kind == NEY_FALSE_POSITIVES ? score >= o->high : score < o->low;

    ney_martingale_add(&w->martingale, error);
    if (error && w->alarm_row == 0 && ney_martingale_log(&w->martingale) >= -log(w->delta)) {
        w->alarm_row = row; /* only errors raise the martingale */
    }
}

/* Keep a score of the rows after the alarm. */
static ney_status collect(const ney_monitor *m, ney_watched *w, double score, ney_error *err)
{
    if (ney_monitor_alarm_row(m) > 0 && w->n_collected < w->window) {
        if (!ney_grow(&m->env, &w->score, &w->cap, w->n_collected + 1, sizeof *w->score)) {
            return ney_no_memory(err, w->n_collected + 1, "scores after the alarm");
        }
        w->score[w->n_collected++] = score;
    }
    return NEY_OK;
}

/* A row, of a subgroup or of none. Where memory is refused, nothing has changed but that a subgroup
 * without rows may be there. */
static ney_status add_row(ney_monitor *m, double score, int positive, const char *name,
                          ney_error *err)
{
    const int64_t row = ney_monitor_rows(m) + 1;
    ney_watched *const w = &m->rate[positive];
    ney_subgroup *g = NULL;
    ney_status st;

    if ((m->by && (st = ney_monitor_subgroup_of(m, name, &g, err)) != NEY_OK) ||
        (w->watched && (st = collect(m, w, score, err)) != NEY_OK)) {
        return st;
    }
    m->n_class[positive]++;
    if (w->watched) {
        ney_watched_add(w, &m->opts, score, row);
    }
    if (g) {
        const bool before = g->rate[positive].alarm_row > 0;
        g->n_class[positive]++;
        if (w->watched) {
            ney_watched_add(&g->rate[positive], &m->opts, score, row);
        }
        m->subgroup_alarms += g->rate[positive].alarm_row > 0 && !before;
    }
    return NEY_OK;
}

static int64_t n_alarms(const ney_monitor *m)
{
    return (m->rate[0].alarm_row > 0) + (m->rate[1].alarm_row > 0) + m->subgroup_alarms;
}

ney_status ney_monitor_add_by(ney_monitor *m, const ney_labelled_scores *rows,
                              const char *const *name, int64_t *taken, ney_error *err)
{
    NEY_REQUIRE(m && rows && taken && rows->n >= 0, err);
    const int64_t n = rows->n, alarms = n_alarms(m);
    const double *const score = rows->score;
    const int8_t *const label = rows->label;
    const bool complete = is_complete(m);

    NEY_REQUIRE((score && label && (name || !m->by)) || n == 0, err);

    *taken = 0;
    while (*taken < n && n_alarms(m) == alarms && is_complete(m) == complete) {
        const int positive = label[*taken] > 0;
        if (isnan(score[*taken])) {
            return ney_fail(err, NEY_EINVAL, "score %lld is not a number", (long long)*taken + 1);
        }
        const ney_status st = add_row(m, score[*taken], positive, m->by ? name[*taken] : NULL, err);
        if (st != NEY_OK) {
            return st;
        }
        ++*taken;
    }
    return NEY_OK;
}

ney_status ney_monitor_add(ney_monitor *m, const double *score, const int8_t *label, int64_t n,
                           int64_t *taken, ney_error *err)
{
    const ney_labelled_scores rows = {.score = score, .label = label, .n = n};

    NEY_REQUIRE(m, err);
    if (m->by) {
        return ney_fail(err, NEY_EINVAL,
                        "the monitor has subgroups, expected ney_monitor_add_by()");
    }
    return ney_monitor_add_by(m, &rows, NULL, taken, err);
}

ney_monitor_rate ney_watched_info(const ney_watched *w)
{
    return (ney_monitor_rate){.watched = w->watched,
                              .max_rate = w->martingale.max_rate,
                              .delta = w->delta,
                              .n = w->martingale.n,
                              .errors = w->martingale.errors,
                              .log_evidence = w->watched ? ney_martingale_log(&w->martingale) : 0,
                              .alarm_row = w->alarm_row,
                              .window = w->window,
                              .collected = w->n_collected};
}

ney_monitor_info ney_monitor_look(const ney_monitor *m)
{
    if (!m) {
        return (ney_monitor_info){0};
    }
    return (ney_monitor_info){.n_pos = m->n_class[1],
                              .n_neg = m->n_class[0],
                              .alarm_row = ney_monitor_alarm_row(m),
                              .renewable = is_complete(m),
                              .fpr = ney_watched_info(&m->rate[0]),
                              .fnr = ney_watched_info(&m->rate[1])};
}

ney_status ney_monitor_certify(const ney_monitor *m, ney_certified *out, ney_error *err)
{
    NEY_REQUIRE(m && out, err);
    const double share = certificate_delta(&m->opts);

    *out = (ney_certified){.has_fpr = m->rate[0].watched, .has_fnr = m->rate[1].watched};
    if (!is_complete(m)) {
        return ney_fail(err, NEY_EGOAL,
                        "%lld negative and %lld positive rows are missing before the thresholds "
                        "can be renewed",
                        (long long)(m->rate[0].window - m->rate[0].n_collected),
                        (long long)(m->rate[1].window - m->rate[1].n_collected));
    }
    for (int k = 0; k < 2; k++) {
        const ney_watched *const w = &m->rate[k];
        if (w->watched) {
            const ney_status st =
                ney_certify(k == 0 ? &out->fpr : &out->fnr, &m->env, w->kind, w->score,
                            w->n_collected, w->martingale.max_rate, share, err);
            if (st != NEY_OK) {
                return st;
            }
        }
    }
    ney_certified_join(out);
    return NEY_OK;
}
