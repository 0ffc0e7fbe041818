/* Monitors, their state files and score streams, with every request for memory refused in turn and
 * stops at every poll. */
#include "support/cmocka_all.h"
#include "support/counting.h"
#include "support/random_data.h"
#include "support/temp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N = 200 };

static double score[N];
static int8_t label[N];
static ney_data *data;

static const ney_monitor_opts OPTS = {
    .max_fpr = 0.1, .max_fnr = 0.2, .delta = 0.1, .window = 40, .fingerprint = 7};

/* All rows, through all events. */
static ney_status add_all(ney_monitor *m, ney_error *err)
{
    ney_status st = NEY_OK;
    for (int64_t at = 0, taken = 0; st == NEY_OK && at < N; at += taken) {
        st = ney_monitor_add(m, score + at, label + at, N - at, &taken, err);
    }
    return st;
}

static ney_status use_monitor(const void *what, const ney_env *env, ney_error *err)
{
    const char *const path = what;
    ney_monitor *m = (ney_monitor *)(uintptr_t)1;
    unlink(path);
    ney_status st = ney_monitor_new(&m, env, &OPTS, err);
    assert_true((st == NEY_OK) == (m != NULL));
    if (st == NEY_OK && (st = ney_monitor_open(m, path, err)) == NEY_OK &&
        (st = add_all(m, err)) == NEY_OK) {
        st = ney_monitor_save(m, err);
    }
    ney_monitor_free(m);
    return st;
}

/* The same with subgroups, opened twice. */
static ney_status use_subgroups(const void *what, const ney_env *env, ney_error *err)
{
    static const char *name[N];
    const char *const path = what;
    ney_status st = NEY_OK;
    unlink(path);
    for (int i = 0; i < N; i++) {
        name[i] = i % 3 ? "north" : i % 2 ? "south" : "";
    }
    for (int run = 0; run < 2 && st == NEY_OK; run++) {
        ney_monitor *m = NULL;
        if ((st = ney_monitor_new(&m, env, &OPTS, err)) == NEY_OK &&
            (st = ney_monitor_watch_by(m, "region", err)) == NEY_OK &&
            (st = ney_monitor_open(m, path, err)) == NEY_OK) {
            for (int64_t at = 0, taken = 0; st == NEY_OK && at < N; at += taken) {
                const ney_labelled_scores rows = {
                    .score = score + at, .label = label + at, .n = N - at};
                st = ney_monitor_add_by(m, &rows, name + at, &taken, err);
            }
            assert_true(st != NEY_OK || ney_monitor_subgroups(m) == 3);
            st = st == NEY_OK ? ney_monitor_save(m, err) : st;
        }
        ney_monitor_free(m);
    }
    return st;
}

/* A test of drift, opened twice. */
static ney_status use_drift(const void *what, const ney_env *env, ney_error *err)
{
    static const ney_drift_opts opts = {.delta = 0.1, .fingerprint = 7};
    const char *const path = what;
    ney_status st = NEY_OK;
    unlink(path);
    for (int run = 0; run < 2 && st == NEY_OK; run++) {
        ney_drift *d = (ney_drift *)(uintptr_t)1;
        int64_t taken;
        st = ney_drift_new(&d, env, score, N, &opts, err);
        assert_true((st == NEY_OK) == (d != NULL));
        if (st == NEY_OK && (st = ney_drift_open(d, path, err)) == NEY_OK &&
            (st = ney_drift_add(d, score, N, &taken, err)) == NEY_OK) {
            st = ney_drift_save(d, err);
        }
        ney_drift_free(d);
    }
    return st;
}

/* From the state that such a run leaves to a renewed model. */
static ney_status use_renewal(const void *what, const ney_env *env, ney_error *err)
{
    static const double weight = 1;
    const char *const path = what;
    ney_monitor *m = NULL;
    ney_model *model = NULL;
    ney_certified c;
    ney_monitor_opts o = OPTS;
    ney_status st = ney_monitor_new(&m, env, &OPTS, err);
    if (st == NEY_OK && (st = ney_monitor_open(m, path, err)) == NEY_OK &&
        (st = ney_model_new_linear(&model, env, ney_data_preprocessing(data), &weight, 0, err)) ==
            NEY_OK &&
        (st = ney_model_renew(model, m, &c, err)) == NEY_OK &&
        (st = ney_model_fingerprint(model, &o.fingerprint, err)) == NEY_OK) {
        st = ney_monitor_restart(m, &o, err);
    }
    ney_model_free(model);
    ney_monitor_free(m);
    return st;
}

static ney_status use_stream(const void *what, const ney_env *env, ney_error *err)
{
    ney_score_stream *s = (ney_score_stream *)(uintptr_t)1;
    const double *scores;
    const int8_t *labels;
    int64_t n = 1, rows = 0;
    const ney_score_stream_opts opts = {.by = "region"};
    ney_status st =
        ney_score_stream_open_with(&s, env, what, ney_data_preprocessing(data), &opts, err);
    assert_true((st == NEY_OK) == (s != NULL));
    while (st == NEY_OK && n > 0) {
        st = ney_score_stream_next(s, &scores, &labels, &n, err);
        rows += st == NEY_OK ? n : 0;
        assert_true(st != NEY_OK || n == 0 ||
                    strcmp(ney_score_stream_names(s)[n - 1], "south east") == 0);
    }
    assert_true(st != NEY_OK || rows == N);
    ney_score_stream_close(s);
    return st;
}

static const char *score_file(void)
{
    text t = {0};
    text_put(&t, "label\tscore\tregion\n");
    for (int i = 0; i < N; i++) {
        text_printf(&t, "%d\t%.17g\tsouth east\n", label[i], score[i]);
    }
    const char *const path = temp_file("scores", t.bytes, t.length);
    text_free(&t);
    return path;
}

static int make_rows(void **state)
{
    static const float x[] = {0, 1};
    static const int8_t y[] = {-1, 1};
    const ney_matrix matrix = {.rows = 2, .cols = 1, .dense = x};
    rnd r = rnd_new(7400);
    (void)state;
    for (int i = 0; i < N; i++) {
        label[i] = i % 2 ? 1 : -1;
        score[i] = rnd_unit(&r);
    }
    return ney_data_new(&data, NULL, &matrix, y, NULL, NULL) != NEY_OK;
}

static int free_rows(void **state)
{
    (void)state;
    ney_data_free(data);
    return 0;
}

static void memory_refused(void **state)
{
    const char *const path = temp_path("a.state");
    ney_error err;
    (void)state;
    sweep_memory("a watch with a state", use_monitor, path);
    assert_int_equal(use_monitor(path, NULL, &err), NEY_OK);
    sweep_memory("a renewal from a state", use_renewal, path);
    sweep_memory("a stream of scores", use_stream, score_file());
    sweep_memory("a watch of subgroups", use_subgroups, path);
    sweep_memory("a test of drift", use_drift, path);
    unlink(path);
}

static void stops_asked_for(void **state)
{
    (void)state;
    assert_true(sweep_polls("a stream of scores", use_stream, score_file(), false) >= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_refused),
        cmocka_unit_test(stops_asked_for),
    };
    return cmocka_run_group_tests(tests, make_rows, free_rows);
}
