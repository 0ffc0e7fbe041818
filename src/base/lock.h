/* One process at a time: a lock file beside a file that is replaced, not rewritten. */
#ifndef NEY_BASE_LOCK_H
#define NEY_BASE_LOCK_H

#include "base/env.h"

typedef struct ney_lock {
    ney_env env;
    char *path; /* of the lock file */
    int fd;     /* -1: not held */
} ney_lock;

/* Hold the lock of `path`, whose lock file is "PATH.lock", without waiting. It ends with
 * ney_lock_release(), which removes that file, or with the process.
 * @retval NEY_EIO  another process holds it, or no file can be made there. */
ney_status ney_lock_take(ney_lock *lock, const ney_env *env, const char *path, ney_error *err);

/* Harmless where fd is -1. */
void ney_lock_release(ney_lock *lock);

#endif
