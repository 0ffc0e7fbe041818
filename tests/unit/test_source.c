/* Bytes from files, pipes and memory, plain and compressed. */
#include "data/lines.h"
#include "data/source.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/same.h"
#include "support/temp.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Text of n bytes that does not compress to nothing. */
static char *make(size_t n)
{
    rnd r = rnd_new(401);
    char *bytes = malloc(n + 1);
    for (size_t i = 0; i < n; i++) {
        bytes[i] = (char)(i % 61 == 60 ? '\n' : 'a' + rnd_below(&r, 20));
    }
    return bytes;
}

/* Read all, `room` bytes a call after peeking `peek`; the status of the first failure. */
static ney_status drain(ney_source *s, int64_t peek, int64_t room, text *out)
{
    ney_error err;
    const char *seen;
    int64_t n_seen = 0, got = 1;
    char *to = malloc((size_t)room);
    ney_status st = peek > 0 ? ney_source_peek(s, peek, &seen, &n_seen, &err) : NEY_OK;
    out->length = 0;
    while (st == NEY_OK && got > 0) {
        st = ney_source_read(s, to, room, &got, &err);
        if (st == NEY_OK) {
            text_bytes(out, to, (size_t)got);
        }
    }
    free(to);
    return st;
}

static void check_bytes(const char *stored, size_t n_stored, const char *bytes, size_t n)
{
    const ney_env env = ney_env_of(NULL);
    static const int64_t rooms[] = {1000, 65536, 131072, 1 << 20};
    ney_error err;
    text out = {0};
    for (size_t k = 0; k < sizeof rooms / sizeof *rooms; k++) {
        for (int peek = 0; peek < 3; peek++) {
            ney_source *s;
            assert_int_equal(ney_source_view(&s, &env, "memory", stored, (int64_t)n_stored, &err),
                             NEY_OK);
            for (int again = 0; again < 2; again++) {
                assert_int_equal(drain(s, (int64_t)peek * 65536, rooms[k], &out), NEY_OK);
                assert_int_equal(out.length, n);
                assert_memory_equal(out.bytes, bytes, n);
                assert_int_equal(ney_source_rewind(s, &err), NEY_OK);
            }
            ney_source_close(s);
        }
    }
    text_free(&out);
}

static void every_coding_gives_the_same_bytes(void **state)
{
    static const size_t sizes[] = {1, 3, 65535, 65536, 65537, 131072, 200000, 400001};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const size_t n = sizes[i], half = n / 2;
        char *bytes = make(n);
        size_t a, b;
        check_bytes(bytes, n, bytes, n);
        for (int coding = 0; coding < 3; coding++) { /* two members or frames, and one */
            text both = {0};
            char *one =
                coding == 0 ? gzip_of(bytes, half, &a) : zstd_of(bytes, half, coding == 1, &a);
            char *two = coding == 0 ? gzip_of(bytes + half, n - half, &b)
                                    : zstd_of(bytes + half, n - half, coding == 1, &b);
            text_bytes(&both, one, a);
            text_bytes(&both, two, b);
            check_bytes(both.bytes, both.length, bytes, n);
            text_free(&both);
            free(one);
            free(two);
            one = coding == 0 ? gzip_of(bytes, n, &a) : zstd_of(bytes, n, coding == 1, &a);
            check_bytes(one, a, bytes, n);
            free(one);
        }
        free(bytes);
    }
}

/* Any cut of a compressed file is told; so is nearly any flipped byte, and none may crash. */
static void damage_is_told(void **state)
{
    const ney_env env = ney_env_of(NULL);
    const size_t n = 3000;
    char *bytes = make(n);
    text out = {0};
    (void)state;
    for (int coding = 0; coding < 2; coding++) {
        size_t size;
        char *stored = coding == 0 ? gzip_of(bytes, n, &size) : zstd_of(bytes, n, true, &size);
        ney_error err;
        ney_source *s;
        for (size_t cut = 4; cut < size; cut++) {
            assert_int_equal(ney_source_view(&s, &env, "cut", stored, (int64_t)cut, &err), NEY_OK);
            assert_int_equal(drain(s, 0, 5000, &out), NEY_EPARSE);
            ney_source_close(s);
        }
        for (size_t at = 4; at < size; at++) {
            stored[at] ^= 0x10;
            assert_int_equal(ney_source_view(&s, &env, "flip", stored, (int64_t)size, &err),
                             NEY_OK);
            if (drain(s, 0, 5000, &out) ==
                NEY_OK) { /* a name or time in a header may be anything */
                assert_int_equal(out.length, n);
                assert_memory_equal(out.bytes, bytes, n);
            }
            stored[at] ^= 0x10;
            ney_source_close(s);
        }
        free(stored);
    }
    free(bytes);
    text_free(&out);
}

static void pipes_can_be_held_and_rewound(void **state)
{
    const ney_env env = ney_env_of(NULL);
    const size_t n = 500000;
    char *bytes = make(n);
    text out = {0};
    (void)state;
    for (int coding = 0; coding < 3; coding++) {
        size_t size = n;
        ney_error err;
        ney_source *s;
        char *stored = coding == 0 ? NULL
                                   : (coding == 1 ? gzip_of(bytes, n, &size)
                                                  : zstd_of(bytes, n, false, &size));
        const char *path = temp_pipe(stored ? stored : bytes, size, coding == 0 ? 1777 : 3);
        const char *seen;
        int64_t n_seen;
        assert_int_equal(ney_source_open(&s, &env, path, &err), NEY_OK);
        assert_int_equal(ney_source_total(s), 0);
        assert_int_equal(ney_source_peek(s, 100, &seen, &n_seen, &err), NEY_OK);
        assert_int_equal(n_seen, 100);
        assert_memory_equal(seen, bytes, 100);
        assert_int_equal(ney_source_peek(s, 70000, &seen, &n_seen, &err), NEY_OK);
        assert_memory_equal(seen, bytes, 70000);
        assert_int_equal(ney_source_hold(s, &err), NEY_OK);
        for (int again = 0; again < 3; again++) {
            assert_int_equal(drain(s, (int64_t)again * 100, 4096, &out), NEY_OK);
            assert_int_equal(out.length, n);
            assert_memory_equal(out.bytes, bytes, n);
            assert_int_equal(ney_source_rewind(s, &err), NEY_OK);
        }
        ney_source_close(s);
        temp_pipe_end();
        free(stored);
    }
    free(bytes);
    text_free(&out);
}

/* `{ read line; neyman ...; } < file` hands over the rest of the file: rewinding ends there. */
static void standard_input_begins_where_it_stands(void **state)
{
    const char *path = temp_text("rest.csv", "first line\nlabel,a\n1,blue\n-1,red\n");
    const int fd = open(path, O_RDONLY), kept = dup(STDIN_FILENO);
    (void)state;
    assert_int_equal(lseek(fd, 11, SEEK_SET), 11);
    assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    ney_data *d = read_file("-", NULL, 1);
    dup2(kept, STDIN_FILENO);
    close(kept);
    close(fd);
    assert_int_equal(ney_data_matrix(d)->rows, 2);
    assert_int_equal(ney_data_matrix(d)->cols, 2); /* a=blue, a=red */
    ney_data_free(d);
}

static void what_cannot_be_read_is_told(void **state)
{
    const ney_env env = ney_env_of(NULL);
    ney_error err;
    ney_source *s;
    (void)state;
    assert_int_equal(ney_source_open(&s, &env, temp_path("nothing"), &err), NEY_EIO);
    assert_null(s);
    assert_non_null(strstr(err.file, "nothing"));
    assert_int_equal(ney_source_open(&s, &env, "/tmp", &err), NEY_EIO);
    assert_non_null(strstr(err.message, "folder"));
}

/* The first bytes of a text whose first line does not end: as many as a line may have and one more,
 * in steps that grow, then a refusal with the place and the limit. */
static void first_bytes_stop_at_the_longest_line(void **state)
{
    enum { LENGTH = 400000, LIMIT = 150000 };
    const ney_env env = ney_env_of(NULL);
    const char *bytes = NULL;
    int64_t n = 0, before = -1;
    ney_error err = {0};
    ney_source *s;
    char *const line = malloc(LENGTH);
    (void)state;
    memset(line, 'x', LENGTH);
    assert_int_equal(ney_source_view(&s, &env, "memory", line, LENGTH, &err), NEY_OK);
    for (int calls = 0; ney_first_bytes(s, LIMIT, &bytes, &n, &err) == NEY_OK; calls++) {
        assert_true(n > before && n <= LIMIT + 1 && calls < 10);
        assert_memory_equal(bytes, line, (size_t)n);
        before = n;
    }
    assert_int_equal(n, LIMIT + 1);
    assert_int_equal(err.code, NEY_EPARSE);
    assert_int_equal(err.line, 1);
    assert_non_null(strstr(err.message, "more than 150000 bytes"));
    ney_source_close(s);

    n = 0; /* a line of that length is none too many */
    assert_int_equal(ney_source_view(&s, &env, "memory", line, LIMIT, &err), NEY_OK);
    for (int calls = 0; calls < 10; calls++) {
        assert_int_equal(ney_first_bytes(s, LIMIT, &bytes, &n, &err), NEY_OK);
    }
    assert_int_equal(n, LIMIT);
    ney_source_close(s);
    free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_coding_gives_the_same_bytes),
        cmocka_unit_test(damage_is_told),
        cmocka_unit_test(pipes_can_be_held_and_rewound),
        cmocka_unit_test(standard_input_begins_where_it_stands),
        cmocka_unit_test(what_cannot_be_read_is_told),
        cmocka_unit_test(first_bytes_stop_at_the_longest_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
