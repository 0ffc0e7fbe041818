/* q-values worked out on paper, and what their options say of themselves. */
#include "support/cmocka_all.h"
#include "support/ref_decide.h"

#include <neyman/neyman.h>

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

/* clang-format off */
static const qvalue_case cases[] = {
    {"no rows", {0}, 0, {0}, {0}, {0}},
    {"decoys per target", {0}, 5, {5, 4, 3, 2, 1}, {T, T, D, T, D}, {0, 0, 1. / 3, 1. / 3, 2. / 3}},
    {"the running minimum", {0}, 5, {5, 4, 3, 2, 1}, {D, T, T, T, T}, {.25, .25, .25, .25, .25}},
    {"decoys per all", {.kind = NEY_FDR_DECOYS_PER_ALL}, 5, {5, 4, 3, 2, 1}, {T, T, D, T, D},
     {0, 0, .25, .25, .4}},
    {"plus one", {.plus_one = true}, 5, {5, 4, 3, 2, 1}, {T, T, D, T, D},
     {.5, .5, 2. / 3, 2. / 3, 1}},
    {"plus one, per all", {.kind = NEY_FDR_DECOYS_PER_ALL, .plus_one = true}, 5, {5, 4, 3, 2, 1},
     {T, T, D, T, D}, {1. / 3, 1. / 3, .4, .4, .5}},
    {"size correction halves it", {.size_correct = true}, 6, {6, 5, 4, 3, 2, 1}, {T, D, D, T, D, D},
     {0, .5, .5, .5, .75, 1}},
    {"ties share one value", {0}, 6, {2, 2, 2, 1, 1, 1}, {T, D, T, T, T, D},
     {.5, .5, .5, .5, .5, .5}},
    {"zeros of both signs tie", {0}, 3, {0.0, -0.0, 1}, {T, D, T}, {.5, .5, 0}},
    {"infinite scores have an order", {0}, 3, {-INFINITY, INFINITY, 0}, {D, T, T}, {.5, 0, 0}},
    {"decoys alone", {0}, 2, {1, 2}, {D, D}, {1, 1}},
    {"decoys alone, corrected", {.size_correct = true}, 2, {1, 2}, {D, D}, {1, 1}},
    {"decoys alone, per all", {.kind = NEY_FDR_DECOYS_PER_ALL}, 2, {1, 2}, {D, D}, {1, 1}},
    {"decoys alone, per all, corrected", {.kind = NEY_FDR_DECOYS_PER_ALL, .size_correct = true}, 2,
     {1, 2}, {D, D}, {1, 1}},
    {"targets alone", {.size_correct = true}, 2, {1, 2}, {T, T}, {0, 0}},
    {"targets alone, plus one", {.plus_one = true}, 2, {1, 2}, {T, T}, {.5, .5}},
    {"never above one", {0}, 4, {4, 3, 2, 1}, {D, D, D, T}, {1, 1, 1, 1}},
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
    assert_int_equal(n, 3);
    ney_params_init(params, n, &o);
    assert_int_equal(ney_params_set(params, n, &o, "fdr-convention", "all", NULL), NEY_OK);
    assert_int_equal(o.kind, NEY_FDR_DECOYS_PER_ALL);
    assert_int_equal(ney_params_set(params, n, &o, "fdr-convention", "targets", NULL), NEY_OK);
    assert_int_equal(o.kind, NEY_FDR_DECOYS_PER_TARGET);
    assert_int_equal(ney_params_set(params, n, &o, "size-correct", NULL, NULL), NEY_OK);
    assert_int_equal(ney_params_set(params, n, &o, "plus-one", NULL, NULL), NEY_OK);
    assert_true(o.size_correct && o.plus_one);
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
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paper),
        cmocka_unit_test(test_no_options_are_the_defaults),
        cmocka_unit_test(test_options_from_text),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
