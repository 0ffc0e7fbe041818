/* Threads, in one place. */
#ifndef NEY_BASE_PARALLEL_H
#define NEY_BASE_PARALLEL_H

#include "base/env.h"

#include <pthread.h>
#include <stdatomic.h>

enum { NEY_MOST_HELPERS = 127 };

/* Threads that wait for work. Callers with many small pieces of work keep a team in their
 * environment; without one, ney_parallel_for() starts threads and ends them again. */
typedef struct ney_team {
    pthread_t helper[NEY_MOST_HELPERS];
    int n_helpers;
    pthread_mutex_t lock;
    pthread_cond_t wake, idle;
    atomic_bool busy;  /* a job is on: another one, from inside it, does without the team */
    atomic_long calls; /* jobs so far; a change is what helpers wait for */
    bool open, ended;  /* whether helpers may still join the job; no more jobs */
    int joined;        /* helpers at work on the job, and how many joined */
    atomic_int at_work;
    int most;
    atomic_llong next; /* piece of the job */
    int64_t n;
    void (*body)(void *context, int64_t i, int thread);
    void *context;
} ney_team;

/* How many threads ney_parallel_for() uses at most: env->threads, or one for each core. */
int ney_threads(const ney_env *env);

/* As many helpers as env->threads asks for and the system grants; env->team is set to the team,
 * which must stay where it is until ney_team_end(). */
void ney_team_begin(ney_team *team, ney_env *env);
void ney_team_end(ney_team *team);

/* body(context, i, thread) for i = 0 .. n - 1, each once, in any order and on any thread, but piece
 * 0 on the calling thread: what may call back belongs there. `thread` is 0 .. ney_threads() - 1.
 * Returns when all are done. What a body computes must depend
 * on i alone: then the result does not depend on the number of threads. */
void ney_parallel_for(const ney_env *env, int64_t n,
                      void (*body)(void *context, int64_t i, int thread), void *context);

/* The same for pieces that take long: while the calling thread has none left and waits for the
 * others, it calls env->poll ten times a second. The poll must remember its answer: see ney_relay.
 */
void ney_parallel_jobs(const ney_env *env, int64_t n,
                       void (*body)(void *context, int64_t i, int thread), void *context);

/* Long pieces that may fail. The failure of the lowest i is reported, whatever the number
 * of threads: a piece is left out only when one before it has failed. */
ney_status ney_parallel_try(const ney_env *env, int64_t n,
                            ney_status (*body)(void *context, int64_t i, int thread,
                                               ney_error *err),
                            void *context, ney_error *err);

/* A poll for long pieces: callbacks belong on the thread that made the relay, so that thread alone
 * calls poll, and the others read its last answer. */
typedef struct ney_relay {
    ney_env env; /* the caller's */
    pthread_t caller;
    atomic_bool stopped;
} ney_relay;

void ney_relay_init(ney_relay *r, const ney_env *env);
bool ney_relay_poll(ney_relay *r, const ney_progress *progress);

#endif
