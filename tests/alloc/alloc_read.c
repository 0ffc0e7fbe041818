/* Reading, with memory refused at every request: ENOMEM, nothing given, nothing left. */
#include "support/counting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>
#include <zstd.h>

#define SVMLIGHT "1 cost:2 1:0.5 3:-2\n-1 2:1\n1 qid:3 4:7 # tail\n-1 1:2 900:1\n"
#define TABLE                                                                                      \
    "label,colour,n,t\nyes,red,1,1700000001\nno,\"pale, "                                          \
    "blue\",?,1700000002\nyes,red,3,1700000003\n"
#define TABS "label\ta\tw\n1\t2\t1\n0\t3\t0.5\n"
#define PIN                                                                                        \
    "SpecId\tLabel\tScanNr\tscore\tcharge\tPeptide\tProteins\n"                                    \
    "s1\t1\t1\t0.5\t2\tA\tP1\tP2\ns2\t-1\t2\t-1.5\t3\tB\tP3\n"

#define USUAL .max_categories = 1000, .max_line = 64 /* the defaults */

typedef struct input {
    const char *name, *text;
    ney_read_opts opts;
} input;

/* clang-format off */
static const input inputs[] = {
    {"svmlight",           SVMLIGHT, {USUAL}},
    {"svmlight, filled",   "1 1:nan 2:1\n-1 1:2\n", {USUAL, .missing = NEY_MISSING_MEAN}},
    {"svmlight, no label", "1:1 2:2\n2:3\n", {USUAL}},
    {"csv, words, filled", TABLE,    {USUAL, .missing = NEY_MISSING_MEAN, .positive = "yes"}},
    {"csv, no header",     "1,2,0\n3,4,1\n", {USUAL, .no_header = true, .label = "3", .ignore = "2"}},
    {"tsv, weights",       TABS,     {USUAL, .weight = "w"}},
    {"pin",                PIN,      {USUAL}},
};
/* clang-format on */
enum { N_INPUTS = sizeof inputs / sizeof *inputs };

/* A reading to try: bytes in memory, a file or a pipe, with or without preprocessing. */
typedef struct reading {
    const input *in;
    const void *bytes;
    size_t n_bytes;
    const char *path; /* NULL: from memory */
    bool piped;
    const ney_preprocessing *preprocessing;
} reading;

/* Preprocessing settles gaps and what to ignore. */
static ney_read_opts opts_of(const reading *r)
{
    ney_read_opts o = r->in->opts;
    if (r->preprocessing) {
        o.missing = NEY_MISSING_ERROR;
        o.ignore = NULL;
    }
    return o;
}

static ney_status read_piped(ney_data **out, const reading *r, const ney_env *env, ney_error *err)
{
    int fd[2];
    char path[32];
    assert_int_equal(pipe(fd), 0);
    assert_int_equal(write(fd[1], r->bytes, r->n_bytes), r->n_bytes);
    close(fd[1]);
    snprintf(path, sizeof path, "/dev/fd/%d", fd[0]);
    const ney_read_opts opts = opts_of(r);
    const ney_status st = ney_data_read_with(out, env, path, &opts, r->preprocessing, err);
    close(fd[0]);
    return st;
}

static ney_status use_reading(const void *what, const ney_env *env, ney_error *err)
{
    const reading *r = what;
    const ney_read_opts opts = opts_of(r);
    ney_data *d = (ney_data *)(uintptr_t)1; /* must be set whatever happens */
    ney_status st;
    if (r->piped) {
        st = read_piped(&d, r, env, err);
    } else if (r->path) {
        st = ney_data_read_with(&d, env, r->path, &opts, r->preprocessing, err);
    } else {
        st = ney_data_parse_with(&d, env, r->in->name, r->bytes, r->n_bytes, &opts,
                                 r->preprocessing, err);
    }
    assert_true((st == NEY_OK) == (d != NULL));
    ney_data_free(d);
    return st;
}

static ney_data *prepared(const input *in, ney_scaling scaling)
{
    ney_data *d;
    assert_int_equal(
        ney_data_parse_with(&d, NULL, in->name, in->text, strlen(in->text), &in->opts, NULL, NULL),
        NEY_OK);
    assert_int_equal(ney_data_prepare(d, scaling, NULL, 0, NULL), NEY_OK);
    return d;
}

static void memory_of_parsing(void **state)
{
    (void)state;
    for (int i = 0; i < N_INPUTS; i++) {
        const reading r = {
            .in = &inputs[i], .bytes = inputs[i].text, .n_bytes = strlen(inputs[i].text)};
        sweep_memory(inputs[i].name, use_reading, &r);
    }
}

static void memory_of_a_preprocessing(void **state)
{
    (void)state;
    for (int i = 0; i < N_INPUTS; i++) {
        for (int scaling = NEY_SCALING_NONE; scaling <= NEY_SCALING_UNIT; scaling++) {
            ney_data *d = prepared(&inputs[i], (ney_scaling)scaling);
            const reading r = {.in = &inputs[i],
                               .bytes = inputs[i].text,
                               .n_bytes = strlen(inputs[i].text),
                               .preprocessing = ney_data_preprocessing(d)};
            sweep_memory(inputs[i].name, use_reading, &r);
            ney_data_free(d);
        }
    }
}

static size_t gzipped(const char *text, unsigned char *out, size_t room)
{
    z_stream z = {0};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)(uintptr_t)text;
    z.avail_in = (unsigned)strlen(text);
    z.next_out = out;
    z.avail_out = (unsigned)room;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return room - z.avail_out;
}

static void memory_of_decompression(void **state)
{
    (void)state;
    for (int i = 0; i < N_INPUTS; i++) {
        unsigned char packed[4096];
        const size_t n = strlen(inputs[i].text);
        reading r = {.in = &inputs[i], .bytes = packed};
        r.n_bytes = gzipped(inputs[i].text, packed, sizeof packed);
        sweep_memory("gzip", use_reading, &r);
        r.piped = true;
        sweep_memory("gzip through a pipe", use_reading, &r);
        r.piped = false;
        r.n_bytes = ZSTD_compress(packed, sizeof packed, inputs[i].text, n, 3);
        assert_false(ZSTD_isError(r.n_bytes));
        sweep_memory("zstd", use_reading, &r);
    }
}

static void memory_of_files_and_pipes(void **state)
{
    char path[] = "alloc_read.XXXXXX";
    const int fd = mkstemp(path);
    (void)state;
    assert_true(fd >= 0);
    for (int i = 0; i < N_INPUTS; i++) {
        const size_t n = strlen(inputs[i].text);
        reading r = {.in = &inputs[i], .bytes = inputs[i].text, .n_bytes = n, .path = path};
        assert_int_equal(ftruncate(fd, 0), 0);
        assert_int_equal(pwrite(fd, inputs[i].text, n, 0), n);
        sweep_memory("file", use_reading, &r);
        r.path = NULL;
        r.piped = true;
        sweep_memory("pipe", use_reading, &r);
    }
    close(fd);
    unlink(path);
}

/* Descriptions of what is read and of what is refused. */
static ney_status use_profile(const void *what, const ney_env *env, ney_error *err)
{
    const reading *r = what;
    const ney_read_opts opts = r->in->opts;
    ney_profile_input in = {.path = r->in->name,
                            .bytes = r->bytes,
                            .n_bytes = r->n_bytes,
                            .read = &opts,
                            .most_columns = 100};
    ney_result *root = NULL;
    ney_data *d = NULL;
    ney_status st = ney_result_new(&root, env, err);
    if (st == NEY_OK && r->piped) {
        st = ney_data_parse_with(&d, env, in.path, in.bytes, in.n_bytes, &opts, NULL, err);
    }
    in.data = d;
    if (st == NEY_OK) {
        st = ney_profile(root, env, &in, err);
    }
    ney_data_free(d);
    ney_result_free(root);
    return st;
}

static void memory_of_a_description(void **state)
{
    static const input broken[] = {
        {"csv, broken", "label,a,b\n1,x,3\n0,4\n2,5,6\n1,\"7\n", {USUAL}},
        {"svmlight, broken", "1 1:2\n-1 2:x\n3 1:1\n", {USUAL}},
    };
    (void)state;
    for (int i = 0; i < N_INPUTS + 2; i++) {
        const input *const in = i < N_INPUTS ? &inputs[i] : &broken[i - N_INPUTS];
        reading r = {.in = in, .bytes = in->text, .n_bytes = strlen(in->text)};
        sweep_memory(in->name, use_profile, &r);
        sweep_polls(in->name, use_profile, &r, false);
        r.piped = i < N_INPUTS; /* with data */
        sweep_memory(in->name, use_profile, &r);
    }
}

/* The same text twice, and the file of each row. */
static void memory_of_several_files(void **state)
{
    char one[] = "alloc_read.XXXXXX", other[] = "alloc_read.XXXXXX", list[64];
    const int fd[2] = {mkstemp(one), mkstemp(other)};
    (void)state;
    assert_true(fd[0] >= 0 && fd[1] >= 0);
    snprintf(list, sizeof list, "%s\n%s", one, other);
    for (int i = 0; i < N_INPUTS; i++) {
        input in = inputs[i];
        reading r = {.in = &in, .path = list};
        for (int k = 0; k < 2; k++) {
            assert_int_equal(ftruncate(fd[k], 0), 0);
            assert_int_equal(pwrite(fd[k], in.text, strlen(in.text), 0), strlen(in.text));
        }
        sweep_memory("two files", use_reading, &r);
        in.opts.keep = in.opts.group = "FILE";
        sweep_memory("two files and their names", use_reading, &r);
    }
    for (int k = 0; k < 2; k++) {
        close(fd[k]);
        unlink(k ? other : one);
    }
}

static void stop_while_reading(void **state)
{
    (void)state;
    for (int i = 0; i < N_INPUTS; i++) {
        reading r = {.in = &inputs[i], .bytes = inputs[i].text, .n_bytes = strlen(inputs[i].text)};
        assert_true(sweep_polls(inputs[i].name, use_reading, &r, false) > 0);
        r.piped = true;
        sweep_polls("pipe", use_reading, &r, false);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_parsing),       cmocka_unit_test(memory_of_a_preprocessing),
        cmocka_unit_test(memory_of_decompression), cmocka_unit_test(memory_of_files_and_pipes),
        cmocka_unit_test(memory_of_several_files), cmocka_unit_test(stop_while_reading),
        cmocka_unit_test(memory_of_a_description),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
