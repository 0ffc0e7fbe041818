/* Statistics of the columns of rows that are shared out among processes: sums over the tree of row
 * blocks (comm/row_blocks.h) in twice the precision; counts and extremes have no order. */
#include "data/scale.h"

#include <math.h>
#include <string.h>

/* Forget the values of a block. */
static void clear(ney_column_fit *s)
{
    memset(s->mean, 0, (size_t)(5 * s->cols) * sizeof *s->mean);
    memset(s->present, 0, (size_t)(2 * s->cols) * sizeof *s->present);
}

/* What does not depend on the order of rows. Columns without a value have low > high. */
static void add_block(ney_column_fit *all, const ney_column_fit *block)
{
    for (int64_t c = 0; c < all->cols; c++) {
        all->present[c] += block->present[c];
        all->stored[c] += block->stored[c];
        if (block->stored[c] > 0) {
            all->low[c] = fmin(all->low[c], block->low[c]);
            all->high[c] = fmax(all->high[c], block->high[c]);
        }
    }
}

typedef struct fitting {
    const ney_data *d;
    const int64_t *rows; /* NULL: all */
    const ney_row_blocks *blocks;
    ney_column_fit block;
    ney_block_sums sums;
    double *pair; /* sums of a block, then their rests */
} fitting;

/* One pass over the rows: the values, or the squares around s->mean. */
static void pass_rows(fitting *f, ney_column_fit *s, bool squares)
{
    const int64_t cols = s->cols;
    double *const total = squares ? f->block.m2 : f->block.mean;
    ney_block_sums_clear(&f->sums);
    for (int64_t k = 0; k < f->blocks->n; k++) {
        const int64_t begin = f->blocks->begin[k], n = f->blocks->begin[k + 1] - begin;
        clear(&f->block);
        if (squares) {
            memcpy(f->block.mean, s->mean, (size_t)cols * sizeof *s->mean);
        }
        (squares ? ney_column_fit_squares : ney_column_fit_values)(&f->block, f->d, f->rows + begin,
                                                                   n);
        memcpy(f->pair, total, (size_t)cols * sizeof *f->pair);
        memcpy(f->pair + cols, f->block.rest, (size_t)cols * sizeof *f->pair);
        ney_block_sums_add(&f->sums, f->pair);
        if (!squares) {
            add_block(s, &f->block);
        }
    }
    ney_block_sums_finish(&f->sums, f->pair);
    memcpy(squares ? s->m2 : s->mean, f->pair, (size_t)cols * sizeof *f->pair);
    memcpy(s->rest, f->pair + cols, (size_t)cols * sizeof *f->pair);
}

/* Counts and extremes of all processes. */
static void join(ney_column_fit *s, const ney_row_blocks *blocks)
{
    ney_comm_add_counts(blocks->comm, s->present, 2 * s->cols); /* stored follows */
    ney_comm_minimum(blocks->comm, s->low, s->cols);
    ney_comm_maximum(blocks->comm, s->high, s->cols);
    for (int64_t c = 0; c < s->cols; c++) {
        s->low[c] = s->stored[c] > 0 ? s->low[c] : 0;
        s->high[c] = s->stored[c] > 0 ? s->high[c] : 0;
    }
    s->rows = blocks->rows;
}

static void fit(fitting *f, ney_column_fit *s, bool squares)
{
    for (int64_t c = 0; c < s->cols; c++) {
        s->low[c] = (double)INFINITY;
        s->high[c] = -(double)INFINITY;
    }
    pass_rows(f, s, false);
    join(s, f->blocks);
    ney_column_fit_means(s);
    if (squares) {
        pass_rows(f, s, true);
    }
}

/* The rows by their numbers. */
static int64_t *count_up(const ney_env *env, int64_t n)
{
    int64_t *const rows = ney_alloc(env, n, sizeof *rows);
    for (int64_t i = 0; rows && i < n; i++) {
        rows[i] = i;
    }
    return rows;
}

ney_status ney_column_fit_shared(ney_column_fit *s, const ney_data *d, const int64_t *rows,
                                 int64_t n_rows, bool squares, ney_error *err)
{
    ney_row_blocks *taken = NULL;
    int64_t *const own = rows ? NULL : count_up(&d->env, n_rows);
    fitting f = {.d = d, .rows = rows ? rows : own};
    ney_status st = rows ? ney_row_blocks_take(&taken, d->blocks, rows, n_rows, err) : NEY_OK;
    f.blocks = rows ? taken : d->blocks;
    if (st == NEY_OK) {
        f.pair = ney_alloc(&d->env, 2 * s->cols, sizeof *f.pair);
        const bool fine = ney_column_fit_init(&f.block, &d->env, s->cols) &&
                          ney_block_sums_init(&f.sums, f.blocks, 2 * s->cols);
        f.sums.twofold = true;
        st = fine && f.pair && f.rows ? NEY_OK : ney_no_memory(err, s->cols, "columns");
        st = ney_comm_agree(f.blocks->comm, st, err);
    }
    if (st == NEY_OK) {
        fit(&f, s, squares);
    }
    ney_block_sums_deinit(&f.sums);
    ney_column_fit_deinit(&f.block, &d->env);
    ney_release_all(&d->env, f.pair, own);
    ney_row_blocks_free(taken);
    return st;
}
