/* What a monitor of subgroups claims: with all bounds met, an alarm of all rows or of any subgroup
 * is rare, over restarts too; a subgroup whose rate rises is noticed though the rate of all rows
 * stays below the bound. */
#include "support/claim.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/share.h"
#include "support/temp.h"

#include <neyman/experimental.h>

#include <math.h>
#include <stdio.h>
#include <unistd.h>

static const double MAX_FPR = 0.1, MAX_FNR = 0.2, DELTA = 0.1;

enum { ROWS = 3000, GROUPS = 8, RUNS = 5, PART = ROWS / RUNS };

static const char *const names[GROUPS] = {"a", "b", "c", "d", "e", "f", "g", ""};

static ney_monitor *new_monitor(void)
{
    const ney_monitor_opts o = {.max_fpr = MAX_FPR, .max_fnr = MAX_FNR, .delta = DELTA};
    ney_monitor *m = NULL;
    assert_int_equal(ney_monitor_new(&m, NULL, &o, NULL), NEY_OK);
    assert_int_equal(ney_monitor_watch_by(m, "group", NULL), NEY_OK);
    return m;
}

typedef struct stream {
    double score[ROWS];
    int8_t label[ROWS];
    const char *name[ROWS];
} stream;

/* Decisions at 0. Group `worse` has this rate after half of the rows; -1: none. */
static void draw(rnd *r, stream *s, int worse, double rate)
{
    for (int64_t t = 0; t < ROWS; t++) {
        const int g = (int)rnd_below(r, GROUPS);
        const bool positive = rnd_chance(r, 0.5);
        const double bound = positive ? MAX_FNR : MAX_FPR;
        const double p = g == worse && t >= ROWS / 2 ? rate : worse < 0 ? bound : 0.3 * bound;
        s->label[t] = positive ? 1 : -1;
        s->score[t] = rnd_chance(r, p) == positive ? -1 : 1;
        s->name[t] = names[g];
    }
}

static void add(ney_monitor *m, const stream *s, int64_t begin, int64_t end)
{
    for (int64_t at = begin, taken; at < end; at += taken) {
        const ney_labelled_scores rows = {
            .score = s->score + at, .label = s->label + at, .n = end - at};
        assert_int_equal(ney_monitor_add_by(m, &rows, s->name + at, &taken, NULL), NEY_OK);
    }
}

/* The number of alarms; *of, where one subgroup alone has any, is its position, else -1. */
static int count_alarms(const ney_monitor *m, const char **of)
{
    const ney_monitor_info i = ney_monitor_look(m);
    ney_subgroup_info g;
    int alarms = (i.fpr.alarm_row > 0) + (i.fnr.alarm_row > 0);
    *of = NULL;
    for (int64_t k = 0; ney_monitor_subgroup(m, k, &g); k++) {
        const int more = (g.fpr.alarm_row > 0) + (g.fnr.alarm_row > 0);
        *of = more > 0 ? g.name : *of;
        alarms += more;
    }
    return alarms;
}

static void prop_false_alarms_are_rare(void **state)
{
    static stream s;
    const char *const path = temp_path("by.state"), *of;
    const int64_t draws = test_share(200);
    int64_t alarms = 0;
    rnd r = rnd_new(9500);
    (void)state;
    for (int64_t k = 0; k < draws; k++) {
        ney_monitor *whole = new_monitor();
        int last = 0;
        draw(&r, &s, -1, 0);
        for (int run = 0; run < RUNS; run++) {
            ney_monitor *m = new_monitor();
            assert_int_equal(ney_monitor_open(m, path, NULL), NEY_OK);
            assert_int_equal(count_alarms(m, &of), last); /* alarms stay */
            add(m, &s, PART * run, PART * (run + 1));
            last = count_alarms(m, &of);
            assert_int_equal(ney_monitor_save(m, NULL), NEY_OK);
            ney_monitor_free(m);
        }
        add(whole, &s, 0, ROWS);
        assert_int_equal(count_alarms(whole, &of), last);
        alarms += last > 0;
        ney_monitor_free(whole);
        unlink(path);
    }
    claim_check("monitor --by: any false alarm of 8 subgroups and two bounds, 5 runs", alarms,
                draws, DELTA);
}

static void prop_a_worse_subgroup_is_named(void **state)
{
    static stream s;
    const int64_t draws = test_times(10);
    int64_t named = 0, all = 0;
    rnd r = rnd_new(9501);
    (void)state;
    for (int64_t k = 0; k < draws; k++) {
        const char *of;
        ney_monitor *m = new_monitor();
        draw(&r, &s, 4, 0.6);
        add(m, &s, 0, ROWS);
        (void)count_alarms(m, &of);
        named += of == NULL ? 0 : of[0] == 'e';
        all += ney_monitor_look(m).alarm_row > 0;
        ney_monitor_free(m);
    }
    print_message("one of 8 subgroups at a rate of 0.6 from row %d: named in %lld of %lld draws; "
                  "alarms of all rows: %lld\n",
                  ROWS / 2, (long long)named, (long long)draws, (long long)all);
    assert_true(named >= draws - 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_false_alarms_are_rare),
        cmocka_unit_test(prop_a_worse_subgroup_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
