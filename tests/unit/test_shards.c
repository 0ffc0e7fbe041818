/* Files whose rows several processes share: together they read what one process reads from all of
 * the files, whatever their number. */
#include "data/scale.h"
#include "data/shards.h"

#include "support/cmocka_all.h"
#include "support/comm_threads.h"
#include "support/temp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 5, ROWS = 37, MOST_RANKS = 4, MOST_COLS = 40 };

/* ---- files */

static char pattern[5][256]; /* svm, csv, numbered svm, a list of csv files, one cache */

static void write_svm(int part)
{
    char text[8192] = "", name[64];
    for (int i = 0; i < ROWS; i++) {
        const int label = part == 0 ? 1 : part == 2 ? -1 : rand() % 2 ? 1 : -1;
        sprintf(text + strlen(text), "%d %d:%g %d:%g\n", label, 1 + rand() % 3,
                (double)(rand() % 100) / 7, 4 + rand() % (3 + part), 1.5 * part);
    }
    snprintf(name, sizeof name, "part-%04d.svm", part);
    temp_text(name, text);
}

static void write_csv(int part)
{
    static const char *const colour[] = {"red", "blue", "green", "amber", "violet"};
    char text[8192] = "size,colour,far,class,weight\n", name[64];
    for (int i = 0; i < ROWS; i++) {
        const char *const label = part == 1 ? "yes" : rand() % 2 ? "yes" : "no";
        sprintf(text + strlen(text), "%g,%s,%.6f,%s,%d\n", (double)(rand() % 1000) / 13 - 20,
                colour[(rand() % 2) + part % 4], 5e8 + part + (double)(rand() % 1000) / 256, label,
                1 + rand() % 3);
    }
    snprintf(name, sizeof name, "table-%d.csv", part);
    temp_text(name, text);
}

static int write_files(void **state)
{
    (void)state;
    srand(3);
    for (int k = 0; k < PARTS; k++) {
        write_svm(k);
        write_csv(k);
    }
    snprintf(pattern[0], sizeof *pattern, "%s", temp_path("part-*.svm"));
    snprintf(pattern[1], sizeof *pattern, "%s", temp_path("table-*.csv"));
    snprintf(pattern[2], sizeof *pattern, "%s", temp_path("part-%04d.svm"));
    snprintf(pattern[4], sizeof *pattern, "%s", temp_path("all.ney"));
    return 0;
}

static ney_read_opts options_of(int kind)
{
    int64_t n;
    ney_read_opts o;
    const ney_param *const rows = ney_read_params(&n);
    ney_params_init(rows, n, &o);
    if (kind % 2 == 1) {
        o.label = "class";
        o.positive = "no";
        o.weight = "weight";
    }
    return o;
}

/* ---- what is read */

typedef struct reading {
    int kind;
    const char *path;
    ney_scaling scaling;
    ney_status status[MOST_RANKS];
    ney_error err[MOST_RANKS];
    int64_t rows, cols, blocks[MOST_RANKS];
    double cell[PARTS * ROWS][MOST_COLS]; /* as in the files; then as features */
    float feature[PARTS * ROWS][MOST_COLS];
    int label[PARTS * ROWS];
    double weight[PARTS * ROWS];
    double offset[MOST_COLS], factor[MOST_COLS];
    char name[2][16];
    bool dense;
} reading;

static float value_of(const ney_data *d, int64_t row, int64_t column)
{
    if (!d->start) {
        return d->value[row * d->x.cols + column];
    }
    for (int64_t k = d->start[row]; k < d->start[row + 1]; k++) {
        if (d->index[k] == column) {
            return d->value[k];
        }
    }
    return 0;
}

static void keep(reading *r, ney_data *d, int64_t first)
{
    for (int64_t i = 0; i < d->x.rows; i++) {
        for (int64_t c = 0; c < d->x.cols; c++) {
            r->cell[first + i][c] = ney_data_number(d, c, value_of(d, i, c));
        }
        r->label[first + i] = d->label[i];
        r->weight[first + i] = d->weight ? (double)d->weight[i] : 1;
    }
    if (first == 0) {
        r->cols = d->x.cols;
        r->dense = !d->start;
        snprintf(r->name[0], sizeof r->name[0], "%s",
                 ney_preprocessing_label(d->preprocessing, -1));
        snprintf(r->name[1], sizeof r->name[1], "%s", ney_preprocessing_label(d->preprocessing, 1));
    }
}

static void prepare(reading *r, ney_data *d, int64_t first, int rank)
{
    int64_t rows[PARTS * ROWS], n = 0;
    for (int64_t i = 0; i < d->x.rows; i++) {
        if ((first + i) % 3 != 1) {
            rows[n++] = i;
        }
    }
    r->status[rank] = ney_data_prepare(d, r->scaling, rows, n, &r->err[rank]);
    for (int64_t i = 0; r->status[rank] == NEY_OK && i < d->x.rows; i++) {
        for (int64_t c = 0; c < d->x.cols; c++) {
            r->feature[first + i][c] = value_of(d, i, c);
        }
    }
    for (int64_t c = 0; first == 0 && c < d->x.cols && d->preprocessing->offset; c++) {
        r->offset[c] = d->preprocessing->offset[c] +
                       (d->preprocessing->shift ? d->preprocessing->shift[c] : 0);
        r->factor[c] = d->preprocessing->factor[c];
    }
}

static void read_share(void *context, const ney_comm *comm)
{
    reading *const r = context;
    ney_env env = ney_env_of(NULL);
    ney_data *d = NULL;
    const ney_read_opts opts = options_of(r->kind);
    env.comm = comm;
    env.threads = 1;
    const int rank = comm ? comm->rank : 0;
    r->status[rank] = ney_data_read_with(&d, &env, r->path, &opts, NULL, &r->err[rank]);
    if (r->status[rank] == NEY_OK) {
        const int64_t first = comm ? d->blocks->first_row : 0;
        if (first == 0) {
            r->rows = comm ? d->blocks->rows : d->x.rows;
        }
        r->blocks[rank] = comm ? d->blocks->n : 0;
        keep(r, d, first);
        prepare(r, d, first, rank);
    }
    ney_data_free(d);
}

static reading *read_with(int kind, const char *path, int size, ney_scaling scaling)
{
    reading *const r = calloc(1, sizeof *r);
    r->kind = kind;
    r->path = path;
    r->scaling = scaling;
    if (size == 0) {
        read_share(r, NULL);
    } else {
        comm_threads_run(size, read_share, r);
    }
    return r;
}

static void compare(const reading *a, const reading *b, bool exactly)
{
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->cols, b->cols);
    assert_int_equal(a->dense, b->dense);
    assert_string_equal(a->name[0], b->name[0]);
    assert_string_equal(a->name[1], b->name[1]);
    assert_memory_equal(a->label, b->label, sizeof a->label);
    assert_memory_equal(a->weight, b->weight, sizeof a->weight);
    for (int64_t i = 0; i < a->rows; i++) {
        for (int64_t c = 0; c < a->cols; c++) {
            const double x = a->cell[i][c], y = b->cell[i][c];
            assert_true(exactly ? x == y : fabs(x - y) <= 1e-6);
            assert_true(exactly ? a->feature[i][c] == b->feature[i][c]
                                : fabs((double)(a->feature[i][c] - b->feature[i][c])) <= 1e-5);
        }
    }
    for (int64_t c = 0; c < a->cols; c++) {
        assert_true(exactly ? a->offset[c] == b->offset[c]
                            : fabs(a->offset[c] - b->offset[c]) < 1e-5);
        assert_true(fabs(a->factor[c] - b->factor[c]) <= (exactly ? 0 : 1e-6 * b->factor[c]));
    }
}

/* The column far from zero is held less a constant that depends on the files: there cells are equal
 * to single precision of their distance. */
static void together_they_read_what_one_reads(void **state)
{
    static const ney_scaling scalings[] = {NEY_SCALING_NONE, NEY_SCALING_STANDARD,
                                           NEY_SCALING_MINMAX, NEY_SCALING_UNIT};
    (void)state;
    for (int kind = 0; kind < 3; kind++) {
        for (size_t k = 0; k < sizeof scalings / sizeof *scalings; k++) {
            const bool far = kind == 1;
            reading *const one = read_with(kind, pattern[kind == 2 ? 0 : kind], 0, scalings[k]);
            reading *first = NULL;
            assert_int_equal(one->status[0], NEY_OK);
            assert_int_equal(one->rows, PARTS * ROWS);
            for (int size = 1; size <= MOST_RANKS; size++) {
                reading *const r = read_with(kind, pattern[kind], size, scalings[k]);
                for (int rank = 0; rank < size; rank++) {
                    assert_int_equal(r->status[rank], NEY_OK);
                }
                compare(r, one, !far);
                if (first) {
                    compare(r, first, true);
                    free(r);
                } else {
                    first = r;
                }
            }
            free(first);
            free(one);
        }
    }
}

static void each_reads_its_rows_of_one_cache(void **state)
{
    (void)state;
    const ney_read_opts opts = options_of(1);
    ney_options *o;
    ney_error err;
    assert_int_equal(ney_options_new(&o, NULL, &err), NEY_OK);
    assert_int_equal(ney_options_set(o, "label", opts.label, &err), NEY_OK);
    assert_int_equal(ney_options_set(o, "weight", opts.weight, &err), NEY_OK);
    assert_int_equal(ney_cache_build(NULL, pattern[1], pattern[4], o, &err), NEY_OK);
    ney_options_free(o);
    reading *const one = read_with(3, pattern[1], 0, NEY_SCALING_STANDARD);
    for (int size = 1; size <= MOST_RANKS; size++) {
        /* a cache has its columns: of the options only the positive class is left */
        reading *const r = calloc(1, sizeof *r);
        r->path = pattern[4];
        r->scaling = NEY_SCALING_STANDARD;
        comm_threads_run(size, read_share, r);
        assert_int_equal(r->status[0], NEY_OK);
        assert_string_equal(r->name[1], "yes");
        for (int64_t i = 0; i < r->rows; i++) {
            r->label[i] = -r->label[i];
        }
        snprintf(r->name[0], sizeof r->name[0], "yes");
        snprintf(r->name[1], sizeof r->name[1], "no");
        compare(r, one, true);
        for (int rank = 0; rank < size; rank++) {
            assert_int_equal(r->blocks[rank],
                             12 * (rank + 1) / size - 12 * rank / size); /* 185 rows, 16 each */
        }
        free(r);
    }
    free(one);
}

/* ---- refusals */

static void refuses(int size, const char *path, ney_status status, const char *part)
{
    reading *const r = read_with(strstr(path, ".csv") ? 1 : 0, path, size, NEY_SCALING_NONE);
    for (int rank = 0; rank < size; rank++) {
        assert_int_equal(r->status[rank], status);
        assert_non_null(strstr(r->err[rank].message, part));
    }
    free(r);
}

static void files_that_do_not_belong_together_are_named(void **state)
{
    (void)state;
    temp_text("a-0.svm", "1 1:1\n-1 1:2\n");
    temp_text("a-1.svm", "1 1:1\n0 1:2\n");
    refuses(2, temp_path("a-%d.svm"), NEY_EPARSE, "rank 1: has the label '0', expected");
    temp_text("b-0.csv", "x,class,weight\n1,yes,1\n2,no,1\n");
    temp_text("b-1.csv", "z,class,weight\n1,yes,1\n2,no,1\n");
    refuses(2, temp_path("b-%d.csv"), NEY_EPARSE,
            "rank 1: has as a column of features 'z', expected 'x'");
    temp_text("c-0.csv", "x,class,weight\n1,yes,1\n2,no,1\n");
    temp_text("c-1.csv", "x,class,weight\nred,yes,1\nblue,no,1\n");
    refuses(2, temp_path("c-*.csv"), NEY_EPARSE, "rank 1: column 'x' holds words, and");
    temp_text("d-0.svm", "1 1:1\n-1 1:2\n");
    temp_text("d-2.svm", "1 1:1\n-1 1:2\n");
    refuses(3, temp_path("d-%d.svm"), NEY_EIO, "rank 1: ");
    refuses(3, temp_path("a-%d.svm"), NEY_EINVAL, "names 2 files for 3 processes");
    refuses(2, temp_path("a-0.svm"), NEY_EINVAL, "is one file of text for 2 processes");
    refuses(2, temp_path("e-%d.svm"), NEY_EIO, "no file has this name");
    temp_text("f-0.svm", "1 1:1\n-1 1:2\n");
    temp_text("f-1.svm", "1 1:1\n-1 1:x\n");
    refuses(2, temp_path("f-%d.svm"), NEY_EPARSE, "rank 1: ");
}

/* Numbers that no count of files has, and names that a pattern of the shell would read otherwise.
 */
static void numbers_and_names_are_taken_literally(void **state)
{
    (void)state;
    temp_text("g-9223372036854775806.svm", "1 1:1\n-1 1:2\n");
    refuses(2, temp_path("g-%d.svm"), NEY_EINVAL, "the number 9223372036854775806, expected less");
    temp_text("h-1000000.svm", "1 1:1\n-1 1:2\n");
    refuses(2, temp_path("h-%d.svm"), NEY_EINVAL, "the number 1000000, expected less");
    temp_text("[x]*\\-0.svm", "1 1:1\n-1 1:2\n");
    temp_text("[x]*\\-1.svm", "1 1:1\n-1 1:2\n");
    reading *const r = read_with(0, temp_path("[x]*\\-%d.svm"), 2, NEY_SCALING_NONE);
    for (int rank = 0; rank < 2; rank++) {
        assert_int_equal(r->status[rank], NEY_OK);
    }
    assert_int_equal(r->rows, 4);
    free(r);
}

static void quantiles_are_refused(void **state)
{
    (void)state;
    reading *const r = read_with(0, pattern[0], 2, NEY_SCALING_RANK);
    assert_int_equal(r->status[0], NEY_EINVAL);
    assert_int_equal(r->status[1], NEY_EINVAL);
    free(r);
}

/* How many nodes of the tree over [low, high) make up [a, b). */
static int count_nodes(int64_t low, int64_t high, int64_t a, int64_t b)
{
    const int64_t half = low + (high - low) / 2;
    return a >= high || b <= low   ? 0
           : a <= low && b >= high ? 1
                                   : count_nodes(low, half, a, b) + count_nodes(half, high, a, b);
}

static void shares_are_even_and_few_nodes(void **state)
{
    static const int64_t blocks[] = {1, 5, 32, 33, 217, 1000, 4099, 488282};
    (void)state;
    for (size_t k = 0; k < sizeof blocks / sizeof *blocks; k++) {
        const int64_t n = blocks[k];
        for (int size = 1; size <= 1030; size += size < 40 ? 1 : 33) {
            const bool many = n >= 16 * (int64_t)size, power = (size & (size - 1)) == 0;
            assert_true(ney_shards_first_block(n, 0, size) == 0);
            assert_true(ney_shards_first_block(n, size, size) == n);
            for (int rank = 0; rank < size; rank++) {
                const int64_t begin = ney_shards_first_block(n, rank, size);
                const int64_t end = ney_shards_first_block(n, rank + 1, size);
                assert_true(end - begin >= (n >= size));
                assert_true((double)(end - begin) <= 1.14 * (double)n / size + 2);
                assert_true(!many || count_nodes(0, n, begin, end) <= (power ? 1 : 8));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(together_they_read_what_one_reads),
        cmocka_unit_test(each_reads_its_rows_of_one_cache),
        cmocka_unit_test(shares_are_even_and_few_nodes),
        cmocka_unit_test(files_that_do_not_belong_together_are_named),
        cmocka_unit_test(numbers_and_names_are_taken_literally),
        cmocka_unit_test(quantiles_are_refused),
    };
    return cmocka_run_group_tests(tests, write_files, NULL);
}
