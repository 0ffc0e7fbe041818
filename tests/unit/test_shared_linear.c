/* The linear QP over rows that processes share, where one of them differs from the others: it lacks
 * memory, or is asked to stop while the first one works alone: all end alike. And rows of which
 * none has an entry. */
#include "qp/linear.h"
#include "support/cmocka_all.h"
#include "support/comm_threads.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { MOST_RANKS = 3, BLOCK = 16, BLOCKS = 6, ROWS = BLOCK * BLOCKS, COLS = 300, ENTRIES = 8 };

typedef struct run {
    int limited_rank; /* the rank that is granted `granted` requests for memory */
    int64_t granted;  /* -1: all */
    bool empty;       /* rows without entries */
    bool stops;       /* the last rank stops once the first has polled more often */
    atomic_int polls[MOST_RANKS];
    ney_status status[MOST_RANKS];
    ney_qp_info info[MOST_RANKS];
    double w[MOST_RANKS][COLS];
} run;

typedef struct process {
    comm_allowance memory;
    run *of;
    int rank, size;
} process;

static bool poll(void *user, const ney_progress *progress)
{
    process *const p = user;
    run *const r = p->of;
    (void)progress;
    const int own = atomic_fetch_add(&r->polls[p->rank], 1) + 1;
    return !r->stops || p->rank != p->size - 1 || own >= atomic_load(&r->polls[0]);
}

/* The rows of a share: sparse, of classes that overlap. */
typedef struct rows {
    int64_t start[ROWS + 1];
    int32_t index[ROWS * ENTRIES];
    float value[ROWS * ENTRIES];
    double low[ROWS], high[ROWS], slope[ROWS], v[ROWS], f[ROWS];
} rows;

static void fill_rows(rows *r, int64_t first, int64_t n, bool empty)
{
    for (int64_t i = 0; i < n; i++) {
        const double class = sin(3.7 * (double)(first + i)) > 0.2 ? 1 : -1;
        int64_t at = r->start[i];
        for (int64_t k = 0; k < ENTRIES && !empty; k++) {
            r->index[at] = (int32_t)(k * (COLS / ENTRIES) + (first + i) * (k + 3) % 31);
            r->value[at++] = (float)(sin((double)((first + i) * ENTRIES + k)) + 0.2 * class);
        }
        r->start[i + 1] = at;
        r->slope[i] = class;
        r->low[i] = class > 0 ? 0 : -1;
        r->high[i] = class > 0 ? 1 : 0;
    }
}

/* As after Newton steps that leave all rows near a violation. */
static ney_status solve_for_all(ney_linear_qp *q, ney_qp_info *info)
{
    double mean[COLS] = {0};
    bool ended;
    *info = (ney_qp_info){0};
    q->mean = mean;
    const bool fine = ney_shared_solve_active(q, 0, 3, info, &ended);
    return fine && ended ? NEY_OK : NEY_ENOMEM;
}

static void work(void *context, const ney_comm *comm)
{
    run *const r = context;
    process p = {.memory = {-1}, .of = r, .rank = comm->rank, .size = comm->size};
    if (comm->rank == r->limited_rank) {
        p.memory.left = r->granted;
    }
    const ney_env env = {.user = &p, .resize = comm_allowance_resize, .poll = poll, .threads = 1};
    const int64_t from = BLOCKS * comm->rank / comm->size,
                  n_blocks = BLOCKS * (comm->rank + 1) / comm->size - from, n = n_blocks * BLOCK;
    const int64_t size[BLOCKS] = {BLOCK, BLOCK, BLOCK, BLOCK, BLOCK, BLOCK};
    rows *const own = calloc(1, sizeof *own);
    ney_row_blocks *blocks;
    ney_error err;
    if (!own) {
        abort();
    }
    fill_rows(own, from * BLOCK, n, r->empty);
    const ney_matrix x = {
        .rows = n, .cols = COLS, .start = own->start, .index = own->index, .value = own->value};
    const ney_qp qp = {n, own->low, own->high, own->high, own->slope, own->slope};
    const ney_qp_opts opts = {.tol = 1e-4};
    r->status[comm->rank] = ney_row_blocks_new(&blocks, &env, comm, size, n_blocks, &err);
    if (r->status[comm->rank] == NEY_OK) {
        ney_linear_qp q = {.env = env,
                           .x = &x,
                           .p = &qp,
                           .o = &opts,
                           .v = own->v,
                           .f = own->f,
                           .w = r->w[comm->rank],
                           .blocks = blocks};
        ney_qp_info *const info = &r->info[comm->rank];
        r->status[comm->rank] =
            r->empty ? solve_for_all(&q, info) : ney_linear_solve(&q, info, &err);
        ney_row_blocks_free(blocks);
    }
    free(own);
}

static void solve(run *r, int size)
{
    for (int rank = 0; rank < MOST_RANKS; rank++) {
        atomic_store(&r->polls[rank], 0);
    }
    comm_threads_run(size, work, r);
    for (int rank = 1; rank < size; rank++) {
        assert_int_equal(r->status[rank], r->status[0]);
        if (r->status[0] == NEY_OK) {
            assert_int_equal(r->info[rank].stop, r->info[0].stop);
            assert_memory_equal(r->w[rank], r->w[0], sizeof r->w[0]);
        }
    }
}

static void test_memory_refused_in_one_process_ends_all(void **state)
{
    (void)state;
    for (int limited_rank = 0; limited_rank < 2; limited_rank++) {
        run r = {.limited_rank = limited_rank, .granted = 0};
        for (solve(&r, 2); r.status[0] != NEY_OK; solve(&r, 2)) {
            assert_int_equal(r.status[0], NEY_ENOMEM);
            r.granted++;
        }
        print_message("rank %d: %d requests\n", limited_rank, (int)r.granted);
        assert_true(r.granted > 20);
        assert_int_equal(r.info[0].stop, NEY_STOP_CONVERGED);
    }
}

/* The others poll while the first process solves for the active rows. */
static void test_a_process_that_waits_can_stop_all(void **state)
{
    (void)state;
    for (int size = 2; size <= MOST_RANKS; size++) {
        run r = {.limited_rank = -1, .stops = true};
        solve(&r, size);
        assert_int_equal(r.status[0], NEY_OK);
        assert_true(atomic_load(&r.polls[0]) > atomic_load(&r.polls[1]));
        assert_int_equal(r.info[0].stop, NEY_STOP_CANCELLED);
    }
}

static void test_rows_without_entries(void **state)
{
    (void)state;
    for (int size = 1; size <= MOST_RANKS; size++) {
        run r = {.limited_rank = -1, .empty = true};
        solve(&r, size);
        assert_int_equal(r.status[0], NEY_OK);
        assert_int_equal(r.info[0].stop, NEY_STOP_CONVERGED);
        assert_true(r.w[0][0] == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_refused_in_one_process_ends_all),
        cmocka_unit_test(test_a_process_that_waits_can_stop_all),
        cmocka_unit_test(test_rows_without_entries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
