/* Online training by several processes: the same bits for the same number of them, scores as good
 * as those of one, certificates over all rows, and checkpoints that any number of them continues.
 */
#include "data/data.h"

#include "support/cmocka_all.h"
#include "support/comm_threads.h"
#include "support/temp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_RANKS = 4, PARTS = 4, COLS = 4, ROWS = 400 };

static const struct {
    const char *what;
    const char *options[12];
} runs[] = {
    {"fpr", {"max-fpr", "0.2"}},
    {"fnr", {"max-fnr", "0.2", "confidence", "none"}},
    {"costs", {"cost-fp", "2", "scale", "standard"}},
    {"reject", {"reject-cost", "0.2"}},
    {"both", {"max-fpr", "0.2", "max-fnr", "0.2"}},
    {"sigmoid", {"max-fpr", "0.2", "loss", "sigmoid", "confidence", "none"}},
    {"features", {"max-fpr", "0.2", "features", "30"}},
    {"features costs", {"cost-fn", "2", "features", "30", "epochs", "4"}},
    {"network", {"max-fpr", "0.2", "network", "3", "epochs", "4", "confidence", "none"}},
    {"layers", {"max-fpr", "0.2", "network", "4,3", "epochs", "4", "activation", "relu"}},
};
enum { RUNS = sizeof runs / sizeof *runs };

static char pattern[256];

/* Two normal clouds, of another share of positives in every file. */
static int write_files(void **state)
{
    (void)state;
    srand(8);
    for (int part = 0; part < PARTS; part++) {
        char *const text = calloc(1, (size_t)ROWS * 200), *at = text, name[64];
        for (int i = 0; i < ROWS + 13 * part; i++) {
            const int label = rand() % (2 + part) == 0 ? 1 : -1;
            at += sprintf(at, "%d", label);
            for (int c = 1; c <= COLS; c++) {
                const double noise = (rand() + (double)rand() - rand() - rand()) / RAND_MAX;
                at += sprintf(at, " %d:%.4g", c, noise + (c == 1 ? 0.7 : 0.2) * label);
            }
            at += sprintf(at, "\n");
        }
        snprintf(name, sizeof name, "online-%d.svm", part);
        temp_text(name, text);
        free(text);
    }
    snprintf(pattern, sizeof pattern, "%s", temp_path("online-*.svm"));
    return 0;
}

typedef struct training {
    const char *const *options;
    const char *checkpoint; /* NULL: none */
    bool resume;
    const char *most_visits; /* NULL: no limit */
    size_t refused;          /* a block of so many bytes is refused to the first process */
    char file[256];          /* of the model */
    ney_status status[MOST_RANKS];
    ney_error err[MOST_RANKS];
    double objective[MOST_RANKS], wrong;
    int64_t visits[MOST_RANKS], n, held_out;
    char stop[32];
} training;

static ney_status set_all(ney_options *o, const training *t, ney_error *err)
{
    ney_status st = ney_options_set(o, "method", "online", err);
    for (int k = 0; k < 12 && t->options[k] && st == NEY_OK; k += 2) {
        st = ney_options_set(o, t->options[k], t->options[k + 1], err);
    }
    if (st == NEY_OK && t->checkpoint) {
        st = ney_options_set(o, "checkpoint", t->checkpoint, err);
    }
    if (st == NEY_OK && t->resume) {
        st = ney_options_set(o, "resume", "true", err);
    }
    if (st == NEY_OK && t->most_visits) {
        st = ney_options_set(o, "max-iter", t->most_visits, err);
    }
    return st;
}

static void *resize_but_one(void *user, void *block, size_t bytes)
{
    const size_t *const refused = user;
    if (bytes == 0) {
        free(block);
        return NULL;
    }
    return bytes == *refused ? NULL : realloc(block, bytes);
}

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
    if (t->refused > 0 && rank == 0) {
        env.resize = resize_but_one;
        env.user = &t->refused;
    }
    ney_status st = ney_options_new(&options, NULL, err);
    if (st == NEY_OK && (st = set_all(options, t, err)) == NEY_OK &&
        (st = ney_data_read(&data, &env, pattern, options, NULL, err)) == NEY_OK &&
        (st = ney_fit(&model, &result, &env, data, options, err)) == NEY_OK) {
        (void)ney_result_get_real(result, "objective", &t->objective[rank]);
        (void)ney_result_get_int(result, "iterations", &t->visits[rank]);
        if (rank == 0) {
            (void)ney_result_get_int(result, "n", &t->n);
            snprintf(t->stop, sizeof t->stop, "%s", ney_result_get_text(result, "stop"));
            st = ney_model_write(model, t->file, err);
        }
    }
    t->status[rank] = st;
    ney_result_free(result);
    ney_model_free(model);
    ney_data_free(data);
    ney_options_free(options);
}

static void train(training *t, int size, const char *name)
{
    snprintf(t->file, sizeof t->file, "%s", temp_path(name));
    if (size == 0) {
        train_share(t, NULL);
    } else {
        comm_threads_run(size, train_share, t);
    }
    for (int rank = 0; rank < (size ? size : 1); rank++) {
        if (t->status[rank] != NEY_OK) {
            print_error("%s with %d: %s\n", name, size, t->err[rank].message);
        }
        assert_int_equal(t->status[rank], NEY_OK);
        assert_true(t->objective[rank] == t->objective[0] && t->visits[rank] == t->visits[0]);
    }
}

static void assert_same_files(const char *a, const char *b)
{
    size_t n, m;
    char *const x = slurp(a, &n), *const y = slurp(b, &m);
    assert_non_null(x);
    assert_non_null(y);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    free(x);
    free(y);
}

/* The area under the ROC curve of a model on all rows. */
static double area_of(const char *file)
{
    ney_error err;
    ney_model *model;
    ney_data *data;
    double above = 0, pairs = 0;
    assert_int_equal(ney_model_read(&model, NULL, file, &err), NEY_OK);
    assert_int_equal(
        ney_data_read_with(&data, NULL, pattern, NULL, ney_model_preprocessing(model), &err),
        NEY_OK);
    const int64_t n = ney_data_matrix(data)->rows;
    const int8_t *const label = ney_data_label(data);
    double *const score = malloc((size_t)n * sizeof *score);
    assert_int_equal(ney_model_score(model, NULL, ney_data_matrix(data), score, &err), NEY_OK);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; label[i] > 0 && j < n; j++) {
            above += label[j] < 0 && score[i] > score[j];
            pairs += label[j] < 0;
        }
    }
    free(score);
    ney_data_free(data);
    ney_model_free(model);
    return above / pairs;
}

static void training_is_reproducible(void **state)
{
    (void)state;
    for (int run = 0; run < RUNS; run++) {
        training one = {.options = runs[run].options};
        char first[256];
        train(&one, 0, "one");
        snprintf(first, sizeof first, "%s", one.file);
        const double area = area_of(first);
        for (int size = 1; size <= MOST_RANKS; size++) {
            training a = {.options = runs[run].options}, b = a;
            train(&a, size, "a");
            train(&b, size, "b");
            assert_same_files(a.file, b.file);
            assert_true(a.n == one.n);
            if (fabs(area_of(a.file) - area) > 0.02) {
                fail_msg("%s, %d processes: area %.4f, of one %.4f", runs[run].what, size,
                         area_of(a.file), area);
            }
        }
    }
}

/* ---- checkpoints */

static void checkpoints_are_continued(void **state)
{
    static const int families[] = {0, 2, 6, 8};
    (void)state;
    for (size_t k = 0; k < sizeof families / sizeof *families; k++) {
        const char *const *const options = runs[families[k]].options;
        char path[256];
        snprintf(path, sizeof path, "%s", temp_path("point"));
        for (int size = 1; size <= 3; size++) {
            training whole = {.options = options}, cut = whole, rest = whole, others = whole;
            (void)unlink(path);
            cut.checkpoint = rest.checkpoint = others.checkpoint = path;
            cut.most_visits = "2500"; /* within the second epoch */
            rest.resume = others.resume = true;
            train(&whole, size, "whole");
            train(&cut, size, "cut");
            assert_string_equal(cut.stop, "iterations");
            size_t n;
            char *const point = slurp(path, &n);
            train(&rest, size, "rest");
            assert_same_files(whole.file, rest.file);
            for (int other = 1; other <= 3; other++) {
                temp_file("point", point, n);
                train(&others, other, "others");
                assert_true(others.visits[0] > cut.visits[0]);
                if (fabs(area_of(others.file) - area_of(whole.file)) > 0.02) {
                    fail_msg("%s, %d then %d processes: area %.4f, %.4f without a stop",
                             runs[families[k]].what, size, other, area_of(others.file),
                             area_of(whole.file));
                }
            }
            free(point);
        }
    }
}

/* The others must not send what the first process has no memory for: it would take it for something
 * else. */
static void a_checkpoint_without_memory_is_left_out(void **state)
{
    static const int features = 6;
    (void)state;
    for (int size = 1; size <= 3; size++) {
        training whole = {.options = runs[features].options, .most_visits = "2500"}, poor;
        char path[256];
        snprintf(path, sizeof path, "%s", temp_path("point"));
        (void)unlink(path);
        whole.checkpoint = path;
        poor = whole;
        train(&whole, size, "whole");
        size_t n;
        free(slurp(path, &n));
        (void)unlink(path);
        poor.refused = n;
        train(&poor, size, "poor");
        assert_int_not_equal(access(path, F_OK), 0);
        assert_same_files(whole.file, poor.file);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(training_is_reproducible),
        cmocka_unit_test(checkpoints_are_continued),
        cmocka_unit_test(a_checkpoint_without_memory_is_left_out),
    };
    return cmocka_run_group_tests(tests, write_files, NULL);
}
