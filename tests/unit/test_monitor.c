/* Monitors (decide/monitor.c): the test martingale against its formula, alarms, the rows that a
 * renewal uses, and the state file. */
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/temp.h"

#include <neyman/experimental.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Decisions at 0: a score of 1 is an error of a negative, -1 of a positive. */
static ney_monitor_opts opts_of(double max_fpr, double max_fnr, double delta, int64_t window)
{
    return (ney_monitor_opts){.max_fpr = max_fpr,
                              .max_fnr = max_fnr,
                              .delta = delta,
                              .window = window,
                              .fingerprint = UINT64_C(0x123456789abcdef0)};
}

static ney_monitor *new_monitor(double max_fpr, double max_fnr, double delta, int64_t window)
{
    const ney_monitor_opts o = opts_of(max_fpr, max_fnr, delta, window);
    ney_monitor *m = NULL;
    ney_error err;
    assert_int_equal(ney_monitor_new(&m, NULL, &o, &err), NEY_OK);
    return m;
}

static void add(ney_monitor *m, double score, int8_t label)
{
    int64_t taken = 0;
    assert_int_equal(ney_monitor_add(m, &score, &label, 1, &taken, NULL), NEY_OK);
    assert_int_equal(taken, 1);
}

/* ------------------------------------------------------------------ the test martingale */

/* Over all outcomes of n rows, each as likely as the bound says, the martingale is 1 on average;
 * below the bound it is less. */
static double mean_value(double bound, double rate, int n)
{
    double mean = 0;
    for (unsigned all = 0; all < 1u << n; all++) {
        ney_monitor *m = new_monitor(bound, (double)NAN, 0.05, 0);
        double probability = 1;
        for (int i = 0; i < n; i++) {
            const bool error = (all >> i & 1) != 0;
            probability *= error ? rate : 1 - rate;
            add(m, error ? 1 : -1, -1);
        }
        mean += probability * exp(ney_monitor_look(m).fpr.log_evidence);
        ney_monitor_free(m);
    }
    return mean;
}

static void test_martingale_is_fair(void **state)
{
    static const double bounds[] = {0.001, 0.05, 0.3, 0.5, 0.9};
    (void)state;
    for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++) {
        assert_true(fabs(mean_value(bounds[k], bounds[k], 10) - 1) < 1e-9);
        assert_true(mean_value(bounds[k], 0.5 * bounds[k], 10) < 1);
        assert_true(mean_value(bounds[k], fmin(1, 1.5 * bounds[k]), 10) > 1);
    }
}

/* [MONITOR.1] as it stands, by products: start k after 64 rows, each half as late again. */
static long double direct(double a, const bool *error, int n)
{
    const double low = log(a / (1 - a)) + 0.1, high = fmax(low, 0) + 2;
    long double sum = 0, weight_left = 1;
    int start = 0;
    for (int k = 0; start < n || k == 0; k++) {
        const long double weight = 1 / ((k + 1.0L) * (k + 2.0L));
        for (int j = 0; j < 24; j++) {
            const long double q = 1 / (1 + expl(-(low + (high - low) * j / 23.0L)));
            long double product = 1;
            for (int s = start; s < n; s++) {
                product *= error[s] ? q / (long double)a : (1 - q) / (1 - (long double)a);
            }
            sum += weight / 24 * product;
        }
        weight_left -= weight;
        start = k == 0 ? 64 : start + start / 2;
    }
    return logl(sum + weight_left);
}

static void test_martingale_follows_its_formula(void **state)
{
    enum { N = 400 };
    rnd r = rnd_new(7100);
    (void)state;
    for (int k = 0; k < 6; k++) {
        const double bound = k % 2 ? 0.02 : 0.2, rate = 0.5 * (k + 1) * bound;
        ney_monitor *m = new_monitor((double)NAN, bound, 0.05, 0);
        bool error[N];
        for (int i = 0; i < N; i++) {
            error[i] = rnd_chance(&r, rate);
            add(m, error[i] ? -1 : 1, 1);
            if (i % 16 == 15 || (i > 60 && i < 70)) {
                const double found = ney_monitor_look(m).fnr.log_evidence;
                assert_true(fabs((double)direct(bound, error, i + 1) - found) < 1e-9);
            }
        }
        ney_monitor_free(m);
    }
}

static void test_evidence_is_always_a_number(void **state)
{
    static const double bounds[] = {5e-324, 1e-300, 1e-9, 0.5, 1 - 1e-9, 1 - 0x1p-53};
    (void)state;
    for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++) {
        for (int error = 0; error < 2; error++) {
            ney_monitor *m = new_monitor(bounds[k], (double)NAN, 0.05, 0);
            for (int i = 0; i < 20000; i++) {
                add(m, error ? 1 : -1, -1);
            }
            assert_true(isfinite(ney_monitor_look(m).fpr.log_evidence));
            ney_monitor_free(m);
        }
    }
}

/* ------------------------------------------------------------------ alarms */

static void test_rates_outside_are_refused(void **state)
{
    const struct {
        ney_monitor_opts opts;
        ney_status status;
    } cases[] = {
        {opts_of(0, (double)NAN, 0.05, 0), NEY_EINVAL},
        {opts_of(1, (double)NAN, 0.05, 0), NEY_EINVAL},
        {opts_of((double)NAN, (double)NAN, 0.05, 0), NEY_EINVAL},
        {opts_of(0.1, 1.5, 0.05, 0), NEY_EINVAL},
        {opts_of(0.1, (double)NAN, 0, 0), NEY_EINVAL},
        {opts_of(0.1, (double)NAN, 0.6, 0), NEY_EINVAL},
        {opts_of(0.1, (double)NAN, (double)NAN, 0), NEY_EINVAL},
        {opts_of(0.05, (double)NAN, 0.05, 58), NEY_EGOAL},
        {opts_of(0.05, (double)NAN, 0.05, 59), NEY_OK},
        {opts_of(0.05, 0.05, 0.05, 59), NEY_EGOAL}, /* two bounds need 72 each */
        {opts_of(0.05, 0.05, 0.05, 72), NEY_OK},
    };
    (void)state;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        ney_monitor *m = (ney_monitor *)(uintptr_t)1;
        ney_error err = {0};
        assert_int_equal(ney_monitor_new(&m, NULL, &cases[k].opts, &err), cases[k].status);
        assert_true((m != NULL) == (cases[k].status == NEY_OK));
        ney_monitor_free(m);
    }
    ney_monitor_opts crossed = opts_of(0.1, 0.1, 0.05, 0);
    ney_monitor *m = NULL;
    crossed.low = 1;
    assert_int_equal(ney_monitor_new(&m, NULL, &crossed, NULL), NEY_EINVAL);
}

static void test_default_window_is_ten_times_the_fewest(void **state)
{
    (void)state;
    ney_monitor *m = new_monitor(0.05, (double)NAN, 0.05, 0);
    assert_int_equal(ney_monitor_look(m).fpr.window, 590);
    assert_int_equal(ney_monitor_look(m).fnr.window, 0);
    ney_monitor_free(m);
    m = new_monitor(0.05, 0.1, 0.05, 0); /* share 0.02532: 72 and 35 rows */
    assert_int_equal(ney_monitor_look(m).fpr.window, 720);
    assert_int_equal(ney_monitor_look(m).fnr.window, 350);
    ney_monitor_free(m);
}

/* Rows between the thresholds are rejected, which is no error; each error counts for its class. */
static void test_errors_are_those_of_the_thresholds(void **state)
{
    const double score[] = {-2, -1, 0, 1, 2, -2, -1, 0, 1, 2};
    const int8_t label[] = {-1, -1, -1, -1, -1, 1, 1, 1, 1, 1};
    ney_monitor_opts o = opts_of(0.3, 0.3, 0.05, 0);
    ney_monitor *m = NULL;
    int64_t taken;
    (void)state;
    o.low = -1;
    o.high = 1;
    assert_int_equal(ney_monitor_new(&m, NULL, &o, NULL), NEY_OK);
    assert_int_equal(ney_monitor_add(m, score, label, 10, &taken, NULL), NEY_OK);
    const ney_monitor_info i = ney_monitor_look(m);
    assert_int_equal(taken, 10);
    assert_int_equal(i.n_pos, 5);
    assert_int_equal(i.n_neg, 5);
    assert_int_equal(i.fpr.errors, 2); /* 1 and 2 */
    assert_int_equal(i.fnr.errors, 1); /* -2 alone */
    assert_true(i.fpr.delta == 0.025 && i.fnr.delta == 0.025);
    ney_monitor_free(m);
}

static void test_alarm_comes_when_evidence_is_reached_and_stays(void **state)
{
    (void)state;
    ney_monitor *m = new_monitor(0.1, (double)NAN, 0.05, 0);
    int64_t row = 0;
    while (ney_monitor_look(m).alarm_row == 0) {
        const ney_monitor_info i = ney_monitor_look(m);
        assert_true(i.fpr.log_evidence < -log(0.05));
        add(m, 1, -1);
        add(m, 1, 1); /* the class that is not watched */
        row += 2;
        assert_true(row < 100);
    }
    const int64_t alarm_row = ney_monitor_look(m).alarm_row;
    assert_int_equal(alarm_row, row - 1);
    assert_true(ney_monitor_look(m).fpr.log_evidence >= -log(0.05));
    for (int i = 0; i < 1000; i++) {
        add(m, -1, -1);
    }
    assert_true(ney_monitor_look(m).fpr.log_evidence < 0);
    assert_int_equal(ney_monitor_look(m).alarm_row, alarm_row);
    ney_monitor_free(m);
}

/* Either rate may come first; the other one's alarm comes as well, and the first stays the first.
 */
static void test_each_rate_has_its_alarm(void **state)
{
    (void)state;
    for (int8_t first = -1; first <= 1; first += 2) {
        ney_monitor *m = new_monitor(0.1, 0.1, 0.05, 1000);
        int row = 0, alarm = 0;
        for (; row < 100; row++) {
            const int8_t label = alarm ? (int8_t)-first : first;
            add(m, -label, label);
            const ney_monitor_info i = ney_monitor_look(m);
            if (!alarm && i.alarm_row > 0) {
                alarm = row + 1;
                assert_int_equal(first < 0 ? i.fnr.alarm_row : i.fpr.alarm_row, 0);
            }
        }
        const ney_monitor_info i = ney_monitor_look(m);
        assert_true(i.alarm_row == alarm && i.fpr.alarm_row > 0 && i.fnr.alarm_row > 0);
        assert_int_equal(first < 0 ? i.fpr.alarm_row : i.fnr.alarm_row, alarm);
        assert_true(i.fpr.collected + i.fnr.collected == 100 - alarm);
        ney_monitor_free(m);
    }
}

static void test_nan_is_refused(void **state)
{
    const double score[] = {1, (double)NAN};
    const int8_t label[] = {-1, 1};
    int64_t taken;
    (void)state;
    ney_monitor *m = new_monitor(0.1, (double)NAN, 0.05, 0);
    assert_int_equal(ney_monitor_add(m, score, label, 2, &taken, NULL), NEY_EINVAL);
    assert_int_equal(taken, 1);
    assert_int_equal(ney_monitor_look(m).n_pos, 0);
    ney_monitor_free(m);
}

/* ------------------------------------------------------------------ renewal */

/* 80 rows of either class before the alarm that follows them, then `after` of each. */
static int64_t feed(ney_monitor *m, int64_t after, double *neg, double *pos)
{
    rnd r = rnd_new(7200);
    for (int i = 0; i < 80; i++) {
        add(m, -1 - rnd_unit(&r), -1);
        add(m, 1 + rnd_unit(&r), 1);
    }
    int64_t row = 160;
    for (; ney_monitor_look(m).alarm_row == 0; row++) {
        assert_true(row < 1000);
        add(m, 100 + rnd_unit(&r), -1);
    }
    for (int64_t i = 0; i < after; i++) {
        neg[i] = 3 + rnd_unit(&r);
        pos[i] = 3.5 + rnd_unit(&r);
        add(m, neg[i], -1);
        add(m, pos[i], 1);
    }
    return row;
}

static void test_renewal_uses_the_rows_after_the_alarm_alone(void **state)
{
    enum { WINDOW = 100 };
    const double share = 1 - sqrt(0.95);
    double neg[WINDOW + 20], pos[WINDOW + 20];
    ney_certificate fpr, fnr;
    ney_certified c;
    (void)state;
    ney_monitor *m = new_monitor(0.1, 0.15, 0.05, WINDOW);
    const int64_t row = feed(m, WINDOW - 1, neg, pos);
    assert_int_equal(ney_monitor_look(m).alarm_row, row);
    assert_int_equal(ney_monitor_look(m).fpr.collected, WINDOW - 1);
    assert_false(ney_monitor_look(m).renewable);
    assert_int_equal(ney_monitor_certify(m, &c, NULL), NEY_EGOAL);
    neg[WINDOW - 1] = 3.25;
    pos[WINDOW - 1] = 3.75;
    add(m, neg[WINDOW - 1], -1);
    assert_false(ney_monitor_look(m).renewable);
    add(m, pos[WINDOW - 1], 1);
    assert_true(ney_monitor_look(m).renewable);
    for (int i = 0; i < 20; i++) { /* N was fixed: what follows does not count */
        add(m, 50, -1);
        add(m, -50, 1);
    }
    assert_int_equal(ney_monitor_certify(m, &c, NULL), NEY_OK);
    assert_int_equal(ney_certify(&fpr, NULL, NEY_FALSE_POSITIVES, neg, WINDOW, 0.1, share, NULL),
                     NEY_OK);
    assert_int_equal(ney_certify(&fnr, NULL, NEY_FALSE_NEGATIVES, pos, WINDOW, 0.15, share, NULL),
                     NEY_OK);
    assert_true(c.has_fpr && c.has_fnr);
    assert_true(c.fpr.hash == fpr.hash && c.fnr.hash == fnr.hash);
    assert_true(c.fpr.threshold == fpr.threshold && c.fnr.threshold == fnr.threshold);
    assert_true(c.high == fpr.threshold);
    assert_true(c.low == fmin(fnr.threshold, fpr.threshold));
    ney_monitor_free(m);
}

/* A block of rows ends at the alarm and at the row that fills the windows. */
static void test_blocks_end_at_events(void **state)
{
    enum { N = 1000 };
    double score[N];
    int8_t label[N];
    int64_t taken;
    (void)state;
    for (int i = 0; i < N; i++) {
        score[i] = 1;
        label[i] = -1;
    }
    ney_monitor *m = new_monitor(0.1, (double)NAN, 0.05, 50);
    assert_int_equal(ney_monitor_add(m, score, label, N, &taken, NULL), NEY_OK);
    assert_int_equal(ney_monitor_look(m).alarm_row, taken);
    assert_int_equal(ney_monitor_look(m).fpr.collected, 0);
    assert_int_equal(ney_monitor_add(m, score, label, N, &taken, NULL), NEY_OK);
    assert_int_equal(taken, 50);
    assert_true(ney_monitor_look(m).renewable);
    assert_int_equal(ney_monitor_add(m, score, label, N, &taken, NULL), NEY_OK);
    assert_int_equal(taken, N);
    ney_monitor_free(m);
}

static void test_no_threshold_beyond_infinite_scores(void **state)
{
    ney_certified c;
    ney_error err;
    (void)state;
    ney_monitor *m = new_monitor(0.1, (double)NAN, 0.05, 50);
    for (int i = 0; i < 200; i++) {
        add(m, (double)INFINITY, -1);
    }
    assert_int_equal(ney_monitor_certify(m, &c, &err), NEY_EGOAL);
    ney_monitor_free(m);
}

static void test_restart_forgets(void **state)
{
    double neg[100], pos[100];
    ney_monitor_opts o = opts_of(0.2, (double)NAN, 0.1, 0), bad = opts_of(2, (double)NAN, 0.1, 0);
    (void)state;
    ney_monitor *m = new_monitor(0.1, 0.1, 0.05, 0);
    (void)feed(m, 100, neg, pos);
    const ney_monitor_info before = ney_monitor_look(m);
    assert_int_equal(ney_monitor_restart(m, &bad, NULL), NEY_EINVAL);
    assert_int_equal(ney_monitor_look(m).alarm_row, before.alarm_row);
    assert_int_equal(ney_monitor_restart(m, &o, NULL), NEY_OK);
    const ney_monitor_info i = ney_monitor_look(m);
    assert_true(i.n_pos == 0 && i.n_neg == 0 && i.alarm_row == 0 && i.fpr.collected == 0);
    assert_true(i.fpr.watched && !i.fnr.watched && i.fpr.n == 0 &&
                fabs(i.fpr.log_evidence) < 1e-12);
    ney_monitor_free(m);
}

static void test_renewed_model_says_so(void **state)
{
    const double w = 1;
    const int8_t labels[] = {-1, 1};
    const float x[] = {0, 1};
    const ney_matrix matrix = {.rows = 2, .cols = 1, .dense = x};
    double neg[400], pos[400], low, high, scores[] = {0, 1};
    ney_data *d = NULL;
    ney_model *model = NULL;
    ney_certified c;
    uint64_t before, after;
    int64_t n_pos, n_neg, n_items = 0;
    bool origin = false;
    const char *key, *words;
    double value;
    (void)state;
    assert_int_equal(ney_data_new(&d, NULL, &matrix, labels, NULL, NULL), NEY_OK);
    assert_int_equal(ney_model_new_linear(&model, NULL, ney_data_preprocessing(d), &w, 0, NULL),
                     NEY_OK);
    assert_int_equal(ney_model_calibrate(model, scores, labels, 2, NULL), NEY_OK);
    assert_int_equal(ney_model_fingerprint(model, &before, NULL), NEY_OK);
    ney_monitor *m = new_monitor(0.1, 0.1, 0.05, 400);
    assert_int_equal(ney_model_renew(model, m, &c, NULL), NEY_EGOAL); /* no alarm: nothing to use */
    (void)feed(m, 400, neg, pos);
    assert_int_equal(ney_model_renew(model, m, &c, NULL), NEY_OK);
    ney_model_thresholds(model, &low, &high);
    assert_true(low == c.low && high == c.high && low < high);
    assert_false(ney_model_calibrated(model, &n_pos, &n_neg));
    for (; ney_model_metadata(model, NEY_METADATA_CERTIFICATE, n_items, &key, &value, &words);
         n_items++) {
        origin = origin || (strcmp(key, "origin") == 0 && strstr(words, "after an alarm"));
    }
    assert_true(origin && n_items > 10);
    assert_int_equal(ney_model_fingerprint(model, &after, NULL), NEY_OK);
    assert_true(before != after);
    ney_monitor_free(m);
    ney_model_free(model);
    ney_data_free(d);
}

/* ------------------------------------------------------------------ the state file */

static void assert_same(const ney_monitor *a, const ney_monitor *b)
{
    const ney_monitor_info x = ney_monitor_look(a), y = ney_monitor_look(b);
    assert_true(x.n_pos == y.n_pos && x.n_neg == y.n_neg && x.alarm_row == y.alarm_row);
    assert_true(x.renewable == y.renewable);
    assert_true(x.fpr.log_evidence == y.fpr.log_evidence);
    assert_true(x.fnr.log_evidence == y.fnr.log_evidence);
    assert_true(x.fpr.errors == y.fpr.errors && x.fnr.errors == y.fnr.errors);
    assert_true(x.fpr.alarm_row == y.fpr.alarm_row && x.fnr.alarm_row == y.fnr.alarm_row);
    assert_true(x.fpr.collected == y.fpr.collected && x.fnr.collected == y.fnr.collected);
}

/* A watch that is saved and opened again after every few rows is the one that never stopped, to the
 * last bit: evidence, alarm, collected rows and renewed thresholds. */
static void test_restarts_change_nothing(void **state)
{
    const char *const path = temp_path("watch.state");
    rnd r = rnd_new(7300);
    ney_certified one, other;
    (void)state;
    ney_monitor *never = new_monitor(0.1, 0.2, 0.1, 40), *m = NULL;
    for (int run = 0; run < 60; run++) {
        m = new_monitor(0.1, 0.2, 0.1, 40);
        assert_int_equal(ney_monitor_open(m, path, NULL), NEY_OK);
        assert_same(m, never);
        for (int64_t i = rnd_below(&r, 12); i > 0; i--) {
            const int8_t label = rnd_chance(&r, 0.5) ? 1 : -1;
            const double score = 2 * rnd_unit(&r) - 1;
            add(m, score, label);
            add(never, score, label);
        }
        assert_int_equal(ney_monitor_save(m, NULL), NEY_OK);
        ney_monitor_free(m);
    }
    m = new_monitor(0.1, 0.2, 0.1, 40);
    assert_int_equal(ney_monitor_open(m, path, NULL), NEY_OK);
    assert_same(m, never);
    assert_true(ney_monitor_look(m).renewable);
    assert_int_equal(ney_monitor_certify(m, &one, NULL), NEY_OK);
    assert_int_equal(ney_monitor_certify(never, &other, NULL), NEY_OK);
    assert_true(one.fpr.hash == other.fpr.hash && one.fnr.hash == other.fnr.hash);
    ney_monitor_free(m);
    ney_monitor_free(never);
    unlink(path);
}

static ney_status try_open(const ney_monitor_opts *o, const char *path, ney_error *err)
{
    ney_monitor *m = NULL;
    assert_int_equal(ney_monitor_new(&m, NULL, o, NULL), NEY_OK);
    const ney_status st = ney_monitor_open(m, path, err);
    ney_monitor_free(m);
    return st;
}

static void test_state_of_another_watch_is_refused(void **state)
{
    const char *const path = temp_path("other.state");
    ney_monitor_opts o = opts_of(0.1, 0.2, 0.1, 0), changed;
    ney_error err;
    (void)state;
    assert_int_equal(try_open(&o, path, &err), NEY_OK); /* makes it */
    assert_int_equal(try_open(&o, path, &err), NEY_OK);
    changed = o;
    changed.fingerprint++;
    assert_int_equal(try_open(&changed, path, &err), NEY_EFORMAT);
    assert_non_null(strstr(err.message, "another model"));
    changed = o;
    changed.delta = 0.05;
    assert_int_equal(try_open(&changed, path, &err), NEY_EFORMAT);
    assert_non_null(strstr(err.message, "confidence"));
    changed = o;
    changed.max_fnr = (double)NAN;
    assert_int_equal(try_open(&changed, path, &err), NEY_EFORMAT);
    assert_non_null(strstr(err.message, "bounds"));
    changed = o;
    changed.high = 0.5;
    assert_int_equal(try_open(&changed, path, &err), NEY_EFORMAT);
    assert_non_null(strstr(err.message, "thresholds"));
    changed = o;
    changed.window = 500;
    assert_int_equal(try_open(&changed, path, &err), NEY_EFORMAT);
    assert_non_null(strstr(err.message, "--window"));
    unlink(path);
}

/* Every byte changed, every cut, an empty file and no file at all of ours: refused each time. */
static void test_damaged_state_is_refused(void **state)
{
    const char *const path = temp_path("damaged.state");
    const ney_monitor_opts o = opts_of(0.1, 0.2, 0.1, 0);
    ney_error err;
    size_t n;
    (void)state;
    assert_int_equal(try_open(&o, path, &err), NEY_OK);
    char *bytes = slurp(path, &n);
    for (size_t i = 0; i < n; i++) {
        bytes[i] ^= 1;
        temp_file("damaged.state", bytes, n);
        assert_int_equal(try_open(&o, path, &err), NEY_EFORMAT);
        bytes[i] ^= 1;
        temp_file("damaged.state", bytes, i);
        assert_int_equal(try_open(&o, path, &err), NEY_EFORMAT);
    }
    temp_file("damaged.state", bytes, n);
    assert_int_equal(try_open(&o, path, &err), NEY_OK);
    free(bytes);
    unlink(path);
}

static void test_one_process_at_a_time(void **state)
{
    const char *const path = temp_path("locked.state");
    const ney_monitor_opts o = opts_of(0.1, 0.2, 0.1, 0);
    const int before = temp_count();
    ney_monitor *m = NULL;
    ney_error err;
    (void)state;
    assert_int_equal(ney_monitor_new(&m, NULL, &o, NULL), NEY_OK);
    assert_int_equal(ney_monitor_open(m, path, &err), NEY_OK);
    assert_int_equal(try_open(&o, path, &err), NEY_EIO);
    assert_non_null(strstr(err.message, "another process"));
    assert_int_equal(ney_monitor_open(m, path, &err), NEY_EINVAL); /* nor twice */
    ney_monitor_free(m);
    assert_int_equal(try_open(&o, path, &err), NEY_OK);
    assert_int_equal(temp_count(), before + 1); /* no lock file is left */
    unlink(path);
}

static void test_strange_places_are_refused(void **state)
{
    const char *const link_path = temp_path("link.state");
    const ney_monitor_opts o = opts_of(0.1, 0.2, 0.1, 0);
    ney_monitor *m = NULL;
    ney_error err;
    (void)state;
    assert_int_equal(try_open(&o, "/nowhere/at/all", &err), NEY_EIO);
    assert_int_equal(try_open(&o, temp_path("."), &err), NEY_EIO);
    assert_int_equal(symlink("elsewhere", link_path), 0);
    assert_int_equal(try_open(&o, link_path, &err), NEY_EIO);
    unlink(link_path);
    assert_int_equal(ney_monitor_new(&m, NULL, &o, NULL), NEY_OK);
    assert_int_equal(ney_monitor_save(m, &err), NEY_EINVAL);
    ney_monitor_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_martingale_is_fair),
        cmocka_unit_test(test_martingale_follows_its_formula),
        cmocka_unit_test(test_evidence_is_always_a_number),
        cmocka_unit_test(test_rates_outside_are_refused),
        cmocka_unit_test(test_default_window_is_ten_times_the_fewest),
        cmocka_unit_test(test_errors_are_those_of_the_thresholds),
        cmocka_unit_test(test_alarm_comes_when_evidence_is_reached_and_stays),
        cmocka_unit_test(test_each_rate_has_its_alarm),
        cmocka_unit_test(test_nan_is_refused),
        cmocka_unit_test(test_renewal_uses_the_rows_after_the_alarm_alone),
        cmocka_unit_test(test_blocks_end_at_events),
        cmocka_unit_test(test_no_threshold_beyond_infinite_scores),
        cmocka_unit_test(test_restart_forgets),
        cmocka_unit_test(test_renewed_model_says_so),
        cmocka_unit_test(test_restarts_change_nothing),
        cmocka_unit_test(test_state_of_another_watch_is_refused),
        cmocka_unit_test(test_damaged_state_is_refused),
        cmocka_unit_test(test_one_process_at_a_time),
        cmocka_unit_test(test_strange_places_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
