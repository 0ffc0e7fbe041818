/* What programs write through: an outfile behind a handle. */
#include "base/file.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct ney_output {
    ney_outfile file;
};

bool ney_output_is_stdout(const char *path)
{
    if (!path) {
        return false;
    }
    struct stat named, standard, nothing;

    if (strcmp(path, "-") == 0) {
        return true;
    }
    if (stat(path, &named) != 0 || fstat(STDOUT_FILENO, &standard) != 0 ||
        named.st_dev != standard.st_dev || named.st_ino != standard.st_ino) {
        return false;
    }
    /* Two outputs to /dev/null share a device, but not a stream. */
    return stat("/dev/null", &nothing) != 0 || named.st_dev != nothing.st_dev ||
           named.st_ino != nothing.st_ino;
}

ney_status ney_output_open(ney_output **out, const ney_env *env, const char *path, ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out && path, err);
    const ney_env own = ney_env_of(env);

    *out = NULL;
    ney_output *o = ney_alloc_zeroed(&own, 1, sizeof *o);
    if (!o) {
        return ney_no_memory(err, 1, "output file");
    }
    const ney_status st = ney_outfile_open(&o->file, &own, path, err);
    if (st != NEY_OK) {
        ney_release(&own, o);
        return st;
    }
    *out = o;
    return NEY_OK;
}

ney_status ney_output_write(ney_output *o, const void *bytes, int64_t n_bytes, ney_error *err)
{
    NEY_REQUIRE(o, err);
    return ney_outfile_write(&o->file, bytes, n_bytes, err);
}

ney_status ney_output_commit(ney_output *o, ney_error *err)
{
    NEY_REQUIRE(o, err);
    const ney_env env = o->file.env;
    const ney_status st = ney_outfile_commit(&o->file, err);

    ney_release(&env, o);
    return st;
}

void ney_output_discard(ney_output *o)
{
    if (o) {
        const ney_env env = o->file.env;
        ney_outfile_discard(&o->file);
        ney_release(&env, o);
    }
}
