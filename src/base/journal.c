#include "base/journal.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the file holds; a last line that was being written when the program was killed is cut. */
static ney_status read_all(ney_journal *j, const char *begin, ney_error *err)
{
    int64_t cap = 0;
    for (;;) {
        if (!ney_grow(&j->env, &j->text, &cap, j->length + (1 << 16), 1)) {
            return ney_no_memory(err, j->length, "bytes of a file");
        }
        const ssize_t n = read(j->fd, j->text + j->length, (size_t)(cap - j->length - 1));
        if (n < 0 && errno != EINTR) {
            return ney_fail_io(err, j->path, "reading failed");
        }
        if (n == 0) {
            break;
        }
        j->length += n > 0 ? n : 0;
    }
    if (!ney_begins_with(j->text, j->length, begin)) {
        return ney_fail_foreign(err, j->path);
    }
    if (j->length < (int64_t)strlen(begin)) { /* its first line was being written */
        j->length = 0;
    }
    while (j->length > 0 && j->text[j->length - 1] != '\n') {
        j->length--;
    }
    j->text[j->length] = '\0';
    return ftruncate(j->fd, j->length) == 0 ? NEY_OK : ney_fail_io(err, j->path, "cannot be cut");
}

ney_status ney_journal_open(ney_journal *j, const ney_env *env, const char *path, const char *begin,
                            ney_error *err)
{
    struct stat info;
    ney_status st;
    *j = (ney_journal){.env = *env, .fd = -1, .path = ney_strdup(env, path, strlen(path))};
    if (!j->path) {
        return ney_no_memory(err, (int64_t)strlen(path), "bytes of a path");
    }
    if ((st = ney_own_file_check(path, begin, err)) != NEY_OK) {
        return st;
    }
    j->fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (j->fd < 0) {
        return ney_fail_io(err, path, "cannot be written");
    }
    if (fstat(j->fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        return ney_fail_at(err, NEY_EIO, (ney_place){.file = path}, "is not a regular file");
    }
    if (flock(j->fd, LOCK_EX | LOCK_NB) != 0) {
        return ney_fail_io(err, path, "is in use");
    }
    return read_all(j, begin, err);
}

void ney_journal_close(ney_journal *j)
{
    if (!j->path) {
        return;
    }
    if (j->fd >= 0) {
        close(j->fd);
    }
    ney_release(&j->env, j->text);
    ney_release(&j->env, j->path);
    *j = (ney_journal){.fd = -1};
}

ney_status ney_journal_clear(ney_journal *j, ney_error *err)
{
    return ftruncate(j->fd, 0) == 0 ? NEY_OK : ney_fail_io(err, j->path, "cannot be cut");
}

ney_status ney_journal_add(ney_journal *j, const char *line, int64_t length, ney_error *err)
{
    ssize_t n;
    do {
        n = write(j->fd, line, (size_t)length);
    } while (n < 0 && errno == EINTR);
    if (n == length) {
        return NEY_OK;
    }
    const int reason = n < 0 ? errno : ENOSPC; /* part of a line: nothing else cuts one short */
    if (n > 0) {
        const off_t end = lseek(j->fd, 0, SEEK_END);
        (void)!ftruncate(j->fd, end > n ? end - n : 0);
    }
    errno = reason;
    return ney_fail_io(err, j->path, "writing failed");
}
