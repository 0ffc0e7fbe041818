/* The cache, with memory refused at every request and stops at every poll. */
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

static const struct {
    const char *name, *text;
    const char *weight;
} sources[] = {
    {"a.svm", "1 1:0.5 3:-2\n-1 2:1\n1 4:7\n-1 1:2 900:1\n", NULL},
    {"b.csv", "label,colour,n,w\nyes,red,1,2\nno,blue,4,1\nyes,red,3,1\n", "w"},
    {"c.pin",
     "SpecId\tLabel\tScanNr\tscore\tcharge\tPeptide\tProteins\n"
     "s1\t1\t1\t0.5\t2\tA\tP1\tP2\ns2\t-1\t2\t-1.5\t3\tB\tP3\n",
     NULL},
};
enum { N_SOURCES = sizeof sources / sizeof *sources };

static char folder[] = "alloc_cache.XXXXXX";

static const char *in_folder(char path[128], const char *name)
{
    snprintf(path, 128, "%s/%s", folder, name);
    return path;
}

static bool exists(const char *name)
{
    char path[128];
    return access(in_folder(path, name), F_OK) == 0;
}

static ney_read_opts opts_of(int i)
{
    return (ney_read_opts){.weight = sources[i].weight, .max_categories = 1000, .max_line = 64};
}

static ney_status use_build(const void *what, const ney_env *env, ney_error *err)
{
    const int i = *(const int *)what;
    char in[128], out[128];
    const ney_read_opts opts = opts_of(i);
    const ney_status st = ney_cache_build_with(env, in_folder(in, sources[i].name),
                                               in_folder(out, "built.ney"), &opts, err);
    assert_true((st == NEY_OK) == exists("built.ney"));
    unlink(out);
    return st;
}

static ney_status use_blocks(const void *what, const ney_env *env, ney_error *err)
{
    char path[128];
    ney_cache *c = (ney_cache *)(uintptr_t)1;
    (void)what;
    ney_status st = ney_cache_open(&c, env, in_folder(path, "kept.ney"), err);
    assert_true((st == NEY_OK) == (c != NULL));
    for (int64_t k = 0; st == NEY_OK && k < ney_cache_blocks(c); k++) {
        ney_block b;
        st = ney_cache_block(c, k, &b, err);
    }
    ney_cache_close(c);
    return st;
}

static ney_status use_load(const void *what, const ney_env *env, ney_error *err)
{
    char path[128];
    ney_data *d = (ney_data *)(uintptr_t)1;
    const ney_status st = ney_data_read_with(&d, env, in_folder(path, "kept.ney"), NULL, what, err);
    assert_true((st == NEY_OK) == (d != NULL));
    ney_data_free(d);
    return st;
}

static void keep(int i)
{
    char in[128], out[128];
    const ney_read_opts opts = opts_of(i);
    assert_int_equal(ney_cache_build_with(NULL, in_folder(in, sources[i].name),
                                          in_folder(out, "kept.ney"), &opts, NULL),
                     NEY_OK);
}

static void memory_of_a_cache(void **state)
{
    (void)state;
    for (int i = 0; i < N_SOURCES; i++) {
        char path[128];
        ney_data *d;
        keep(i);
        sweep_memory("build", use_build, &i);
        sweep_memory("blocks", use_blocks, NULL);
        sweep_memory("load", use_load, NULL);
        assert_int_equal(
            ney_data_read_with(&d, NULL, in_folder(path, "kept.ney"), NULL, NULL, NULL), NEY_OK);
        assert_int_equal(ney_data_prepare(d, NEY_SCALING_STANDARD, NULL, 0, NULL), NEY_OK);
        sweep_memory("load through preprocessing", use_load, ney_data_preprocessing(d));
        ney_data_free(d);
    }
}

static void stop_while_building(void **state)
{
    (void)state;
    for (int i = 0; i < N_SOURCES; i++) {
        assert_true(sweep_polls("build", use_build, &i, false) > 0);
        keep(i);
        (void)sweep_polls("load", use_load, NULL, false);
    }
}

static int set_up(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) {
        return -1;
    }
    for (int i = 0; i < N_SOURCES; i++) {
        char path[128];
        FILE *f = fopen(in_folder(path, sources[i].name), "w");
        if (!f || fputs(sources[i].text, f) < 0 || fclose(f) != 0) {
            return -1;
        }
    }
    return 0;
}

/* Fails when a run left a temporary file. */
static int tear_down(void **state)
{
    char path[128];
    (void)state;
    for (int i = 0; i < N_SOURCES; i++) {
        unlink(in_folder(path, sources[i].name));
    }
    unlink(in_folder(path, "kept.ney"));
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_a_cache),
        cmocka_unit_test(stop_while_building),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
