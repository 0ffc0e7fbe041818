#include "support/temp.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <zlib.h>
#include <zstd.h>

#ifndef NEY_SOURCE_DIR
#define NEY_SOURCE_DIR "."
#endif

static char folder[64];
static pid_t owner;

static void remove_folder(void)
{
    if (getpid() != owner) { /* a forked child leaves the folder to its parent */
        return;
    }
    DIR *d = opendir(folder);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        char path[512];
        if (e->d_name[0] != '.') {
            snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
            if (unlink(path) != 0) {
                rmdir(path);
            }
        }
    }
    if (d) {
        closedir(d);
    }
    rmdir(folder);
}

const char *temp_path(const char *name)
{
    static char paths[8][512];
    static int next;
    if (!folder[0]) {
        snprintf(folder, sizeof folder, "/tmp/neyman_test.XXXXXX");
        if (!mkdtemp(folder)) {
            abort();
        }
        owner = getpid();
        atexit(remove_folder);
    }
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

const char *temp_file(const char *name, const void *bytes, size_t n)
{
    const char *path = temp_path(name);
    FILE *f = fopen(path, "wb");
    if (!f || (n > 0 && fwrite(bytes, 1, n, f) != n) || fclose(f) != 0) {
        abort();
    }
    return path;
}

const char *temp_text(const char *name, const char *words)
{
    return temp_file(name, words, strlen(words));
}

char *slurp(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    if (!f) {
        return NULL;
    }
    fseek(f, 0, SEEK_END);
    const long size = ftell(f);
    rewind(f);
    char *bytes = malloc((size_t)size + 1);
    if (!bytes || fread(bytes, 1, (size_t)size, f) != (size_t)size) {
        abort();
    }
    fclose(f);
    bytes[size] = '\0';
    *n = (size_t)size;
    return bytes;
}

int temp_count(void)
{
    int n = 0;
    DIR *d = opendir(folder);
    for (struct dirent *e = d ? readdir(d) : NULL; e; e = readdir(d)) {
        n += e->d_name[0] != '.';
    }
    if (d) {
        closedir(d);
    }
    return n;
}

char *gzip_of(const void *bytes, size_t n, size_t *n_out)
{
    z_stream z = {0};
    if (deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        abort();
    }
    const size_t room = deflateBound(&z, n);
    char *out = malloc(room);
    z.next_in = (Bytef *)(uintptr_t)bytes;
    z.avail_in = (uInt)n;
    z.next_out = (Bytef *)out;
    z.avail_out = (uInt)room;
    if (!out || deflate(&z, Z_FINISH) != Z_STREAM_END) {
        abort();
    }
    *n_out = z.total_out;
    deflateEnd(&z);
    return out;
}

char *zstd_of(const void *bytes, size_t n, bool checksum, size_t *n_out)
{
    ZSTD_CCtx *c = ZSTD_createCCtx();
    const size_t room = ZSTD_compressBound(n);
    char *out = malloc(room);
    ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, checksum);
    *n_out = ZSTD_compress2(c, out, room, bytes, n);
    if (ZSTD_isError(*n_out)) {
        abort();
    }
    ZSTD_freeCCtx(c);
    return out;
}

static int pipe_fd = -1;
static pid_t feeder;

const char *temp_pipe(const void *bytes, size_t n, size_t chunk)
{
    static char path[64];
    int ends[2];
    if (pipe(ends) != 0 || (feeder = fork()) < 0) {
        abort();
    }
    if (feeder == 0) {
        const char *at = bytes;
        close(ends[0]);
        while (n > 0) {
            const ssize_t done = write(ends[1], at, n < chunk ? n : chunk);
            if (done <= 0) {
                _exit(1);
            }
            at += done;
            n -= (size_t)done;
            if (chunk == 1) { /* so slowly that a reader waits for the rest of a line */
                (void)nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
            }
        }
        _exit(0);
    }
    close(ends[1]);
    pipe_fd = ends[0];
    snprintf(path, sizeof path, "/dev/fd/%d", pipe_fd);
    return path;
}

void temp_pipe_end(void)
{
    int status;
    close(pipe_fd);
    waitpid(feeder, &status, 0);
}

const char *shared_file(const char *name)
{
    static char path[1024];
    const char *given = getenv("NEY_SHARED"), *source = getenv("NEY_SOURCE");
    if (given && *given) {
        snprintf(path, sizeof path, "%s/%s", given, name);
    } else {
        snprintf(path, sizeof path, "%s/../shared/data/%s", source ? source : NEY_SOURCE_DIR, name);
    }
    return access(path, R_OK) == 0 ? path : NULL;
}
