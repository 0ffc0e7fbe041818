/* What an exploration says of its classifiers, against classifiers made one by one. */
#include "base/rng.h"

#include <neyman/experimental.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

enum { ROWS = 60, SPLITS = 3 };

static ney_data *rows(double shift)
{
    static float x[2 * ROWS];
    static int8_t y[ROWS];
    ney_data *d = NULL;
    for (int i = 0; i < ROWS; i++) {
        y[i] = i % 3 == 0 ? 1 : -1;
        x[2 * (size_t)i] = (float)(sin(5.3 * i + shift) * (y[i] > 0 ? 1.5 : 1) + 0.5 * y[i]);
        x[2 * (size_t)i + 1] = (float)cos(3.1 * i + shift);
    }
    const ney_matrix m = {.rows = ROWS, .cols = 2, .dense = x};
    assert_int_equal(ney_data_new(&d, NULL, &m, y, NULL, NULL), NEY_OK);
    return d;
}

static ney_train_opts options(ney_cost_pair c)
{
    ney_train_opts o;
    int64_t n;
    const ney_param *p = ney_train_params(&n);
    ney_params_init(p, n, &o);
    o.cost_fn = c.plus;
    o.cost_fp = c.minus;
    return o;
}

/* Rates of the classifier learned from one set at a threshold on another. Where no row is between
 * its bounds the intercept depends on the way there: it is the exploration's, one line at a time.
 */
static void rates(const ney_data *learn, const ney_data *look, ney_cost_pair c, double threshold,
                  double rate[2])
{
    const ney_train_opts o = options((ney_cost_pair){1, 1});
    const int64_t n = ney_data_matrix(look)->rows;
    const double total = c.plus + c.minus;
    const ney_cost_pair even = {total * 2 / 3, total / 3}; /* two negatives a positive */
    const ney_cost_pair end =
        c.plus > even.plus ? (ney_cost_pair){total, 0} : (ney_cost_pair){0, total};
    ney_path *p = NULL;
    ney_model *m = NULL;
    double score[ROWS];
    assert_int_equal(ney_path_new_with(&p, NULL, learn, &o, NULL), NEY_OK);
    assert_int_equal(ney_path_follow(p, (ney_cost_pair){0, 0}, even, NULL, NULL), NEY_OK);
    assert_int_equal(ney_path_follow(p, even, end, NULL, NULL), NEY_OK);
    assert_int_equal(ney_path_model(&m, p, c, NULL), NEY_OK);
    assert_int_equal(ney_model_score(m, NULL, ney_data_matrix(look), score, NULL), NEY_OK);
    const ney_counts k = ney_count(score, ney_data_label(look), n, threshold, threshold);
    rate[0] = (double)k.fp / (double)(k.fp + k.tn);
    rate[1] = (double)k.tp / (double)(k.tp + k.fn);
    ney_model_free(m);
    ney_path_free(p);
}

typedef struct halves {
    ney_data *part[SPLITS][2];
} halves;

/* The halves that a seed stands for. */
static void make_halves(halves *h, const ney_data *d, uint64_t seed)
{
    ney_rng rng = {seed};
    for (int s = 0; s < SPLITS; s++) {
        int part[ROWS];
        const double share[] = {1, 1};
        assert_int_equal(ney_data_split(d, share, 2, ney_rng_next(&rng), part, NULL), NEY_OK);
        for (int which = 0; which < 2; which++) {
            int64_t list[ROWS], n = 0;
            for (int i = 0; i < ROWS; i++) {
                if (part[i] == which) {
                    list[n++] = i;
                }
            }
            assert_int_equal(ney_data_take(&h->part[s][which], d, list, n, NULL), NEY_OK);
        }
    }
}

/* Mean and standard error over the halves. */
static void average(const halves *h, ney_cost_pair c, double threshold, double mean[2],
                    double error[2])
{
    double rate[SPLITS][2];
    for (int s = 0; s < SPLITS; s++) {
        rates(h->part[s][0], h->part[s][1], c, threshold, rate[s]);
    }
    for (int k = 0; k < 2; k++) {
        double squares = 0;
        mean[k] = (rate[0][k] + rate[1][k] + rate[2][k]) / SPLITS;
        for (int s = 0; s < SPLITS; s++) {
            squares += (rate[s][k] - mean[k]) * (rate[s][k] - mean[k]);
        }
        error[k] = sqrt(squares / (SPLITS - 1) / SPLITS);
    }
}

static ney_explore_opts small_exploration(void)
{
    ney_explore_opts e;
    int64_t n;
    const ney_param *p = ney_explore_params(&n);
    ney_params_init(p, n, &e);
    e.most = 30;
    e.splits = SPLITS;
    e.seed = 5;
    e.regular = 1;
    return e;
}

static void check_curve(const ney_exploration *e, ney_curve_kind kind, const halves *h,
                        const ney_data *train, const ney_data *test)
{
    const ney_curve *c = ney_exploration_curve(e, kind);
    int wide = 0;
    for (int64_t k = 1; k < c->n_points - 1; k += 1 + c->n_points / 12) {
        const ney_curve_point *p = &c->point[k];
        const double off = kind == NEY_CURVE_ASYMMETRY ? 0 : 1e-9; /* thresholds are scores */
        double mean[2], error[2], seen[2];
        if (isinf(p->choice.threshold)) {
            continue;
        }
        average(h, p->choice.c, p->choice.threshold - off, mean, error);
        rates(train, test, p->choice.c, p->choice.threshold - off, seen);
        if (fabs(mean[0] - p->choice.fpr) > 1e-9 || fabs(mean[1] - p->choice.tpr) > 1e-9 ||
            fabs(error[0] - p->fpr_error) > 1e-7 || fabs(error[1] - p->tpr_error) > 1e-7 ||
            fabs(seen[0] - p->test_fpr) > 1e-9 || fabs(seen[1] - p->test_tpr) > 1e-9) {
            fail_msg(
                "curve %d, point %d: fpr %g +- %g, expected %g +- %g; tpr %g +- %g, expected %g "
                "+- %g; test %g %g, expected %g %g",
                (int)kind, (int)k, p->choice.fpr, p->fpr_error, mean[0], error[0], p->choice.tpr,
                p->tpr_error, mean[1], error[1], p->test_fpr, p->test_tpr, seen[0], seen[1]);
        }
        wide += error[1] > 0;
    }
    assert_true(wide > 0);
}

/* The rows of `d` shifted and scaled so that those of `like` have mean 0 and deviation 1. */
static ney_data *standardised(const ney_data *d, const ney_data *like)
{
    const ney_matrix *from = ney_data_matrix(d), *fit = ney_data_matrix(like);
    float x[2 * ROWS];
    ney_data *out = NULL;
    for (int c = 0; c < 2; c++) {
        double mean = 0, squares = 0;
        for (int64_t i = 0; i < fit->rows; i++) {
            mean += (double)fit->dense[2 * i + c];
        }
        mean /= (double)fit->rows;
        for (int64_t i = 0; i < fit->rows; i++) {
            const double apart = (double)fit->dense[2 * i + c] - mean;
            squares += apart * apart;
        }
        const double factor = 1 / sqrt(squares / (double)fit->rows);
        for (int64_t i = 0; i < from->rows; i++) {
            x[2 * i + c] = (float)(((double)from->dense[2 * i + c] - mean) * factor);
        }
    }
    const ney_matrix m = {.rows = from->rows, .cols = 2, .dense = x};
    assert_int_equal(ney_data_new(&out, NULL, &m, ney_data_label(d), NULL, NULL), NEY_OK);
    return out;
}

static void replace(ney_data **d, ney_data *by)
{
    ney_data_free(*d);
    *d = by;
}

/* Scaling is fitted on the half that learns, and for the final classifiers on all of `train`. */
static void test_scaled_halves(void **state)
{
    (void)state;
    ney_data *train = rows(0), *test = rows(1);
    const ney_train_opts o = options((ney_cost_pair){2, 1});
    ney_explore_opts eo = small_exploration();
    ney_exploration *e = NULL;
    halves h;
    eo.scaling = NEY_SCALING_STANDARD;
    assert_int_equal(ney_explore_with(&e, NULL, train, NULL, test, &o, &eo, NULL), NEY_OK);
    make_halves(&h, train, 5);
    for (int s = 0; s < SPLITS; s++) {
        replace(&h.part[s][1], standardised(h.part[s][1], h.part[s][0]));
        replace(&h.part[s][0], standardised(h.part[s][0], h.part[s][0]));
    }
    replace(&test, standardised(test, train));
    replace(&train, standardised(train, train));
    check_curve(e, NEY_CURVE_INTERCEPT, &h, train, test);
    check_curve(e, NEY_CURVE_ASYMMETRY, &h, train, test);
    for (int s = 0; s < SPLITS; s++) {
        ney_data_free(h.part[s][0]);
        ney_data_free(h.part[s][1]);
    }
    ney_exploration_free(e);
    ney_data_free(train);
    ney_data_free(test);
}

static void test_halves(void **state)
{
    (void)state;
    ney_data *train = rows(0), *test = rows(1);
    const ney_train_opts o = options((ney_cost_pair){2, 1});
    const ney_explore_opts eo = small_exploration();
    ney_exploration *e = NULL;
    halves h;
    double cost;
    assert_int_equal(ney_explore_with(&e, NULL, train, NULL, test, &o, &eo, NULL), NEY_OK);
    make_halves(&h, train, 5);
    for (int k = 0; k < NEY_N_CURVES; k++) {
        check_curve(e, (ney_curve_kind)k, &h, train, test);
    }
    /* the best pair is the cheapest of its line, a miss costing 2 and a false alarm 1 */
    const ney_cost_pair best = ney_exploration_best(e, &cost);
    assert_true(fabs(best.plus / best.minus - 2) < 1e-12); /* two negatives a positive */
    double least = INFINITY;
    for (int k = 0; k < 61; k++) {
        const double total = 30 * pow(10, (k - 60) / 10.0);
        double mean[2], error[2];
        average(&h, (ney_cost_pair){total * 2 / 3, total / 3}, 0, mean, error);
        least = fmin(least, 2 * (1 - mean[1]) / 3 + mean[0] * 2 / 3);
    }
    assert_true(fabs(cost - least) < 1e-9);
    for (int s = 0; s < SPLITS; s++) {
        ney_data_free(h.part[s][0]);
        ney_data_free(h.part[s][1]);
    }
    ney_exploration_free(e);
    ney_data_free(train);
    ney_data_free(test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_scaled_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
