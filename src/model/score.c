/* Scoring, whatever the family: blocks of rows whose scores do not depend on where they are cut nor
 * on the number of threads (family.h states the order of summation). */
#include "base/parallel.h"
#include "model/model.h"

enum {
    LEAST_ROWS = 16, /* of a block: what the kernel family takes at a time */
    ALIGN = 64       /* of a thread's scratch, so that threads share no cache line */
};

/* Operations: of the smallest block that is given to a thread, and between two polls of one thread,
 * which is some hundredths of a second. */
static const double block_work = 4e6, poll_work = 1e8;

typedef struct job {
    const ney_family *family;
    const void *part;
    const ney_matrix *x;
    double *score;
    char *scratch;
    int64_t scratch_bytes, block_rows, first_block;
} job;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static void score_one(void *context, int64_t i, int thread)
{
    const job *const j = context;
    const int64_t first = (j->first_block + i) * j->block_rows;
    const int64_t n = smaller(j->block_rows, j->x->rows - first);
    double *const score = j->score + first;
    j->family->score_block(j->part, j->x, first, n, score,
                           j->scratch ? j->scratch + (int64_t)thread * j->scratch_bytes : NULL);
    for (int64_t k = 0; k < n; k++) {
        score[k] += 0.0; /* -0, which zeros of a row may bring about, becomes 0 */
    }
}

static int64_t rows_of_block(double work)
{
    int64_t rows = NEY_SCORE_ROWS;
    while (rows > LEAST_ROWS && (double)rows * work > block_work) {
        rows /= 2;
    }
    return rows;
}

static ney_status score_blocks(job *j, const ney_env *env, double work, ney_error *err)
{
    const int64_t rows = j->x->rows, n_blocks = (rows + j->block_rows - 1) / j->block_rows;
    const double at_once = poll_work / ((double)j->block_rows * work);
    const int64_t a_thread = at_once > 1 ? (int64_t)at_once : 1;
    const int64_t a_poll = a_thread * ney_threads(env);

    for (; j->first_block < n_blocks; j->first_block += a_poll) {
        if (!ney_poll(env, "scoring", (double)(j->first_block * j->block_rows), (double)rows)) {
            return ney_fail(err, NEY_ECANCELLED, "scoring was cancelled");
        }
        ney_parallel_for(env, smaller(a_poll, n_blocks - j->first_block), score_one, j);
    }
    return NEY_OK;
}

ney_status ney_family_score(const ney_family *family, const void *part, const ney_env *env,
                            const ney_matrix *x, double *score, ney_error *err)
{
    const double cols = x->cols > 0 ? (double)x->cols : 1;
    const double work = family->work ? family->work(part) : cols;
    job j = {
        .family = family, .part = part, .x = x, .score = score, .block_rows = rows_of_block(work)};

    if (family->scratch) {
        j.scratch_bytes = (family->scratch(part) + ALIGN - 1) / ALIGN * ALIGN;
        j.scratch = ney_alloc(env, ney_threads(env), (size_t)j.scratch_bytes);
        if (!j.scratch) {
            return ney_no_memory(err, j.scratch_bytes, "bytes to score with");
        }
    }
    const ney_status st = score_blocks(&j, env, work, err);
    ney_release(env, j.scratch);
    return st;
}

ney_status ney_model_score(const ney_model *model, const ney_env *env, const ney_matrix *x,
                           double *score, ney_error *err)
{
    NEY_REQUIRE(model && x && score, err);
    const ney_env e = ney_env_of(env);
    return ney_family_score(model->family, model->part, &e, x, score, err);
}
