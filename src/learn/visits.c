#include "base/parallel.h"
#include "learn/online.h"
#include "learn/task.h"
#include "model/online.h"

#include <string.h>

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
        memcpy(b->map.value, old.value,
               (size_t)(old.direction.rows * old.direction.cols) * sizeof *old.value);
    } else {
        b->gamma = o->gamma > 0 ? o->gamma : ney_gamma_scale(&rows->x);
        ney_fourier_draw(&b->map, b->gamma, (uint64_t)o->seed + 1);
    }
    b->scratch_size = ney_fourier_scratch(&b->map) + NEY_LANES * rows->x.cols;
    b->phi = ney_alloc(env, NEY_ONLINE_BATCH * n, sizeof *b->phi);
    b->scratch = ney_alloc(env, ney_threads(env) * b->scratch_size, sizeof *b->scratch);
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
    const ney_feed *feed;
    const ney_window *window;
    int64_t first, n;
} mapping;

/* Of NEY_LANES visits: pack their rows, which lie anywhere in the window, and map them. */
static void map_some(void *context, int64_t k, int thread)
{
    const mapping *m = context;
    ney_visits *b = m->batch;
    const int64_t begin = k * NEY_LANES, rest = m->n - begin;
    const int64_t n = rest < NEY_LANES ? rest : NEY_LANES;
    float *const packed = b->scratch + (int64_t)thread * b->scratch_size;
    float *const own = packed + NEY_LANES * m->feed->cols;

    memset(packed, 0, (size_t)(NEY_LANES * m->feed->cols) * sizeof *packed);
    for (int64_t lane = 0; lane < n; lane++) {
        const int64_t row = m->window->visit[m->first + begin + lane];
        ney_block_pack_row(&m->window->x, row, m->feed->cols, lane, packed);
    }
    ney_fourier_map(&b->map, packed, n, b->phi + begin * b->map.n, own);
}

void ney_visits_load(ney_visits *b, const ney_env *env, const ney_feed *f, const ney_window *w,
                     int64_t first, int64_t n)
{
    mapping m = {.batch = b, .feed = f, .window = w, .first = first, .n = n};
    static const double worth_a_team = 1e7; /* products; less is done before another thread wakes */
    ney_env own = *env;
    if ((double)n * (double)b->map.n * (double)f->cols < worth_a_team) {
        own.threads = 1;
    }
    if (b->map.n > 0) {
        ney_parallel_for(&own, (n + NEY_LANES - 1) / NEY_LANES, map_some, &m);
    }
}

ney_visit ney_visits_at(const ney_visits *b, const ney_window *w, int64_t first, int64_t i)
{
    const int64_t row = w->visit[first + i];
    return (ney_visit){.x = b->map.n > 0 ? &b->mapped : &w->x,
                       .row = b->map.n > 0 ? i : row,
                       .label = w->label[row],
                       .weight = (double)w->weight[row]};
}
