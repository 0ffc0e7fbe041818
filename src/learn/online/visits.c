#include "learn/online/visits.h"

#include "base/parallel.h"
#include "learn/task.h"
#include "model/online.h"

#include <string.h>

/* Frequencies up to 8.6 sqrt(2 gamma), the largest normal deviate drawn, are finite as floats. */
static const double LARGEST_GAMMA = 1e74;

ney_status ney_visits_init(ney_visits *b, const ney_env *env, const ney_data *rows,
                           const ney_train_opts *o, const ney_model *from, ney_error *err)
{
    const int64_t n = o->features + o->features % 2;
    const double *weight;
    double intercept;
    ney_fourier old;
    *b = (ney_visits){0};
    if (n == 0) {
        return NEY_OK;
    }
    const ney_status st = ney_fourier_init(&b->map, env, n, rows->x.cols, err);
    if (st != NEY_OK) {
        return st;
    }
    if (from && ney_model_features(from, &old, &b->gamma, &weight, &intercept)) {
        ney_fourier_set(&b->map, old.value);
    } else {
        b->gamma = o->gamma > 0 ? o->gamma : ney_gamma_scale_shared(&rows->x, rows->blocks);
        if (!(b->gamma <= LARGEST_GAMMA)) {
            return ney_fail(err, NEY_EINVAL,
                            "gamma is %g, expected at most %g for random features: the columns "
                            "vary too little; scale the columns, or choose another gamma",
                            b->gamma, LARGEST_GAMMA);
        }
        ney_fourier_draw(&b->map, b->gamma, (uint64_t)o->seed + 1);
    }
    b->scratch_size = ney_fourier_workspace(&b->map);
    b->phi = ney_alloc(env, NEY_ONLINE_BATCH * n, sizeof *b->phi);
    b->scratch = ney_alloc(env, ney_threads(env) * b->scratch_size, 1);
    if (!b->phi || !b->scratch) {
        return ney_no_memory(err, n, "random features");
    }
    b->mapped = (ney_matrix){.rows = NEY_ONLINE_BATCH, .cols = n, .dense = b->phi};
    return NEY_OK;
}

void ney_visits_deinit(ney_visits *b, const ney_env *env)
{
    ney_fourier_deinit(&b->map, env);
    ney_release(env, b->phi);
    ney_release(env, b->scratch);
    *b = (ney_visits){0};
}

typedef struct mapping {
    ney_visits *batch;
    const ney_window *window;
    const int64_t *row;
    int64_t n;
} mapping;

/* Some visits whose rows lie anywhere in the window. */
static void map_some(void *context, int64_t k, int thread)
{
    const mapping *m = context;
    ney_visits *b = m->batch;
    const int64_t begin = k * NEY_FOURIER_ROWS, rest = m->n - begin;
    const int64_t n = rest < NEY_FOURIER_ROWS ? rest : NEY_FOURIER_ROWS;
    ney_row_at at[NEY_FOURIER_ROWS];
    for (int64_t i = 0; i < n; i++) {
        at[i] = (ney_row_at){&m->window->x, m->row[begin + i]};
    }
    ney_fourier_map(&b->map, at, n, b->phi + begin * b->map.n,
                    b->scratch + (int64_t)thread * b->scratch_size);
}

void ney_visits_map(ney_visits *b, const ney_env *env, const ney_window *w, const int64_t *row,
                    int64_t n)
{
    mapping m = {.batch = b, .window = w, .row = row, .n = n};
    static const double worth_a_team = 1e6; /* products; less is done before another thread wakes */
    ney_env own = *env;
    if ((double)n * (double)b->map.n * (double)w->x.cols < worth_a_team) {
        own.threads = 1;
    }
    ney_parallel_for(&own, (n + NEY_FOURIER_ROWS - 1) / NEY_FOURIER_ROWS, map_some, &m);
}

void ney_visits_load(ney_visits *b, const ney_env *env, const ney_window *w, int64_t first,
                     int64_t n)
{
    if (b->map.n > 0) {
        ney_visits_map(b, env, w, w->visit + first, n);
    }
}
