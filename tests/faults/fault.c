/* Loaded before the C library (LD_PRELOAD): the NEY_FAULT_AT-th call that makes, writes, flushes,
 * renames or closes a file fails, or ends the process as a power cut would.
 *
 *   NEY_FAULT_KIND  fail   the call is refused (ENOSPC)
 *                   short  of writes alone: half of the bytes are taken, the next is refused
 *                   kill   the process is killed before the call
 *                   power  as kill, and what was written since the last fsync() is lost
 *   NEY_FAULT_MARK  a file that is made when the call is reached
 *
 * Files that are only read, standard streams and folders are left alone. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_FD = 4096 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long calls, at = -1;
static const char *kind;
static bool cut_short; /* the next write is refused */

/* Files being written: the bytes that are on disk for certain, and a handle that outlives close. */
static bool watched[MOST_FD];
static off_t synced[MOST_FD];
static struct {
    int fd;
    off_t synced;
} lost[MOST_FD];
static int n_lost;

static void start(void)
{
    if (at < 0) {
        const char *text = getenv("NEY_FAULT_AT");
        kind = getenv("NEY_FAULT_KIND");
        kind = kind ? kind : "fail";
        at = text ? strtol(text, NULL, 10) : 0;
    }
}

static off_t size_of(int fd)
{
    struct stat info;
    return fstat(fd, &info) == 0 ? info.st_size : 0;
}

static void end_process(void)
{
    for (int fd = 0; strcmp(kind, "power") == 0 && fd < MOST_FD; fd++) {
        if (watched[fd] && synced[fd] < size_of(fd)) {
            syscall(SYS_ftruncate, fd, synced[fd]);
        }
    }
    for (int k = 0; strcmp(kind, "power") == 0 && k < n_lost; k++) {
        if (lost[k].synced < size_of(lost[k].fd)) {
            syscall(SYS_ftruncate, lost[k].fd, lost[k].synced);
        }
    }
    raise(SIGKILL);
}

/* Whether this call is the one. */
static bool reached(bool is_write)
{
    pthread_mutex_lock(&lock);
    start();
    calls += is_write || strcmp(kind, "short") != 0;
    const bool now = calls == at && (is_write || strcmp(kind, "short") != 0);
    if (now) {
        const char *mark = getenv("NEY_FAULT_MARK");
        if (mark) {
            const long fd = syscall(SYS_openat, AT_FDCWD, mark, O_WRONLY | O_CREAT, 0600);
            syscall(SYS_close, fd);
        }
        if (strcmp(kind, "kill") == 0 || strcmp(kind, "power") == 0) {
            end_process();
        }
    }
    pthread_mutex_unlock(&lock);
    return now;
}

static bool is_watched(int fd)
{
    return fd >= 0 && fd < MOST_FD && watched[fd];
}

static int open_file(int folder, const char *path, int flags, mode_t mode)
{
    const bool writes = (flags & O_ACCMODE) != O_RDONLY && strncmp(path, "/dev/", 5) != 0;
    if (writes && reached(false)) {
        errno = ENOSPC;
        return -1;
    }
    const int fd = (int)syscall(SYS_openat, folder, path, flags, mode);
    struct stat info;
    if (writes && fd >= 0 && fd < MOST_FD && fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
        watched[fd] = true;
        synced[fd] = info.st_size;
    }
    return fd;
}

#define MODE_OF(flags, mode)                                                                       \
    do {                                                                                           \
        va_list args;                                                                              \
        va_start(args, flags);                                                                     \
        (mode) = (flags)&O_CREAT ? va_arg(args, mode_t) : 0;                                       \
        va_end(args);                                                                              \
    } while (0)

int open(const char *path, int flags, ...)
{
    mode_t mode;
    MODE_OF(flags, mode);
    return open_file(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char *path, int flags, ...)
{
    mode_t mode;
    MODE_OF(flags, mode);
    return open_file(folder, path, flags, mode);
}

/* How many bytes of a write are taken; -1: it is refused. */
static ssize_t taken(int fd, size_t n)
{
    if (!is_watched(fd)) {
        return (ssize_t)n;
    }
    if (cut_short) {
        cut_short = false;
        return -1;
    }
    if (!reached(true)) {
        return (ssize_t)n;
    }
    cut_short = strcmp(kind, "short") == 0;
    return cut_short ? (ssize_t)(n / 2) : -1;
}

ssize_t write(int fd, const void *bytes, size_t n)
{
    const ssize_t some = taken(fd, n);
    if (some < 0) {
        errno = ENOSPC;
        return -1;
    }
    return syscall(SYS_write, fd, bytes, (size_t)some);
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t offset)
{
    const ssize_t some = taken(fd, n);
    if (some < 0) {
        errno = ENOSPC;
        return -1;
    }
    return syscall(SYS_pwrite64, fd, bytes, (size_t)some, offset);
}

int ftruncate(int fd, off_t size)
{
    if (is_watched(fd) && reached(false)) {
        errno = EIO;
        return -1;
    }
    const int result = (int)syscall(SYS_ftruncate, fd, size);
    if (result == 0 && is_watched(fd) && size < synced[fd]) {
        synced[fd] = size;
    }
    return result;
}

int fsync(int fd)
{
    if (is_watched(fd) && reached(false)) {
        errno = EIO;
        return -1;
    }
    if (is_watched(fd)) {
        synced[fd] = size_of(fd);
    }
    return (int)syscall(SYS_fsync, fd);
}

int rename(const char *from, const char *to)
{
    if (reached(false)) {
        errno = EIO;
        return -1;
    }
    return (int)syscall(SYS_rename, from, to);
}

int close(int fd)
{
    bool fails = false;
    if (is_watched(fd)) {
        fails = reached(false);
        pthread_mutex_lock(&lock);
        if (synced[fd] < size_of(fd) && n_lost < MOST_FD) {
            lost[n_lost].fd = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, MOST_FD);
            lost[n_lost++].synced = synced[fd];
        }
        watched[fd] = false;
        pthread_mutex_unlock(&lock);
    }
    const int result = (int)syscall(SYS_close, fd);
    if (fails) {
        errno = EIO;
        return -1;
    }
    return result;
}

/* The names that programs built with 64-bit file offsets call. */
int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int openat64(int folder, const char *path, int flags, ...) __attribute__((alias("openat")));
ssize_t pwrite64(int fd, const void *bytes, size_t n, off64_t offset)
    __attribute__((alias("pwrite")));
int ftruncate64(int fd, off64_t size) __attribute__((alias("ftruncate")));
