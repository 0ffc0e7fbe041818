/* Files appear whole or not at all. */
#include "base/file.h"
#include "support/cmocka_all.h"
#include "support/temp.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static void write_words(const char *path, const char *words)
{
    const ney_env env = ney_env_of(NULL);
    ney_outfile f;
    ney_error err;
    assert_int_equal(ney_outfile_open(&f, &env, path, &err), NEY_OK);
    assert_int_equal(ney_outfile_write(&f, words, (int64_t)strlen(words), &err), NEY_OK);
    assert_int_equal(ney_outfile_commit(&f, &err), NEY_OK);
    ney_outfile_discard(&f); /* harmless */
}

static void assert_holds(const char *path, const char *words)
{
    size_t n;
    char *bytes = slurp(path, &n);
    assert_non_null(bytes);
    assert_string_equal(bytes, words);
    free(bytes);
}

static void the_old_file_stays_until_the_new_one_is_whole(void **state)
{
    const ney_env env = ney_env_of(NULL);
    char path[512];
    ney_outfile f;
    ney_error err;
    (void)state;
    strcpy(path, temp_text("kept", "old"));
    const int before = temp_count();
    assert_int_equal(ney_outfile_open(&f, &env, path, &err), NEY_OK);
    assert_int_equal(ney_outfile_write(&f, "new", 3, &err), NEY_OK);
    assert_int_equal(temp_count(), before + 1);
    assert_holds(path, "old");
    ney_outfile_discard(&f);
    assert_holds(path, "old");
    assert_int_equal(temp_count(), before);
    write_words(path, "newer");
    assert_holds(path, "newer");
    assert_int_equal(temp_count(), before);
}

static void modes_and_links_are_kept(void **state)
{
    char path[512], link[512];
    struct stat info;
    (void)state;
    strcpy(path, temp_text("target", "old"));
    strcpy(link, temp_path("link"));
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(symlink(path, link), 0);
    write_words(link, "new");
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_holds(path, "new");
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    const mode_t mask = umask(027);
    write_words(temp_path("fresh"), "x");
    umask(mask);
    assert_int_equal(stat(temp_path("fresh"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
}

/* What a link points to is made where the link says, also where nothing is yet. */
static void dangling_links_are_written_through(void **state)
{
    char path[512], link[512], other[512];
    struct stat info;
    (void)state;
    strcpy(path, temp_path("later"));
    strcpy(link, temp_path("to_later"));
    strcpy(other, temp_path("to_link"));
    assert_int_equal(symlink("later", link), 0); /* relative to the link's folder */
    assert_int_equal(symlink(link, other), 0);
    write_words(other, "there");
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(lstat(other, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_holds(path, "there");
    char loop[512];
    const ney_env env = ney_env_of(NULL);
    ney_outfile f;
    strcpy(loop, temp_path("loop"));
    assert_int_equal(symlink("loop", loop), 0);
    const int before = temp_count();
    assert_int_equal(ney_outfile_open(&f, &env, loop, NULL), NEY_EIO); /* it leads nowhere */
    assert_int_equal(temp_count(), before);
}

static bool never(void *user, const ney_progress *progress)
{
    (void)user;
    (void)progress;
    return false;
}

static void reading_can_be_stopped_and_stops_early(void **state)
{
    ney_env env = ney_env_default();
    const size_t size = 30 << 20;
    char *bytes, *made = calloc(1, size), path[512];
    int64_t n;
    ney_error err;
    (void)state;
    strcpy(path, temp_file("large", made, size));
    free(made);
    ney_env plain = ney_env_of(NULL);
    assert_int_equal(
        ney_file_read(&bytes, &n, &plain, path, (const char *const[]){"begin", NULL}, &err),
        NEY_OK);
    assert_true(n >= 5 && n <= 5 << 20);
    free(bytes);
    env.poll = never;
    plain = ney_env_of(&env);
    assert_int_equal(ney_file_read(&bytes, &n, &plain, path, NULL, &err), NEY_ECANCELLED);
    assert_null(bytes);
}

static void bad_places_are_refused(void **state)
{
    const ney_env env = ney_env_of(NULL);
    ney_outfile f;
    ney_error err;
    (void)state;
    assert_int_equal(ney_outfile_open(&f, &env, temp_path("none/file"), &err), NEY_EIO);
    assert_non_null(strstr(err.file, "none/file"));
    assert_int_equal(ney_outfile_open(&f, &env, "/proc/neyman", &err), NEY_EIO);
    assert_int_equal(ney_outfile_open(&f, &env, "", &err), NEY_EINVAL);
    assert_string_equal(err.message, "no file name");
    assert_int_equal(ney_outfile_open(&f, &env, "/dev/full", &err), NEY_OK);
    assert_null(f.temporary);
    const ney_status st = ney_outfile_write(&f, "x", 1, &err);
    assert_int_equal(st == NEY_OK ? ney_outfile_commit(&f, &err) : st, NEY_EIO);
    assert_int_equal(ney_outfile_rewrite(&f, 0, "x", 1, &err), NEY_EIO);
    ney_outfile_discard(&f);
    char *bytes;
    int64_t n;
    assert_int_equal(ney_file_read(&bytes, &n, &env, temp_path("nothing"), NULL, &err), NEY_EIO);
    assert_null(bytes);
    assert_int_equal(ney_file_read(&bytes, &n, &env, "/tmp", NULL, &err), NEY_EIO);
}

static void files_and_pipes_are_read_whole(void **state)
{
    const ney_env env = ney_env_of(NULL);
    const size_t size = 300000;
    char *bytes, *made = malloc(size);
    int64_t n;
    ney_error err;
    (void)state;
    for (size_t i = 0; i < size; i++) {
        made[i] = (char)(i * 7 + i / 251);
    }
    assert_int_equal(ney_file_read(&bytes, &n, &env, temp_file("whole", made, size), NULL, &err),
                     NEY_OK);
    assert_int_equal(n, size);
    assert_memory_equal(bytes, made, size);
    assert_int_equal(bytes[n], 0);
    free(bytes);
    assert_int_equal(ney_file_read(&bytes, &n, &env, temp_pipe(made, size, 777), NULL, &err),
                     NEY_OK);
    temp_pipe_end();
    assert_int_equal(n, size);
    assert_memory_equal(bytes, made, size);
    free(bytes);
    free(made);
    assert_int_equal(ney_file_read(&bytes, &n, &env, temp_text("empty", ""), NULL, &err), NEY_OK);
    assert_int_equal(n, 0);
    free(bytes);
}

/* A file that a killed process left beside is removed by the next one that writes there; one in use
 * is not, nor a stranger's that looks similar. */
static void what_a_killed_process_left_is_removed(void **state)
{
    const ney_env env = ney_env_of(NULL);
    static const char *const left[] = {"model.1a2b-3c", "model.1a2b-0.1a2b-77"};
    static const char *const kept[] = {"model.1a2b-", "model.-3c",     "model.xyz-3c",
                                       "model.bak",   "other.1a2b-3c", "model.1a2b-3c.txt",
                                       "model1a2b-3c"};
    char path[512];
    struct stat info;
    ney_outfile f;
    (void)state;
    strcpy(path, temp_path("model"));
    for (size_t k = 0; k < sizeof left / sizeof *left; k++) {
        temp_text(left[k], "half");
    }
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) {
        temp_text(kept[k], "mine");
    }
    char in_use[512], linked[512], target[512];
    strcpy(in_use, temp_text("model.1-1", "written now"));
    const int fd = open(in_use, O_RDONLY);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    strcpy(target, temp_text("elsewhere", "precious"));
    strcpy(linked, temp_path("model.2-2"));
    assert_int_equal(symlink(target, linked), 0);
    assert_int_equal(ney_outfile_open(&f, &env, path, NULL), NEY_OK);
    ney_outfile other; /* a second writer of the same file leaves the first alone */
    assert_int_equal(ney_outfile_open(&other, &env, path, NULL), NEY_OK);
    assert_int_equal(ney_outfile_write(&f, "new", 3, NULL), NEY_OK);
    assert_int_equal(ney_outfile_commit(&f, NULL), NEY_OK);
    ney_outfile_discard(&other);
    assert_holds(path, "new");
    for (size_t k = 0; k < sizeof left / sizeof *left; k++) {
        assert_int_not_equal(stat(temp_path(left[k]), &info), 0);
    }
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) {
        assert_holds(temp_path(kept[k]), "mine");
    }
    assert_holds(in_use, "written now");
    assert_holds(target, "precious");
    close(fd);
}

static void only_own_files_are_replaced(void **state)
{
    ney_error err;
    char target[512], link[512];
    (void)state;
    assert_int_equal(ney_own_file_check(temp_path("not_there"), "MARK", &err), NEY_OK);
    assert_int_equal(ney_own_file_check(temp_text("own", "MARK and more"), "MARK", &err), NEY_OK);
    assert_int_equal(ney_own_file_check(temp_text("blank", ""), "MARK", &err), NEY_OK);
    assert_int_equal(ney_own_file_check(temp_text("data", "1 1:2"), "MARK", &err), NEY_EFORMAT);
    assert_int_equal(ney_own_file_check(temp_text("short", "MA"), "MARK", &err), NEY_EFORMAT);
    assert_int_equal(ney_own_file_check("/dev/null", "MARK", &err), NEY_EIO);
    assert_int_equal(ney_own_file_check("/tmp", "MARK", &err), NEY_EIO);
    strcpy(target, temp_text("own_target", "MARK"));
    strcpy(link, temp_path("own_link"));
    assert_int_equal(symlink(target, link), 0);
    assert_int_equal(ney_own_file_check(link, "MARK", &err), NEY_EIO);
    assert_non_null(strstr(err.message, "symbolic link"));
}

static bool never_go_on(void *user, const ney_progress *progress)
{
    (void)progress;
    ++*(int *)user;
    return false;
}

/* A pipe without another end: a request to stop is seen while the pipe stays closed there. */
static void a_pipe_without_another_end_can_be_left(void **state)
{
    int asked = 0;
    ney_env env = ney_env_of(NULL);
    ney_outfile f;
    ney_error err;
    ney_data *data;
    char path[512], *bytes;
    int64_t n;
    (void)state;
    env.user = &asked;
    env.poll = never_go_on;
    strcpy(path, temp_text("pipe", ""));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);

    assert_int_equal(ney_outfile_open(&f, &env, path, &err), NEY_ECANCELLED);
    assert_int_equal(asked, 1);
    assert_int_equal(ney_file_read(&bytes, &n, &env, path, NULL, &err), NEY_ECANCELLED);
    assert_int_equal(asked, 2);
    assert_int_equal(ney_data_read(&data, &env, path, NULL, NULL, &err), NEY_ECANCELLED);
    assert_int_equal(asked, 3);

    /* With a reader the same pipe is opened, and waits as usual. */
    const int reader = open(path, O_RDONLY | O_NONBLOCK);
    assert_true(reader >= 0);
    const int writer = ney_file_open(&env, path, O_WRONLY);
    assert_true(writer >= 0 && (fcntl(writer, F_GETFL) & O_NONBLOCK) == 0);
    assert_int_equal(asked, 3);
    close(writer);
    close(reader);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_old_file_stays_until_the_new_one_is_whole),
        cmocka_unit_test(modes_and_links_are_kept),
        cmocka_unit_test(dangling_links_are_written_through),
        cmocka_unit_test(reading_can_be_stopped_and_stops_early),
        cmocka_unit_test(bad_places_are_refused),
        cmocka_unit_test(files_and_pipes_are_read_whole),
        cmocka_unit_test(what_a_killed_process_left_is_removed),
        cmocka_unit_test(only_own_files_are_replaced),
        cmocka_unit_test(a_pipe_without_another_end_can_be_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
