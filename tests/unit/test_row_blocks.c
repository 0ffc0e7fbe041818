/* Sums over rows that are spread over processes: the same bits for any number of them, and equal to
 * a tree written down a second time. */
#include "comm/row_blocks.h"

#include "support/cmocka_all.h"
#include "support/comm_threads.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 9, MOST_BLOCKS = 300 };

typedef struct scene {
    double *value; /* of all rows */
    int64_t size[MOST_BLOCKS], n_blocks;
    int64_t cut[MOST_RANKS + 1]; /* the first block of each rank */
    double few[MOST_RANKS], many[MOST_RANKS][3], taken[MOST_RANKS];
    int64_t rows[MOST_RANKS], first_row[MOST_RANKS];
} scene;

static int64_t rows_before(const scene *s, int64_t block)
{
    int64_t rows = 0;
    for (int64_t k = 0; k < block; k++) {
        rows += s->size[k];
    }
    return rows;
}

typedef struct portion {
    const double *value;
    const int64_t *row;
} portion;

static void add_values(void *context, int64_t begin, int64_t end, double *sum)
{
    const portion *p = context;
    for (int64_t i = begin; i < end; i++) {
        sum[0] += p->value[p->row ? p->row[i] : i];
        sum[1] += 1;
    }
}

static void work(void *context, const ney_comm *comm)
{
    scene *const s = context;
    const ney_env env = ney_env_of(NULL);
    const int64_t first = s->cut[comm->rank], n = s->cut[comm->rank + 1] - first;
    portion p = {.value = s->value + rows_before(s, first)};
    ney_row_blocks *b, *third;
    ney_error err;
    if (ney_row_blocks_new(&b, &env, comm, s->size + first, n, &err) != NEY_OK) {
        abort();
    }
    double sum[2], block[3];
    ney_sum_rows(b, b->begin[n], add_values, &p, sum, 2);
    s->few[comm->rank] = sum[0];
    s->rows[comm->rank] = (int64_t)sum[1] == b->rows ? b->rows : -1;
    s->first_row[comm->rank] = b->first_row;

    ney_block_sums many;
    if (!ney_block_sums_init(&many, b, 3)) {
        abort();
    }
    for (int round = 0; round < 2; round++) { /* the second must not see the first */
        ney_block_sums_clear(&many);
        for (int64_t k = 0; k < n; k++) {
            memset(block, 0, sizeof block);
            if (b->begin[k] == b->begin[k + 1]) {
                ney_block_sums_skip(&many);
                continue;
            }
            for (int64_t i = b->begin[k]; i < b->begin[k + 1]; i++) {
                block[0] += p.value[i];
                block[1] -= p.value[i];
                block[2] += p.value[i] * p.value[i];
            }
            ney_block_sums_add(&many, block);
        }
        ney_block_sums_finish(&many, s->many[comm->rank]);
    }
    ney_block_sums_deinit(&many);

    /* every third row by its number among all: not the same place in every process */
    int64_t *const rows = malloc(((size_t)b->begin[n] + 1) * sizeof *rows), m0 = b->first_row;
    int64_t m = 0;
    for (int64_t i = 0; i < b->begin[n]; i++) {
        if ((m0 + i) % 3 == 0) {
            rows[m++] = i;
        }
    }
    if (ney_row_blocks_take(&third, b, rows, m, &err) != NEY_OK) {
        abort();
    }
    p.row = rows;
    ney_sum_rows(third, m, add_values, &p, sum, 2);
    s->taken[comm->rank] = sum[0];
    if ((int64_t)sum[1] != third->rows || third->begin[n] != m) {
        abort();
    }
    free(rows);
    ney_row_blocks_free(third);
    ney_row_blocks_free(b);
}

/* The tree, top down. */
static double tree_sum(const scene *s, int64_t low, int64_t high, int stride)
{
    double sum = 0;
    if (high - low > 1) {
        const int64_t half = low + (high - low) / 2;
        return tree_sum(s, low, half, stride) + tree_sum(s, half, high, stride);
    }
    const int64_t row = rows_before(s, low);
    for (int64_t i = row; high > low && i < row + s->size[low]; i++) {
        sum += i % stride == 0 ? s->value[i] : 0;
    }
    return sum;
}

static void try_size(scene *s, int ranks, bool evenly)
{
    for (int k = 1; k < ranks; k++) {
        s->cut[k] = evenly ? s->n_blocks * k / ranks
                           : s->cut[k - 1] + (int64_t)rand() % (s->n_blocks - s->cut[k - 1] + 1);
    }
    s->cut[0] = 0;
    s->cut[ranks] = s->n_blocks;
    comm_threads_run(ranks, work, s);
    const double all = tree_sum(s, 0, s->n_blocks, 1), third = tree_sum(s, 0, s->n_blocks, 3);
    for (int k = 0; k < ranks; k++) {
        assert_true(s->few[k] == all);
        assert_true(s->many[k][0] == all && s->many[k][1] == -all);
        assert_true(s->taken[k] == third);
        assert_int_equal(s->rows[k], rows_before(s, s->n_blocks));
        assert_int_equal(s->first_row[k], rows_before(s, s->cut[k]));
        assert_true(s->many[k][2] == s->many[0][2]);
    }
}

static void sums_do_not_depend_on_processes(void **state)
{
    (void)state;
    srand(7);
    for (int trial = 0; trial < 12; trial++) {
        scene s = {.n_blocks = trial == 0 ? 0 : trial == 1 ? 1 : 1 + rand() % MOST_BLOCKS};
        for (int64_t k = 0; k < s.n_blocks; k++) {
            s.size[k] = rand() % 6;
        }
        const int64_t rows = rows_before(&s, s.n_blocks);
        s.value = malloc(((size_t)rows + 1) * sizeof *s.value);
        for (int64_t i = 0; i < rows; i++) {
            s.value[i] = ldexp((double)(rand() % 2001 - 1000) / 997, rand() % 40 - 20);
        }
        for (int ranks = 1; ranks < MOST_RANKS; ranks++) {
            try_size(&s, ranks, ranks % 2 == 0);
        }
        free(s.value);
    }
}

static void one_process_adds_from_the_first_row(void **state)
{
    (void)state;
    const double value[] = {1e16, 1, -1e16, 3};
    portion p = {.value = value};
    double sum[2];
    ney_sum_rows(NULL, 4, add_values, &p, sum, 2);
    assert_true(sum[0] == (((0.0 + 1e16) + 1) - 1e16) + 3);
    assert_true(sum[1] == 4);
}

static void block_sizes_follow_the_rows(void **state)
{
    (void)state;
    assert_int_equal(ney_row_block_size(0, 10), 16);
    assert_int_equal(ney_row_block_size(270, 10), 16);
    assert_int_equal(ney_row_block_size(100000, 10), 1563);
    assert_int_equal(ney_row_block_size(10000, 10000), 313);
    assert_int_equal(ney_row_block_size(10000000, 10), NEY_ROW_BLOCK);
}

/* ---- one status for all */

typedef struct vote {
    int failing[2]; /* ranks, -1: none */
    ney_status status[MOST_RANKS];
    ney_error err[MOST_RANKS];
    double extreme[MOST_RANKS][2];
    char all[MOST_RANKS][2 * MOST_RANKS];
} vote;

static void agree(void *context, const ney_comm *comm)
{
    vote *const v = context;
    ney_error *const err = &v->err[comm->rank];
    ney_status st = NEY_OK;
    if (comm->rank == v->failing[0] || comm->rank == v->failing[1]) {
        st = ney_fail_at(err, NEY_EPARSE, (ney_place){.file = "part", .line = comm->rank + 1},
                         "bad cell");
    }
    v->status[comm->rank] = ney_comm_agree(comm, st, err);
    double most = comm->rank, least = comm->rank;
    ney_comm_maximum(comm, &most, 1);
    ney_comm_minimum(comm, &least, 1);
    v->extreme[comm->rank][0] = most;
    v->extreme[comm->rank][1] = least;
    const char own[2] = {(char)('a' + comm->rank), '.'};
    ney_comm_gather(comm, own, 2, v->all[comm->rank]);
}

static void the_lowest_rank_that_failed_is_named(void **state)
{
    (void)state;
    for (int size = 2; size < 6; size++) {
        vote v = {.failing = {size - 1, size / 2}};
        comm_threads_run(size, agree, &v);
        for (int k = 0; k < size; k++) {
            char expected[40];
            snprintf(expected, sizeof expected, "rank %d: bad cell", size / 2);
            assert_int_equal(v.status[k], NEY_EPARSE);
            assert_string_equal(v.err[k].message, expected);
            assert_string_equal(v.err[k].file, "part");
            assert_int_equal(v.err[k].line, size / 2 + 1);
            assert_true(v.extreme[k][0] == size - 1 && v.extreme[k][1] == 0);
            assert_memory_equal(v.all[k], "a.b.c.d.e.f.", 2 * (size_t)size);
        }
        v = (vote){.failing = {-1, -1}};
        comm_threads_run(size, agree, &v);
        for (int k = 0; k < size; k++) {
            assert_int_equal(v.status[k], NEY_OK);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_do_not_depend_on_processes),
        cmocka_unit_test(one_process_adds_from_the_first_row),
        cmocka_unit_test(block_sizes_follow_the_rows),
        cmocka_unit_test(the_lowest_rank_that_failed_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
