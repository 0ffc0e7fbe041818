#include "train_stream.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "output.h"

static const char cache_mark[] = "NEYCACHE";

/* The first bytes of a file; false when it cannot be read. */
static bool read_head(const char *path, char head[8])
{
    FILE *file = fopen(path, "rb");
    const bool read = file && fread(head, 1, 8, file) == 8;

    if (file) {
        fclose(file);
    }
    return read;
}

bool stream_is_cache(const char *path)
{
    char head[8];

    return read_head(path, head) && memcmp(head, cache_mark, sizeof head) == 0;
}

/* The least number of bytes that the rows of a file take; compressed text is taken as 5 times its
 * size. */
static double file_bytes(const char *path)
{
    struct stat info;
    char head[8];

    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || !read_head(path, head)) {
        return 0;
    }
    const bool packed =
        memcmp(head, "\x1f\x8b", 2) == 0 || memcmp(head, "\x28\xb5\x2f\xfd", 4) == 0;
    return (double)info.st_size * (packed ? 5 : 1);
}

/* The same of all files of a path. */
static double row_bytes(const char *path)
{
    ney_file_list *files;
    ney_error ignored;
    double bytes = 0;

    if (ney_file_list_new(&files, NULL, path, &ignored) != NEY_OK) {
        return 0; /* reading will say why */
    }
    for (int64_t k = 0; k < ney_file_list_count(files); k++) {
        bytes += file_bytes(ney_file_list_name(files, k));
    }
    ney_file_list_free(files);
    return bytes;
}

bool stream_trains_online(const ney_train_opts *opts)
{
    return opts->method == NEY_METHOD_ONLINE ||
           (opts->method == NEY_METHOD_AUTO && !opts->max_fdr &&
            (opts->network[0] > 0 || opts->features > 0));
}

bool stream_wanted(const char *path, const ney_train_opts *opts)
{
    const double all = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    const double most = opts->memory > 0 ? opts->memory * 1e6 : all / 2;

    if (!stream_trains_online(opts)) {
        return false;
    }
    if (strcmp(path, "-") == 0) { /* of unknown size */
        return opts->memory > 0;
    }
    return row_bytes(path) > most;
}

/* Rows in a file of our own, named as ney_output_open() names what is not finished: what is left of
 * it after kill -9 is removed by the next run that writes the same model. The lock says that it is
 * in use. */
static ney_status make_own(row_file *rows, session *s, const char *path, const char *model,
                           const ney_read_opts *read)
{
    const char *const beside = output_is_stdout(model) ? "neyman" : model;
    const size_t size = strlen(beside) + 64;

    rows->path = malloc(size);
    if (!rows->path) {
        return out_of_memory(&s->err, "a file name");
    }
    snprintf(rows->path, size, "%s.%lx-0", beside, (unsigned long)getpid());
    session_say(s, NEY_LOG_DETAIL, "rows are kept in %s during training", rows->path);
    const ney_status st = ney_cache_build_with(&s->env, path, rows->path, read, &s->err);
    if (st != NEY_OK) {
        free(rows->path);
        rows->path = NULL;
        return st;
    }
    rows->fd = open(rows->path, O_RDONLY | O_CLOEXEC);
    (void)flock(rows->fd, LOCK_EX | LOCK_NB);
    return NEY_OK;
}

ney_status stream_open(row_file *rows, session *s, const char *path, const char *model,
                       const ney_read_opts *read)
{
    *rows = (row_file){.fd = -1, .name = path};
    if (strcmp(path, "-") != 0 && stream_is_cache(path)) {
        return ney_read_check(read, NEY_FORMAT_CACHE, false, &s->err);
    }
    const ney_status st = make_own(rows, s, path, model, read);
    rows->name = rows->path;
    return st;
}

void stream_close(row_file *rows)
{
    if (rows->path) {
        remove(rows->path);
    }
    if (rows->fd >= 0) {
        close(rows->fd);
    }
    free(rows->path);
    *rows = (row_file){.fd = -1};
}
