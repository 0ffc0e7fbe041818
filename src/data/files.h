/* The bytes of one or more files that are read as one: a source for each, of which one is read at a
 * time. */
#ifndef NEY_DATA_FILES_H
#define NEY_DATA_FILES_H

#include "data/source.h"

#include <neyman/experimental/data.h>

/* The name of the column that holds the file of a row, where the data have no such column. */
#define NEY_FILE_COLUMN "FILE"

typedef struct ney_files ney_files;

/* file_list.c: add the files that one more path names. */
ney_status ney_file_list_add(ney_file_list *list, const char *path, ney_error *err);

/* The files that a path names (ney_file_list_new()), then those of decoys unless NULL. All must be
 * there.
 * @retval NEY_EINVAL  files of decoys are not as many as files of targets, or in another order. */
ney_status ney_files_open(ney_files **out, const ney_env *env, const char *path, const char *decoys,
                          ney_error *err);

/* Bytes in memory, borrowed. */
ney_status ney_files_view(ney_files **out, const ney_env *env, const char *name, const void *bytes,
                          int64_t n_bytes, ney_error *err);
void ney_files_close(ney_files *f);

/* Close them, but for the first, which is returned and becomes the caller's. */
ney_source *ney_files_take(ney_files *f);

/* What is read now. */
ney_source *ney_files_source(const ney_files *f);

int64_t ney_files_count(const ney_files *f);

/* The position of what is read now, from 0. */
int64_t ney_files_position(const ney_files *f);

/* Go on to the next file; *more is false where the last one is read already. */
ney_status ney_files_next(ney_files *f, bool *more, ney_error *err);

/* The name of a file, and what messages about all of them call them. */
const char *ney_files_name(const ney_files *f, int64_t k);
const char *ney_files_title(const ney_files *f);

/* Whether its rows are decoys; and the name of the run that it belongs to: its own, of decoys that
 * of their targets, so that rows of one spectrum agree in it. */
bool ney_files_has_decoys(const ney_files *f, int64_t k);
const char *ney_files_run(const ney_files *f, int64_t k);

/* Whether a file can be opened only once: a pipe, or standard input. */
bool ney_files_is_stream(const ney_files *f, int64_t k);

/* As of each source: see source.h. */
bool ney_files_are_live(const ney_files *f);
void ney_files_flow(ney_files *f);
ney_status ney_files_hold(ney_files *f, ney_error *err);
ney_status ney_files_rewind(ney_files *f, ney_error *err);
int64_t ney_files_done(const ney_files *f);
int64_t ney_files_total(const ney_files *f);

#endif
