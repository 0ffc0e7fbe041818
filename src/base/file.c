#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { MOST_READ = 1 << 22 }; /* between two looks at whether to go on */

static ney_status fail_io(ney_error *err, const char *path, const char *what)
{
    const int code = errno;
    char reason[128];
    if (strerror_r(code, reason, sizeof reason) != 0) {
        snprintf(reason, sizeof reason, "error %d", code);
    }
    return ney_fail_at(err, NEY_EIO, (ney_place){.file = path}, "%s: %s", what, reason);
}

enum { MOST_LINKS = 40, LINK_BYTES = 4096 };

/* What the link at `path` says, as seen from where we are; false when it is no link. */
static bool follow_link(char path[LINK_BYTES])
{
    char to[LINK_BYTES];
    const ssize_t n = readlink(path, to, sizeof to - 1);
    const char *slash = strrchr(path, '/');
    const size_t folder = n > 0 && to[0] != '/' && slash ? (size_t)(slash + 1 - path) : 0;
    if (n <= 0 || folder + (size_t)n >= LINK_BYTES) {
        return false;
    }
    memcpy(path + folder, to, (size_t)n);
    path[folder + (size_t)n] = '\0';
    return true;
}

/* Where the file really is, or is to be: a link keeps pointing, and what it points to is replaced,
 * or made. */
static char *resolve(const ney_env *env, const char *path)
{
    char at[LINK_BYTES];
    struct stat info;
    const size_t length = strlen(path);
    char *real = realpath(path, NULL);
    if (real || length >= sizeof at || stat(path, &info) == 0) { /* /dev/fd/3 is there by no name */
        char *copy = ney_strdup(env, real ? real : path, real ? strlen(real) : length);
        free(real);
        return copy;
    }
    memcpy(at, path, length + 1);
    for (int i = 0; i < MOST_LINKS && follow_link(at); i++) {
    }
    return ney_strdup(env, at, strlen(at));
}

/* Make a new file in the same folder, so that renaming stays within one file system. The system
 * applies the umask, which a library cannot ask for without changing it under other threads. */
static int make_beside(const char *path, mode_t mode, char *name, size_t n_name)
{
    struct timespec now = {0};
    int fd = -1;
    for (int i = 0; i < 1000 && fd < 0; i++) { /* another thread may think of the same name */
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        snprintf(name, n_name, "%s.%lx-%lx", path, (unsigned long)getpid(),
                 (unsigned long)now.tv_nsec + (unsigned long)i);
        fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd < 0 && errno != EEXIST) {
            break;
        }
    }
    return fd;
}

/* "-", or a name of the very file that standard output is, such as /dev/stdout: renaming over that
 * would take it away from everybody. */
static bool is_standard_output(const char *path)
{
    struct stat named, standard;
    return strcmp(path, "-") == 0 ||
           (stat(path, &named) == 0 && fstat(STDOUT_FILENO, &standard) == 0 &&
            named.st_dev == standard.st_dev && named.st_ino == standard.st_ino);
}

ney_status ney_outfile_open(ney_outfile *f, const ney_env *env, const char *path, ney_error *err)
{
    struct stat old;
    *f = (ney_outfile){.env = *env, .fd = -1};

    if (path[0] == '\0') {
        return ney_fail(err, NEY_EINVAL, "no file name");
    }
    f->path = resolve(env, path);
    if (!f->path) {
        return ney_no_memory(err, (int64_t)strlen(path), "bytes of a path");
    }
    const bool is_stdout = is_standard_output(path), exists = stat(f->path, &old) == 0;
    if (is_stdout || (exists && !S_ISREG(old.st_mode))) {
        f->fd = is_stdout ? dup(STDOUT_FILENO) : open(f->path, O_WRONLY | O_CLOEXEC);
    } else if (exists || errno != ELOOP) {
        const size_t n_name = strlen(f->path) + 40;
        if (!(f->temporary = ney_alloc(env, (int64_t)n_name, 1))) {
            ney_outfile_give_up(f);
            return ney_no_memory(err, (int64_t)n_name, "bytes of a path");
        }
        /* Of an old file the mode is kept, also where the umask would have it narrower. */
        f->fd = make_beside(f->path, exists ? old.st_mode & 0777 : 0666, f->temporary, n_name);
        if (f->fd >= 0 && exists) {
            (void)fchmod(f->fd, old.st_mode & 0777);
        }
    }
    if (f->fd < 0) {
        const ney_status st = fail_io(err, path, "cannot be written");
        ney_release(&f->env, f->temporary); /* nothing was made under that name */
        f->temporary = NULL;
        ney_outfile_give_up(f);
        return st;
    }
    return NEY_OK;
}

/* All of the bytes, at the file's end when offset < 0. */
static ney_status write_all(ney_outfile *f, int64_t offset, const void *bytes, int64_t n_bytes,
                            ney_error *err)
{
    const char *at = bytes;
    for (int64_t left = n_bytes; left > 0;) {
        const size_t piece = left < (1 << 30) ? (size_t)left : (size_t)1 << 30;
        const ssize_t n = offset < 0 ? write(f->fd, at, piece) : pwrite(f->fd, at, piece, offset);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return fail_io(err, f->path, "writing failed");
        }
        at += n;
        left -= n;
        offset += offset < 0 ? 0 : n;
    }
    return NEY_OK;
}

ney_status ney_outfile_write(ney_outfile *f, const void *bytes, int64_t n_bytes, ney_error *err)
{
    f->written += n_bytes;
    return write_all(f, -1, bytes, n_bytes, err);
}

ney_status ney_outfile_rewrite(ney_outfile *f, int64_t offset, const void *bytes, int64_t n_bytes,
                               ney_error *err)
{
    if (!f->temporary) {
        return ney_fail_at(err, NEY_EIO, (ney_place){.file = f->path},
                           "is a pipe or device, expected a file that can be written at any place");
    }
    return write_all(f, offset, bytes, n_bytes, err);
}

ney_status ney_outfile_commit(ney_outfile *f, ney_error *err)
{
    ney_status st = NEY_OK;
    if (f->temporary && fsync(f->fd) != 0) {
        st = fail_io(err, f->path, "writing to disk failed");
    }
    if (close(f->fd) != 0 && st == NEY_OK) {
        st = fail_io(err, f->path, "closing failed");
    }
    f->fd = -1;
    if (st == NEY_OK && f->temporary && rename(f->temporary, f->path) != 0) {
        st = fail_io(err, f->path, "cannot be replaced");
    }
    if (st == NEY_OK) {
        ney_release(&f->env, f->temporary);
        f->temporary = NULL;
    }
    ney_outfile_give_up(f);
    return st;
}

void ney_outfile_give_up(ney_outfile *f)
{
    if (f->fd >= 0) {
        close(f->fd);
        f->fd = -1;
    }
    if (f->temporary) {
        unlink(f->temporary);
    }
    if (f->path) {
        ney_release(&f->env, f->temporary);
        ney_release(&f->env, f->path);
    }
    f->temporary = f->path = NULL;
}

ney_status ney_file_write(const ney_env *env, const char *path, const void *bytes, int64_t n_bytes,
                          ney_error *err)
{
    ney_outfile file;
    ney_status st = ney_outfile_open(&file, env, path, err);
    if (st != NEY_OK) {
        return st;
    }
    if ((st = ney_outfile_write(&file, bytes, n_bytes, err)) != NEY_OK) {
        ney_outfile_give_up(&file);
        return st;
    }
    return ney_outfile_commit(&file, err);
}

/* The next bytes, 0 at the end only. A pipe may keep us waiting for ever: look up now and then
 * whether we should still wait. */
static ney_status read_some(int fd, const ney_env *env, const char *path, char *to, int64_t room,
                            int64_t *n, ney_error *err)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    *n = -1;
    while (*n < 0) {
        const bool idle = poll(&ready, 1, 100) <= 0;
        *n = idle ? -1 : read(fd, to, (size_t)(room < MOST_READ ? room : MOST_READ));
        if (*n < 0 && !idle && errno != EINTR) {
            return fail_io(err, path, "reading failed");
        }
        if (!ney_poll(env, "reading", 0, 0)) {
            return ney_fail(err, NEY_ECANCELLED, "cancelled while reading");
        }
    }
    return NEY_OK;
}

/* Whether the bytes so far are one of the beginnings, or could become one. */
static bool may_begin(const char *bytes, int64_t n_bytes, const char *const *begins)
{
    for (int64_t k = 0; begins && begins[k]; k++) {
        const int64_t whole = (int64_t)strlen(begins[k]), n = whole < n_bytes ? whole : n_bytes;
        if (memcmp(bytes, begins[k], (size_t)n) == 0) {
            return true;
        }
    }
    return !begins;
}

ney_status ney_file_read(char **bytes, int64_t *n_bytes, const ney_env *env, const char *path,
                         const char *const *begins, ney_error *err)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    const int fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    char *block = NULL;
    int64_t length = 0, cap = 0;
    ney_status st = NEY_OK;

    *bytes = NULL;
    if (path[0] == '\0') {
        return ney_fail(err, NEY_EINVAL, "no file name");
    }
    if (fd < 0) {
        return fail_io(err, path, "cannot be opened");
    }
    for (;;) {
        if (!ney_grow(env, &block, &cap, length + (1 << 16), 1)) {
            st = ney_no_memory(err, length, "bytes of a file");
            break;
        }
        int64_t n;
        if ((st = read_some(fd, env, path, block + length, cap - length - 1, &n, err)) != NEY_OK) {
            break;
        }
        length += n;
        if (n == 0 || !may_begin(block, length, begins)) {
            block[length] = '\0';
            *bytes = block;
            *n_bytes = length;
            block = NULL;
            break;
        }
    }
    close(fd);
    ney_release(env, block);
    return st;
}
