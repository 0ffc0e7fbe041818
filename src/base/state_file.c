#include "base/state_file.h"

#include "base/file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

ney_status ney_state_file_open(ney_state_file *s, const ney_env *env, const char *path,
                               const char *magic, char **text, int64_t *n_text, ney_error *err)
{
    const char *const begins[] = {magic, NULL};
    struct stat info;
    const ney_status st = ney_lock_take(&s->lock, env, path, err);

    *text = NULL;
    *n_text = 0;
    if (st != NEY_OK) {
        return st;
    }
    if (!(s->path = ney_strdup(env, path, strlen(path)))) {
        return ney_no_memory(err, (int64_t)strlen(path), "bytes of a path");
    }
    const bool exists = lstat(path, &info) == 0;
    if (!exists && errno == ENOENT) {
        return NEY_OK;
    }
    if (exists && !S_ISREG(info.st_mode)) { /* any other failure shows when it is read */
        return ney_fail_at(err, NEY_EIO, (ney_place){.file = path},
                           "is not a regular file, expected one or none");
    }
    return ney_file_read(text, n_text, env, path, begins, err);
}

ney_status ney_state_file_write(const ney_state_file *s, const ney_env *env, const ney_text *text,
                                ney_error *err)
{
    if (!s->path) {
        return ney_fail(err, NEY_EINVAL, "no state file is open");
    }
    return text->failed ? ney_no_memory(err, text->length, "bytes of a state")
                        : ney_file_write(env, s->path, text->bytes, text->length, err);
}

void ney_state_file_close(ney_state_file *s, const ney_env *env)
{
    if (s->lock.path) {
        ney_lock_release(&s->lock);
    }
    ney_release(env, s->path);
    s->path = NULL;
}

void ney_state_file_match(ney_fields *f, const ney_text *lines, const char *const *what)
{
    if (lines->failed && f->status == NEY_OK) {
        f->status = ney_no_memory(f->err, lines->length, "bytes of a state");
    }
    const char *line = lines->bytes;
    for (int k = 0; f->status == NEY_OK && *line; k++) {
        const int64_t length = strchr(line, '\n') + 1 - line;
        if (f->end - f->at < length || memcmp(f->at, line, (size_t)length) != 0) {
            ney_fields_fail(f,
                            "the state is %s; expected the model and options it was begun with, or "
                            "a new file",
                            what[k]);
        }
        f->at += f->status == NEY_OK ? length : 0;
        f->line++;
        line += length;
    }
}
