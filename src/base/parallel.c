#include "base/parallel.h"

#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

int ney_threads(const ney_env *env)
{
    const long cores = env->threads > 0 ? env->threads : sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > NEY_MOST_HELPERS + 1 ? NEY_MOST_HELPERS + 1 : (int)cores;
}

/* A thread that waits a moment before it sleeps is there at once when pieces follow closely; one
 * that spins for long takes the core from other threads. */
static int64_t microseconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000 + t.tv_nsec / 1000;
}

enum { MOMENT = 30, ROUNDS = 64 };

static void pause_briefly(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static bool calls_changed(ney_team *t, long seen)
{
    return atomic_load_explicit(&t->calls, memory_order_acquire) != seen;
}

static bool none_at_work(ney_team *t, long unused)
{
    (void)unused;
    return atomic_load_explicit(&t->at_work, memory_order_acquire) == 0;
}

/* Spin for a moment until the value changes. */
static void watch(ney_team *t, bool (*come)(ney_team *t, long seen), long seen)
{
    const int64_t end = microseconds() + MOMENT;
    do {
        for (int k = 0; k < ROUNDS; k++) {
            if (come(t, seen)) {
                return;
            }
            pause_briefly();
        }
    } while (microseconds() < end);
}

static void work(ney_team *t, int thread)
{
    for (;;) {
        const long long i = atomic_fetch_add_explicit(&t->next, 1, memory_order_relaxed);
        if (i >= t->n) {
            return;
        }
        t->body(t->context, i, thread);
    }
}

static void *run_helper(void *argument)
{
    ney_team *const t = argument;
    long seen = 0;
    for (;;) {
        watch(t, calls_changed, seen);
        (void)pthread_mutex_lock(&t->lock);
        while (!t->ended && !calls_changed(t, seen)) {
            (void)pthread_cond_wait(&t->wake, &t->lock);
        }
        seen = atomic_load(&t->calls);
        const bool join = !t->ended && t->open && t->joined < t->most;
        const int thread = join ? ++t->joined : 0;
        if (join) {
            atomic_fetch_add(&t->at_work, 1);
        }
        const bool ended = t->ended;
        (void)pthread_mutex_unlock(&t->lock);
        if (ended) {
            return NULL;
        }
        if (join) {
            work(t, thread);
            (void)pthread_mutex_lock(&t->lock);
            if (atomic_fetch_sub(&t->at_work, 1) == 1) {
                (void)pthread_cond_signal(&t->idle);
            }
            (void)pthread_mutex_unlock(&t->lock);
        }
    }
}

/* Signals are for the threads of the program. */
static void start_helpers(ney_team *t, int n)
{
    sigset_t all, before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    while (t->n_helpers < n && pthread_create(&t->helper[t->n_helpers], NULL, run_helper, t) ==
                                   0) { /* or do with fewer */
        t->n_helpers++;
    }
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void team_init(ney_team *t)
{
    t->n_helpers = 0;
    t->open = t->ended = false;
    atomic_init(&t->busy, false);
    atomic_init(&t->calls, 0);
    atomic_init(&t->at_work, 0);
    (void)pthread_mutex_init(&t->lock, NULL);
    (void)pthread_cond_init(&t->wake, NULL);
    (void)pthread_cond_init(&t->idle, NULL);
}

void ney_team_begin(ney_team *team, ney_env *env)
{
    team_init(team);
    env->threads = ney_threads(env); /* asked of the system once, which costs it a file */
    start_helpers(team, env->threads - 1);
    env->team = team;
}

void ney_team_end(ney_team *t)
{
    (void)pthread_mutex_lock(&t->lock);
    t->ended = true;
    (void)pthread_cond_broadcast(&t->wake);
    (void)pthread_mutex_unlock(&t->lock);
    for (int k = 0; k < t->n_helpers; k++) {
        (void)pthread_join(t->helper[k], NULL);
    }
    (void)pthread_cond_destroy(&t->idle);
    (void)pthread_cond_destroy(&t->wake);
    (void)pthread_mutex_destroy(&t->lock);
}

/* Wait a tenth of a second at most; the lock is held. */
static void wait_briefly(ney_team *t)
{
    enum { TENTH = 100000000, SECOND = 1000000000 };
    struct timespec end;
    (void)clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += TENTH;
    end.tv_sec += end.tv_nsec / SECOND;
    end.tv_nsec %= SECOND;
    (void)pthread_cond_timedwait(&t->idle, &t->lock, &end);
}

/* The job is done when no piece is left and no helper is at one: helpers that never woke up are not
 * waited for, so a busy machine costs no more than their help. */
static void wait_for_helpers(ney_team *t, const ney_env *attend)
{
    (void)pthread_mutex_lock(&t->lock);
    t->open = false;
    (void)pthread_mutex_unlock(&t->lock);
    watch(t, none_at_work, 0);
    (void)pthread_mutex_lock(&t->lock);
    while (!none_at_work(t, 0)) {
        if (!attend || !attend->poll) {
            (void)pthread_cond_wait(&t->idle, &t->lock);
            continue;
        }
        wait_briefly(t);
        (void)pthread_mutex_unlock(&t->lock);
        (void)ney_poll(attend, "waiting for threads", 0, 0);
        (void)pthread_mutex_lock(&t->lock);
    }
    (void)pthread_mutex_unlock(&t->lock);
}

/* @param attend  The environment whose poll is called while the calling thread waits; NULL: no
 * call. */
static void run_job(ney_team *t, int most, int64_t n, void (*body)(void *, int64_t, int),
                    void *context, const ney_env *attend)
{
    (void)pthread_mutex_lock(&t->lock);
    t->body = body;
    t->context = context;
    t->n = n;
    t->most = most;
    t->joined = 0;
    t->open = true;
    atomic_store(&t->next, 1); /* piece 0 is for this thread */
    atomic_fetch_add(&t->calls, 1);
    (void)pthread_cond_broadcast(&t->wake);
    (void)pthread_mutex_unlock(&t->lock);

    body(context, 0, 0);
    work(t, 0);
    wait_for_helpers(t, attend);
}

static void share_out(const ney_env *env, int64_t n,
                      void (*body)(void *context, int64_t i, int thread), void *context,
                      const ney_env *attend)
{
    const int all = n > 1 ? ney_threads(env) : 1;
    const int helpers = (int)(n < all ? n : all) - 1;
    bool expected = false;
    if (helpers >= 1 && !env->team) {
        ney_team team;
        team_init(&team);
        start_helpers(&team, helpers);
        run_job(&team, helpers, n, body, context, attend);
        ney_team_end(&team);
    } else if (helpers >= 1 && atomic_compare_exchange_strong(&env->team->busy, &expected, true)) {
        run_job(env->team, helpers, n, body, context, attend);
        atomic_store(&env->team->busy, false);
    } else { /* a single piece, or from inside a piece of the same team */
        for (int64_t i = 0; i < n; i++) {
            body(context, i, 0);
        }
    }
}

void ney_parallel_for(const ney_env *env, int64_t n,
                      void (*body)(void *context, int64_t i, int thread), void *context)
{
    share_out(env, n, body, context, NULL);
}

void ney_parallel_jobs(const ney_env *env, int64_t n,
                       void (*body)(void *context, int64_t i, int thread), void *context)
{
    share_out(env, n, body, context, env);
}

void ney_relay_init(ney_relay *r, const ney_env *env)
{
    r->env = *env;
    r->caller = pthread_self();
    atomic_init(&r->stopped, false);
}

bool ney_relay_poll(ney_relay *r, const ney_progress *progress)
{
    if (r->env.poll && pthread_equal(r->caller, pthread_self()) && !atomic_load(&r->stopped) &&
        !r->env.poll(r->env.user, progress)) {
        atomic_store(&r->stopped, true);
    }
    return !atomic_load(&r->stopped);
}

/* ---------------------------------------------------------------- pieces that may fail */

typedef struct attempt {
    ney_status (*body)(void *context, int64_t i, int thread, ney_error *err);
    void *context;
    pthread_mutex_t lock;
    int64_t first; /* the lowest piece that has failed so far; n: none has */
    ney_status status;
    ney_error err;
} attempt;

static void try_one(void *context, int64_t i, int thread)
{
    attempt *const a = context;
    ney_error err = {0};
    (void)pthread_mutex_lock(&a->lock);
    const bool is_due = i < a->first;
    (void)pthread_mutex_unlock(&a->lock);
    const ney_status st = is_due ? a->body(a->context, i, thread, &err) : NEY_OK;
    if (st == NEY_OK) {
        return;
    }
    (void)pthread_mutex_lock(&a->lock);
    if (i < a->first) {
        a->first = i;
        a->status = st;
        a->err = err;
    }
    (void)pthread_mutex_unlock(&a->lock);
}

ney_status ney_parallel_try(const ney_env *env, int64_t n,
                            ney_status (*body)(void *context, int64_t i, int thread,
                                               ney_error *err),
                            void *context, ney_error *err)
{
    attempt a = {.body = body, .context = context, .first = n, .status = NEY_OK};
    (void)pthread_mutex_init(&a.lock, NULL);
    ney_parallel_jobs(env, n, try_one, &a);
    (void)pthread_mutex_destroy(&a.lock);
    if (a.status != NEY_OK && err) {
        *err = a.err;
    }
    return a.status;
}
