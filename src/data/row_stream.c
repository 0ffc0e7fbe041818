/* The rows of a file as the features of a model, batch by batch: memory does not grow with the
 * number of rows. With several processes each holds a part of the rows: blocks of one cache, or
 * files one after another. */
#include "data/apply_preprocessing.h"
#include "data/builder.h"
#include "data/cache.h"
#include "data/npy_read.h"
#include "data/npy_stream.h"
#include "data/reader.h"
#include "data/scale.h"
#include "data/shards.h"

#include <string.h>

/* Text of a batch: rows of a few bytes take ten times as much memory as text. */
enum { TEXT_BATCH_BYTES = NEY_BATCH_BYTES / 2 };

/* Blocks of a cache that make a batch: at least one, and more up to CACHE_BATCH_BYTES. */
enum { CACHE_BATCH_BYTES = 1 << 22, CACHE_BATCH_BLOCKS = 16 };

struct ney_row_stream {
    ney_env env;
    const ney_preprocessing *given;   /* of the model; borrowed */
    ney_preprocessing *preprocessing; /* of the rows that are given out */
    ney_reader *reader;               /* of text; or else */
    ney_cache *cache;                 /* or */
    ney_npy_stream *array;            /* or */
    ney_data *whole;                  /* all rows, already features, until they are given out */
    char *path;
    ney_origin origin;
    int64_t next_block, end_block; /* of the cache */
    ney_shards shards;             /* several processes: the files of this one, */
    ney_read_opts opts;            /* how to read them, */
    int64_t next_file;
    ney_row_stream *part; /* and the one that is being read */
    bool live, ended, remarked;
    int64_t rows;       /* before the batch */
    ney_data *batch;    /* given out last; it borrows the preprocessing */
    ney_error no_label; /* why not every row has a label; NEY_OK: they do so far */
};

static void release_batch(ney_row_stream *s)
{
    if (s->batch) {
        s->rows += s->batch->x.rows;
        s->batch->preprocessing = NULL;
        ney_data_free(s->batch);
        s->batch = NULL;
    }
}

void ney_row_stream_close(ney_row_stream *s)
{
    if (s) {
        const ney_env env = s->env;
        release_batch(s);
        ney_row_stream_close(s->part);
        ney_shards_deinit(&s->shards);
        ney_reader_free(s->reader);
        ney_cache_close(s->cache);
        ney_npy_stream_close(s->array);
        ney_data_free(s->whole);
        ney_preprocessing_free(s->preprocessing);
        ney_release(&env, s->path);
        ney_release(&env, s);
    }
}

/* ------------------------------------------------------------------ opening */

static ney_status open_cache(ney_row_stream *s, const char *path, const ney_read_opts *opts,
                             ney_error *err)
{
    ney_status st;

    s->origin = NEY_ORIGIN_CACHE;
    if ((st = ney_cache_open(&s->cache, &s->env, path, err)) != NEY_OK ||
        (st = ney_cache_check_columns(s->cache, opts, s->given, err)) != NEY_OK ||
        (st = ney_cache_name_notes(s->cache, opts, err)) != NEY_OK) {
        return st;
    }
    s->end_block = s->cache->header->n_blocks;
    ney_remark_names(&s->env, s->given, s->cache->preprocessing->input != NULL);
    st = ney_preprocessing_of_rows(&s->preprocessing, &s->env, s->given, s->cache->preprocessing,
                                   err);
    return ney_error_in(err, st, path);
}

static ney_status open_text(ney_row_stream *s, ney_files *files, ney_format format,
                            const ney_read_opts *opts, bool single, ney_error *err)
{
    const ney_status st = ney_reader_new(&s->reader, &s->env, files, format, opts, s->given, err);

    s->origin = format == NEY_FORMAT_SVMLIGHT ? NEY_ORIGIN_SVMLIGHT : NEY_ORIGIN_TABLE;
    if (st != NEY_OK) {
        return st;
    }
    s->reader->lines.batch_bytes = TEXT_BATCH_BYTES;
    if (single) {
        ney_lines_flow_single(&s->reader->lines);
    } else if (s->live) {
        ney_lines_flow(&s->reader->lines);
    }
    ney_remark_names(&s->env, s->given, s->origin == NEY_ORIGIN_TABLE);
    return ney_preprocessing_of_rows(&s->preprocessing, &s->env, s->given, s->reader->preprocessing,
                                     err);
}

/* Arrays whose rows cannot be read in order are read whole and are one batch. */
static ney_status open_numpy(ney_row_stream *s, ney_source *source, ney_format format,
                             const ney_read_opts *opts, ney_error *err)
{
    ney_status st = ney_npy_stream_open(&s->array, &s->env, source, format, opts, s->given, err);
    s->origin = NEY_ORIGIN_ARRAY;
    if (s->array) {
        return ney_preprocessing_of_rows(&s->preprocessing, &s->env, s->given,
                                         ney_npy_stream_preprocessing(s->array), err);
    }
    if (st != NEY_OK) {
        ney_source_close(source);
        return st;
    }
    st = ney_numpy_read(&s->whole, &s->env, source, format, opts, s->given, err);
    if (st == NEY_OK) {
        s->preprocessing = s->whole->preprocessing;
        s->whole->preprocessing = NULL;
        s->no_label = s->whole->no_label;
    }
    return st;
}

static ney_status open_path(ney_row_stream *s, const char *path, const ney_read_opts *opts,
                            bool single, ney_error *err)
{
    ney_files *files = NULL;
    ney_format format;
    ney_status st = ney_files_open(&files, &s->env, path, opts->decoys, err);

    if (st != NEY_OK) {
        return st;
    }
    s->live = ney_files_are_live(files);
    if (s->live) {
        ney_files_flow(files);
    }
    if ((st = ney_open_input(&files, &format, &s->env, NULL, opts, true, err)) != NEY_OK) {
        return st;
    }
    if (ney_format_is_numpy(format)) {
        return open_numpy(s, ney_files_take(files), format, opts, err);
    }
    if (format != NEY_FORMAT_CACHE) {
        return open_text(s, files, format, opts, single, err);
    }
    st = ney_refuse_packed_cache(files, path, err);
    ney_files_close(files);
    return st == NEY_OK ? open_cache(s, path, opts, err) : st;
}

/* ------------------------------------------------------------------ several processes */

static ney_status open_next(ney_row_stream *s, ney_error *err)
{
    char *const name = ney_shards_name(&s->shards, s->next_file);
    ney_status st = name ? NEY_OK : ney_no_memory(err, 1, "name of a file");
    if (st == NEY_OK) {
        st = ney_row_stream_open(&s->part, &s->shards.env, name, &s->opts, s->given, false, err);
    }
    if (st == NEY_OK) {
        s->part->rows = s->rows;
        s->next_file++;
    }
    ney_release(&s->shards.env, name);
    return st;
}

/* Of one cache the blocks of this process, the same number for each as nearly as can be. */
static ney_status share_blocks(ney_row_stream *s, ney_error *err)
{
    ney_row_stream *const p = s->part;
    const int64_t rank = ney_comm_rank(s->shards.comm), size = ney_comm_size(s->shards.comm);
    if (!p->cache) {
        return size == 1
                   ? NEY_OK
                   : ney_fail_at(err, NEY_EINVAL, (ney_place){.file = p->path},
                                 "is one file of text for %d processes: make a cache of it "
                                 "with 'neyman convert', of which each process reads its rows",
                                 (int)size);
    }
    const int64_t n = p->cache->header->n_blocks;
    p->next_block = n * rank / size;
    p->end_block = n * (rank + 1) / size;
    p->rows = p->next_block < n ? p->cache->entry[p->next_block].first_row : 0;
    return NEY_OK;
}

static ney_status open_shared(ney_row_stream *s, const char *path, ney_error *err)
{
    if (strcmp(path, "-") == 0 || s->opts.decoys) {
        return ney_fail(err, NEY_EINVAL,
                        "%s cannot be shared out among processes: name files of rows",
                        s->opts.decoys ? "files of --decoys" : "standard input");
    }
    ney_status st = ney_shards_init(&s->shards, &s->env, path, err);
    if (st != NEY_OK || (st = ney_shards_check(&s->shards, path, err)) != NEY_OK) {
        return st;
    }
    s->next_file = s->shards.n == 1 ? 0 : s->shards.first;
    st = open_next(s, err);
    if (st == NEY_OK && s->shards.n == 1) {
        s->shards.end = s->next_file;
        st = share_blocks(s, err);
    }
    return ney_comm_agree(s->env.comm, st, err);
}

/* The next rows of the files of this process; NULL at the end. */
static ney_status next_shared(ney_row_stream *s, const ney_data **rows, ney_error *err)
{
    ney_status st = NEY_OK;
    while (s->part && (st = ney_row_stream_next(s->part, rows, err)) == NEY_OK && !*rows) {
        if (s->no_label.code == NEY_OK && s->part->rows > s->rows) { /* no rows, no labels */
            s->no_label = s->part->no_label;
        }
        s->rows = s->part->rows;
        ney_row_stream_close(s->part);
        s->part = NULL;
        if (s->next_file < s->shards.end) {
            st = open_next(s, err);
        }
    }
    return st;
}

/* ------------------------------------------------------------------ opening, of any kind */

ney_status ney_row_stream_open(ney_row_stream **out, const ney_env *env, const char *path,
                               const ney_read_opts *opts, const ney_preprocessing *preprocessing,
                               bool single, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    const ney_read_opts o = ney_read_opts_or_default(opts);

    *out = NULL;
    if (!preprocessing) {
        return ney_fail(err, NEY_EINVAL,
                        "expected the preprocessing of a model to read the rows with");
    }
    ney_row_stream *const s = ney_alloc_zeroed(&e, 1, sizeof *s);
    if (!s) {
        return ney_no_memory(err, 1, "stream of rows");
    }
    s->env = e;
    s->given = preprocessing;
    s->opts = o;
    s->path = ney_strdup(&e, path, strlen(path));
    const ney_status st = !s->path ? ney_no_memory(err, 1, "name of a file")
                          : e.comm ? open_shared(s, path, err)
                                   : open_path(s, path, &o, single, err);
    if (st != NEY_OK) {
        ney_row_stream_close(s);
        return st;
    }
    *out = s;
    return NEY_OK;
}

bool ney_row_stream_is_live(const ney_row_stream *s)
{
    return s->live;
}

/* ------------------------------------------------------------------ batches */

/* Codes become signs: a model's labels are negative, positive. */
static void sign_codes(ney_data *d)
{
    for (int64_t i = 0; i < d->x.rows; i++) {
        d->label[i] = (int8_t)(d->label[i] < 0 ? 0 : d->label[i] > 0 ? 1 : -1);
    }
}

static ney_status end_text(ney_row_stream *s, ney_error *err)
{
    int8_t sign[2];
    s->ended = true;
    return ney_reader_finish(s->reader, ney_preprocessing_stored(s->given), sign, &s->no_label,
                             err);
}

/* The next rows of text; *out is NULL at the end. */
static ney_status next_text(ney_row_stream *s, ney_data **out, ney_error *err)
{
    ney_builder b;
    ney_status st = NEY_OK;

    ney_builder_init(&b, &s->env);
    while (st == NEY_OK && b.rows == 0 && !s->ended) {
        ney_rows *pieces;
        int n;
        if ((st = ney_reader_next(s->reader, &pieces, &n, err)) == NEY_OK) {
            st = n > 0 ? ney_builder_append(&b, pieces, n, err) : end_text(s, err);
        }
    }
    if (st == NEY_OK && b.rows > 0 &&
        (st = ney_builder_finish(&b, ney_preprocessing_stored(s->given), out, err)) == NEY_OK) {
        sign_codes(*out);
        (*out)->preprocessing = s->reader->preprocessing;
    }
    ney_builder_deinit(&b);
    return st;
}

static ney_status next_cache(ney_row_stream *s, ney_data **out, ney_error *err)
{
    const ney_cache *const c = s->cache;
    const int64_t first = s->next_block, n_blocks = s->end_block;
    int64_t n = 0, bytes = 0;

    while (first + n < n_blocks && n < CACHE_BATCH_BLOCKS &&
           (n == 0 || bytes + c->entry[first + n].bytes <= CACHE_BATCH_BYTES)) {
        bytes += c->entry[first + n].bytes;
        n++;
    }
    s->next_block += n;
    s->ended = n == 0;
    if (!ney_poll(&s->env, "reading", (double)first, (double)n_blocks)) {
        return ney_fail(err, NEY_ECANCELLED, "cancelled while reading");
    }
    const ney_status st = n > 0 ? ney_cache_load_blocks(out, c, first, n, err) : NEY_OK;
    if (*out) {
        (*out)->preprocessing = c->preprocessing;
    }
    return st;
}

static ney_status next_array(ney_row_stream *s, ney_data **out, ney_error *err)
{
    const ney_status st = ney_npy_stream_next(s->array, out, err);
    if (st != NEY_OK || *out) {
        return st;
    }
    s->ended = true;
    return ney_npy_stream_finish(s->array, &s->no_label, err);
}

/* Rows as the file has them become features of the model. */
static ney_status follow(ney_row_stream *s, ney_data *d, ney_error *err)
{
    s->remarked = s->remarked || ney_remark_columns(d, s->given, s->origin);
    const ney_status st = ney_preprocessing_apply_cells(d, s->given, s->origin, s->rows, err);
    d->preprocessing = s->preprocessing;
    if (d->no_label.code != NEY_OK && s->no_label.code == NEY_OK) {
        s->no_label = d->no_label;
    }
    return st == NEY_OK && s->given->prepared ? ney_scale_apply(d, err) : st;
}

ney_status ney_row_stream_next(ney_row_stream *s, const ney_data **rows, ney_error *err)
{
    ney_status st = NEY_OK;

    release_batch(s);
    *rows = NULL;
    if (s->env.comm) {
        return next_shared(s, rows, err);
    }
    if (s->whole) {
        s->ended = true;
        s->batch = s->whole;
        s->whole = NULL;
        s->batch->preprocessing = s->preprocessing;
        *rows = s->batch;
        return NEY_OK;
    }
    while (!s->batch && !s->ended && st == NEY_OK) {
        st = s->reader  ? next_text(s, &s->batch, err)
             : s->array ? next_array(s, &s->batch, err)
                        : next_cache(s, &s->batch, err);
    }
    if (s->batch && (st = follow(s, s->batch, err)) == NEY_OK) {
        *rows = s->batch;
    }
    if (st != NEY_OK) {
        s->ended = true;
        release_batch(s);
    }
    return ney_error_in(err, st, s->reader ? ney_files_title(s->reader->files) : s->path);
}

ney_status ney_row_stream_unlabelled(const ney_row_stream *s, ney_error *err)
{
    if (err && s->no_label.code != NEY_OK) {
        *err = s->no_label;
    }
    return s->no_label.code;
}
