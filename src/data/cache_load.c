/* All of a cache as a data set. */
#include "base/parallel.h"
#include "data/apply_preprocessing.h"
#include "data/cache.h"
#include "data/limits.h"
#include "data/scale.h"
#include "data/table.h"

#include <string.h>

typedef struct loading {
    const ney_cache *cache;
    ney_data *data;
    int64_t first, n;      /* blocks */
    int64_t first_row;     /* of the first */
    int64_t *first_entry;  /* of each block */
    ney_block_outcome *of; /* each block */
} loading;

static void load_sparse(ney_data *d, const ney_block *b, int64_t first, int64_t entry)
{
    int64_t *start = d->start + first + 1;
    for (int64_t i = 0; i < b->x.rows; i++) {
        if (b->x.dense) {
            const float *row = b->x.dense + i * b->x.cols;
            for (int64_t c = 0; c < b->x.cols; c++) {
                if (row[c] != 0) {
                    d->index[entry] = (int32_t)c;
                    d->value[entry++] = row[c];
                }
            }
        } else {
            const int64_t from = b->x.start[i], n = b->x.start[i + 1] - from;
            memcpy(d->index + entry, b->x.index + from, (size_t)n * sizeof *d->index);
            memcpy(d->value + entry, b->x.value + from, (size_t)n * sizeof *d->value);
            entry += n;
        }
        start[i] = entry;
    }
}

static void load_dense(ney_data *d, const ney_block *b, int64_t first)
{
    for (int64_t i = 0; i < b->x.rows; i++) {
        float *row = d->value + (first + i) * d->x.cols;
        memset(row, 0, (size_t)d->x.cols * sizeof *row);
        if (b->x.dense) {
            memcpy(row, b->x.dense + i * b->x.cols, (size_t)b->x.cols * sizeof *row);
        } else {
            for (int64_t k = b->x.start[i]; k < b->x.start[i + 1]; k++) {
                row[b->x.index[k]] = b->x.value[k];
            }
        }
    }
}

/* Entries of a dense block that are not zero: the table's count must be right for them to fit. */
static bool counts_fit(const ney_block *b, int64_t entries)
{
    int64_t n = 0;
    for (int64_t k = 0; b->x.dense && k < b->x.rows * b->x.cols; k++) {
        n += b->x.dense[k] != 0;
    }
    return !b->x.dense || n == entries;
}

static void place_block(const loading *l, int64_t k, const ney_block *b)
{
    ney_data *d = l->data;
    const int64_t first = b->first_row - l->first_row;
    for (int64_t i = 0; d->label && i < b->x.rows; i++) {
        d->label[first + i] = l->cache->header->sign[b->label[i]];
    }
    if (d->weight && b->weight) {
        memcpy(d->weight + first, b->weight, (size_t)b->x.rows * sizeof *b->weight);
    }
    if (d->x.dense) {
        load_dense(d, b, first);
    } else {
        load_sparse(d, b, first, l->first_entry[k]);
    }
}

static void load_block(void *context, int64_t k, int thread)
{
    loading *l = context;
    const ney_data *d = l->data;
    char *bytes = NULL;
    int64_t cap = 0;
    ney_block b;
    (void)thread;

    ney_block_outcome o = ney_cache_read_block(l->cache, l->first + k, &bytes, &cap, &b);
    if (o.status == NEY_OK && !o.fault && !d->x.dense &&
        !counts_fit(&b, l->cache->entry[l->first + k].entries)) {
        o.fault = "a block has another number of entries";
    }
    l->of[k] = o;
    if (o.status == NEY_OK && !o.fault) {
        place_block(l, k, &b);
    }
    ney_release(&l->cache->env, bytes);
}

static ney_status allocate(loading *l, const ney_env *env, ney_error *err)
{
    const ney_cache_header *h = l->cache->header;
    const ney_cache_entry *const entry = l->cache->entry + l->first;
    ney_data *d = l->data = ney_alloc_zeroed(env, 1, sizeof *d);
    int64_t rows = 0, entries = 0;
    if (!d) {
        return ney_no_memory(err, 1, "data set");
    }
    d->env = *env;
    l->first_row = l->n > 0 ? entry[0].first_row : 0;
    l->first_entry = ney_alloc(env, l->n, sizeof *l->first_entry);
    l->of = ney_alloc_zeroed(env, l->n, sizeof *l->of);
    for (int64_t k = 0; l->first_entry && k < l->n; k++) {
        l->first_entry[k] = entries;
        entries += entry[k].entries;
        rows += entry[k].rows;
    }
    const bool dense = ney_dense_is_smaller(rows, h->cols, entries);
    d->value = ney_alloc(env, dense ? rows * h->cols : entries, sizeof *d->value);
    if (!dense) {
        d->start = ney_alloc(env, rows + 1, sizeof *d->start);
        d->index = ney_alloc(env, entries, sizeof *d->index);
    }
    d->label = h->labelled ? ney_alloc(env, rows, sizeof *d->label) : NULL;
    d->weight = h->weighted ? ney_alloc(env, rows, sizeof *d->weight) : NULL;
    if (!l->first_entry || !l->of || !d->value || (!dense && (!d->start || !d->index)) ||
        (h->labelled && !d->label) || (h->weighted && !d->weight)) {
        return ney_no_memory(err, rows, "rows");
    }
    if (!dense) {
        d->start[0] = 0;
    }
    ney_data_refresh(d, rows, h->cols);
    return NEY_OK;
}

static ney_status load_notes(const loading *l, ney_error *err)
{
    const ney_cache *const c = l->cache;
    ney_data *const d = l->data;
    ney_text text;
    char *block = NULL;
    int64_t cap = 0;
    ney_status st = NEY_OK;
    ney_text_init(&text, &d->env);
    for (int64_t k = l->first; k < l->first + l->n && st == NEY_OK; k++) {
        if ((st = ney_cache_notes(c, k, &block, &cap, err)) == NEY_OK) {
            ney_text_add(&text, block, c->entry[k].notes);
        }
    }
    ney_release(&d->env, block);
    int64_t lines = 0;
    bool nul = false;
    for (int64_t i = 0; i < text.length; i++) {
        lines += text.bytes[i] == '\n';
        nul = nul || text.bytes[i] == '\0';
    }
    d->notes = text.bytes;
    d->n_notes = text.length;
    if (st != NEY_OK) {
        return st;
    }
    if (text.failed) {
        return ney_no_memory(err, text.length, "bytes of notes");
    }
    if (nul || lines != d->x.rows || (lines > 0 && text.bytes[text.length - 1] != '\n')) {
        return ney_cache_damaged(c, "it does not have one line of notes per row", err);
    }
    return NEY_OK;
}

static ney_status load(loading *l, ney_error *err)
{
    const ney_cache *const c = l->cache;
    ney_status st = allocate(l, &c->env, err);
    if (st != NEY_OK) {
        return st;
    }
    ney_parallel_for(&c->env, l->n, load_block, l);
    for (int64_t k = 0; k < l->n; k++) {
        if ((st = ney_cache_block_status(c, l->of[k], err)) != NEY_OK) {
            return st;
        }
    }
    if (c->header->noted && (st = load_notes(l, err)) != NEY_OK) {
        return st;
    }
    if (!c->header->labelled) {
        ney_fail_at(&l->data->no_label, NEY_EPARSE, (ney_place){.file = c->path},
                    "has no labels: convert labelled rows (for a table with --label COLUMN)");
    }
    return NEY_OK;
}

ney_status ney_cache_load_blocks(ney_data **out, const ney_cache *c, int64_t first, int64_t n,
                                 ney_error *err)
{
    loading l = {.cache = c, .first = first, .n = n};
    const ney_status st = load(&l, err);
    ney_release(&c->env, l.first_entry);
    ney_release(&c->env, l.of);
    *out = NULL;
    if (st == NEY_OK) {
        *out = l.data;
    } else {
        ney_data_free(l.data);
    }
    return st;
}

ney_status ney_cache_choose_positive(const char *path, ney_preprocessing *r, const char *positive,
                                     bool *exchanged, ney_error *err)
{
    const ney_label wanted = ney_label_of(positive, (int)strlen(positive), 0);
    bool is[2] = {false, false};
    for (int i = 0; i < 2; i++) {
        const char *name = r->label[i];
        const ney_label own = ney_label_of(name ? name : "", name ? (int)strlen(name) : 0, 0);
        is[i] = name && ney_label_equal(&wanted, &own);
    }
    if (!is[0] && !is[1] && r->label[0] && r->label[1]) {
        return ney_fail_at(err, NEY_EPARSE, (ney_place){.file = path},
                           "has labels '%.40s' and '%.40s', expected '%.40s' among them as the "
                           "positive one",
                           r->label[0], r->label[1], positive);
    }
    const bool lone_other = !is[0] && !is[1] && r->label[1]; /* a single class, and not that one */
    *exchanged = is[0] || lone_other;
    if (*exchanged) {
        char *kept = r->label[0];
        r->label[0] = r->label[1];
        r->label[1] = kept;
    }
    return NEY_OK;
}

/* The column of that name is among the notes. */
static bool is_noted(const ney_cache *c, const char *name)
{
    const char *const names = c->header->noted ? c->preprocessing->note_columns : NULL;
    const char *at = names ? names : "";
    for (size_t n; *at; at += n + (at[n] == '\t')) {
        n = strcspn(at, "\t");
        if (strlen(name) == n && memcmp(at, name, n) == 0) {
            return true;
        }
    }
    return false;
}

static ney_status name_note(ney_cache *c, const char *option, const char *name, char **column,
                            ney_error *err)
{
    char *copy;
    if (!name || (*column && strcmp(*column, name) == 0)) {
        return NEY_OK;
    }
    if (!is_noted(c, name)) {
        return ney_fail_at(err, NEY_EINVAL, (ney_place){.file = c->path},
                           "is a cache without the column '%.60s': name it under --%s of 'neyman "
                           "convert'",
                           name, option);
    }
    if (!(copy = ney_strdup(&c->preprocessing->env, name, strlen(name)))) {
        return ney_no_memory(err, 1, "column name");
    }
    ney_release(&c->preprocessing->env, *column);
    *column = copy;
    return NEY_OK;
}

/* Columns of the option keep instead of those that the cache keeps. */
static ney_status keep_notes(ney_cache *c, const char *names, ney_error *err)
{
    ney_preprocessing *const p = c->preprocessing;
    char name[NEY_COLUMN_NAME], *kept = NULL;
    ney_text all;
    ney_status st = NEY_OK;

    ney_text_init(&all, &p->env);
    while (st == NEY_OK && ney_table_next_name(&names, name) && !ney_table_is_optional(name)) {
        st = name_note(c, "keep", name, &kept, err);
        ney_text_put(&all, all.length > 0 ? "\t" : "");
        ney_text_put(&all, name);
    }
    ney_release(&p->env, kept);
    if (st == NEY_OK && all.failed) {
        st = ney_no_memory(err, 1, "column names");
    }
    if (st != NEY_OK) {
        ney_text_deinit(&all);
        return st;
    }
    ney_release(&p->env, p->kept_columns);
    p->kept_columns = all.bytes;
    return NEY_OK;
}

ney_status ney_cache_name_notes(ney_cache *c, const ney_read_opts *opts, ney_error *err)
{
    ney_preprocessing *const p = c->preprocessing;
    ney_status st = name_note(c, "id", opts->id, &p->id_column, err);
    if (st == NEY_OK) {
        st = name_note(c, "group", opts->group, &p->group_column, err);
    }
    return st == NEY_OK && ney_table_required(opts->keep) ? keep_notes(c, opts->keep, err) : st;
}

/* What the options ask of data that no model's preprocessing is given for. */
static ney_status apply_opts(ney_data *d, const ney_read_opts *opts, const char *path,
                             ney_error *err)
{
    ney_preprocessing *r = d->preprocessing;
    if (opts->missing != NEY_MISSING_KEEP && opts->missing != NEY_MISSING_ERROR && !r->prepared &&
        !ney_preprocessing_set_missing(r, opts->missing)) {
        return ney_no_memory(err, r->cols, "columns to fill");
    }
    ney_status st = r->prepared ? ney_column_fit_remember(d, r->scaling, NULL, 0, err) : NEY_OK;
    if (st != NEY_OK || !opts->positive || !d->label) {
        return st;
    }
    bool exchanged = false;
    st = ney_cache_choose_positive(path, r, opts->positive, &exchanged, err);
    for (int64_t i = 0; exchanged && i < d->x.rows; i++) {
        d->label[i] = (int8_t)-d->label[i];
    }
    return st;
}

ney_status ney_cache_check_columns(const ney_cache *c, const ney_read_opts *opts,
                                   const ney_preprocessing *given, ney_error *err)
{
    return ney_check_columns(opts, c->header->cols, c->header->entries, given ? given->cols : 0,
                             (ney_place){.file = c->path}, err);
}

/* The blocks that rows first .. first + n - 1 lie in. */
static void find_blocks(const ney_cache *c, int64_t first, int64_t n, int64_t *block,
                        int64_t *n_blocks)
{
    int64_t k = 0;
    while (k < c->header->n_blocks && c->entry[k].first_row + c->entry[k].rows <= first) {
        k++;
    }
    *block = k;
    while (n > 0 && k < c->header->n_blocks && c->entry[k].first_row < first + n) {
        k++;
    }
    *n_blocks = k - *block;
}

/* The bytes of `lines` lines. */
static int64_t skip_lines(const char *notes, int64_t n_notes, int64_t lines)
{
    int64_t at = 0;
    for (; lines > 0 && at < n_notes; at++) {
        lines -= notes[at] == '\n';
    }
    return at;
}

/* Of the rows only `n` from `begin` on, in place. */
static void keep_rows(ney_data *d, int64_t begin, int64_t n)
{
    const int64_t from = d->start ? d->start[begin] : begin * d->x.cols;
    const int64_t cells = (d->start ? d->start[begin + n] : (begin + n) * d->x.cols) - from;
    int64_t value_cap = INT64_MAX, index_cap = INT64_MAX;
    memmove(d->value, d->value + from, (size_t)cells * sizeof *d->value);
    ney_trim(&d->env, &d->value, &value_cap, cells > 0 ? cells : 1, sizeof *d->value);
    if (d->start) {
        memmove(d->index, d->index + from, (size_t)cells * sizeof *d->index);
        ney_trim(&d->env, &d->index, &index_cap, cells > 0 ? cells : 1, sizeof *d->index);
        for (int64_t i = 0; i <= n; i++) {
            d->start[i] = d->start[begin + i] - from;
        }
    }
    if (d->label) {
        memmove(d->label, d->label + begin, (size_t)n * sizeof *d->label);
    }
    if (d->weight) {
        memmove(d->weight, d->weight + begin, (size_t)n * sizeof *d->weight);
    }
    if (d->notes) {
        const int64_t at = skip_lines(d->notes, d->n_notes, begin);
        d->n_notes = skip_lines(d->notes + at, d->n_notes - at, n);
        memmove(d->notes, d->notes + at, (size_t)d->n_notes);
    }
    ney_data_refresh(d, n, d->x.cols);
}

/* What follows the rows: preprocessing and options. */
static ney_status finish_loading(ney_cache *c, ney_data *d, const ney_read_opts *opts,
                                 const ney_preprocessing *given, ney_error *err)
{
    const ney_status st = ney_cache_name_notes(c, opts, err);
    if (st != NEY_OK) {
        return st;
    }
    d->preprocessing = c->preprocessing;
    c->preprocessing = NULL;
    return given ? ney_error_in(err, ney_preprocessing_apply(d, given, NEY_ORIGIN_CACHE, err),
                                c->path)
                 : apply_opts(d, opts, c->path, err);
}

ney_status ney_cache_load_share(ney_data **out, const ney_env *env, const char *path,
                                const ney_read_opts *opts, const ney_preprocessing *given,
                                ney_cache_share *share, void *context, ney_error *err)
{
    ney_cache *c;
    ney_data *d = NULL;
    ney_status st = ney_cache_open(&c, env, path, err);
    *out = NULL;
    if (st != NEY_OK) {
        return st;
    }
    int64_t first = 0, n = c->header->rows, block = 0, n_blocks = c->header->n_blocks;
    if (share) {
        share(context, c->header, &first, &n);
        find_blocks(c, first, n, &block, &n_blocks);
    }
    if ((st = ney_cache_check_columns(c, opts, given, err)) == NEY_OK &&
        (st = ney_cache_load_blocks(&d, c, block, n_blocks, err)) == NEY_OK) {
        if (n < d->x.rows) {
            keep_rows(d, first - c->entry[block].first_row, n);
        }
        st = finish_loading(c, d, opts, given, err);
    }
    ney_cache_close(c);
    if (st != NEY_OK) {
        ney_data_free(d);
        return st;
    }
    *out = d;
    return NEY_OK;
}

ney_status ney_cache_load(ney_data **out, const ney_env *env, const char *path,
                          const ney_read_opts *opts, const ney_preprocessing *given, ney_error *err)
{
    return ney_cache_load_share(out, env, path, opts, given, NULL, NULL, err);
}
