/* The binary cache: a data set in blocks of rows, each read as it is needed.
 *
 *   header      fixed size, with a checksum of itself and one of the tail
 *   blocks      each at a multiple of 64 bytes: codes, weights, features, notes (layout below)
 *   tail        the table of blocks (place, size, checksum), then the preprocessing as text
 *
 * Little-endian. A block holds its features dense or sparse, whichever is smaller, and may have
 * fewer columns than the file: those it lacks are zeros. Blocks are written as they come, so a file
 * larger than memory can be made; the header is written last. */
#ifndef NEY_DATA_CACHE_H
#define NEY_DATA_CACHE_H

#include "base/file.h"
#include "data/data.h"
#include "data/rows.h"

enum { NEY_CACHE_VERSION = 1 };

typedef struct ney_cache_header {
    char magic[8];
    uint32_t version, header_bytes;
    int64_t rows, cols, entries;
    int64_t n_blocks, tail_offset, preprocessing_bytes;
    int8_t labelled, weighted, noted;
    int8_t sign[2]; /* of label codes 0 and 1 */
    int8_t unused[3];
    uint64_t tail_checksum;
    uint64_t checksum; /* of all before it */
} ney_cache_header;

typedef struct ney_cache_entry {
    int64_t offset, bytes;
    int64_t first_row, rows, cols, entries, notes;
    int64_t dense;
    uint64_t checksum;
} ney_cache_entry;

/* Where the parts of a block begin, from the block's beginning. */
typedef struct ney_cache_layout {
    int64_t code, weight, start, index, value, notes, bytes;
} ney_cache_layout;

/* False when a size is negative or overflows. */
bool ney_cache_lay_out(const ney_cache_entry *e, ney_cache_layout *at);

/* From the machine's byte order to that of the file, or back: the header, a table of n entries, the
 * numbers of a block. */
void ney_cache_order_header(ney_cache_header *h);
void ney_cache_order_table(ney_cache_entry *e, int64_t n);
void ney_cache_order_block(const ney_cache_entry *e, char *block);

/* ---- writing */

typedef struct ney_cache_writer {
    ney_env env;
    ney_outfile file;
    ney_cache_header header;
    ney_cache_entry *entry;
    int64_t entry_cap;
    char *block;
    int64_t block_cap;
} ney_cache_writer;

ney_status ney_cache_writer_open(ney_cache_writer *w, const ney_env *env, const char *path,
                                 ney_error *err);

/* One block of all the rows of the pieces. */
ney_status ney_cache_writer_append(ney_cache_writer *w, const ney_rows *pieces, int n,
                                   ney_error *err);

/* What follows the blocks, and all on disk, not yet in its place: ney_outfile_commit(&w->file)
 * moves it there. sign[0] is 0 for data without labels. */
ney_status ney_cache_writer_flush(ney_cache_writer *w, const ney_preprocessing *preprocessing,
                                  const int8_t sign[2], ney_error *err);

/* The same, and moved. */
ney_status ney_cache_writer_finish(ney_cache_writer *w, const ney_preprocessing *preprocessing,
                                   const int8_t sign[2], ney_error *err);
void ney_cache_writer_deinit(ney_cache_writer *w);

/* Rows of a data set, after those that are there, as if they had just been parsed; false without
 * memory. */
bool ney_rows_add_data(ney_rows *rows, const ney_data *d, int64_t first, int64_t last);

/* ---- reading */

struct ney_cache {
    ney_env env;
    char *path;
    int fd;
    int64_t n_bytes;
    ney_cache_header header_bytes;
    const ney_cache_header *header;
    char *tail; /* the table of blocks and the preprocessing */
    ney_cache_entry *entry;
    ney_preprocessing *preprocessing;
    char *block; /* the block asked for last, and its labels */
    int8_t *label;
    int64_t block_cap, label_cap;
};

/* NEY_EFORMAT: the cache is damaged, `what` says how. */
ney_status ney_cache_damaged(const ney_cache *c, const char *what, ney_error *err);

/* n bytes from `offset` on; NEY_EFORMAT where the file ends before. On any thread. */
ney_status ney_cache_bytes(const ney_cache *c, int64_t offset, void *to, int64_t n, ney_error *err);

/* n numbers of `size` bytes from `offset` on, in the machine's byte order; otherwise the same. */
ney_status ney_cache_numbers(const ney_cache *c, int64_t offset, void *to, int64_t n, int size,
                             ney_error *err);

/* The result of reading a block: a status, and for NEY_OK what is wrong with its content (NULL:
 * nothing). */
typedef struct ney_block_outcome {
    ney_status status;
    const char *fault;
} ney_block_outcome;

/* Read block k into *bytes, which grows as needed, and verify it; labels are codes 0 and 1. On any
 * thread. */
ney_block_outcome ney_cache_read_block(const ney_cache *c, int64_t k, char **bytes, int64_t *cap,
                                       ney_block *b);

/* An outcome as a status with its message. */
ney_status ney_cache_block_status(const ney_cache *c, ney_block_outcome o, ney_error *err);

/* Verify every block. */
ney_status ney_cache_verify(const ney_cache *c, ney_error *err);

/* The notes of block k into memory that is kept for the next. */
ney_status ney_cache_notes(const ney_cache *c, int64_t k, char **notes, int64_t *cap,
                           ney_error *err);

/* Signs and weights (1 where there are none) of the rows of block k, into arrays of that length. */
ney_status ney_cache_labels(const ney_cache *c, int64_t k, int8_t *sign, float *weight,
                            ney_error *err);

/* Rows first .. first + n - 1 as a data set without preprocessing; of all columns
 * of the cache, dense or sparse as requested. Labels are signs. On any thread. */
ney_status ney_cache_take(ney_data **out, const ney_cache *c, int64_t first, int64_t n, bool dense,
                          ney_error *err);

/* The class named by the caller becomes the positive one, as on reading text; *exchanged: the signs
 * are others then. */
ney_status ney_cache_choose_positive(const char *path, ney_preprocessing *r, const char *positive,
                                     bool *exchanged, ney_error *err);

/* Whether the columns are within the limits of the options, or the model has as many. */
ney_status ney_cache_check_columns(const ney_cache *c, const ney_read_opts *opts,
                                   const ney_preprocessing *given, ney_error *err);

/* Blocks first .. first + n - 1, verified, as a data set without preprocessing. Labels are signs.
 */
ney_status ney_cache_load_blocks(ney_data **out, const ney_cache *c, int64_t first, int64_t n,
                                 ney_error *err);

/* Take the columns that the options name as id and group into the cache's preprocessing. */
ney_status ney_cache_name_notes(ney_cache *c, const ney_read_opts *opts, ney_error *err);

/* All of a cache as a data set; `given` and the options positive and missing as in
 * ney_data_read_with(). */
ney_status ney_cache_load(ney_data **out, const ney_env *env, const char *path,
                          const ney_read_opts *opts, const ney_preprocessing *given,
                          ney_error *err);

/* The same for some of its rows, which `share` chooses; only the blocks that they lie in are read.
 */
typedef void ney_cache_share(void *context, const ney_cache_header *h, int64_t *first, int64_t *n);
ney_status ney_cache_load_share(ney_data **out, const ney_env *env, const char *path,
                                const ney_read_opts *opts, const ney_preprocessing *given,
                                ney_cache_share *share, void *context, ney_error *err);

#endif
