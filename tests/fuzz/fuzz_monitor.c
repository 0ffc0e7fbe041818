/* Any bytes as the state of a monitor: a clean refusal that leaves the monitor as new, or a monitor
 * that keeps its invariants, writes the same bytes again and can go on. */
#include "decide/monitor.h"
#include "fuzz/checksummed.h"

static const ney_monitor_opts OPTS = {
    .max_fpr = 0.1, .max_fnr = 0.2, .delta = 0.1, .window = 40, .fingerprint = 7};

static void check_rate(const ney_monitor_rate *r, int64_t rows)
{
    REQUIRE(r->errors >= 0 && r->errors <= r->n && r->n <= rows);
    REQUIRE(r->alarm_row >= 0 && r->alarm_row <= rows);
    REQUIRE(r->collected >= 0 && r->collected <= r->window && r->collected <= r->n);
    REQUIRE(isfinite(r->log_evidence));
}

/* Between two starts there are no more errors than rows. */
static void check_starts(const ney_martingale *g)
{
    int64_t rows = 0, errors = 0;
    REQUIRE(g->n_starts >= 1 && g->n_starts <= NEY_MARTINGALE_STARTS);
    for (int k = 0; k < g->n_starts; k++) {
        const int64_t more = g->errors_before[k] - errors;
        REQUIRE(more >= 0 && more <= ney_martingale_start(k) - rows);
        rows = ney_martingale_start(k);
        errors = g->errors_before[k];
    }
    REQUIRE(rows <= g->n && errors <= g->errors && g->errors - errors <= g->n - rows);
}

/* Every row is of one subgroup. */
static void check_subgroups(const ney_monitor *m)
{
    int64_t n[2] = {0, 0}, alarms = 0;
    for (int64_t k = 0; k < m->n_subgroups; k++) {
        const ney_subgroup *const g = &m->subgroup[k];
        for (int c = 0; c < 2; c++) {
            n[c] += g->n_class[c];
            alarms += g->rate[c].alarm_row > 0;
            check_starts(&g->rate[c].martingale);
        }
    }
    REQUIRE(!m->by || (n[0] == m->n_class[0] && n[1] == m->n_class[1]));
    REQUIRE(alarms == m->subgroup_alarms);
}

static ney_monitor_info check_monitor(const ney_monitor *m)
{
    const ney_monitor_info i = ney_monitor_look(m);
    check_subgroups(m);
    REQUIRE(i.n_pos >= 0 && i.n_neg >= 0);
    REQUIRE(i.fpr.n == i.n_neg && i.fnr.n == i.n_pos);
    check_rate(&i.fpr, i.n_pos + i.n_neg);
    check_rate(&i.fnr, i.n_pos + i.n_neg);
    check_starts(&m->rate[0].martingale);
    check_starts(&m->rate[1].martingale);
    REQUIRE(i.alarm_row > 0 || (i.fpr.collected == 0 && i.fnr.collected == 0));
    return i;
}

/* Further rows are taken, an alarm stays, and a full window certifies. */
static void go_on(ney_monitor *m)
{
    ney_monitor_info before = check_monitor(m);
    ney_certified c;
    for (int i = 0; i < 100; i++) {
        static const char *const name = "north";
        const double score = i % 3;
        const int8_t label = i % 2 ? 1 : -1;
        const ney_labelled_scores row = {.score = &score, .label = &label, .n = 1};
        int64_t taken;
        REQUIRE(ney_monitor_add_by(m, &row, &name, &taken, NULL) == NEY_OK && taken == 1);
    }
    const ney_monitor_info after = check_monitor(m);
    REQUIRE(before.alarm_row == 0 || before.alarm_row == after.alarm_row);
    const ney_status st = ney_monitor_certify(m, &c, NULL);
    REQUIRE(after.renewable ? st == NEY_OK || st == NEY_EGOAL : st == NEY_EGOAL);
    REQUIRE(st != NEY_OK || c.low <= c.high);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    const ney_env env = fuzz_env();
    ney_monitor *m = NULL;
    ney_error err = {0};
    size_t n_text;
    bool by;

    if (len < 1) {
        return 0;
    }
    char *text = sealed_text(bytes, len, &n_text);
    text = realloc(text, n_text + 1);
    REQUIRE(text != NULL);
    text[n_text] = '\0';
    REQUIRE(ney_monitor_new(&m, &env, &OPTS, &err) == NEY_OK);
    by = strstr(text, "\nby ") != NULL; /* half of the seeds have subgroups */
    if (by) {
        REQUIRE(ney_monitor_watch_by(m, "region", &err) == NEY_OK);
    }
    const ney_status st = ney_monitor_parse(m, "fuzz", text, (int64_t)n_text, &err);
    free(text);
    if (st != NEY_OK) {
        require_refusal(st, NULL, &err);
        const ney_monitor_info i = check_monitor(m);
        REQUIRE(i.n_pos == 0 && i.n_neg == 0 && i.alarm_row == 0 && i.fpr.errors == 0);
    } else {
        go_on(m);
    }
    ney_monitor_free(m);
    return 0;
}
