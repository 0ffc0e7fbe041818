/* Rows seen through a view are those that the part would compute itself, bit by bit, on however
 * many threads. */
#include "kernel/shared_rows.h"

#include "base/parallel.h"
#include "base/rng.h"
#include "support/cmocka_all.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 300, COLS = 5, PARTS = 6, ASKED = 7 };

/* Dense rows, some of them so long that single precision does not do. */
static ney_matrix make_rows(void)
{
    static float x[ROWS * COLS];
    for (int i = 0; i < ROWS * COLS; i++) {
        x[i] = (float)(sin(i * 1.3) * (i / COLS % 11 == 0 ? 40 : 1));
    }
    return (ney_matrix){.rows = ROWS, .cols = COLS, .dense = x};
}

/* All rows but those that leave the remainder k; a matrix of its own. */
typedef struct part {
    int64_t at[ROWS], n;
    float x[ROWS * COLS];
    ney_matrix matrix;
    bool is_true;
} part;

static void take(part *p, const ney_matrix *whole, int64_t k)
{
    for (int64_t i = 0; i < ROWS; i++) {
        if (i % PARTS != k) {
            p->at[p->n++] = i;
        }
    }
    for (int64_t i = 0; i < p->n; i++) {
        memcpy(p->x + i * COLS, whole->dense + p->at[i] * COLS, COLS * sizeof(float));
    }
    p->matrix = (ney_matrix){.rows = p->n, .cols = COLS, .dense = p->x};
}

typedef struct visit {
    ney_shared_rows *shared;
    part *part;
} visit;

/* What one solver does: ask for rows in its own order, and compare. */
static void visit_part(void *context, int64_t k, int thread)
{
    const visit *v = context;
    part *const p = &v->part[k];
    const ney_env env = {
        .resize = v->shared->env.resize, .user = v->shared->env.user, .threads = 1};
    static _Thread_local float seen[ASKED][ROWS], own[ASKED][ROWS];
    float *to_seen[ASKED], *to_own[ASKED];
    int64_t order[ROWS];
    ney_rng r = {(uint64_t)k};
    ney_gram gram;
    ney_row_view view = {0};
    (void)thread;
    for (int64_t i = 0; i < p->n; i++) {
        order[i] = i;
    }
    for (int i = 0; i < ASKED; i++) {
        to_seen[i] = seen[i];
        to_own[i] = own[i];
    }
    p->is_true =
        ney_gram_init(&gram, &env, &p->matrix, &v->shared->kernel, false, NULL) == NEY_OK &&
        ney_row_view_init(&view, &env, v->shared, p->at, p->n, NULL) == NEY_OK;
    for (int turn = 0; turn < 60 && p->is_true; turn++) {
        ney_rng_shuffle(&r, order, p->n);
        p->is_true = ney_row_view_get(&view, order, ASKED, to_seen) &&
                     ney_gram_rows(&gram, order, ASKED, to_own);
        for (int i = 0; i < ASKED && p->is_true; i++) {
            p->is_true = memcmp(seen[i], own[i], (size_t)p->n * sizeof(float)) == 0;
        }
    }
    ney_row_view_deinit(&view);
    ney_gram_deinit(&gram);
}

static void test_views_agree_with_parts(void **state)
{
    static part parts[PARTS];
    const ney_kernel kernels[] = {{.kind = NEY_KERNEL_RBF, .gamma = 0.3},
                                  {.kind = NEY_KERNEL_POLY, .gamma = 0.5, .coef0 = 1, .degree = 3},
                                  {.kind = NEY_KERNEL_SIGMOID, .gamma = 0.1, .coef0 = -1}};
    const ney_matrix x = make_rows();
    ney_env env = ney_env_default();
    (void)state;
    env.threads = PARTS; /* more than there are cores, so that they get in each other's way */
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
        ney_shared_rows shared;
        assert_int_equal(ney_shared_rows_init(&shared, &env, &x, &kernels[k], NULL), NEY_OK);
        memset(parts, 0, sizeof parts);
        for (int p = 0; p < PARTS; p++) {
            take(&parts[p], &x, p);
        }
        ney_parallel_for(&env, PARTS, visit_part, &(visit){&shared, parts});
        for (int p = 0; p < PARTS; p++) {
            assert_true(parts[p].is_true);
        }
        ney_shared_rows_deinit(&shared);
    }
}

/* ---- memory that ends */

typedef struct purse {
    int64_t left; /* requests that are granted */
} purse;

static void *from_purse(void *user, void *block, size_t bytes)
{
    purse *p = user;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    return p->left-- > 0 ? realloc(block, bytes) : NULL;
}

/* A refusal is told and leaves rows that can still be had: whoever asks next computes them. */
static void test_a_refusal_can_be_made_up_for(void **state)
{
    const ney_kernel kernel = {.kind = NEY_KERNEL_RBF, .gamma = 0.2};
    const ney_matrix x = make_rows();
    static float seen[2][ROWS], own[2][ROWS];
    static int64_t at[ROWS];
    bool refused = false, done = false;
    (void)state;
    for (int64_t i = 0; i < ROWS; i++) {
        at[i] = i;
    }
    for (int64_t granted = 0; !done; granted++) {
        const int64_t row[2] = {2 * granted, 2 * granted + 1}; /* not those of the last turn, which
                                                                  memory may still hold */
        purse p = {1000};
        const ney_env env = {.user = &p, .resize = from_purse, .threads = 1};
        ney_shared_rows shared;
        ney_row_view view;
        ney_gram gram;
        assert_int_equal(ney_shared_rows_init(&shared, &env, &x, &kernel, NULL), NEY_OK);
        assert_int_equal(ney_row_view_init(&view, &env, &shared, at, ROWS, NULL), NEY_OK);
        assert_int_equal(ney_gram_init(&gram, &env, &x, &kernel, false, NULL), NEY_OK);
        p.left = granted;
        done = ney_row_view_get(&view, row, 2, (float *[2]){seen[0], seen[1]});
        refused = refused || !done;
        p.left = 1000;
        assert_true(ney_row_view_get(&view, row, 2, (float *[2]){seen[0], seen[1]}));
        assert_true(ney_gram_rows(&gram, row, 2, (float *[2]){own[0], own[1]}));
        assert_memory_equal(seen, own, sizeof seen);
        ney_gram_deinit(&gram);
        ney_row_view_deinit(&view);
        ney_shared_rows_deinit(&shared);
    }
    assert_true(refused);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_views_agree_with_parts),
        cmocka_unit_test(test_a_refusal_can_be_made_up_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
