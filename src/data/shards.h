/* Files whose rows several processes share: which of them a process reads, and how the
 * preprocessing of each becomes one for all. */
#ifndef NEY_DATA_SHARDS_H
#define NEY_DATA_SHARDS_H

#include "comm/row_blocks.h"
#include "data/data.h"

typedef struct ney_shards {
    ney_env env; /* without a communicator: files are read as by one process */
    const ney_comm *comm;
    const char *pattern; /* with a number, as "part-%04d.cache"; borrowed; NULL: */
    ney_file_list *list;
    int64_t n;          /* files of all processes */
    int64_t first, end; /* those of this process */
} ney_shards;

/* The files of a path. A number in it ("%d", "%04d") stands for 0, 1, ... up to the largest that
 * any process sees. All processes must see the same files, or each the ones that it reads. */
ney_status ney_shards_init(ney_shards *s, const ney_env *env, const char *path, ney_error *err);
void ney_shards_deinit(ney_shards *s);

/* Whether there is a file for each process, or one cache for all. */
ney_status ney_shards_check(const ney_shards *s, const char *path, ney_error *err);

/* The name of file k, in new memory; NULL without memory. */
char *ney_shards_name(const ney_shards *s, int64_t k);

/* One preprocessing for the data of all files: columns and what they hold must be the same;
 * categories and label values are those of all. part[k] is file first + k, with signs as its own
 * preprocessing says. Each part gets a copy, and its features and labels follow.
 * @retval NEY_EPARSE  a file has other columns, or a third label; the message names rank and file.
 */
ney_status ney_shards_agree(const ney_shards *s, ney_data **part, const char *positive,
                            ney_error *err);

/* The parts as one data set, which takes them over: part[k] is NULL after success. */
ney_status ney_shards_join(ney_data **out, const ney_shards *s, ney_data **part, ney_error *err);

/* Of n blocks of rows in one cache, the first of a process; n for rank `size`. Where there are
 * many, shares begin at nodes of the tree of sums (comm/row_blocks.h): a process then sends the
 * sums of one node, for a number of processes that is a power of 2, or of a few. */
int64_t ney_shards_first_block(int64_t n, int rank, int size);

/* Read this process's share of the rows, with blocks (ney_data.blocks). `given`: the preprocessing
 * of a model, or NULL. */
ney_status ney_shards_read(ney_data **out, const ney_env *env, const char *path,
                           const ney_read_opts *opts, const ney_preprocessing *given,
                           ney_error *err);

#endif
