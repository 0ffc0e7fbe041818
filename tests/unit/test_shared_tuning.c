/* Searches that several processes work on: the table, the choice and the model are those of one. */
#include "data/data.h"

#include "support/cmocka_all.h"
#include "support/comm_threads.h"
#include "support/temp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 4, ROWS = 90, LINES = 200, COLUMNS = 21 };

static char rows_file[256], other_file[256];

static void write_rows(const char *name, char *path, int rows)
{
    char *const text = malloc(40000), *at = text;
    assert_non_null(text);
    for (int i = 0; i < rows; i++) {
        at += sprintf(at, "%d", rand() % 2 ? 1 : -1);
        for (int c = 1; c <= 3; c++) {
            at += sprintf(at, " %d:%.3f", c, rand() % 1000 / 500.0 + (at[-1] == '1'));
        }
        at += sprintf(at, "\n");
    }
    snprintf(path, sizeof rows_file, "%s", temp_text(name, text));
    free(text);
}

static int write_files(void **state)
{
    (void)state;
    srand(5);
    write_rows("rows.svm", rows_file, ROWS);
    write_rows("other.svm", other_file, ROWS - 1);
    return 0;
}

typedef struct search {
    const char *const *option; /* name, value, ...; NULL at the end */
    bool other;                /* the last rank has other rows */
    char table[256], model[256];
    ney_status status[MOST_RANKS];
    ney_error err[MOST_RANKS];
    int64_t fits[MOST_RANKS];
} search;

static void search_share(void *context, const ney_comm *comm)
{
    search *const s = context;
    const int rank = comm ? comm->rank : 0;
    ney_error *const err = &s->err[rank];
    ney_env env = ney_env_of(NULL);
    ney_options *options = NULL;
    ney_data *data = NULL;
    ney_model *model = NULL;
    ney_result *result = NULL;
    env.threads = 1;
    const bool other = s->other && rank + 1 == ney_comm_size(comm);
    ney_status st = ney_options_new(&options, NULL, err);
    for (int k = 0; s->option[k] && st == NEY_OK; k += 2) {
        st = ney_options_set(options, s->option[k], s->option[k + 1], err);
    }
    if (st == NEY_OK && (st = ney_options_set(options, "table", s->table, err)) == NEY_OK &&
        (st = ney_data_read(&data, &env, other ? other_file : rows_file, NULL, NULL, err)) ==
            NEY_OK) {
        env.comm = comm;
        st = ney_fit_tuned(&model, &result, &env, data, NULL, options, err);
    }
    if (st == NEY_OK) {
        (void)ney_result_get_int(result, "fits", &s->fits[rank]);
        st = rank == 0 ? ney_model_write(model, s->model, err) : NEY_OK;
    }
    s->status[rank] = st;
    ney_result_free(result);
    ney_model_free(model);
    ney_data_free(data);
    ney_options_free(options);
}

static void search_with(search *s, const char *name, int size)
{
    char own[64];
    snprintf(own, sizeof own, "%s-%d", name, size);
    snprintf(s->model, sizeof s->model, "%s", temp_path(own));
    snprintf(own, sizeof own, "%s-%d.tsv", name, size);
    snprintf(s->table, sizeof s->table, "%s", temp_path(own));
    if (size == 0) {
        search_share(s, NULL);
    } else {
        comm_threads_run(size, search_share, s);
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines of a table in order, without seconds, which stand before the key. */
static int read_table(char *text, char *line[LINES])
{
    int n = 0;
    for (char *at = strtok(text, "\n"); at && n < LINES; at = strtok(NULL, "\n")) {
        char *const key = strrchr(at, '\t');
        *key = '\0';
        char *const seconds = strrchr(at, '\t');
        assert_true(n > 0 || strcmp(seconds, "\tseconds") == 0);
        *seconds = '\0';
        line[n++] = at;
    }
    assert_true(n > 1 && n < LINES);
    qsort(line, (size_t)n, sizeof *line, by_text);
    return n;
}

static void check_same_table(const char *one, const char *other)
{
    size_t n;
    char *const a = slurp(one, &n), *const b = slurp(other, &n), *line[2][LINES];
    assert_non_null(a);
    assert_non_null(b);
    const int n_lines = read_table(a, line[0]);
    assert_int_equal(read_table(b, line[1]), n_lines);
    for (int k = 0; k < n_lines; k++) {
        assert_string_equal(line[0][k], line[1][k]);
    }
    free(a);
    free(b);
}

static void check_same_file(const char *one, const char *other)
{
    size_t n, m;
    char *const a = slurp(one, &n), *const b = slurp(other, &m);
    assert_non_null(a);
    assert_non_null(b);
    assert_int_equal(n, m);
    assert_memory_equal(a, b, n);
    free(a);
    free(b);
}

static void a_search_does_not_depend_on_processes(void **state)
{
    static const char *const linear[] = {"cost-fn", "2", "grid", "C=0.01:10:4", "folds", "3", NULL};
    static const char *const kernel[] = {
        "max-fpr", "0.3",    "confidence", "0.6",  "kernel",
        "rbf",     "method", "annealed",   "grid", "C=0.1:10:3 gamma=0.1,1",
        "folds",   "3",      NULL};
    const char *const *const options[] = {linear, kernel};
    (void)state;
    for (int k = 0; k < 2; k++) {
        search one = {.option = options[k]};
        const char *const name = k ? "kernel" : "linear";
        search_with(&one, name, 0);
        assert_int_equal(one.status[0], NEY_OK);
        for (int size = 1; size <= MOST_RANKS; size++) {
            search s = {.option = options[k]};
            search_with(&s, name, size);
            for (int rank = 0; rank < size; rank++) {
                assert_int_equal(s.status[rank], NEY_OK);
                assert_true(s.fits[rank] == one.fits[0]);
            }
            check_same_table(one.table, s.table);
            check_same_file(one.model, s.model);
        }
    }
}

/* All processes report the same, and none waits for another. */
static void failures_end_all(void **state)
{
    static const char *const options[] = {"grid", "C=1,10", "folds", "3", NULL};
    (void)state;
    search s = {.option = options, .other = true};
    search_with(&s, "other", 3);
    for (int rank = 0; rank < 3; rank++) {
        assert_int_equal(s.status[rank], NEY_EINVAL);
        assert_non_null(strstr(s.err[rank].message, "rank 2: the rows read here differ"));
    }
    search unwritten = {.option = options};
    snprintf(unwritten.table, sizeof unwritten.table, "%s", temp_path("none/there.tsv"));
    comm_threads_run(3, search_share, &unwritten);
    for (int rank = 0; rank < 3; rank++) {
        assert_int_equal(unwritten.status[rank], NEY_EIO);
        assert_string_equal(unwritten.err[rank].message, unwritten.err[0].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_does_not_depend_on_processes),
        cmocka_unit_test(failures_end_all),
    };
    return cmocka_run_group_tests(tests, write_files, NULL);
}
