#define _GNU_SOURCE /* O_TMPFILE */
#include "unnamed_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

const char *temporary_folder(void)
{
    const char *const named = getenv("TMPDIR");

    return named && *named ? named : "/var/tmp";
}

int open_unnamed(void)
{
    char path[PATH_MAX];

#ifdef O_TMPFILE /* not on every file system */
    const int unnamed = open(temporary_folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (unnamed >= 0) {
        return unnamed;
    }
#endif
    if (snprintf(path, sizeof path, "%s/neyman-XXXXXX", temporary_folder()) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const int fd = mkstemp(path);
    if (fd >= 0) {
        unlink(path);
        (void)fcntl(fd, F_SETFD, FD_CLOEXEC);
    }
    return fd;
}
