/* Decisions from scores, with every request for memory refused in turn and stops at every poll. */
#include "support/cmocka_all.h"
#include "support/counting.h"
#include "support/random_data.h"
#include "support/temp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { N = 300 }; /* more than are sorted by hand */

static double score[N];
static int8_t label[N];
static text file;

static ney_status use_roc(const void *what, const ney_env *env, ney_error *err)
{
    ney_roc *roc = (ney_roc *)(uintptr_t)1;
    (void)what;
    const ney_status st = ney_roc_new(&roc, env, score, label, N, err);
    assert_true((st == NEY_OK) == (roc != NULL));
    ney_roc_free(roc);
    return st;
}

static ney_status use_calibrator(const void *what, const ney_env *env, ney_error *err)
{
    ney_calibrator *c = (ney_calibrator *)(uintptr_t)1;
    double low = -1, high = -1;
    (void)what;
    const ney_status st = ney_calibrator_new(&c, env, score, label, N, err);
    assert_true((st == NEY_OK) == (c != NULL));
    if (c) {
        ney_calibrator_interval(c, score[0], &low, &high);
        assert_true(0 <= low && low <= high && high <= 1);
    }
    ney_calibrator_free(c);
    return st;
}

static ney_status use_risk(const void *what, const ney_env *env, ney_error *err)
{
    ney_risk_point curve[N];
    int64_t n = -1;
    (void)what;
    const ney_status st = ney_risk_coverage(env, score, label, N, 0.5, curve, &n, err);
    assert_true((st == NEY_OK) == (n > 0));
    return st;
}

static ney_status use_qvalues(const void *what, const ney_env *env, ney_error *err)
{
    double q[N], pep[N];
    uint64_t key[N];
    for (int i = 0; i < N; i++) {
        key[i] = (uint64_t)i / 2;
    }
    const ney_status st = ney_qvalues(env, score, label, N, what, q, err);
    const ney_labelled_scores rows = {
        .score = score, .label = label, .group = key, .within = key, .n = N};
    return st == NEY_OK ? ney_qvalues_competed(env, &rows, what, q, pep, NULL, NULL, err) : st;
}

static ney_status use_certify(const void *what, const ney_env *env, ney_error *err)
{
    ney_certificate c;
    const ney_error_kind *kind = what;
    return ney_certify(&c, env, *kind, score, N, 0.1, 0.1, err);
}

static ney_status use_certify_groups(const void *what, const ney_env *env, ney_error *err)
{
    const int64_t *size = what; /* rows per group: by bets, or by a row drawn */
    uint64_t group[N];
    ney_certificate c;
    for (int64_t i = 0; i < N; i++) {
        group[i] = (uint64_t)(i / *size);
    }
    const ney_labelled_scores rows = {.score = score, .group = group, .n = N};
    return ney_certify_groups(&c, env, NEY_FALSE_POSITIVES, &rows, 0.1, 0.1, err);
}

static ney_status use_group_rate(const void *what, const ney_env *env, ney_error *err)
{
    ney_group_mean r;
    double value[N];
    uint64_t group[N];
    (void)what;
    for (int64_t i = 0; i < N; i++) {
        value[i] = label[i] > 0;
        group[i] = (uint64_t)(i / 3);
    }
    return ney_mean_of_groups(&r, env, value, group, N, 0.9, err);
}

/* With groups and without. */
static ney_status use_compare(const void *what, const ney_env *env, ney_error *err)
{
    static const ney_compare_opts few = {.confidence = 0.5, .resamples = 5, .seed = 1};
    static const double none[N];
    const double *const scores[] = {score, score}, *const losses[] = {none, none};
    const ney_methods by_score = {
        .value = scores, .n_methods = 2, .label = label, .group = what, .n = N};
    const ney_methods by_loss = {.value = losses, .n_methods = 2, .group = what, .n = N};
    ney_difference d[2];
    const ney_status st = ney_compare_rates(d, env, &by_score, NEY_FALSE_POSITIVES, 0.5, &few, err);
    return st == NEY_OK ? ney_compare_losses(d, env, &by_loss, 1, &few, err) : st;
}

static ney_status use_read(const void *what, const ney_env *env, ney_error *err)
{
    ney_scores *s = (ney_scores *)(uintptr_t)1;
    const ney_status st = ney_scores_read_by(&s, env, what, NULL, "label", err);
    assert_true((st == NEY_OK) == (s != NULL));
    ney_scores_free(s);
    return st;
}

static ney_status use_certify_file(const void *what, const ney_env *env, ney_error *err)
{
    ney_certified c;
    return ney_certify_file_with(&c, env, what, NULL, 0.1, 0.2, 0.1, err);
}

static ney_status use_certify_fpr(const void *what, const ney_env *env, ney_error *err)
{
    ney_certified c;
    return ney_certify_file_with(&c, env, what, NULL, 0.1, (double)NAN, 0.1, err);
}

static ney_status use_certify_fnr(const void *what, const ney_env *env, ney_error *err)
{
    ney_certified c;
    return ney_certify_file_with(&c, env, what, NULL, (double)NAN, 0.1, 0.1, err);
}

/* A pipe that holds the whole file by the time it is read. */
static const char *filled_pipe(int fd[2], char path[32])
{
    assert_int_equal(pipe(fd), 0);
    assert_int_equal(write(fd[1], file.bytes, file.length), (ssize_t)file.length);
    close(fd[1]);
    snprintf(path, 32, "/dev/fd/%d", fd[0]);
    return path;
}

static ney_status use_certify_pipe(const void *what, const ney_env *env, ney_error *err)
{
    int fd[2];
    char path[32];
    (void)what;
    const ney_status st = use_certify_file(filled_pipe(fd, path), env, err);
    close(fd[0]);
    return st;
}

/* A certificate in a model. */
static ney_status use_model(const void *what, const ney_env *env, ney_error *err)
{
    static const double weight = 1;
    static const float x[] = {0, 1};
    static const int8_t y[] = {-1, 1};
    const ney_matrix matrix = {.rows = 2, .cols = 1, .dense = x};
    ney_data *data = NULL;
    ney_model *m = NULL;
    ney_status st = ney_data_new(&data, env, &matrix, y, NULL, err);
    if (st == NEY_OK && (st = ney_model_new_linear(&m, env, ney_data_preprocessing(data), &weight,
                                                   0, err)) == NEY_OK) {
        st = ney_model_certify(m, what, err);
    }
    ney_model_free(m);
    ney_data_free(data);
    return st;
}

static const char *path_of_file(void)
{
    return temp_file("scores", file.bytes, file.length);
}

static void memory_refused(void **state)
{
    static const ney_error_kind kinds[] = {NEY_FALSE_POSITIVES, NEY_FALSE_NEGATIVES};
    const ney_qvalue_opts q = {.plus_one = true};
    ney_certified c;
    (void)state;
    sweep_memory("calibrator", use_calibrator, NULL);
    sweep_memory("roc", use_roc, NULL);
    sweep_memory("risk and coverage", use_risk, NULL);
    sweep_memory("q-values", use_qvalues, &q);
    sweep_memory("certify false positives", use_certify, &kinds[0]);
    sweep_memory("certify false negatives", use_certify, &kinds[1]);
    const int64_t sizes[] = {3, 10};
    sweep_memory("certify groups by bets", use_certify_groups, &sizes[0]);
    sweep_memory("certify groups by a row drawn", use_certify_groups, &sizes[1]);
    sweep_memory("rate of groups", use_group_rate, NULL);
    sweep_memory("compare", use_compare, NULL);
    uint64_t group[N];
    for (int i = 0; i < N; i++) {
        group[i] = (uint64_t)i / 2;
    }
    sweep_memory("compare by groups", use_compare, group);
    sweep_memory("read scores", use_read, path_of_file());
    sweep_memory("certify a file", use_certify_file, path_of_file());
    sweep_memory("certify a file, one rate", use_certify_fpr, path_of_file());
    sweep_memory("certify a file, the other", use_certify_fnr, path_of_file());
    sweep_memory("certify a pipe", use_certify_pipe, NULL);
    assert_int_equal(ney_certify_file_with(&c, NULL, path_of_file(), NULL, 0.1, 0.2, 0.1, NULL),
                     NEY_OK);
    sweep_memory("certificate of a model", use_model, &c);
}

static void stops_asked_for(void **state)
{
    (void)state;
    assert_true(sweep_polls("read scores", use_read, path_of_file(), false) >= 1);
    assert_true(sweep_polls("certify a file", use_certify_file, path_of_file(), false) >= 3);
    assert_true(sweep_polls("one rate", use_certify_fpr, path_of_file(), false) >= 2);
    assert_true(sweep_polls("the other", use_certify_fnr, path_of_file(), false) >= 2);
    assert_true(sweep_polls("certify a pipe", use_certify_pipe, NULL, false) >= 1);
}

/* A refusal of the input frees all, too, and gives nothing. */
static ney_status use_refused(const void *what, const ney_env *env, ney_error *err)
{
    ney_scores *s = (ney_scores *)(uintptr_t)1;
    ney_certified c;
    const char *path = temp_text("bad", what);
    assert_int_not_equal(ney_scores_read_with(&s, env, path, NULL, err), NEY_OK);
    assert_null(s);
    assert_int_not_equal(ney_certify_file_with(&c, env, path, NULL, 0.1, 0.1, 0.1, err), NEY_OK);
    return NEY_OK;
}

static void refusals_leave_nothing(void **state)
{
    static const char *const bad[] = {"",       "label,score\n", "a,1\nb,2\nc,3\n", "a,1\nb,nan\n",
                                      "1\n2\n", "x,score\n1,2\n"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        counting c = {.refuse_at = -1, .stop_at = -1};
        const ney_env env = counting_env(&c);
        ney_error err = {0};
        assert_int_equal(use_refused(bad[i], &env, &err), NEY_OK);
        assert_int_equal(c.live, 0);
    }
}

static int setup(void **state)
{
    rnd r = rnd_new(431);
    (void)state;
    text_put(&file, "label,score\n");
    for (int i = 0; i < N; i++) {
        label[i] = rnd_chance(&r, 0.5) ? 1 : -1;
        score[i] = (double)rnd_below(&r, 50) / 50 + (label[i] > 0 ? 0.2 : 0);
        text_printf(&file, "%d,%.17g\n", label[i], score[i]);
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    text_free(&file);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_refused),
        cmocka_unit_test(stops_asked_for),
        cmocka_unit_test(refusals_leave_nothing),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
