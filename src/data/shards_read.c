/* Reading the share of one process. */
#include "data/cache.h"
#include "data/reader.h"
#include "data/shards.h"

#include <string.h>

/* ---- several files as one data set */

static bool grow_to(ney_data *d, int64_t rows, int64_t cells, int64_t notes, bool weighted)
{
    int64_t value_cap = 0, index_cap = 0, start_cap = 0, label_cap = 0, weight_cap = 0,
            notes_cap = 0;
    const ney_env *const env = &d->env;
    bool fine = ney_grow(env, &d->value, &value_cap, cells + 1, sizeof *d->value);
    if (fine && d->start) {
        fine = ney_grow(env, &d->index, &index_cap, cells + 1, sizeof *d->index) &&
               ney_grow(env, &d->start, &start_cap, rows + 1, sizeof *d->start);
    }
    if (fine && d->label) {
        fine = ney_grow(env, &d->label, &label_cap, rows + 1, sizeof *d->label);
    }
    if (fine && weighted) {
        const bool had = d->weight != NULL;
        fine = ney_grow(env, &d->weight, &weight_cap, rows + 1, sizeof *d->weight);
        for (int64_t i = 0; fine && !had && i < d->x.rows; i++) {
            d->weight[i] = 1;
        }
    }
    return fine && (!d->notes || ney_grow(env, &d->notes, &notes_cap, notes + 1, 1));
}

/* The rows of `from` after those of d, which has the memory. */
static void append(ney_data *d, const ney_data *from)
{
    const int64_t n = d->x.rows, m = from->x.rows;
    const int64_t at = d->start ? d->start[n] : n * d->x.cols;
    const int64_t cells = from->start ? from->start[m] : m * from->x.cols;
    memcpy(d->value + at, from->value, (size_t)cells * sizeof *d->value);
    for (int64_t i = 0; d->start && i < m; i++) {
        d->start[n + i + 1] = at + from->start[i + 1];
    }
    if (d->start) {
        memcpy(d->index + at, from->index, (size_t)cells * sizeof *d->index);
    }
    if (d->label) {
        memcpy(d->label + n, from->label, (size_t)m * sizeof *d->label);
    }
    for (int64_t i = 0; d->weight && i < m; i++) {
        d->weight[n + i] = from->weight ? from->weight[i] : 1;
    }
    if (d->notes) {
        memcpy(d->notes + d->n_notes, from->notes, (size_t)from->n_notes);
        d->n_notes += from->n_notes;
    }
    ney_data_refresh(d, n + m, d->x.cols);
}

static int64_t count_cells(const ney_data *d)
{
    return d->start ? d->start[d->x.rows] : d->x.rows * d->x.cols;
}

ney_status ney_shards_join(ney_data **out, const ney_shards *s, ney_data **part, ney_error *err)
{
    const int64_t n = s->end - s->first;
    int64_t rows = 0, cells = 0, notes = 0;
    bool weighted = false;
    for (int64_t k = 0; k < n; k++) {
        rows += part[k]->x.rows;
        cells += count_cells(part[k]);
        notes += part[k]->n_notes;
        weighted = weighted || part[k]->weight;
    }
    if (n > 1 && !grow_to(part[0], rows, cells, notes, weighted)) {
        return ney_no_memory(err, rows, "rows");
    }
    for (int64_t k = 1; k < n; k++) {
        append(part[0], part[k]);
        ney_data_free(part[k]);
        part[k] = NULL;
    }
    *out = part[0];
    part[0] = NULL;
    return NEY_OK;
}

/* ---- storage */

/* All parts dense or all sparse: what takes less memory for the rows of all processes. */
static ney_status choose_storage(const ney_comm *comm, ney_data **part, int64_t n, ney_error *err)
{
    int64_t count[2] = {0, 0}; /* rows, entries that are not zero */
    bool fine = true;
    for (int64_t k = 0; k < n; k++) {
        const ney_data *const d = part[k];
        count[0] += d->x.rows;
        for (int64_t i = 0; i < count_cells(d); i++) {
            count[1] += d->value[i] != 0;
        }
    }
    ney_comm_add_counts(comm, count, 2);
    for (int64_t k = 0; k < n && fine; k++) {
        fine = ney_dense_is_smaller(count[0], part[k]->x.cols, count[1])
                   ? ney_data_to_dense(part[k])
                   : ney_data_to_sparse(part[k]);
    }
    return ney_comm_agree(comm, fine ? NEY_OK : ney_no_memory(err, count[0], "rows"), err);
}

/* ---- labels */

/* Either all rows have labels or none. */
static ney_status check_labelled(const ney_shards *s, ney_data **part, ney_error *err)
{
    const int64_t n = s->end - s->first;
    int64_t labelled = 0;
    ney_status st = NEY_OK;
    for (int64_t k = 0; k < n; k++) {
        labelled += part[k]->label != NULL;
    }
    ney_comm_add_counts(s->comm, &labelled, 1);
    for (int64_t k = 0; k < n && labelled > 0 && labelled < s->n && st == NEY_OK; k++) {
        if (!part[k]->label) {
            st = ney_data_unlabelled(part[k], err);
        }
    }
    return ney_comm_agree(s->comm, st, err);
}

/* ---- blocks */

/* Each file is cut by itself: blocks do not depend on who reads it. */
static ney_status cut_rows(ney_data *d, const ney_comm *comm, const int64_t *rows, int64_t n,
                           ney_error *err)
{
    int64_t all = 0, m = 0;
    for (int64_t k = 0; k < n; k++) {
        all += rows[k];
    }
    ney_comm_add_counts(comm, &all, 1);
    const int64_t size = ney_row_block_size(all, d->x.cols);
    for (int64_t k = 0; k < n; k++) {
        m += (rows[k] + size - 1) / size;
    }
    int64_t *const block = ney_alloc(&d->env, m, sizeof *block);
    ney_status st = ney_comm_agree(comm, block ? NEY_OK : ney_no_memory(err, m, "blocks"), err);
    m = 0;
    for (int64_t k = 0; k < n && st == NEY_OK; k++) {
        for (int64_t at = 0; at < rows[k]; at += size) {
            block[m++] = rows[k] - at < size ? rows[k] - at : size;
        }
    }
    if (st == NEY_OK) {
        st = ney_row_blocks_new(&d->blocks, &d->env, comm, block, m, err);
    }
    ney_release(&d->env, block);
    return st;
}

/* ---- one cache */

int64_t ney_shards_first_block(int64_t n, int rank, int size)
{
    enum { NODES = 8 }; /* of the tree for each process */
    int64_t parts = NODES;
    if (n < 2 * NODES * (int64_t)size) {
        return n * rank / size;
    }
    while (parts < NODES * (int64_t)size) {
        parts *= 2;
    }
    const int64_t part = (rank * parts + size / 2) / size;
    int64_t low = 0, high = n;
    if (part == parts) {
        return n;
    }
    for (int64_t bit = parts / 2; bit > 0; bit /= 2) {
        const int64_t half = low + (high - low) / 2;
        *((part & bit) != 0 ? &low : &high) = half;
    }
    return low;
}

/* Consecutive blocks of rows, the same number for each process as nearly as can be. */
static void share_rows(void *context, const ney_cache_header *h, int64_t *first, int64_t *n)
{
    const ney_comm *const comm = context;
    const int64_t size = ney_row_block_size(h->rows, h->cols), blocks = (h->rows + size - 1) / size;
    const int ranks = ney_comm_size(comm), rank = ney_comm_rank(comm);
    const int64_t begin = ney_shards_first_block(blocks, rank, ranks) * size;
    const int64_t end = ney_shards_first_block(blocks, rank + 1, ranks) * size;
    *first = begin < h->rows ? begin : h->rows;
    *n = (end < h->rows ? end : h->rows) - *first;
}

static ney_status read_cache(ney_data **out, const ney_shards *s, const char *path,
                             const ney_read_opts *opts, const ney_preprocessing *given,
                             ney_error *err)
{
    ney_data *d = NULL;
    ney_status st =
        ney_cache_load_share(&d, &s->env, path, opts, given, share_rows, (void *)s->comm, err);
    if ((st = ney_comm_agree(s->comm, st, err)) == NEY_OK &&
        (given || (st = choose_storage(s->comm, &d, 1, err)) == NEY_OK)) {
        st = cut_rows(d, s->comm, &d->x.rows, 1, err);
    }
    if (st != NEY_OK) {
        ney_data_free(d);
        d = NULL;
    }
    *out = d;
    return st;
}

/* ---- several files */

static ney_status read_parts(const ney_shards *s, ney_data **part, int64_t *rows,
                             const ney_read_opts *opts, const ney_preprocessing *given,
                             ney_error *err)
{
    ney_status st = NEY_OK;
    for (int64_t k = s->first; k < s->end && st == NEY_OK; k++) {
        char *const name = ney_shards_name(s, k);
        ney_data **const to = &part[k - s->first];
        st = name ? ney_data_read_with(to, &s->env, name, opts, given, err)
                  : ney_no_memory(err, 1, "name of a file");
        if (st == NEY_OK) {
            rows[k - s->first] = (*to)->x.rows;
        }
        ney_release(&s->env, name);
    }
    return ney_comm_agree(s->comm, st, err);
}

static ney_status read_files(ney_data **out, const ney_shards *s, const ney_read_opts *opts,
                             const ney_preprocessing *given, ney_error *err)
{
    const int64_t n = s->end - s->first;
    ney_data **const part = ney_alloc_zeroed(&s->env, n, sizeof *part);
    int64_t *const rows = ney_alloc_zeroed(&s->env, n, sizeof *rows);
    ney_data *d = NULL;
    ney_status st = part && rows ? NEY_OK : ney_no_memory(err, n, "files");

    *out = NULL;
    if ((st = ney_comm_agree(s->comm, st, err)) == NEY_OK &&
        (st = read_parts(s, part, rows, opts, given, err)) == NEY_OK &&
        (given || ((st = check_labelled(s, part, err)) == NEY_OK &&
                   (st = ney_shards_agree(s, part, opts->positive, err)) == NEY_OK &&
                   (st = choose_storage(s->comm, part, n, err)) == NEY_OK))) {
        st = ney_comm_agree(s->comm, ney_shards_join(&d, s, part, err), err);
    }
    if (st == NEY_OK) {
        st = cut_rows(d, s->comm, rows, n, err);
    }
    for (int64_t k = 0; part && k < n; k++) {
        ney_data_free(part[k]);
    }
    ney_release_all(&s->env, part, rows);
    if (st != NEY_OK) {
        ney_data_free(d);
        return st;
    }
    *out = d;
    return NEY_OK;
}

/* The format of the only file. */
static ney_status find_format(const ney_shards *s, const char *name, const ney_read_opts *opts,
                              bool with_model, ney_format *format, ney_error *err)
{
    ney_files *files = NULL;
    ney_status st = ney_open_input(&files, format, &s->env, name, opts, with_model, err);
    if (st == NEY_OK && *format == NEY_FORMAT_CACHE) {
        st = ney_refuse_packed_cache(files, name, err);
    }
    ney_files_close(files);
    return ney_comm_agree(s->comm, st, err);
}

static ney_status read_one(ney_data **out, const ney_shards *s, const ney_read_opts *opts,
                           const ney_preprocessing *given, ney_error *err)
{
    ney_format format = NEY_FORMAT_AUTO;
    char *const name = ney_shards_name(s, 0);
    ney_status st = name ? NEY_OK : ney_no_memory(err, 1, "name of a file");
    if ((st = ney_comm_agree(s->comm, st, err)) == NEY_OK &&
        (st = find_format(s, name, opts, given != NULL, &format, err)) == NEY_OK) {
        st = format == NEY_FORMAT_CACHE ? read_cache(out, s, name, opts, given, err)
             : ney_comm_size(s->comm) > 1
                 ? ney_fail_at(err, NEY_EINVAL, (ney_place){.file = name},
                               "is one file of text for %d processes: make a cache of it with "
                               "'neyman convert', of which each process reads its rows",
                               ney_comm_size(s->comm))
                 : read_files(out, s, opts, given, err);
    }
    ney_release(&s->env, name);
    return st;
}

ney_status ney_shards_check(const ney_shards *s, const char *path, ney_error *err)
{
    return s->n == 1 || s->n >= ney_comm_size(s->comm)
               ? NEY_OK
               : ney_fail_at(err, NEY_EINVAL, (ney_place){.file = path},
                             "names %lld files for %d processes, expected one at least for each: "
                             "start fewer processes, or make one cache of them with 'neyman "
                             "convert'",
                             (long long)s->n, ney_comm_size(s->comm));
}

ney_status ney_shards_read(ney_data **out, const ney_env *env, const char *path,
                           const ney_read_opts *opts, const ney_preprocessing *given,
                           ney_error *err)
{
    ney_shards s;
    *out = NULL;
    if (opts->decoys || strcmp(path, "-") == 0) {
        return ney_fail(err, NEY_EINVAL,
                        "%s cannot be shared out among processes: name files of labelled rows",
                        opts->decoys ? "files of --decoys" : "standard input");
    }
    ney_status st = ney_shards_init(&s, env, path, err);
    if (st == NEY_OK) {
        st = ney_shards_check(&s, path, err);
    }
    if (st == NEY_OK) {
        st = s.n == 1 ? read_one(out, &s, opts, given, err) : read_files(out, &s, opts, given, err);
    }
    ney_shards_deinit(&s);
    return st;
}
