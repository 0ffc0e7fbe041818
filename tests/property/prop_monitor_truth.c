/* What a monitor claims, on streams whose truth is known: how often an alarm is false, ever, and
 * how often thresholds that were renewed after a change break their bounds. */
#include "support/claim.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/temp.h"

#include <neyman/experimental.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const double MAX_FPR = 0.1, MAX_FNR = 0.2, DELTA = 0.1;

static ney_monitor *new_monitor(const ney_monitor_opts *o)
{
    ney_monitor *m = NULL;
    assert_int_equal(ney_monitor_new(&m, NULL, o, NULL), NEY_OK);
    return m;
}

/* Rows up to the next event; how many were taken. */
static int64_t add(ney_monitor *m, const double *score, const int8_t *label, int64_t n)
{
    int64_t taken;
    assert_int_equal(ney_monitor_add(m, score, label, n, &taken, NULL), NEY_OK);
    return taken;
}

static int64_t alarm_row(const ney_monitor *m)
{
    return ney_monitor_look(m).alarm_row;
}

/* ------------------------------------------------------------------ false alarms */

enum { ROWS = 3000 };

/* A row of a stream under the null hypothesis: its label, and the probability that it is
 * misclassified given the rows before it, `last` being whether the one before was. */
typedef double null_rate(int64_t t, bool last, int8_t *label);

static double independent(int64_t t, bool last, int8_t *label)
{
    (void)t;
    (void)last;
    *label = -1;
    return MAX_FPR;
}

/* Errors come in bursts, and the rate changes with time, but is never above the bound. */
static double dependent(int64_t t, bool last, int8_t *label)
{
    *label = -1;
    return last || t % 500 < 400 ? MAX_FPR : 0.3 * MAX_FPR;
}

/* Two bounds; an error of a positive is likelier after one of a negative. */
static double paired(int64_t t, bool last, int8_t *label)
{
    *label = t % 2 ? 1 : -1;
    return t % 2 ? (last ? MAX_FNR : 0.9 * MAX_FNR) : MAX_FPR;
}

/* Decisions at 0. */
static void draw_null(rnd *r, null_rate *rate, double *score, int8_t *label)
{
    bool error = false;
    for (int64_t t = 0; t < ROWS; t++) {
        error = rnd_chance(r, rate(t, error, &label[t]));
        score[t] = error ? -label[t] : label[t];
    }
    for (int64_t t = 0; t < ROWS; t++) { /* scores of 0 and more are positive */
        score[t] = score[t] > 0 ? 0 : -1;
    }
}

static ney_monitor_opts bounds(bool both, int64_t window)
{
    return (ney_monitor_opts){.max_fpr = MAX_FPR,
                              .max_fnr = both ? MAX_FNR : (double)NAN,
                              .delta = DELTA,
                              .window = window};
}

static void check_null(const char *claim, null_rate *rate, bool both, uint64_t stream)
{
    static double score[ROWS];
    static int8_t label[ROWS];
    const ney_monitor_opts o = bounds(both, 0);
    const int64_t draws = test_times(1000);
    int64_t alarms = 0;
    rnd r = rnd_new(stream);
    for (int64_t k = 0; k < draws; k++) {
        ney_monitor *m = new_monitor(&o);
        draw_null(&r, rate, score, label);
        const int64_t taken = add(m, score, label, ROWS);
        assert_true((taken < ROWS) == (alarm_row(m) > 0 && alarm_row(m) < ROWS));
        alarms += alarm_row(m) > 0;
        ney_monitor_free(m);
    }
    claim_check(claim, alarms, draws, DELTA);
    assert_true(alarms > 0); /* what is allowed is made use of */
}

static void prop_false_alarms_are_rare(void **state)
{
    (void)state;
    check_null("monitor: false alarm within 3000 rows at the bound", independent, false, 9300);
    check_null("monitor: false alarm, rows that depend on the past", dependent, false, 9301);
    check_null("monitor: false alarm of either of two bounds", paired, true, 9302);
}

/* A job that ends and starts again, with the state in between in a file, and looks at the result
 * each time. Without the state each of its runs would have a chance of its own. */
static void prop_restarts_add_no_false_alarms(void **state)
{
    enum { RUNS = 15, PART = ROWS / RUNS };
    static double score[ROWS];
    static int8_t label[ROWS];
    const char *const path = temp_path("restarts.state");
    const ney_monitor_opts o = bounds(true, 0);
    const int64_t draws = test_times(100);
    int64_t alarms = 0, alone = 0;
    rnd r = rnd_new(9303);
    (void)state;
    for (int64_t k = 0; k < draws; k++) {
        bool alarm = false, any = false;
        draw_null(&r, paired, score, label);
        for (int run = 0; run < RUNS; run++) {
            ney_monitor *m = new_monitor(&o), *fresh = new_monitor(&o);
            assert_int_equal(ney_monitor_open(m, path, NULL), NEY_OK);
            assert_true((alarm_row(m) > 0) == alarm); /* an alarm stays */
            for (int64_t at = 0; at < PART;) {
                at += add(m, score + PART * run + at, label + PART * run + at, PART - at);
            }
            (void)add(fresh, score + PART * run, label + PART * run, PART);
            alarm = alarm_row(m) > 0;
            any = any || alarm_row(fresh) > 0;
            assert_int_equal(ney_monitor_save(m, NULL), NEY_OK);
            ney_monitor_free(m);
            ney_monitor_free(fresh);
        }
        alarms += alarm;
        alone += any;
        unlink(path);
    }
    claim_check("monitor: false alarm over 15 runs with a state file", alarms, draws, DELTA);
    print_message("without the state file: %.3f of the draws\n", (double)alone / (double)draws);
}

/* ------------------------------------------------------------------ power */

static void prop_a_change_is_noticed(void **state)
{
    static const struct {
        int64_t before;
        double rate;
    } cases[] = {{0, 0.2}, {0, 0.15}, {1000, 0.2}, {1000, 0.15}, {10000, 0.2}, {10000, 0.15}};
    const ney_monitor_opts o = bounds(false, 0);
    const int64_t draws = test_times(10);
    rnd r = rnd_new(9304);
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double delay = 0;
        int64_t noticed = 0;
        for (int64_t k = 0; k < draws; k++) {
            ney_monitor *m = new_monitor(&o);
            int64_t row = 0;
            for (int64_t t = 0; row == 0 && t < cases[c].before + 20000; t++) {
                /* 0.8 of the bound, then the rate of the case */
                const double rate = t < cases[c].before ? 0.8 * MAX_FPR : cases[c].rate;
                const double score = rnd_chance(&r, rate) ? 0 : -1;
                const int8_t label = -1;
                (void)add(m, &score, &label, 1);
                row = score < 0 ? 0 : alarm_row(m);
            }
            if (row > cases[c].before) {
                noticed++;
                delay += (double)(row - cases[c].before);
            }
            ney_monitor_free(m);
        }
        delay /= (double)noticed;
        print_message("bound %g, rate %g after %lld rows: mean delay %.0f rows\n", MAX_FPR,
                      cases[c].rate, (long long)cases[c].before, delay);
        assert_true((double)noticed >= 0.5 * (double)draws);
        assert_true(delay < 5000);
    }
}

/* ------------------------------------------------------------------ renewal */

static double normal(rnd *r)
{
    return sqrt(-2 * log(1 - rnd_unit(r))) * cos(6.283185307179586 * rnd_unit(r));
}

/* P(N(0, 1) > t). */
static double upper(double t)
{
    return 0.5 * erfc(t / sqrt(2));
}

/* Scores are N(0, 1) and N(2, 1) before the change; after it negatives move by `shift`, positives
 * by half of it. `step` > 0 rounds them up to its multiples, which makes ties. */
typedef struct world {
    bool both;
    double shift, step;
    int64_t window;
} world;

static double score_of(rnd *r, const world *w, bool positive, bool changed)
{
    const double x = normal(r) + (positive ? 2 : 0) + (changed ? w->shift / (positive ? 2 : 1) : 0);
    return w->step > 0 ? w->step * ceil(x / w->step) : x;
}

/* The true rates after the change. A score that was rounded up is at least t when the one before
 * was above t - step, t being a multiple. */
static double true_fpr(const world *w, double high)
{
    const double t = w->step > 0 ? w->step * (ceil(high / w->step) - 1) : high;
    return upper(t - w->shift);
}

static double true_fnr(const world *w, double low)
{
    const double t = w->step > 0 ? w->step * (ceil(low / w->step) - 1) : low;
    return 1 - upper(t - 2 - w->shift / 2);
}

/* One stream with a change at a random row, until thresholds are renewed. False where the alarm
 * came before the change: that is not claimed about. */
static bool renew(rnd *r, const world *w, ney_certified *c)
{
    ney_monitor_opts o = bounds(w->both, w->window);
    o.high = 1.5; /* FPR 0.067 and FNR 0.16 before the change */
    o.low = w->both ? 1 : o.high;
    ney_monitor *m = new_monitor(&o);
    const int64_t change = 1 + rnd_below(r, 400);
    int64_t t = 0;
    bool alarm = false, full = false;
    while (!full) {
        enum { BLOCK = 64 };
        double score[BLOCK];
        int8_t label[BLOCK];
        for (int i = 0; i < BLOCK; i++) {
            const bool positive = rnd_chance(r, 0.4);
            label[i] = positive ? 1 : -1;
            score[i] = score_of(r, w, positive, t + i >= change);
        }
        for (int64_t at = 0; at < BLOCK && !full;) {
            at += add(m, score + at, label + at, BLOCK - at);
            const ney_monitor_info info = ney_monitor_look(m);
            alarm = info.alarm_row > 0;
            full = info.renewable;
        }
        t += BLOCK;
        assert_true(t < 100000);
    }
    const bool claimed = alarm && alarm_row(m) > change;
    if (claimed) {
        assert_int_equal(ney_monitor_certify(m, c, NULL), NEY_OK);
    }
    ney_monitor_free(m);
    return claimed;
}

static void check_renewal(const char *claim, const world *w, uint64_t stream)
{
    const int64_t draws = test_times(600);
    int64_t broken = 0, claimed = 0;
    rnd r = rnd_new(stream);
    while (claimed < draws) {
        ney_certified c;
        if (renew(&r, w, &c)) {
            claimed++;
            broken += true_fpr(w, c.high) > MAX_FPR || (w->both && true_fnr(w, c.low) > MAX_FNR);
        }
    }
    claim_check(claim, broken, draws, DELTA);
    assert_true(broken > 0 || w->step > 0); /* ties make thresholds stricter */
}

static void prop_renewed_bounds_hold(void **state)
{
    const world one = {.shift = 1, .window = 175},
                two = {.both = true, .shift = 1.5, .window = 150},
                ties = {.shift = 1, .step = 0.5, .window = 175};
    (void)state;
    check_renewal("monitor: renewed bound broken", &one, 9310);
    check_renewal("monitor: either of two renewed bounds broken", &two, 9311);
    check_renewal("monitor: renewed bound broken, ties", &ties, 9312);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_false_alarms_are_rare),
        cmocka_unit_test(prop_restarts_add_no_false_alarms),
        cmocka_unit_test(prop_a_change_is_noticed),
        cmocka_unit_test(prop_renewed_bounds_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
