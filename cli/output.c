#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "progress.h"

enum { BUFFER_BYTES = 1 << 20 };

static ney_status failed(ney_error *err, const char *path, const char *what)
{
    const int cause = errno;

    *err = (ney_error){.code = NEY_EIO};
    snprintf(err->file, sizeof err->file, "%s", path);
    snprintf(err->message, sizeof err->message, "%s: %s", what, strerror(cause));
    return NEY_EIO;
}

bool output_is_stdout(const char *path)
{
    struct stat named, standard;

    return !path || strcmp(path, "-") == 0 ||
           (stat(path, &named) == 0 && fstat(STDOUT_FILENO, &standard) == 0 &&
            named.st_dev == standard.st_dev && named.st_ino == standard.st_ino);
}

ney_status output_check(const char *path, ney_error *err)
{
    struct stat there;

    if (output_is_stdout(path) ||
        (stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode))) {
        return NEY_OK;
    }
    if (stat(path, &there) == 0 && S_ISDIR(there.st_mode)) {
        errno = EISDIR;
        return failed(err, path, "cannot be written");
    }
    const char *slash = strrchr(path, '/');
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    const bool fine = folder && access(folder, W_OK) == 0;
    free(folder);
    return fine ? NEY_OK : failed(err, path, "cannot be written");
}

/* The names of a regular file: its place, with links resolved so that a link stays one, and a
 * template beside it. */
static bool name_both(output *out, bool exists)
{
    out->path = exists ? realpath(out->name, NULL) : strdup(out->name);
    if (!out->path) {
        return false;
    }
    const size_t room = strlen(out->path) + sizeof ".XXXXXX";
    out->beside = malloc(room);
    if (!out->beside) {
        return false;
    }
    snprintf(out->beside, room, "%s.XXXXXX", out->path);
    return true;
}

/* Give the new file the mode of the old one, or the one a new file would have. */
static bool set_mode(int fd, const struct stat *old)
{
    const mode_t mask = umask(0);

    umask(mask);
    return fchmod(fd, old ? old->st_mode & 07777 : 0666 & ~mask) == 0;
}

static ney_status open_beside(output *out, const struct stat *old, ney_error *err)
{
    const int fd = name_both(out, old != NULL) ? mkstemp(out->beside) : -1;

    if (fd < 0) {
        failed(err, out->name, "cannot be created");
        free(out->beside); /* nothing was made under that name */
        out->beside = NULL;
        output_give_up(out);
        return NEY_EIO;
    }
    if (!set_mode(fd, old) || !(out->file = fdopen(fd, "w"))) {
        failed(err, out->name, "cannot be created");
        close(fd);
        output_give_up(out);
        return NEY_EIO;
    }
    return NEY_OK;
}

ney_status output_open(output *out, const char *path, ney_error *err)
{
    struct stat there;
    ney_status st = NEY_OK;

    *out = (output){.name = path};
    if (output_is_stdout(path)) {
        progress_clear();
        out->name = "standard output";
        out->file = stdout;
    } else if (stat(path, &there) != 0) {
        st = open_beside(out, NULL, err);
    } else if (S_ISREG(there.st_mode)) {
        st = open_beside(out, &there, err);
    } else {
        out->file = fopen(path, "w");
        st = out->file ? NEY_OK : failed(err, path, "cannot be written");
    }
    if (st == NEY_OK) {
        setvbuf(out->file, NULL, _IOFBF, BUFFER_BYTES);
    }
    return st;
}

ney_status output_commit(output *out, ney_error *err)
{
    FILE *file = out->file;

    if (file == stdout) { /* closed, and checked, at the end of the program */
        out->file = NULL;
        return NEY_OK;
    }
    errno = 0;
    bool fine = !ferror(file) && fflush(file) == 0 && (!out->beside || fsync(fileno(file)) == 0);
    out->file = NULL;
    fine = fclose(file) == 0 && fine;
    fine = fine && (!out->beside || rename(out->beside, out->path) == 0);
    if (!fine) {
        failed(err, out->name, "writing failed");
        output_give_up(out);
        return NEY_EIO;
    }
    free(out->beside);
    out->beside = NULL;
    output_give_up(out);
    return NEY_OK;
}

void output_give_up(output *out)
{
    if (out->file && out->file != stdout) {
        fclose(out->file);
    }
    if (out->beside) {
        unlink(out->beside);
    }
    free(out->beside);
    free(out->path);
    *out = (output){0};
}
