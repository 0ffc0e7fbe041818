/* Functions that read data, follow paths and study asymmetry with options by name: the same results
 * as with the structs behind the options, and options that would have no effect are refused. */
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/temp.h"

#include <neyman/experimental.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 60, COLS = 2 };

/* Options from pairs of name and value, ended by NULL. */
static ney_options *options_of(const char *const *pairs)
{
    ney_options *o;
    assert_int_equal(ney_options_new(&o, NULL, NULL), NEY_OK);
    for (; *pairs; pairs += 2) {
        assert_int_equal(ney_options_set(o, pairs[0], pairs[1], NULL), NEY_OK);
    }
    return o;
}

#define OPTIONS(...) options_of((const char *const[]){__VA_ARGS__, NULL})

static ney_data *table_of(uint64_t stream)
{
    double x[ROWS * COLS];
    int8_t label[ROWS];
    rnd random = rnd_new(stream);
    ney_data *d;
    for (int i = 0; i < ROWS; i++) {
        label[i] = (int8_t)(i % 3 == 0 ? 1 : -1);
        x[i * COLS] = 100 * (rnd_unit(&random) + 0.5 * label[i]);
        x[i * COLS + 1] = rnd_unit(&random);
    }
    const ney_array a = {.rows = ROWS, .cols = COLS, .value = x, .value_type = NEY_FLOAT64};
    assert_int_equal(ney_data_from_array(&d, NULL, &a, NULL, NULL), NEY_OK);
    assert_int_equal(ney_data_set_labels(d, label, NULL, NULL, NULL), NEY_OK);
    return d;
}

/* ------------------------------------------------------------------ reading */

static void test_reading(void **state)
{
    (void)state;
    ney_options *const o = OPTIONS("label", "kind", "positive", "x", "max-fpr", "0.01");
    static const char csv[] = "a,kind,b\n1,x,2\n3,y,4\n5,x,6\n";
    const char *const path = temp_text("named.csv", csv);
    const char *const cache = temp_path("named.ney");
    ney_data *parsed, *read, *cached;
    ney_error err;

    assert_int_equal(ney_data_parse(&parsed, NULL, "text", csv, strlen(csv), o, NULL, &err),
                     NEY_OK);
    assert_int_equal(ney_data_read(&read, NULL, path, o, NULL, &err), NEY_OK);
    assert_int_equal(ney_cache_build(NULL, path, cache, o, &err), NEY_OK);
    assert_int_equal(ney_data_read(&cached, NULL, cache, NULL, NULL, &err), NEY_OK);
    ney_data *const all[] = {parsed, read, cached};
    for (int k = 0; k < 3; k++) {
        assert_int_equal(ney_data_matrix(all[k])->rows, 3);
        assert_int_equal(ney_data_matrix(all[k])->cols, 2);
        assert_int_equal(ney_data_label(all[k])[0], 1);
        assert_int_equal(ney_data_label(all[k])[1], -1);
        ney_data_free(all[k]);
    }
    /* without the options the column kind is a category, and there is no label */
    assert_int_equal(ney_data_parse(&parsed, NULL, "text", csv, strlen(csv), NULL, NULL, &err),
                     NEY_OK);
    assert_null(ney_data_label(parsed));
    ney_data_free(parsed);
    ney_options_free(o);
}

static void test_score_files(void **state)
{
    (void)state;
    char csv[4000] = "truth,score\n";
    for (int i = 0; i < 100; i++) {
        snprintf(csv + strlen(csv), sizeof csv - strlen(csv), "%s,%d\n", i % 2 ? "b" : "a", i);
    }
    const char *const path = temp_text("scores.csv", csv);
    ney_options *const o = OPTIONS("label", "truth", "positive", "a");
    ney_scores *scores;
    ney_certified found;
    ney_error err;

    assert_int_equal(ney_scores_read(&scores, NULL, path, o, &err), NEY_OK);
    assert_int_equal(ney_scores_count(scores), 100);
    assert_string_equal(ney_scores_name(scores, 1), "a");
    ney_scores_free(scores);
    assert_int_equal(ney_certify_file(&found, NULL, path, o, 0.2, NAN, 0.05, &err), NEY_OK);
    assert_string_equal(found.name[1], "a");
    assert_int_equal(found.fpr.n, 50);
    ney_options_free(o);
}

/* ------------------------------------------------------------------ paths */

static double objective_at_end(ney_path *path)
{
    int64_t n;
    assert_int_equal(
        ney_path_follow(path, (ney_cost_pair){0, 0}, (ney_cost_pair){1, 2}, NULL, NULL), NEY_OK);
    const ney_path_point *const p = ney_path_points(path, 0, &n);
    return p[n - 1].objective;
}

static void test_path_prepares_raw_rows(void **state)
{
    (void)state;
    ney_options *const o = OPTIONS("kernel", "rbf", "gamma", "0.5", "scale", "minmax");
    ney_data *const raw = table_of(1), *const prepared = table_of(1);
    ney_path *by_name, *by_struct;
    ney_train_opts opts;
    ney_error err;
    int64_t n;
    const ney_param *const params = ney_train_params(&n);

    ney_params_init(params, n, &opts);
    opts.kernel = NEY_KERNEL_RBF;
    opts.gamma = 0.5;
    assert_int_equal(ney_data_prepare(prepared, NEY_SCALING_MINMAX, NULL, 0, &err), NEY_OK);
    assert_int_equal(ney_path_new_with(&by_struct, NULL, prepared, &opts, &err), NEY_OK);
    assert_int_equal(ney_path_new(&by_name, NULL, raw, o, &err), NEY_OK);
    assert_true(objective_at_end(by_name) == objective_at_end(by_struct));
    ney_path_free(by_name);
    ney_path_free(by_struct);

    /* an option without effect */
    assert_int_equal(ney_path_new(&by_name, NULL, prepared, o, &err), NEY_EINVAL);
    assert_non_null(strstr(err.message, "scale"));
    assert_int_equal(ney_options_set(o, "scale", NULL, NULL), NEY_OK);
    assert_int_equal(ney_options_set(o, "folds", "3", NULL), NEY_OK);
    assert_int_equal(ney_path_new(&by_name, NULL, prepared, o, &err), NEY_EINVAL);
    assert_non_null(strstr(err.message, "folds"));
    assert_null(by_name);
    ney_options_free(o);
    ney_data_free(raw);
    ney_data_free(prepared);
}

static void test_exploration(void **state)
{
    (void)state;
    ney_options *const o = OPTIONS("c-max", "10", "splits", "3", "regular", "0", "seed", "5");
    ney_data *const data = table_of(2);
    ney_exploration *by_name, *by_struct;
    ney_explore_opts opts;
    ney_error err;
    int64_t n;
    const ney_param *const params = ney_explore_params(&n);
    double cost[2];

    ney_params_init(params, n, &opts);
    opts.most = 10;
    opts.splits = 3;
    opts.regular = 0;
    opts.seed = 5;
    opts.scaling = NEY_SCALING_STANDARD; /* the default of a table */
    assert_int_equal(ney_explore_with(&by_struct, NULL, data, NULL, NULL, NULL, &opts, &err),
                     NEY_OK);
    assert_int_equal(ney_explore(&by_name, NULL, data, NULL, NULL, o, &err), NEY_OK);
    const ney_cost_pair a = ney_exploration_best(by_name, &cost[0]);
    const ney_cost_pair b = ney_exploration_best(by_struct, &cost[1]);
    assert_true(a.plus == b.plus && a.minus == b.minus && cost[0] == cost[1]);
    assert_true(ney_exploration_curve(by_name, NEY_CURVE_BOTH)->auc ==
                ney_exploration_curve(by_struct, NEY_CURVE_BOTH)->auc);
    ney_exploration_free(by_name);
    ney_exploration_free(by_struct);
    assert_int_equal(ney_explore(&by_name, NULL, data, data, NULL, o, &err), NEY_EINVAL);
    assert_null(by_name);
    ney_options_free(o);
    ney_data_free(data);
}

/* ------------------------------------------------------------------ theory */

static void test_mixture(void **state)
{
    (void)state;
    ney_options *const o = OPTIONS("components", "2", "ridge", "0.01", "seed", "3");
    ney_data *const data = table_of(3);
    ney_mixture *by_name, *by_struct;
    ney_mixture_opts opts;
    ney_error err;
    int64_t n;
    const ney_param *const params = ney_mixture_params(&n);

    ney_params_init(params, n, &opts);
    opts.components = 2;
    opts.ridge = 0.01;
    opts.seed = 3;
    assert_int_equal(ney_mixture_fit_with(&by_struct, NULL, data, &opts, &err), NEY_OK);
    assert_int_equal(ney_mixture_fit(&by_name, NULL, data, o, &err), NEY_OK);
    const ney_gaussian *const a = ney_mixture_class_of(by_name, 1, &n);
    assert_int_equal(n, 2);
    const ney_gaussian *const b = ney_mixture_class_of(by_struct, 1, &n);
    assert_true(a[1].weight == b[1].weight && a[1].mean[0] == b[1].mean[0]);
    ney_mixture_free(by_name);
    ney_mixture_free(by_struct);
    assert_int_equal(ney_options_set(o, "C", "2", NULL), NEY_OK);
    assert_int_equal(ney_mixture_fit(&by_name, NULL, data, o, &err), NEY_EINVAL);
    assert_null(by_name);
    ney_options_free(o);
    ney_data_free(data);
}

static void test_asymmetry_sample(void **state)
{
    (void)state;
    static const double gamma[] = {0.25, 0.75};
    const ney_asymmetry_grid grid = {.gamma = gamma, .n_gammas = 2, .n_splits = 2};
    ney_options *const o = OPTIONS("scale", "minmax", "seed", "7", "C", "2");
    ney_data *const data = table_of(4);
    double fpr[2][4], tpr[2][4];
    ney_train_opts opts;
    ney_error err;
    int64_t n;
    const ney_param *const params = ney_train_params(&n);

    ney_params_init(params, n, &opts);
    opts.seed = 7;
    opts.C = 2;
    assert_int_equal(ney_asymmetry_sample_with(NULL, data, &opts, NEY_SCALING_MINMAX, &grid, fpr[0],
                                               tpr[0], &err),
                     NEY_OK);
    assert_int_equal(ney_asymmetry_sample(NULL, data, o, &grid, fpr[1], tpr[1], &err), NEY_OK);
    assert_memory_equal(fpr[0], fpr[1], sizeof *fpr);
    assert_memory_equal(tpr[0], tpr[1], sizeof *tpr);
    ney_options_free(o);
    ney_data_free(data);
}

/* A value that is missing has no place in a path or a mixture. */
static void test_missing_values(void **state)
{
    (void)state;
    double x[] = {1, 2, NAN, 4};
    static const int8_t label[] = {1, -1, 1, -1};
    const ney_array a = {.rows = 4, .cols = 1, .value = x, .value_type = NEY_FLOAT64};
    ney_data *d;
    ney_path *path;
    ney_mixture *mixture;
    ney_exploration *exploration;
    double rate[2];
    ney_error err;

    assert_int_equal(ney_data_from_array(&d, NULL, &a, NULL, &err), NEY_OK);
    assert_int_equal(ney_data_set_labels(d, label, NULL, NULL, &err), NEY_OK);
    assert_int_equal(ney_path_new(&path, NULL, d, NULL, &err), NEY_EPARSE);
    assert_non_null(strstr(err.message, "row 2, column 0"));
    assert_int_equal(ney_explore(&exploration, NULL, d, NULL, NULL, NULL, &err), NEY_EPARSE);
    assert_int_equal(ney_mixture_fit(&mixture, NULL, d, NULL, &err), NEY_EPARSE);
    const ney_asymmetry_grid grid = {.gamma = x, .n_gammas = 1, .n_splits = 1};
    assert_int_equal(ney_asymmetry_sample(NULL, d, NULL, &grid, rate, rate, &err), NEY_EPARSE);
    ney_data_free(d);
}

/* A later version gives reserved members a meaning: until then they are 0. */
static void test_reserved_members(void **state)
{
    (void)state;
    static const double score[] = {0, 1};
    static const double *const both[] = {score, score};
    static const int8_t label[] = {-1, 1};
    const ney_monitor_opts watch = {
        .max_fpr = 0.1, .max_fnr = (double)NAN, .delta = 0.1, .reserved = {0, 0, 0, 1}};
    const ney_compare_opts compare = {.confidence = 0.9, .resamples = 9, .reserved = {1}};
    const ney_array x = {
        .rows = 2, .cols = 1, .value = score, .value_type = NEY_FLOAT64, .reserved = {score}};
    ney_difference out[2];
    ney_monitor *monitor;
    ney_data *data;
    assert_int_equal(ney_monitor_new(&monitor, NULL, &watch, NULL), NEY_EINVAL);
    const ney_methods methods = {.value = both, .n_methods = 2, .label = label, .n = 2};
    assert_int_equal(
        ney_compare_rates(out, NULL, &methods, NEY_FALSE_POSITIVES, 0.5, &compare, NULL),
        NEY_EINVAL);
    assert_int_equal(ney_data_from_array(&data, NULL, &x, NULL, NULL), NEY_EINVAL);
}

static void refused(ney_status st, const ney_error *err, const char *what)
{
    assert_int_equal(st, NEY_EINVAL);
    assert_non_null(strstr(err->message, what));
}

/* The same of structs that say what to work on. Each call is accepted without the reserved one. */
static void test_reserved_members_of_inputs(void **state)
{
    (void)state;
    static const double score[] = {0, 1, 2, 3}, gamma[] = {0.5};
    static const double *const both[] = {score, score};
    static const int8_t label[] = {-1, 1, -1, 1};
    static const uint64_t group[] = {0, 0, 1, 1};
    static const ney_gaussian g = {.weight = 1, .mean = score, .cov = score + 1};
    const ney_costs costs = {.fn = 1, .fp = 1, .reject_fn = 0.2, .reject_fp = 0.2};
    double q[4], low, high;
    ney_risk_point curve[8];
    int64_t n_points;
    ney_certificate certificate;
    ney_difference difference[2];
    ney_mixture *mixture;
    ney_error err;
    for (int bad = 0; bad < 2; bad++) {
        const void *const set = bad ? score : NULL;
        const ney_labelled_scores rows = {
            .score = score, .label = label, .group = group, .n = 4, .reserved = {NULL, set}};
        const ney_methods methods = {
            .value = both, .n_methods = 2, .label = label, .n = 4, .reserved = {set}};
        const ney_mixture_parts parts = {.dims = 1,
                                         .p_pos = 0.5,
                                         .positive = &g,
                                         .n_positive = 1,
                                         .negative = &g,
                                         .n_negative = 1,
                                         .reserved = {NULL, NULL, NULL, set}};
        const ney_asymmetry_grid grid = {
            .gamma = gamma, .n_gammas = 1, .n_splits = 1, .reserved = {set}};
        const ney_status of_rows[] = {
            ney_qvalues_competed(NULL, &rows, NULL, q, NULL, NULL, NULL, &err),
            ney_qvalues_by_group(NULL, &rows, NULL, q, NULL, &err),
            ney_best_band(NULL, &rows, &costs, &low, &high, NULL, &err),
            ney_band_coverage(NULL, &rows, 0, 1, 2, curve, &n_points, &err)};
        for (size_t k = 0; k < sizeof of_rows / sizeof *of_rows; k++) {
            assert_int_equal(of_rows[k], bad ? NEY_EINVAL : NEY_OK);
        }
        const ney_status certified =
            ney_certify_groups(&certificate, NULL, NEY_FALSE_POSITIVES, &rows, 0.5, 0.5, &err);
        assert_true(bad == (certified == NEY_EINVAL));
        const ney_status st[] = {
            ney_compare_rates(difference, NULL, &methods, NEY_FALSE_POSITIVES, 0.5, NULL, &err),
            ney_compare_losses(difference, NULL, &methods, 10, NULL, &err)};
        for (size_t k = 0; k < sizeof st / sizeof *st; k++) {
            assert_int_equal(st[k], bad ? NEY_EINVAL : NEY_OK);
        }
        const ney_status made = ney_mixture_new(&mixture, NULL, &parts, &err);
        assert_int_equal(made, bad ? NEY_EINVAL : NEY_OK);
        ney_mixture_free(mixture);
        const ney_status sampled = ney_asymmetry_sample(NULL, NULL, NULL, &grid, q, q, &err);
        refused(sampled, &err, bad ? "ney_asymmetry_grid" : "no data");
    }
}

/* Every name is listed once, and reaches the value that is listed. */
static void test_names_are_listed_once(void **state)
{
    (void)state;
    ney_options *const o = OPTIONS("seed", "9");
    const int64_t n = ney_options_count();
    for (int64_t k = 0; k < n; k++) {
        ney_option_info a, b;
        assert_true(ney_options_info(k, &a, sizeof a));
        assert_int_equal(ney_options_is_default(o, a.name), strcmp(a.name, "seed") != 0);
        for (int64_t j = 0; j < k; j++) {
            assert_true(ney_options_info(j, &b, sizeof b));
            assert_string_not_equal(a.name, b.name);
        }
    }
    ney_options_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reading),
        cmocka_unit_test(test_score_files),
        cmocka_unit_test(test_path_prepares_raw_rows),
        cmocka_unit_test(test_exploration),
        cmocka_unit_test(test_mixture),
        cmocka_unit_test(test_asymmetry_sample),
        cmocka_unit_test(test_missing_values),
        cmocka_unit_test(test_reserved_members),
        cmocka_unit_test(test_reserved_members_of_inputs),
        cmocka_unit_test(test_names_are_listed_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
