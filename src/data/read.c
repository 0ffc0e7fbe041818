/* Reading a whole data set into memory. */
#include "base/options.h"
#include "data/apply_preprocessing.h"
#include "data/builder.h"
#include "data/cache.h"
#include "data/npy_read.h"
#include "data/reader.h"
#include "data/shards.h"

#include <string.h>

/* Codes become signs, or go when they cannot be used. */
static void sign_labels(ney_data *d, const int8_t sign[2])
{
    if (sign[0] == 0) {
        ney_release(&d->env, d->label);
        d->label = NULL;
        return;
    }
    for (int64_t i = 0; i < d->x.rows; i++) {
        d->label[i] = sign[d->label[i]];
    }
}

static ney_status read_rows(ney_reader *r, ney_builder *b, ney_error *err)
{
    for (;;) {
        ney_rows *pieces;
        int n;
        ney_status st = ney_reader_next(r, &pieces, &n, err);
        if (st == NEY_OK && n > 0) {
            st = ney_builder_append(b, pieces, n, err);
        }
        if (st != NEY_OK || n == 0) {
            return st;
        }
    }
}

static ney_status read_text(ney_data **out, const ney_env *env, ney_files *files, ney_format format,
                            const ney_read_opts *opts, const ney_preprocessing *given,
                            ney_error *err)
{
    ney_reader *r = NULL;
    ney_builder b;
    ney_data *d = NULL;
    ney_error problem = {0};
    int8_t sign[2];
    ney_status st;

    ney_builder_init(&b, env);
    if ((st = ney_reader_new(&r, env, files, format, opts, given, err)) != NEY_OK ||
        (st = read_rows(r, &b, err)) != NEY_OK ||
        (st = ney_builder_finish(&b, ney_preprocessing_stored(given ? given : r->preprocessing), &d,
                                 err)) != NEY_OK ||
        (st = ney_reader_finish(r, d->x.cols, sign, &problem, err)) != NEY_OK) {
        goto done;
    }
    if (r->repeated >= 0) {
        const char *const name = r->table.column[r->repeated].name;
        if (!(d->repeated = ney_strdup(env, name, strlen(name)))) {
            st = ney_no_memory(err, 1, "column name");
            goto done;
        }
    }
    sign_labels(d, sign);
    d->no_label = problem;
    d->preprocessing = r->preprocessing;
    r->preprocessing = NULL;
    if (given) {
        st = ney_preprocessing_apply(
            d, given, format == NEY_FORMAT_SVMLIGHT ? NEY_ORIGIN_SVMLIGHT : NEY_ORIGIN_TABLE, err);
        st = ney_error_in(err, st, ney_files_title(files));
    }

done:
    if (st == NEY_OK) {
        *out = d;
    } else {
        ney_data_free(d);
    }
    ney_builder_deinit(&b);
    ney_reader_free(r);
    return st;
}

ney_status ney_data_read_with(ney_data **out, const ney_env *env, const char *path,
                              const ney_read_opts *opts, const ney_preprocessing *preprocessing,
                              ney_error *err)
{
    const ney_env e = ney_env_of(env);
    const ney_read_opts o = ney_read_opts_or_default(opts);
    ney_files *files = NULL;
    ney_format format;
    ney_status st;

    *out = NULL;
    if (e.comm) {
        return ney_shards_read(out, &e, path, &o, preprocessing, err);
    }
    if ((st = ney_open_input(&files, &format, &e, path, &o, preprocessing != NULL, err)) !=
        NEY_OK) {
        return st;
    }
    if (format == NEY_FORMAT_CACHE) {
        st = ney_refuse_packed_cache(files, path, err);
        ney_files_close(files);
        return st == NEY_OK ? ney_cache_load(out, &e, path, &o, preprocessing, err) : st;
    }
    if (ney_format_is_numpy(format)) {
        return ney_numpy_read(out, &e, ney_files_take(files), format, &o, preprocessing, err);
    }
    return read_text(out, &e, files, format, &o, preprocessing, err);
}

ney_status ney_data_parse_with(ney_data **out, const ney_env *env, const char *name,
                               const void *bytes, size_t n_bytes, const ney_read_opts *opts,
                               const ney_preprocessing *preprocessing, ney_error *err)
{
    const ney_env e = ney_env_of(env);
    const ney_read_opts o = ney_read_opts_or_default(opts);
    ney_files *files = NULL;
    ney_format format;
    ney_status st;

    *out = NULL;
    if (o.decoys) {
        return ney_fail(err, NEY_EINVAL, "--decoys names files, and the data are in memory: label "
                                         "the rows, or read files");
    }
    if ((st = ney_files_view(&files, &e, name, bytes, (int64_t)n_bytes, err)) != NEY_OK ||
        (st = ney_open_input(&files, &format, &e, NULL, &o, preprocessing != NULL, err)) !=
            NEY_OK) {
        return st;
    }
    if (format == NEY_FORMAT_CACHE) {
        ney_files_close(files);
        return ney_fail_at(err, NEY_EFORMAT, (ney_place){.file = name},
                           "is a cache, which is read from a file only");
    }
    if (ney_format_is_numpy(format)) {
        return ney_numpy_read(out, &e, ney_files_take(files), format, &o, preprocessing, err);
    }
    return read_text(out, &e, files, format, &o, preprocessing, err);
}

ney_status ney_data_read(ney_data **out, const ney_env *env, const char *path,
                         const ney_options *options, const ney_preprocessing *preprocessing,
                         ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out && path, err);
    return ney_data_read_with(out, env, path, ney_options_values(options, ney_read_params),
                              preprocessing, err);
}

ney_status ney_data_parse(ney_data **out, const ney_env *env, const char *name, const void *bytes,
                          size_t n_bytes, const ney_options *options,
                          const ney_preprocessing *preprocessing, ney_error *err)
{
    NEY_CLEAR(out);
    NEY_REQUIRE(out && name && (bytes || n_bytes == 0), err);
    return ney_data_parse_with(out, env, name, bytes, n_bytes,
                               ney_options_values(options, ney_read_params), preprocessing, err);
}
