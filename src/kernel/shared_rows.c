#include "kernel/shared_rows.h"

enum { ABSENT, BEING_COMPUTED, PRESENT }; /* states of a row */

ney_status ney_shared_rows_init(ney_shared_rows *s, const ney_env *env, const ney_matrix *x,
                                const ney_kernel *kernel, ney_error *err)
{
    *s = (ney_shared_rows){.env = *env, .x = x, .kernel = *kernel};
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->computed, NULL);
    s->row = ney_alloc(env, x->rows * x->rows, sizeof *s->row);
    s->state = ney_alloc_zeroed(env, x->rows, sizeof *s->state);
    return s->row && s->state ? NEY_OK : ney_no_memory(err, x->rows, "kernel rows");
}

void ney_shared_rows_deinit(ney_shared_rows *s)
{
    ney_release(&s->env, s->row);
    ney_release(&s->env, s->state);
    pthread_cond_destroy(&s->computed);
    pthread_mutex_destroy(&s->lock);
    *s = (ney_shared_rows){0};
}

static float *memory_of(const ney_shared_rows *s, int64_t row)
{
    return s->row + row * s->x->rows;
}

static void set_states(ney_shared_rows *s, const int64_t *row, int64_t n, uint8_t state)
{
    for (int64_t k = 0; k < n; k++) {
        s->state[row[k]] = state;
    }
}

/* The first thread that finds rows absent computes them, without the lock. */
static bool compute(ney_shared_rows *s, ney_gram *maker, const int64_t *mine, int64_t n,
                    float **memory)
{
    set_states(s, mine, n, BEING_COMPUTED);
    pthread_mutex_unlock(&s->lock);
    for (int64_t k = 0; k < n; k++) {
        memory[k] = memory_of(s, mine[k]);
    }
    const bool done = ney_gram_rows(maker, mine, n, memory);
    pthread_mutex_lock(&s->lock);
    set_states(s, mine, n, done ? PRESENT : ABSENT);
    pthread_cond_broadcast(&s->computed);
    return done;
}

/* Make the rows present; false without memory. `mine` and `memory` are arrays of n. A thread
 * computes its own rows before it waits for those of another thread: no deadlock. */
static bool fetch(ney_row_view *v, const int64_t *row, int64_t n, int64_t *mine, float **memory)
{
    ney_shared_rows *const s = v->shared;
    bool done = true, all = false;
    pthread_mutex_lock(&s->lock);
    while (done && !all) {
        int64_t n_mine = 0;
        bool wait = false;
        for (int64_t k = 0; k < n; k++) {
            if (s->state[row[k]] == ABSENT) {
                mine[n_mine++] = row[k];
            }
            wait = wait || s->state[row[k]] == BEING_COMPUTED;
        }
        all = n_mine == 0 && !wait;
        if (n_mine > 0) {
            done = compute(s, &v->maker, mine, n_mine, memory);
        } else if (wait) {
            pthread_cond_wait(&s->computed, &s->lock);
        }
    }
    pthread_mutex_unlock(&s->lock);
    return done;
}

ney_status ney_row_view_init(ney_row_view *v, const ney_env *env, ney_shared_rows *shared,
                             const int64_t *at, int64_t n, ney_error *err)
{
    *v = (ney_row_view){.at = at, .n = n};
    const ney_status st = ney_gram_init(&v->maker, env, shared->x, &shared->kernel, false, err);
    v->shared = st == NEY_OK ? shared : NULL;
    return st;
}

void ney_row_view_deinit(ney_row_view *v)
{
    if (v->shared) {
        ney_gram_deinit(&v->maker);
    }
    *v = (ney_row_view){0};
}

bool ney_row_view_get(ney_row_view *v, const int64_t *row, int64_t n_rows, float *const *out)
{
    const ney_env *const env = &v->maker.env;
    int64_t *whole = ney_alloc(env, 2 * n_rows, sizeof *whole);
    float **memory = ney_alloc(env, n_rows, sizeof *memory);
    bool done = whole && memory;
    for (int64_t k = 0; k < n_rows && done; k++) {
        whole[k] = v->at[row[k]];
    }
    done = done && fetch(v, whole, n_rows, whole + n_rows, memory);
    for (int64_t k = 0; k < n_rows && done; k++) {
        const float *const from = memory_of(v->shared, whole[k]);
        for (int64_t i = 0; i < v->n; i++) {
            out[k][i] = from[v->at[i]];
        }
    }
    ney_release(env, memory);
    ney_release(env, whole);
    return done;
}
