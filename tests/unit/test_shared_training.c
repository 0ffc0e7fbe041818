/* Training on rows that several processes share: the same model for any number of them, its optimum
 * that of one process, and certificates that are those of all scores in one place. */
#include "data/data.h"
#include "learn/shared.h"

#include "support/cmocka_all.h"
#include "support/comm_threads.h"
#include "support/temp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RANKS = 4, PARTS = 4 };

/* ---- order statistics and certificates */

enum { SCORES = 500 };

typedef struct scores {
    double score[SCORES];
    int8_t label[SCORES];
    int n; /* of all */
    int cut[MOST_RANKS + 1];
    double kth[MOST_RANKS][2][6];
    ney_status status[MOST_RANKS][2];
    ney_certificate certificate[MOST_RANKS][2];
    ney_score_moments moments[MOST_RANKS];
} scores;

static const int64_t wanted[6] = {1, 2, 3, 17, 40, 60};

static void order_share(void *context, const ney_comm *comm)
{
    scores *const s = context;
    const ney_env env = ney_env_of(NULL);
    const int rank = comm->rank, first = s->cut[rank], n = s->cut[rank + 1] - first;
    const double *const score = s->score + first;
    const int8_t *const label = s->label + first;
    const int64_t size = n;
    ney_row_blocks *b;
    ney_error err;
    if (ney_row_blocks_new(&b, &env, comm, &size, n > 0, &err) != NEY_OK) {
        abort();
    }
    for (int k = 0; k < 6; k++) {
        for (int side = 0; side < 2; side++) {
            s->kth[rank][side][k] =
                ney_shared_kth_largest(b, score, label, n, 2 * side - 1, 1 - 2 * side, wanted[k]);
        }
    }
    for (int kind = 0; kind < 2; kind++) {
        s->status[rank][kind] = ney_shared_certify(
            &s->certificate[rank][kind], b, (ney_error_kind)kind, score, label, n, 0.2, 0.05, &err);
    }
    s->moments[rank] = ney_shared_moments(b, score, label, n, 1);
    ney_row_blocks_free(b);
}

static int descending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x > y ? -1 : x < y;
}

static void certificates_are_those_of_all_scores(void **state)
{
    (void)state;
    srand(11);
    for (int trial = 0; trial < 8; trial++) {
        scores s = {.n = 200 + rand() % (SCORES - 200)};
        double own[2][SCORES], sorted[2][SCORES];
        int n[2] = {0, 0};
        for (int i = 0; i < s.n; i++) {
            s.label[i] = rand() % 3 == 0 ? -1 : 1;
            s.score[i] =
                trial % 2 ? (double)(rand() % 9 - 4) : ldexp(rand() - 1e9, rand() % 60 - 30);
            s.score[i] = trial == 3 && i % 50 == 0 ? -(double)INFINITY : s.score[i];
            const int side = s.label[i] > 0;
            own[side][n[side]++] = s.score[i];
        }
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < n[side]; i++) {
                sorted[side][i] = (1 - 2 * side) * own[side][i];
            }
            qsort(sorted[side], (size_t)n[side], sizeof **sorted, descending);
        }
        for (int size = 1; size <= MOST_RANKS; size++) {
            for (int k = 1; k < size; k++) { /* some have no row */
                s.cut[k] = s.cut[k - 1] + (trial == 5 ? 0 : rand() % (s.n - s.cut[k - 1] + 1));
            }
            s.cut[size] = s.n;
            comm_threads_run(size, order_share, &s);
            for (int rank = 0; rank < size; rank++) {
                for (int side = 0; side < 2; side++) {
                    const ney_error_kind kind =
                        side == 0 ? NEY_FALSE_POSITIVES : NEY_FALSE_NEGATIVES;
                    ney_certificate one;
                    ney_error err;
                    for (int k = 0; k < 6; k++) {
                        assert_true(s.kth[rank][side][k] == sorted[side][wanted[k] - 1]);
                    }
                    const ney_status st =
                        ney_certify(&one, NULL, kind, own[side], n[side], 0.2, 0.05, &err);
                    const ney_certificate *const c = &s.certificate[rank][kind];
                    assert_int_equal(s.status[rank][kind], st);
                    if (st == NEY_OK) {
                        assert_memory_equal(c, &one, sizeof one);
                    }
                }
                assert_memory_equal(&s.moments[rank], &s.moments[0], sizeof s.moments[0]);
            }
        }
    }
}

/* ---- training */

static const struct {
    const char *what;
    bool wide;
    const char *options[8];
} runs[] = {
    {"costs", false, {"cost-fp", "3", "tol", "1e-6"}},
    {"reject", false, {"reject-cost", "0.2", "C", "0.1"}},
    {"both", false, {"max-fpr", "0.2", "max-fnr", "0.3"}},
    {"fpr", false, {"max-fpr", "0.2", "C", "0.01", "tol", "0.01"}},
    {"fnr", false, {"max-fnr", "0.15", "confidence", "none", "C", "0.01", "tol", "0.01"}},
    {"random", false, {"max-fpr", "0.3", "confidence", "none", "start", "5", "C", "0.001"}},
    {"scaled", false, {"cost-fn", "2", "scale", "standard", "no-fingerprint", "true"}},
    {"wide costs", true, {"cost-fp", "2", "tol", "1e-4"}},
    {"wide fpr", true, {"max-fpr", "0.2", "confidence", "none", "C", "0.01", "tol", "0.01"}},
};
enum { RUNS = sizeof runs / sizeof *runs };

static char pattern[2][256];

static void write_part(const char *name, bool wide, int rows)
{
    char *const text = calloc(1, (size_t)rows * 400), *at = text;
    for (int i = 0; i < rows; i++) {
        const int label = rand() % 3 == 0 ? 1 : -1;
        at += sprintf(at, "%d", label);
        for (int c = 0, k = 0; c < (wide ? 12 : 5); c++) {
            const double noise = (double)rand() / RAND_MAX - 0.5;
            k += wide ? 1 + rand() % 50 : 1;
            at += sprintf(at, " %d:%.4g", k, 2 * noise + (k % 3 == 1 ? 0.4 * label : 0));
        }
        at += sprintf(at, "\n");
    }
    temp_text(name, text);
    free(text);
}

static int write_files(void **state)
{
    (void)state;
    srand(4);
    for (int k = 0; k < PARTS; k++) {
        char name[64];
        snprintf(name, sizeof name, "narrow-%d.svm", k);
        write_part(name, false, 30 + 7 * k);
        snprintf(name, sizeof name, "wide-%d.svm", k);
        write_part(name, true, 20 + 9 * k);
    }
    snprintf(pattern[0], sizeof *pattern, "%s", temp_path("narrow-*.svm"));
    snprintf(pattern[1], sizeof *pattern, "%s", temp_path("wide-*.svm"));
    return 0;
}

typedef struct training {
    int run;
    char file[256]; /* of the model */
    ney_status status[MOST_RANKS];
    ney_error err[MOST_RANKS];
    double objective[MOST_RANKS], gap[MOST_RANKS];
    int64_t n;
    bool converged;
} training;

static void train_share(void *context, const ney_comm *comm)
{
    training *const t = context;
    const int rank = comm ? comm->rank : 0;
    ney_error *const err = &t->err[rank];
    ney_env env = ney_env_of(NULL);
    ney_options *options = NULL;
    ney_data *data = NULL;
    ney_model *model = NULL;
    ney_result *result = NULL;
    env.comm = comm;
    env.threads = 1;
    ney_status st = ney_options_new(&options, NULL, err);
    for (int k = 0; k < 8 && runs[t->run].options[k] && st == NEY_OK; k += 2) {
        st = ney_options_set(options, runs[t->run].options[k], runs[t->run].options[k + 1], err);
    }
    if (st == NEY_OK &&
        (st = ney_data_read(&data, &env, pattern[runs[t->run].wide], options, NULL, err)) ==
            NEY_OK &&
        (st = ney_fit(&model, &result, &env, data, options, err)) == NEY_OK) {
        (void)ney_result_get_real(result, "objective", &t->objective[rank]);
        (void)ney_result_get_real(result, "gap", &t->gap[rank]);
        if (rank == 0) {
            (void)ney_result_get_int(result, "n", &t->n);
            t->converged = strcmp(ney_result_get_text(result, "stop"), "converged") == 0;
            st = ney_model_write(model, t->file, err);
        }
    }
    t->status[rank] = st;
    ney_result_free(result);
    ney_model_free(model);
    ney_data_free(data);
    ney_options_free(options);
}

static training train_with(int run, int size)
{
    training t = {.run = run};
    char name[64];
    snprintf(name, sizeof name, "model-%d-%d", run, size);
    snprintf(t.file, sizeof t.file, "%s", temp_path(name));
    if (size == 0) {
        train_share(&t, NULL);
    } else {
        comm_threads_run(size, train_share, &t);
    }
    for (int rank = 0; rank < (size ? size : 1); rank++) {
        if (t.status[rank] != NEY_OK) {
            print_error("%s with %d: %s\n", runs[run].what, size, t.err[rank].message);
        }
        assert_int_equal(t.status[rank], NEY_OK);
    }
    return t;
}

static void models_do_not_depend_on_processes(void **state)
{
    (void)state;
    for (int run = 0; run < RUNS; run++) {
        const training one = train_with(run, 0);
        size_t n_first = 0;
        char *first = NULL;
        const bool convex = strstr(runs[run].options[0], "max-") == NULL || run == 2;
        assert_true(one.converged);
        /* of nonconvex problems there are many: two numbers of processes */
        for (int size = 1; size <= (convex ? MOST_RANKS : 2); size++) {
            const training t = train_with(run, size);
            size_t n;
            char *const model = slurp(t.file, &n);
            assert_non_null(model);
            if (first) {
                assert_int_equal(n, n_first);
                assert_memory_equal(model, first, n);
                free(model);
            } else {
                first = model;
                n_first = n;
            }
            assert_true(t.converged);
            assert_true(t.n == one.n);
            for (int rank = 0; rank < size; rank++) {
                const double apart = fabs(t.objective[rank] - one.objective[0]);
                assert_true(t.objective[rank] == t.objective[0] && t.gap[rank] == t.gap[0]);
                assert_true(apart <= (convex ? t.gap[0] + one.gap[0] + 1e-12 * one.objective[0]
                                             : 0.05 * one.objective[0]));
            }
        }
        free(first);
    }
}

/* ---- refusals */

static void what_needs_all_rows_is_refused(void **state)
{
    static const char *const options[][2] = {
        {"kernel", "rbf"}, {"method", "uzawa"}, {"calibrate", "0.2"}, {"C", "auto"}};
    (void)state;
    for (size_t k = 0; k < sizeof options / sizeof *options; k++) {
        ney_options *o;
        ney_error err;
        ney_env env = ney_env_of(NULL);
        ney_data *data = NULL;
        ney_model *model = NULL;
        env.comm = &ney_comm_self;
        assert_int_equal(ney_options_new(&o, NULL, &err), NEY_OK);
        assert_int_equal(ney_options_set(o, options[k][0], options[k][1], &err), NEY_OK);
        if (k % 2 == 1) {
            assert_int_equal(ney_options_set(o, "max-fpr", "0.2", &err), NEY_OK);
        }
        assert_int_equal(ney_data_read(&data, &env, pattern[0], o, NULL, &err), NEY_OK);
        assert_int_equal(ney_fit(&model, NULL, &env, data, o, &err), NEY_EINVAL);
        if (!strstr(err.message, "needs the rows in one process")) {
            fail_msg("%s", err.message);
        }
        ney_data_free(data);
        ney_options_free(o);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certificates_are_those_of_all_scores),
        cmocka_unit_test(models_do_not_depend_on_processes),
        cmocka_unit_test(what_needs_all_rows_is_refused),
    };
    return cmocka_run_group_tests(tests, write_files, NULL);
}
