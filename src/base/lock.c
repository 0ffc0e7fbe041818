#include "base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 100 };

/* Whether the file that is held is still the one of that name: its last holder may have removed it
 * between our opening and our locking it. */
static bool is_current(const ney_lock *l)
{
    struct stat held, named;
    return fstat(l->fd, &held) == 0 && lstat(l->path, &named) == 0 && held.st_dev == named.st_dev &&
           held.st_ino == named.st_ino;
}

static ney_status fail(const char *path, const char *what, ney_error *err)
{
    char reason[128] = "";
    (void)strerror_r(errno, reason, sizeof reason);
    return ney_fail_at(err, NEY_EIO, (ney_place){.file = path}, "%s: %s", what, reason);
}

static ney_status lock_file(ney_lock *l, const char *path, ney_error *err)
{
    for (int i = 0; i < TRIES; i++) {
        l->fd = open(l->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (l->fd < 0) {
            return fail(l->path, "cannot be created", err);
        }
        if (flock(l->fd, LOCK_EX | LOCK_NB) != 0) {
            const bool busy = errno == EWOULDBLOCK;
            const ney_status st = fail(l->path, "cannot be locked", err);
            return busy ? ney_fail_at(err, NEY_EIO, (ney_place){.file = path},
                                      "is in use by another process: wait until it ends")
                        : st;
        }
        if (is_current(l)) {
            return NEY_OK;
        }
        close(l->fd);
        l->fd = -1;
    }
    return ney_fail_at(err, NEY_EIO, (ney_place){.file = path},
                       "is in use by other processes: wait until they end");
}

ney_status ney_lock_take(ney_lock *l, const ney_env *env, const char *path, ney_error *err)
{
    const int64_t bytes = (int64_t)strlen(path) + 8;

    *l = (ney_lock){.env = *env, .fd = -1, .path = ney_alloc(env, bytes, 1)};
    if (!l->path) {
        return ney_no_memory(err, bytes, "bytes of a path");
    }
    snprintf(l->path, (size_t)bytes, "%s.lock", path);
    const ney_status st = lock_file(l, path, err);
    if (st != NEY_OK) {
        if (l->fd >= 0) {
            close(l->fd);
        }
        ney_release(env, l->path);
        *l = (ney_lock){.fd = -1};
    }
    return st;
}

void ney_lock_release(ney_lock *l)
{
    if (l->fd >= 0) {
        unlink(l->path); /* before others can take it, or they would hold a file without a name */
        close(l->fd);
        ney_release(&l->env, l->path);
        *l = (ney_lock){.fd = -1};
    }
}
