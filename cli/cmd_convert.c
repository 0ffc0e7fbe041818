/* neyman convert: from any data format to any other, and to the binary cache. */
#include <neyman/experimental/comm.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "commands.h"
#include "output.h"
#include "result.h"
#include "train_stream.h"

typedef struct convert_args {
    int to;         /* ney_format */
    int64_t shards; /* 0: one file */
} convert_args;

/* clang-format off */
static const ney_param own_rows[] = {
    /* name  flag kind             offset                      default low high arg  choices help */
    {"to",    0,  NEY_KIND_CHOICE, offsetof(convert_args, to), 0, 0, 0, "FORMAT", "auto svmlight csv tsv pin cache npy npz",
        "format to write; auto: by the name of OUT (.svm .svmlight .libsvm .csv .tsv .pin .ney .npy .npz)"},
    {"shards", 0, NEY_KIND_INT, offsetof(convert_args, shards), 0, 0, 1000, "N", NULL,
        "write N caches, for the processes of neyman-mpi: OUT has a number in its name, such as part-%04d.ney, from 0 on. Shards hold consecutive rows, with --group whole groups"},
};
/* clang-format on */

static const option_set own_options = {
    .title = "Output", .rows = own_rows, .n_rows = COUNT(own_rows), .bytes = sizeof(convert_args)};

static bool ends_with(const char *text, const char *ending)
{
    const size_t n = strlen(text), m = strlen(ending);

    return n > m && strcmp(text + n - m, ending) == 0;
}

static ney_format format_to_write(const convert_args *args, const char *path)
{
    return args->to == NEY_FORMAT_AUTO ? ney_format_of_name(path) : (ney_format)args->to;
}

/* Refuse a target that cannot be written before IN is read. */
static int check_target(session *s, const char *path, ney_format format)
{
    if (ends_with(path, ".gz") || ends_with(path, ".zst")) {
        return session_misused(s,
                               "'%s': compressed files are read but not written; write to - and "
                               "pipe into gzip or zstd",
                               path);
    }
    if (format == NEY_FORMAT_AUTO) {
        return session_misused(
            s,
            "the name '%s' does not determine the format to write; expected --to svmlight, csv, "
            "tsv, pin, cache, npy or npz, or a name that ends in one of %s",
            path, ".svm .svmlight .libsvm .csv .tsv .pin .ney .npy .npz");
    }
    if (format == NEY_FORMAT_CACHE && output_is_stdout(path)) {
        return session_misused(s, "a cache cannot be written to standard output; name a file");
    }
    return EXIT_OK;
}

/* Shards are caches. */
static int check_shards(session *s, const char *out, ney_format format)
{
    char *const name = ney_numbered_name(&s->env, out, 0);
    const bool fits = name && !output_is_stdout(out);

    ney_free(&s->env, name);
    if (!fits) {
        return session_misused(s,
                               "--shards: '%s' has no number, expected a name such as "
                               "part-%%04d.ney",
                               out);
    }
    return format == NEY_FORMAT_CACHE || format == NEY_FORMAT_AUTO
               ? EXIT_OK
               : session_misused(s, "--shards writes caches: expected --to cache, or a name that "
                                    "ends in .ney");
}

/* Shape and classes; a warning where a table has no label column. */
static void add_shape(session *s, ney_result *root, const ney_preprocessing *preprocessing,
                      int64_t rows, bool table)
{
    const char *positive = ney_preprocessing_label(preprocessing, 1),
               *negative = ney_preprocessing_label(preprocessing, -1);
    const bool labelled = positive[0] || negative[0];

    ney_result_add_int(root, "n", rows);
    ney_result_add_int(root, "cols", ney_preprocessing_cols(preprocessing));
    ney_result_add_bool(root, "labelled", labelled);
    result_name(root, "positive", positive);
    result_name(root, "negative", negative);
    if (table && !labelled) {
        session_say(s, NEY_LOG_WARNING,
                    "no label column: all columns are features; name one with --label COLUMN");
    }
}

/* Whether the columns have names of their own, not numbers from 1 on as those of svmlight do. */
static bool has_names(const ney_preprocessing *preprocessing)
{
    char name[64] = "1";

    if (ney_preprocessing_cols(preprocessing) > 0) {
        ney_preprocessing_feature(preprocessing, 0, name, sizeof name);
    }
    return strcmp(name, "1") != 0;
}

/* What cannot be converted is an error of the input, not of usage. */
static ney_status blame_input(session *s, ney_status status)
{
    if (status == NEY_EINVAL && s->err.file[0]) {
        s->err.code = NEY_EPARSE;
        return NEY_EPARSE;
    }
    return status;
}

static ney_status build_cache(session *s, const char *in, const char *out, ney_result *root)
{
    const ney_read_opts *read = options_of(s->call, &read_options);
    ney_cache *cache = NULL;
    ney_status st;

    if ((st = ney_cache_build_with(&s->env, in, out, read, &s->err)) != NEY_OK) {
        return blame_input(s, st);
    }
    if ((st = ney_cache_open(&cache, &s->env, out, &s->err)) == NEY_OK) {
        const ney_preprocessing *preprocessing = ney_cache_preprocessing(cache);
        add_shape(s, root, preprocessing, ney_cache_rows(cache), has_names(preprocessing));
        ney_result_add_int(root, "blocks", ney_cache_blocks(cache));
        ney_cache_close(cache);
    }
    return st;
}

static ney_status split_cache(session *s, const char *all, const char *out, ney_result *root)
{
    const convert_args *args = options_of(s->call, &own_options);
    ney_cache *cache = NULL;
    ney_status st = ney_cache_split(&s->env, all, out, args->shards, &s->err);

    if (st == NEY_OK && (st = ney_cache_open(&cache, &s->env, all, &s->err)) == NEY_OK) {
        const ney_preprocessing *preprocessing = ney_cache_preprocessing(cache);
        add_shape(s, root, preprocessing, ney_cache_rows(cache), has_names(preprocessing));
        ney_result_add_int(root, "shards", args->shards);
        ney_cache_close(cache);
    }
    return st;
}

static ney_status build_shards(session *s, const char *in, const char *out, ney_result *root)
{
    if (stream_is_cache(in)) {
        return split_cache(s, in, out, root);
    }
    char *const first = ney_numbered_name(&s->env, out, 0);
    row_file whole = {.fd = -1}; /* all rows, beside the shards */
    ney_status st =
        first
            ? blame_input(s, row_file_new(&whole, s, in, first, options_of(s->call, &read_options)))
            : out_of_memory(&s->err, "the name of a file");

    if (st == NEY_OK) {
        st = split_cache(s, whole.path, out, root);
        if (st != NEY_OK && strcmp(s->err.file, whole.path) == 0) {
            snprintf(s->err.file, sizeof s->err.file, "%s", in);
        }
    }
    stream_close(&whole);
    ney_free(&s->env, first);
    return st;
}

static ney_status rewrite(session *s, const char *in, const char *out, ney_format format,
                          ney_result *root)
{
    const ney_read_opts *read = options_of(s->call, &read_options);
    ney_data *data = NULL;
    ney_status st;

    if ((st = ney_data_read_with(&data, &s->env, in, read, NULL, &s->err)) != NEY_OK) {
        return st;
    }
    const ney_format from = ney_data_format(data);
    add_shape(s, root, ney_data_preprocessing(data), ney_data_matrix(data)->rows,
              from == NEY_FORMAT_CSV || from == NEY_FORMAT_TSV);
    st = blame_input(s, ney_data_write(data, &s->env, out, format, &s->err));
    ney_data_free(data);
    return st;
}

static int run(session *s)
{
    const convert_args *args = options_of(s->call, &own_options);
    const char *in = s->call->operands[0], *out = s->call->operands[1];
    const ney_format format = format_to_write(args, out);
    const int code = args->shards > 0 ? check_shards(s, out, format) : check_target(s, out, format);
    ney_status st;

    if (code != EXIT_OK) {
        return code;
    }
    if (output_is_stdout(out) && s->common->json) {
        return session_misused(s, "--json and the data cannot share standard output; name a file");
    }
    ney_result *root = result_new();
    char *const first = args->shards > 0 ? ney_numbered_name(&s->env, out, 0) : NULL;
    st = output_check(first ? first : out, &s->err);
    ney_free(&s->env, first);
    if (st == NEY_OK) {
        st = args->shards > 0             ? build_shards(s, in, out, root)
             : format == NEY_FORMAT_CACHE ? build_cache(s, in, out, root)
                                          : rewrite(s, in, out, format, root);
    }
    if (st != NEY_OK || output_is_stdout(out)) {
        ney_result_free(root);
        return st == NEY_OK ? EXIT_OK : session_fail(s, st);
    }
    ney_result_add_text(root, "output", out);
    ney_result_add_real(root, "seconds", session_seconds(s));
    result_print(s, root);
    return EXIT_OK;
}

const command command_convert = {
    .name = "convert",
    .operands = "IN... OUT",
    .group = "Files",
    .summary = "convert a data file to another format",
    .description =
        "Reads IN in any format and writes OUT in the format of its name (.svm .svmlight .libsvm "
        ".csv .tsv .pin .ney), or of --to. - is standard input or output. The binary cache (.ney) "
        "opens within milliseconds and is made in bounded memory: IN may be larger than memory.",
    .details =
        "Features are written unscaled; a column of categories becomes one column per value. A "
        "cache has a checksum per block.\n\n"
        "With --shards the rows are first written to one cache beside the shards, unless IN is a "
        "cache, so that the disk must hold them twice meanwhile. All shards have the columns, "
        "categories and labels of the whole file.",
    .everyday = "to shards label positive id group ignore format json help",
    .examples = {{"A cache for repeated runs:", "neyman convert train.svm.gz train.ney"},
                 {"A table to svmlight text:", "neyman convert mail.csv mail.svm --label class"},
                 {"Eight shards for neyman-mpi:",
                  "neyman convert train.svm.gz part-%04d.ney --shards 8"},
                 {"Compressed:", "neyman convert mail.csv - --to svmlight | zstd > mail.svm.zst"}},
    .exits = {EXIT_FAILED, EXIT_USAGE, EXIT_INPUT, EXIT_INTERRUPTED},
    .sets = {&own_options, &read_options, &target_options},
    .run = run,
};
