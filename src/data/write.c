/* Writing a data set in any of the formats. */
#include "base/file.h"
#include "base/parallel.h"
#include "data/cache.h"
#include "data/npy_read.h"
#include "data/row_format.h"
#include "data/sniff.h"

#include <string.h>

/* A block is about a megabyte of text, so that wide rows take little memory and a request to stop
 * is answered soon. */
enum { BLOCK_CELLS = 1 << 16, BLOCKS = 16 };

/* The rows being written, block by block; each block is formatted as one text. */
typedef struct writing {
    ney_row_format as;
    int64_t first_row;            /* of block 0 */
    int64_t block_rows, n_blocks; /* at a time */
    ney_text text[BLOCKS];
    const char *note[BLOCKS]; /* where the notes of each block begin */
} writing;

static void format_block(void *context, int64_t block, int thread)
{
    writing *w = context;
    const ney_data *d = w->as.data;
    ney_text *t = &w->text[block];
    const int64_t first = w->first_row + block * w->block_rows;
    const int64_t last = first + w->block_rows < d->x.rows ? first + w->block_rows : d->x.rows;
    (void)thread;

    t->length = 0;
    for (int64_t i = first; i < last; i++) {
        ney_row_format_row(&w->as, i, &w->note[block], t);
    }
}

/* Where the notes of each block begin; the next call goes on from there. */
static const char *place_notes(writing *w, const char *at)
{
    for (int64_t b = 0; b < w->n_blocks; b++) {
        w->note[b] = at;
        const int64_t first = w->first_row + b * w->block_rows;
        for (int64_t i = first; at && i < first + w->block_rows && i < w->as.data->x.rows; i++) {
            at = strchr(at, '\n') + 1;
        }
    }
    return at;
}

/* Rows per block, and blocks per batch. */
static void size_blocks(writing *w)
{
    const ney_data *d = w->as.data;
    const bool entries =
        w->as.format == NEY_FORMAT_SVMLIGHT && d->start && !d->preprocessing->shift;
    const int64_t rows = d->x.rows > 0 ? d->x.rows : 1;
    const int64_t cells = 2 + (entries ? d->start[d->x.rows] / rows : d->x.cols); /* of a row */
    const int64_t fit = (int64_t)BLOCKS * BLOCK_CELLS / cells;
    w->block_rows = 1 + BLOCK_CELLS / cells;
    w->n_blocks = fit < 2 ? 2 : (fit < BLOCKS ? fit : BLOCKS);
}

static ney_status write_rows(writing *w, ney_outfile *file, const ney_env *env, ney_error *err)
{
    const int64_t rows = w->as.data->x.rows;
    const char *note = ney_row_format_notes(&w->as);
    size_blocks(w);
    for (w->first_row = 0; w->first_row < rows; w->first_row += w->n_blocks * w->block_rows) {
        const int64_t left = (rows - w->first_row + w->block_rows - 1) / w->block_rows;
        const int64_t n = left < w->n_blocks ? left : w->n_blocks;
        note = place_notes(w, note);
        ney_parallel_for(env, n, format_block, w);
        for (int64_t b = 0; b < n; b++) {
            if (w->text[b].failed) {
                return ney_no_memory(err, w->block_rows, "rows of text");
            }
            const ney_status st = ney_outfile_write(file, w->text[b].bytes, w->text[b].length, err);
            if (st != NEY_OK) {
                return st;
            }
        }
        if (!ney_poll(env, "writing", (double)w->first_row, (double)rows)) {
            return ney_fail(err, NEY_ECANCELLED, "cancelled while writing");
        }
    }
    return NEY_OK;
}

static ney_status write_text(const ney_data *d, const ney_env *env, const char *path,
                             ney_format format, ney_error *err)
{
    writing w = {.first_row = 0};
    ney_outfile file;
    ney_status st = ney_row_format_init(&w.as, d, format, path, err);
    if (st != NEY_OK || (st = ney_outfile_open(&file, env, path, err)) != NEY_OK) {
        ney_row_format_deinit(&w.as);
        return st;
    }
    for (int b = 0; b < BLOCKS; b++) {
        ney_text_init(&w.text[b], env);
    }
    ney_row_format_header(&w.as, &w.text[0]);
    if (w.text[0].failed) {
        st = ney_no_memory(err, d->x.cols, "column names");
    } else if (w.text[0].length > 0) {
        st = ney_outfile_write(&file, w.text[0].bytes, w.text[0].length, err);
    }
    if (st == NEY_OK && (st = write_rows(&w, &file, env, err)) == NEY_OK) {
        st = ney_outfile_commit(&file, err);
    }
    ney_outfile_discard(&file);
    for (int b = 0; b < BLOCKS; b++) {
        ney_text_deinit(&w.text[b]);
    }
    ney_row_format_deinit(&w.as);
    return st;
}

/* ---- cache */

bool ney_rows_add_data(ney_rows *rows, const ney_data *d, int64_t first, int64_t last)
{
    rows->cols = d->x.cols;
    rows->weighted = d->weight != NULL;
    for (int64_t i = first; i < last; i++) {
        const int64_t begin = d->start ? d->start[i] : i * d->x.cols;
        const int64_t end = d->start ? d->start[i + 1] : begin + d->x.cols;
        int64_t at = rows->n_entries;
        if (!ney_rows_reserve(rows, end - begin)) {
            return false;
        }
        for (int64_t k = begin; k < end; k++) {
            rows->index[at] = d->start ? d->index[k] : (int32_t)(k - begin);
            rows->value[at] = d->value[k];
            at += d->value[k] != 0;
        }
        ney_rows_finish(rows, at, d->label ? d->label[i] > 0 : NEY_NO_LABEL,
                        d->weight ? d->weight[i] : 1);
    }
    return true;
}

static ney_status write_cache(const ney_data *d, const ney_env *env, const char *path,
                              ney_error *err)
{
    ney_cache_writer w;
    ney_rows rows;
    int64_t note = 0; /* where the notes of the next row begin */
    const int8_t sign[2] = {(int8_t)(d->label ? -1 : 0), (int8_t)(d->label ? 1 : 0)};
    const int64_t block = 1 + (4 << 20) / (4 * (d->x.cols > 0 ? d->x.cols : 1) + 16);
    ney_status st = ney_cache_writer_open(&w, env, path, err);

    ney_rows_init(&rows, env);
    for (int64_t i = 0; i < d->x.rows && st == NEY_OK; i += block) {
        const int64_t last = i + block < d->x.rows ? i + block : d->x.rows;
        ney_rows_clear(&rows);
        if (!ney_rows_add_data(&rows, d, i, last)) {
            st = ney_no_memory(err, last - i, "rows");
            break;
        }
        for (int64_t k = i; d->notes && k < last; k++) {
            const int64_t length = (int64_t)strcspn(d->notes + note, "\n") + 1;
            rows.noted = true;
            ney_text_add(&rows.notes, d->notes + note, length);
            note += length;
        }
        st = rows.notes.failed ? ney_no_memory(err, last - i, "notes")
                               : ney_cache_writer_append(&w, &rows, 1, err);
        if (st == NEY_OK && !ney_poll(env, "writing", (double)last, (double)d->x.rows)) {
            st = ney_fail(err, NEY_ECANCELLED, "cancelled while writing");
        }
    }
    if (st == NEY_OK) {
        st = ney_cache_writer_finish(&w, d->preprocessing, sign, err);
    }
    ney_rows_deinit(&rows);
    ney_cache_writer_deinit(&w);
    return st;
}

ney_status ney_data_write(const ney_data *data, const ney_env *env, const char *path,
                          ney_format format, ney_error *err)
{
    NEY_REQUIRE(path, err);
    const ney_env e = ney_env_of(env);
    const ney_format chosen = format == NEY_FORMAT_AUTO ? ney_format_of_name(path) : format;

    if (chosen == NEY_FORMAT_AUTO) {
        return ney_fail_at(
            err, NEY_EINVAL, (ney_place){.file = path},
            "the file name ends in no known format, expected .svm, .csv, .tsv, .pin, .ney, "
            ".npy or .npz");
    }
    if (ney_format_is_numpy(chosen)) {
        return ney_numpy_write(data, &e, path, chosen, err);
    }
    if (chosen == NEY_FORMAT_CACHE) {
        return write_cache(data, &e, path, err);
    }
    return write_text(data, &e, path, chosen, err);
}
