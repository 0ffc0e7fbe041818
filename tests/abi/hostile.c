/* Every stable function with wrong arguments: an error value, never a crash. The calls are written
 * by hostile.py from the headers; each runs in a process of its own. */
#include "abi/hostile.h"

#include "support/temp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 64, BUFFERS = 8, BYTES = 1 << 16, EXIT_BAD = 9 };

ney_data *the_data;
ney_model *the_model;
ney_options *the_options;
ney_result *the_result;
const ney_preprocessing *the_preprocessing;
ney_cache *the_cache;
ney_notes *the_notes;
ney_output *the_output;
ney_scores *the_scores;
ney_score_stream *the_score_stream;
ney_roc *the_roc;
ney_path *the_path;
ney_exploration *the_exploration;
ney_mixture *the_mixture;
ney_asymmetry *the_asymmetry;
ney_monitor *the_monitor;
ney_predictor *the_predictor;

const char *file_table, *file_cache, *file_model, *file_path, *file_scores, *file_new;

#define REPEAT_8(...)                                                                              \
    __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__,     \
        __VA_ARGS__

const double numbers[ROWS] = {REPEAT_8(0.1, 0.9, 0.2, 0.4, 0.3, 0.8, 0.5, 0.6)};
const double *const arrays[] = {numbers, numbers, numbers, numbers};
const int8_t labels[ROWS] = {REPEAT_8(1, -1, 1, -1, -1, 1, -1, 1)};
const uint64_t keys[ROWS] = {REPEAT_8(1, 2, 3, 4, 5, 6, 7, 8)};
const int64_t positions[ROWS] = {0, 1, 2, 3, 4, 5, 6, 7};
const float floats[ROWS] = {REPEAT_8(1, 2, 3, 4, 5, 6, 7, 8)};
const char text[] = "label,a\n1,2\n-1,3\n";

const ney_array one_ney_array[2] = {
    {.rows = 4, .cols = 2, .value = numbers, .value_type = NEY_FLOAT64},
    {.rows = 4, .cols = 2, .value = numbers, .value_type = NEY_FLOAT64}};
const ney_matrix one_ney_matrix[2] = {{.rows = 4, .cols = 2, .dense = floats},
                                      {.rows = 4, .cols = 2, .dense = floats}};
const ney_kernel one_ney_kernel[2] = {{.kind = NEY_KERNEL_RBF, .gamma = 1},
                                      {.kind = NEY_KERNEL_RBF, .gamma = 1}};
const ney_counts one_ney_counts[2] = {{.tp = 1, .fp = 2, .tn = 3, .fn = 4},
                                      {.tp = 1, .fp = 2, .tn = 3, .fn = 4}};
const ney_costs one_ney_costs[2] = {{.fn = 1, .fp = 1, .reject_fn = 0.2, .reject_fp = 0.2},
                                    {.fn = 1, .fp = 1, .reject_fn = 0.2, .reject_fp = 0.2}};
const ney_compare_opts one_ney_compare_opts[2] = {{.confidence = 0.9, .resamples = 10},
                                                  {.confidence = 0.9, .resamples = 10}};
const ney_monitor_opts one_ney_monitor_opts[2] = {
    {.max_fpr = 0.5, .max_fnr = (double)NAN, .low = 0.5, .high = 0.5, .delta = 0.1},
    {.max_fpr = 0.5, .max_fnr = (double)NAN, .low = 0.5, .high = 0.5, .delta = 0.1}};
const ney_qvalue_opts one_ney_qvalue_opts[2] = {{.kind = NEY_FDR_DECOYS_PER_TARGET},
                                                {.kind = NEY_FDR_DECOYS_PER_TARGET}};
const ney_guarantee one_ney_guarantee[2] = {{.confidence = 0.95}, {.confidence = 0.95}};
const ney_certified one_ney_certified[2] = {{.low = 0.5, .high = 0.5}, {.low = 0.5, .high = 0.5}};
const ney_choice one_ney_choice[2] = {{.c = {1, 1}, .fpr = 0.1, .tpr = 0.5},
                                      {.c = {1, 1}, .fpr = 0.1, .tpr = 0.5}};
const ney_gaussian one_ney_gaussian[2] = {{.weight = 1, .mean = numbers, .cov = numbers},
                                          {.weight = 1, .mean = numbers, .cov = numbers}};
const ney_cost_pair one_ney_cost_pair[2] = {{1, 1}, {1, 1}};
const ney_risk_point one_ney_risk_point[2] = {{.distance = 1, .covered = 1},
                                              {.distance = 1, .covered = 1}};

static const _Alignas(16) unsigned char zero_bytes[BYTES];
const void *const zeros = zero_bytes;

static _Alignas(16) unsigned char buffers[BUFFERS][BYTES];

void *buffer(int k)
{
    return buffers[k];
}

static void fail(const char *why)
{
    fprintf(stderr, "%s\n", why);
    _exit(EXIT_BAD);
}

void check_status(ney_status st, const ney_error *err)
{
    if (strcmp(ney_status_text(st), "unknown status") == 0) {
        fail("an unknown status");
    }
    if (st != NEY_OK && err && (err->code != st || !err->message[0])) {
        fail("a status that the error does not have, or no message");
    }
}

void check_out(ney_status st, void *out)
{
    if (st != NEY_OK && *(void **)out) {
        fail("an object after a failure");
    }
}

/* ------------------------------------------------------------------ fixtures */

static void good(ney_status st, const ney_error *err)
{
    if (st != NEY_OK) {
        fprintf(stderr, "fixture: %s\n", err->message);
        exit(EXIT_BAD);
    }
}

static ney_data *rows_of(void)
{
    const ney_array x = {.rows = ROWS / 2, .cols = 2, .value = numbers, .value_type = NEY_FLOAT64};
    ney_error err;
    ney_data *d;
    good(ney_data_from_array(&d, NULL, &x, NULL, &err), &err);
    good(ney_data_set_labels(d, labels, NULL, NULL, &err), &err);
    return d;
}

static void make_files(ney_error *err)
{
    char names[6][300];
    static const char *const end[] = {"table.csv", "cache.ney",  "model",
                                      "path",      "scores.csv", "new"};
    static char kept[6][300];
    for (int k = 0; k < 6; k++) {
        snprintf(names[k], sizeof names[k], "%s", temp_path(end[k]));
        memcpy(kept[k], names[k], sizeof kept[k]);
    }
    file_table = kept[0], file_cache = kept[1], file_model = kept[2];
    file_path = kept[3], file_scores = kept[4], file_new = kept[5];
    (void)temp_text("table.csv", text);
    char scores[2000] = "label,score\n";
    for (int i = 0; i < ROWS; i++) {
        snprintf(scores + strlen(scores), sizeof scores - strlen(scores), "%d,%g\n", labels[i],
                 numbers[i]);
    }
    (void)temp_text("scores.csv", scores);
    good(ney_cache_build(NULL, file_table, file_cache, NULL, err), err);
}

static void make_fixtures(void)
{
    ney_error err;
    ney_data *fitted = rows_of();
    make_files(&err);
    the_data = rows_of();
    good(ney_options_new(&the_options, NULL, &err), &err);
    good(ney_fit(&the_model, &the_result, NULL, fitted, NULL, &err), &err);
    good(ney_model_write(the_model, file_model, &err), &err);
    the_preprocessing = ney_model_preprocessing(the_model);
    good(ney_cache_open(&the_cache, NULL, file_cache, &err), &err);
    good(ney_notes_new(&the_notes, the_data, &err), &err);
    good(ney_output_open(&the_output, NULL, file_new, &err), &err);
    good(ney_scores_read(&the_scores, NULL, file_scores, NULL, &err), &err);
    good(ney_score_stream_open(&the_score_stream, NULL, file_scores, the_preprocessing, &err),
         &err);
    good(ney_roc_new(&the_roc, NULL, numbers, labels, ROWS, &err), &err);
    good(ney_path_new(&the_path, NULL, the_data, NULL, &err), &err);
    good(ney_path_follow(the_path, (ney_cost_pair){0, 0}, (ney_cost_pair){2, 2}, NULL, &err), &err);
    good(ney_path_write(the_path, file_path, &err), &err);
    ney_options *few;
    good(ney_options_new(&few, NULL, &err), &err);
    good(ney_options_set_int(few, "splits", 2, &err), &err);
    good(ney_explore(&the_exploration, NULL, the_data, NULL, NULL, few, &err), &err);
    ney_options_free(few);
    good(ney_mixture_fit(&the_mixture, NULL, the_data, NULL, &err), &err);
    good(ney_asymmetry_new(&the_asymmetry, NULL, the_mixture, NEY_LOSS_SQUARE, &err), &err);
    good(ney_monitor_new(&the_monitor, NULL, one_ney_monitor_opts, &err), &err);
    good(ney_predictor_new(&the_predictor, NULL, the_model, NULL, &err), &err);
    ney_data_free(fitted);
}

static void free_fixtures(void)
{
    ney_predictor_free(the_predictor);
    ney_monitor_free(the_monitor);
    ney_asymmetry_free(the_asymmetry);
    ney_mixture_free(the_mixture);
    ney_exploration_free(the_exploration);
    ney_path_free(the_path);
    ney_roc_free(the_roc);
    ney_score_stream_close(the_score_stream);
    ney_scores_free(the_scores);
    ney_output_discard(the_output);
    ney_notes_free(the_notes);
    ney_cache_close(the_cache);
    ney_result_free(the_result);
    ney_model_free(the_model);
    ney_options_free(the_options);
    ney_data_free(the_data);
}

/* ------------------------------------------------------------------ calls */

/* Whether a call, in a process of its own, returns. */
static bool survives(const hostile_call *c)
{
    int status;
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0) {
        alarm(10);
        memset(buffers, 0xa5, sizeof buffers);
        c->call();
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "%s, %s: %s %d\n", c->function, c->what,
                child > 0 && WIFSIGNALED(status) ? "signal" : "exit",
                child < 0             ? -1
                : WIFSIGNALED(status) ? WTERMSIG(status)
                                      : WEXITSTATUS(status));
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    int bad = 0, tried = 0;
    make_fixtures();
    for (int k = 0; k < n_hostile_calls; k++) {
        const hostile_call *const c = &hostile_calls[k];
        if (argc < 2 || strcmp(argv[1], c->function) == 0) {
            tried++;
            bad += !survives(c);
        }
    }
    free_fixtures();
    printf("%d calls, %d failed\n", tried, bad);
    return bad == 0 && tried > 0 ? 0 : 1;
}
