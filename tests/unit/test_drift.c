/* Tests of drift (decide/drift.c): the martingale by enumeration and against its formula, bins,
 * ties, schedule, state file, what a model keeps as a reference. */
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/temp.h"

#include "decide/drift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { M = 20 };

/* Ranks of the cuts of 20 reference rows, by hand: shares of 21, rounded, without repeats. */
static const int ranks[] = {0, 1, 2, 4, 6, 8, 11, 13, 15, 17, 19, 20, 21};
enum { BINS = sizeof ranks / sizeof *ranks - 1 };

static ney_drift *new_test(double delta)
{
    const ney_drift_opts o = {.delta = delta, .fingerprint = 7, .seed = 3};
    double reference[M];
    ney_drift *d = NULL;
    for (int i = 0; i < M; i++) {
        reference[i] = (7 * i) % M + 1; /* 1 .. 20 in some order */
    }
    assert_int_equal(ney_drift_new(&d, NULL, reference, M, &o, NULL), NEY_OK);
    return d;
}

static void add(ney_drift *d, double score)
{
    int64_t taken = 0;
    assert_int_equal(ney_drift_add(d, &score, 1, &taken, NULL), NEY_OK);
    assert_int_equal(taken, 1);
}

/* Over all sequences of bins, each as likely as the urn says, the martingale is 1 on average. */
static void test_mean_is_one(void **state)
{
    enum { ROWS = 3 };
    int sequences = 1;
    double mean = 0, all = 0;
    (void)state;
    for (int i = 0; i < ROWS; i++) {
        sequences *= BINS;
    }
    for (int s = 0; s < sequences; s++) {
        int counts[BINS] = {0};
        double probability = 1;
        ney_drift *d = new_test(0.01);
        for (int i = 0, rest = s; i < ROWS; i++, rest /= BINS) {
            const int j = rest % BINS;
            probability *= (double)(ranks[j + 1] - ranks[j] + counts[j]++) / (M + 1 + i);
            add(d, ranks[j] + 0.5); /* between two reference rows of the bin */
        }
        all += probability;
        mean += probability * exp(ney_drift_look(d).log_evidence);
        ney_drift_free(d);
    }
    assert_true(fabs(all - 1) < 1e-12);
    assert_true(fabs(mean - 1) < 1e-10);
}

/* Log probability of counts in an urn, one row after the other. */
static double urn(const double *begin, const int *row, int n)
{
    double in[BINS], total = 0, sum = 0;
    for (int j = 0; j < BINS; j++) {
        total += in[j] = begin[j];
    }
    for (int i = 0; i < n; i++, total++) {
        sum += log(in[row[i]]++ / total);
    }
    return sum;
}

/* z with P(N(0, 1) < z) = p, by bisection. */
static double normal_score(double p)
{
    double low = -9, high = 9;
    for (int i = 0; i < 100; i++) {
        const double z = (low + high) / 2;
        *(0.5 * erfc(-z / sqrt(2)) < p ? &low : &high) = z;
    }
    return low;
}

/* The formula of doc/math/monitor.md, row by row, with two starts. */
static double reference_log(const int *row, int n)
{
    static const double priors[] = {8, 64, 512};
    static const double tilt[][2] = {{0.1, 0},  {0.25, 0},  {0.6, 0},   {1.5, 0},
                                     {-0.1, 0}, {-0.25, 0}, {-0.6, 0},  {-1.5, 0},
                                     {0, 0.1},  {0, 0.3},   {0, -0.15}, {0, -0.5}};
    const int start[] = {0, 64};
    const int n_starts = n > 64 ? 2 : 1;
    double sum = 1.0 / (n_starts + 1);
    for (int k = 0; k < n_starts; k++) {
        double begin[BINS], share[BINS], size = M + 1 + start[k];
        for (int j = 0; j < BINS; j++) {
            begin[j] = ranks[j + 1] - ranks[j];
        }
        for (int i = 0; i < start[k]; i++) {
            begin[row[i]]++;
        }
        const double null = urn(begin, row + start[k], n - start[k]);
        for (int b = 0; b < 3; b++) {
            for (int j = 0; j < BINS; j++) {
                share[j] = begin[j] / size * priors[b];
            }
            sum += exp(urn(share, row + start[k], n - start[k]) - null) / 15 / (k + 1) / (k + 2);
        }
        for (int b = 0; b < 12; b++) {
            double total = 0, logs = 0;
            for (int j = 0; j < BINS; j++) {
                const double z = normal_score((ranks[j] + ranks[j + 1]) / 2.0 / (M + 1));
                share[j] = begin[j] / size * exp(tilt[b][0] * z + tilt[b][1] * z * z);
                total += share[j];
            }
            for (int i = start[k]; i < n; i++) {
                logs += log(share[row[i]] / total);
            }
            sum += exp(logs - null) / 15 / (k + 1) / (k + 2);
        }
    }
    return log(sum);
}

static void test_formula(void **state)
{
    rnd r = rnd_new(8801);
    int row[90];
    ney_drift *d = new_test(1e-9);
    (void)state;
    for (int i = 0; i < 90; i++) {
        row[i] = (int)rnd_below(&r, BINS);
        row[i] = i > 60 && row[i] < 4 ? 9 : row[i];
        add(d, ranks[row[i]] + 0.5);
        assert_true(fabs(ney_drift_look(d).log_evidence - reference_log(row, i + 1)) < 1e-9);
    }
    ney_drift_free(d);
}

static void test_rising_factorial(void **state)
{
    (void)state;
    for (double x = 0.01; x < 3000; x *= 1.7) {
        double sum = 0;
        for (int64_t c = 0; c <= 400; c++) {
            assert_true(fabs(ney_log_rising(x, c) - sum) <= 1e-11 * (1 + fabs(sum)));
            sum += log(x + (double)c);
        }
    }
}

/* Rows at the cuts: equal scores are ordered at random, the same in every run. */
static void test_ties(void **state)
{
    const ney_drift_opts o = {.delta = 0.01, .seed = 5};
    double same[100], high, expected, observed;
    ney_drift *d = NULL;
    (void)state;
    for (int i = 0; i < 100; i++) {
        same[i] = 2;
    }
    assert_int_equal(ney_drift_new(&d, NULL, same, 100, &o, NULL), NEY_OK);
    for (int i = 0; i < 4000; i++) {
        add(d, 2);
    }
    assert_true(ney_drift_look(d).alarm_row == 0);
    for (int64_t k = 0; ney_drift_bin(d, k, &high, &expected, &observed); k++) {
        assert_true(fabs(expected - observed) < 0.12); /* the cuts are random themselves */
        assert_true(observed > 0);
        assert_true(k == ney_drift_look(d).n_bins - 1 ? isinf(high) : high == 2);
    }
    add(d, 1);
    assert_true(ney_drift_bin(d, 0, &high, &expected, &observed));
    ney_drift_free(d);
}

static void test_schedule(void **state)
{
    int64_t due = 0;
    (void)state;
    for (int64_t n = 1; n <= 1024; n++) {
        due += ney_drift_is_due(n);
        assert_true(n >= 256 || ney_drift_is_due(n));
    }
    assert_int_equal(due, 256 + 128 + 128);
    assert_true(ney_drift_is_due(1 << 20) && !ney_drift_is_due((1 << 20) + 1));
}

/* All rows far above the reference: an alarm within few rows, which stays; NaN is refused. */
static void test_alarm(void **state)
{
    ney_drift *d = new_test(0.05);
    double score[100];
    int64_t taken;
    (void)state;
    for (int i = 0; i < 100; i++) {
        score[i] = 99;
    }
    assert_int_equal(ney_drift_add(d, score, 100, &taken, NULL), NEY_OK);
    assert_true(taken < 15 && ney_drift_look(d).alarm_row == taken);
    score[1] = (double)NAN;
    assert_int_equal(ney_drift_add(d, score, 100, &taken, NULL), NEY_EINVAL);
    assert_int_equal(taken, 1);
    assert_true(ney_drift_look(d).alarm_row > 0);
    ney_drift_free(d);
}

static void test_state(void **state)
{
    const char *const path = temp_path("drift.state");
    ney_drift *a = new_test(0.05), *b = new_test(0.05), *other = new_test(0.06);
    ney_error err;
    (void)state;
    unlink(path);
    assert_int_equal(ney_drift_save(a, &err), NEY_EINVAL);
    assert_int_equal(ney_drift_open(a, path, &err), NEY_OK);
    assert_int_equal(ney_drift_open(b, path, &err), NEY_EIO); /* in use */
    for (int i = 0; i < 500; i++) {
        add(a, (11 * i) % 21 + 0.5);
    }
    assert_int_equal(ney_drift_save(a, &err), NEY_OK);
    const ney_drift_info was = ney_drift_look(a);
    ney_drift_free(a);
    assert_int_equal(ney_drift_open(b, path, &err), NEY_OK);
    const ney_drift_info is = ney_drift_look(b);
    assert_true(is.n == was.n && is.log_evidence == was.log_evidence);
    assert_true(is.alarm_row == was.alarm_row);
    assert_int_equal(ney_drift_open(b, path, &err), NEY_EINVAL); /* already open */
    ney_drift_free(b);
    assert_int_equal(ney_drift_open(other, path, &err), NEY_EFORMAT);
    assert_non_null(strstr(err.message, "confidence"));
    ney_drift_free(other);
    unlink(path);
}

static void test_refusals(void **state)
{
    ney_drift_opts o = {.delta = 0.05};
    double reference[M] = {0};
    ney_drift *d = (ney_drift *)reference;
    (void)state;
    assert_int_equal(ney_drift_new(&d, NULL, reference, M - 1, &o, NULL), NEY_EGOAL);
    assert_null(d);
    reference[3] = (double)NAN;
    assert_int_equal(ney_drift_new(&d, NULL, reference, M, &o, NULL), NEY_EINVAL);
    reference[3] = (double)INFINITY;
    o.delta = 0.7;
    assert_int_equal(ney_drift_new(&d, NULL, reference, M, &o, NULL), NEY_EINVAL);
    o.delta = 0.5;
    assert_int_equal(ney_drift_new(&d, NULL, reference, M, &o, NULL), NEY_OK);
    ney_drift_free(d);
    ney_drift_free(NULL);
    assert_int_equal(ney_drift_look(NULL).n, 0);
}

/* Calibration rows are a reference where they are held out rows, and only then. */
static void test_model_reference(void **state)
{
    static const float x[] = {0, 1};
    static const int8_t y[] = {-1, 1}, label[] = {1, -1, -1, 1};
    static const double weight = 1, score[] = {3, 1, 1, -2}, sorted[] = {-2, 1, 1, 3};
    const ney_matrix matrix = {.rows = 2, .cols = 1, .dense = x};
    ney_data *data = NULL;
    ney_model *m = NULL;
    double *scores;
    int64_t n;
    (void)state;
    assert_int_equal(ney_data_new(&data, NULL, &matrix, y, NULL, NULL), NEY_OK);
    assert_int_equal(ney_model_new_linear(&m, NULL, ney_data_preprocessing(data), &weight, 0, NULL),
                     NEY_OK);
    assert_int_equal(ney_model_reference(m, &scores, &n, NULL), NEY_OK);
    assert_null(scores);
    for (int kind = NEY_CALIBRATION_HELD_OUT; kind <= NEY_CALIBRATION_OUT_OF_FOLD; kind++) {
        assert_int_equal(
            ney_model_set_probabilities(m, score, label, 4, (ney_calibration_kind)kind, NULL),
            NEY_OK);
        assert_int_equal(ney_model_reference(m, &scores, &n, NULL), NEY_OK);
        assert_true((scores != NULL) == (kind == NEY_CALIBRATION_HELD_OUT));
        assert_true(!scores || (n == 4 && memcmp(scores, sorted, sizeof sorted) == 0));
        ney_reference_free(m, scores);
    }
    ney_model_free(m);
    ney_data_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mean_is_one),
        cmocka_unit_test(test_formula),
        cmocka_unit_test(test_rising_factorial),
        cmocka_unit_test(test_ties),
        cmocka_unit_test(test_schedule),
        cmocka_unit_test(test_alarm),
        cmocka_unit_test(test_state),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_model_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
