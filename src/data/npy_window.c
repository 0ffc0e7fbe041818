#include "data/npy_window.h"

#include <string.h>

/* Bytes of a window of dense rows: at least one row. Rows of a sparse matrix. */
#ifdef NEY_FUZZING
enum { WINDOW_BYTES = 1 << 10, SPARSE_ROWS = 8 };
#else
enum { WINDOW_BYTES = 1 << 21, SPARSE_ROWS = 1 << 12 };
#endif

enum { FIRST_STEP = 1 << 16 }; /* bytes of a pipe that are waited for at once; then twice as many */

static void add_part(ney_npy_window *w, ney_npy_part *part, ney_npz_stream *bytes)
{
    part->present = true;
    w->part[w->n_parts++] = (ney_npy_window_part){.part = part, .bytes = bytes};
}

void ney_npy_window_deinit(ney_npy_window *w)
{
    for (int k = 0; k < w->n_parts; k++) {
        ney_npz_stream_close(w->part[k].bytes);
        ney_release(&w->in->env, w->part[k].values);
        w->part[k].part->array.values = NULL;
    }
    ney_release(&w->in->env, w->start);
    w->n_parts = 0;
    w->start = NULL;
}

/* ---- one array */

/* `want` bytes without taking them, or all where there are fewer; a pipe may need several calls. */
static ney_status peek_at_least(ney_source *source, int64_t want, const char **bytes, int64_t *n,
                                ney_error *err)
{
    ney_status st = NEY_OK;
    int64_t before;
    *n = 0;
    do {
        before = *n;
        st = ney_source_peek(source, want, bytes, n, err);
    } while (st == NEY_OK && *n<want && * n> before);
    return st;
}

/* Memory is in proportion to what there is, not to what the header announces: a file has all of the
 * bytes, and of a pipe the first row has arrived. */
static ney_status check_announced(const ney_npy_window *w, int64_t wanted, ney_error *err)
{
    const ney_npy *const x = &w->in->x.array;
    const bool is_file = ney_source_has_places(w->source) && ney_source_total(w->source) > 0;
    const bool is_possible = wanted < INT64_MAX;
    const int64_t needed = is_file || !is_possible || x->shape[0] < 1 ? 0 : wanted / x->shape[0];
    const char *bytes;
    int64_t n = w->header_bytes, more = 1;
    while (more > 0 && n - w->header_bytes < needed) {
        const int64_t before = n, left = needed - (n - w->header_bytes);
        const int64_t step = left < n + FIRST_STEP ? left : n + FIRST_STEP;
        const ney_status st = peek_at_least(w->source, n + step, &bytes, &n, err);
        if (st != NEY_OK) {
            return st;
        }
        more = n - before;
    }
    const int64_t found = (is_file ? ney_source_total(w->source) : n) - w->header_bytes;
    return is_possible && (is_file ? found == wanted : found >= needed)
               ? NEY_OK
               : ney_npy_fail_length(w->in->file, NULL, w->header_bytes, found, wanted, err);
}

static ney_status open_array(ney_npy_window *w, ney_error *err)
{
    const char *bytes = NULL;
    int64_t n = 0, wanted = 0;
    ney_status st = peek_at_least(w->source, NEY_NPY_FIRST_BYTES, &bytes, &n, err);
    if (st == NEY_OK && n >= NEY_NPY_FIRST_BYTES) {
        st = peek_at_least(w->source, ney_npy_header_bytes(bytes), &bytes, &n, err);
    }
    if (st == NEY_OK) {
        st = ney_npy_parse_header(&w->in->x.array, w->in->file, NULL, bytes, n, &w->header_bytes,
                                  &wanted, err);
    }
    if (st == NEY_OK && (st = check_announced(w, wanted, err)) == NEY_OK) {
        add_part(w, &w->in->x, NULL);
    }
    return st;
}

static ney_status skip_header(const ney_npy_window *w, ney_error *err)
{
    char scratch[1 << 10];
    ney_status st = NEY_OK;
    for (int64_t left = w->header_bytes, got = 1; st == NEY_OK && left > 0 && got > 0;
         left -= got) {
        const int64_t most = (int64_t)sizeof scratch;
        st = ney_source_read(w->source, scratch, left < most ? left : most, &got, err);
    }
    return st;
}

/* ---- an archive */

static ney_status read_header(ney_npy *a, const char *file, const char *name, ney_npz_stream *bytes,
                              const ney_env *env, ney_error *err)
{
    unsigned char first[NEY_NPY_FIRST_BYTES], *all = NULL;
    const int64_t size = ney_npz_stream_left(bytes);
    const int64_t n_first = size < NEY_NPY_FIRST_BYTES ? size : NEY_NPY_FIRST_BYTES;
    ney_status st = ney_npz_stream_read(bytes, first, n_first, err);
    const int64_t n = st == NEY_OK ? ney_npy_header_within(first, size) : 0;
    if (st == NEY_OK && !(all = ney_alloc(env, n, 1))) {
        st = ney_no_memory(err, n, "bytes of a header");
    }
    if (st == NEY_OK) {
        memcpy(all, first, (size_t)n_first);
        st = ney_npz_stream_read(bytes, all + n_first, n - n_first, err);
    }
    if (st == NEY_OK) {
        st = ney_npy_check_header(a, file, name, all, n, size, err);
    }
    ney_release(env, all);
    return st;
}

static ney_status read_whole(ney_npy_part *part, ney_npz_stream *bytes, const ney_env *env,
                             ney_error *err)
{
    const int64_t n = ney_npz_stream_left(bytes);
    if (!(part->own = ney_alloc(env, n + 1, 1))) {
        return ney_no_memory(err, n, "bytes of an array");
    }
    part->array.values = part->own;
    part->present = true;
    return ney_npz_stream_read(bytes, part->own, n, err);
}

/* An array by its names: with a value per row or entry, or of a few values, which are read. */
static ney_status open_member(ney_npy_window *w, const char *names, ney_npy_part *part, bool whole,
                              ney_error *err)
{
    const ney_npy_arrays *const in = w->in;
    const ney_npz_member *const m = ney_npz_find_first(&in->archive, names);
    ney_npz_stream *bytes = NULL;
    if (!m) {
        return NEY_OK;
    }
    ney_status st = ney_npz_stream_open(&bytes, &in->archive, m, err);
    if (st == NEY_OK) {
        st = read_header(&part->array, in->file, m->name, bytes, &in->env, err);
    }
    if (st == NEY_OK && !whole) {
        add_part(w, part, bytes);
        return NEY_OK;
    }
    if (st == NEY_OK) {
        st = read_whole(part, bytes, &in->env, err);
    }
    ney_npz_stream_close(bytes);
    return st;
}

static ney_status open_archive(ney_npy_window *w, ney_error *err)
{
    ney_npy_arrays *const in = w->in;
    const struct {
        const char *names;
        ney_npy_part *part;
        bool whole;
    } all[] = {{"format", &in->form, true},       {"shape", &in->shape, true},
               {NEY_NPY_NAMES, &in->names, true}, {"indptr", &in->indptr, false},
               {"indices", &in->indices, false},  {NEY_NPY_X, &in->x, false},
               {NEY_NPY_Y, &in->y, false},        {NEY_NPY_WEIGHT, &in->weight, false},
               {"data", &in->data, false}};
    ney_status st = ney_npz_open_source(&in->archive, &in->env, w->source, err);
    for (size_t k = 0; st == NEY_OK && k < sizeof all / sizeof *all; k++) {
        st = open_member(w, all[k].names, all[k].part, all[k].whole, err);
    }
    return st;
}

/* ---- opening */

/* A dense array called data becomes x; arrays that are not used are closed. */
static void arrange_parts(ney_npy_window *w)
{
    ney_npy_arrays *const in = w->in;
    const bool had_x = in->x.present;
    ney_npy_arrays_arrange(in);
    for (int k = 0; k < w->n_parts; k++) {
        ney_npy_window_part *const p = &w->part[k];
        p->part = p->part == &in->data && !had_x && in->x.present ? &in->x : p->part;
        const bool used = in->sparse ? p->part != &in->x : p->part != &in->data;
        if (!used) {
            p->part->array.values = NULL;
            ney_npz_stream_close(p->bytes);
            *p = w->part[--w->n_parts];
            k--;
        }
    }
}

static bool size_parts(ney_npy_window *w)
{
    const ney_npy_arrays *const in = w->in;
    const ney_npy *const x = &in->x.array;
    for (int k = 0; k < w->n_parts; k++) {
        ney_npy_window_part *const p = &w->part[k];
        const bool by_entry = p->part == &in->data || p->part == &in->indices;
        const int64_t width = p->part == &in->x ? x->shape[1] : 1;
        p->row_bytes = by_entry ? 0 : width * p->part->array.item;
    }
    w->rows = w->rows_left = in->rows;
    w->total = in->data.array.n;
    w->indptr = in->indptr.array;
    if (in->sparse) {
        w->most_rows = SPARSE_ROWS;
        return true;
    }
    const int64_t row_bytes = x->shape[1] * x->item;
    w->most_rows = row_bytes > 0 && row_bytes < WINDOW_BYTES ? WINDOW_BYTES / row_bytes : 1;
    return row_bytes > 0 && row_bytes < (int64_t)1 << 32 && (!x->fortran || x->shape[1] == 1);
}

ney_status ney_npy_window_open(ney_npy_window *w, ney_npy_arrays *in, ney_source *source,
                               ney_format format, bool *in_order, ney_error *err)
{
    const bool archive = format == NEY_FORMAT_NPZ;
    *w = (ney_npy_window){.in = in, .source = source};
    *in_order = !archive || ney_source_has_places(source);
    if (!*in_order) {
        return NEY_OK;
    }
    ney_status st = archive ? open_archive(w, err) : open_array(w, err);
    if (st == NEY_OK) {
        arrange_parts(w);
        st = ney_npy_arrays_check(in, err);
    }
    *in_order = st == NEY_OK && size_parts(w);
    return st;
}

/* ---- windows */

static bool reserve(ney_npy_window *w, ney_npy_window_part *p, int64_t bytes)
{
    const bool there = ney_grow(&w->in->env, &p->values, &p->cap, bytes + 1, 1);
    p->part->array.values = p->values;
    return there;
}

/* Exactly n values of a part of an archive. */
static ney_status read_values(ney_npy_window *w, ney_npy_window_part *p, int64_t n, ney_error *err)
{
    ney_npy *const a = &p->part->array;
    const int64_t bytes = p->row_bytes > 0 ? n * p->row_bytes : n * a->item;
    if (bytes > ney_npz_stream_left(p->bytes) || !reserve(w, p, bytes)) {
        return ney_no_memory(err, n, "values of an array");
    }
    a->n = bytes / a->item;
    a->shape[0] = n;
    return ney_npz_stream_read(p->bytes, p->values, bytes, err);
}

/* Where rows begin among the entries of the window; w->entries are before it. */
static ney_status find_starts(ney_npy_window *w, int64_t rows, ney_error *err)
{
    const int64_t total = w->total;
    ney_npy *const a = &w->in->indptr.array;
    w->start[0] = 0;
    for (int64_t r = 0; r < rows; r++) {
        const int64_t end = ney_npy_integer(a, r);
        if (end < w->entries + w->start[r] || end > total) {
            return ney_npy_fail_start(w->in->file, end, w->rows - w->rows_left + r + 1, total, err);
        }
        w->start[r + 1] = end - w->entries;
    }
    *a = (ney_npy){.kind = NEY_NPY_INT,
                   .item = (int64_t)sizeof *w->start,
                   .dims = 1,
                   .shape = {rows + 1, 1},
                   .n = rows + 1,
                   .values = (const unsigned char *)w->start};
    return NEY_OK;
}

/* The first number of indptr comes before those of the rows. */
static ney_status begin_sparse(ney_npy_window *w, ney_npy_window_part *p, ney_error *err)
{
    if (!(w->start = ney_alloc(&w->in->env, w->most_rows + 1, sizeof *w->start))) {
        return ney_no_memory(err, w->most_rows, "rows");
    }
    const ney_status st = read_values(w, p, 1, err);
    return st == NEY_OK && ney_npy_integer(&p->part->array, 0) != 0
               ? ney_npy_fail_start(w->in->file, ney_npy_integer(&p->part->array, 0), 0, w->total,
                                    err)
               : st;
}

ney_status ney_npy_window_begin(ney_npy_window *w, ney_error *err)
{
    if (w->in->archive.source == NULL) {
        return reserve(w, &w->part[0], w->most_rows * w->part[0].row_bytes)
                   ? skip_header(w, err)
                   : ney_no_memory(err, w->most_rows, "rows");
    }
    for (int k = 0; k < w->n_parts; k++) {
        if (w->part[k].part == &w->in->indptr) {
            return begin_sparse(w, &w->part[k], err);
        }
    }
    return NEY_OK;
}

/* At least one whole row of one array, or what there is of it at the end. */
static ney_status fill(ney_npy_window *w, ney_error *err)
{
    ney_npy_window_part *const p = &w->part[0];
    const int64_t capacity = w->most_rows * p->row_bytes;
    int64_t got = 1;
    memmove(p->values, p->values + w->used, (size_t)(w->n_bytes - w->used));
    w->n_bytes -= w->used;
    w->used = 0;
    while (w->n_bytes < p->row_bytes && got > 0) {
        const ney_status st = ney_source_read(w->source, (char *)p->values + w->n_bytes,
                                              capacity - w->n_bytes, &got, err);
        if (st != NEY_OK) {
            return st;
        }
        w->n_bytes += got;
    }
    return NEY_OK;
}

static ney_status next_of_array(ney_npy_window *w, ney_error *err)
{
    ney_npy *const a = &w->in->x.array;
    const int64_t row_bytes = w->part[0].row_bytes;
    const ney_status st = fill(w, err);
    if (st != NEY_OK) {
        return st;
    }
    const int64_t there = w->n_bytes / row_bytes,
                  rows = there < w->rows_left ? there : w->rows_left;
    if (rows == 0 && (w->n_bytes > 0 || w->rows_left > 0)) {
        return ney_npy_fail_length(w->in->file, NULL, w->header_bytes, w->taken + w->n_bytes,
                                   w->taken + w->rows_left * row_bytes, err);
    }
    w->used = rows * row_bytes;
    w->taken += w->used;
    a->shape[0] = w->in->rows = rows;
    a->n = rows * a->shape[1];
    return NEY_OK;
}

/* The entries of the rows of a sparse matrix, whose part of indptr has been read. */
static ney_status read_entries(ney_npy_window *w, int64_t rows, ney_error *err)
{
    ney_status st = find_starts(w, rows, err);
    for (int k = 0; k < w->n_parts && st == NEY_OK; k++) {
        if (w->part[k].row_bytes == 0) {
            st = read_values(w, &w->part[k], w->start[rows], err);
        }
    }
    w->entries += w->start[rows];
    return st;
}

static ney_status next_of_archive(ney_npy_window *w, ney_error *err)
{
    const int64_t rows = w->rows_left < w->most_rows ? w->rows_left : w->most_rows;
    ney_status st = NEY_OK;
    w->in->rows = rows;
    if (rows == 0) {
        return NEY_OK;
    }
    w->in->indptr.array = w->indptr;
    for (int k = 0; k < w->n_parts && st == NEY_OK; k++) {
        if (w->part[k].row_bytes > 0) {
            st = read_values(w, &w->part[k], rows, err);
        }
    }
    return st == NEY_OK && w->in->sparse ? read_entries(w, rows, err) : st;
}

ney_status ney_npy_window_next(ney_npy_window *w, ney_error *err)
{
    const ney_status st = w->in->archive.source ? next_of_archive(w, err) : next_of_array(w, err);
    if (st != NEY_OK) {
        return st;
    }
    w->rows_left -= w->in->rows;
    return ney_poll(&w->in->env, "reading", (double)(w->rows - w->rows_left), (double)w->rows)
               ? NEY_OK
               : ney_fail(err, NEY_ECANCELLED, "cancelled while reading");
}
