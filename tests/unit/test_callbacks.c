/* Poll, log and step are called on the calling thread alone, however many threads are at work:
 * while a pipe is read, folds are searched, fold models are trained and windows are read ahead. */
#include "base/parallel.h"

#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/temp.h"

#include <math.h>
#include <string.h>
#include <time.h>

typedef struct seen {
    pthread_t caller;
    atomic_int polls, elsewhere;
} seen;

static void note(void *user)
{
    seen *s = user;
    atomic_fetch_add(&s->polls, 1);
    atomic_fetch_add(&s->elsewhere, !pthread_equal(s->caller, pthread_self()));
}

static bool on_poll(void *user, const ney_progress *progress)
{
    (void)progress;
    note(user);
    return true;
}

static void on_log(void *user, ney_log_level level, const char *message)
{
    (void)level;
    (void)message;
    note(user);
}

static void on_step(void *user, const ney_step *step)
{
    (void)step;
    note(user);
}

static ney_env watched_env(seen *s)
{
    ney_env env = ney_env_default();
    atomic_init(&s->polls, 0);
    atomic_init(&s->elsewhere, 0);
    s->caller = pthread_self();
    env.user = s;
    env.poll = on_poll;
    env.log = on_log;
    env.step = on_step;
    env.threads = 4;
    return env;
}

static void check(const seen *s)
{
    assert_true(atomic_load(&s->polls) > 0);
    assert_int_equal(atomic_load(&s->elsewhere), 0);
}

enum { N = 600 };

static ney_data *random_rows(void)
{
    static float x[3 * N];
    static int8_t y[N];
    const ney_matrix matrix = {.rows = N, .cols = 3, .dense = x};
    rnd r = rnd_new(6100);
    ney_data *d = NULL;
    for (int i = 0; i < N; i++) {
        y[i] = i % 2 ? 1 : -1;
        for (int k = 0; k < 3; k++) {
            x[3 * i + k] = (float)(rnd_unit(&r) + 0.3 * (y[i] > 0));
        }
    }
    assert_int_equal(ney_data_new(&d, NULL, &matrix, y, NULL, NULL), NEY_OK);
    return d;
}

static ney_train_opts train_opts(void)
{
    int64_t n;
    ney_train_opts o;
    const ney_param *params = ney_train_params(&n);
    ney_params_init(params, n, &o);
    return o;
}

static void test_reading_a_pipe(void **state)
{
    text t = {0};
    seen s;
    const ney_env env = watched_env(&s);
    ney_data *d = NULL;
    (void)state;
    for (int i = 0; i < 20000; i++) {
        text_printf(&t, "%d 1:%d 2:1\n", i % 2 ? 1 : -1, i);
    }
    assert_int_equal(
        ney_data_read_with(&d, &env, temp_pipe(t.bytes, t.length, 5000), NULL, NULL, NULL), NEY_OK);
    temp_pipe_end();
    check(&s);
    ney_data_free(d);
    text_free(&t);
}

static void test_training(void **state)
{
    ney_data *d = random_rows();
    (void)state;
    for (int k = 0; k < 5; k++) {
        ney_train_opts o = train_opts();
        ney_model *m = NULL;
        seen s;
        ney_error err;
        const ney_env env = watched_env(&s);
        o.trees = k >= 3 ? 20 : 0;
        if (k == 0 || k == 4) {
            o.max_fdr = "0.2";
        } else {
            o.max_fpr = 0.2;
            o.confidence = (double)NAN;
            o.method = k == 1 ? NEY_METHOD_ONLINE : NEY_METHOD_AUTO;
        }
        const ney_status st = ney_train(&m, &env, d, &o, NULL, &err);
        if (st != NEY_OK && k >= 3 && strstr(err.message, "needs libxgboost")) {
            break;
        }
        assert_int_equal(st, NEY_OK);
        check(&s);
        ney_model_free(m);
    }
    ney_data_free(d);
}

static void test_tuning(void **state)
{
    ney_data *d = random_rows();
    ney_tune_opts tune;
    int64_t n;
    const ney_param *params = ney_tune_params(&n);
    (void)state;
    for (int k = 0; k < 2; k++) {
        ney_train_opts o = train_opts();
        ney_model *m = NULL;
        seen s;
        const ney_env env = watched_env(&s);
        ney_params_init(params, n, &tune);
        tune.grid = "C=0.1,1";
        tune.no_extend = true;
        o.max_fpr = k ? 0.2 : (double)NAN;
        o.confidence = (double)NAN;
        assert_int_equal(ney_tune(&m, &env, d, NULL, &o, &tune, NULL, NULL), NEY_OK);
        check(&s);
        ney_model_free(m);
    }
    ney_data_free(d);
}

/* ------------------------------------------------------------------ what this rests on */

static void first_piece(void *context, int64_t i, int thread)
{
    seen *s = context;
    (void)thread;
    if (i == 0) {
        note(s);
    }
}

static void test_first_piece_is_on_the_calling_thread(void **state)
{
    seen s;
    ney_env env = watched_env(&s);
    ney_team team;
    (void)state;
    for (int k = 0; k < 200; k++) {
        ney_parallel_for(&env, 5, first_piece, &s);
    }
    ney_team_begin(&team, &env);
    for (int k = 0; k < 2000; k++) {
        ney_parallel_for(&env, 5, first_piece, &s);
    }
    ney_team_end(&team);
    assert_int_equal(atomic_load(&s.polls), 2200);
    assert_int_equal(atomic_load(&s.elsewhere), 0);
}

/* A stop that is asked for while the calling thread waits reaches the others. */
typedef struct stopping {
    ney_relay relay;
    seen s;
} stopping;

static bool stop_at_third(void *user, const ney_progress *progress)
{
    seen *s = user;
    (void)progress;
    note(s);
    return atomic_load(&s->polls) < 3;
}

static bool relayed(void *user, const ney_progress *progress)
{
    return ney_relay_poll(&((stopping *)user)->relay, progress);
}

static void until_stopped(void *context, int64_t i, int thread)
{
    stopping *const p = context;
    const ney_progress none = {.stage = "test"};
    const struct timespec pause = {.tv_nsec = 1000000};
    (void)thread;
    while (i > 0 && relayed(p, &none)) {
        (void)nanosleep(&pause, NULL);
    }
}

static void test_a_stop_reaches_other_threads(void **state)
{
    stopping p;
    ney_env env = watched_env(&p.s);
    (void)state;
    env.user = &p.s;
    env.poll = stop_at_third;
    env.threads = 2;
    ney_relay_init(&p.relay, &env);
    const ney_env outer = {.user = &p, .resize = env.resize, .poll = relayed, .threads = 2};
    ney_parallel_jobs(&outer, 2, until_stopped, &p);
    assert_int_equal(atomic_load(&p.s.polls), 3);
    assert_int_equal(atomic_load(&p.s.elsewhere), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading_a_pipe),
        cmocka_unit_test(test_training),
        cmocka_unit_test(test_tuning),
        cmocka_unit_test(test_first_piece_is_on_the_calling_thread),
        cmocka_unit_test(test_a_stop_reaches_other_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
