/* Rows that are spread over processes, and sums over all of them.
 *
 * The rows of all processes, one after another in the order of ranks, are cut into blocks; a block
 * belongs to one process. Sums are made block by block and then over a binary tree of blocks that
 * halves its range at every level: [0, n), then [0, n / 2) and [n / 2, n), and so on. Blocks depend
 * on the data alone, so that a sum has the same bits for any number of processes. A process sends
 * the sums of the largest nodes that its blocks make up: one of them where the number of processes
 * is a power of 2 and blocks are shared out evenly, at most 2 log2(n) otherwise.
 *
 * NULL as ney_row_blocks stands for one process whose rows are one block. */
#ifndef NEY_COMM_ROW_BLOCKS_H
#define NEY_COMM_ROW_BLOCKS_H

#include "comm/comm.h"

/* The most rows of a block. */
enum { NEY_ROW_BLOCK = 2048 };

typedef struct ney_row_blocks {
    ney_env env;
    const ney_comm *comm;
    int64_t n;               /* blocks of this process */
    int64_t *begin;          /* n + 1 rows of this process: where each block begins */
    int64_t *first;          /* the first block of each process, among all; size + 1 */
    int64_t first_row, rows; /* this process's first row among all, and the number of all */
} ney_row_blocks;

/* The number of rows of a block, from the number of rows of all processes and of columns alone. It
 * is small enough to share out small data too; each block of wide data costs a sum of `cols`
 * numbers. */
int64_t ney_row_block_size(int64_t rows, int64_t cols);

/* Blocks of these sizes. ney_row_blocks_free() is due after success. */
ney_status ney_row_blocks_new(ney_row_blocks **out, const ney_env *env, const ney_comm *comm,
                              const int64_t *size, int64_t n, ney_error *err);
void ney_row_blocks_free(ney_row_blocks *b);

/* The blocks of m rows taken from the rows of this process, in ascending order. NULL for NULL. */
ney_status ney_row_blocks_take(ney_row_blocks **out, const ney_row_blocks *of, const int64_t *rows,
                               int64_t m, ney_error *err);

/* Add to `sum` what rows begin .. end - 1 of this process contribute. */
typedef void ney_rows_add(void *context, int64_t begin, int64_t end, double *sum);

enum { NEY_SUMS_MOST = 8 };

/* k <= NEY_SUMS_MOST sums over all rows; n: those of this process. */
void ney_sum_rows(const ney_row_blocks *b, int64_t n, ney_rows_add *add, void *context, double *sum,
                  int k);

/* The same from the sums of each block of this process, k after k. */
void ney_sum_blocks(const ney_row_blocks *b, const double *of_block, double *sum, int k);

/* ---- sums of many numbers */

typedef struct ney_block_sums {
    const ney_row_blocks *blocks;
    int64_t k;          /* numbers */
    bool twofold;       /* set by the caller: the second half of them is what sums of the first have
                           lost by rounding (base/sum.h) */
    int64_t next;       /* block, among all */
    double *node;       /* k numbers each */
    int64_t cap;        /* nodes that there is memory for */
    int64_t range[128]; /* of each node: first block, and the one after its last */
    bool empty[64];     /* nodes of blocks without any contribution: their memory is not set */
    int n;              /* nodes */
} ney_block_sums;

/* False without memory; ney_block_sums_deinit() is due in either case. */
bool ney_block_sums_init(ney_block_sums *s, const ney_row_blocks *b, int64_t k);
void ney_block_sums_deinit(ney_block_sums *s);

/* Begin again. */
void ney_block_sums_clear(ney_block_sums *s);

/* Where the sums of the next block may be made, without a copy: k zeros. */
double *ney_block_sums_memory(const ney_block_sums *s);

/* The sums of this process's next block. */
void ney_block_sums_add(ney_block_sums *s, const double *of_block);

/* The next block contributes nothing: no memory is touched. */
void ney_block_sums_skip(ney_block_sums *s);

/* After the last block: the sums over all processes. */
void ney_block_sums_finish(ney_block_sums *s, double *sum);

/* ---- counts and extremes over all processes */

const ney_comm *ney_blocks_comm(const ney_row_blocks *b);

#endif
