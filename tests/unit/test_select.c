/* Grids, criteria, folds and the table of results, by examples worked out by hand. */
#include "select/axis.h"
#include "select/criterion.h"
#include "select/fold_results.h"
#include "select/folds.h"
#include "select/sample.h"
#include "support/temp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/cmocka_all.h"

static ney_train_opts defaults(void)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    ney_params_init(p, n, &o);
    return o;
}

/* ---- grids */

static void test_grid_text(void **state)
{
    ney_train_opts o = defaults();
    ney_grid g;
    (void)state;
    o.kernel = NEY_KERNEL_RBF;
    o.max_fpr = 0.1;
    assert_int_equal(ney_grid_init(&g, " C=0.1:1000:9; gamma=0.01,0.5 ", &o, 1, NULL), NEY_OK);
    assert_int_equal(g.n, 2);
    assert_string_equal(g.axis[0].param->name, "gamma"); /* what changes the kernel comes first */
    assert_string_equal(g.axis[1].param->name, "C");
    assert_true(ney_axis_value(&g.axis[0], 1) == 0.5);
    assert_true(ney_axis_value(&g.axis[1], 0) == 0.1);
    assert_true(ney_axis_value(&g.axis[1], 2) == 1); /* to the last bit */
    assert_true(ney_axis_value(&g.axis[1], 8) == 1000);
    assert_true(ney_axis_value(&g.axis[1], -2) == 0.01);
    assert_false(ney_axis_can_extend(&g.axis[0], true)); /* a list ends where it ends */
    assert_true(ney_axis_can_extend(&g.axis[1], false));
    ney_axis_set(&g.axis[0], 0, &o);
    assert_true(o.gamma == 0.01);
}

static void test_grid_defaults(void **state)
{
    ney_train_opts o = defaults();
    ney_grid g;
    (void)state;
    assert_int_equal(ney_grid_init(&g, NULL, &o, 1, NULL), NEY_OK);
    assert_int_equal(g.n, 1); /* linear: C alone */
    o.kernel = NEY_KERNEL_RBF;
    assert_int_equal(ney_grid_init(&g, NULL, &o, 0.25, NULL), NEY_OK);
    assert_int_equal(g.n, 2);
    assert_int_equal((g.axis[0].high + 1) * (g.axis[1].high + 1), 100);
    assert_true(ney_axis_value(&g.axis[0], 0) < 0.25 && ney_axis_value(&g.axis[0], 9) > 0.25);
    o.gamma = 2; /* named: it stays */
    assert_int_equal(ney_grid_init(&g, NULL, &o, 0.25, NULL), NEY_OK);
    assert_int_equal(g.n, 1);
    o.max_fpr = 0.1;
    o.method = NEY_METHOD_CONVEX;
    assert_int_equal(ney_grid_init(&g, "C=1", &o, 0.25, NULL), NEY_OK);
    assert_int_equal(g.n, 2);
    assert_string_equal(g.axis[0].param->name, "cost-fp");
}

static void test_grid_refusals(void **state)
{
    static const char *const bad[] = {"C",       "C=",       "C=1,",       "C=a",     "C=1:2",
                                      "C=1:2:1", "C=2:1:3",  "C=0:1:3",    "C=1:2:x", "seed=1,2",
                                      "nu=1",    "C=1 C=2",  "degree=1.5", "eta=-1",  "C=1:2:3:4",
                                      "=1",      "C=1e99,1", "C=1:2:101"};
    const ney_train_opts o = defaults();
    (void)state;
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        ney_error err = {0};
        ney_grid g;
        if (ney_grid_init(&g, bad[k], &o, 1, &err) != NEY_EINVAL || !strstr(err.message, "grid")) {
            fail_msg("'%s' was not refused: %s", bad[k], err.message);
        }
    }
}

/* ---- criteria */

/* Eight rows, scores 8 .. 1: + - + + - + - -. Bounded rate 1/4: one negative may be wrong. */
static const double score[] = {8, 7, 6, 5, 4, 3, 2, 1};
static const int8_t label[] = {1, -1, 1, 1, -1, 1, -1, -1};

static ney_criterion_value judge(ney_rule rule)
{
    ney_criterion_value j;
    ney_env env = ney_env_default();
    assert_int_equal(ney_criterion_evaluate(&rule, &env, score, label, NULL, 8, &j, NULL), NEY_OK);
    return j;
}

static void test_criteria(void **state)
{
    (void)state;
    /* P = 1/4 down to score 5, where 3 of 4 positives are found */
    ney_criterion_value j = judge((ney_rule){.criterion = NEY_CRITERION_RATE, .rate = 0.25});
    assert_true(j.loss == 0.25 && j.threshold == 5 && j.fpr == 0.25 && j.fnr == 0.25);
    /* A = 0.3: a fifth of the way to (2/4, 1/4); a straight line there is level */
    j = judge((ney_rule){.criterion = NEY_CRITERION_RATE, .rate = 0.3});
    assert_true(fabs(j.loss - 0.25) < 1e-12 && j.threshold == 5);
    /* A = 0.2: P jumps from 0 to 1/4 at score 7, where Q = 3/4 stays; at P = 1/4 the excess costs
     * (0.25 - 0.2) / 0.2 = 1/4 and Q is 1/4: together less than 3/4 */
    j = judge((ney_rule){.criterion = NEY_CRITERION_RATE, .rate = 0.2});
    assert_true(fabs(j.loss - 0.5) < 1e-12 && j.threshold == 8 && j.fnr == 0.75);
    /* nothing may be wrong */
    j = judge((ney_rule){.criterion = NEY_CRITERION_RATE, .rate = 0});
    assert_true(j.loss == 0.75 && j.fpr == 0);
    /* of the positives 1/4 may be missed: scores from 5 on; one negative is above */
    j = judge((ney_rule){.criterion = NEY_CRITERION_RATE, .rate = 0.25, .bounds_fnr = true});
    assert_true(j.loss == 0.25 && j.threshold == 5 && j.fnr == 0.25);
    /* at threshold 0 all are positive: 4 false positives of 8 rows */
    j = judge((ney_rule){.criterion = NEY_CRITERION_COST, .band = {.costs = {.fn = 7, .fp = 3}}});
    assert_true(j.loss == 1.5);
    /* rejecting costs 0.2: scores 3 to 7 are rejected, whatever band the goal had */
    const ney_costs costs = {.fn = 1, .fp = 1, .reject_fn = 0.2, .reject_fp = 0.2};
    j = judge((ney_rule){.criterion = NEY_CRITERION_COST, .band = {-1, 1, costs}});
    assert_true(fabs(j.loss - 5 * 0.2 / 8) < 1e-12 && j.threshold == 7.5 && j.fpr == 0);
    /* one of four may be wrong on either side: score 5 parts them; none: 3 to 7 are rejected */
    j = judge((ney_rule){.criterion = NEY_CRITERION_REJECTS, .max_fpr = 0.25, .max_fnr = 0.25});
    assert_true(j.loss == 0 && j.threshold == 5 && j.fpr == 0.25 && j.fnr == 0.25);
    j = judge((ney_rule){.criterion = NEY_CRITERION_REJECTS, .max_fpr = 0, .max_fnr = 0});
    assert_true(j.loss == 5.0 / 8 && j.threshold == 8 && j.fpr == 0 && j.fnr == 0);
    /* pairs in order: 4 + 3 + 3 + 2 of 16 */
    j = judge((ney_rule){.criterion = NEY_CRITERION_AUC});
    assert_true(fabs(j.loss - (1 - 12.0 / 16)) < 1e-12);
    /* up to P = 1/4 the curve is at 1/4, over 1/4 */
    j = judge((ney_rule){.criterion = NEY_CRITERION_PAUC, .rate = 0.25});
    assert_true(fabs(j.loss - 0.75) < 1e-12);
    /* decoys / targets: 0/1, 1/3 at score 5; q of the first is 0, of the next two 1/3 */
    j = judge((ney_rule){.criterion = NEY_CRITERION_DISCOVERIES,
                         .rate = 0.34,
                         .estimate = {.compete = true, .no_plus_one = true}});
    assert_true(j.loss == 0.25);
    /* by default 4 (D + 1) / (5 T): 4/5 at score 8, 8/15 at score 5, 3/5 at score 3 */
    j = judge((ney_rule){.criterion = NEY_CRITERION_DISCOVERIES, .rate = 0.54});
    assert_true(j.loss == 0.25);
    j = judge((ney_rule){.criterion = NEY_CRITERION_DISCOVERIES, .rate = 0.53});
    assert_true(j.loss == 1);
}

/* The threshold from m rows has a rate U ~ Beta(k, m + 1 - k); the curve is level between 0, 1/4,
 * 1/2 and 1, so that the mean is a sum of probabilities of these intervals. */
static void test_expected_rate(void **state)
{
    ney_rule rule = {.criterion = NEY_CRITERION_EXPECTED, .rate = 0.25, .delta = NAN, .n_rows = 4};
    (void)state;
    /* k = 1: P(U > x) = (1 - x)^4 */
    ney_criterion_value j = judge(rule);
    const double q = pow(0.75, 4), h = pow(0.5, 4);
    assert_true(fabs(j.loss - (0.75 * (1 - q) + 0.25 * (q - h))) < 5e-3);
    assert_true(j.threshold == 5 && j.fpr == 0.25 && j.fnr == 0.25);
    /* of positives: 1/2 of the negatives are above the lowest positive, 1/4 above the next two */
    rule.bounds_fnr = true;
    j = judge(rule);
    assert_true(fabs(j.loss - (0.5 * (1 - q) + 0.25 * (q - pow(0.25, 4)))) < 5e-3);
    /* many rows: the rate is 0.3 nearly surely; a certificate of 11 rows allows no error at all */
    rule = (ney_rule){
        .criterion = NEY_CRITERION_EXPECTED, .rate = 0.3, .delta = NAN, .n_rows = 100000};
    assert_true(fabs(judge(rule).loss - 0.25) < 1e-6);
    rule =
        (ney_rule){.criterion = NEY_CRITERION_EXPECTED, .rate = 0.25, .delta = 0.05, .n_rows = 11};
    assert_int_equal(ney_mistakes_allowed(11, 0.25, 0.05), 0);
    const double q11 = pow(0.75, 11), h11 = pow(0.5, 11);
    assert_true(fabs(judge(rule).loss - (0.75 * (1 - q11) + 0.25 * (q11 - h11))) < 5e-3);
    /* bounds of 0 and 1, and no row */
    for (int rows = 0; rows < 3; rows++) {
        rule = (ney_rule){.criterion = NEY_CRITERION_EXPECTED, .delta = NAN, .n_rows = rows};
        assert_true(judge(rule).loss >= 0 && judge(rule).loss <= 1);
        rule.rate = 1;
        assert_true(judge(rule).loss >= 0 && judge(rule).loss <= 1);
    }
}

/* Q at P = x: the corner of the curve before x and the one after it, joined by a straight line. */
static double reference_other_rate(const double *s, const int8_t *y, int n, double x)
{
    double P0 = 0, Q0 = 1, P1 = 2, Q1 = 0;
    for (int k = 0; k < n; k++) {
        double pos = 0, neg = 0, fp = 0, fn = 0;
        for (int i = 0; i < n; i++) {
            pos += y[i] > 0;
            neg += y[i] < 0;
            fp += y[i] < 0 && s[i] >= s[k];
            fn += y[i] > 0 && s[i] < s[k];
        }
        const double P = fp / neg, Q = fn / pos;
        if (P <= x && (P > P0 || (P == P0 && Q < Q0))) {
            P0 = P;
            Q0 = Q;
        } else if (P > x && (P < P1 || (P == P1 && Q > Q1))) {
            P1 = P;
            Q1 = Q;
        }
    }
    return P1 > 1 ? Q0 : Q0 + (Q1 - Q0) * (x - P0) / (P1 - P0);
}

/* Against the integral of the density, on random scores with ties. */
static void test_expected_rate_reference(void **state)
{
    enum { N = 40, STEPS = 4000 };
    const ney_env env = ney_env_default();
    uint64_t seed = 7;
    (void)state;
    for (int run = 0; run < 12; run++) {
        double s[N], sum = 0, weights = 0;
        int8_t y[N];
        for (int i = 0; i < N; i++) {
            y[i] = i % 3 == 0 ? 1 : -1;
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            s[i] = (double)(seed >> 60) + 3 * (y[i] > 0);
        }
        const ney_rule rule = {.criterion = NEY_CRITERION_EXPECTED,
                               .rate = run % 2 ? 0.1 : 0.3,
                               .delta = run % 3 ? 0.1 : NAN,
                               .n_rows = 30 + 10 * run};
        const double m = (double)rule.n_rows,
                     k = isnan(rule.delta)
                             ? floor(rule.rate * (m + 1))
                             : (double)ney_mistakes_allowed(rule.n_rows, rule.rate, 0.1) + 1;
        for (int j = 0; j < STEPS; j++) {
            const double x = (j + 0.5) / STEPS;
            const double w = exp((k - 1) * log(x) + (m - k) * log1p(-x) + lgamma(m + 1) -
                                 lgamma(k) - lgamma(m + 1 - k));
            sum += w * reference_other_rate(s, y, N, x);
            weights += w;
        }
        ney_criterion_value v;
        assert_int_equal(ney_criterion_evaluate(&rule, &env, s, y, NULL, N, &v, NULL), NEY_OK);
        assert_true(fabs(v.loss - sum / weights) < 5e-3);
    }
}

static void test_rules(void **state)
{
    ney_train_opts o = defaults();
    ney_tune_opts t = {.criterion = NEY_CRITERION_RATE, .at = NAN};
    ney_rule r;
    (void)state;
    assert_int_equal(ney_rule_init(&r, &o, &t, NULL), NEY_EINVAL);
    t.criterion = NEY_CRITERION_AUTO;
    assert_int_equal(ney_rule_init(&r, &o, &t, NULL), NEY_OK);
    assert_int_equal(r.criterion, NEY_CRITERION_COST);
    o.max_fnr = 0.2;
    assert_int_equal(ney_rule_init(&r, &o, &t, NULL), NEY_OK);
    assert_true(r.criterion == NEY_CRITERION_EXPECTED && r.bounds_fnr && r.rate == 0.2);
    assert_true(r.delta > 0.0499 && r.delta < 0.0501); /* certified by default */
    o.confidence = NAN;
    assert_int_equal(ney_rule_init(&r, &o, &t, NULL), NEY_OK);
    assert_true(isnan(r.delta));
    t.criterion = NEY_CRITERION_PAUC;
    assert_int_equal(ney_rule_init(&r, &o, &t, NULL), NEY_OK);
    assert_true(r.rate == 0.1);
    t.at = 0.3;
    assert_int_equal(ney_rule_init(&r, &o, &t, NULL), NEY_OK);
    assert_true(r.rate == 0.3);
}

/* ---- folds */

static void test_folds_share_rows_out(void **state)
{
    enum { ROWS = 23, FOLDS = 3 };
    float x[ROWS];
    int8_t y[ROWS];
    int seen[ROWS] = {0};
    const ney_env env = ney_env_default();
    const ney_matrix m = {.rows = ROWS, .cols = 1, .dense = x};
    ney_data *data;
    ney_folds f;
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        x[i] = (float)i;
        y[i] = i % 4 == 0 ? 1 : -1;
    }
    assert_int_equal(ney_data_new(&data, NULL, &m, y, NULL, NULL), NEY_OK);
    assert_int_equal(ney_folds_init(&f, &env, data, NULL, NULL, FOLDS, 5, NULL), NEY_OK);
    for (int k = 0; k < FOLDS; k++) {
        const ney_matrix *held = ney_data_matrix(f.fold[k].held);
        const ney_matrix *learn = ney_data_matrix(f.fold[k].learn);
        assert_int_equal(held->rows + learn->rows, ROWS);
        for (int64_t i = 0; i < held->rows; i++) {
            assert_true(held->dense[i] == (float)f.fold[k].row[i]);
            seen[f.fold[k].row[i]]++;
        }
        for (int64_t i = 0; i < learn->rows; i++) {
            for (int64_t j = 0; j < held->rows; j++) {
                assert_true(learn->dense[i] != held->dense[j]);
            }
        }
    }
    for (int i = 0; i < ROWS; i++) {
        assert_int_equal(seen[i], 1);
    }
    ney_folds_deinit(&f);
    assert_int_equal(ney_folds_init(&f, &env, data, NULL, NULL, 7, 5, NULL),
                     NEY_EINVAL); /* 6 positives */
    ney_folds_deinit(&f);
    assert_int_equal(ney_folds_init(&f, &env, data, data, NULL, 7, 5, NULL), NEY_OK);
    assert_true(f.n == 1 && f.fold[0].learn == data && f.fold[0].held == data && !f.fold[0].row);
    ney_folds_deinit(&f);
    ney_data_free(data);
}

static const ney_fold_groups by_column = {"c1", NULL};

/* Groups of one to three rows, by a column: none is torn apart, each fold holds about its share of
 * either class, and neither the order of the rows nor another seed's folds show. */
static void test_folds_keep_groups(void **state)
{
    enum { ROWS = 120, FOLDS = 4 };
    const float torn = -1;
    float x[ROWS], of_group[ROWS];
    int8_t y[ROWS];
    const ney_env env = ney_env_default();
    const ney_matrix m = {.rows = ROWS, .cols = 1, .dense = x};
    (void)state;
    for (int turn = 0; turn < 2; turn++) { /* the second time the rows stand the other way round */
        ney_data *data;
        ney_folds f;
        for (int i = 0; i < ROWS; i++) {
            const int k = turn ? ROWS - 1 - i : i;
            x[i] = (float)(k % 60 * (k % 60 < 40)); /* 39 pairs, and 42 rows of group 0 */
            y[i] = k < 60 ? 1 : -1;
        }
        assert_int_equal(ney_data_new(&data, NULL, &m, y, NULL, NULL), NEY_OK);
        assert_int_equal(ney_folds_init(&f, &env, data, NULL, &by_column, FOLDS, 5, NULL), NEY_OK);
        for (int g = 0; g < 40 && turn == 0; g++) {
            of_group[g] = torn;
        }
        for (int k = 0; k < FOLDS; k++) {
            const ney_matrix *held = ney_data_matrix(f.fold[k].held);
            int64_t pairs[2] = {0};
            for (int64_t i = 0; i < held->rows; i++) {
                const int g = (int)held->dense[i];
                assert_true(of_group[g] == torn || of_group[g] == (float)k);
                of_group[g] = (float)k;
                pairs[ney_data_label(f.fold[k].held)[i] > 0] += g > 0;
            }
            assert_true(pairs[0] == pairs[1] && pairs[0] >= 9 && pairs[0] <= 10);
        }
        ney_folds_deinit(&f);
        ney_data_free(data);
    }
}

static void test_folds_refuse_too_few_groups(void **state)
{
    enum { ROWS = 12 };
    const float x[ROWS] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2};
    int8_t y[ROWS];
    const ney_env env = ney_env_default();
    const ney_matrix m = {.rows = ROWS, .cols = 1, .dense = x};
    ney_data *data;
    ney_folds f;
    ney_error err = {0};
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        y[i] = i % 2 ? 1 : -1;
    }
    assert_int_equal(ney_data_new(&data, NULL, &m, y, NULL, NULL), NEY_OK);
    assert_int_equal(ney_folds_init(&f, &env, data, NULL, &by_column, 2, 5, &err), NEY_OK);
    ney_folds_deinit(&f);
    assert_int_equal(ney_folds_init(&f, &env, data, NULL, &by_column, 3, 5, &err), NEY_EINVAL);
    assert_non_null(strstr(err.message, "kept together"));
    ney_folds_deinit(&f);
    assert_int_equal(
        ney_folds_init(&f, &env, data, NULL, &(ney_fold_groups){"none", NULL}, 2, 5, &err),
        NEY_EINVAL);
    ney_folds_deinit(&f);
    ney_data_free(data);
}

/* Folds that can be made are those that the check allows. */
static void test_folds_are_checked_before(void **state)
{
    enum { ROWS = 12 };
    const float x[ROWS] = {1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4};
    int8_t y[ROWS];
    const ney_env env = ney_env_default();
    const ney_matrix m = {.rows = ROWS, .cols = 1, .dense = x};
    ney_data *data;
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        y[i] = i % 4 == 0 ? 1 : -1;
    }
    assert_int_equal(ney_data_new(&data, NULL, &m, y, NULL, NULL), NEY_OK);
    for (int n = 2; n <= 4; n++) {
        for (int grouped = 0; grouped < 2; grouped++) {
            ney_folds f;
            ney_error err[2] = {{0}};
            const ney_fold_groups *const groups = grouped ? &by_column : NULL;
            const ney_status made = ney_folds_init(&f, &env, data, NULL, groups, n, 5, &err[0]);
            assert_int_equal(made, n < 4 ? NEY_OK : NEY_EINVAL); /* 3 positives, in 3 groups */
            assert_int_equal(ney_folds_check(&env, data, groups, n, 5, &err[1]), made);
            assert_string_equal(err[0].message, err[1].message);
            ney_folds_deinit(&f);
        }
    }
    ney_data_free(data);
}

/* ---- samples */

/* At most so many rows of each class, each at most once and in order; a class of which a smaller
 * share is drawn weighs more, so that the classes keep the ratio of their weights. */
static void test_sample_keeps_the_ratio(void **state)
{
    enum { ROWS = 1000, POSITIVES = 40 };
    static const int most[] = {30, 100};
    float x[ROWS], weight[ROWS];
    int8_t y[ROWS];
    const ney_env env = ney_env_default();
    const ney_matrix m = {.rows = ROWS, .cols = 1, .dense = x};
    bool drawn[ROWS] = {false};
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        x[i] = (float)i;
        y[i] = i % (ROWS / POSITIVES) == 3 ? 1 : -1;
        weight[i] = 2;
    }
    for (int turn = 0; turn < 4; turn++) {
        const int limit = most[turn % 2], expected = limit < POSITIVES ? limit : POSITIVES;
        const bool weighted = turn > 1;
        double sum[2] = {0};
        int64_t n[2] = {0};
        ney_data *data, *sample;
        assert_int_equal(ney_data_new(&data, NULL, &m, y, weighted ? weight : NULL, NULL), NEY_OK);
        assert_int_equal(ney_sample_rows(&sample, &env, data, limit, 7, NULL), NEY_OK);
        const ney_matrix *const taken = ney_data_matrix(sample);
        for (int64_t i = 0; i < taken->rows; i++) {
            const int row = (int)taken->dense[i], k = ney_data_label(sample)[i] > 0;
            assert_true(i == 0 || taken->dense[i - 1] < taken->dense[i]);
            assert_int_equal(ney_data_label(sample)[i], y[row]);
            sum[k] += (double)ney_data_weight(sample)[i];
            n[k]++;
            drawn[row] = true;
        }
        assert_int_equal(n[1], expected);
        assert_int_equal(n[0], limit);
        assert_true(fabs(sum[0] / sum[1] - (ROWS - POSITIVES) / (double)POSITIVES) < 1e-4);
        assert_true(fabs(sum[1] - (weighted ? 2.0 : 1.0) * expected) < 1e-4); /* the larger share */
        ney_data_free(sample);
        assert_int_equal(ney_sample_rows(&sample, &env, data, ROWS, 7, NULL), NEY_OK);
        assert_null(sample); /* all rows */
        ney_data_free(data);
    }
    int64_t of_half[2] = {0}; /* rows are drawn from the first and from the last */
    for (int i = 0; i < ROWS; i++) {
        of_half[2 * i / ROWS] += drawn[i];
    }
    assert_true(of_half[0] > 40 && of_half[1] > 40);
}

static void test_sample_follows_the_seed(void **state)
{
    enum { ROWS = 60 };
    float x[ROWS];
    int8_t y[ROWS];
    const ney_env env = ney_env_default();
    const ney_matrix m = {.rows = ROWS, .cols = 1, .dense = x};
    ney_data *data, *sample[3];
    static const uint64_t seeds[] = {1, 1, 2};
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        x[i] = (float)i;
        y[i] = i % 2 ? 1 : -1;
    }
    assert_int_equal(ney_data_new(&data, NULL, &m, y, NULL, NULL), NEY_OK);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(ney_sample_rows(&sample[k], &env, data, 10, seeds[k], NULL), NEY_OK);
        assert_int_equal(ney_data_matrix(sample[k])->rows, 20);
    }
    const size_t bytes = 20 * sizeof(float);
    assert_memory_equal(ney_data_matrix(sample[0])->dense, ney_data_matrix(sample[1])->dense,
                        bytes);
    assert_memory_not_equal(ney_data_matrix(sample[0])->dense, ney_data_matrix(sample[2])->dense,
                            bytes);
    for (int k = 0; k < 3; k++) {
        ney_data_free(sample[k]);
    }
    ney_data_free(data);
}

/* ---- the table */

static ney_fold_result example(int fold)
{
    const ney_train_opts o = defaults();
    ney_fold_result r = ney_fold_result_of(&o, fold, 30);
    r.found = (ney_criterion_value){0.1 + fold, 0.2, 1.0 / 3, -4e-300, 0.5};
    r.support_vectors = 12;
    r.iterations = 345;
    r.converged = true;
    return r;
}

static void append(const char *path, const char *text)
{
    FILE *file = fopen(path, "ab");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    fclose(file);
}

static void test_results_come_back(void **state)
{
    const ney_env env = ney_env_default();
    const char *path = "select.tune.tsv";
    const ney_fold_result a = example(0), b = example(1);
    ney_fold_results r;
    (void)state;
    remove(path);
    assert_int_equal(ney_fold_results_open(&r, &env, path, 7, false, NULL), NEY_OK);
    assert_null(ney_fold_results_find(&r, &a));
    assert_int_equal(ney_fold_results_add(&r, &a, NULL), NEY_OK);
    assert_int_equal(ney_fold_results_add(&r, &b, NULL), NEY_OK);
    ney_fold_results other; /* one program at a time */
    assert_int_equal(ney_fold_results_open(&other, &env, path, 7, false, NULL), NEY_EIO);
    ney_fold_results_close(&other);
    ney_fold_results_close(&r);

    append(path, "auto\tlinear\t0.5\t1\t1"); /* killed while writing */
    assert_int_equal(ney_fold_results_open(&r, &env, path, 7, false, NULL), NEY_OK);
    assert_int_equal(r.n_old, 2);
    const ney_fold_result *found = ney_fold_results_find(&r, &b);
    assert_non_null(found);
    assert_memory_equal(&found->found, &b.found, sizeof b.found);
    assert_true(found->support_vectors == 12 && found->iterations == 345 && found->converged);
    ney_fold_result unlike = b;
    unlike.gamma = 0.1;
    assert_null(ney_fold_results_find(&r, &unlike));
    unlike = b;
    unlike.kernel = NEY_KERNEL_RBF;
    assert_null(ney_fold_results_find(&r, &unlike));
    unlike = b;
    unlike.rows = 10; /* a fit of a search on a part of the rows */
    assert_null(ney_fold_results_find(&r, &unlike));
    ney_fold_results_close(&r);

    assert_int_equal(ney_fold_results_open(&r, &env, path, 8, false, NULL),
                     NEY_OK); /* another search */
    assert_int_equal(r.n_old, 0);
    assert_int_equal(ney_fold_results_add(&r, &a, NULL), NEY_OK);
    ney_fold_results_close(&r);
    assert_int_equal(ney_fold_results_open(&r, &env, path, 8, true, NULL), NEY_OK); /* anew */
    assert_int_equal(r.n_old, 0);
    ney_fold_results_close(&r);
    remove(path);

    append(path, "a letter to my aunt\n");
    assert_int_equal(ney_fold_results_open(&r, &env, path, 7, true, NULL), NEY_EFORMAT);
    ney_fold_results_close(&r);
    FILE *file = fopen(path, "rb");
    assert_int_equal(fgetc(file), 'a'); /* and it is still there */
    fclose(file);
    remove(path);
}

/* The line of `r` with number k of it, counted from 0, replaced. */
static int64_t lines_accepted(const ney_fold_result *a, int k, const char *value)
{
    const ney_env env = ney_env_default();
    const char *path = "select.changed.tsv";
    char text[2048];
    ney_fold_results r;
    remove(path);
    assert_int_equal(ney_fold_results_open(&r, &env, path, 7, false, NULL), NEY_OK);
    assert_int_equal(ney_fold_results_add(&r, a, NULL), NEY_OK);
    ney_fold_results_close(&r);
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    const size_t n = fread(text, 1, sizeof text - 1, file);
    text[n] = '\0';
    char *at = strchr(text, '\n') + 1; /* after the header: method and kernel, then numbers */
    for (int field = 0; field <= k + 1; field++) {
        at = strchr(at, '\t') + 1;
    }
    assert_int_equal(fseek(file, (long)(at - text), SEEK_SET), 0);
    assert_true(fprintf(file, "%s%s", value, strchr(at, '\t')) > 0);
    assert_int_equal(ftruncate(fileno(file), ftell(file)), 0);
    fclose(file);
    assert_int_equal(ney_fold_results_open(&r, &env, path, 7, false, NULL), NEY_OK);
    const int64_t accepted = r.n_old;
    ney_fold_results_close(&r);
    remove(path);
    return accepted;
}

/* A number that no search writes: the table is of no use, and nothing of it is. */
static void test_results_are_checked(void **state)
{
    static const struct {
        int k;
        const char *value;
        int64_t accepted;
    } cases[] = {
        {-1, "poly", 1}, {-1, "auto", 0},  {-1, "", 0},      {0, "1", 1},      {0, "inf", 0},
        {6, "-inf", 0},  {10, "inf", 0},   {11, "0", 0},     {11, "101", 0},   {11, "1.5", 0},
        {11, "nan", 0},  {13, "inf", 0},   {13, "nan", 1},   {14, "1.01", 0},  {14, "nan", 1},
        {15, "-0.1", 0}, {17, "2", 0},     {18, "-2", 0},    {18, "-1", 1},    {18, "1e300", 0},
        {18, "inf", 0},  {19, "nan", 0},   {19, "1e300", 0}, {20, "2", 0},     {20, "0.5", 0},
        {21, "inf", 0},  {21, "nan", 0},   {21, "-1", 0},    {21, "1e308", 1}, {12, "0", 0},
        {12, "1.5", 0},  {12, "1e300", 0},
    };
    const ney_fold_result a = example(0);
    (void)state;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        if (lines_accepted(&a, cases[c].k, cases[c].value) != cases[c].accepted) {
            fail_msg("number %d as %s: expected %lld", cases[c].k, cases[c].value,
                     (long long)cases[c].accepted);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grid_text),
        cmocka_unit_test(test_grid_defaults),
        cmocka_unit_test(test_grid_refusals),
        cmocka_unit_test(test_criteria),
        cmocka_unit_test(test_expected_rate),
        cmocka_unit_test(test_expected_rate_reference),
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_folds_share_rows_out),
        cmocka_unit_test(test_folds_keep_groups),
        cmocka_unit_test(test_folds_refuse_too_few_groups),
        cmocka_unit_test(test_folds_are_checked_before),
        cmocka_unit_test(test_sample_keeps_the_ratio),
        cmocka_unit_test(test_sample_follows_the_seed),
        cmocka_unit_test(test_results_come_back),
        cmocka_unit_test(test_results_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
