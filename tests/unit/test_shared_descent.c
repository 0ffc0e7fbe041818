/* A bounded rate over rows that processes share, where one of them differs from the others: it
 * lacks memory, is asked to stop, has no rows, or none of one class: all end alike. */
#include "data/data.h"
#include "support/cmocka_all.h"
#include "support/comm_threads.h"
#include "support/share.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 3, ROWS = 600, COLS = 3, BLOCK = 60 };

/* Options, and the starts that a bounded rate has with them. */
typedef struct task {
    const char *what;
    double max_fpr, max_fnr, confidence, cost_fp, reject_cost;
    int64_t starts;
} task;

static const task tasks[] = {
    {"bounded", 0.2, NAN, NAN, 1, NAN, 5},   {"certified", 0.2, NAN, 0.9, 1, NAN, 5},
    {"both", 0.3, 0.3, 0.9, 1, NAN, 0},      {"costs", NAN, NAN, NAN, 3, NAN, 0},
    {"rejection", NAN, NAN, NAN, 1, 0.2, 0},
};

typedef struct run {
    const task *task;
    int64_t cut[MOST_RANKS + 1]; /* where the rows of each process begin */
    int limited_rank;            /* the rank that is granted `granted` requests for memory */
    int64_t granted;             /* -1: all */
    int stopping;                /* the rank that is asked to stop at its `polls`-th poll */
    int polls;
    double max_time;
    bool is_sorted; /* by class */
    ney_status status[MOST_RANKS];
    ney_error err[MOST_RANKS];
    ney_train_info info[MOST_RANKS];
    double w[MOST_RANKS][COLS + 1];
} run;

typedef struct process {
    comm_allowance memory;
    run *of;
    int rank, polls;
} process;

static bool poll(void *user, const ney_progress *progress)
{
    process *const p = user;
    (void)progress;
    return p->rank != p->of->stopping || ++p->polls < p->of->polls;
}

/* Classes that overlap. */
static void fill_rows(const run *r, float *x, int8_t *label)
{
    for (int64_t i = 0; i < ROWS; i++) {
        const double class = r->is_sorted                 ? (i < ROWS / 3 ? 1 : -1)
                             : sin(3.7 * (double)i) > 0.2 ? 1
                                                          : -1;
        label[i] = (int8_t) class;
        for (int64_t c = 0; c < COLS; c++) {
            x[i * COLS + c] = (float)(sin((double)(i * (c + 3) + 7 * c)) + 0.4 * class);
        }
    }
}

static void work(void *context, const ney_comm *comm)
{
    run *const r = context;
    const int rank = comm->rank;
    process p = {.memory = {-1}, .of = r, .rank = rank};
    ney_env plain = ney_env_of(NULL);
    const ney_env env = {.user = &p, .resize = comm_allowance_resize, .poll = poll, .threads = 1};
    const int64_t begin = r->cut[rank], n = r->cut[rank + 1] - begin;
    int64_t size[ROWS / BLOCK], n_blocks = 0, n_params;
    float x[ROWS * COLS];
    int8_t label[ROWS];
    ney_data *d = NULL;
    ney_model *m = NULL;
    ney_train_opts o;
    const ney_param *const params = ney_train_params(&n_params);
    ney_params_init(params, n_params, &o);
    o.max_fpr = r->task->max_fpr;
    o.max_fnr = r->task->max_fnr;
    o.confidence = r->task->confidence;
    o.cost_fp = r->task->cost_fp;
    o.reject_cost = r->task->reject_cost;
    o.no_fingerprint = true;
    o.C = 0.1;
    o.max_time = r->max_time;
    fill_rows(r, x, label);
    for (int64_t at = 0; at < n; at += BLOCK) {
        size[n_blocks++] = n - at < BLOCK ? n - at : BLOCK;
    }
    const ney_matrix own = {.rows = n, .cols = COLS, .dense = x + begin * COLS};
    if (ney_data_new(&d, NULL, &own, label + begin, NULL, NULL) != NEY_OK ||
        ney_row_blocks_new(&d->blocks, &plain, comm, size, n_blocks, NULL) != NEY_OK) {
        abort();
    }
    d->blocks->env = env;
    p.memory.left = rank == r->limited_rank ? r->granted : -1;
    memset(&r->info[rank], 0, sizeof r->info[rank]);
    r->status[rank] = ney_train(&m, &env, d, &o, &r->info[rank], &r->err[rank]);
    p.memory.left = -1;
    if (r->status[rank] == NEY_OK) {
        memcpy(r->w[rank], ney_model_weights(m, &r->w[rank][COLS]), COLS * sizeof(double));
    }
    ney_model_free(m);
    ney_data_free(d);
}

static void train(run *r, int size)
{
    r->cut[size] = ROWS;
    comm_threads_run(size, work, r);
    for (int rank = 1; rank < size; rank++) {
        assert_int_equal(r->status[rank], r->status[0]);
        if (r->status[0] == NEY_OK) {
            assert_memory_equal(&r->info[rank], &r->info[0], sizeof r->info[0]);
            assert_memory_equal(r->w[rank], r->w[0], sizeof r->w[0]);
        }
    }
}

/* Requests for memory that one process makes, at least. */
enum { LEAST_REQUESTS = 20 };

static void test_memory_refused_in_one_process_ends_all(void **state)
{
    const int64_t step = test_share(4) >= 4 ? 1 : 4; /* every request, or every 4th */
    (void)state;
    for (size_t k = 0; k < sizeof tasks / sizeof *tasks; k++) {
        const int limited_rank = (int)k % 2;
        run r = {
            .task = &tasks[k], .cut = {0, ROWS / 2}, .limited_rank = limited_rank, .stopping = -1};
        for (train(&r, 2); r.status[0] != NEY_OK; train(&r, 2)) {
            assert_int_equal(r.status[0], NEY_ENOMEM);
            assert_string_equal(r.err[1].message, r.err[0].message);
            r.granted += step;
        }
        assert_true(r.granted > LEAST_REQUESTS);
        assert_int_equal(r.info[0].starts, tasks[k].starts); /* Newton steps found it */
        assert_int_equal(r.info[0].stop, NEY_STOP_CONVERGED);
    }
}

/* Asked at any poll, until the run needs no more of them. */
static void test_a_stop_of_one_process_is_that_of_all(void **state)
{
    (void)state;
    for (int stopping = 0; stopping < 2; stopping++) {
        run r = {.task = &tasks[0], .cut = {0, ROWS / 3}, .limited_rank = -1, .stopping = stopping};
        int n = 0;
        for (r.polls = 1;; r.polls += 11) {
            train(&r, 2);
            assert_int_equal(r.status[0], NEY_OK);
            if (r.info[0].stop != NEY_STOP_CANCELLED) {
                break;
            }
            n++;
        }
        assert_int_equal(r.info[0].stop, NEY_STOP_CONVERGED);
        assert_true(n > 5);
    }
}

static void test_the_limit_of_time_ends_all(void **state)
{
    (void)state;
    run r = {.task = &tasks[0],
             .cut = {0, ROWS / 3},
             .limited_rank = -1,
             .stopping = -1,
             .max_time = 1e-9};
    train(&r, 2);
    assert_int_equal(r.status[0], NEY_OK);
    assert_int_equal(r.info[0].stop, NEY_STOP_TIME);
}

/* Processes without rows, and without rows of one class: the bits of one process. */
static void test_processes_that_lack_rows(void **state)
{
    static const int64_t cuts[][3] = {{0, 0, 0},
                                      {0, 0, BLOCK},
                                      {0, ROWS, ROWS},
                                      {0, BLOCK, BLOCK},
                                      {0, ROWS / 3 / BLOCK * BLOCK, ROWS - BLOCK}};
    (void)state;
    for (size_t k = 0; k < sizeof tasks / sizeof *tasks; k++) {
        for (int sorted = 0; sorted < 2; sorted++) {
            run one = {.task = &tasks[k], .limited_rank = -1, .stopping = -1, .is_sorted = sorted};
            train(&one, 1);
            assert_int_equal(one.status[0], NEY_OK);
            for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++) {
                run r = one;
                memcpy(r.cut, cuts[c], sizeof cuts[c]);
                train(&r, MOST_RANKS);
                assert_int_equal(r.status[0], NEY_OK);
                assert_memory_equal(r.w[0], one.w[0], sizeof one.w[0]);
                assert_memory_equal(&r.info[0], &one.info[0], sizeof one.info[0]);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_refused_in_one_process_ends_all),
        cmocka_unit_test(test_a_stop_of_one_process_is_that_of_all),
        cmocka_unit_test(test_the_limit_of_time_ends_all),
        cmocka_unit_test(test_processes_that_lack_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
