/* The false-discovery rate where it is known which targets are false: the mean over draws of the
 * share of false ones among the accepted. Cases that a theorem covers are checked against q; those
 * that are printed as estimates are measured. */
#include "support/claim.h"
#include "support/random_data.h"
#include "support/share.h"

#include <neyman/experimental.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { MOST = 13000, COLS = 4, N_RATES = 3 };

static const double RATES[N_RATES] = {0.01, 0.05, 0.1};

static double normal(rnd *r)
{
    return sqrt(-2 * log(1 - rnd_unit(r))) * cos(6.283185307179586 * rnd_unit(r));
}

/* ---------------------------------------------------------------- draws */

typedef struct truth {
    double score[MOST];
    int8_t label[MOST];
    bool is_true[MOST];
    uint64_t key[MOST];
    int64_t n;
} truth;

static void add(truth *t, double score, int label, bool is_true, uint64_t unit)
{
    t->score[t->n] = score;
    t->label[t->n] = (int8_t)label;
    t->is_true[t->n] = is_true;
    t->key[t->n++] = unit * UINT64_C(0x9e3779b97f4a7c15) >> 7; /* any bit is a fair coin */
}

/* Null scores are coarse, so that ties are met: N(0, 1) in steps of 1/8. */
static double null_score(rnd *r)
{
    return floor(8 * normal(r)) / 8;
}

typedef enum design {
    PAIRS,   /* a target and a decoy in every unit, to compete here */
    WINNERS, /* one row a unit: the better of the two, competed elsewhere */
    LISTS,   /* targets and decoys that know nothing of each other */
    CROWDED  /* five targets and one decoy in every unit */
} design;

/* A share of the targets is true: they score 3 more. */
static void draw(truth *t, rnd *r, design how, int64_t n_pos, int64_t n_neg, double share)
{
    t->n = 0;
    for (int64_t i = 0; i < n_pos; i++) {
        const bool is_true = rnd_chance(r, share);
        const double target = null_score(r) + (is_true ? 3 : 0), decoy = null_score(r);
        const bool target_wins = target > decoy || (target == decoy && rnd_chance(r, 0.5));
        if (how != WINNERS || target_wins) {
            add(t, target, 1, is_true, (uint64_t)i);
        }
        for (int k = 0; how == CROWDED && k < 4; k++) {
            add(t, null_score(r), 1, false, (uint64_t)i);
        }
        if (how != LISTS && (how != WINNERS || !target_wins)) {
            add(t, decoy, -1, false, (uint64_t)i);
        }
    }
    for (int64_t i = 0; how == LISTS && i < n_neg; i++) {
        add(t, null_score(r), -1, false, (uint64_t)(n_pos + i));
    }
}

/* ---------------------------------------------------------------- the realised rate */

typedef struct tally {
    double *value[N_RATES]; /* of each draw */
    int64_t hits[N_RATES];  /* draws with a false one among the accepted */
    double accepted[N_RATES];
    int64_t draws;
} tally;

static void tally_init(tally *t, int64_t most)
{
    *t = (tally){0};
    for (int k = 0; k < N_RATES; k++) {
        t->value[k] = calloc((size_t)most, sizeof *t->value[k]);
        assert_non_null(t->value[k]);
    }
}

static void take(tally *t, const truth *from, const double *q)
{
    for (int k = 0; k < N_RATES; k++) {
        int64_t accepted = 0, wrong = 0;
        for (int64_t i = 0; i < from->n; i++) {
            const bool is_accepted = from->label[i] > 0 && q[i] <= RATES[k];
            accepted += is_accepted;
            wrong += is_accepted && !from->is_true[i];
        }
        t->value[k][t->draws] = accepted > 0 ? (double)wrong / (double)accepted : 0;
        t->hits[k] += wrong > 0;
        t->accepted[k] += (double)accepted;
    }
    t->draws++;
}

/* `nominal(q)` is what is promised of false targets over targets. */
static void verdict(tally *t, const char *name, bool is_noise, bool per_all, bool is_theorem)
{
    for (int k = 0; k < N_RATES; k++) {
        const double nominal = per_all ? RATES[k] / (1 - RATES[k]) : RATES[k];
        char claim[160];
        snprintf(claim, sizeof claim, "q-values %g, %s, %.1f accepted", RATES[k], name,
                 t->accepted[k] / (double)t->draws);
        if (!is_theorem) {
            claim_report_mean(claim, t->value[k], t->draws, nominal);
        } else if (is_noise) { /* all that is accepted is false: a draw is right or wrong */
            claim_check(claim, t->hits[k], t->draws, nominal);
        } else {
            claim_check_mean(claim, t->value[k], t->draws, nominal);
        }
        free(t->value[k]);
    }
}

/* ---------------------------------------------------------------- scores fixed beforehand */

typedef struct setting {
    const char *name;
    design how;
    double decoys; /* for each target; LISTS alone */
    ney_qvalue_opts opts;
    bool is_theorem;
    ney_fdr_basis basis; /* expected where it is that of every draw */
} setting;

static const setting SETTINGS[] = {
    {"pairs", PAIRS, 1, {0}, true, NEY_BASIS_PAIRS},
    {"pairs, all rows", PAIRS, 1, {.no_compete = true}, false, NEY_BASIS_ROWS},
    {"pairs, D / T", PAIRS, 1, {.no_compete = true, .no_plus_one = true}, false, NEY_BASIS_ROWS},
    {"winners, stated", WINNERS, 1, {.compete = true}, true, NEY_BASIS_STATED},
    {"winners, by the low scores", WINNERS, 1, {0}, false, NEY_BASIS_BALANCED},
    {"lists of equal size", LISTS, 1, {0}, true, NEY_BASIS_UNBALANCED},
    {"a tenth of the decoys", LISTS, 0.1, {0}, true, NEY_BASIS_UNBALANCED},
    {"five times the decoys", LISTS, 5, {0}, true, NEY_BASIS_UNBALANCED},
    {"a tenth of the decoys, no +1", LISTS, 0.1, {.no_plus_one = true}, false, NEY_BASIS_ROWS},
    {"five targets for a decoy", CROWDED, 1, {0}, false, NEY_BASIS_UNBALANCED},
};

static void realise(const setting *s, int64_t n, double share, int kind, int64_t draws,
                    uint64_t stream)
{
    static truth t;
    static double q[MOST];
    ney_env env = ney_env_default();
    ney_qvalue_opts o = s->opts;
    tally all;
    char name[96];
    rnd r = rnd_new(stream);
    env.threads = 1;
    o.kind = (ney_fdr_kind)kind;
    tally_init(&all, draws);
    for (int64_t k = 0; k < draws; k++) {
        ney_competition c;
        draw(&t, &r, s->how, n, (int64_t)(s->decoys * (double)n), share);
        const ney_labelled_scores rows = {
            .score = t.score, .label = t.label, .group = s->how == LISTS ? NULL : t.key, .n = t.n};
        assert_int_equal(ney_qvalues_competed(&env, &rows, &o, q, NULL, NULL, &c, NULL), NEY_OK);
        if (s->basis == NEY_BASIS_PAIRS || s->basis == NEY_BASIS_STATED) {
            assert_int_equal(c.basis, s->basis);
        }
        take(&all, &t, q);
    }
    snprintf(name, sizeof name, "%s, %d targets, %g true%s", s->name, (int)n, share,
             kind ? ", decoys/all" : "");
    verdict(&all, name, share == 0, kind != 0, s->is_theorem);
}

static void prop_fixed_scores(void **state)
{
    static const double SHARES[] = {0, 0.05, 0.2};
    static const int64_t SIZES[] = {100, 2000}, DRAWS[] = {1000, 50};
    uint64_t stream = 5000;
    (void)state;
    for (size_t s = 0; s < sizeof SETTINGS / sizeof *SETTINGS; s++) {
        for (int size = 0; size < 2; size++) {
            for (int k = 0; k < 3; k++) {
                for (int kind = 0; kind < 2; kind++) {
                    if (kind == 0 || SETTINGS[s].is_theorem) {
                        realise(&SETTINGS[s], SIZES[size], SHARES[k], kind, test_share(DRAWS[size]),
                                ++stream);
                    }
                }
            }
        }
    }
}

/* ---------------------------------------------------------------- learned scores */

/* Rows with four columns, of which true targets are higher in two. */
static ney_data *rows_of(truth *t, rnd *r, int64_t n, double share)
{
    static float x[MOST * COLS];
    ney_data *d = NULL;
    t->n = 0;
    for (int64_t i = 0; i < 2 * n; i++) {
        const bool is_true = i % 2 == 0 && rnd_chance(r, share);
        for (int c = 0; c < COLS; c++) {
            x[t->n * COLS + c] = (float)(normal(r) + (is_true && c < 2 ? 2.5 : 0));
        }
        add(t, 0, i % 2 == 0 ? 1 : -1, is_true, (uint64_t)i / 2);
    }
    const ney_matrix m = {.rows = t->n, .cols = COLS, .dense = x};
    assert_int_equal(ney_data_new(&d, NULL, &m, t->label, NULL, NULL), NEY_OK);
    return d;
}

static void learn(int64_t n, double share, int64_t draws, uint64_t stream)
{
    static truth t;
    static double q[MOST];
    tally by_pairs, by_rows;
    char name[96];
    rnd r = rnd_new(stream);
    int64_t n_params;
    const ney_param *p = ney_train_params(&n_params);
    tally_init(&by_pairs, draws);
    tally_init(&by_rows, draws);
    for (int64_t k = 0; k < draws; k++) {
        ney_train_opts o;
        ney_model *m = NULL;
        int64_t known;
        ney_params_init(p, n_params, &o);
        o.max_fdr = "0.05";
        ney_data *d = rows_of(&t, &r, n, share);
        assert_int_equal(ney_train(&m, NULL, d, &o, NULL, NULL), NEY_OK);
        assert_int_equal(ney_model_score_data(m, NULL, d, t.score, &known, NULL), NEY_OK);
        assert_true(known == t.n || ney_model_fold_count(m) == 0);
        const ney_labelled_scores rows = {
            .score = t.score, .label = t.label, .group = t.key, .n = t.n};
        assert_int_equal(ney_qvalues_competed(NULL, &rows, NULL, q, NULL, NULL, NULL, NULL),
                         NEY_OK);
        take(&by_pairs, &t, q);
        assert_int_equal(ney_qvalues(NULL, t.score, t.label, t.n, NULL, q, NULL), NEY_OK);
        take(&by_rows, &t, q);
        ney_model_free(m);
        ney_data_free(d);
    }
    snprintf(name, sizeof name, "learned, pairs, %d targets, %g true", (int)n, share);
    verdict(&by_pairs, name, share == 0, false, false);
    snprintf(name, sizeof name, "learned, lists, %d targets, %g true", (int)n, share);
    verdict(&by_rows, name, share == 0, false, false);
}

static void prop_learned_scores(void **state)
{
    static const double SHARES[] = {0, 0.05, 0.2};
    (void)state;
    for (int k = 0; k < 3; k++) {
        learn(100, SHARES[k], test_share(15), 7000 + (uint64_t)k);
        if (k == 2 || test_share(4) == test_times(4)) { /* a sanitizer: one of the large cases */
            learn(2000, SHARES[k], test_times(1), 7100 + (uint64_t)k);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prop_fixed_scores),
        cmocka_unit_test(prop_learned_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
