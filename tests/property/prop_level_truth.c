/* Matches, peptides and proteins with known truth: the mean share of false discoveries is at most
 * the threshold at each level, with weak and strong signal, few and many decoys; and with strong
 * signal most of what is true is found. False matches hit a target or its decoy with equal
 * probability, and the scores are fixed beforehand: the assumptions of the estimate. */
#include "support/cmocka_all.h"
#include "support/random_data.h"
#include "support/same.h"

#include <neyman/experimental/discovery.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PER_PROTEIN = 3, LENGTH = 9, LEVELS = 3, THRESHOLDS = 3, MOST_SCANS = 1200 };

static const double thresholds[THRESHOLDS] = {0.01, 0.05, 0.1};
static const char *const level_names[LEVELS] = {"match", "peptide", "protein"};

typedef struct setting {
    const char *name;
    int64_t scans, proteins;
    double shift, share; /* of scores of true matches; of scans that have one */
} setting;

/* One simulated search: a row per scan, the winner of targets and decoys together. */
typedef struct search {
    int64_t n;
    double score[MOST_SCANS];
    int8_t label[MOST_SCANS];
    int peptide[MOST_SCANS];
    bool is_true[MOST_SCANS]; /* the match */
    bool *present;            /* peptides that a spectrum is of */
    char (*sequence)[LENGTH + 1];
    int64_t n_peptides;
} search;

static double gauss(rnd *r)
{
    return sqrt(-2 * log(1 - rnd_unit(r))) * cos(6.283185307179586 * rnd_unit(r));
}

/* Random peptides; the decoy of each is its reversal before the last residue. */
static void make_peptides(search *s, const setting *c, rnd *r)
{
    s->n_peptides = c->proteins * PER_PROTEIN;
    s->sequence = malloc((size_t)s->n_peptides * sizeof *s->sequence);
    s->present = calloc((size_t)s->n_peptides, sizeof *s->present);
    for (int64_t p = 0; p < s->n_peptides; p++) {
        for (int i = 0; i < LENGTH - 1; i++) {
            s->sequence[p][i] = "ACDEFGHILMNPQSTVWY"[rnd_below(r, 18)];
        }
        s->sequence[p][LENGTH - 1] = 'K';
        s->sequence[p][LENGTH] = '\0';
    }
}

static void simulate(search *s, const setting *c, rnd *r)
{
    const int64_t present = s->n_peptides / 2; /* those of the first half of the proteins */
    s->n = c->scans;
    for (int64_t i = 0; i < s->n; i++) {
        const bool is_true = rnd_unit(r) < c->share;
        s->is_true[i] = is_true;
        s->peptide[i] = (int)rnd_below(r, is_true ? present : s->n_peptides);
        s->label[i] = is_true || rnd_below(r, 2) ? 1 : -1;
        s->score[i] = gauss(r) + (is_true ? c->shift : 0);
        s->present[s->peptide[i]] = s->present[s->peptide[i]] || is_true;
    }
}

static ney_data *data_of(const search *s)
{
    const size_t room = 64 + (size_t)s->n * 96;
    char *const words = malloc(room), core[LENGTH + 1];
    size_t used = (size_t)snprintf(words, room, "SpecId\tLabel\tScanNr\tx\tPeptide\tProteins\n");
    for (int64_t i = 0; i < s->n; i++) {
        const char *const p = s->sequence[s->peptide[i]];
        for (int k = 0; k < LENGTH - 1; k++) {
            core[k] = s->label[i] > 0 ? p[k] : p[LENGTH - 2 - k];
        }
        core[LENGTH - 1] = 'K';
        core[LENGTH] = '\0';
        used += (size_t)snprintf(words + used, room - used, "s%lld\t%d\t%lld\t1\tR.%s.A\t%sP%d\n",
                                 (long long)i, s->label[i], (long long)i, core,
                                 s->label[i] > 0 ? "" : "rev_", s->peptide[i] / PER_PROTEIN);
    }
    ney_data *const d = parse(words, NULL);
    free(words);
    return d;
}

/* Whether an accepted row is right at a level. */
static bool is_right(const search *s, const bool *protein, int level, int64_t row)
{
    return level == 0   ? s->is_true[row]
           : level == 1 ? s->present[s->peptide[row]]
                        : protein[s->peptide[row] / PER_PROTEIN];
}

/* Sums over the runs of a setting. */
typedef struct tally {
    double fdp, squares, found, there;
} tally;

static void count(tally *t, const search *s, const bool *protein, int level, const double *q)
{
    double there = 0;
    for (int64_t p = 0; level == 1 && p < s->n_peptides; p++) {
        there += s->present[p];
    }
    for (int64_t p = 0; level == 2 && p < s->n_peptides / PER_PROTEIN; p++) {
        there += protein[p];
    }
    for (int64_t i = 0; level == 0 && i < s->n; i++) {
        there += s->is_true[i];
    }
    for (int k = 0; k < THRESHOLDS; k++) {
        double accepted = 0, wrong = 0;
        for (int64_t i = 0; i < s->n; i++) {
            if (s->label[i] > 0 && q[i] <= thresholds[k]) {
                accepted++;
                wrong += !is_right(s, protein, level, i);
            }
        }
        const double fdp = accepted > 0 ? wrong / accepted : 0;
        t[k].fdp += fdp;
        t[k].squares += fdp * fdp;
        t[k].found += accepted - wrong;
        t[k].there += there;
    }
}

static void run(const setting *c, rnd *r, tally t[LEVELS][THRESHOLDS])
{
    search s;
    make_peptides(&s, c, r);
    simulate(&s, c, r);
    ney_data *const d = data_of(&s);
    bool *const protein = calloc((size_t)c->proteins, sizeof *protein);
    for (int64_t p = 0; p < s.n_peptides; p++) {
        protein[p / PER_PROTEIN] = protein[p / PER_PROTEIN] || s.present[p];
    }
    uint64_t *const key = malloc(3 * MOST_SCANS * sizeof *key), unit[MOST_SCANS];
    static double q[MOST_SCANS], pep[MOST_SCANS];
    bool taken[MOST_SCANS], best[MOST_SCANS];
    const ney_qvalue_opts o = {.compete = true};
    for (int level = 0; level < LEVELS; level++) {
        const ney_labelled_scores rows = {
            .score = s.score, .label = s.label, .group = unit, .n = s.n};
        ney_peptide_pairing pairing = NEY_PAIRING_REVERSED;
        bool known;
        if (level == 0) {
            assert_int_equal(ney_data_spectra(d, NULL, unit, &known, NULL), NEY_OK);
        } else if (level == 1) {
            assert_int_equal(ney_data_peptides(d, NULL, key, NULL), NEY_OK);
            assert_int_equal(ney_peptide_units(NULL, key, s.label, s.n, &pairing, unit, NULL),
                             NEY_OK);
        } else {
            assert_int_equal(ney_data_proteins(d, &(ney_protein_opts){.decoy_prefix = "rev_"},
                                               taken, unit, NULL),
                             NEY_OK);
        }
        ney_unit_qvalues found = {.q = q, .pep = pep, .best = best};
        assert_int_equal(
            ney_qvalues_of_units(&found, NULL, &rows, level > 0 ? taken : NULL, &o, NULL), NEY_OK);
        memcpy(taken, best, sizeof taken);
        count(t[level], &s, protein, level, q);
    }
    ney_data_free(d);
    free(key);
    free(protein);
    free(s.present);
    free(s.sequence);
}

/* The mean is below the threshold but for five standard errors: a correct program fails with
 * probability below 1e-6. */
static void check(const setting *c, int64_t runs, uint64_t stream)
{
    tally t[LEVELS][THRESHOLDS] = {{{0}}};
    rnd r = rnd_new(stream);
    for (int64_t k = 0; k < runs; k++) {
        run(c, &r, t);
    }
    for (int level = 0; level < LEVELS; level++) {
        for (int k = 0; k < THRESHOLDS; k++) {
            const double n = (double)runs, mean = t[level][k].fdp / n;
            const double error = sqrt(fmax(t[level][k].squares / n - mean * mean, 0) / n);
            const double power = t[level][k].found / t[level][k].there;
            print_message("%s, %s at %g: FDP %.4f +- %.4f, power %.3f\n", c->name,
                          level_names[level], thresholds[k], mean, error, power);
            assert_true(mean <= thresholds[k] + 5 * error);
            assert_true(c->shift < 4 || c->scans < 1000 || k == 0 || power > 0.6);
        }
    }
}

static void prop_few_decoys(void **state)
{
    const setting weak = {"weak, few", 120, 60, 1.5, 0.5},
                  strong = {"strong, few", 120, 60, 4.5, 0.8};
    (void)state;
    check(&weak, test_times(1200), 6611);
    check(&strong, test_times(1200), 6612);
}

static void prop_many_decoys(void **state)
{
    const setting weak = {"weak, many", MOST_SCANS, 400, 1.5, 0.4},
                  strong = {"strong, many", MOST_SCANS, 400, 4.5, 0.6};
    (void)state;
    check(&weak, test_times(300), 6613);
    check(&strong, test_times(300), 6614);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_few_decoys),
        cmocka_unit_test(prop_many_decoys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
