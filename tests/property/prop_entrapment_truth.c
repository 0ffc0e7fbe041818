/* Entrapment on searches with known truth: the lower bound is at most the share of false targets in
 * every search, the combined estimate is that share on average, for few and many entrapment
 * sequences; and both show an estimate from decoys that score too low. */
#include "support/cmocka_all.h"
#include "support/random_data.h"

#include <neyman/experimental/discovery.h>

#include <math.h>

enum { SPECTRA = 1500 };

static const double RATE = 0.05;

typedef struct setting {
    const char *name;
    double ratio;    /* entrapment sequences per target sequence */
    double share;    /* of spectra whose peptide is among the targets */
    double handicap; /* of decoys against false targets */
} setting;

/* Differences or shares of the runs. */
typedef struct mean {
    double sum, squares;
} mean;

static void mean_add(mean *m, double x)
{
    m->sum += x;
    m->squares += x * x;
}

static double mean_error(const mean *m, double n)
{
    const double at = m->sum / n;
    return sqrt(fmax(m->squares / n - at * at, 0) / n);
}

static double gauss(rnd *r)
{
    return sqrt(-2 * log(1 - rnd_unit(r))) * cos(6.283185307179586 * rnd_unit(r));
}

/* A false match hits each of the targets, the entrapment sequences and their decoys alike. */
static void run(const setting *c, rnd *r, mean *fdp, mean *lower, mean *difference)
{
    static double score[SPECTRA], q[SPECTRA];
    int8_t label[SPECTRA];
    bool is_true[SPECTRA], is_entrapment[SPECTRA];
    for (int i = 0; i < SPECTRA; i++) {
        is_true[i] = rnd_unit(r) < c->share;
        label[i] = is_true[i] || rnd_below(r, 2) ? 1 : -1;
        is_entrapment[i] = !is_true[i] && rnd_unit(r) * (1 + c->ratio) < c->ratio;
        score[i] = gauss(r) + (is_true[i] ? 3 : label[i] < 0 ? -c->handicap : 0);
    }
    const ney_labelled_scores rows = {.score = score, .label = label, .n = SPECTRA};
    const ney_qvalue_opts o = {.compete = true};
    assert_int_equal(ney_qvalues_competed(NULL, &rows, &o, q, NULL, NULL, NULL, NULL), NEY_OK);
    int64_t n[2] = {0, 0}, n_false = 0;
    for (int i = 0; i < SPECTRA; i++) {
        if (label[i] > 0 && q[i] <= RATE) {
            n[is_entrapment[i]]++;
            n_false += !is_true[i];
        }
    }
    const ney_entrapment e = ney_entrapment_of(n[0], n[1], c->ratio);
    const double accepted = (double)(n[0] + n[1]);
    const double truth = accepted > 0 ? (double)n_false / accepted : 0;
    assert_true(e.fdp_lower <= truth);
    mean_add(fdp, truth);
    mean_add(lower, e.fdp_lower);
    mean_add(difference, e.fdp_combined - truth);
}

/* Within five standard errors: a correct program fails with probability below 1e-6. */
static void prop_bounds(void **state)
{
    static const setting settings[] = {{"one entrapment sequence per target", 1, 0.4, 0},
                                       {"one per four targets", 0.25, 0.4, 0},
                                       {"eight per target", 8, 0.4, 0},
                                       {"weak", 1, 0.05, 0},
                                       {"decoys that score too low", 1, 0.4, 0.7}};
    (void)state;
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        const setting *const c = &settings[k];
        const int64_t runs = test_times(400);
        const double n = (double)runs;
        mean fdp = {0}, lower = {0}, difference = {0};
        rnd r = rnd_new(9000 + k);
        for (int64_t i = 0; i < runs; i++) {
            run(c, &r, &fdp, &lower, &difference);
        }
        print_message("%s: FDP %.4f, lower %.4f, combined less FDP %.5f +- %.5f\n", c->name,
                      fdp.sum / n, lower.sum / n, difference.sum / n, mean_error(&difference, n));
        assert_true(fabs(difference.sum / n) <= 5 * mean_error(&difference, n));
        if (c->handicap > 0) {
            assert_true(lower.sum / n > RATE + 5 * mean_error(&lower, n));
        } else {
            assert_true(fdp.sum / n <= RATE + 5 * mean_error(&fdp, n));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(prop_bounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
