#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static ney_status fail_io(ney_error *err, const char *path, const char *what)
{
    const int code = errno;
    char reason[128];
    if (strerror_r(code, reason, sizeof reason) != 0) {
        snprintf(reason, sizeof reason, "error %d", code);
    }
    return ney_fail_at(err, NEY_EIO, (ney_place){.file = path}, "%s: %s", what, reason);
}

/* Where the file really is: a link keeps pointing, and what it points to is replaced. */
static char *resolve(const ney_env *env, const char *path)
{
    char *real = realpath(path, NULL);
    char *copy = ney_strdup(env, real ? real : path, strlen(real ? real : path));
    free(real);
    return copy;
}

/* A new name in the same folder, so that renaming stays within one file system. */
static char *beside(const ney_env *env, const char *path)
{
    static const char ending[] = ".XXXXXX";
    const size_t length = strlen(path);
    char *name = ney_alloc(env, (int64_t)(length + sizeof ending), 1);
    if (name) {
        memcpy(name, path, length);
        memcpy(name + length, ending, sizeof ending);
    }
    return name;
}

/* mkstemp makes private files; a user expects those of the old file, or of the umask. */
static void set_mode(int fd, bool exists, const struct stat *old)
{
    mode_t mode = exists ? old->st_mode & 0777 : 0;
    if (!exists) {
        const mode_t mask = umask(0);
        umask(mask);
        mode = 0666 & ~mask;
    }
    (void)fchmod(fd, mode);
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

    f->path = resolve(env, path);
    if (!f->path) {
        return ney_no_memory(err, (int64_t)strlen(path), "bytes of a path");
    }
    const bool is_stdout = is_standard_output(path), exists = stat(f->path, &old) == 0;
    if (is_stdout || (exists && !S_ISREG(old.st_mode))) {
        f->fd = is_stdout ? dup(STDOUT_FILENO) : open(f->path, O_WRONLY | O_CLOEXEC);
    } else if (!(f->temporary = beside(env, f->path))) {
        ney_outfile_give_up(f);
        return ney_no_memory(err, (int64_t)strlen(path), "bytes of a path");
    } else {
        f->fd = mkstemp(f->temporary);
        if (f->fd >= 0) {
            set_mode(f->fd, exists, &old);
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

ney_status ney_file_read(char **bytes, int64_t *n_bytes, const ney_env *env, const char *path,
                         ney_error *err)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    const int fd = is_stdin ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    char *block = NULL;
    int64_t length = 0, cap = 0;
    ney_status st = NEY_OK;

    *bytes = NULL;
    if (fd < 0) {
        return fail_io(err, path, "cannot be opened");
    }
    for (;;) {
        if (!ney_grow(env, &block, &cap, length + (1 << 16), 1)) {
            st = ney_no_memory(err, length, "bytes of a file");
            break;
        }
        const ssize_t n = read(fd, block + length, (size_t)(cap - length - 1));
        if (n < 0 && errno == EINTR) {
            if (!ney_poll(env, "waiting for input", (double)length, 0)) {
                st = ney_fail(err, NEY_ECANCELLED, "cancelled while reading");
                break;
            }
            continue;
        }
        if (n < 0) {
            st = fail_io(err, path, "reading failed");
            break;
        }
        if (n == 0) {
            block[length] = '\0';
            *bytes = block;
            *n_bytes = length;
            block = NULL;
            break;
        }
        length += n;
    }
    close(fd);
    ney_release(env, block);
    return st;
}
