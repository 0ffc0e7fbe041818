#include "support/comm_threads.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16 };

/* One message at a time from one thread to another. */
typedef struct slot {
    const void *bytes; /* NULL: none is waiting */
} slot;

typedef struct team {
    int size;
    pthread_mutex_t mutex;
    pthread_cond_t changed[MOST]; /* a slot from or to a member */
    slot slot[MOST][MOST];
    void (*work)(void *context, const ney_comm *comm);
    void *context;
} team;

typedef struct member {
    team *of;
    ney_comm comm;
} member;

static void give(void *state, int to, const void *bytes, int64_t n)
{
    const member *m = state;
    team *const t = m->of;
    slot *const s = &t->slot[m->comm.rank][to];
    (void)n;
    pthread_mutex_lock(&t->mutex);
    s->bytes = bytes;
    pthread_cond_signal(&t->changed[to]);
    while (s->bytes) {
        pthread_cond_wait(&t->changed[m->comm.rank], &t->mutex);
    }
    pthread_mutex_unlock(&t->mutex);
}

static void take(void *state, int from, void *bytes, int64_t n)
{
    const member *m = state;
    team *const t = m->of;
    slot *const s = &t->slot[from][m->comm.rank];
    pthread_mutex_lock(&t->mutex);
    while (!s->bytes) {
        pthread_cond_wait(&t->changed[m->comm.rank], &t->mutex);
    }
    memcpy(bytes, s->bytes, (size_t)n);
    s->bytes = NULL;
    pthread_cond_signal(&t->changed[from]);
    pthread_mutex_unlock(&t->mutex);
}

static int waiting(void *state)
{
    const member *m = state;
    team *const t = m->of;
    int found = -1;
    pthread_mutex_lock(&t->mutex);
    for (int from = 0; from < t->size && found < 0; from++) {
        found = t->slot[from][m->comm.rank].bytes ? from : -1;
    }
    pthread_mutex_unlock(&t->mutex);
    return found;
}

static void spread(void *state, int from, void *bytes, int64_t n)
{
    const member *m = state;
    for (int to = 0; to < m->of->size && m->comm.rank == from; to++) {
        if (to != from) {
            give(state, to, bytes, n);
        }
    }
    if (m->comm.rank != from) {
        take(state, from, bytes, n);
    }
}

static void largest(void *state, double *value, int64_t n)
{
    const member *m = state;
    double *const other = malloc((size_t)n * sizeof *other);
    if (m->comm.rank > 0) {
        give(state, 0, value, n * (int64_t)sizeof *value);
    }
    for (int from = 1; m->comm.rank == 0 && from < m->of->size; from++) {
        take(state, from, other, n * (int64_t)sizeof *other);
        for (int64_t k = 0; k < n; k++) {
            value[k] = other[k] > value[k] ? other[k] : value[k];
        }
    }
    spread(state, 0, value, n * (int64_t)sizeof *value);
    free(other);
}

static void total(void *state, int64_t *count, int64_t n)
{
    const member *m = state;
    int64_t *const other = malloc((size_t)n * sizeof *other);
    if (m->comm.rank > 0) {
        give(state, 0, count, n * (int64_t)sizeof *count);
    }
    for (int from = 1; m->comm.rank == 0 && from < m->of->size; from++) {
        take(state, from, other, n * (int64_t)sizeof *other);
        for (int64_t k = 0; k < n; k++) {
            count[k] += other[k];
        }
    }
    spread(state, 0, count, n * (int64_t)sizeof *count);
    free(other);
}

static void *run(void *at)
{
    const member *m = at;
    m->of->work(m->of->context, &m->comm);
    return NULL;
}

void comm_threads_run(int size, void (*work)(void *context, const ney_comm *comm), void *context)
{
    team t = {.size = size, .work = work, .context = context};
    member m[MOST];
    pthread_t thread[MOST];
    pthread_mutex_init(&t.mutex, NULL);
    for (int k = 0; k < size; k++) {
        pthread_cond_init(&t.changed[k], NULL);
        m[k] = (member){.of = &t,
                        .comm = {.rank = k,
                                 .size = size,
                                 .state = &m[k],
                                 .send = give,
                                 .receive = take,
                                 .waiting = waiting,
                                 .broadcast = spread,
                                 .maximum = largest,
                                 .add_counts = total}};
    }
    for (int k = 0; k < size; k++) {
        if (pthread_create(&thread[k], NULL, run, &m[k]) != 0) {
            abort();
        }
    }
    for (int k = 0; k < size; k++) {
        pthread_join(thread[k], NULL);
    }
    for (int k = 0; k < size; k++) {
        pthread_cond_destroy(&t.changed[k]);
    }
    pthread_mutex_destroy(&t.mutex);
}

void *comm_allowance_resize(void *user, void *block, size_t bytes)
{
    comm_allowance *const a = user;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    return a->left-- != 0 ? realloc(block, bytes) : NULL;
}
