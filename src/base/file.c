#include "base/file.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

ney_status ney_fail_io(ney_error *err, const char *path, const char *what)
{
    const int code = errno;
    char reason[128];
    if (code == ECANCELED) {
        return ney_fail_at(err, NEY_ECANCELLED, (ney_place){.file = path}, "cancelled");
    }
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

/* PATH.PID-NUMBER, both in hexadecimal digits, is a file beside PATH that is still being written or
 * used; it may itself have such a file beside it. */
static bool is_temporary_of(const char *base, const char *name)
{
    static const char hex[] = "0123456789abcdef";
    const size_t length = strlen(base);
    if (strncmp(name, base, length) != 0 || name[length] != '.') {
        return false;
    }
    const char *at = name + length;
    while (*at == '.') {
        const size_t n_pid = strspn(at + 1, hex);
        const char *const number = at + 1 + n_pid + 1;
        if (n_pid == 0 || number[-1] != '-' || strspn(number, hex) == 0) {
            return false;
        }
        at = number + strspn(number, hex);
    }
    return *at == '\0';
}

/* The process that writes a temporary file holds a lock on it. A file without a lock was left by a
 * process that was killed. */
static void remove_if_stale(int folder, const char *name)
{
    struct stat info;
    const int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0) {
        (void)unlinkat(folder, name, 0);
    }
    close(fd);
}

/* Open the folder of `path`; *base is the rest of the name. */
static int open_folder(const char *path, const char **base)
{
    char name[LINK_BYTES];
    const char *const slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) : 0;
    *base = slash ? slash + 1 : path;
    if (length >= sizeof name) {
        return -1;
    }
    memcpy(name, path, length);
    name[length] = '\0';
    return open(length > 0 ? name : slash ? "/" : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void remove_stale(const char *path)
{
    const char *base;
    const int folder = open_folder(path, &base), listed = folder >= 0 ? dup(folder) : -1;
    DIR *const list = listed >= 0 ? fdopendir(listed) : NULL;
    const struct dirent *entry;
    while (list && (entry = readdir(list))) {
        if (is_temporary_of(base, entry->d_name)) {
            remove_if_stale(folder, entry->d_name);
        }
    }
    if (list) {
        closedir(list);
    } else if (listed >= 0) {
        close(listed);
    }
    if (folder >= 0) {
        close(folder);
    }
}

/* A rename is on disk only when its folder is. Folders that cannot be synced (some network file
 * systems) are as safe as the system makes them. */
static void sync_folder(const char *path)
{
    const char *base;
    const int folder = open_folder(path, &base);
    if (folder >= 0) {
        (void)fsync(folder);
        close(folder);
    }
}

/* Whether the new file is still the one that was created: between its creation and the lock another
 * process may have removed it as stale. True on a file system without locks. */
static bool lock_new(int fd)
{
    struct stat info;
    const bool taken = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    return !taken && fstat(fd, &info) == 0 && info.st_nlink > 0;
}

/* Make a new file in the same folder, so that renaming stays within one file system. The system
 * applies the umask, which a library cannot ask for without changing it under other threads. */
static int make_beside(const char *path, mode_t mode, char *name, size_t n_name)
{
    struct timespec now = {0};
    for (int i = 0; i < 1000; i++) { /* another thread may think of the same name */
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        snprintf(name, n_name, "%s.%lx-%lx", path, (unsigned long)getpid(),
                 (unsigned long)now.tv_nsec + (unsigned long)i);
        const int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (fd >= 0 && lock_new(fd)) {
            return fd;
        }
        if (fd >= 0) {
            (void)unlink(name);
            close(fd);
        } else if (errno != EEXIST) {
            break;
        }
    }
    return -1;
}

/* "-", or a name of the very file that standard output is, such as /dev/stdout: renaming over that
 * would remove it for all its users. */
static bool is_standard_output(const char *path)
{
    struct stat named, standard;
    return strcmp(path, "-") == 0 ||
           (stat(path, &named) == 0 && fstat(STDOUT_FILENO, &standard) == 0 &&
            named.st_dev == standard.st_dev && named.st_ino == standard.st_ino);
}

int ney_file_open(const ney_env *env, const char *path, int flags)
{
    struct stat info;
    int fd;

    while ((fd = open(path, flags | O_CLOEXEC | O_NONBLOCK)) < 0 && errno == ENXIO &&
           stat(path, &info) == 0 && S_ISFIFO(info.st_mode)) {
        (void)poll(NULL, 0, 100);
        if (!ney_poll(env, "waiting for a reader", 0, 0)) {
            errno = ECANCELED;
            return -1;
        }
    }
    if (fd >= 0) { /* reads and writes wait as usual */
        (void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    }
    return fd;
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
        f->fd = is_stdout ? dup(STDOUT_FILENO) : ney_file_open(env, f->path, O_WRONLY);
    } else if (exists || errno != ELOOP) {
        const size_t n_name = strlen(f->path) + 40;
        if (!(f->temporary = ney_alloc(env, (int64_t)n_name, 1))) {
            ney_outfile_discard(f);
            return ney_no_memory(err, (int64_t)n_name, "bytes of a path");
        }
        remove_stale(f->path);
        /* Of an old file the mode is kept, also where the umask would have it narrower. */
        f->fd = make_beside(f->path, exists ? old.st_mode & 0777 : 0666, f->temporary, n_name);
        if (f->fd >= 0 && exists) {
            (void)fchmod(f->fd, old.st_mode & 0777);
        }
    }
    if (f->fd < 0) {
        const ney_status st = ney_fail_io(err, path, "cannot be written");
        ney_release(&f->env, f->temporary); /* nothing was made under that name */
        f->temporary = NULL;
        ney_outfile_discard(f);
        return st;
    }
    return NEY_OK;
}

/* All of the bytes, at the file's end when offset < 0. */
static ney_status write_all(ney_outfile *f, int64_t offset, const void *bytes, int64_t n_bytes,
                            ney_error *err)
{
    const char *at = bytes;
    f->is_flushed = false;
    for (int64_t left = n_bytes; left > 0;) {
        const size_t piece = left < (1 << 30) ? (size_t)left : (size_t)1 << 30;
        const ssize_t n = offset < 0 ? write(f->fd, at, piece) : pwrite(f->fd, at, piece, offset);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return ney_fail_io(err, f->path, "writing failed");
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
                           "is a pipe or device, expected a regular file");
    }
    return write_all(f, offset, bytes, n_bytes, err);
}

ney_status ney_outfile_flush(ney_outfile *f, ney_error *err)
{
    if (f->temporary && !f->is_flushed && fsync(f->fd) != 0) {
        return ney_fail_io(err, f->path, "writing to disk failed");
    }
    f->is_flushed = true;
    return NEY_OK;
}

ney_status ney_outfile_commit(ney_outfile *f, ney_error *err)
{
    ney_status st = ney_outfile_flush(f, err);
    /* Renamed while open: the lock that shows the file to be in use ends with the last close. */
    if (st == NEY_OK && f->temporary && rename(f->temporary, f->path) != 0) {
        st = ney_fail_io(err, f->path, "cannot be replaced");
    }
    const bool renamed = st == NEY_OK && f->temporary;
    if (close(f->fd) != 0 && st == NEY_OK && !renamed) {
        st = ney_fail_io(err, f->path, "closing failed");
    }
    f->fd = -1;
    if (renamed) {
        sync_folder(f->path);
    }
    if (st == NEY_OK) {
        ney_release(&f->env, f->temporary);
        f->temporary = NULL;
    }
    ney_outfile_discard(f);
    return st;
}

void ney_outfile_discard(ney_outfile *f)
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

ney_status ney_fail_foreign(ney_error *err, const char *path)
{
    return ney_fail_at(
        err, NEY_EFORMAT, (ney_place){.file = path},
        "exists with other content and is not overwritten: choose another file name");
}

bool ney_begins_with(const char *bytes, int64_t n, const char *begin)
{
    const int64_t length = (int64_t)strlen(begin), least = length < 8 ? length : 8;
    return n == 0 || (n >= least && memcmp(bytes, begin, (size_t)(n < length ? n : length)) == 0);
}

ney_status ney_own_file_check(const char *path, const char *begin, ney_error *err)
{
    const ney_place place = {.file = path};
    const size_t length = strlen(begin);
    char found[256];
    struct stat info;

    assert(length <= sizeof found);
    if (lstat(path, &info) != 0) {
        return errno == ENOENT ? NEY_OK : ney_fail_io(err, path, "cannot be used");
    }
    if (S_ISLNK(info.st_mode)) {
        return ney_fail_at(err, NEY_EIO, place,
                           "is a symbolic link, expected a regular file or a new name");
    }
    if (!S_ISREG(info.st_mode)) {
        return ney_fail_at(err, NEY_EIO, place, "is not a regular file");
    }
    const int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        return ney_fail_io(err, path, "cannot be opened");
    }
    const ssize_t n = read(fd, found, length);
    close(fd);
    if (n < 0) {
        return ney_fail_io(err, path, "reading failed");
    }
    return ney_begins_with(found, n, begin) && (n == 0 || (size_t)n == length || info.st_size == n)
               ? NEY_OK
               : ney_fail_foreign(err, path);
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
        ney_outfile_discard(&file);
        return st;
    }
    return ney_outfile_commit(&file, err);
}
