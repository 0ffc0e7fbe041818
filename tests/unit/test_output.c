/* ney_output_*: files that appear whole or not at all, through the public handle. */
#include "support/cmocka_all.h"
#include "support/counting.h"
#include "support/temp.h"

#include <neyman/experimental.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void expect(const char *path, const char *words)
{
    size_t n = 0;
    char *bytes = slurp(path, &n);
    assert_non_null(bytes);
    assert_int_equal(n, strlen(words));
    assert_memory_equal(bytes, words, n);
    free(bytes);
}

static ney_output *opened(const char *path)
{
    ney_output *out = NULL;
    ney_error err = {0};
    if (ney_output_open(&out, NULL, path, &err) != NEY_OK) {
        fail_msg("%s", err.message);
    }
    return out;
}

/* The old file stands until the new one is complete. */
static void test_replaces_at_once(void **state)
{
    const char *const path = temp_text("kept", "old");
    const int before = temp_count();
    ney_output *out = opened(path);
    (void)state;
    assert_int_equal(ney_output_write(out, "new ", 4, NULL), NEY_OK);
    expect(path, "old");
    assert_int_equal(ney_output_write(out, "words", 5, NULL), NEY_OK);
    assert_int_equal(ney_output_write(out, "", 0, NULL), NEY_OK);
    expect(path, "old");
    assert_int_equal(temp_count(), before + 1); /* it lies beside */
    assert_int_equal(ney_output_commit(out, NULL), NEY_OK);
    expect(path, "new words");
    assert_int_equal(temp_count(), before);
}

static void test_given_up(void **state)
{
    const char *const path = temp_path("never");
    const int before = temp_count();
    ney_output *out = opened(path);
    (void)state;
    assert_int_equal(ney_output_write(out, "half", 4, NULL), NEY_OK);
    ney_output_discard(out);
    assert_int_equal(temp_count(), before);
    ney_output_discard(NULL);
}

static void test_refuses(void **state)
{
    ney_output *out = (ney_output *)(uintptr_t)1;
    ney_error err = {0};
    char path[200];
    (void)state;
    snprintf(path, sizeof path, "%s/file", temp_path("no-such-folder"));
    assert_int_equal(ney_output_open(&out, NULL, path, &err), NEY_EIO);
    assert_null(out);
    assert_non_null(strstr(err.file, "no-such-folder"));

    /* the place is taken by a folder while the file is being written */
    const char *const place = temp_path("place");
    const int before = temp_count();
    out = opened(place);
    assert_int_equal(mkdir(place, 0700), 0);
    assert_int_equal(ney_output_write(out, "x", 1, NULL), NEY_OK);
    assert_int_equal(ney_output_commit(out, &err), NEY_EIO);
    assert_int_equal(temp_count(), before + 1); /* the folder alone */
    assert_int_equal(rmdir(place), 0);
}

/* A pipe or device cannot be replaced, and is written directly. */
static void test_devices(void **state)
{
    ney_output *out = opened("/dev/null");
    struct stat s;
    (void)state;
    assert_int_equal(ney_output_write(out, "x", 1, NULL), NEY_OK);
    assert_int_equal(ney_output_commit(out, NULL), NEY_OK);
    assert_true(stat("/dev/null", &s) == 0 && S_ISCHR(s.st_mode));
    if (access("/dev/full", W_OK) == 0) {
        ney_error err = {0};
        out = opened("/dev/full");
        assert_int_equal(ney_output_write(out, "x", 1, &err), NEY_EIO);
        assert_true(err.message[0] != '\0');
        ney_output_discard(out);
    }
}

static void test_is_stdout(void **state)
{
    const char *const path = temp_text("stream", "");
    const int stream = open(path, O_WRONLY), kept = dup(STDOUT_FILENO);
    (void)state;
    assert_true(stream >= 0 && kept >= 0);
    fflush(stdout);
    dup2(stream, STDOUT_FILENO);
    const bool dash = ney_output_is_stdout("-"), same = ney_output_is_stdout(path);
    const bool other = ney_output_is_stdout(temp_text("another", ""));
    const bool absent = ney_output_is_stdout(temp_path("absent"));
    const int nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, STDOUT_FILENO);
    const bool null = ney_output_is_stdout("/dev/null");
    dup2(kept, STDOUT_FILENO);
    close(nothing);
    close(stream);
    close(kept);
    assert_true(dash && same && !other && !absent && !null);
}

static ney_status use(const void *what, const ney_env *env, ney_error *err)
{
    ney_output *out = (ney_output *)(uintptr_t)1;
    ney_status st = ney_output_open(&out, env, temp_path("use"), err);
    assert_true((st == NEY_OK) == (out != NULL));
    if (st != NEY_OK) {
        return st;
    }
    if ((st = ney_output_write(out, what, 4, err)) != NEY_OK) {
        ney_output_discard(out);
        return st;
    }
    return ney_output_commit(out, err);
}

static void test_memory_refused(void **state)
{
    (void)state;
    sweep_memory("output", use, "four");
    expect(temp_path("use"), "four");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replaces_at_once), cmocka_unit_test(test_given_up),
        cmocka_unit_test(test_refuses),          cmocka_unit_test(test_devices),
        cmocka_unit_test(test_is_stdout),        cmocka_unit_test(test_memory_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
