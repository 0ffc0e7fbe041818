/* Poll, log and step are called on the calling thread alone, however many threads are at work:
 * while a pipe is read, folds are searched, fold models are trained and windows are read ahead.
 * Paths and predictions also end at whichever poll asks for a stop, and report progress that grows.
 */
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

static ney_data *first_rows(int n)
{
    static float x[3 * N];
    static int8_t y[N];
    const ney_matrix matrix = {.rows = n, .cols = 3, .dense = x};
    rnd r = rnd_new(6100);
    ney_data *d = NULL;
    for (int i = 0; i < n; i++) {
        y[i] = i % 2 ? 1 : -1;
        for (int k = 0; k < 3; k++) {
            x[3 * i + k] = (float)(rnd_unit(&r) + 0.3 * (y[i] > 0));
        }
    }
    assert_int_equal(ney_data_new(&d, NULL, &matrix, y, NULL, NULL), NEY_OK);
    return d;
}

static ney_data *random_rows(void)
{
    return first_rows(N);
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

/* ------------------------------------------------------------------ a stop at every poll */

enum { WAITING = -1 };

/* Polls until one asks for a stop, and how often the progress of `stage` begins anew. */
typedef struct stops {
    seen s;
    int stop_at; /* the poll that asks for a stop, from 1; 0: none; WAITING: the first one while the
                    calling thread waits for others */
    int polls;   /* without those, whose number depends on the machine */
    int waits;
    const char *stage;
    double done, total; /* of the last poll of that stage */
    int restarts, outside;
} stops;

static bool on_counted_poll(void *user, const ney_progress *p)
{
    stops *const c = user;
    note(&c->s);
    c->outside += !(p->done >= 0) || (p->total > 0 && p->done > p->total);
    if (strcmp(p->stage, c->stage) == 0) {
        c->restarts += p->done < c->done || (c->total > 0 && p->total != c->total);
        c->done = p->done;
        c->total = p->total;
    }
    if (strcmp(p->stage, "waiting for threads") == 0) {
        return ++c->waits != 1 || c->stop_at != WAITING;
    }
    return ++c->polls != c->stop_at;
}

/* Computes something and checks it. Returns what the library returned; NEY_ECANCELLED must leave
 * nothing behind. */
typedef ney_status (*computation)(const ney_env *env, ney_error *err);

/* @param most  Restarts of the stage. */
static int count_polls(computation run, const char *stage, int most, int stop_at)
{
    stops c = {.stop_at = stop_at, .stage = stage};
    ney_env env = watched_env(&c.s);
    ney_error err = {0};
    env.user = &c;
    env.poll = on_counted_poll;
    env.log = NULL;
    env.step = NULL;
    const ney_status st = run(&env, &err);
    const bool stopped = stop_at > 0 || (stop_at == WAITING && c.waits > 0);
    check(&c.s);
    assert_true(c.restarts <= most);
    assert_int_equal(c.outside, 0);
    assert_int_equal(st, stopped ? NEY_ECANCELLED : NEY_OK);
    assert_int_equal(err.code, st);
    assert_true(stopped || c.total > 0);
    assert_true(stop_at <= 0 || c.polls == stop_at);
    return c.polls;
}

static void stop_everywhere(computation run, const char *stage, int most, int least)
{
    const int polls = count_polls(run, stage, most, 0);
    const int step = polls / 50 + 1;
    assert_true(polls >= least);
    for (int k = 1; k <= polls; k += step) {
        (void)count_polls(run, stage, most, k);
    }
    (void)count_polls(run, stage, most, polls);
    (void)count_polls(run, stage, most, WAITING);
}

static ney_train_opts rbf_opts(double cache)
{
    ney_train_opts o = train_opts();
    o.kernel = NEY_KERNEL_RBF;
    o.cache = cache;
    return o;
}

/* A line that was stopped leaves the path as it was. */
static ney_status follow(const ney_env *env, double cache, ney_error *err)
{
    const ney_train_opts o = rbf_opts(cache);
    const ney_cost_pair zero = {0, 0}, one = {1, 1}, two = {1, 2};
    ney_data *const d = first_rows(N / 10);
    ney_path *p = NULL;
    ney_model *m = NULL;
    ney_status st = ney_path_new_with(&p, env, d, &o, err);
    assert_true((st == NEY_OK) == (p != NULL));
    for (int line = 0; line < 2 && st == NEY_OK; line++) {
        int64_t before = 0, after = 0;
        (void)ney_path_points(p, 0, &before);
        st = ney_path_follow(p, line ? one : zero, line ? two : one, NULL, err);
        (void)ney_path_points(p, 0, &after);
        assert_int_equal(ney_path_lines(p), st == NEY_OK ? line + 1 : line);
        assert_true(line == 0 || before == after);
    }
    if (st == NEY_OK) {
        st = ney_path_model(&m, p, two, err);
        assert_true((st == NEY_OK) == (m != NULL));
    }
    ney_model_free(m);
    ney_path_free(p);
    ney_data_free(d);
    return st;
}

static ney_status follow_in_memory(const ney_env *env, ney_error *err)
{
    return follow(env, 100, err);
}

static ney_status follow_by_rows(const ney_env *env, ney_error *err)
{
    return follow(env, 0.001, err);
}

static ney_status explore(const ney_env *env, ney_error *err)
{
    const ney_train_opts o = train_opts();
    ney_explore_opts e;
    int64_t n;
    const ney_param *const params = ney_explore_params(&n);
    ney_data *const d = first_rows(N / 10);
    ney_exploration *out = NULL;
    ney_params_init(params, n, &e);
    e.splits = 2;
    const ney_status st = ney_explore_with(&out, env, d, NULL, NULL, &o, &e, err);
    assert_true((st == NEY_OK) == (out != NULL));
    ney_exploration_free(out);
    ney_data_free(d);
    return st;
}

static void test_paths_stop_at_every_poll(void **state)
{
    (void)state;
    stop_everywhere(follow_in_memory, "following the path", 1, 50);
    stop_everywhere(follow_by_rows, "following the path", 1, 50);
    stop_everywhere(explore, "exploring", 0, 50);
}

enum { PREDICTED = 400000 }; /* rows: more than one batch */

static const ney_model *predictor_model(void)
{
    static ney_model *m;
    if (!m) {
        const ney_train_opts o = rbf_opts(0);
        ney_data *const d = random_rows();
        assert_int_equal(ney_train(&m, NULL, d, &o, NULL, NULL), NEY_OK);
        ney_data_free(d);
    }
    return m;
}

static ney_array many_rows(void)
{
    static float x[3 * PREDICTED];
    for (int i = 0; i < 3 * PREDICTED; i++) {
        x[i] = (float)(i % 97) / 97;
    }
    return (ney_array){.rows = PREDICTED, .cols = 3, .value = x, .value_type = NEY_FLOAT32};
}

static ney_status predict(const ney_env *env, ney_error *err)
{
    static double score[PREDICTED];
    static int8_t decision[PREDICTED];
    const ney_array x = many_rows();
    return ney_predict(predictor_model(), env, &x, score, decision, err);
}

/* After a stop the handle has no results. */
static ney_status feed(const ney_env *env, ney_error *err)
{
    const ney_array x = many_rows();
    ney_predictor *p = NULL;
    assert_int_equal(ney_predictor_new(&p, env, predictor_model(), NULL, err), NEY_OK);
    const ney_status st = ney_predictor_feed_rows(p, &x, err);
    assert_int_equal(ney_predictor_result(p, NULL, NULL), st == NEY_OK ? PREDICTED : 0);
    ney_predictor_free(p);
    return st;
}

static ney_status feed_text(const ney_env *env, ney_error *err)
{
    static const char line[] = "1 1:0.25 2:0.5 3:0.125\n";
    enum { LINES = 4000 };
    static char bytes[LINES * (sizeof line - 1)];
    ney_predictor *p = NULL;
    for (int i = 0; i < LINES; i++) {
        memcpy(&bytes[i * (int)(sizeof line - 1)], line, sizeof line - 1);
    }
    assert_int_equal(ney_predictor_new(&p, env, predictor_model(), NULL, err), NEY_OK);
    ney_status st = ney_predictor_feed(p, bytes, sizeof bytes, err);
    assert_int_equal(ney_predictor_result(p, NULL, NULL), st == NEY_OK ? LINES : 0);
    if (st == NEY_OK) {
        st = ney_predictor_end(p, err);
    }
    ney_predictor_free(p);
    return st;
}

static void test_predictions_stop_at_every_poll(void **state)
{
    (void)state;
    stop_everywhere(predict, "scoring", 0, 3);
    stop_everywhere(feed, "scoring", 0, 3);
    stop_everywhere(feed_text, "scoring", 0, 1);
    ney_model_free((ney_model *)predictor_model());
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
        cmocka_unit_test(test_paths_stop_at_every_poll),
        cmocka_unit_test(test_predictions_stop_at_every_poll),
        cmocka_unit_test(test_first_piece_is_on_the_calling_thread),
        cmocka_unit_test(test_a_stop_reaches_other_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
