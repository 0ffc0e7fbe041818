/* Sums over all rows of smooth.h: of one process by parts of its rows, of several by their blocks.
 */
#include "learn/batch/smooth_run.h"

#include "base/parallel.h"

#include <assert.h>
#include <string.h>

/* The most numbers of a sum: those of a system. */
static int64_t most_numbers(const ney_smooth *s)
{
    const int64_t cols = s->r->task->x->cols;
    return 2 * (ney_smooth_triangle(cols) + cols + 1);
}

bool ney_smooth_sum_init(ney_smooth *s)
{
    const ney_env *const env = &s->r->task->env;
    const int64_t most = most_numbers(s), blocks = ney_smooth_blocks(s);
    s->n_parts = blocks < NEY_SMOOTH_PARTS ? blocks : NEY_SMOOTH_PARTS;
    s->parts = ney_alloc(env, s->n_parts * most, sizeof *s->parts);
    s->sum = ney_alloc(env, most, sizeof *s->sum);
    s->sums = ney_alloc(env, blocks, sizeof *s->sums);
    return (!s->blocks || ney_block_sums_init(&s->vectors, s->blocks, most)) && s->parts &&
           s->sum && s->sums;
}

void ney_smooth_sum_deinit(ney_smooth *s)
{
    ney_block_sums_deinit(&s->vectors);
    ney_release_all(&s->r->task->env, s->parts, s->sum, s->sums);
}

bool ney_smooth_all(const ney_smooth *s, bool own)
{
    double lacking = own ? 0 : 1;
    ney_comm_maximum(ney_blocks_comm(s->blocks), &lacking, 1);
    return lacking == 0;
}

/* ---- sums of many numbers */

typedef struct parts {
    ney_smooth *s;
    ney_smooth_add *add;
    int64_t k, first; /* numbers, and the block that is part 0 */
} parts;

static int64_t part_begin(const parts *p, int64_t part)
{
    const ney_smooth *const s = p->s;
    return s->blocks ? s->blocks->begin[p->first + part] : s->n * part / s->n_parts;
}

static void add_part(void *context, int64_t part, int thread)
{
    const parts *const p = context;
    const int64_t begin = part_begin(p, part), end = part_begin(p, part + 1);
    double *const to = p->s->parts + part * p->k;
    (void)thread;
    if (begin < end) {
        memset(to, 0, (size_t)p->k * sizeof *to);
        p->add(p->s, begin, end, to);
    }
}

/* Blocks of this process one after another. */
static void add_blocks(parts *p)
{
    const ney_row_blocks *const b = p->s->blocks;
    ney_block_sums *const sums = &p->s->vectors;
    for (int64_t block = 0; block < b->n; block++) {
        if (b->begin[block] < b->begin[block + 1]) {
            double *const to = ney_block_sums_memory(sums);
            p->add(p->s, b->begin[block], b->begin[block + 1], to);
            ney_block_sums_add(sums, to);
        } else {
            ney_block_sums_skip(sums);
        }
    }
}

/* The same, as many at a time as there are parts. */
static void add_blocks_in_parallel(parts *p)
{
    const ney_smooth *const s = p->s;
    ney_block_sums *const sums = &p->s->vectors;
    for (p->first = 0; p->first < s->blocks->n; p->first += s->n_parts) {
        const int64_t left = s->blocks->n - p->first, n = left < s->n_parts ? left : s->n_parts;
        ney_parallel_for(&s->r->task->solver.env, n, add_part, p);
        for (int64_t part = 0; part < n; part++) {
            if (part_begin(p, part) < part_begin(p, part + 1)) {
                ney_block_sums_add(sums, s->parts + part * p->k);
            } else {
                ney_block_sums_skip(sums);
            }
        }
    }
}

void ney_smooth_sum(ney_smooth *s, ney_smooth_add *add, int64_t k)
{
    parts p = {.s = s, .add = add, .k = k};
    assert(k <= most_numbers(s));
    if (s->blocks) {
        s->vectors.k = k;
        ney_block_sums_clear(&s->vectors);
        if (ney_threads(&s->r->task->solver.env) > 1) {
            add_blocks_in_parallel(&p);
        } else {
            add_blocks(&p);
        }
        ney_block_sums_finish(&s->vectors, s->sum);
        return;
    }
    ney_parallel_for(&s->r->task->solver.env, s->n_parts, add_part, &p);
    memset(s->sum, 0, (size_t)k * sizeof *s->sum);
    for (int64_t part = 0; part < s->n_parts; part++) {
        for (int64_t i = 0; i < k; i++) {
            s->sum[i] += s->parts[part * k + i];
        }
    }
}

/* ---- sums of losses */

static void probe_block(void *context, int64_t block, int thread)
{
    const ney_smooth_probe *at = context;
    const ney_smooth *s = at->s;
    const ney_ramps ramps = {.pull = s->pull,
                             .fixed = s->is_fixed ? s->fixed : NULL,
                             .eta = s->r->eta,
                             .width = s->width};
    (void)thread;
    ney_loop_ramps(&ramps, s->f, s->change, at->step, at->b, ney_smooth_block_begin(s, block),
                   ney_smooth_block_end(s, block), &s->sums[block]);
}

void ney_smooth_probe_all(ney_smooth_probe *at)
{
    enum { NUMBERS = sizeof(ney_ramp_sums) / sizeof(double) };
    const ney_smooth *s = at->s;
    at->sum = (ney_ramp_sums){0};
    ney_parallel_for(&s->r->task->solver.env, ney_smooth_blocks(s), probe_block, at);
    if (s->blocks) {
        ney_sum_blocks(s->blocks, (const double *)s->sums, (double *)&at->sum, NUMBERS);
        return;
    }
    for (int64_t block = 0; block < ney_smooth_blocks(s); block++) {
        for (int c = 0; c < 2; c++) {
            at->sum.loss[c] += s->sums[block].loss[c];
            at->sum.slope[c] += s->sums[block].slope[c];
            at->sum.along[c] += s->sums[block].along[c];
        }
    }
}
