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
    ney_text text;
    ney_text_init(&text, &j->env);
    text.env.poll = NULL; /* opening a journal is not a place to cancel */
    const ney_status st = ney_fd_read(j->fd, j->path, NULL, &text, err);
    j->text = text.bytes; /* of any length: ney_journal_close() releases it */
    j->length = text.length;
    if (st != NEY_OK) {
        return st;
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
    return ftruncate(j->fd, j->length) == 0 ? NEY_OK
                                            : ney_fail_io(err, j->path, "cannot be truncated");
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
        return ney_fail_io(err, path, "is in use by another process");
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
    return ftruncate(j->fd, 0) == 0 ? NEY_OK : ney_fail_io(err, j->path, "cannot be truncated");
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
