/* From an array to a fitted model and its predictions, with every request for memory refused in
 * turn and every poll answered by a stop. */
#include "support/counting.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 40, COLS = 2 };

static double cells[ROWS * COLS];
static int8_t label[ROWS];
static const char *const names[] = {"a", "b"};

typedef struct job {
    const char *option, *value;
} job;

static ney_status make(ney_data **data, const ney_array *x, const ney_env *env, ney_error *err)
{
    ney_status st = ney_data_from_array(data, env, x, NULL, err);
    if (st == NEY_OK && (st = ney_data_set_labels(*data, label, "no", "yes", err)) != NEY_OK) {
        ney_data_free(*data);
        *data = NULL;
    }
    return st;
}

static ney_status predict(const ney_model *model, const ney_array *x, const ney_env *env,
                          ney_error *err)
{
    static const char lines[] = "a,b\n1,2\n3,4\n5,";
    double score[ROWS];
    int8_t decision[ROWS];
    ney_predictor *p;
    ney_status st = ney_predict(model, env, x, score, decision, err);
    if (st == NEY_OK) {
        st = ney_predict(model, env, x, NULL, decision, err);
    }
    if (st == NEY_OK && (st = ney_predictor_new(&p, env, model, NULL, err)) == NEY_OK) {
        if ((st = ney_predictor_feed(p, lines, strlen(lines), err)) == NEY_OK &&
            (st = ney_predictor_feed(p, "6", 1, err)) == NEY_OK &&
            (st = ney_predictor_end(p, err)) == NEY_OK) {
            st = ney_predictor_feed_rows(p, x, err);
        }
        ney_predictor_free(p);
    }
    return st;
}

static ney_status use_fit(const void *what, const ney_env *env, ney_error *err)
{
    const job *const j = what;
    const ney_array x = {
        .rows = ROWS, .cols = COLS, .value = cells, .value_type = NEY_FLOAT64, .name = names};
    ney_options *options = NULL;
    ney_data *data = NULL;
    ney_model *model = NULL;
    ney_result *result = NULL;
    ney_status st = ney_options_new(&options, env, err);
    if (st == NEY_OK && (st = ney_options_set(options, j->option, j->value, err)) == NEY_OK &&
        (st = make(&data, &x, env, err)) == NEY_OK) {
        st = ney_fit(&model, &result, env, data, options, err);
        assert_true((st == NEY_OK) == (model != NULL) && (st == NEY_OK) == (result != NULL));
    }
    if (st == NEY_OK) {
        st = predict(model, &x, env, err);
    }
    ney_result_free(result);
    ney_model_free(model);
    ney_data_free(data);
    ney_options_free(options);
    return st;
}

static const job jobs[] = {{"C", "2"}, {"missing", "mean"}};
enum { JOBS = sizeof jobs / sizeof *jobs };

static void memory_may_be_refused(void **state)
{
    (void)state;
    for (int k = 0; k < JOBS; k++) {
        sweep_memory(jobs[k].option, use_fit, &jobs[k]);
    }
}

static void work_may_be_stopped(void **state)
{
    (void)state;
    for (int k = 0; k < JOBS; k++) {
        assert_true(sweep_polls(jobs[k].option, use_fit, &jobs[k], true) > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_may_be_refused),
        cmocka_unit_test(work_may_be_stopped),
    };
    for (int i = 0; i < ROWS; i++) {
        label[i] = (int8_t)(i % 2 ? 1 : -1);
        cells[i * COLS] = i % 7 + (i % 2);
        cells[i * COLS + 1] = (double)(i * i % 11);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
