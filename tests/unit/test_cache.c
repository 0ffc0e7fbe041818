/* The cache: what comes out is what went in, and damage is told. */
#include "base/little.h"
#include "data/cache.h"
#include "data/data.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/same.h"
#include "support/temp.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

static const char *const texts[] = {
    "1 1:1 2:2.5\n-1 1:3 2:-4\n",               /* dense */
    "1 1:1 200:2.5\n-1 cost:2 77:3\n1 400:0\n", /* sparse, weighted */
    "1 3:1e-60 4:0\n-1 1:1 2:1 3:1\n",          /* a zero for floats */
    "1:1 2:2\n\n2:3\n",                         /* unlabelled */
    "label,a,far,k\n1,1,1600000001,x\n-1,2,1600000002.5,\"y z\"\n1,3,1600000003,x\n",
    "SpecId\tLabel\tScanNr\tf\tPeptide\tProteins\na\t1\t7\t1\tP\tQ\tR\nb\t-1\t8\t2\tS\tT\n",
    "label,a\n1,2\n", /* one row */
};
enum { N_TEXTS = sizeof texts / sizeof *texts };

static void build(const char *in, const char *out, const ney_read_opts *o)
{
    ney_error err;
    if (ney_cache_build_with(NULL, in, out, o, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
}

static void loads_what_was_read(void **state)
{
    (void)state;
    for (int k = 0; k < N_TEXTS; k++) {
        char in[512], out[512], copy[512];
        strcpy(in, temp_text("in", texts[k]));
        strcpy(out, temp_path("out.ney"));
        strcpy(copy, temp_path("copy.ney"));
        build(in, out, NULL);
        ney_data *d = read_file(in, NULL, 1), *e = read_file(out, NULL, 2);
        assert_same_data(d, e);
        assert_same_preprocessing(ney_data_preprocessing(d), ney_data_preprocessing(e));
        assert_int_equal(ney_data_write(d, NULL, copy, NEY_FORMAT_AUTO, NULL), NEY_OK);
        ney_data *f = read_file(copy, NULL, 1);
        assert_same_data(d, f);
        assert_same_preprocessing(ney_data_preprocessing(d), ney_data_preprocessing(f));
        ney_data_free(f);
        if (ney_data_matrix(d)->rows > 0) { /* the cache follows a model as the text does */
            assert_int_equal(ney_data_prepare(d, NEY_SCALING_STANDARD, NULL, 0, NULL), NEY_OK);
            assert_int_equal(
                ney_data_read_with(&f, NULL, out, NULL, ney_data_preprocessing(d), NULL), NEY_OK);
            assert_same_data(d, f);
            ney_data_free(f);
        }
        ney_data_free(d);
        ney_data_free(e);
    }
}

/* The same bytes on every machine: hashes of what an x86-64 wrote. */
static void has_the_same_bytes_everywhere(void **state)
{
    static const uint64_t expected[N_TEXTS] = {
        UINT64_C(0xdbff24d87281de6b), UINT64_C(0x2b2d06e26852958e), UINT64_C(0x9075181b30787a52),
        UINT64_C(0x5f02d9cffd3b9f2a), UINT64_C(0x14e5787bef1b7080), UINT64_C(0x50ab3045febc7f3a),
        UINT64_C(0xa68a25b1906560ea)};
    (void)state;
    for (int k = 0; k < N_TEXTS; k++) {
        char path[512];
        size_t n;
        strcpy(path, temp_path("bytes.ney"));
        build(temp_text("in", texts[k]), path, NULL);
        char *bytes = slurp(path, &n);
        assert_int_equal(XXH3_64bits(bytes, n), expected[k]);
        free(bytes);
    }
}

static void a_cache_of_no_rows_is_one(void **state)
{
    char path[512];
    ney_data *d = parse("label,a\n1,2\n", NULL), *none;
    (void)state;
    strcpy(path, temp_path("none.ney"));
    assert_int_equal(ney_data_take(&none, d, NULL, 0, NULL), NEY_OK);
    assert_int_equal(ney_data_write(none, NULL, path, NEY_FORMAT_AUTO, NULL), NEY_OK);
    ney_data *again = read_file(path, NULL, 1);
    assert_int_equal(ney_data_matrix(again)->rows, 0);
    assert_int_equal(ney_data_matrix(again)->cols, 1);
    ney_data_free(again);
    ney_data_free(none);
    ney_data_free(d);
}

/* What was kept for a look must not reach a model that was trained without gaps. */
static void gaps_in_a_cache_are_refused_by_a_model(void **state)
{
    static const struct {
        const char *words, *part;
        bool filled, good;
    } cases[] = {
        {"1 1:1\n-1 1:2\n1 1:nan\n", "row 3: column 'c1' is missing", false, false},
        {"1 1:1\n-1 1:2\n1 1:nan\n", "", true, true},
        {"1 1:inf\n-1 1:2\n", "row 1: column 'c1' is infinite", false, false},
        {"1 1:1\n-1 1:2\n1 1:-inf\n", "row 3: column 'c1' is infinite", true, false},
    };
    char path[512];
    (void)state;
    strcpy(path, temp_path("gaps.ney"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ney_read_opts o = read_defaults();
        ney_error err = {0};
        ney_data *d = NULL;
        o.missing = cases[i].filled ? NEY_MISSING_MEAN : NEY_MISSING_ERROR;
        ney_data *model = parse("1 1:1\n-1 1:2\n", &o);
        assert_int_equal(ney_data_prepare(model, NEY_SCALING_NONE, NULL, 0, NULL), NEY_OK);
        o.missing = NEY_MISSING_KEEP;
        build(temp_text("in", cases[i].words), path, &o);
        o = read_defaults();
        assert_int_equal(
            ney_data_read_with(&d, NULL, path, &o, ney_data_preprocessing(model), &err),
            cases[i].good ? NEY_OK : NEY_EPARSE);
        assert_non_null(strstr(err.message, cases[i].part));
        assert_true(cases[i].good || strstr(err.file, "gaps.ney"));
        ney_data_free(d);
        ney_data_free(model);
    }
}

static void caches_are_read_from_plain_files(void **state)
{
    char path[512];
    size_t n, n_packed;
    ney_data *d;
    ney_error err;
    (void)state;
    strcpy(path, temp_path("plain.ney"));
    build(temp_text("in", texts[0]), path, NULL);
    char *bytes = slurp(path, &n), *packed = gzip_of(bytes, n, &n_packed);
    const int fd = open(path, O_RDONLY), kept = dup(STDIN_FILENO);
    assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    assert_int_equal(ney_data_read_with(&d, NULL, "-", NULL, NULL, &err), NEY_EFORMAT);
    dup2(kept, STDIN_FILENO);
    close(kept);
    close(fd);
    assert_non_null(strstr(err.message, "not from standard input"));
    assert_int_equal(
        ney_data_read_with(&d, NULL, temp_file("c.ney.gz", packed, n_packed), NULL, NULL, &err),
        NEY_EFORMAT);
    assert_non_null(strstr(err.message, "is a compressed cache: unpack it first"));
    free(bytes);
    free(packed);
}

static void options_hold_for_caches(void **state)
{
    char in[512], out[512];
    ney_read_opts o = read_defaults();
    ney_error err;
    ney_data *d;
    (void)state;
    strcpy(in, temp_text("in", "1 1:1\n-1 1:nan 2:3\n"));
    strcpy(out, temp_path("opts.ney"));
    o.missing = NEY_MISSING_MEAN;
    build(in, out, &o);
    ney_data *a = read_file(in, &o, 1), *b = read_file(out, NULL, 1);
    assert_same_data(a, b);
    assert_same_preprocessing(ney_data_preprocessing(a), ney_data_preprocessing(b));
    assert_int_equal(ney_data_prepare(b, NEY_SCALING_NONE, NULL, 0, NULL), NEY_OK);
    assert_true(cell(b, 1, 0) == 1);
    ney_data_free(a);
    ney_data_free(b);
    o.positive = "-1"; /* on every format */
    a = read_file(in, &o, 1);
    b = read_file(out, &o, 1);
    assert_same_data(a, b);
    assert_same_preprocessing(ney_data_preprocessing(a), ney_data_preprocessing(b));
    assert_int_equal(ney_data_label(b)[1], 1);
    ney_data_free(a);
    ney_data_free(b);
    o.positive = "7";
    assert_int_equal(ney_data_read_with(&d, NULL, out, &o, NULL, &err), NEY_EPARSE);
    assert_non_null(strstr(err.message, "expected '7'"));
    o = read_defaults();
    o.missing = NEY_MISSING_KEEP;
    build(in, out, &o);
    o.missing = NEY_MISSING_MEAN; /* what was kept can be filled later */
    b = read_file(out, &o, 1);
    assert_int_equal(ney_data_prepare(b, NEY_SCALING_NONE, NULL, 0, NULL), NEY_OK);
    assert_true(cell(b, 1, 0) == 1);
    ney_data_free(b);
    o.format = NEY_FORMAT_CSV;
    assert_int_equal(ney_data_read_with(&d, NULL, out, &o, NULL, &err), NEY_EFORMAT);
    o.format = NEY_FORMAT_CACHE;
    assert_int_equal(ney_data_read_with(&d, NULL, in, &o, NULL, &err), NEY_EFORMAT);
    assert_int_equal(ney_cache_build_with(NULL, out, temp_path("twice.ney"), NULL, &err),
                     NEY_EINVAL);
    assert_int_not_equal(access(temp_path("twice.ney"), F_OK), 0);
}

static void a_model_decides_the_signs(void **state)
{
    char path[512];
    ney_read_opts o = read_defaults();
    (void)state;
    strcpy(path, temp_path("signs.ney"));
    build(temp_text("in", "1 1:1\n-1 1:2\n"), path, NULL);
    o.positive = "-1";
    ney_data *model = parse("1 1:1\n-1 1:2\n", &o), *d;
    assert_int_equal(ney_data_read_with(&d, NULL, path, NULL, ney_data_preprocessing(model), NULL),
                     NEY_OK);
    assert_true(ney_data_label(d)[0] == -1 && ney_data_label(d)[1] == 1);
    ney_data_free(d);
    ney_data *other = parse("label,a\ncat,1\ndog,2\n", NULL);
    assert_int_equal(ney_data_read_with(&d, NULL, path, NULL, ney_data_preprocessing(other), NULL),
                     NEY_OK);
    assert_null(ney_data_label(d));
    ney_error err;
    assert_int_equal(ney_data_unlabelled(d, &err), NEY_EPARSE);
    assert_non_null(strstr(err.message, "expected 'cat' and 'dog' as in training"));
    ney_data_free(d);
    ney_data_free(other);
    ney_data_free(model);
}

/* Many blocks, one by one. */
static void blocks_make_the_whole(void **state)
{
    rnd r = rnd_new(901);
    text t = {0};
    char in[512], out[512];
    (void)state;
    while (t.length < 20000000) {
        text_printf(&t, "%s 1:%d 2:%d %d:1\n", rnd_chance(&r, 0.5) ? "1" : "-1 cost:3",
                    (int)rnd_below(&r, 1000), (int)rnd_below(&r, 3),
                    3 + (int)rnd_below(&r, t.length < 9000000 ? 2 : 3000));
    }
    strcpy(in, temp_file("many", t.bytes, t.length));
    strcpy(out, temp_path("many.ney"));
    text_free(&t);
    build(in, out, NULL);
    ney_data *d = read_file(in, NULL, 2), *e = read_file(out, NULL, 3);
    assert_same_data(d, e);
    ney_data_free(e);
    ney_cache *c;
    ney_error err;
    ney_block b;
    assert_int_equal(ney_cache_open(&c, NULL, out, &err), NEY_OK);
    assert_int_equal(ney_cache_rows(c), ney_data_matrix(d)->rows);
    assert_int_equal(ney_cache_cols(c), ney_data_matrix(d)->cols);
    assert_true(ney_cache_blocks(c) > 1);
    assert_same_preprocessing(ney_cache_preprocessing(c), ney_data_preprocessing(d));
    int64_t row = 0;
    for (int64_t k = 0; k < ney_cache_blocks(c); k++) {
        assert_int_equal(ney_cache_block(c, k, &b, &err), NEY_OK);
        assert_int_equal(b.first_row, row);
        for (int64_t i = 0; i < b.x.rows; i += 101) {
            assert_int_equal(b.label[i], ney_data_label(d)[row + i]);
            assert_true(b.weight[i] == ney_data_weight(d)[row + i]);
            float sum = 0, wanted = 0;
            for (int64_t j = b.x.dense ? 0 : b.x.start[i];
                 j < (b.x.dense ? b.x.cols : b.x.start[i + 1]); j++) {
                sum += b.x.dense ? b.x.dense[i * b.x.cols + j] * (float)(j + 1)
                                 : b.x.value[j] * (float)(b.x.index[j] + 1);
            }
            const ney_matrix *x = ney_data_matrix(d);
            for (int64_t j = x->start[row + i]; j < x->start[row + i + 1]; j++) {
                wanted += x->value[j] * (float)(x->index[j] + 1);
            }
            assert_true(sum == wanted);
        }
        row += b.x.rows;
    }
    assert_int_equal(row, ney_cache_rows(c));
    assert_int_equal(ney_cache_block(c, -1, &b, &err), NEY_EINVAL);
    assert_int_equal(ney_cache_block(c, ney_cache_blocks(c), &b, &err), NEY_EINVAL);
    ney_cache_close(c);
    ney_cache_close(NULL);
    ney_data_free(d);
}

static void poke(const char *path, size_t at, char byte)
{
    const int fd = open(path, O_WRONLY);
    assert_true(fd >= 0 && pwrite(fd, &byte, 1, (off_t)at) == 1);
    close(fd);
}

/* Every cut and every flipped byte: refused, or the same data as before. */
static void damage_is_told(void **state)
{
    (void)state;
    for (int k = 0; k < N_TEXTS; k++) {
        char path[512];
        size_t n;
        strcpy(path, temp_path("small.ney"));
        build(temp_text("in", texts[k]), path, NULL);
        ney_data *whole = read_file(path, NULL, 1), *d;
        char *bytes = slurp(path, &n);
        ney_error err;
        int64_t harmless = 0;
        strcpy(path, temp_file("broken.ney", bytes, n));
        for (size_t at = 0; at < n; at++) {
            poke(path, at, (char)(bytes[at] ^ 0x41));
            ney_cache *c;
            ney_block b;
            if (ney_data_read_with(&d, NULL, path, NULL, NULL, &err) == NEY_OK) {
                harmless++; /* padding between header and first block */
                assert_same_data(whole, d);
                assert_same_preprocessing(ney_data_preprocessing(whole), ney_data_preprocessing(d));
                ney_data_free(d);
            }
            if (ney_cache_open(&c, NULL, path, &err) == NEY_OK) {
                for (int64_t i = 0; i < ney_cache_blocks(c); i++) {
                    (void)!ney_cache_block(c, i, &b, &err);
                }
                ney_cache_close(c);
            }
            poke(path, at, bytes[at]);
        }
        for (size_t cut = n - 1; cut >= 8; cut--) { /* less than its magic is no cache at all */
            assert_int_equal(truncate(path, (off_t)cut), 0);
            assert_int_equal(ney_data_read_with(&d, NULL, path, NULL, NULL, &err), NEY_EFORMAT);
            assert_null(d);
        }
        assert_true(harmless <= 128 - (int64_t)sizeof(ney_cache_header));
        free(bytes);
        ney_data_free(whole);
    }
}

/* Change the header and make its checksum fit. */
static ney_status read_forged(const char *bytes, size_t n, const ney_cache_header *forged,
                              ney_error *err)
{
    char *copy = malloc(n);
    ney_cache_header h = *forged;
    ney_data *d;
    ney_cache_order_header(&h);
    h.checksum = XXH3_64bits(&h, offsetof(ney_cache_header, checksum));
    ney_order_bytes(&h.checksum, 1, sizeof h.checksum);
    memcpy(copy, bytes, n);
    memcpy(copy, &h, sizeof h);
    temp_file("forged.ney", copy, n);
    free(copy);
    const ney_status st = ney_data_read_with(&d, NULL, temp_path("forged.ney"), NULL, NULL, err);
    ney_data_free(d);
    return st;
}

static void forged_headers_are_refused(void **state)
{
    char path[512];
    size_t n;
    ney_error err;
    ney_cache_header h, f;
    (void)state;
    strcpy(path, temp_path("honest.ney"));
    build(temp_text("in", texts[0]), path, NULL);
    char *bytes = slurp(path, &n);
    memcpy(&h, bytes, sizeof h);
    ney_cache_order_header(&h);
    assert_int_equal(read_forged(bytes, n, &h, &err), NEY_OK);
    f = h;
    f.version = NEY_CACHE_VERSION + 1;
    assert_int_equal(read_forged(bytes, n, &f, &err), NEY_EFORMAT);
    assert_non_null(strstr(err.message, "use a newer neyman"));
    int64_t *const fields[] = {&f.rows,     &f.cols,        &f.entries,
                               &f.n_blocks, &f.tail_offset, &f.preprocessing_bytes};
    static const int64_t wrong[] = {-1, 0, 1, 7, INT64_MAX, INT64_MIN, INT64_MAX / 8, 1 << 20};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
            f = h;
            *fields[i] = wrong[k];
            if (memcmp(&f, &h, sizeof f) != 0) {
                assert_int_equal(read_forged(bytes, n, &f, &err), NEY_EFORMAT);
            }
        }
    }
    f = h;
    f.sign[0] = 5;
    assert_int_equal(read_forged(bytes, n, &f, &err), NEY_EFORMAT);
    free(bytes);
}

static void nothing_is_left_of_a_failed_build(void **state)
{
    ney_error err;
    char in[512], out[512];
    (void)state;
    strcpy(in, temp_text("bad", "1 1:1\n-1 1:x\n"));
    strcpy(out, temp_text("kept.ney", "old"));
    const int before = temp_count();
    assert_int_equal(ney_cache_build_with(NULL, in, out, NULL, &err), NEY_EPARSE);
    assert_int_equal(err.line, 2);
    assert_int_equal(temp_count(), before);
    size_t n;
    char *bytes = slurp(out, &n);
    assert_string_equal(bytes, "old");
    free(bytes);
    assert_int_equal(ney_cache_build_with(NULL, temp_path("none"), out, NULL, &err), NEY_EIO);
    strcpy(in, temp_text("good", "1 1:1\n"));
    assert_int_equal(ney_cache_build_with(NULL, in, "-", NULL, &err), NEY_EIO);
    assert_int_equal(ney_cache_build_with(NULL, in, temp_path("no/where"), NULL, &err), NEY_EIO);
}

/* Another process cuts the cache, or fills its blocks with other bytes, at one of the calls of
 * poll(): every one in turn. */
typedef struct vandal {
    const char *path;
    int64_t calls, at;
    bool cut;
} vandal;

static void spoil(const vandal *v)
{
    if (v->cut) {
        assert_int_equal(truncate(v->path, 200), 0);
        return;
    }
    const int fd = open(v->path, O_WRONLY);
    char bytes[4096];
    memset(bytes, 0x7b, sizeof bytes);
    for (off_t at = 128; at < 40000; at += (off_t)sizeof bytes) {
        assert_int_equal(pwrite(fd, bytes, sizeof bytes, at), sizeof bytes);
    }
    close(fd);
}

static bool poll_and_spoil(void *user, const ney_progress *progress)
{
    vandal *v = user;
    (void)progress;
    if (v->calls++ == v->at) {
        spoil(v);
    }
    return true;
}

/* Returns whether it was refused. */
static bool train_beside(vandal *v, const char *bytes, size_t n)
{
    ney_env env = ney_env_default();
    ney_train_opts o;
    ney_model *m = NULL;
    ney_error err = {0};
    int64_t n_params;
    const ney_param *params = ney_train_params(&n_params);
    ney_params_init(params, n_params, &o);
    o.method = NEY_METHOD_ONLINE;
    o.max_fpr = 0.3;
    o.epochs = 2;
    env.user = v;
    env.poll = poll_and_spoil;
    env.threads = 2;
    v->path = temp_file("beside.ney", bytes, n);
    v->calls = 0;
    const ney_status st =
        ney_train_cache(&m, &env, v->path, NULL, NEY_SCALING_STANDARD, &o, NULL, &err);
    if (st != NEY_OK) {
        assert_null(m);
        assert_int_equal(st, NEY_EFORMAT);
        assert_non_null(strstr(err.file, "beside.ney"));
    }
    ney_model_free(m);
    return st != NEY_OK;
}

static void a_cache_cut_or_changed_while_read_is_an_error(void **state)
{
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        text t = {0};
        char in[512], out[512];
        size_t n;
        for (int i = 0; i < 3000; i++) {
            text_printf(&t, "%d 1:%d %d:%d %d:1\n", i % 2 ? 1 : -1, i % 7, kind % 2 ? 900 : 2,
                        i % 5 + 3 * (i % 2), kind % 2 ? 901 : 3);
        }
        strcpy(in, temp_file("whole", t.bytes, t.length));
        strcpy(out, temp_path("whole.ney"));
        text_free(&t);
        build(in, out, NULL);
        char *bytes = slurp(out, &n);
        vandal v = {.cut = kind < 2};
        int64_t refused = 0;
        for (; v.at <= v.calls; v.at++) {
            refused += train_beside(&v, bytes, n);
        }
        assert_true(v.at > 5 && refused > 3);
        free(bytes);
    }
}

/* What was verified once is read again, and verified again. */
static void a_block_is_verified_whenever_it_is_read(void **state)
{
    ney_cache *c;
    ney_block b;
    ney_error err;
    char out[512];
    (void)state;
    strcpy(out, temp_path("again.ney"));
    build(temp_text("in", texts[0]), out, NULL);
    assert_int_equal(ney_cache_open(&c, NULL, out, &err), NEY_OK);
    assert_int_equal(ney_cache_block(c, 0, &b, &err), NEY_OK);
    poke(out, 150, 0x55);
    assert_int_equal(ney_cache_block(c, 0, &b, &err), NEY_EFORMAT);
    assert_int_equal(truncate(out, 130), 0);
    assert_int_equal(ney_cache_block(c, 0, &b, &err), NEY_EFORMAT);
    assert_non_null(strstr(err.message, "became shorter while it was read"));
    ney_cache_close(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_what_was_read),
        cmocka_unit_test(has_the_same_bytes_everywhere),
        cmocka_unit_test(a_cache_of_no_rows_is_one),
        cmocka_unit_test(gaps_in_a_cache_are_refused_by_a_model),
        cmocka_unit_test(caches_are_read_from_plain_files),
        cmocka_unit_test(options_hold_for_caches),
        cmocka_unit_test(a_model_decides_the_signs),
        cmocka_unit_test(blocks_make_the_whole),
        cmocka_unit_test(damage_is_told),
        cmocka_unit_test(forged_headers_are_refused),
        cmocka_unit_test(nothing_is_left_of_a_failed_build),
        cmocka_unit_test(a_cache_cut_or_changed_while_read_is_an_error),
        cmocka_unit_test(a_block_is_verified_whenever_it_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
