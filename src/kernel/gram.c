#include "kernel/gram.h"

#include "base/parallel.h"
#include "linalg/block.h"
#include "linalg/rows.h"

#include <math.h>

enum { TILE_ROWS = 256, TASK_ROWS = 4096 };

ney_status ney_gram_init(ney_gram *g, const ney_env *env, const ney_matrix *x,
                         const ney_kernel *kernel, ney_error *err)
{
    *g = (ney_gram){.env = *env, .x = x, .kernel = *kernel};
    g->norm = ney_alloc(env, x->rows, sizeof *g->norm);
    g->tile = ney_alloc(env, (int64_t)ney_threads(env) * TILE_ROWS * NEY_LANES, sizeof *g->tile);
    if (!g->norm || !g->tile) {
        ney_gram_deinit(g);
        return ney_no_memory(err, x->rows, "norms of rows");
    }
    for (int64_t i = 0; i < x->rows; i++) {
        g->norm[i] = (float)(kernel->gamma * ney_row_square(x, i));
    }
    return NEY_OK;
}

void ney_gram_deinit(ney_gram *g)
{
    ney_release(&g->env, g->norm);
    ney_release(&g->env, g->packed);
    ney_release(&g->env, g->tile);
    g->norm = g->packed = g->tile = NULL;
}

double ney_gram_diagonal(const ney_gram *g, int64_t i)
{
    const ney_kernel *k = &g->kernel;
    switch ((ney_kernel_kind)k->kind) {
    case NEY_KERNEL_RBF:
        return 1;
    case NEY_KERNEL_POLY:
        return pow(k->gamma * ney_row_square(g->x, i) + k->coef0, (double)k->degree);
    case NEY_KERNEL_SIGMOID:
        return tanh(k->gamma * ney_row_square(g->x, i) + k->coef0);
    case NEY_KERNEL_LINEAR:
        break;
    }
    return ney_row_square(g->x, i);
}

/* What is asked for: `n_rows` rows, in groups of NEY_LANES. */
typedef struct request {
    ney_gram *gram;
    const int64_t *row;
    int64_t n_rows, tasks_a_group;
    float *const *out;
} request;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void pack_group(void *context, int64_t group, int thread)
{
    const request *r = context;
    const int64_t first = group * NEY_LANES;
    (void)thread;
    ney_block_pack(r->gram->x, r->row + first, smaller(NEY_LANES, r->n_rows - first),
                   r->gram->packed + first * r->gram->x->cols);
}

/* Products become kernel values; rows first .. of the matrix against the lanes of a group. */
static void rbf_tile(const ney_gram *g, const float lane_norm[NEY_LANES], int64_t first, int64_t n,
                     float *tile)
{
    const float twice = (float)(2 * g->kernel.gamma);
    for (int64_t i = 0; i < n; i++) {
        const float own = g->norm[first + i];
        for (int l = 0; l < NEY_LANES; l++) {
            const float e = twice * tile[i * NEY_LANES + l] - (own + lane_norm[l]);
            tile[i * NEY_LANES + l] = e < 0 ? e : 0; /* a distance below zero is rounding */
        }
    }
    ney_block_exp(tile, n * NEY_LANES);
}

static void other_tile(const ney_kernel *k, int64_t n, float *tile)
{
    for (int64_t i = 0; i < n; i++) {
        const double z = k->gamma * (double)tile[i] + k->coef0;
        tile[i] = (float)(k->kind == NEY_KERNEL_SIGMOID ? tanh(z) : pow(z, (double)k->degree));
    }
}

static void compute_task(void *context, int64_t task, int thread)
{
    const request *r = context;
    ney_gram *g = r->gram;
    const int64_t group = task / r->tasks_a_group, part = task % r->tasks_a_group;
    const int64_t lanes = smaller(NEY_LANES, r->n_rows - group * NEY_LANES);
    const int64_t last = smaller((part + 1) * TASK_ROWS, g->x->rows);
    const float *packed = g->packed + group * NEY_LANES * g->x->cols;
    float *tile = g->tile + (int64_t)thread * TILE_ROWS * NEY_LANES;
    float lane_norm[NEY_LANES] = {0};

    for (int64_t l = 0; l < lanes; l++) {
        lane_norm[l] = g->norm[r->row[group * NEY_LANES + l]];
    }
    for (int64_t first = part * TASK_ROWS; first < last; first += TILE_ROWS) {
        const int64_t n = smaller(TILE_ROWS, last - first);
        ney_block_products(g->x, first, n, packed, tile);
        if (g->kernel.kind == NEY_KERNEL_RBF) {
            rbf_tile(g, lane_norm, first, n, tile);
        } else if (g->kernel.kind != NEY_KERNEL_LINEAR) {
            other_tile(&g->kernel, n * NEY_LANES, tile);
        }
        for (int64_t l = 0; l < lanes; l++) {
            float *to = r->out[group * NEY_LANES + l] + first;
            for (int64_t i = 0; i < n; i++) {
                to[i] = tile[i * NEY_LANES + l];
            }
        }
    }
}

bool ney_gram_rows(ney_gram *g, const int64_t *row, int64_t n_rows, float *const *out)
{
    const int64_t groups = (n_rows + NEY_LANES - 1) / NEY_LANES;
    request r = {.gram = g, .row = row, .n_rows = n_rows, .out = out};

    r.tasks_a_group = (g->x->rows + TASK_ROWS - 1) / TASK_ROWS;
    if (!ney_grow(&g->env, &g->packed, &g->packed_cap, groups * NEY_LANES * g->x->cols + 1,
                  sizeof *g->packed)) {
        return false;
    }
    ney_parallel_for(&g->env, groups, pack_group, &r);
    ney_parallel_for(&g->env, groups * r.tasks_a_group, compute_task, &r);
    g->computed += n_rows;
    return true;
}
