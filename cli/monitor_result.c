#include "monitor.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "result.h"
#include "summary.h"

enum { VERDICT = 512 };

/* The rate whose alarm came first, and where: "" or a subgroup. */
typedef struct first_alarm {
    const ney_monitor_rate *rate; /* NULL: none */
    const char *name;
    char where[192];
} first_alarm;

static void see_alarm(first_alarm *f, const ney_monitor_rate *r, const char *name)
{
    if (r->alarm_row > 0 && (!f->rate || r->alarm_row < f->rate->alarm_row)) {
        f->rate = r;
        f->name = name;
        f->where[0] = '\0';
    }
}

static void verdict_text(const watch *w, const ney_monitor_info *i, char text[VERDICT])
{
    first_alarm f = {0};
    ney_subgroup_info g, at;

    see_alarm(&f, &i->fpr, "FPR");
    see_alarm(&f, &i->fnr, "FNR");
    for (int64_t k = 0; ney_monitor_subgroup(w->monitor, k, &g); k++) {
        const ney_monitor_rate *const before = f.rate;
        see_alarm(&f, &g.fpr, "FPR");
        see_alarm(&f, &g.fnr, "FNR");
        if (f.rate != before) {
            at = g;
            f.rate = f.rate == &g.fpr ? &at.fpr : &at.fnr;
            snprintf(f.where, sizeof f.where, " of rows with %.80s = %.80s", w->args->by, g.name);
        }
    }
    if (f.rate) {
        snprintf(text, VERDICT,
                 "alarm: with confidence %.6g the %s%s has been above its bound %.6g at some row "
                 "up to row %lld",
                 (1 - w->opts.delta), f.name, f.where, f.rate->max_rate,
                 (long long)f.rate->alarm_row);
    } else {
        snprintf(text, VERDICT,
                 "no alarm: after %lld rows there is no evidence, at confidence %.6g, that a rate "
                 "is above its bound",
                 (long long)(i->n_pos + i->n_neg), (1 - w->opts.delta));
    }
}

/* `value` names a subgroup, or is NULL. */
static void add_bound(ney_result *list, const char *value, const char *name,
                      const ney_monitor_rate *r)
{
    if (!r->watched) {
        return;
    }
    ney_result *row = ney_result_add_object(list, NULL);
    if (value) {
        ney_result_add_text(row, "value", value);
    }
    ney_result_add_text(row, "rate", name);
    ney_result_add_real(row, "max_rate", r->max_rate);
    ney_result_add_int(row, "n", r->n);
    ney_result_add_int(row, "errors", r->errors);
    ney_result_add_real(row, "log_evidence", r->log_evidence);
    ney_result_add_real(row, "log_needed", -log(r->delta));
    ney_result_add_real(row, "delta_share", r->delta);
    ney_result_add_bool(row, "alarm", r->alarm_row > 0);
    if (r->alarm_row > 0) {
        ney_result_add_int(row, "alarm_row", r->alarm_row);
    } else {
        ney_result_add_text(row, "alarm_row", NULL);
    }
    if (!value) {
        ney_result_add_int(row, "window", r->window);
        ney_result_add_int(row, "rows_after_alarm", r->collected);
    }
}

/* The tests of each value of --by, in the order in which they came. */
static void add_subgroups(const watch *w, ney_result *root)
{
    ney_result *list = ney_result_add_array(root, "by");
    ney_subgroup_info g;

    for (int64_t k = 0; ney_monitor_subgroup(w->monitor, k, &g); k++) {
        add_bound(list, g.name, "fpr", &g.fpr);
        add_bound(list, g.name, "fnr", &g.fnr);
    }
}

/* The share of errors so far. No interval: when the rows end may depend on them. */
static void add_rate(ney_result *root, const char *name, const ney_monitor_rate *r)
{
    char key[16];

    if (r->watched) {
        snprintf(key, sizeof key, "max_%s", name);
        ney_result_add_real(root, key, r->max_rate);
        if (r->n > 0) {
            ney_result_add_real(root, name, (double)r->errors / (double)r->n);
        } else {
            ney_result_add_text(root, name, NULL);
        }
    }
}

static void add_certificate(ney_result *list, const char *name, const ney_certificate *c)
{
    ney_result *row = ney_result_add_object(list, NULL);

    ney_result_add_text(row, "rate", name);
    ney_result_add_real(row, "max_rate", c->max_rate);
    ney_result_add_real(row, "bound", c->bound);
    ney_result_add_real(row, "delta", c->delta);
    ney_result_add_int(row, "n", c->n);
    ney_result_add_real(row, "threshold", c->threshold);
}

static void add_renewal(const watch *w, ney_result *root, const ney_monitor_info *i)
{
    const ney_certified *c = &w->certified;

    ney_result_add_bool(root, "renewed", w->renewed);
    if (!w->renewed) {
        ney_result_add_int(root, "missing_neg",
                           i->alarm_row > 0 ? i->fpr.window - i->fpr.collected : 0);
        ney_result_add_int(root, "missing_pos",
                           i->alarm_row > 0 ? i->fnr.window - i->fnr.collected : 0);
        return;
    }
    ney_result_add_text(root, "model", w->args->output);
    ney_result_add_text(root, "valid_if",
                        "the rate changed before the alarm and the rows since are drawn "
                        "alike, as future rows will be");
    ney_result_add_real(root, "new_threshold", c->high);
    if (c->low < c->high) {
        ney_result_add_real(root, "new_threshold_low", c->low);
    }
    ney_result *list = ney_result_add_array(root, "certificates");
    if (c->has_fpr) {
        add_certificate(list, "fpr", &c->fpr);
    }
    if (c->has_fnr) {
        add_certificate(list, "fnr", &c->fnr);
    }
}

/* The share of misclassified rows of a class, as a sentence. */
static void add_observed_rate(ney_result *root, const ney_monitor_rate *r, const char *class)
{
    if (r->watched && r->n > 0) {
        ney_result_headline(root, "Misclassified so far: %lld of %lld %s (%.3g %%, bound %.3g %%).",
                            (long long)r->errors, (long long)r->n, class,
                            100 * (double)r->errors / (double)r->n, 100 * r->max_rate);
    }
}

static void add_headline(const watch *w, ney_result *root, const ney_monitor_info *i,
                         const char *verdict)
{
    char model[SHELL_WORD];

    ney_result_headline(root, "%c%s.", toupper((unsigned char)verdict[0]), verdict + 1);
    add_observed_rate(root, &i->fpr, "negatives");
    add_observed_rate(root, &i->fnr, "positives");
    shell_word(model, w->renewed ? w->args->output : w->s->call->operands[0]);
    if (w->renewed) {
        summary_next(w->s, root, "neyman predict %s NEW  (NEW: rows to classify)", model);
    } else if (i->alarm_row > 0 && !w->args->output) {
        summary_next(w->s, root,
                     "neyman monitor %s -o NEW < OUTCOMES  (certifies new thresholds on the rows "
                     "after the alarm)",
                     model);
    }
}

void monitor_report(const watch *w, const ney_monitor_info *i)
{
    const double evidence[2] = {
        i->fpr.watched ? i->fpr.log_evidence + log(i->fpr.delta) : -HUGE_VAL,
        i->fnr.watched ? i->fnr.log_evidence + log(i->fnr.delta) : -HUGE_VAL};
    const ney_monitor_rate *nearest = evidence[0] >= evidence[1] ? &i->fpr : &i->fnr;
    char text[VERDICT];
    ney_result *root = result_new();

    verdict_text(w, i, text);
    ney_result_add_text(root, "verdict", text);
    ney_result_add_int(root, "n", i->n_pos + i->n_neg);
    ney_result_add_int(root, "n_pos", i->n_pos);
    ney_result_add_int(root, "n_neg", i->n_neg);
    ney_result_add_int(root, "rows_read", w->n_read);
    add_rate(root, "fpr", &i->fpr);
    add_rate(root, "fnr", &i->fnr);
    ney_result_add_real(root, "confidence", (1 - w->opts.delta));
    ney_result_add_real(root, "delta", w->opts.delta);
    ney_result_add_bool(root, "alarm", monitor_has_alarm(w) || i->alarm_row > 0);
    if (i->alarm_row > 0) {
        ney_result_add_int(root, "alarm_row", i->alarm_row);
    }
    ney_result_add_real(root, "log_evidence", nearest->log_evidence);
    ney_result_add_real(root, "log_needed", -log(nearest->delta));
    ney_result_add_text(root, "assumption",
                        "rows are seen whatever their label, and each is misclassified "
                        "with probability at most the bound given the rows before it");
    ney_result *list = ney_result_add_array(root, "bounds");
    add_bound(list, NULL, "fpr", &i->fpr);
    add_bound(list, NULL, "fnr", &i->fnr);
    if (w->args->by) {
        add_subgroups(w, root);
    }
    if (w->args->output) {
        add_renewal(w, root, i);
    }
    if (w->args->state) {
        ney_result_add_text(root, "state", w->args->state);
    }
    ney_result_add_real(root, "seconds", session_seconds(w->s));
    add_headline(w, root, i, text);
    result_print(w->s, root);
}
