/* Dual coordinates for random features: w is that of alpha, alpha stays in its box and ends where
 * the convex problem is solved, lambda goes where densities say. The features are computed here, in
 * double, from the map's directions. */
#include "learn/online/online.h"
#include "support/cmocka_all.h"
#include "support/random_data.h"

#include <math.h>
#include <string.h>

enum { ROWS = 300, COLS = 2, N = 40 };

static float x[ROWS * COLS], weight[ROWS];
static int8_t label[ROWS];
static ney_data *data;
static ney_feed feed;
static ney_online run;

/* Two clouds that lie in each other, a quarter positive. */
static void make_data(uint64_t stream)
{
    rnd r = rnd_new(stream);
    for (int i = 0; i < ROWS; i++) {
        label[i] = rnd_chance(&r, 0.25) ? 1 : -1;
        weight[i] = (float)(0.5 + rnd_unit(&r));
        for (int c = 0; c < COLS; c++) {
            x[i * COLS + c] = (float)(2 * rnd_unit(&r) - 1 + (label[i] > 0 ? 0.7 : 0));
        }
    }
    const ney_matrix m = {.rows = ROWS, .cols = COLS, .dense = x};
    assert_int_equal(ney_data_new(&data, NULL, &m, label, weight, NULL), NEY_OK);
}

static void begin(bool bounds_positives, int64_t epochs)
{
    const ney_env env = ney_env_default();
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    ney_params_init(p, n, &o);
    o.confidence = (double)NAN; /* the bound holds on the training rows */
    *(bounds_positives ? &o.max_fnr : &o.max_fpr) = 0.15;
    o.method = NEY_METHOD_ONLINE;
    o.features = N;
    o.gamma = 1;
    o.C = 2;
    o.eta = 0.8;
    o.epochs = epochs;
    ney_feed_of_data(&feed, &env, data);
    assert_int_equal(ney_online_init(&run, &(ney_online_rows){.feed = &feed}, &o, NULL), NEY_OK);
    assert_true(run.learner.is_dual);
}

static void end(void)
{
    ney_online_deinit(&run);
    ney_data_free(data);
}

static void features(int row, double *phi)
{
    const ney_fourier *f = &run.learner.visits.map;
    for (int d = 0; d < N / 2; d++) {
        double angle = 0;
        for (int c = 0; c < COLS; c++) {
            angle += (double)f->value[d * COLS + c] * (double)x[row * COLS + c];
        }
        phi[d] = cos(angle) / sqrt(N / 2.0);
        phi[N / 2 + d] = sin(angle) / sqrt(N / 2.0);
    }
    phi[N] = 1; /* the intercept's */
}

static int side(int row) /* +1 in the free class */
{
    return run.problem.sign * label[row];
}

/* U of [DUAL.1] */
static double most(int row, double lambda)
{
    double all[2] = {0, 0};
    for (int i = 0; i < ROWS; i++) {
        all[label[i] > 0] += (double)weight[i];
    }
    const int free = run.problem.sign > 0;
    const double factor = side(row) > 0 ? 1 : lambda * all[free] / all[!free];
    return run.o.C * (double)weight[row] / (2 * run.o.eta) * factor;
}

static double alpha_of(int row)
{
    return fmax(0, (double)run.learner.dual.alpha[row]);
}

static void check_that_w_is_that_of_alpha(void)
{
    double w[N + 1] = {0}, phi[N + 1];
    for (int i = 0; i < ROWS; i++) {
        features(i, phi);
        for (int k = 0; k <= N; k++) {
            w[k] += alpha_of(i) * side(i) * phi[k];
        }
    }
    for (int k = 0; k <= N; k++) {
        assert_true(fabs(w[k] - (double)run.learner.dual.w[k]) < 1e-3);
    }
}

static void one_epoch(void)
{
    run.state.position = 0;
    while (run.state.position < run.schedule.window[0].n) {
        ney_dual_learn(&run, &run.schedule.window[0], run.schedule.window[0].n);
    }
}

/* Without giving up, at a lambda that stays: every row as the optimum of a convex problem asks. */
static void test_the_convex_problem_is_solved(void **state)
{
    (void)state;
    for (int bounds_positives = 0; bounds_positives < 2; bounds_positives++) {
        int inside = 0, at_most = 0;
        make_data(31);
        begin(bounds_positives != 0, 1);
        assert_int_equal(run.schedule.shuffle.visits[0] + run.schedule.shuffle.visits[1], 2);
        run.state.log_lambda = log(1.7);
        ney_shuffle_begin(&run.schedule.shuffle, 0);
        ney_window_load(&run.schedule.window[0], &run.schedule.shuffle, 0);
        assert_int_equal(run.schedule.window[0].n, ROWS);
        for (int epoch = 0; epoch < 3000; epoch++) {
            one_epoch();
        }
        assert_true(run.state.visits == (int64_t)3000 * ROWS);
        check_that_w_is_that_of_alpha();
        for (int i = 0; i < ROWS; i++) {
            double phi[N + 1], z = 0;
            features(i, phi);
            for (int k = 0; k <= N; k++) {
                z += side(i) * (double)run.learner.dual.w[k] * phi[k];
            }
            const double a = alpha_of(i), u = most(i, 1.7), beyond = z - run.o.eta;
            assert_true(a >= 0 && a <= u * (1 + 1e-6));
            if (a == 0                ? beyond < -2e-2
                : a >= u * (1 - 1e-6) ? beyond > 2e-2
                                      : fabs(beyond) > 2e-2) {
                fail_msg("row %d: alpha %g of %g, %g beyond the margin", i, a, u, beyond);
            }
            inside += a > 0 && a < u * (1 - 1e-6);
            at_most += a >= u * (1 - 1e-6);
        }
        assert_true(inside > 3 && at_most > 10);
        end();
    }
}

/* Of a run of some epochs: who is given up has none, who rests has been on the right side. */
static void test_what_a_run_leaves(void **state)
{
    int resting = 0, given_up = 0;
    (void)state;
    make_data(32);
    begin(false, 9);
    assert_int_equal(ney_online_run(&run, NULL), NEY_OK);
    check_that_w_is_that_of_alpha();
    for (int i = 0; i < ROWS; i++) {
        const float a = run.learner.dual.alpha[i];
        double phi[N + 1], z = 0;
        features(i, phi);
        for (int k = 0; k <= N; k++) {
            z += side(i) * (double)run.learner.dual.mean[k] * phi[k];
        }
        assert_true(a >= 0 || a == -2 || a == -4 || a == -8);
        assert_true(a >= 0 || z > 0.3 * run.o.eta);
        assert_true(a == 0 || z > -2 * run.o.eta); /* the mean has moved a little since */
        resting += a < 0;
        given_up += z < -1.5 * run.o.eta && a == 0;
    }
    assert_true(resting > 20 && given_up > 3);
    assert_true(run.state.visits < (int64_t)9 * ROWS && run.state.visits > (int64_t)3 * ROWS);
    /* lambda has brought the rate to where it is allowed: far from 0, far from twice of it */
    assert_true(run.state.best_lambda > 0.2 && run.state.best_lambda < 2 / 0.15);
    end();
}

static void test_means(void **state)
{
    const ney_env env = ney_env_default();
    ney_dual d;
    double w[2], b;
    (void)state;
    assert_int_equal(ney_dual_init(&d, &env, 2, 5, NULL), NEY_OK);
    assert_true((char *)d.alpha == d.block + d.fixed);
    const double sums[3][4] = {{6, 12, 18, 6}, {3, 6, 9, 1}, {0, 0, 0, 0}};
    const double means[3][3] = {{1, 2, 3}, {3, 6, 9}, {3, 6, 9}};
    for (int epoch = 0; epoch < 3; epoch++) {
        memcpy(d.sum, sums[epoch], sizeof sums[epoch]);
        if (sums[epoch][3] > 0) { /* on the way: that of the visits so far */
            ney_dual_average(&d, w, &b);
            assert_true(w[0] == means[epoch][0] && w[1] == means[epoch][1] && b == means[epoch][2]);
        }
        ney_dual_turn(&d, epoch);
        ney_dual_average(&d, w, &b);
        assert_true(w[0] == means[epoch][0] && w[1] == means[epoch][1] && b == means[epoch][2]);
        assert_true(d.sum[0] == 0 && d.sum[3] == 0);
    }
    memcpy(d.sum, sums[0], sizeof sums[0]);
    ney_dual_turn(&d, 3); /* half and half from now on */
    assert_true(d.mean[0] == 2 && d.mean[1] == 4 && d.mean[2] == 6);
    ney_dual_deinit(&d, &env);
}

/* Given scores: the share of either class within eta of the shifted intercept. */
static void test_lambda_follows_densities(void **state)
{
    double near[2] = {0, 0}, all[2] = {0, 0}, n[2] = {0, 0};
    rnd r = rnd_new(33);
    (void)state;
    make_data(34);
    begin(false, 1);
    const int64_t rows = ney_data_matrix(run.validation.data)->rows;
    const int8_t *signs = ney_data_label(run.validation.data);
    const float *weights = ney_data_weight(run.validation.data);
    assert_int_equal(rows, ROWS); /* few enough to be looked at all */
    for (int64_t i = 0; i < rows; i++) {
        run.validation.score[i] = signs[i] * rnd_unit(&r) * 3 + 0.4;
        const int free = signs[i] > 0;
        n[free]++;
        all[free] += (double)weights[i];
        near[free] += fabs(run.validation.score[i] - 0.25) < run.o.eta ? (double)weights[i] : 0;
    }
    const double slope = (near[1] / all[1] + 1 / n[1]) / (near[0] / all[0] + 1 / n[0]);
    run.state.log_lambda = log(slope) - 0.5;
    ney_dual_follow(&run, -0.25);
    assert_true(fabs(run.state.log_lambda - log(slope)) < 1e-9);
    run.state.log_lambda = log(slope) + 5; /* no further than e^2 is believed */
    ney_dual_follow(&run, -0.25);
    assert_true(fabs(run.state.log_lambda - fmin(log(slope) + 3, log(2 / 0.15))) < 1e-9);
    end();
}

/* A run that was not stopped: epochs asked for are done; checks no longer improve; and the same
 * with the multiplier of the best check at the end of its range. Such a state is set here: the rate
 * of no data known leaves the multiplier there. */
static void test_stop_reasons(void **state)
{
    (void)state;
    make_data(91);
    begin(false, 3);
    assert_int_equal(ney_online_run(&run, NULL), NEY_OK);
    assert_int_equal(run.stop, NEY_STOP_EPOCHS);
    end();
    for (int at_end = 0; at_end < 2; at_end++) {
        make_data(91);
        begin(false, 0);
        assert_int_equal(ney_online_run(&run, NULL), NEY_OK);
        assert_int_equal(run.stop, NEY_STOP_CHECKS);
        run.stop = NEY_STOP_CONVERGED;
        run.state.best_lambda = exp(run.multiplier.max_log - (at_end ? 0.04 : 0.06));
        assert_int_equal(ney_online_run(&run, NULL), NEY_OK);
        assert_int_equal(run.stop, at_end ? NEY_STOP_MULTIPLIER : NEY_STOP_CHECKS);
        end();
    }
    for (int stop = NEY_STOP_CONVERGED; stop <= NEY_STOP_CHECKS; stop++) {
        const bool complete =
            stop == NEY_STOP_CONVERGED || stop == NEY_STOP_EPOCHS || stop == NEY_STOP_CHECKS;
        assert_int_equal(ney_stop_is_complete((ney_stop)stop), complete);
    }
    assert_string_equal(ney_stop_text(NEY_STOP_CHECKS), "checks");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stop_reasons),
        cmocka_unit_test(test_the_convex_problem_is_solved),
        cmocka_unit_test(test_what_a_run_leaves),
        cmocka_unit_test(test_means),
        cmocka_unit_test(test_lambda_follows_densities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
