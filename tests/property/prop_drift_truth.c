/* What a test of drift claims, on streams whose truth is known: how often an alarm is false, ever,
 * over restarts, with ties and with few reference rows; and after how many rows a change is
 * noticed. */
#include "support/claim.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/share.h"
#include "support/temp.h"

#include <neyman/experimental.h>

#include <math.h>
#include <unistd.h>

static const double DELTA = 0.1;

enum { ROWS = 1000, MOST_REFERENCE = 1000 };

static double normal(rnd *r)
{
    return sqrt(-2 * log(1 - rnd_unit(r))) * cos(6.283185307179586 * rnd_unit(r));
}

/* Scores of two classes: 30 % are N(2, 1), the others N(0, 1); `step` > 0 rounds them. */
static double draw_score(rnd *r, double step)
{
    const double x = normal(r) + (rnd_chance(r, 0.3) ? 2 : 0);
    return step > 0 ? step * floor(x / step) : x;
}

static ney_drift *new_test(rnd *r, int64_t m, double step)
{
    static double reference[MOST_REFERENCE];
    const ney_drift_opts o = {
        .delta = DELTA, .fingerprint = 7, .seed = (uint64_t)rnd_below(r, 1 << 30)};
    ney_drift *d = NULL;
    for (int64_t i = 0; i < m; i++) {
        reference[i] = draw_score(r, step);
    }
    assert_int_equal(ney_drift_new(&d, NULL, reference, m, &o, NULL), NEY_OK);
    return d;
}

/* The row of the alarm within n rows that `draw` makes; 0: none. */
static int64_t alarm_row(ney_drift *d, const double *score, int64_t n)
{
    int64_t taken;
    assert_int_equal(ney_drift_add(d, score, n, &taken, NULL), NEY_OK);
    assert_true(taken == n || ney_drift_look(d).alarm_row == taken);
    return ney_drift_look(d).alarm_row;
}

static void check_null(const char *claim, int64_t m, double step, uint64_t stream)
{
    static double score[ROWS];
    const int64_t draws = test_share(200);
    int64_t alarms = 0;
    rnd r = rnd_new(stream);
    for (int64_t k = 0; k < draws; k++) {
        ney_drift *d = new_test(&r, m, step);
        for (int64_t t = 0; t < ROWS; t++) {
            score[t] = draw_score(&r, step);
        }
        alarms += alarm_row(d, score, ROWS) > 0;
        ney_drift_free(d);
    }
    claim_check(claim, alarms, draws, DELTA);
}

static void prop_false_alarms_are_rare(void **state)
{
    (void)state;
    check_null("drift: false alarm within 1000 rows, 1000 reference rows", 1000, 0, 9400);
    check_null("drift: false alarm within 1000 rows, 30 reference rows", 30, 0, 9401);
    check_null("drift: false alarm, scores with four values", 200, 1.5, 9402);
}

/* A job that ends and starts again every 100 rows, with the state in between in a file. */
static void prop_restarts_add_no_false_alarms(void **state)
{
    enum { RUNS = 10, PART = 100 };
    const char *const path = temp_path("drift.state");
    const int64_t draws = test_share(50);
    int64_t alarms = 0;
    rnd r = rnd_new(9403);
    (void)state;
    for (int64_t k = 0; k < draws; k++) {
        static double reference[200], score[RUNS * PART];
        const ney_drift_opts o = {.delta = DELTA, .fingerprint = 7, .seed = (uint64_t)k};
        ney_drift *whole = NULL;
        bool alarm = false;
        for (int i = 0; i < 200; i++) {
            reference[i] = draw_score(&r, 0.25);
        }
        for (int i = 0; i < RUNS * PART; i++) {
            score[i] = draw_score(&r, 0.25);
        }
        for (int run = 0; run < RUNS; run++) {
            ney_drift *d = NULL;
            assert_int_equal(ney_drift_new(&d, NULL, reference, 200, &o, NULL), NEY_OK);
            assert_int_equal(ney_drift_open(d, path, NULL), NEY_OK);
            assert_true((ney_drift_look(d).alarm_row > 0) == alarm); /* an alarm stays */
            for (int64_t at = 0, taken; at < PART; at += taken) {
                assert_int_equal(ney_drift_add(d, score + PART * run + at, PART - at, &taken, NULL),
                                 NEY_OK);
            }
            alarm = ney_drift_look(d).alarm_row > 0;
            assert_int_equal(ney_drift_save(d, NULL), NEY_OK);
            if (run == RUNS - 1) { /* as one run over all rows */
                assert_int_equal(ney_drift_new(&whole, NULL, reference, 200, &o, NULL), NEY_OK);
                for (int64_t at = 0, taken; at < RUNS * PART; at += taken) {
                    assert_int_equal(
                        ney_drift_add(whole, score + at, RUNS * PART - at, &taken, NULL), NEY_OK);
                }
                assert_true(ney_drift_look(whole).alarm_row == ney_drift_look(d).alarm_row);
                assert_true(ney_drift_look(whole).log_evidence == ney_drift_look(d).log_evidence);
                ney_drift_free(whole);
            }
            ney_drift_free(d);
        }
        alarms += alarm;
        unlink(path);
    }
    claim_check("drift: false alarm over 10 runs with a state file", alarms, draws, DELTA);
}

/* ------------------------------------------------------------------ power */

static void prop_a_change_is_noticed(void **state)
{
    static const struct {
        int64_t before;
        double shift, positives; /* of all scores; share of the second class after the change */
    } cases[] = {{0, 0.5, 0.3},     {1000, 0.5, 0.3}, {10000, 0.5, 0.3}, {1000, 1, 0.3},
                 {1000, 0.25, 0.3}, {1000, 0, 0.6},   {1000, 0, 0.45}};
    enum { MOST = 5000 }; /* rows after the change */
    const int64_t draws = test_times(6);
    rnd r = rnd_new(9404);
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        int64_t noticed = 0;
        double delay = 0;
        for (int64_t k = 0; k < draws; k++) {
            ney_drift *d = new_test(&r, MOST_REFERENCE, 0);
            int64_t row = 0;
            for (int64_t t = 0; row == 0 && t < cases[c].before + MOST; t++) {
                const bool changed = t >= cases[c].before;
                const double score = changed ? normal(&r) + cases[c].shift +
                                                   (rnd_chance(&r, cases[c].positives) ? 2 : 0)
                                             : draw_score(&r, 0);
                row = alarm_row(d, &score, 1);
            }
            noticed += row > cases[c].before;
            delay += row > cases[c].before ? (double)(row - cases[c].before) : 0;
            ney_drift_free(d);
        }
        print_message("1000 reference rows, after %lld rows scores move by %g, positives 30 %% -> "
                      "%g %%: noticed %lld of %lld, mean delay %.0f rows\n",
                      (long long)cases[c].before, cases[c].shift, 100 * cases[c].positives,
                      (long long)noticed, (long long)draws, delay / (double)noticed);
        assert_true(noticed >= 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_false_alarms_are_rare),
        cmocka_unit_test(prop_restarts_add_no_false_alarms),
        cmocka_unit_test(prop_a_change_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
