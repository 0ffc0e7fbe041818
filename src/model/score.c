/* Scoring, whatever the family: fixed blocks of rows, so that the number of threads cannot show. */
#include "base/parallel.h"
#include "model/model.h"

enum {
    BLOCK_ROWS = 512,  /* a block's scores stay in the first-level cache */
    BLOCKS_A_POLL = 64 /* a few milliseconds of narrow rows */
};

typedef struct job {
    const ney_model *model;
    const ney_matrix *x;
    double *score;
    int64_t first_block;
} job;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void score_one(void *context, int64_t i, int thread)
{
    const job *const j = context;
    const int64_t first = (j->first_block + i) * BLOCK_ROWS;
    (void)thread;
    j->model->family->score_block(j->model->part, j->x, first,
                                  smaller(BLOCK_ROWS, j->x->rows - first), j->score + first);
}

ney_status ney_model_score(const ney_model *model, const ney_env *env, const ney_matrix *x,
                           double *score, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    const int64_t n_blocks = x->rows / BLOCK_ROWS + (x->rows % BLOCK_ROWS != 0);
    const int64_t a_poll = (int64_t)BLOCKS_A_POLL * ney_threads(&e);
    job j = {.model = model, .x = x, .score = score};

    for (; j.first_block < n_blocks; j.first_block += a_poll) {
        if (!ney_poll(&e, "scoring", (double)(j.first_block * BLOCK_ROWS), (double)x->rows)) {
            return ney_fail(err, NEY_ECANCELLED, "scoring was cancelled");
        }
        ney_parallel_for(&e, smaller(a_poll, n_blocks - j.first_block), score_one, &j);
    }
    return NEY_OK;
}
