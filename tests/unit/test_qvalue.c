/* q-values worked out on paper, and what their options say of themselves. */
#include "support/cmocka_all.h"
#include "support/ref_decide.h"

#include <neyman/experimental.h>

#include <math.h>
#include <string.h>

enum { T = 1, D = -1 }; /* target, decoy */

typedef struct qvalue_case {
    const char *why;
    ney_qvalue_opts opts;
    int64_t n;
    double score[6];
    int8_t label[6];
    double q[6];
} qvalue_case;

#define PLAIN .compete = true, .no_plus_one = true /* D / T */
#define ALL .kind = NEY_FDR_DECOYS_PER_ALL

/* clang-format off */
static const qvalue_case cases[] = {
    {"no rows", {0}, 0, {0}, {0}, {0}},
    {"decoys per target", {PLAIN}, 5, {5, 4, 3, 2, 1}, {T, T, D, T, D},
     {0, 0, 1. / 3, 1. / 3, 2. / 3}},
    {"the running minimum", {PLAIN}, 5, {5, 4, 3, 2, 1}, {D, T, T, T, T},
     {.25, .25, .25, .25, .25}},
    {"decoys per all", {ALL, PLAIN}, 5, {5, 4, 3, 2, 1}, {T, T, D, T, D}, {0, 0, .25, .25, .4}},
    {"one more decoy", {.compete = true}, 5, {5, 4, 3, 2, 1}, {T, T, D, T, D},
     {.5, .5, 2. / 3, 2. / 3, 1}},
    {"one more decoy, per all", {ALL, .compete = true}, 5, {5, 4, 3, 2, 1}, {T, T, D, T, D},
     {1. / 3, 1. / 3, .4, .4, .5}},
    {"twice as many decoys", {.no_plus_one = true}, 6, {6, 5, 4, 3, 2, 1}, {T, D, D, T, D, D},
     {0, .5, .5, .5, .75, 1}},
    /* f = 2/5: 2/5 (D + 1) / T */
    {"the default", {0}, 6, {6, 5, 4, 3, 2, 1}, {T, D, D, T, D, D}, {.4, .6, .6, .6, .8, 1}},
    /* x / (1 + x) of the line before last: f D / (f D + T), not f D / (D + T) */
    {"per all with sizes", {ALL, .no_plus_one = true}, 6, {6, 5, 4, 3, 2, 1}, {T, D, D, T, D, D},
     {0, 1. / 3, 1. / 3, 1. / 3, 3. / 7, .5}},
    {"ties share one value", {PLAIN}, 6, {2, 2, 2, 1, 1, 1}, {T, D, T, T, T, D},
     {.5, .5, .5, .5, .5, .5}},
    {"zeros of both signs tie", {PLAIN}, 3, {0.0, -0.0, 1}, {T, D, T}, {.5, .5, 0}},
    {"infinite scores have an order", {PLAIN}, 3, {-INFINITY, INFINITY, 0}, {D, T, T}, {.5, 0, 0}},
    {"decoys alone", {PLAIN}, 2, {1, 2}, {D, D}, {1, 1}},
    {"decoys alone, with sizes", {0}, 2, {1, 2}, {D, D}, {1, 1}},
    {"decoys alone, per all", {ALL, PLAIN}, 2, {1, 2}, {D, D}, {1, 1}},
    {"decoys alone, per all, with sizes", {ALL}, 2, {1, 2}, {D, D}, {1, 1}},
    {"targets alone: nothing is known", {0}, 2, {1, 2}, {T, T}, {1, 1}},
    {"targets alone, no decoy added", {.no_plus_one = true}, 2, {1, 2}, {T, T}, {1, 1}},
    {"targets alone won", {.compete = true}, 2, {1, 2}, {T, T}, {.5, .5}},
    {"never above one", {PLAIN}, 4, {4, 3, 2, 1}, {D, D, D, T}, {1, 1, 1, 1}},
};
/* clang-format on */

static void test_paper(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const qvalue_case *c = &cases[i];
        double q[6];
        assert_int_equal(ney_qvalues(NULL, c->score, c->label, c->n, &c->opts, q, NULL), NEY_OK);
        for (int64_t k = 0; k < c->n; k++) {
            if (fabs(q[k] - c->q[k]) > 1e-15) {
                fail_msg("%s: q[%d] = %.17g, expected %.17g", c->why, (int)k, q[k], c->q[k]);
            }
        }
    }
}

static void test_no_options_are_the_defaults(void **state)
{
    const double score[] = {5, 4, 3, 2, 1};
    const int8_t label[] = {T, T, D, T, D};
    double a[5], b[5];
    int64_t n;
    ney_qvalue_opts opts;
    const ney_param *params = ney_qvalue_params(&n);
    (void)state;
    memset(&opts, 0xff, sizeof opts);
    ney_params_init(params, n, &opts);
    assert_int_equal(ney_qvalues(NULL, score, label, 5, NULL, a, NULL), NEY_OK);
    assert_int_equal(ney_qvalues(NULL, score, label, 5, &opts, b, NULL), NEY_OK);
    assert_memory_equal(a, b, sizeof a);
}

static void test_options_from_text(void **state)
{
    int64_t n;
    ney_qvalue_opts o;
    const ney_param *params = ney_qvalue_params(&n);
    (void)state;
    ney_params_init(params, n, &o);
    assert_int_equal(ney_params_set(params, n, &o, "fdr-convention", "all", NULL), NEY_OK);
    assert_int_equal(o.kind, NEY_FDR_DECOYS_PER_ALL);
    assert_int_equal(ney_params_set(params, n, &o, "fdr-convention", "targets", NULL), NEY_OK);
    assert_int_equal(o.kind, NEY_FDR_DECOYS_PER_TARGET);
    assert_int_equal(ney_params_set(params, n, &o, "no-compete", NULL, NULL), NEY_OK);
    assert_int_equal(ney_params_set(params, n, &o, "no-plus-one", NULL, NULL), NEY_OK);
    assert_true(o.no_compete && o.no_plus_one);
}

/* The formula that is printed is the one that is computed: D = 1 of n- = 2, T = 2 of n+ = 3. */
static void test_formulas(void **state)
{
    static const struct {
        ney_qvalue_opts o;
        const char *text;
        double value;
    } formulas[] = {
        {{0}, "n+ (D + 1) / ((n- + 1) T)", 1},
        {{.no_plus_one = true}, "n+ D / (n- T)", 0.75},
        {{.compete = true}, "(D + 1) / T", 1},
        {{PLAIN}, "D / T", 0.5},
        {{ALL}, "n+ (D + 1) / (n+ (D + 1) + (n- + 1) T)", 0.5},
        {{ALL, .no_plus_one = true}, "n+ D / (n+ D + n- T)", 3. / 7},
        {{ALL, .compete = true}, "(D + 1) / (D + 1 + T)", 0.5},
        {{ALL, PLAIN}, "D / (D + T)", 1. / 3},
    };
    const double score[] = {2, 2, 2, 1, 1};
    const int8_t label[] = {T, T, D, D, T};
    (void)state;
    for (size_t k = 0; k < sizeof formulas / sizeof *formulas; k++) {
        double q[5];
        assert_string_equal(ney_qvalue_formula(&formulas[k].o), formulas[k].text);
        assert_int_equal(ney_qvalues(NULL, score, label, 5, &formulas[k].o, q, NULL), NEY_OK);
        assert_true(q[0] <= formulas[k].value + 1e-15);
        assert_float_equal(q[0], fmin(formulas[k].value, q[4]), 1e-15);
    }
}

/* 10,000 targets and 100 decoys from one distribution: no threshold accepts many. */
static void test_few_decoys_accept_no_noise(void **state)
{
    enum { N = 10100 };
    static double score[N], q[N];
    static int8_t label[N];
    rnd r = rnd_new(7);
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        const ney_qvalue_opts o = {.kind = (ney_fdr_kind)kind};
        for (int64_t i = 0; i < N; i++) {
            score[i] = rnd_unit(&r);
            label[i] = i < 100 ? D : T;
        }
        assert_int_equal(ney_qvalues(NULL, score, label, N, &o, q, NULL), NEY_OK);
        for (int64_t i = 0; i < N; i++) {
            assert_true(q[i] > 0.2); /* 1/2 at the bottom where decoys count among all */
        }
    }
}

/* ---------------------------------------------------------------- competition */

/* `pairs` spectra with a target and a decoy each, then `alone` with a target only. */
static int64_t spectra(int64_t pairs, int64_t alone, double *score, int8_t *label, uint64_t *key)
{
    rnd r = rnd_new(11);
    int64_t n = 0;
    for (int64_t u = 0; u < pairs + alone; u++) {
        for (int k = 0; k < (u < pairs ? 2 : 1); k++, n++) {
            score[n] = rnd_unit(&r);
            label[n] = k == 0 ? T : D;
            key[n] = 2 * (uint64_t)u;
        }
    }
    return n;
}

static void check_basis(int64_t pairs, int64_t alone, ney_qvalue_opts o, bool known,
                        ney_fdr_basis basis, const char *formula)
{
    enum { MOST = 4000 };
    static double score[MOST], q[MOST], own_q[MOST], own_score[MOST];
    static int8_t label[MOST], own_label[MOST];
    static uint64_t key[MOST];
    bool best[MOST];
    ney_competition c;
    int64_t m = 0, k = 0;
    const int64_t n = spectra(pairs, alone, score, label, key);
    const ney_labelled_scores rows = {
        .score = score, .label = label, .group = known ? key : NULL, .n = n};
    assert_int_equal(ney_qvalues_competed(NULL, &rows, &o, q, NULL, best, &c, NULL), NEY_OK);
    if (c.basis != basis) {
        fail_msg("%s, expected %s", ney_fdr_basis_text(c.basis), ney_fdr_basis_text(basis));
    }
    assert_string_equal(ney_qvalue_formula(&c.estimate), formula);
    for (int64_t i = 0; i < n; i++) {
        if (best[i]) {
            own_score[m] = score[i];
            own_label[m++] = label[i];
        } else {
            assert_true(q[i] == 1);
        }
    }
    assert_int_equal(m, known && !o.no_compete ? pairs + alone : n);
    assert_int_equal(c.n_pos + c.n_neg, m);
    const ref_scores s = {own_score, own_label, m};
    for (int64_t i = 0; i < n; i++) {
        if (best[i] && i % 7 == 0) {
            own_q[k] = ref_qvalue(&s, k, false, c.estimate.compete, !o.no_plus_one);
            assert_float_equal(q[i], own_q[k], 1e-12);
        }
        k += best[i];
    }
}

static void test_basis(void **state)
{
    (void)state;
    const char *const competed = "(D + 1) / T", *const sizes = "n+ (D + 1) / ((n- + 1) T)";
    check_basis(300, 0, (ney_qvalue_opts){0}, true, NEY_BASIS_PAIRS, competed);
    check_basis(300, 8, (ney_qvalue_opts){0}, true, NEY_BASIS_BALANCED, competed);
    check_basis(20, 300, (ney_qvalue_opts){0}, true, NEY_BASIS_UNBALANCED, sizes);
    check_basis(20, 300, (ney_qvalue_opts){.compete = true}, true, NEY_BASIS_STATED, competed);
    check_basis(20, 300, (ney_qvalue_opts){.no_plus_one = true}, true, NEY_BASIS_UNBALANCED,
                "n+ D / (n- T)");
    check_basis(300, 0, (ney_qvalue_opts){.no_compete = true}, true, NEY_BASIS_ROWS, sizes);
    check_basis(300, 0, (ney_qvalue_opts){0}, false, NEY_BASIS_ROWS, sizes);
    check_basis(300, 0, (ney_qvalue_opts){.compete = true}, false, NEY_BASIS_STATED, competed);
}

/* The lowest quarter of the winners is what is looked at, and 40 % of decoys there is balanced. */
static void test_low_quarter(void **state)
{
    enum { N = 80, LOW = 20 };
    double score[N], q[N];
    int8_t label[N];
    uint64_t key[N];
    ney_competition c;
    (void)state;
    for (int low_decoys = 7; low_decoys <= 8; low_decoys++) {
        for (int i = 0; i < N; i++) { /* decoys are most of the second quarter */
            score[i] = i;
            label[i] = (int8_t)(i < LOW ? (i < low_decoys ? -1 : 1) : i < 2 * LOW ? -1 : 1);
            key[i] = (uint64_t)i;
        }
        c = (ney_competition){0};
        const ney_labelled_scores rows = {.score = score, .label = label, .group = key, .n = N};
        assert_int_equal(ney_qvalues_competed(NULL, &rows, NULL, q, NULL, NULL, &c, NULL), NEY_OK);
        assert_int_equal(c.n_low, LOW);
        assert_int_equal(c.low_decoys, low_decoys);
        assert_int_equal(c.basis, low_decoys == 8 ? NEY_BASIS_BALANCED : NEY_BASIS_UNBALANCED);
    }
}

/* Values of a column are estimated by themselves, losers left out first. */
static void test_within(void **state)
{
    double score[400], q[400], pep[400], own[400], own_q[400], own_pep[400];
    int8_t label[400], own_label[400];
    uint64_t key[400], within[400];
    bool best[400];
    ney_competition c;
    const int64_t n = spectra(200, 0, score, label, key);
    (void)state;
    for (int64_t i = 0; i < n; i++) {
        within[i] = (uint64_t)(i / 2 % 3);
    }
    const ney_labelled_scores rows = {
        .score = score, .label = label, .group = key, .within = within, .n = n};
    assert_int_equal(ney_qvalues_competed(NULL, &rows, NULL, q, pep, best, &c, NULL), NEY_OK);
    for (uint64_t g = 0; g < 3; g++) {
        int64_t m = 0;
        for (int64_t i = 0; i < n; i++) {
            if (best[i] && within[i] == g) {
                own[m] = score[i];
                own_label[m++] = label[i];
            }
        }
        assert_int_equal(ney_qvalues(NULL, own, own_label, m, &c.estimate, own_q, NULL), NEY_OK);
        assert_int_equal(ney_peps(NULL, own, own_label, m, &c.estimate, own_pep, NULL), NEY_OK);
        m = 0;
        for (int64_t i = 0; i < n; i++) {
            if (best[i] && within[i] == g) {
                assert_true(q[i] == own_q[m] && pep[i] == own_pep[m]);
                m++;
            } else if (!best[i]) {
                assert_true(q[i] == 1 && pep[i] == 1);
            }
        }
    }
}

static void test_refusals(void **state)
{
    const double score[] = {1, NAN};
    const int8_t label[] = {T, D};
    const ney_qvalue_opts wrong = {.kind = 2};
    double q[2] = {-7, -7};
    ney_error err = {0};
    (void)state;
    assert_int_equal(ney_qvalues(NULL, score, label, 2, NULL, q, &err), NEY_EINVAL);
    assert_string_equal(err.message, "score 2 is not a number");
    assert_int_equal(ney_qvalues(NULL, score, label, 1, &wrong, q, &err), NEY_EINVAL);
    assert_true(q[0] == -7);
    static const ney_qvalue_opts excluded[] = {{.plus_one = true, .no_plus_one = true},
                                               {.compete = true, .no_compete = true},
                                               {.compete = true, .size_correct = true}};
    for (size_t k = 0; k < sizeof excluded / sizeof *excluded; k++) {
        assert_int_equal(ney_qvalues(NULL, score, label, 1, &excluded[k], q, &err), NEY_EINVAL);
        assert_non_null(strstr(err.message, "exclude each other"));
    }
    /* rows that compete leave nothing to correct */
    const double four[] = {1, 2, 3, 4};
    const int8_t pairs[] = {T, D, T, D};
    const uint64_t key[] = {0, 0, 1, 1};
    const ney_qvalue_opts correct = {.size_correct = true};
    ney_labelled_scores rows = {.score = four, .label = pairs, .group = key, .n = 4};
    double own[4];
    assert_int_equal(ney_qvalues_competed(NULL, &rows, &correct, own, NULL, NULL, NULL, &err),
                     NEY_EINVAL);
    assert_non_null(strstr(err.message, "size-correct is refused"));
    rows.group = NULL;
    assert_int_equal(ney_qvalues_competed(NULL, &rows, &correct, own, NULL, NULL, NULL, &err),
                     NEY_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper),
        cmocka_unit_test(test_no_options_are_the_defaults),
        cmocka_unit_test(test_options_from_text),
        cmocka_unit_test(test_formulas),
        cmocka_unit_test(test_few_decoys_accept_no_noise),
        cmocka_unit_test(test_basis),
        cmocka_unit_test(test_within),
        cmocka_unit_test(test_low_quarter),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
