#include "train_stream.h"

#include <errno.h>
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

/* A new empty file of this run, with the lock that says that it is in use. No other file has its
 * name, and no link: writing the cache there replaces nothing else. */
static ney_status make_empty(row_file *rows, const char *beside, ney_error *err)
{
    const size_t size = strlen(beside) + 64;

    if (!(rows->path = malloc(size))) {
        return out_of_memory(err, "a file name");
    }
    for (unsigned k = 0; k < 1000 && rows->fd < 0; k++) {
        snprintf(rows->path, size, "%s.%lx-%x", beside, (unsigned long)getpid(), k);
        rows->fd = open(rows->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (rows->fd < 0 && errno != EEXIST) {
            break;
        }
    }
    if (rows->fd < 0) {
        *err = (ney_error){.code = NEY_EIO};
        snprintf(err->file, sizeof err->file, "%.250s", rows->path);
        snprintf(err->message, sizeof err->message, "cannot be written: %s", strerror(errno));
        free(rows->path);
        rows->path = NULL;
        return NEY_EIO;
    }
    (void)flock(rows->fd, LOCK_EX | LOCK_NB);
    return NEY_OK;
}

ney_status row_file_new(row_file *rows, session *s, const char *in, const char *beside,
                        const ney_read_opts *read)
{
    *rows = (row_file){.fd = -1};
    ney_status st = make_empty(rows, beside, &s->err);

    if (st == NEY_OK &&
        (st = ney_cache_build_with(&s->env, in, rows->path, read, &s->err)) == NEY_OK) {
        close(rows->fd); /* the file was replaced by the cache */
        rows->fd = open(rows->path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        (void)flock(rows->fd, LOCK_EX | LOCK_NB);
        rows->name = rows->path;
    } else {
        stream_close(rows);
    }
    return st;
}

ney_status stream_open(row_file *rows, session *s, const char *path, const char *model,
                       const ney_read_opts *read)
{
    *rows = (row_file){.fd = -1, .name = path};
    if (strcmp(path, "-") != 0 && stream_is_cache(path)) {
        return ney_read_check(read, NEY_FORMAT_CACHE, false, &s->err);
    }
    const ney_status st =
        row_file_new(rows, s, path, output_is_stdout(model) ? "neyman" : model, read);
    if (st == NEY_OK) {
        session_say(s, NEY_LOG_DETAIL, "rows are kept in %s during training", rows->path);
    }
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
