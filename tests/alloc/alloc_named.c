/* Reading, paths, mixtures and asymmetry with options by name: every request for memory refused in
 * turn. */
#include "support/counting.h"
#include "support/temp.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static char table[2000];

static ney_status make(ney_options **o, ney_data **data, const ney_env *env, ney_error *err)
{
    ney_status st = ney_options_new(o, env, err);
    if (st == NEY_OK && (st = ney_options_set(*o, "label", "kind", err)) == NEY_OK) {
        st = ney_data_parse(data, env, "table", table, strlen(table), *o, NULL, err);
        assert_true((st == NEY_OK) == (*data != NULL));
    }
    return st;
}

static ney_status use_path(const void *what, const ney_env *env, ney_error *err)
{
    ney_options *o = NULL;
    ney_data *data = NULL;
    ney_path *path = NULL;
    (void)what;
    ney_status st = make(&o, &data, env, err);
    if (st == NEY_OK && (st = ney_options_set(o, "scale", "minmax", err)) == NEY_OK) {
        st = ney_path_new(&path, env, data, o, err);
        assert_true((st == NEY_OK) == (path != NULL));
    }
    ney_path_free(path);
    ney_data_free(data);
    ney_options_free(o);
    return st;
}

static ney_status use_theory(const void *what, const ney_env *env, ney_error *err)
{
    static const double gamma[] = {0.5};
    const ney_asymmetry_grid grid = {.gamma = gamma, .n_gammas = 1, .n_splits = 1};
    double fpr, tpr;
    ney_options *o = NULL;
    ney_data *data = NULL;
    ney_mixture *mixture = NULL;
    (void)what;
    ney_status st = make(&o, &data, env, err);
    if (st == NEY_OK) {
        st = ney_mixture_fit(&mixture, env, data, o, err);
        assert_true((st == NEY_OK) == (mixture != NULL));
    }
    if (st == NEY_OK) {
        st = ney_asymmetry_sample(env, data, o, &grid, &fpr, &tpr, err);
    }
    ney_mixture_free(mixture);
    ney_data_free(data);
    ney_options_free(o);
    return st;
}

static ney_status use_scores(const void *what, const ney_env *env, ney_error *err)
{
    ney_options *o = NULL;
    ney_scores *scores = NULL;
    ney_certified found;
    ney_status st = ney_options_new(&o, env, err);
    if (st == NEY_OK && (st = ney_options_set(o, "label", "kind", err)) == NEY_OK &&
        (st = ney_scores_read(&scores, env, what, o, err)) == NEY_OK) {
        st = ney_certify_file(&found, env, what, o, 0.5, (double)NAN, 0.1, err);
    }
    ney_scores_free(scores);
    ney_options_free(o);
    return st;
}

static void memory(void **state)
{
    (void)state;
    snprintf(table, sizeof table, "kind,score,other\n");
    for (int i = 0; i < 24; i++) {
        snprintf(table + strlen(table), sizeof table - strlen(table), "%s,%g,%g\n",
                 i % 2 ? "b" : "a", sin(3.7 * i) + i % 2, cos(5.1 * i));
    }
    sweep_memory("path", use_path, NULL);
    sweep_memory("theory", use_theory, NULL);
    sweep_memory("scores", use_scores, temp_text("scores.csv", table));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
