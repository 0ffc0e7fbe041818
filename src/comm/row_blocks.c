#include "comm/row_blocks.h"

#include "base/sum.h"

#include <assert.h>
#include <string.h>

int64_t ney_row_block_size(int64_t rows, int64_t cols)
{
    enum { LEAST = 16, WANTED = 64, WIDE = 1000, WANTED_WIDE = 32 };
    const int64_t wanted = cols > WIDE ? WANTED_WIDE : WANTED;
    const int64_t even = (rows + wanted - 1) / wanted;
    return even < LEAST ? LEAST : even > NEY_ROW_BLOCK ? NEY_ROW_BLOCK : even;
}

const ney_comm *ney_blocks_comm(const ney_row_blocks *b)
{
    return b ? b->comm : NULL;
}

/* ---- which rows */

void ney_row_blocks_free(ney_row_blocks *b)
{
    if (b) {
        const ney_env env = b->env;
        ney_release_all(&env, b->begin, b->first, b);
    }
}

/* Rows before those of this process, and of all. */
static ney_status count_rows(ney_row_blocks *b, ney_error *err)
{
    const int size = ney_comm_size(b->comm);
    int64_t *const rows = ney_alloc_zeroed(&b->env, size, sizeof *rows);
    const ney_status st =
        ney_comm_agree(b->comm, rows ? NEY_OK : ney_no_memory(err, size, "ranks"), err);
    if (st != NEY_OK || !rows) {
        ney_release(&b->env, rows);
        return st;
    }
    rows[ney_comm_rank(b->comm)] = b->begin[b->n];
    ney_comm_add_counts(b->comm, rows, size);
    b->first_row = b->rows = 0;
    for (int rank = 0; rank < size; rank++) {
        b->first_row += rank < ney_comm_rank(b->comm) ? rows[rank] : 0;
        b->rows += rows[rank];
    }
    ney_release(&b->env, rows);
    return NEY_OK;
}

/* A structure for n blocks of this process. */
static ney_row_blocks *allocate(const ney_env *env, const ney_comm *comm, int64_t n)
{
    ney_row_blocks *const b = ney_alloc_zeroed(env, 1, sizeof *b);
    if (!b) {
        return NULL;
    }
    *b = (ney_row_blocks){.env = *env, .comm = comm, .n = n};
    b->begin = ney_alloc_zeroed(env, n + 1, sizeof *b->begin);
    b->first = ney_alloc_zeroed(env, ney_comm_size(comm) + 1, sizeof *b->first);
    if (!b->begin || !b->first) {
        ney_row_blocks_free(b);
        return NULL;
    }
    return b;
}

ney_status ney_row_blocks_new(ney_row_blocks **out, const ney_env *env, const ney_comm *comm,
                              const int64_t *size, int64_t n, ney_error *err)
{
    ney_row_blocks *const b = allocate(env, comm, n);
    *out = NULL;
    ney_status st = ney_comm_agree(comm, b ? NEY_OK : ney_no_memory(err, n, "blocks"), err);
    if (st != NEY_OK || !b) {
        ney_row_blocks_free(b);
        return st;
    }
    for (int64_t k = 0; k < n; k++) {
        b->begin[k + 1] = b->begin[k] + size[k];
    }
    b->first[ney_comm_rank(comm) + 1] = n;
    ney_comm_add_counts(comm, b->first, ney_comm_size(comm) + 1);
    for (int rank = 0; rank < ney_comm_size(comm); rank++) {
        b->first[rank + 1] += b->first[rank];
    }
    if ((st = count_rows(b, err)) != NEY_OK) {
        ney_row_blocks_free(b);
        return st;
    }
    *out = b;
    return NEY_OK;
}

ney_status ney_row_blocks_take(ney_row_blocks **out, const ney_row_blocks *of, const int64_t *rows,
                               int64_t m, ney_error *err)
{
    *out = NULL;
    if (!of) {
        return NEY_OK;
    }
    ney_row_blocks *const b = allocate(&of->env, of->comm, of->n);
    ney_status st = ney_comm_agree(of->comm, b ? NEY_OK : ney_no_memory(err, of->n, "blocks"), err);
    if (st != NEY_OK || !b) {
        ney_row_blocks_free(b);
        return st;
    }
    memcpy(b->first, of->first, ((size_t)ney_comm_size(of->comm) + 1) * sizeof *b->first);
    for (int64_t block = 0, k = 0; block < of->n; block++) {
        while (k < m && rows[k] < of->begin[block + 1]) {
            k++;
        }
        b->begin[block + 1] = k;
    }
    if ((st = count_rows(b, err)) != NEY_OK) {
        ney_row_blocks_free(b);
        return st;
    }
    *out = b;
    return NEY_OK;
}

/* ---- the tree */

/* Whether a .. middle - 1 and middle .. b - 1 are the two halves of one node of the tree over n. */
static bool are_halves(int64_t n, int64_t a, int64_t middle, int64_t b)
{
    int64_t low = 0, high = n;
    while (high - low > 1) {
        const int64_t half = low + (high - low) / 2;
        if (low == a && high == b) {
            return half == middle;
        }
        if (a >= half) {
            low = half;
        } else if (b <= half) {
            high = half;
        } else {
            return false;
        }
    }
    return false;
}

static int64_t count_all_blocks(const ney_row_blocks *b)
{
    return b->first[ney_comm_size(b->comm)];
}

/* The nodes that blocks a .. b - 1 make up, in order; returns how many. */
static int list_nodes(int64_t low, int64_t high, int64_t a, int64_t b, int64_t *range)
{
    if (a >= high || b <= low || high == low) {
        return 0;
    }
    if (a <= low && b >= high) {
        range[0] = low;
        range[1] = high;
        return 1;
    }
    const int64_t half = low + (high - low) / 2;
    const int n = list_nodes(low, half, a, b, range);
    return n + list_nodes(half, high, a, b, range + 2 * n);
}

/* The sum of two nodes of k numbers in the first. Twofold: the second half of the numbers is what
 * the first half has lost by rounding. */
static void add_node(double *to, const double *from, int64_t k, bool twofold)
{
    const int64_t half = k / 2;
    for (int64_t i = 0; i < k && !twofold; i++) {
        to[i] += from[i];
    }
    for (int64_t i = 0; i < half && twofold; i++) {
        ney_sum_add(&to[i], &to[half + i], from[i]);
        to[half + i] += from[half + i];
    }
}

/* Whether the last two nodes are halves of one, which the sum then is. */
static bool join_last(const ney_row_blocks *b, double *node, int64_t *range, int *n, int64_t k,
                      bool twofold)
{
    if (*n < 2 ||
        !are_halves(count_all_blocks(b), range[2 * *n - 4], range[2 * *n - 2], range[2 * *n - 1])) {
        return false;
    }
    double *const to = node + (*n - 2) * k;
    add_node(to, to + k, k, twofold);
    range[2 * *n - 3] = range[2 * *n - 1];
    --*n;
    return true;
}

enum { MOST_NODES = 64 };

/* Sums of all processes go to the first along a binary tree of ranks, and from there to all. */
static void join_processes(const ney_row_blocks *b, double *node, int64_t *range, int *n, int64_t k,
                           bool twofold)
{
    const ney_comm *const comm = b->comm;
    const int64_t all = count_all_blocks(b);
    for (int step = 1; step < ney_comm_size(comm); step *= 2) {
        if (comm->rank % (2 * step) == step) {
            if (*n > 0) {
                comm->send(comm->state, comm->rank - step, node, *n * k * (int64_t)sizeof *node);
            }
            return;
        }
        const int other = comm->rank + step;
        if (other >= comm->size) {
            continue;
        }
        const int end = other + step < comm->size ? other + step : comm->size;
        int64_t theirs[2 * MOST_NODES];
        const int m = list_nodes(0, all, b->first[other], b->first[end], theirs);
        if (m > 0) {
            comm->receive(comm->state, other, node + *n * k, m * k * (int64_t)sizeof *node);
        }
        const double *from = node + *n * k;
        for (int i = 0; i < m; i++, from += k) {
            memmove(node + *n * k, from, (size_t)k * sizeof *node);
            memcpy(range + 2 * (int64_t)*n, theirs + 2 * (int64_t)i, 2 * sizeof *range);
            ++*n;
            while (join_last(b, node, range, n, k, twofold)) {
            }
        }
    }
}

static void join_all(const ney_row_blocks *b, double *node, int64_t *range, int n, double *sum,
                     int64_t k, bool twofold)
{
    join_processes(b, node, range, &n, k, twofold);
    if (ney_comm_rank(b->comm) == 0) {
        if (n == 1) {
            memcpy(sum, node, (size_t)k * sizeof *sum);
        } else {
            memset(sum, 0, (size_t)k * sizeof *sum);
        }
    }
    ney_comm_broadcast(b->comm, 0, sum, k * (int64_t)sizeof *sum);
}

/* ---- sums of a few numbers */

void ney_sum_blocks(const ney_row_blocks *b, const double *of_block, double *sum, int k)
{
    double node[2 * MOST_NODES * NEY_SUMS_MOST];
    int64_t range[4 * MOST_NODES];
    int n = 0;
    const int64_t first = b->first[ney_comm_rank(b->comm)];
    assert(k <= NEY_SUMS_MOST);
    for (int64_t block = 0; block < b->n; block++) {
        memcpy(node + n * k, of_block + block * k, (size_t)k * sizeof *node);
        range[2 * n] = first + block;
        range[2 * n + 1] = first + block + 1;
        n++;
        while (join_last(b, node, range, &n, k, false)) {
        }
    }
    join_all(b, node, range, n, sum, k, false);
}

void ney_sum_rows(const ney_row_blocks *b, int64_t n, ney_rows_add *add, void *context, double *sum,
                  int k)
{
    double node[2 * MOST_NODES * NEY_SUMS_MOST];
    int64_t range[4 * MOST_NODES];
    int m = 0;
    assert(k <= NEY_SUMS_MOST);
    if (!b) {
        memset(sum, 0, (size_t)k * sizeof *sum);
        add(context, 0, n, sum);
        return;
    }
    for (int64_t block = 0; block < b->n; block++) {
        memset(node + m * k, 0, (size_t)k * sizeof *node);
        add(context, b->begin[block], b->begin[block + 1], node + m * k);
        range[2 * m] = b->first[b->comm->rank] + block;
        range[2 * m + 1] = range[2 * m] + 1;
        m++;
        while (join_last(b, node, range, &m, k, false)) {
        }
    }
    join_all(b, node, range, m, sum, k, false);
}

/* ---- sums of many numbers */

bool ney_block_sums_init(ney_block_sums *s, const ney_row_blocks *b, int64_t k)
{
    int64_t most = 2; /* nodes of a process and of one that it receives from */
    for (int64_t n = count_all_blocks(b); n > 0; n /= 2) {
        most += b->comm->size > 1 ? 4 : 1;
    }
    *s = (ney_block_sums){.blocks = b, .k = k, .cap = most};
    s->node = ney_alloc(&b->env, most * k, sizeof *s->node);
    ney_block_sums_clear(s);
    return s->node;
}

void ney_block_sums_deinit(ney_block_sums *s)
{
    if (s->blocks) {
        ney_release(&s->blocks->env, s->node);
    }
    *s = (ney_block_sums){0};
}

void ney_block_sums_clear(ney_block_sums *s)
{
    s->next = s->blocks->first[s->blocks->comm->rank];
    s->n = 0;
}

/* The last two nodes as one while they are halves of one. */
static void join_sums(ney_block_sums *s)
{
    while (s->n > 1 && are_halves(count_all_blocks(s->blocks), s->range[2 * s->n - 4],
                                  s->range[2 * s->n - 2], s->range[2 * s->n - 1])) {
        double *const to = s->node + (s->n - 2) * s->k;
        if (s->empty[s->n - 2] && !s->empty[s->n - 1]) {
            memcpy(to, to + s->k, (size_t)s->k * sizeof *to);
        } else if (!s->empty[s->n - 1]) {
            add_node(to, to + s->k, s->k, s->twofold);
        }
        s->empty[s->n - 2] = s->empty[s->n - 2] && s->empty[s->n - 1];
        s->range[2 * s->n - 3] = s->range[2 * s->n - 1];
        s->n--;
    }
}

static void add_block(ney_block_sums *s, const double *of_block)
{
    assert(s->n < s->cap && s->n < MOST_NODES);
    if (of_block && of_block != s->node + s->n * s->k) {
        memcpy(s->node + s->n * s->k, of_block, (size_t)s->k * sizeof *s->node);
    }
    s->empty[s->n] = !of_block;
    s->range[2 * s->n] = s->next;
    s->range[2 * s->n + 1] = ++s->next;
    s->n++;
    join_sums(s);
}

double *ney_block_sums_memory(const ney_block_sums *s)
{
    double *const node = s->node + s->n * s->k;
    memset(node, 0, (size_t)s->k * sizeof *node);
    return node;
}

void ney_block_sums_add(ney_block_sums *s, const double *of_block)
{
    add_block(s, of_block);
}

void ney_block_sums_skip(ney_block_sums *s)
{
    add_block(s, NULL);
}

void ney_block_sums_finish(ney_block_sums *s, double *sum)
{
    int64_t range[4 * MOST_NODES];
    for (int k = 0; k < s->n; k++) {
        if (s->empty[k]) {
            memset(s->node + k * s->k, 0, (size_t)s->k * sizeof *s->node);
        }
    }
    memcpy(range, s->range, (size_t)(2 * s->n) * sizeof *range);
    join_all(s->blocks, s->node, range, s->n, sum, s->k, s->twofold);
}
