/* Reading all of a file, a pipe or standard input. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum { MOST_READ = 1 << 22 }; /* bytes between two calls of poll */

/* The next bytes, 0 at the end only. A pipe may never have data: poll is called while waiting. */
static ney_status read_some(int fd, const ney_env *env, const char *path, char *to,
                            int64_t capacity, int64_t *n, ney_error *err)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    *n = -1;
    while (*n < 0) {
        const bool idle = poll(&ready, 1, 100) <= 0;
        *n = idle ? -1 : read(fd, to, (size_t)(capacity < MOST_READ ? capacity : MOST_READ));
        if (*n < 0 && !idle && errno != EINTR) {
            return ney_fail_io(err, path, "reading failed");
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

ney_status ney_fd_read(int fd, const char *path, const char *const *begins, ney_text *text,
                       ney_error *err)
{
    int64_t n;
    do {
        if (!ney_grow(&text->env, &text->bytes, &text->cap, text->length + (1 << 16), 1)) {
            return ney_no_memory(err, text->length, "bytes of a file");
        }
        const ney_status st = read_some(fd, &text->env, path, text->bytes + text->length,
                                        text->cap - text->length - 1, &n, err);
        if (st != NEY_OK) {
            return st;
        }
        text->length += n;
    } while (n > 0 && may_begin(text->bytes, text->length, begins));
    text->bytes[text->length] = '\0';
    return NEY_OK;
}

ney_status ney_file_read(char **bytes, int64_t *n_bytes, const ney_env *env, const char *path,
                         const char *const *begins, ney_error *err)
{
    const bool is_stdin = strcmp(path, "-") == 0;
    const int fd = is_stdin ? dup(STDIN_FILENO) : ney_file_open(env, path, O_RDONLY);
    ney_text text;

    *bytes = NULL;
    if (path[0] == '\0') {
        return ney_fail(err, NEY_EINVAL, "no file name");
    }
    if (fd < 0) {
        return ney_fail_io(err, path, "cannot be opened");
    }
    ney_text_init(&text, env);
    const ney_status st = ney_fd_read(fd, path, begins, &text, err);
    close(fd);
    if (st != NEY_OK) {
        ney_text_deinit(&text);
        return st;
    }
    *bytes = text.bytes;
    *n_bytes = text.length;
    return NEY_OK;
}
