/* What is done with a data set in memory, with every request refused in turn. */
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

static const char sparse[] = "1 1:0.5 30:-2\n-1 20:1\n1 4:7\n-1 1:2 900:1\n";
static const char table[] = "label,colour,n,w\nyes,red,1,2\nno,blue,,1\nyes,red,3,1\nno,red,5,1\n";
static const char pin[] = "SpecId\tLabel\tScanNr\tscore\tcharge\tPeptide\tProteins\n"
                          "s1\t1\t1\t0.5\t2\tA\tP1\tP2\ns2\t-1\t2\t-1.5\t3\tB\tP3\n";
static const char *const texts[] = {sparse, table, pin};
enum { N_TEXTS = sizeof texts / sizeof *texts };

typedef struct job {
    const char *text;
    int choice; /* a scaling or a format */
    const char *path;
} job;

/* From the refusing environment, so that what the data do later is refused too. */
static ney_status make(ney_data **out, const char *text, const ney_env *env, ney_error *err)
{
    const ney_read_opts opts = {
        .missing = NEY_MISSING_MEAN, .max_categories = 1000, .max_line = 64};
    return ney_data_parse_with(out, env, "text", text, strlen(text), &opts, NULL, err);
}

static ney_status use_prepare(const void *what, const ney_env *env, ney_error *err)
{
    const job *j = what;
    ney_data *d;
    ney_status st = make(&d, j->text, env, err);
    if (st == NEY_OK) {
        st = ney_data_prepare(d, (ney_scaling)j->choice, NULL, 0, err);
    }
    ney_data_free(d);
    return st;
}

static ney_status use_take(const void *what, const ney_env *env, ney_error *err)
{
    static const int64_t rows[] = {1, 0, 1};
    const job *j = what;
    ney_data *d, *part = (ney_data *)(uintptr_t)1;
    ney_status st = make(&d, j->text, env, err);
    if (st == NEY_OK) {
        st = ney_data_take(&part, d, rows, 3, err);
        assert_true((st == NEY_OK) == (part != NULL));
        ney_data_free(part);
    }
    ney_data_free(d);
    return st;
}

static ney_status use_looks(const void *what, const ney_env *env, ney_error *err)
{
    static const double share[] = {2, 1};
    const job *j = what;
    ney_data *d;
    ney_data_summary summary;
    static ney_column_summary columns[1000];
    int part[8];
    ney_status st = make(&d, j->text, env, err);
    if (st == NEY_OK && (st = ney_data_split(d, share, 2, 1, part, err)) == NEY_OK) {
        st = ney_data_describe(d, &summary, columns, err);
    }
    ney_data_free(d);
    return st;
}

static ney_status use_write(const void *what, const ney_env *env, ney_error *err)
{
    const job *j = what;
    ney_data *d;
    ney_status st = make(&d, j->text, env, err);
    if (st == NEY_OK) {
        st = ney_data_write(d, env, j->path, (ney_format)j->choice, err);
        assert_true((st == NEY_OK) == (access(j->path, F_OK) == 0));
        unlink(j->path);
    }
    ney_data_free(d);
    return st;
}

static ney_status use_new(const void *what, const ney_env *env, ney_error *err)
{
    static const float value[] = {1, 0, 2, 3}, weight[] = {1, 2};
    static const int64_t start[] = {0, 1, 3};
    static const int32_t index[] = {1, 0, 1};
    static const int8_t label[] = {1, -1};
    const ney_matrix x[] = {{.rows = 2, .cols = 2, .dense = value},
                            {.rows = 2, .cols = 2, .start = start, .index = index, .value = value}};
    ney_data *d = (ney_data *)(uintptr_t)1;
    const ney_status st = ney_data_new(&d, env, &x[*(const int *)what], label, weight, err);
    assert_true((st == NEY_OK) == (d != NULL));
    ney_data_free(d);
    return st;
}

static void memory_of_prepare(void **state)
{
    (void)state;
    for (int i = 0; i < N_TEXTS; i++) {
        for (int scaling = NEY_SCALING_NONE; scaling <= NEY_SCALING_UNIT; scaling++) {
            const job j = {.text = texts[i], .choice = scaling};
            sweep_memory("prepare", use_prepare, &j);
        }
    }
}

static void memory_of_take_split_describe(void **state)
{
    (void)state;
    for (int i = 0; i < N_TEXTS; i++) {
        const job j = {.text = texts[i]};
        sweep_memory("take", use_take, &j);
        sweep_memory("split and describe", use_looks, &j);
    }
}

static void memory_of_new(void **state)
{
    (void)state;
    for (int which = 0; which < 2; which++) {
        sweep_memory("new", use_new, &which);
    }
}

static void memory_of_writing(void **state)
{
    char folder[] = "alloc_data.XXXXXX", path[64];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/out", folder);
    for (int i = 0; i < N_TEXTS; i++) {
        for (int format = NEY_FORMAT_SVMLIGHT; format <= NEY_FORMAT_CACHE; format++) {
            const job j = {.text = texts[i], .choice = format, .path = path};
            sweep_memory("write", use_write, &j);
            (void)sweep_polls("write", use_write, &j, false);
        }
    }
    assert_int_equal(rmdir(folder), 0); /* no temporary file is left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_of_prepare),
        cmocka_unit_test(memory_of_take_split_describe),
        cmocka_unit_test(memory_of_new),
        cmocka_unit_test(memory_of_writing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
