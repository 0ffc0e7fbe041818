/* How a batch moves a network: rows in turn, each at the score that those before it have left, as
 * long as the network is as good as linear. Against gradients by differences and the turns written
 * out; and repeated rows, which must not do more together than one of them alone. */
#include "support/cmocka_all.h"
#include "support/random_data.h"

#include "learn/online/online.h"

#include <math.h>
#include <string.h>

enum { ROWS = 24, COLS = 3, UNITS = 4, WEIGHTS = (COLS + 1) * UNITS, ALL = WEIGHTS + UNITS + 1 };

static float x[ROWS * COLS];
static int8_t y[ROWS];

static double plain_score(const double *p, const float *row)
{
    double f = p[ALL - 1];
    for (int k = 0; k < UNITS; k++) {
        double sum = p[WEIGHTS + k];
        for (int c = 0; c < COLS; c++) {
            sum += p[c * UNITS + k] * (double)row[c];
        }
        f += p[COLS * UNITS + k] * tanh(sum);
    }
    return f;
}

static void plain_gradient(double *p, const float *row, double *g)
{
    for (int k = 0; k < ALL; k++) {
        const double keep = p[k], small = 1e-5;
        p[k] = keep + small;
        const double up = plain_score(p, row);
        p[k] = keep - small;
        g[k] = (up - plain_score(p, row)) / (2 * small);
        p[k] = keep;
    }
}

/* One batch of all rows, from weights drawn at random, at a rate at which most steps are cut. */
static void begin(ney_online *r, ney_feed *feed, ney_data **data, int loss)
{
    const ney_matrix m = {.rows = ROWS, .cols = COLS, .dense = x};
    const ney_env env = ney_env_default();
    ney_train_opts o;
    int64_t n;
    const ney_param *params = ney_train_params(&n);
    ney_params_init(params, n, &o);
    o.confidence = (double)NAN; /* the bound holds on the training rows */
    o.method = NEY_METHOD_ONLINE;
    o.max_fpr = 0.2;
    o.loss = (ney_loss)loss;
    o.network[0] = UNITS;
    o.batch = ROWS;
    o.validation = 0;
    assert_int_equal(ney_data_new(data, NULL, &m, y, NULL, NULL), NEY_OK);
    ney_feed_of_data(feed, &env, *data);
    assert_int_equal(ney_online_init(r, &(ney_online_rows){.feed = feed}, &o, NULL), NEY_OK);
    ney_shuffle_begin(&r->schedule.shuffle, 0);
    ney_window_load(&r->schedule.window[0], &r->schedule.shuffle, 0);
    assert_int_equal(r->schedule.window[0].n, ROWS);
    ney_sgd_begin(&r->learner.sgd, 5, COLS);
    r->state.t0 = 1 / (r->problem.mu * 0.3);
    ney_multiplier_begin(r);
}

static void end(ney_online *r, ney_data *data)
{
    ney_online_deinit(r);
    ney_data_free(data);
}

static void judge_turns(int loss)
{
    static double g[ROWS][ALL];
    double p[ALL], moved[ALL], found[ALL], score[ROWS], kept = 1;
    ney_feed feed;
    ney_data *data;
    ney_online r;
    int moves = 0;
    begin(&r, &feed, &data, loss);
    ney_sgd_average(&r.learner.sgd, p, p + WEIGHTS);
    memset(moved, 0, sizeof moved);
    ney_online plain = r; /* lambda and visits go their way in a copy */
    for (int i = 0; i < ROWS; i++) {
        const float *row = r.schedule.window[0].x.dense + r.schedule.window[0].visit[i] * COLS;
        score[i] = plain_score(p, row);
        plain_gradient(p, row, g[i]);
    }
    for (int i = 0; i < ROWS; i++) {
        const ney_visit v = ney_visits_at(&r.learner.visits, &r.schedule.window[0], 0, i);
        const ney_row_step step = ney_online_row_step(&plain, &v, score[i]);
        double square = 0;
        for (int k = 0; k < ALL; k++) {
            square += g[i][k] * g[i][k];
        }
        const double delta = step.delta > 0 ? fmin(step.delta, step.reach / square) : 0;
        moves += delta > 0;
        for (int j = i; j < ROWS; j++) {
            for (int k = 0; k < ALL; k++) {
                score[j] += step.sign * delta * g[i][k] * g[j][k];
            }
        }
        for (int k = 0; k < ALL; k++) {
            moved[k] += step.sign * delta * g[i][k];
        }
        kept *= 1 - step.shrink;
        ney_online_count_visit(&plain, &v, &step);
    }
    ney_online_train_batches(&r, &r.schedule.window[0], 0, ROWS);
    assert_int_equal(r.state.visits, ROWS);
    assert_true(r.state.log_lambda != 0 &&
                fabs(r.state.log_lambda - plain.state.log_lambda) < 1e-5);
    ney_sgd_average(&r.learner.sgd, found, found + WEIGHTS);
    for (int k = 0; k < ALL; k++) {
        const double expected = (k < WEIGHTS ? kept : 1) * p[k] + moved[k];
        if (fabs(found[k] - expected) > 1e-5 * (1 + fabs(expected))) {
            fail_msg("loss %d, weight %d: %g, expected %g", loss, k, found[k], expected);
        }
    }
    assert_true(moves > ROWS / 4 && fabs(r.state.bounded_loss - plain.state.bounded_loss) < 1e-5);
    end(&r, data);
}

static void test_rows_of_a_batch_take_turns(void **state)
{
    rnd r = rnd_new(41);
    (void)state;
    for (int t = 0; t < 5; t++) {
        for (int i = 0; i < ROWS; i++) {
            y[i] = i % 2 ? 1 : -1;
            for (int c = 0; c < COLS; c++) {
                x[i * COLS + c] = (float)(2 * rnd_unit(&r) - 1);
            }
        }
        judge_turns(NEY_LOSS_RAMP);
        judge_turns(NEY_LOSS_SIGMOID);
    }
}

static void test_repeated_rows_do_not_overshoot(void **state)
{
    ney_feed feed;
    ney_data *data;
    ney_online r;
    double p[ALL];
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        y[i] = i % 2 ? 1 : -1;
        for (int c = 0; c < COLS; c++) {
            x[i * COLS + c] = (float)(0.01 * (c + 1) * y[i]); /* where tanh is straight */
        }
    }
    begin(&r, &feed, &data, NEY_LOSS_RAMP);
    r.state.t0 = 1 / (r.problem.mu * 1e3); /* every step is as long as it may be */
    ney_online_train_batches(&r, &r.schedule.window[0], 0, ROWS);
    ney_sgd_average(&r.learner.sgd, p, p + WEIGHTS);
    for (int i = 0; i < 2; i++) {
        assert_true(fabs(plain_score(p, x + (ptrdiff_t)i * COLS)) < 3); /* one alone goes to 1 */
    }
    end(&r, data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows_of_a_batch_take_turns),
        cmocka_unit_test(test_repeated_rows_do_not_overshoot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
